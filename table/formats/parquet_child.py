"""The process that decodes a Parquet file of rows, for the one that started it.

``python -m bidcascade.table.formats.parquet_child`` reads lines of JSON, which file and whether it
may be told in columns, until its standard input is closed. It writes messages: a line of JSON each,
behind it the bytes of the arrays that it names; the last one of a file has no rows.
"""

import json
import os
import signal
import sys
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import CALL_TEXTS, InvalidCall, parse_call
from bidcascade.kernels.core.functions import number_lists
from bidcascade.kernels.types import I64, U8, U32
from bidcascade.loaders.parquet.parquet_child import DAMAGED, named_in_utf8, reason_of
from bidcascade.table.columns import offsets_of
from bidcascade.table.row import KEYS, LARGEST_COUNT, LARGEST_INDEX, LARGEST_RANK, LONGEST_AUCTION
from bidcascade.table.row_columns import Different, RowColumns

if TYPE_CHECKING:
    from io import BufferedReader


_ROWS: Final = 1 << 20
"""Most rows of a message."""
_LARGEST: Final = {"index": LARGEST_INDEX, "rank": LARGEST_RANK, "count": LARGEST_COUNT}
_LISTS: Final = ("criteria", "tags")
_CALLS: Final = pl.Enum(CALL_TEXTS)
"""Calls as they are written here: their numbers are their codes."""
_NO_CALL: Final = 255
_HEAD: Final = 1 << 16


class Uncommon(Exception):
    """Something that only single rows can say."""


def columns_of(frame: pl.DataFrame) -> RowColumns:
    """Make columns of rows.

    Raises
    ------
    Uncommon
        If they are not as :data:`.parquet.ROW_SCHEMA` has them.

    Examples
    --------
    >>> rows = columns_of(pl.DataFrame({"prior": [["1N"], ["1N", "P"]], "call": ["P", "2C"]}))
    >>> rows.auctions.tolist(), rows.lengths.tolist()
    ([7, 0, 7, 0, 8], [2, 3])
    """
    prior, last = frame["prior"], frame["call"]
    if prior.null_count() or last.null_count() or not isinstance(prior.dtype, pl.List):
        raise Uncommon
    lengths: I64 = prior.list.len().to_numpy().astype(np.int64)
    if int(lengths.max(initial=0)) >= LONGEST_AUCTION:
        raise Uncommon
    # each row's call stands behind its prior auction
    ends = np.cumsum(lengths + 1) - 1
    is_prior = np.ones(int(lengths.sum()) + len(lengths), np.bool_)
    is_prior[ends] = False
    auctions = np.empty(len(is_prior), np.uint8)
    auctions[ends] = _calls(last)
    # as it was decoded: long lists are not moved to stand in one piece
    auctions[is_prior] = np.concatenate([_calls(_elements(one)) for one in prior.get_chunks()])
    texts: dict[str, Different] = {}
    lists: dict[str, Different] = {}
    numbers: dict[str, tuple[U32, U32]] = {}
    for key in KEYS:
        if key in ("prior", "call") or key not in frame.columns:
            continue
        column = frame[key]
        if column.dtype == pl.Null:
            continue
        if key in _LARGEST:
            numbers[key] = _numbers(column, _LARGEST[key])
        elif key in _LISTS:
            lists[key] = _different_lists(column)
        else:
            texts[key] = Different(*_coded(column))
    return RowColumns(auctions, (lengths + 1).astype(np.uint16), texts, lists, numbers)


def _coded(column: pl.Series) -> tuple[U32, list[Any]]:
    """Give the number of each text and the texts; no text is the empty one."""
    codes, used, texts = _codes(column)
    numbers = np.zeros(int(codes.max(initial=0)) + 1, np.uint32)
    numbers[used] = np.arange(len(used), dtype=np.uint32)
    return numbers[codes], texts


def _codes(column: pl.Series) -> tuple[NDArray[Any], I64, list[Any]]:
    """Give a code for each text, the codes that are used, and their texts."""
    if column.dtype == pl.String:
        # kept apart from those of other columns, and gone with this one
        column = column.cast(pl.Categorical(pl.Categories.random()))
    elif not isinstance(column.dtype, (pl.Categorical, pl.Enum)):
        raise Uncommon
    coded = column.to_physical()
    if coded.null_count():
        # a number of its own, below the others
        coded = (coded.cast(pl.UInt32) + 1).fill_null(0)
    codes = coded.to_numpy()
    # not all texts of an enumeration are used, nor all that other columns of categories have
    is_used = np.zeros(int(codes.max(initial=0)) + 1, np.bool_)
    is_used[codes] = True
    used = np.flatnonzero(is_used)
    # nearly all texts stand in the first rows already
    head = codes[:_HEAD]
    place = np.full(len(is_used), -1, np.int64)
    place[head] = np.arange(len(head))
    is_used[head] = False
    late = np.flatnonzero(is_used[codes])
    place[codes[late]] = late
    return codes, used, column.gather(place[used]).cast(pl.String).fill_null("").to_list()


