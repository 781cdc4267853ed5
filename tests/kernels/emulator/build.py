"""Builds the emulator's runtime and kernel files as shared libraries with g++, each once.

A library's name is a digest of all that goes into it, so a folder of them can be kept for ever.
"""

import ctypes
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
COMPILER = "g++"
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")
COMMON = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-U_FORTIFY_SOURCE")
RUNTIME_OPTIONS = (*COMMON, "-O2")
# addr2line takes the file numbers of the newer format for those of the older
KERNEL_OPTIONS = (*COMMON, *WARNINGS, "-O1", "-g1", "-gdwarf-4", "-fno-strict-aliasing")
CHECKED_OPTIONS = ("-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0")
COMPILE_SECONDS = 120

_ENTRY = re.compile(
    r'extern\s+"C"\s+__attribute__\(\(visibility\("default"\)\)\)\s+void\s+(\w+)\s*\('
)


class BuildError(Exception):
    """The compiler refused a source; the message is its own."""


def why_unavailable() -> str | None:
    """Say why nothing can be built here, or ``None``."""
    if sys.platform != "linux":
        return f"the emulator runs on Linux, not on {sys.platform}"
    if shutil.which(COMPILER) is None:
        return f"{COMPILER} is not installed"
    return None


@cache
def _compiler_version() -> str:
    return subprocess.run(
        [COMPILER, "--version"], check=True, capture_output=True, text=True
    ).stdout.splitlines()[0]


@cache
def _header_texts() -> tuple[str, ...]:
    # how things are built counts too
    names = ("runtime.h", "memory.h", "fibers.h", "cuda_on_cpu.h", "entries.h", "build.py")
    return tuple((HERE / name).read_text("utf-8") for name in names)


def _compile(arguments: list[str], text: str) -> str:
    done = subprocess.run(
        [COMPILER, *arguments], input=text, capture_output=True, text=True, timeout=COMPILE_SECONDS
    )
    if done.returncode:
        raise BuildError(done.stderr)
    return done.stdout


def _build_once(folder: Path, stem: str, options: list[str], text: str) -> Path:
    parts = (_compiler_version(), *options, *_header_texts(), text)
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
    target = folder / f"{stem}-{digest}.so"
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            code, library = f"{scratch}/code.o", Path(scratch) / "library.so"
            _compile([*options, "-c", "-x", "c++", "-", "-o", code], text)
            # linked without the options: the instrumentation's functions are the runtime's
            _compile(["-shared", code, "-o", str(library)], "")
            # whole or not at all, also when two runs build the same
            library.replace(target)
    return target


@cache
def runtime(folder: Path) -> ctypes.CDLL:
    """Load the runtime; its symbols are there for the kernels' libraries to use."""
    text = (HERE / "runtime.cpp").read_text("utf-8")
    library = _build_once(folder, "runtime", [*RUNTIME_OPTIONS, f"-I{HERE}"], text)
    loaded = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    loaded.emulator_allocate.restype = ctypes.c_void_p
    loaded.emulator_allocate.argtypes = [ctypes.c_size_t, ctypes.c_int]
    loaded.emulator_address.restype = ctypes.c_void_p
    loaded.emulator_address.argtypes = [ctypes.c_void_p]
    loaded.emulator_number.restype = ctypes.c_long
    loaded.emulator_number.argtypes = [ctypes.c_void_p]
    loaded.emulator_release.restype = None
    loaded.emulator_release.argtypes = [ctypes.c_void_p]
    loaded.emulator_mark_written.restype = None
    loaded.emulator_mark_written.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
    loaded.emulator_first_unwritten.restype = ctypes.c_size_t
    loaded.emulator_first_unwritten.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
    loaded.emulator_launch.restype = ctypes.c_int
    loaded.emulator_launch.argtypes = [ctypes.c_void_p]
    return loaded


def kernel_library(
    folder: Path, name: str, text: str, defines: Mapping[str, int], *, checked: bool = True
) -> Path:
    """Build a kernel file.

    Parameters
    ----------
    folder : Path
        Where libraries are kept.
    name : str
        File name, for the library's.
    text : str
        Source with everything but the shim included.
    checked : bool
        Whether every memory access is reported to the runtime.

    Raises
    ------
    BuildError
        If the compiler refuses the source, or warns.
    """
    options = [
        *KERNEL_OPTIONS,
        *(CHECKED_OPTIONS if checked else ()),
        f"-I{HERE}",
        *(f"-D{key}={value}" for key, value in sorted(defines.items())),
    ]
    text = f'#include "cuda_on_cpu.h"\n{text}'
    if not (entries := _entries(tuple(options), text)):
        raise BuildError(f'expected an entry point (extern "C" __global__ void …) in {name}')
    text += '\n#line 1 "entries"\n#include "entries.h"\n'
    text += "".join(f"EMULATED_ENTRY({entry})\n" for entry in entries)
    return _build_once(folder, Path(name).stem, options, text)


@cache
def _entries(options: tuple[str, ...], text: str) -> tuple[str, ...]:
    plain = _compile([*options, "-E", "-P", "-x", "c++", "-"], text)
    return tuple(dict.fromkeys(_ENTRY.findall(plain)))


@cache
def source_line(library: Path, place: int) -> str:
    """``file:line`` of a place in a library's code, as far as addr2line knows it."""
    if shutil.which("addr2line") is None:
        return f"{library.name}+{place:#x}"
    # a return address is behind the call
    done = subprocess.run(
        ["addr2line", "-e", str(library), hex(place - 1)], capture_output=True, text=True
    )
    line = done.stdout.partition(" (")[0].strip()
    return line.rsplit("/", 1)[-1] if done.returncode == 0 and line else f"+{place:#x}"
