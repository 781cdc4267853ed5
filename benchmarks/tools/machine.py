"""What a time was measured on, how much memory it took, and a process of its own for it."""

import datetime
import hashlib
import multiprocessing
import os
import platform
import resource
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")

_PACKAGES = ("numpy", "polars", "cupy-cuda12x", "cupy-cuda13x", "cudf-cu13")
_ROOT = Path(__file__).parents[2]


def environment() -> dict[str, str]:
    """Processor, memory, system, versions, commit, day; nothing that names the machine."""
    found = {
        "cpu": _cpu_model(),
        "cores": str(cores()),
        "memory": f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB",
        "gpu": gpu() or "none",
        "system": _system(),
        "python": platform.python_version(),
    }
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    found["commit"] = _commit()
    found["sources"] = sources_digest()
    found["date"] = f"{datetime.date.today():%Y-%m-%d}"
    found["load"] = f"{os.getloadavg()[0]:.1f} before the first run"
    return found


def sources_digest() -> str:
    """Mark of the measured files as they are now."""
    mark = hashlib.sha256()
    for folder in ("bridge", "kernels", "systems", "benchmarks"):
        for file in sorted((_ROOT / folder).rglob("*.*")):
            if file.suffix in (".py", ".cu", ".cuh", ".cpp", ".hpp"):
                mark.update(f"{file.relative_to(_ROOT).as_posix()}\n".encode() + file.read_bytes())
    return mark.hexdigest()[:12]


def machine_kind(found: dict[str, str]) -> str:
    """Name for a folder: the GPU, or cores and processor."""
    text = found["gpu"].split(",")[0] if found["gpu"] != "none" else ""
    text = text or f"{found['cores']}-core {found['cpu']}"
    letters = "".join(letter if letter.isalnum() else " " for letter in text.lower())
    return "-".join(letters.split())


def cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def gpu() -> str | None:
    """Name, memory and driver of the first GPU, if there is one."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    query = [tool, "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True, check=False)
    lines = answer.stdout.splitlines()
    return lines[0].strip() if answer.returncode == 0 and lines else None


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    return f"{name}, {platform.system()} {platform.release()}"


def _commit() -> str:
    git = shutil.which("git")
    if git is None or not (_ROOT / ".git").exists():
        return "unknown"

    def ask(*words: str) -> str:
        query = [git, "-C", str(_ROOT), *words]
        return subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip()

    sources = ("kernels", "bridge", "benchmarks/*.py", "benchmarks/*.cu")
    changed = ask("status", "--porcelain", "--", *sources)
    return ask("rev-parse", "--short=12", "HEAD") + (" with changes" if changed else "")


def forget_peak() -> int:
    """Start the count of peak memory anew, where the system can; return bytes in use now."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", "ascii")
    return memory_bytes("VmRSS")


def peak_bytes() -> int:
    """Most memory this process had at once.

    On Linux ``ru_maxrss`` starts at the peak of the process that started this one, so the kernel's
    own record of this process's memory is read instead.
    """
    return memory_bytes("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def peak_mib() -> float:
    """The same in MiB."""
    return peak_bytes() / 2**20


def memory_bytes(name: str, process: int | str = "self") -> int:
    """Bytes that the kernel's record of a process has under a name; 0 where there is none."""
    try:
        lines = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith(name)), 0)


def in_a_process(function: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
    """Call a function in a process of its own, so that its peak memory is its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments, **named).result()
