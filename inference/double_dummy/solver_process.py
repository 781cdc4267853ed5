"""The process that solves; the only file of this package that knows endplay.

The solver is DDS of Bo Haglund and Soren Hein, as endplay brings it; here it sits behind a pipe.

The solver must be entered by one thread of a process only, and a fault in it ends the process: so
it runs in processes of its own, one thread each. ``pool`` starts this file as a script with the
library's path, without ``site`` and without any package, which takes hundredths of a second.

    in:   4 bytes count, 4 bytes solutions (1 best card, 3 all cards), count * 96 bytes ``deal``
    out:  once 8 bytes greeting; then count times 4 bytes return code, 216 bytes ``futureTricks``

All are the solver's own structures of C ints (``dll.h`` of DDS 2.9) in the machine's byte order, so
that arrays are sent and received as they are; nothing that arrives is run or unpickled.
"""

import ctypes
import os
import signal
import struct
import sys
import threading
from queue import SimpleQueue
from time import perf_counter
from typing import IO, Final

GREETING: Final = b"bidc-dds"
HEAD: Final = struct.Struct("=II")
DEAL_INTS: Final = 24
"""trump, first, suits and ranks of three cards of the trick, 4 * 4 holdings by hand and suit."""
ANSWER_INTS: Final = 55
"""return code; nodes, cards; suit, rank, equals and score, thirteen each."""
SOLVED: Final = 1
"""Return code of a deal that was solved."""

_FLUSH_S: Final = 0.005
_ALL_TRICKS: Final = -1
_ALWAYS_SEARCH: Final = 1


def find_library() -> str | None:
    """Path of the solver's library, ``None`` where endplay is not installed."""
    # found, not imported: importing endplay would load the library into this process
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec("endplay")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "_dds"
    return next((str(path) for path in sorted(folder.glob("libdds.*"))), None)


class _Deal(ctypes.Structure):
    _fields_ = (("ints", ctypes.c_int * DEAL_INTS),)


class _Answer(ctypes.Structure):
    _fields_ = (("code", ctypes.c_int), ("ints", ctypes.c_int * (ANSWER_INTS - 1)))


def main(library: str, memory_mb: int) -> None:
    """Solve what comes in until the other side closes the pipe.

    Parameters
    ----------
    library : str
        Path of the solver's library.
    memory_mb : int
        Most memory for its table of positions.
    """
    # an interruption is for the parent, whose end closes the pipe
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # what the library prints must not get between the answers
    os.dup2(2, 1)
    solver = ctypes.CDLL(library)
    # one thread: it has memory for its own table of positions and no other
    solver.SetResources(memory_mb, 1)
    solver.SolveBoard.argtypes = (_Deal, *(ctypes.c_int,) * 3, ctypes.c_void_p, ctypes.c_int)
    outgoing.write(GREETING)
    outgoing.flush()
    work: SimpleQueue[tuple[int, bytearray]] = SimpleQueue()
    threading.Thread(target=_read, args=(incoming, work), daemon=True).start()
    _solve(solver, work, outgoing)


def _read(incoming: IO[bytes], work: "SimpleQueue[tuple[int, bytearray]]") -> None:
    """Take in work; when the parent is gone, end the process, whatever it is at."""
    size = 4 * DEAL_INTS
    while len(head := incoming.read(HEAD.size)) == HEAD.size:
        count, solutions = HEAD.unpack(head)
        deals = incoming.read(count * size)
        if len(deals) < count * size:
            break
        work.put((solutions, bytearray(deals)))
    os._exit(0)


def _solve(
    solver: ctypes.CDLL, work: "SimpleQueue[tuple[int, bytearray]]", outgoing: IO[bytes]
) -> None:
    answer = _Answer()
    place = ctypes.addressof(answer) + _Answer.ints.offset
    size = ctypes.sizeof(_Deal)
    sent = perf_counter()
    while True:
        solutions, deals = work.get()
        try:
            for start in range(0, len(deals), size):
                deal = _Deal.from_buffer(deals, start)
                answer.code = solver.SolveBoard(
                    deal, _ALL_TRICKS, solutions, _ALWAYS_SEARCH, place, 0
                )
                outgoing.write(bytes(answer))
                # answers go out one by one, so that little is lost when the process ends, but
                # those of small endings together
                if perf_counter() - sent > _FLUSH_S:
                    outgoing.flush()
                    sent = perf_counter()
            outgoing.flush()
        except BrokenPipeError:
            os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
