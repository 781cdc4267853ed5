"""The core's shared library: found, checked and loaded.

A wheel has the builds beside this file, and nothing is compiled there. In a checkout they lie in
``build/core``, in a folder for each version of the sources; what is missing there is built.
"""

import contextlib
import ctypes
import logging
import os
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from bidcascade.bridge import BackendUnavailable
from bidcascade.kernels.machine.caches import forget_oldest

from .build import (
    MODULE,
    SOURCES,
    ZIGLANG,
    BuildError,
    Target,
    build_libraries,
    build_module,
    checkout_folder,
    find_compiler,
    source_version,
)

VARIABLE: Final = "BIDCASCADE_CORE"
"""Environment variable that names the build to load, instead of the best one."""

_MOST_VERSIONS: Final = 8
_PROCESSOR: Final = Path("/proc/cpuinfo")
_V3_FLAGS: Final = frozenset(("avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"))
_FLAGS: Final = {
    "x86-64-v3": _V3_FLAGS,
    "x86-64-v4": _V3_FLAGS
    | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_vpopcntdq"},
}
"""What Linux says of processors that a build runs on."""

_logger = logging.getLogger("bidcascade.kernels")
_lock = threading.Lock()


def load() -> ctypes.CDLL | None:
    """Load the build that this machine runs best, once.

    Returns
    -------
    ctypes.CDLL or None
        ``None`` where there is no library; a warning has said why, and what to install.

    Raises
    ------
    BackendUnavailable
        If the library is of another version than this code, if its sources do not compile, or
        if ``BIDCASCADE_CORE`` names no build that can be loaded here.

    Examples
    --------
    >>> library = load()
    >>> library is None or library.core_version() == expected_version()
    True
    """
    with _lock:
        return _load()


@cache
def _load() -> ctypes.CDLL | None:
    return open_library(os.environ.get(VARIABLE) or None)


@cache
def expected_version() -> int:
    """Version that a library must have: that of the sources beside this file."""
    return source_version()


def open_library(
    build: str | None = None, *, sources: Path = SOURCES, folder: Path | None = None
) -> ctypes.CDLL | None:
    """Load a build, or the best one, anew; see :func:`load`.

    Parameters
    ----------
    build : str, optional
        ``baseline``, ``x86-64-v3``, ``x86-64-v4`` or ``sanitized``.
    sources : Path, optional
        Folder of ``interface.cpp`` and the headers.
    folder : Path, optional
        Where libraries lie; if not given, where those of the sources do.
    """
    target = Target.here()
    if build is not None and build not in ("sanitized", *target.builds()):
        allowed = ", ".join((*target.builds(), "sanitized"))
        raise BackendUnavailable(f"expected {VARIABLE} as one of {allowed}, got {build!r}")
    if build == "sanitized" and "libasan" not in os.environ.get("LD_PRELOAD", ""):
        raise BackendUnavailable(
            f"expected libasan in LD_PRELOAD for {VARIABLE}={build}, as `nox -s sanitize` sets it, "
            f"got {os.environ.get('LD_PRELOAD')!r}"
        )
    if build in _FLAGS and not runs_here(build):
        lacking = ", ".join(sorted(_FLAGS[build] - _processor_flags()))
        raise BackendUnavailable(
            f"expected a processor with {lacking} for {VARIABLE}={build}, got one without"
        )
    best = [one for one in target.builds() if runs_here(one)][-1]
    return _opened(build or best, sources, folder)


def read_module(sources: Path = SOURCES) -> bytes | None:
    """Read the core as a module of WebAssembly, which the page's engine bids with.

    Returns
    -------
    bytes or None
        ``None`` where there is no module and nobody can build one; a warning has said what to
        install.

    Examples
    --------
    >>> module = read_module()
    >>> module is None or module[:4] == bytes([0]) + b"asm"
    True
    """
    checkout = _checkout(sources)
    path = (sources if checkout is None else checkout_folder(checkout)) / MODULE
    try:
        if checkout is not None and not path.exists():
            with _alone(path.parent):
                if not path.exists():
                    build_module(path.parent, sources)
        return path.read_bytes()
    except (OSError, BuildError) as error:
        _logger.warning("the page asks the service, its engine has no core: %s", error)
        return None


def runs_here(build: str) -> bool:
    """Tell whether this machine's processor runs a build."""
    return _FLAGS.get(build, frozenset()) <= _processor_flags()


def _processor_flags() -> frozenset[str]:
    """Find what Linux says that the processor has; elsewhere it is not asked."""
    # Python has no other way, and what compilers have for it (``__builtin_cpu_supports``) says no
    # to everything in what zig links
    try:
        text = _PROCESSOR.read_text("utf-8", "replace")
    except OSError:
        return frozenset()
    flags = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return frozenset(flags.split())


def _opened(build: str, sources: Path, folder: Path | None) -> ctypes.CDLL | None:
    expected = expected_version() if sources == SOURCES else source_version(sources)
    checkout = _checkout(sources)
    if folder is None:
        folder = sources if checkout is None else checkout_folder(checkout, expected)
    path = folder / Target.here().library_name(build)
    try:
        if checkout is not None and not path.exists():
            _build(path, build, sources)
        library = ctypes.CDLL(str(path))
    except OSError as error:
        _warn(path, error, is_checkout=checkout is not None)
        return None
    library.core_version.restype = ctypes.c_uint64
    if (found := library.core_version()) != expected:
        raise BackendUnavailable(
            f"expected version {expected:016x} of the core, that of the sources in {sources}, got "
            f"{found:016x} in {path}: the library is of another version of bidcascade; install "
            f"it anew, with `pip install --force-reinstall --no-deps bidcascade`"
        )
    return library


def _checkout(sources: Path) -> Path | None:
    # an installed package has no setup.py above it
    root = sources.parents[1]
    return root if (root / "setup.py").exists() and (root / "pyproject.toml").exists() else None


def _build(path: Path, build: str, sources: Path) -> None:
    compiler = find_compiler()
    if compiler is None:
        raise FileNotFoundError(f"no C++ compiler is found to build {path}")
    with _alone(path.parent):
        if path.exists():
            return
        try:
            build_libraries(path.parent, [build], compiler, sources)
        except BuildError as error:
            raise BackendUnavailable(f"the core in {sources} does not compile: {error}") from error
    _logger.info("the core's sources are built anew: %s", path.parent)
    forget_oldest(path.parents[1].iterdir(), _MOST_VERSIONS, path.parent)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let other processes wait, which would build the same."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:
        # on Windows both build; either result is whole
        yield
        return
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _warn(path: Path, error: OSError, *, is_checkout: bool) -> None:
    advice = (
        f"install g++ or clang++, or `pip install '{ZIGLANG}'`"
        if is_checkout
        else "install a wheel of bidcascade for this machine, or from source with "
        "`pip install --force-reinstall --no-binary bidcascade bidcascade`"
    )
    _logger.warning(
        "the core's library cannot be loaded, bidding goes on without it and slowly: %s; %s",
        error,
        advice,
    )
