"""Rows for learning as NumPy arrays: one file an array, and one that says what they hold.

The encoding is version 1 of ``docs/learning-rows.md``; a change of it is another version.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import CALL_COUNT, CALL_TEXTS, format_card
from bidcascade.kernels.machine.npy_files import write_npy_head
from bidcascade.loaders.files.whole_files import can_write, whole_file, write_json

ARRAYS: Final = "arrays.json"
FORMAT: Final = "bidcascade call arrays"
VERSION: Final = 1
NO_CALL: Final = 255
"""Stands behind the end of an auction."""
_CARDS: Final = 52
_PLAYERS: Final = ("caller", "left-hand opponent", "partner", "right-hand opponent")
_TERMS: Final = ("high-card points", "clubs", "diamonds", "hearts", "spades")

Array = NDArray[Any]


class _Kind(NamedTuple):
    """One array: type, shape of a row (-1: the longest auction), what it holds, and its values."""

    dtype: str
    shape: tuple[int, ...]
    meaning: str
    values: Callable[[pl.DataFrame, int], Array]


def _bits(column: pl.Series, count: int) -> Array:
    """Bits of masks, the lowest first, a byte each."""
    packed = column.to_numpy().astype("<u8").view(np.uint8).reshape(-1, 8)
    return np.unpackbits(packed, axis=1, count=count, bitorder="little")


def _auctions(rows: pl.DataFrame, width: int) -> Array:
    lengths = rows["auction"].list.len().to_numpy()
    padded = np.full((rows.height, width), NO_CALL, np.uint8)
    calls = rows.filter(pl.col("auction").list.len() > 0)["auction"].explode().to_numpy()
    padded[np.arange(width) < lengths[:, np.newaxis]] = calls
    return padded


def _context(rows: pl.DataFrame, _width: int) -> Array:
    lengths = pl.col("auction").list.len().cast(pl.Int16)
    return rows.select(
        *(pl.col(name).cast(pl.Int16) for name in ("seat", "vul_we", "vul_they")), lengths
    ).to_numpy()


_KINDS: Final = {
    "deal": _Kind("<i8", (), "number of the deal in the inputs",
                  lambda rows, _: rows["deal"].to_numpy()),
    "hands": _Kind("|u1", (_CARDS,), "1 where the caller holds the card",
                   lambda rows, _: _bits(rows["hand"], _CARDS)),
    "auction": _Kind("|u1", (-1,), "calls so far from the dealer on, 255 behind them", _auctions),
    "context": _Kind("<i2", (4,), "seat (0-3 = N, E, S, W), 1 where the caller's side is "
                     "vulnerable, 1 where the other side is, number of calls so far", _context),
    "call": _Kind("|u1", (), "the call that was made", lambda rows, _: rows["call"].to_numpy()),
    "allowed": _Kind("|b1", (CALL_COUNT,), "whether the system allows each call with this hand",
                     lambda rows, _: _bits(rows["allowed"], CALL_COUNT).view(np.bool_)),
    "legal": _Kind("|b1", (CALL_COUNT,), "whether the laws allow each call",
                   lambda rows, _: _bits(rows["legal"], CALL_COUNT).view(np.bool_)),
    "shown": _Kind("|u1", (4, 5, 2), "what each player has shown: by player, by term, least and "
                   "most", lambda rows, _: rows["shown"].to_numpy().reshape(-1, 4, 5, 2)),
}  # fmt: skip
CALL_ARRAYS: Final = (*(f"{name}.npy" for name in _KINDS), ARRAYS)
"""Files that :func:`write_arrays` makes."""


def write_arrays(parts: Sequence[Path], folder: Path) -> dict[str, int]:
    """Write the rows of Parquet files as arrays.

    Parameters
    ----------
    parts : sequence of path
        Files of rows for learning, in order; one at a time is in memory.
    folder : path

    Returns
    -------
    dict of str to int
        Files that were written, with their bytes.

    Raises
    ------
    CannotWrite
        If a file cannot be written. What is there of the others then counts for nothing.
    """
    rows, width, names = 0, 0, [name for name in _KINDS if name != "shown"]
    for part in parts:
        lengths = (
            pl.scan_parquet(part, glob=False)
            .select(pl.len(), longest=pl.col("auction").list.len().max())
            .collect()
        )
        rows += int(lengths["len"][0])
        width = max(width, lengths["longest"][0] or 0)
    if parts and "shown" in pl.scan_parquet(parts[0], glob=False).collect_schema():
        names.append("shown")
    shapes = {
        name: (rows, *(width if size < 0 else size for size in _KINDS[name].shape))
        for name in names
    }
    with ExitStack() as stack:
        files = {}
        for name in names:
            path = folder / f"{name}.npy"
            partial = stack.enter_context(whole_file(path))
            stack.enter_context(can_write(path))
            files[name] = stack.enter_context(partial.open("wb"))
            write_npy_head(files[name], np.dtype(_KINDS[name].dtype), shapes[name])
        for frame in _frames(parts):
            for name in names:
                values = _KINDS[name].values(frame, width).astype(_KINDS[name].dtype, copy=False)
                with can_write(folder / f"{name}.npy"):
                    files[name].write(np.ascontiguousarray(values).data)
    write_json(
        {
            "format": FORMAT,
            "version": VERSION,
            "rows": rows,
            "arrays": {
                name: {
                    "file": f"{name}.npy",
                    "dtype": _KINDS[name].dtype,
                    "shape": shapes[name],
                    "meaning": _KINDS[name].meaning,
                }
                for name in names
            },
            "calls": CALL_TEXTS,
            "cards": [format_card(card) for card in range(_CARDS)],
            "no_call": NO_CALL,
            "players": _PLAYERS,
            "terms": _TERMS,
        },
        folder / ARRAYS,
    )
    return {
        name: (folder / name).stat().st_size
        for name in (*(f"{name}.npy" for name in names), ARRAYS)
    }


def _frames(parts: Sequence[Path]) -> Iterator[pl.DataFrame]:
    for part in parts:
        yield pl.read_parquet(part)
