"""Deal frames in Parquet files: written whole or not at all, checked when read."""

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import (
    FULL_DECK,
    LAST_BID,
    InvalidInput,
    first_illegal_call,
    format_calls,
)
from bidcascade.kernels.core.functions import has_core
from bidcascade.kernels.core.tables.auctions import legal_calls
from bidcascade.kernels.machine.forks import check_not_forked
from bidcascade.kernels.types import I64, U8
from bidcascade.loaders.files.whole_files import can_write, whole_file
from bidcascade.loaders.frames.frame import (
    DEAL_SCHEMA,
    HAND_COLUMNS,
    QUOTED,
    REQUIRED_COLUMNS,
    Batch,
    join,
    reject_frame,
    with_deal_schema,
    without_unknown_play,
)
from bidcascade.loaders.frames.value_rules import VALUE_RULES, invalid_values, without_null_texts

from .checksums import RowChecksums, check_rows
from .parquet_decoder import decode_parquet

ROWS_PER_PART = 100_000
"""Rows read at a time by :func:`iter_deal_parquet`."""


def write_deal_parquet(frame: pl.DataFrame, path: str | Path) -> None:
    """Write a deal frame; the file appears whole or not at all.

    Parameters
    ----------
    frame : polars.DataFrame
        Must have the required columns; further columns are kept.
    path : str or Path

    Raises
    ------
    InvalidInput
        If a required column is missing.
    CannotWrite
        If the place cannot be written to; what was there stays as it was.

    Examples
    --------
    >>> import tempfile
    >>> from bidcascade.loaders.frames.frame import empty_deals
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_deal_parquet(empty_deals(), Path(folder) / "deals.parquet")
    ...     read_deal_parquet(Path(folder) / "deals.parquet").deals.height
    0
    """
    check_not_forked()
    missing = [name for name in REQUIRED_COLUMNS if name not in frame.columns]
    if missing:
        raise InvalidInput(f"expected the columns of a deal frame, got none named {missing!r}")
    checksums = RowChecksums()
    checksums.add(frame)
    with whole_file(Path(path)) as partial, can_write(Path(path)):
        frame.write_parquet(partial, statistics=False, metadata=checksums.metadata())


def read_deal_parquet(path: str | Path, source: str | None = None) -> Batch:
    """Read a deal frame from Parquet.

    Parameters
    ----------
    path : str or Path
    source : str, optional
        Name for rows whose file has no column ``source``, and for the rejects; the path by default.

    Returns
    -------
    Batch
        ``deals`` has the columns of the deal frame (others are left out, missing ones are
        null; a null name or remark is empty); rows whose hands are not four times 13 different
        cards (or once or twice, the others null), that have no dealer or vulnerability, or whose
        auction is not legal, are in ``rejects`` by row number.

    Raises
    ------
    InvalidInput
        If the file is no Parquet file, is cut off or damaged, or is no deal frame; names the file.
        What was written here is checked against its checksums.

    Examples
    --------
    >>> _ = Path("deals.parquet").write_bytes(b"PAR1 and no more")
    >>> try:
    ...     read_deal_parquet("deals.parquet")
    ... except InvalidInput as error:
    ...     print(error)
    deals.parquet is cut off: 16 bytes without the end of a Parquet file
    """
    return join(list(iter_deal_parquet(path, source)))


def iter_deal_parquet(
    path: str | Path, source: str | None = None, *, rows: int = ROWS_PER_PART
) -> Iterator[Batch]:
    """Read a deal frame from Parquet in parts of at most ``rows`` rows; at least one part.

    See :func:`read_deal_parquet`.

    Examples
    --------
    >>> from bidcascade.loaders.frames.random_deals import random_deals
    >>> write_deal_parquet(random_deals(5, seed=1), "deals.parquet")
    >>> [part.deals.height for part in iter_deal_parquet("deals.parquet", rows=2)]
    [2, 2, 1]
    """
    path = Path(path)
    name = str(path) if source is None else source
    for first in range(0, max(count_deal_parquet(path, name), 1), rows):
        yield read_deal_parquet_part(path, name, first, rows)


def count_deal_parquet(path: str | Path, source: str | None = None) -> int:
    """Return the number of rows of a deal frame in Parquet, after checking that it is one.

    Raises
    ------
    InvalidInput
        As :func:`read_deal_parquet`.
    """
    check_not_forked()
    path = Path(path)
    name = str(path) if source is None else source
    decoded = decode_parquet(path, name, rows=0)
    schema = decoded.frame.schema
    missing = [column for column in REQUIRED_COLUMNS if column not in schema]
    if missing:
        raise InvalidInput(
            f"expected a deal frame in {name}, got a Parquet file without columns {missing!r}"
        )
    for column in HAND_COLUMNS:
        if not schema[column].is_integer():
            raise InvalidInput(
                f"expected integer hand masks in column {column!r} of {name}, got {schema[column]}"
            )
    return decoded.rows


