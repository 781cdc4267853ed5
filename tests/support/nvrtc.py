"""NVRTC through ctypes: compiles CUDA C++ for any card, on a machine that has none.

The library comes from pip (``nvidia-cuda-nvrtc-cu12``, ``nvidia-cuda-nvrtc``) or lies where the
system's linker finds it; no driver is needed. Interface: NVRTC's user guide.
"""

import ctypes
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
"""Compute capabilities: Turing, Ampere (two), Ada, Hopper, Blackwell (two)."""

_SUCCESS = 0


class CompileError(AssertionError):
    """NVRTC refused a source, or warned; the message is its log."""


@dataclass(frozen=True)
class Usage:
    """What a kernel takes of a multiprocessor, with the functions that it calls."""

    registers: int
    spilled_bytes: int
    stack_bytes: int
    shared_bytes: int


@dataclass(frozen=True)
class Nvrtc:
    """One version of the library."""

    library: ctypes.CDLL
    version: tuple[int, int]

    def __str__(self) -> str:
        return f"nvrtc-{self.version[0]}.{self.version[1]}"

    def supports(self, architecture: int) -> bool:
        """Whether this version compiles for a compute capability."""
        count = ctypes.c_int()
        self._check(self.library.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
        numbers = (ctypes.c_int * count.value)()
        self._check(self.library.nvrtcGetSupportedArchs(numbers))
        return architecture in list(numbers)

    def compile(self, name: str, text: str, options: Sequence[str]) -> dict[str, Usage]:
        """Compile down to machine code; what each entry point uses.

        Raises
        ------
        CompileError
            If the compiler refuses the source or has anything to say about it.
        """
        program = ctypes.c_void_p()
        self._check(
            self.library.nvrtcCreateProgram(
                ctypes.byref(program), text.encode(), name.encode(), 0, None, None
            )
        )
        try:
            given = [option.encode() for option in (*options, "--ptxas-options=-v")]
            failed = self.library.nvrtcCompileProgram(
                program, len(given), (ctypes.c_char_p * len(given))(*given)
            )
            size = ctypes.c_size_t()
            self._check(self.library.nvrtcGetProgramLogSize(program, ctypes.byref(size)))
            log = ctypes.create_string_buffer(max(1, size.value))
            self._check(self.library.nvrtcGetProgramLog(program, log))
            messages, usage = _read_log(log.value.decode(errors="replace"))
            if failed or messages:
                raise CompileError(f"{self} {' '.join(options)}\n" + "\n".join(messages))
            return usage
        finally:
            self.library.nvrtcDestroyProgram(ctypes.byref(program))

    def _check(self, result: int) -> None:
        if result != _SUCCESS:
            text = self.library.nvrtcGetErrorString(result)
            raise CompileError(f"{self}: {text.decode()}")


_ENTRY = re.compile(r"Compiling entry function '(\w+)'")
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


def _read_log(log: str) -> tuple[list[str], dict[str, Usage]]:
    """Take what was asked for out of a log; all that is left is a warning or an error."""
    messages: list[str] = []
    usage: dict[str, Usage] = {}
    entry, stack, spilled = "", 0, 0
    for line in log.splitlines():
        if match := _ENTRY.search(line):
            entry = match[1]
        elif match := _SPILLS.search(line):
            if entry in usage:  # a function that it calls
                spilled = usage[entry].spilled_bytes + int(match[2])
                usage[entry] = replace(usage[entry], spilled_bytes=spilled)
            stack, spilled = int(match[1]), int(match[2])
        elif match := _REGISTERS.search(line):
            shared = _SHARED.search(line)
            usage[entry] = Usage(int(match[1]), spilled, stack, int(shared[1]) if shared else 0)
        elif line.strip() and not re.match(
            r"ptxas info\s*:|\s*Function properties for|\s*Compile time =", line
        ):
            messages.append(line)
    return messages, usage


@cache
def libraries() -> tuple[Nvrtc, ...]:
    """Every NVRTC here, the one of the oldest CUDA first."""
    candidates: list[str] = []
    for folder in map(Path, sys.path):
        for place in ("nvidia/cuda_nvrtc/lib", "nvidia/cu*/lib"):
            candidates += map(str, sorted(folder.glob(f"{place}/libnvrtc.so.*")))
    candidates += [f"libnvrtc.so.{major}" for major in (12, 13)]
    found: dict[tuple[int, int], Nvrtc] = {}
    for candidate in candidates:
        try:
            library = ctypes.CDLL(candidate)
        except OSError:
            continue
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor = ctypes.c_int(), ctypes.c_int()
        library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        version = (major.value, minor.value)
        found.setdefault(version, Nvrtc(library, version))
    return tuple(found[version] for version in sorted(found))


def why_unavailable() -> str | None:
    """Say why nothing can be compiled here, or ``None``."""
    if not libraries():
        return "NVRTC is not installed (pip install nvidia-cuda-nvrtc)"
    return None
