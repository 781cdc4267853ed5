"""The near end of a solving process: starts it, asks it, notices when it has died."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, cast

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import BackendUnavailable

from . import solver_process
from .solver_process import ANSWER_INTS, GREETING, HEAD, find_library

if TYPE_CHECKING:
    from io import BufferedReader

MEMORY_MB: Final = 160
"""Most memory of a process for positions it has seen; about 136 MB in all are used."""
SCRIPT: Final = Path(solver_process.__file__)
"""What the process runs."""
_LOWEST_PRIORITY: Final = 19
_END_S: Final = 5.0
_ANSWER_BYTES: Final = 4 * ANSWER_INTS


class SolverDied(Exception):
    """The process has ended before it had answered all; what it had is delivered."""


class SolverLink:
    """A solving process; one thread asks it, any thread may end it.

    Parameters
    ----------
    is_background : bool
        Run it at the lowest priority.

    Raises
    ------
    BackendUnavailable
        If endplay is not installed, or the process does not come up.
    """

    def __init__(self, *, is_background: bool = False) -> None:
        library = find_library()
        if library is None:
            raise BackendUnavailable(
                "double dummy needs endplay (pip install endplay), which is not installed"
            )
        self._process = subprocess.Popen(
            # as bare as can be: the script imports nothing but the standard library
            [sys.executable, "-I", "-S", str(SCRIPT), library, str(MEMORY_MB)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=SCRIPT.absolute().parent,
        )
        if is_background and hasattr(os, "setpriority"):
            with suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, self._process.pid, _LOWEST_PRIORITY)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to: IO[bytes] = self._process.stdin
        self._from = cast("BufferedReader", self._process.stdout)
        if self._from.read(len(GREETING)) != GREETING:
            code = self._wait()
            raise BackendUnavailable(
                f"the double-dummy solver {library!r} does not start (exit code {code})"
            )

    @property
    def process_id(self) -> int:
        """Id of the process."""
        return self._process.pid

    def ask(
        self, deals: NDArray[np.int32], *, all_cards: bool
    ) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """Have deals solved; answers come in their order, some at a time.

        Parameters
        ----------
        deals : int32 [n, 24]
        all_cards : bool
            Whether each card's tricks are wanted, or the best only.

        Yields
        ------
        place, answers : int, int32 [k, 55]
            Answers to the deals from ``place`` on.

        Raises
        ------
        SolverDied
        """
        try:
            self._to.write(HEAD.pack(len(deals), 3 if all_cards else 1))
            self._to.write(deals.tobytes())
            self._to.flush()
        except (BrokenPipeError, ValueError):
            # a pipe that was closed by the thread that ended the process is a ValueError
            raise SolverDied from None
        done, rest = 0, b""
        while done < len(deals):
            try:
                got = self._from.read1(1 << 16)
            except ValueError:
                raise SolverDied from None
            if not got:
                raise SolverDied
            rest += got
            count = len(rest) // _ANSWER_BYTES
            if count:
                whole = rest[: count * _ANSWER_BYTES]
                rest = rest[count * _ANSWER_BYTES :]
                yield done, np.frombuffer(whole, np.int32).reshape(count, ANSWER_INTS)
                done += count

    def kill(self) -> None:
        """End the process at once, from any thread; whoever waits for it gets ``SolverDied``."""
        self._process.kill()

    def end(self) -> int:
        """End the process and leave nothing of it; its exit code."""
        self._process.kill()
        return self._wait()

    def _wait(self) -> int:
        for pipe in (self._to, self._from):
            try:
                pipe.close()
            except BrokenPipeError:
                # bytes for a process that is gone
                continue
        return self._process.wait(_END_S)
