"""Rows of Parquet files that anyone may have written: decoded in another process first.

A damaged file can end the process that decodes it, in polars' own code. One process tries all
files; one that ends it costs an error and the start of another. To decode twice costs less than to
send what was decoded.
"""

import atexit
import json
import subprocess
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.child_processes import start_module
from bidcascade.kernels.forks import forget_in_child

from .parquet_child import DAMAGED, Decoded, decoded, reason_of

_MODULE: Final = "bidcascade.loaders.parquet_child"
_END_S: Final = 5.0
_MAGIC: Final = b"PAR1"


class _Decoder:
    """The process, started when first asked and again where it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, message: dict[str, Any]) -> str:
        """Why rows cannot be decoded, empty where they can."""
        with self._lock:
            stdin, stdout = self._pipes()
            try:
                with suppress(BrokenPipeError):
                    stdin.write(json.dumps(message).encode() + b"\n")
                    stdin.flush()
                answer = stdout.readline()
            except BaseException:
                # waiting was interrupted: the answer must not be taken for that to another question
                self._end()
                raise
            if not answer.endswith(b"\n"):
                return f"the process that decoded it ended with {self._end()}"
            reason: str = json.loads(answer)
            return reason

    def start(self) -> None:
        """Start the process, which takes a moment until it can answer."""
        with self._lock:
            self._pipes()

    def end(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def forget(self) -> None:
        """Leave the process to the one that was forked."""
        self._lock = threading.Lock()
        self._process = None

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._process is None:
            # a panic is told there in many lines
            self._process = start_module(_MODULE, stderr=subprocess.DEVNULL)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def _end(self) -> str:
        process, self._process = self._process, None
        if process is None:
            return ""
        try:
            process.communicate(timeout=_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        code = process.returncode
        return f"signal {-code}" if code < 0 else f"status {code}"


_decoder: Final = _Decoder()
atexit.register(_decoder.end)
forget_in_child(_decoder.forget)


def expect_parquet(paths: Iterable[str]) -> None:
    """Start the process now if a path ends as Parquet files do: it loads while others load."""
    if any(path.endswith((".parquet", ".pq")) for path in paths):
        _decoder.start()


def decode_parquet(
    path: str | Path,
    name: str,
    *,
    columns: Sequence[str] | None = None,
    first: int = 0,
    rows: int | None = None,
) -> Decoded:
    """Decode rows of a Parquet file.

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
    reason = _decoder.ask(asked)
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
