"""Parquet files that anyone may have written: decoded in another process first.

A damaged file can end the process that decodes it, in polars' own code. One process tries all
files; one that ends it costs an error and the start of another. To decode twice costs less than to
send what was decoded; who sends less than that has a process of its own kind, as rows of tables.
"""

import atexit
import json
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.machine.child_processes import start_module
from bidcascade.kernels.machine.forks import forget_in_child

from .parquet_child import DAMAGED, Decoded, decoded, reason_of

if TYPE_CHECKING:
    from io import BufferedReader

_MAGIC: Final = b"PAR1"


class Decoder:
    """A process, asked for one file at a time.

    Parameters
    ----------
    module : str
        What it runs: reads a line of JSON a question, and writes its answer.
    """

    def __init__(self, module: str) -> None:
        # a panic is told there in many lines
        self.process = start_module(module, stderr=subprocess.DEVNULL)
        self.incoming = cast("BufferedReader", self.process.stdout)
        """Where it answers."""
        self.is_free = True
        """Whether it has said all, and may be asked again."""

    def ask(self, message: dict[str, Any]) -> None:
        """Ask a question; who has heard the whole answer sets ``is_free``."""
        self.is_free = False
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def why_ended(self) -> str:
        """Tell how the process ended, which said no more."""
        code = self.process.wait()
        ended = f"signal {-code}" if code < 0 else f"status {code}"
        return f"the process that decoded it ended with {ended}"

    def end(self) -> None:
        """End the process; nobody needs what it still decodes."""
        self.process.kill()
        self.process.communicate()


class Decoders:
    """Processes of a module, of which one is kept for the next file.

    To start one takes longer than to read a small file.

    Parameters
    ----------
    module : str
        See :class:`Decoder`.
    in_turn : bool
        Whether one is asked at a time, and others wait; else each has one of their own.

    Examples
    --------
    >>> decoders = Decoders("bidcascade.loaders.parquet.parquet_child")
    >>> with decoders.one() as decoder:
    ...     decoder.ask({"path": "none", "columns": None, "first": 0, "rows": None})
    ...     json.loads(decoder.incoming.readline()).startswith("No such file")
    True
    >>> decoders.end()
    """

    def __init__(self, module: str, *, in_turn: bool = False) -> None:
        self.module = module
        self._in_turn = in_turn
        self._kept: Decoder | None = None
        self._lock: threading.Lock
        self._turn: AbstractContextManager[object]
        self.forget()
        atexit.register(self.end)
        forget_in_child(self.forget)

    @contextmanager
    def one(self) -> Iterator[Decoder]:
        """Yield a process that nobody else asks; it ends unless it is free behind that."""
        with self._turn:
            with self._lock:
                decoder, self._kept = self._kept, None
            if decoder is not None and decoder.process.poll() is not None:
                decoder.end()
                decoder = None
            decoder = decoder or Decoder(self.module)
            try:
                yield decoder
            finally:
                with self._lock:
                    if decoder.is_free and self._kept is None:
                        self._kept, decoder = decoder, None
                if decoder is not None:
                    decoder.end()

    def start(self) -> None:
        """Start a process, which takes a moment until it can answer."""
        with self.one():
            pass

    def end(self) -> None:
        """End the process that is kept."""
        with self._lock:
            kept, self._kept = self._kept, None
        if kept is not None:
            kept.end()

    def forget(self) -> None:
        """Leave the process to the one that was forked."""
        self._lock = threading.Lock()
        self._turn = threading.Lock() if self._in_turn else nullcontext()
        self._kept = None


_decoders: Final = Decoders("bidcascade.loaders.parquet.parquet_child", in_turn=True)


def expect_parquet(paths: Iterable[str]) -> None:
    """Start the process now if a path ends as Parquet files do: it loads while others load."""
    if any(path.endswith((".parquet", ".pq")) for path in paths):
        _decoders.start()


def decode_parquet(
    path: str | Path,
    name: str,
    *,
    columns: Sequence[str] | None = None,
    first: int = 0,
    rows: int | None = None,
) -> Decoded:
    """Decode rows of a Parquet file that nobody vouches for.

    Parameters
    ----------
    path : str or Path
    name : str
        What messages call the file.
    columns : sequence of str, optional
        Those of them that the file has; all that it has by default.
    first, rows : int
        First row (0-based) and how many at most.

    Raises
    ------
    InvalidInput
        If the file is no Parquet file, is cut off or damaged; names it.
    """
    path = Path(path)
    _check_ends(path, name)
    asked: dict[str, Any] = {
        "path": str(path.absolute()), "columns": None if columns is None else list(columns),
        "first": first, "rows": rows,
    }  # fmt: skip
    with _decoders.one() as decoder:
        decoder.ask(asked)
        answer = decoder.incoming.readline()
        decoder.is_free = answer.endswith(b"\n")
        reason: str = json.loads(answer) if decoder.is_free else decoder.why_ended()
    if not reason:
        try:
            return decoded(**asked)
        except DAMAGED as error:  # changed since it was tried
            reason = reason_of(error)
    raise InvalidInput(f"cannot read {name} as Parquet: {reason}")


def _check_ends(path: Path, name: str) -> None:
    """Check that a file begins and ends as Parquet files do (specification, "File format")."""
    try:
        with path.open("rb") as stream:
            head = stream.read(4)
            stream.seek(0, 2)
            size = stream.tell()
            stream.seek(max(0, size - 4))
            tail = stream.read(4)
    except OSError as error:
        raise InvalidInput(f"cannot read {name}: {error.strerror}") from error
    if head != _MAGIC:
        raise InvalidInput(f"expected a Parquet file, got {head!r} at the start of {name}")
    if tail != _MAGIC or size < 12:
        raise InvalidInput(f"{name} is cut off: {size} bytes without the end of a Parquet file")
