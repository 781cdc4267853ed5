"""Read pieces in several processes; a process that dies costs one piece, not the job."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from .frame import Batch, empty_deals, reject_frame
from .pieces import Piece, join, read_piece

_IN_FLIGHT = 2
"""Pieces handed out at a time for each process; bounds memory."""


def read_in_processes(pieces: Iterator[Piece], jobs: int) -> Iterator[tuple[Piece, Batch]]:
    """Yield each piece with its frames, in the order of the pieces.

    Parameters
    ----------
    pieces : iterator of Piece
        Drawn only as fast as results are taken.
    jobs : int
        Number of processes. They are spawned: forking a process with threads (polars has some)
        can hang.
    """
    pool = _new_pool(jobs)
    waiting: deque[tuple[Piece, Future[Batch] | None]] = deque()
    try:
        while True:
            while len(waiting) < _IN_FLIGHT * jobs:
                piece = next(pieces, None)
                if piece is None:
                    break
                waiting.append((piece, _submit(pool, piece)))
            if not waiting:
                return
            piece, future = waiting.popleft()
            try:
                batch = None if future is None else future.result()
            except BrokenProcessPool:
                batch = None
            if batch is None:
                # everything handed out is lost; whoever killed the process is read alone
                pool.shutdown(wait=False, cancel_futures=True)
                batch = _read_alone(piece)
                pool = _new_pool(jobs)
                waiting = deque((lost, _submit(pool, lost)) for lost, _ in waiting)
            yield piece, batch
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _new_pool(jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))


def _submit(pool: ProcessPoolExecutor, piece: Piece) -> "Future[Batch] | None":
    """Hand out a piece; ``None`` if the pool is broken already."""
    try:
        return pool.submit(read_piece, piece)
    except BrokenProcessPool:
        return None


def _read_alone(piece: Piece) -> Batch:
    """Read a piece in a process of its own; if that dies too, file by file."""
    with _new_pool(1) as pool:
        try:
            return pool.submit(read_piece, piece).result()
        except BrokenProcessPool:
            pass
    if len(piece.sources) > 1:
        return join([_read_alone(Piece([source])) for source in piece.sources])
    name = piece.sources[0].name if piece.sources else piece.name
    reason = "the process that read this died (killed, or out of memory)"
    return Batch(empty_deals(), reject_frame([(name, None, reason, "")]))
