"""How much memory a process may have: that of the machine, or of the control group it runs in."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

_GROUPS: Final = Path("/sys/fs/cgroup")
_OWN_GROUPS: Final = Path("/proc/self/cgroup")
_MACHINE: Final = Path("/proc/meminfo")


def memory_bytes() -> int | None:
    """Bytes of memory of the machine or, where that is less, of a control group around us.

    None where the system does not say.

    Examples
    --------
    >>> (memory_bytes() or 1 << 30) > 1 << 20
    True
    """
    known = [*_of_groups(), *_of_machine()]
    return min(known, default=None)


def _of_machine() -> Iterator[int]:
    with suppress(OSError, ValueError, IndexError):
        for line in _MACHINE.read_text("ascii").splitlines():
            if line.startswith("MemTotal:"):
                yield int(line.split()[1]) << 10


def _of_groups() -> Iterator[int]:
    """Limits of our control group and of those that it lies in, of either version of them."""
    try:
        lines = _OWN_GROUPS.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if not controllers:
            root, name = _GROUPS, "memory.max"
        elif "memory" in controllers.split(","):
            root, name = _GROUPS / "memory", "memory.limit_in_bytes"
        else:
            continue
        inner = PurePosixPath(path.lstrip("/"))
        # in a container the outer folders are not to be seen, and ours is the root
        for folder in (inner, *inner.parents):
            # "max" is no number, and none is set
            with suppress(OSError, ValueError):
                yield int((root / folder / name).read_text("ascii"))