def read_deal_parquet_part(path: str | Path, source: str, first: int, rows: int) -> Batch:
    """Read ``rows`` rows from row ``first`` (0-based) on; see :func:`read_deal_parquet`.

    Blocks of :data:`bidcascade.loaders.parquet.checksums.BLOCK_ROWS` are checked that are read as a
    whole.
    """
    check_not_forked()
    decoded = decode_parquet(path, source, columns=DEAL_SCHEMA.names(), first=first, rows=rows)
    part = decoded.frame
    try:
        frame = with_deal_schema(part, source)
    except pl.exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise InvalidInput(f"cannot read {source} as a deal frame: {reason}") from error
    check_rows(frame, decoded.metadata, source, first=first, rows=decoded.rows)
    return _sort_out(without_null_texts(frame), part, source, first)


def illegal_auctions(auctions: pl.Series) -> NDArray[np.bool_]:
    """Tell which auctions hold a call that is not legal in its place.

    Parameters
    ----------
    auctions : polars.Series
        Lists of call codes; null and empty ones are legal.
    """
    counts: I64 = auctions.list.len().fill_null(0).cast(pl.Int64).to_numpy()
    calls: U8 = auctions.filter(counts > 0).explode().fill_null(255).cast(pl.UInt8).to_numpy()
    find = _illegal_places if has_core() else illegal_places_reference
    found = np.zeros(len(counts), np.bool_)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    found[np.repeat(np.arange(len(counts)), counts)[find(calls, offsets)]] = True
    return found


def _illegal_places(calls: U8, offsets: I64) -> NDArray[np.bool_]:
    legal = np.zeros(len(calls), np.uint64)
    legal_calls(calls, offsets, legal)
    # the highest bit stands for no call
    found: NDArray[np.bool_] = legal >> np.minimum(calls, 63).astype(np.uint64) & np.uint64(1) == 0
    return found


def illegal_places_reference(calls: U8, offsets: I64) -> NDArray[np.bool_]:
    """Tell which calls are illegal, or stand behind one: the definition, in plain Python."""
    found = np.zeros(len(calls), np.bool_)
    for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        codes = list(takewhile(lambda call: call <= LAST_BID, calls[start:end].tolist()))
        illegal = first_illegal_call(codes)
        found[start + (len(codes) if illegal is None else illegal) : end] = True
    return found


def _sort_out(frame: pl.DataFrame, part: pl.DataFrame, name: str, first: int) -> Batch:
    """Separate the rows that are no deals."""
    hands = [frame[column].fill_null(0).to_numpy() for column in HAND_COLUMNS]
    union = np.zeros(frame.height, np.uint64)
    is_deal = np.ones(frame.height, np.bool_)
    known = np.zeros(frame.height, np.int64)
    for hand, column in zip(hands, HAND_COLUMNS, strict=True):
        is_known_hand = frame[column].is_not_null().to_numpy()
        is_deal &= (np.bitwise_count(hand) == 13) | ~is_known_hand
        union |= hand
        known += is_known_hand
    # three of four would tell the fourth
    is_deal &= (np.bitwise_count(union) == 13 * known) & np.isin(known, (1, 2, 4))
    is_deal &= (union & ~np.uint64(FULL_DECK)) == 0
    is_known = np.ones(frame.height, np.bool_)
    for column in ("dealer", "vulnerability"):
        is_known &= frame[column].is_not_null().to_numpy()
    invalid = invalid_values(frame)
    # told where nothing else is wrong
    is_illegal = illegal_auctions(frame["auction"])
    is_right = ~(invalid.select(pl.any_horizontal(pl.all())).to_series().to_numpy() | is_illegal)
    bad = np.flatnonzero(~(is_deal & is_known & is_right)).tolist()
    rejects: list[tuple[str, int | None, str, str]] = []
    required = part.select(column for column in REQUIRED_COLUMNS if column in part.columns)
    for row in bad:
        values = required.row(row, named=True)
        given = ", ".join(f"{column}={values[column]!r}" for column in REQUIRED_COLUMNS)
        if not is_deal[row]:
            reason = "expected four disjoint hand masks of 13 cards"
        elif not is_known[row]:
            reason = "expected a dealer (N, E, S, W) and a vulnerability (None, NS, EW, Both)"
        elif column := next((column for column in VALUE_RULES if invalid[column][row]), ""):
            reason = f"expected {VALUE_RULES[column][0]} in column {column!r}"
            given = repr(frame[column].slice(row, 1).to_list()[0])
        else:
            reason = "expected legal calls in column 'auction'"
            given = format_calls(frame["auction"].slice(row, 1).to_list()[0])
        given = given[:QUOTED]
        rejects.append((name, first + row + 1, f"{reason}, got {given}", given))
    deals = frame.filter(pl.Series(is_deal & is_known & is_right)) if bad else frame
    return Batch(without_unknown_play(deals), reject_frame(rejects))
