"""The process of one device of a batch: answers the parts that come in, until no more can come.

``python -m bidcascade.service.jobs.device_worker`` talks over standard input and output (see
``pipe_messages``); ``device_pool`` starts it with the device as the only one that it sees. What it
writes goes to a folder of its own, so that nothing it leaves can be taken for an answer.
"""

import io
import shutil
import sys
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
import polars as pl

from bidcascade import bridge
from bidcascade.bridge import BidcascadeError, InvalidTable
from bidcascade.kernels.types import U64
from bidcascade.service.engine import Engine

from .batch_parts import Asked, answer_part
from .pipe_messages import own_pipes, receive, send
from .whole_files import CannotWrite, can_write

COUNTS_FILE: Final = "counts.npy"


class Worker:
    """Does what messages say, for one table on one device.

    Parameters
    ----------
    engine : Engine
    folder : path
        Where answers go.
    """

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine = engine
        self._folder = folder
        self._counts: U64 | None = None

    def do(self, message: dict[str, Any], block: bytes) -> dict[str, Any]:
        """Do what a message says; return the answer to send."""
        what = message.pop("do")
        if what == "answer":
            answered = answer_part(
                self._engine, pl.read_ipc_stream(block), Asked(**message), self._folder
            )
            return {"rows": answered.rows, "files": answered.files}
        if what == "count":
            counts = self._engine.count_entries(pl.read_ipc_stream(block))
            if self._counts is None:
                self._counts = counts
            else:
                self._counts += counts
            return {}
        if what == "gather":
            return {"file": self._write_counts()}
        raise ValueError(f"expected answer, count or gather, got {what!r}")

    def _write_counts(self) -> str | None:
        """Write what was counted since the last time, and count anew."""
        if self._counts is None:
            return None
        path = self._folder / COUNTS_FILE
        with can_write(path):
            np.save(path, self._counts, allow_pickle=False)
        self._counts = None
        return COUNTS_FILE


def frame_bytes(frame: pl.DataFrame) -> bytes:
    """Frame as an Arrow IPC stream."""
    buffer = io.BytesIO()
    frame.rechunk().write_ipc_stream(buffer)
    return buffer.getvalue()


def described(error: Exception) -> dict[str, Any]:
    """Say an error in a message.

    Examples
    --------
    >>> described(InvalidTable("expected a table"))
    {'error': 'InvalidTable', 'text': 'expected a table'}
    """
    if isinstance(error, MemoryError):
        return {"error": "MemoryError", "text": "not enough memory"}
    return {"error": type(error).__name__, "text": str(error).partition("\n")[0]}


def error_of(message: dict[str, Any], where: str) -> Exception:
    """Error that a process has told, as one of the same kind."""
    text, name = f"{where}: {message['text']}", message["error"]
    if name == "MemoryError":
        return MemoryError(text)
    if name in ("CannotWrite", "OSError", "FileNotFoundError", "PermissionError"):
        return CannotWrite(text)
    kind = getattr(bridge, name, None)
    if isinstance(kind, type) and issubclass(kind, BidcascadeError):
        return kind(text)
    return RuntimeError(f"{text} ({name})")


def main() -> int:
    """Answer until the other side closes the pipe."""
    incoming, outgoing = own_pipes()
    start = receive(incoming)
    if start is None:
        return 0
    folder = Path(start[0]["folder"])
    try:
        _serve(start[0], folder, incoming, outgoing)
    except BrokenPipeError:
        pass
    finally:
        # where the batch was killed, nobody else clears up
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def _serve(start: dict[str, Any], folder: Path, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    try:
        folder.mkdir(exist_ok=True)
        engine = Engine.open(start["table"], start["backend"], **start["options"])
        if engine.table.digest != start["digest"]:
            raise InvalidTable(f"the table {start['table']!r} has changed meanwhile")
        worker = Worker(engine, folder)
    except (BidcascadeError, OSError, MemoryError) as error:
        send(outgoing, described(error))
        return
    send(outgoing, {"backend": engine.backend})
    while (request := receive(incoming)) is not None:
        try:
            answer = worker.do(*request)
        except Exception as error:
            # told to the batch, which ends: whatever it was, this part has no answer
            answer = described(error)
        send(outgoing, answer)


if __name__ == "__main__":
    sys.exit(main())
