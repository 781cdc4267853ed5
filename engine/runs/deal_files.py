"""Deals written to a file as they come: Parquet, LIN, PBN, RBN, links, JSON, or standard output."""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TextIO, TypeAlias

import polars as pl

from bidcascade.bridge import format_hand
from bidcascade.loaders import format_handviewer, format_lin
from bidcascade.loaders.files.whole_files import PARTIAL_SUFFIX, can_write, whole_file
from bidcascade.loaders.frames.frame import HAND_COLUMNS
from bidcascade.loaders.lin.lin_writer import count_lost_contracts
from bidcascade.loaders.parquet.checksums import RowChecksums
from bidcascade.loaders.pbn.pbn_writer import PBN_HEADER, format_games
from bidcascade.loaders.pbn.rbn_writer import RBN_HEADER, format_records
from bidcascade.table.stored.own_folder import OwnFolder

Sink: TypeAlias = Callable[[pl.DataFrame], None]

_Format: TypeAlias = Callable[[pl.DataFrame, dict[str, Any]], Iterator[str]]


def _links(frame: pl.DataFrame, shown: dict[str, Any]) -> Iterator[str]:
    return (f"{link}\n" for link in format_handviewer(frame))


def _json_lines(frame: pl.DataFrame, shown: dict[str, Any]) -> Iterator[str]:
    """Give a deal a line, as requests of the service take it, with the board's number and event."""
    for row in frame.iter_rows(named=True):
        hands = [None if row[name] is None else format_hand(row[name]) for name in HAND_COLUMNS]
        deal = {
            "deal": f"N:{' '.join('-' if one is None else one for one in hands)}",
            "dealer": row["dealer"],
            "vulnerability": row["vulnerability"],
            **{name: row[name] for name in ("board", "event") if row.get(name) is not None},
        }
        yield json.dumps(deal, ensure_ascii=False) + "\n"


_TEXT_FORMATS: Final[dict[str, tuple[str, _Format]]] = {
    ".lin": ("", format_lin),
    ".pbn": (PBN_HEADER, lambda frame, _: format_games(frame)),
    ".rbn": (RBN_HEADER, format_records),
    ".txt": ("", _links),
    ".jsonl": ("", _json_lines),
}
"""First lines of a file, and what gives the text of a frame with what holds from those before."""


_AS_LIN: Final = (".lin", ".txt")


def lost_contracts(frame: pl.DataFrame, out: str) -> int:
    """How many boards lose their contract where :func:`deal_sink` writes a frame to ``out``.

    LIN and links take it from the auction, so boards without a complete one lose it.
    """
    return count_lost_contracts(frame) if Path(out).suffix.lower() in _AS_LIN else 0


@contextmanager
def deal_sink(out: str) -> Iterator[Sink]:
    """Yield a function that takes frames of deals; the file is there when the block ends well.

    Memory does not grow with the number of frames.

    Parameters
    ----------
    out : str
        File ending in ``.lin``, ``.pbn`` or ``.rbn``, in ``.txt`` for handviewer links or in
        ``.jsonl`` for JSON, each a deal a line, any other for Parquet; ``-`` for Parquet to
        standard output.

    Raises
    ------
    CannotWrite
        If writing fails; nothing is left behind.
    """
    if out == "-":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "deals.parquet"
            with _parquet_sink(path) as sink:
                yield sink
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
        return
    path = Path(out)
    written = _TEXT_FORMATS.get(path.suffix.lower())
    if written is not None:
        header, text_of = written
        shown: dict[str, Any] = {}
        with (
            whole_file(path) as partial,
            _closing(partial.open("w", encoding="utf-8"), path) as stream,
        ):
            with can_write(path):
                stream.write(header)

            def sink_text(frame: pl.DataFrame) -> None:
                with can_write(path):
                    stream.writelines(text_of(frame, shown))

            yield sink_text
        return
    with _parquet_sink(path) as sink:
        yield sink


@contextmanager
def _closing(stream: TextIO, path: Path) -> Iterator[TextIO]:
    """Close a file behind the block: what it holds back is written then, which may fail too."""
    try:
        yield stream
    except BaseException:
        with suppress(OSError):
            stream.close()
        raise
    with can_write(path):
        stream.close()


@contextmanager
def _parquet_sink(path: Path) -> Iterator[Sink]:
    """Keep all but the first frame as parts beside the file, and put them together at the end."""
    parts: list[Path] = []
    held: list[pl.DataFrame] = []
    checksums = RowChecksums()
    with ExitStack() as stack:
        folder: Path | None = None

        def put(frame: pl.DataFrame) -> None:
            nonlocal folder
            if folder is None:
                prefix = f".{path.name}."
                with can_write(path):
                    own = OwnFolder(path.parent, prefix, PARTIAL_SUFFIX)
                folder = stack.enter_context(own)
            part = folder / f"{len(parts):06}.parquet"
            with can_write(path):
                frame.write_parquet(part, statistics=False)
            parts.append(part)

        def sink(frame: pl.DataFrame) -> None:
            checksums.add(frame)
            if held:
                put(held.pop())
            held.append(frame)

        yield sink
        if not parts:
            with whole_file(path) as partial, can_write(path):
                frame = held[0] if held else pl.DataFrame()
                frame.write_parquet(partial, statistics=False, metadata=checksums.metadata())
            return
        put(held.pop())
        with whole_file(path) as partial, can_write(path):
            pl.scan_parquet(parts).sink_parquet(
                partial, statistics=False, metadata=checksums.metadata()
            )
