"""What a worker of a Dask cluster does: answers one part, or counts it, with a table kept open.

Tasks take JSON text and an Arrow stream as bytes and return numbers, texts and bytes. Each is whole
in itself: done twice, or begun on one worker and done on another, it gives the same.
"""

import json
import os
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeAlias

import numpy as np
import polars as pl

from bidcascade.bridge import BidcascadeError, InvalidInput, InvalidTable
from bidcascade.engine.engine import Engine
from bidcascade.version import package_version

from .batch_parts import PartRequest, answer_part

TaskReply: TypeAlias = dict[str, Any]

_MOST_ENGINES: Final = 4
"""Engines that this process keeps open: several batches may share a cluster."""
_opening = Lock()


def versions() -> dict[str, str]:
    """Versions that must be the same everywhere for files to be the same byte for byte.

    Examples
    --------
    >>> sorted(versions())
    ['bidcascade', 'polars']
    """
    return {"bidcascade": package_version(), "polars": pl.__version__}


def prepare(start: str) -> TaskReply:
    """Open the engine of a batch on this worker; return the name of its backend.

    Parameters
    ----------
    start : str
        JSON of ``table`` (name or path), ``options``, ``digest``, ``backend`` and ``versions``.
    """
    try:
        return {"backend": _engine(start).backend, "worker": _worker_name()}
    except (BidcascadeError, OSError, MemoryError) as error:
        return _failed(error)


def answer(start: str, question: str, block: bytes) -> TaskReply:
    """Answer a part; return its rows and its files as bytes.

    Parameters
    ----------
    start : str
        See :func:`prepare`.
    question : str
        JSON of :class:`.batch_parts.Asked`.
    block : bytes
        The part's boards as an Arrow IPC stream.
    """
    try:
        engine = _engine(start)
        boards = pl.read_ipc_stream(block)
        with tempfile.TemporaryDirectory(prefix="bidcascade-", dir=_scratch_folder()) as place:
            folder = Path(place)
            answered = answer_part(engine, boards, PartRequest(**json.loads(question)), folder)
            files = {name: (folder / name).read_bytes() for name in answered.files}
        return {"rows": answered.rows, "files": files}
    except (BidcascadeError, OSError, MemoryError) as error:
        return _failed(error)


def count(start: str, block: bytes) -> TaskReply:
    """Count who reaches each entry; return the entries that occur and how often, as bytes.

    ``places`` are 32-bit and ``counts`` 64-bit unsigned numbers, both little-endian.
    """
    try:
        counts = _engine(start).count_entries(pl.read_ipc_stream(block))
    except (BidcascadeError, OSError, MemoryError) as error:
        return _failed(error)
    places = np.flatnonzero(counts)
    return {
        "places": places.astype("<u4").tobytes(),
        "counts": counts[places].astype("<u8").tobytes(),
    }


def _engine(start: str) -> Engine:
    """Engine of a batch, opened at most once at a time."""
    with _opening:
        return _opened(start)


@lru_cache(_MOST_ENGINES)
def _opened(text: str) -> Engine:
    start = json.loads(text)
    if start["versions"] != versions():
        raise InvalidInput(
            f"expected the versions of the batch, {start['versions']!r}, got {versions()!r}"
        )
    if "dask_cuda" in sys.modules:
        # its workers see their own device as the first, whatever the machine's others take
        os.environ.pop("BIDCASCADE_CUDA_DEVICE", None)
    engine = Engine.open(start["table"], start["backend"], **start["options"])
    if engine.digest != start["digest"]:
        raise InvalidTable(f"the table {start['table']!r} is another here than where the batch is")
    return engine


def _failed(error: Exception) -> TaskReply:
    name, text = type(error).__name__, str(error).partition("\n")[0]
    if isinstance(error, MemoryError) and not isinstance(error, BidcascadeError):
        name, text = "MemoryError", "not enough memory"
    return {"error": name, "text": text, "worker": _worker_name()}


def _worker_name() -> str:
    worker = _worker()
    return "in this process" if worker is None else str(worker.address)


def _scratch_folder() -> str | None:
    """Folder that Dask clears up also where a worker was killed."""
    worker = _worker()
    return None if worker is None else str(worker.local_directory)


def _worker() -> Any:
    """Worker that this task runs on; None where it is called as a plain function."""
    distributed: Any = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.get_worker()
    except ValueError:
        return None