def _elements(column: pl.Series) -> pl.Series:
    """All elements of lists."""
    elements = column.explode(empty_as_null=False, keep_nulls=False)
    if elements.null_count():
        raise Uncommon
    return elements


def _calls(column: pl.Series) -> U8:
    """Codes of calls, of which none is null."""
    if column.dtype == pl.String:
        written = column.cast(_CALLS, strict=False)
        if not written.null_count():
            found: U8 = written.to_physical().to_numpy().astype(np.uint8, copy=False)
            return found
    # categories, or some are written in another way
    codes, used, texts = _codes(column)
    known = np.full(int(codes.max(initial=0)) + 1, _NO_CALL, np.uint8)
    for place, text in zip(used.tolist(), texts, strict=True):
        with suppress(InvalidCall):
            known[place] = parse_call(text)
    if (known[used] == _NO_CALL).any():
        raise Uncommon
    calls: U8 = known[codes]
    return calls


def _numbers(column: pl.Series, largest: int) -> tuple[U32, U32]:
    """Rows that have a number, and the numbers."""
    if not column.dtype.is_integer():
        raise Uncommon
    rows = column.is_not_null().arg_true().to_numpy().astype(np.uint32)
    values = column.drop_nulls().to_numpy()
    if len(values) and not (values.min() >= 0 and values.max() <= largest):
        raise Uncommon
    return rows, values.astype(np.uint32)


def _different_lists(column: pl.Series) -> Different:
    if not isinstance(column.dtype, pl.List):
        raise Uncommon
    lengths = column.list.len().fill_null(0).to_numpy()
    codes, texts = _coded(_elements(column))
    offsets = offsets_of(lengths, np.int64)
    numbers, firsts = number_lists(offsets, codes)
    return Different(
        numbers,
        [
            tuple(texts[code] for code in codes[offsets[row] : offsets[row + 1]].tolist())
            for row in firsts.tolist()
        ],
    )


def main() -> None:
    """Answer each line that comes in with the rows of a file."""
    # whoever is interrupted ends this process by closing its input
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # polars decodes eight groups of rows ahead, which are gigabytes where who asked is slower
    os.environ["POLARS_ROW_GROUP_PREFETCH_SIZE"] = "1"
    for line in sys.stdin:
        # who does not listen any more has ended
        with suppress(BrokenPipeError):
            _answer(**json.loads(line))


def _answer(path: str, *, in_columns: bool) -> None:
    try:
        with named_in_utf8(path) as named:
            scan = pl.scan_parquet(named, glob=False)
            _say({"names": scan.collect_schema().names()})
            for frame in scan.collect_batches(chunk_size=_ROWS, maintain_order=True):
                _tell(frame, in_columns=in_columns)
        _say({"rows": 0})
    except BrokenPipeError:
        raise
    except DAMAGED as error:
        _say({"damaged": reason_of(error)})


def _tell(frame: pl.DataFrame, *, in_columns: bool) -> None:
    if in_columns:
        with suppress(Uncommon):
            _say({"rows": frame.height}, columns_of(frame))
            return
    _say({"rows": frame.height})


def _say(message: dict[str, Any], rows: RowColumns | None = None) -> None:
    arrays: list[NDArray[Any]] = []
    if rows is not None:
        message |= {
            "texts": {key: one.values for key, one in rows.texts.items()},
            "lists": {key: one.values for key, one in rows.lists.items()},
            "numbers": [*rows.numbers],
        }
        arrays = [
            rows.auctions, rows.lengths, *(one.numbers for one in rows.texts.values()),
            *(one.numbers for one in rows.lists.values()), *chain(*rows.numbers.values()),
        ]  # fmt: skip
    message["arrays"] = [len(one) for one in arrays]
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    for one in arrays:
        sys.stdout.buffer.write(one.data)
    sys.stdout.buffer.flush()


def read_message(incoming: "BufferedReader") -> tuple[dict[str, Any], RowColumns | None] | None:
    """Read a message of this process, with the columns that it tells; None if it has ended.

    Parameters
    ----------
    incoming : binary file
        Its standard output.
    """
    line = incoming.readline()
    if not line.endswith(b"\n"):
        return None
    message: dict[str, Any] = json.loads(line)
    if not message["arrays"]:
        return message, None
    lengths = iter(message["arrays"])

    def array(kind: Any) -> NDArray[Any]:
        values = np.empty(next(lengths), kind)
        if incoming.readinto(values.view(np.uint8).data) != values.nbytes:
            raise EOFError
        return values

    try:
        rows = RowColumns(
            array(np.uint8),
            array(np.uint16),
            {key: Different(array(np.uint32), one) for key, one in message["texts"].items()},
            {
                key: Different(array(np.uint32), [tuple(each) for each in one])
                for key, one in message["lists"].items()
            },
            {key: (array(np.uint32), array(np.uint32)) for key in message["numbers"]},
        )
    except EOFError:
        return None
    return message, rows


if __name__ == "__main__":
    main()
