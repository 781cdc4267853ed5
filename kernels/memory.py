"""How much memory is there, and what that means for the size of chunks."""

import logging
import os
from pathlib import Path

_logger = logging.getLogger("bidcascade.kernels")
_FALLBACK_BYTES = 2 << 30


def available_bytes() -> int:
    """Memory that can be taken now: the least of what the machine and its control group allow."""
    limits = [_meminfo_available(), _cgroup_available()]
    known = [limit for limit in limits if limit is not None]
    return max(64 << 20, min(known)) if known else _FALLBACK_BYTES


def _meminfo_available() -> int | None:
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        try:
            return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError, OSError):
            return None
    for line in text.splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return None


def _cgroup_available() -> int | None:
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        used = int(Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    return None if limit == "max" else max(0, int(limit) - used)


def pairs_that_fit(threads: int, bytes_per_pair: int) -> int:
    """How many (entry, deal) pairs each thread may hold: an eighth of the memory, 32 M at most."""
    fitting = available_bytes() // 8 // threads // bytes_per_pair
    chosen = max(1 << 16, min(1 << 25, fitting))
    _logger.debug("chunks of at most %d pairs on each of %d threads", chosen, threads)
    return chosen
