"""Kernels of the emulator: entry points of built libraries, what they take, and a launch."""

import ctypes
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntFlag
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tests.kernels.emulator.build import source_line
from tests.kernels.emulator.memory import POISON, EmulatedArray, EmulatorFault

ERROR_BYTES = 4096
LIMIT_SECONDS = 60.0
"""A launch that takes longer is taken for one that never ends."""

ArrayUse: TypeAlias = tuple[EmulatedArray, bool]
"""An array that a kernel gets, and whether it may write to it."""


class Checks(IntFlag):
    """What the runtime judges each access for."""

    NONE = 0
    BOUNDS = 1
    UNWRITTEN = 3
    RACES = 5
    ALL = 7


class LaunchRequest(ctypes.Structure):
    """``struct Launch`` of the runtime."""

    _fields_ = (
        ("call", ctypes.c_void_p),
        ("touch_shared", ctypes.c_void_p),
        ("arguments", ctypes.c_void_p),
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("dynamic_shared", ctypes.c_uint),
        ("shared_limit", ctypes.c_uint),
        ("schedule", ctypes.c_uint),
        ("poison", ctypes.c_uint),
        ("checks", ctypes.c_uint),
        ("number", ctypes.c_uint),
        ("unordered_count", ctypes.c_uint),
        ("unordered", ctypes.c_void_p),
        ("limit_seconds", ctypes.c_double),
        ("error", ctypes.c_char_p),
        ("error_size", ctypes.c_size_t),
    )


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel, ready to run."""

    kernel: "EmulatedKernel"
    number: int
    blocks: int
    threads: int
    values: list[bytes]
    shared_bytes: int
    unordered: set[int] = field(default_factory=set)
    """Launches of other streams that may run at the same time."""

    def run(
        self, library: ctypes.CDLL, *, schedule: int, checks: Checks, shared_limit: int
    ) -> None:
        """Run it to the end.

        Raises
        ------
        EmulatorFault
            If the kernel does what it must not.
        """
        slots = [ctypes.create_string_buffer(value, max(8, len(value))) for value in self.values]
        pointers = (ctypes.c_void_p * max(1, len(slots)))(*map(ctypes.addressof, slots))
        peers = (ctypes.c_uint * max(1, len(self.unordered)))(*sorted(self.unordered))
        error = ctypes.create_string_buffer(ERROR_BYTES)
        request = LaunchRequest(
            call=self.kernel.call,
            touch_shared=self.kernel.touch_shared,
            arguments=ctypes.addressof(pointers),
            grid=(self.blocks, 1, 1),
            block=(self.threads, 1, 1),
            dynamic_shared=self.shared_bytes,
            shared_limit=shared_limit,
            schedule=schedule,
            poison=POISON,
            checks=int(checks),
            number=self.number,
            unordered_count=len(self.unordered),
            unordered=ctypes.addressof(peers),
            limit_seconds=LIMIT_SECONDS,
            error=ctypes.cast(error, ctypes.c_char_p),
            error_size=ERROR_BYTES,
        )
        if library.emulator_launch(ctypes.addressof(request)):
            places = re.compile(r"\{([0-9a-f]+)\}")
            raise EmulatorFault(
                places.sub(
                    lambda match: source_line(self.kernel.library_path, int(match[1], 16)),
                    error.value.decode(),
                )
            )


@dataclass
class EmulatedKernel:
    """An entry point of a kernel file."""

    file: str
    entry: str
    library_path: Path
    enqueue: Callable[..., None]
    """Takes kernel, blocks, threads, values, arrays, shared bytes, stream."""
    call: int = 0
    touch_shared: int = 0
    parameters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        library = ctypes.CDLL(str(self.library_path))
        try:
            describe = library[f"emulator_describe_{self.entry}"]
        except AttributeError:
            raise EmulatorFault(f"expected an entry {self.entry!r} in {self.file}") from None
        text = ctypes.create_string_buffer(1024)
        describe(text)
        self.parameters = tuple(text.value.decode().split())
        self.call = _address(library[f"emulator_call_{self.entry}"])
        self.touch_shared = _address(library["emulator_touch_shared"])

    def __call__(
        self,
        blocks: int,
        threads: int,
        arguments: Sequence[Any],
        *,
        shared_bytes: int = 0,
        stream: Any = None,
    ) -> None:
        if not blocks:
            return
        values, uses = self._packed(arguments)
        self.enqueue(self, blocks, threads, values, uses, shared_bytes, stream)

    def _packed(self, arguments: Sequence[Any]) -> tuple[list[bytes], list[ArrayUse]]:
        """Bytes of each argument, and the arrays with whether the kernel may write to them."""
        if len(arguments) != len(self.parameters):
            raise EmulatorFault(
                f"{self.entry} takes {len(self.parameters)} arguments "
                f"({' '.join(self.parameters)}), got {len(arguments)}"
            )
        values: list[bytes] = []
        uses: list[ArrayUse] = []
        for number, (parameter, argument) in enumerate(
            zip(self.parameters, arguments, strict=True)
        ):
            kind, size = parameter[0], int(parameter[1:])
            where = f"argument {number} of {self.entry}"
            if kind in "cp":
                if argument is None:
                    values.append(bytes(8))
                    continue
                if not isinstance(argument, EmulatedArray):
                    raise EmulatorFault(f"expected a device array as {where}, got {argument!r}")
                if not _may_be_read_as(argument, size):
                    raise EmulatorFault(
                        f"{where} points to {size} bytes, got an array of {argument.dtype}"
                    )
                values.append(argument.address.to_bytes(8, "little"))
                uses.append((argument, kind == "p"))
                continue
            if not isinstance(argument, np.generic):
                raise EmulatorFault(f"expected a numpy scalar as {where}, got {argument!r}")
            wanted = {"i": "i", "u": "ub", "f": "f", "s": "V"}[kind]
            if argument.dtype.kind not in wanted or argument.dtype.itemsize != size:
                raise EmulatorFault(f"expected {kind}{size} as {where}, got {argument.dtype}")
            values.append(argument.tobytes())
        return values, uses


def _may_be_read_as(array: EmulatedArray, size: int) -> bool:
    """Whether a pointer to ``size`` bytes fits: elements, their parts, or rows as vectors."""
    item = array.dtype.itemsize
    row = math.prod(array.shape[1:]) * item
    return not size or not array.size or item % size == 0 or (row > item and row % size == 0)


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address
