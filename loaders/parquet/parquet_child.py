"""The process that decodes Parquet files first, for the one that started it.

``python -m bidcascade.loaders.parquet.parquet_child`` answers each line of JSON, the arguments of
:func:`decoded`, with another, until its standard input is closed.
"""

import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import polars as pl

from bidcascade.loaders.limits import MOST_DECODED, MOST_DECODER_BYTES


class Decoded(NamedTuple):
    """Rows of a file, how many it has in all, and its metadata."""

    frame: pl.DataFrame
    rows: int
    metadata: dict[str, str]


DAMAGED = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""What a damaged file leads to, where it does not end the process."""


def decoded(path: str, columns: Sequence[str] | None, first: int, rows: int | None) -> Decoded:
    """Decode rows of a Parquet file; see :func:`.parquet_decoder.decode_parquet`.

    Examples
    --------
    >>> pl.DataFrame({"deal": [1, 2]}).write_parquet("two.parquet")
    >>> decoded("two.parquet", ["deal", "hand"], 1, None).frame.rows()
    [(2,)]
    """
    with named_in_utf8(path) as named:
        scan = pl.scan_parquet(named, glob=False)
        count = int(scan.select(pl.len()).collect().item())
        metadata = pl.read_parquet_metadata(named)
        if columns is not None:
            present = scan.collect_schema()
            scan = scan.select(column for column in columns if column in present)
        frame = scan.slice(first, rows).collect()
        if (size := _size(frame)) > MOST_DECODED:
            raise OSError(
                f"expected at most {MOST_DECODED:,} bytes in {frame.height:,} rows, got {size:,}"
            )
        return Decoded(frame, count, metadata)


def _size(frame: pl.DataFrame) -> int:
    """Bytes of a frame, a text that stands in many rows counted in each."""
    size = int(frame.estimated_size())
    for column in frame.iter_columns():
        texts = column.explode() if column.dtype == pl.List(pl.String) else column
        if texts.dtype == pl.String:
            size += int(texts.str.len_bytes().sum())
    return size


@contextmanager
def named_in_utf8(path: str) -> Iterator[str]:
    """Give a name of a file that polars can take, which knows none but those in UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        with TemporaryDirectory(prefix="bidcascade-") as folder:
            link = Path(folder) / "deals.parquet"
            link.symlink_to(path)
            yield str(link)
    else:
        yield path


def reason_of(error: BaseException) -> str:
    """First line of what an error says, or its name; a panic's words are no reason."""
    if isinstance(error, pl.exceptions.PanicException):
        return "it is damaged"
    return str(error).partition("\n")[0] or type(error).__name__


def _limit_memory() -> None:
    """Let a file that decodes to far too much end this process and no other."""
    if sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = (
            MOST_DECODER_BYTES if hard == resource.RLIM_INFINITY else min(MOST_DECODER_BYTES, hard)
        )
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def main() -> None:
    """Answer what comes in: nothing, or why the rows cannot be decoded."""
    # whoever is interrupted ends this process by closing its input
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    for line in sys.stdin:
        reason = ""
        try:
            decoded(**json.loads(line))
        except DAMAGED as error:
            reason = reason_of(error)
        print(json.dumps(reason), flush=True)


if __name__ == "__main__":
    main()
