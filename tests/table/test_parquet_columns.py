"""Parquet rows as columns: what single rows say, from another process, whose end is told."""

import os
import random
import sys
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import CALL_TEXTS, InvalidTable
from bidcascade.kernels.core.functions import has_core
from bidcascade.kernels.machine import child_processes
from bidcascade.loaders.parquet import parquet_decoder
from bidcascade.loaders.parquet.parquet_decoder import Decoders
from bidcascade.table.formats import parquet_child, parquet_columns
from bidcascade.table.formats.parquet import ROW_SCHEMA
from bidcascade.table.formats.parquet_child import Uncommon, columns_of
from bidcascade.table.formats.parquet_columns import read_parquet_columns, read_parquet_rows
from bidcascade.table.row import Row, row_of
from bidcascade.table.row_columns import RowColumns
from tests.support.examples import examples

pytestmark = pytest.mark.skipif(not has_core(), reason="needs the core's library")

CALLS = st.sampled_from(CALL_TEXTS)
TEXTS = st.sampled_from(["", "Stayman", "a text of more than twelve bytes", "tört"])
EXPRESSIONS = st.sampled_from(["HCP >= 15", "SL_H >= 5", "Balanced", "20 <= HCP <= 22"])
NUMBERS = st.none() | st.integers(0, 1000)
ROWS = st.fixed_dictionaries({
    "index": NUMBERS, "prior": st.lists(CALLS, max_size=9), "call": CALLS,
    "name": st.none() | TEXTS, "description": st.none() | TEXTS,
    "criteria": st.none() | st.lists(EXPRESSIONS, max_size=3),
    "rank": NUMBERS, "tags": st.none() | st.lists(TEXTS.filter(bool), max_size=2),
    "where": st.none() | TEXTS, "count": NUMBERS, "source": st.none() | TEXTS,
})  # fmt: skip


def rows_in(columns: RowColumns) -> list[Row]:
    """Single rows that columns tell."""
    found, begin = [], 0
    numbers = {
        name: dict(zip(rows.tolist(), values.tolist(), strict=True))
        for name, (rows, values) in columns.numbers.items()
    }
    for place, length in enumerate(columns.lengths.tolist()):
        calls = columns.auctions[begin : begin + length].tobytes()
        begin += length
        said = {
            name: one.values[one.numbers[place]]
            for name, one in {**columns.texts, **columns.lists}.items()
        }
        said |= {name: known[place] for name, known in numbers.items() if place in known}
        said["source_index"] = said.pop("index", None)
        found.append(Row(calls[:-1], calls[-1], **said))
    return found


def expected(frame: pl.DataFrame) -> list[Row]:
    return [row_of(values, "row") for values in frame.to_dicts()]


TEXT = pl.Categorical()
CATEGORIES = {
    "call": TEXT,
    "description": TEXT,
    "where": TEXT,
    "prior": pl.List(TEXT),
    "criteria": pl.List(TEXT),
}
WRITTEN = {
    "texts": {},
    "categories": CATEGORIES,
    "enumerations": {
        "call": pl.Enum([*CALL_TEXTS, "no call"]),
        "prior": pl.List(pl.Enum(CALL_TEXTS[::-1])),
    },
    "narrow numbers": {"index": pl.UInt16(), "rank": pl.Int64(), "count": pl.Int32()},
}


@pytest.mark.parametrize("written", WRITTEN)
@examples(25, 100)
@given(rows=st.lists(ROWS, max_size=12))
def test_columns_say_what_single_rows_say(rows, written):
    frame = pl.DataFrame(rows, schema=ROW_SCHEMA)
    assert rows_in(columns_of(frame.cast(WRITTEN[written]))) == expected(frame)


@examples(25, 100)
@given(rows=st.lists(ROWS, max_size=12), cuts=st.lists(st.integers(0, 12), max_size=3))
def test_columns_of_rows_decoded_in_pieces(rows, cuts):
    frame = pl.DataFrame(rows, schema=ROW_SCHEMA)
    bounds = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    pieces = [frame[start:end] for start, end in pairwise(bounds)]
    assert rows_in(columns_of(pl.concat(pieces, rechunk=False))) == expected(frame)


def test_a_text_that_stands_late_only(monkeypatch):
    monkeypatch.setattr(parquet_child, "_HEAD", 2)
    frame = pl.DataFrame({
        "prior": [["1N"], ["1N"], ["1N", "P", "2C"]], "call": ["P", "P", "X"],
        "description": ["a", None, "b"], "where": [None, None, None],
    }, schema_overrides={"where": pl.String})  # fmt: skip
    assert rows_in(
        columns_of(frame.cast({name: CATEGORIES[name] for name in frame.columns}))
    ) == expected(frame)
    assert rows_in(columns_of(frame)) == expected(frame)


def test_calls_written_in_another_way():
    frame = pl.DataFrame({"prior": [["1NT", "pass"], ["P"]], "call": ["2c", "Double"]})
    assert rows_in(columns_of(frame)) == expected(frame)


@pytest.mark.parametrize(
    "column",
    [
        pl.lit("1N-P").alias("prior"),
        pl.lit(None, pl.List(pl.String)).alias("prior"),
        pl.lit(["1N", None]).alias("prior"),
        pl.lit(["8N"]).alias("prior"),
        pl.lit(["P"] * 600).alias("prior"),
        pl.lit("no call").alias("call"),
        pl.lit(None, pl.String).alias("call"),
        pl.lit(7).alias("call"),
        pl.lit(b"1N").alias("description"),
        pl.lit(1.5).alias("index"),
        pl.lit(-1).alias("rank"),
        pl.lit(1 << 40).alias("count"),
        pl.lit("HCP >= 15").alias("criteria"),
        pl.lit(["HCP >= 15", None]).alias("criteria"),
        pl.lit(["a", None]).alias("tags"),
    ],
)
def test_what_is_not_as_usual_is_left_to_single_rows(column):
    rows = pl.DataFrame({"prior": [["1N"], []], "call": ["P", "1N"]})
    with pytest.raises(Uncommon):
        columns_of(rows.with_columns(column))


def some_rows(count):
    return pl.DataFrame(
        {
            "prior": [["1N", "P"][: place % 3] for place in range(count)],
            "call": [CALL_TEXTS[8 + place % 20] for place in range(count)],
            "description": [f"a description of row {place}" for place in range(count)],
            "criteria": [["HCP >= 15"] * (place % 3) for place in range(count)],
        }
    )


def test_rows_of_which_some_are_uncommon(tmp_path):
    """They are read here, from where the batches that were told in columns end."""
    path = tmp_path / "rows.parquet"
    frame = some_rows(1000)
    frame.with_columns(
        pl.when(pl.int_range(pl.len()) == 700)
        .then(pl.lit(["1N", None]))
        .otherwise("prior")
        .alias("prior")
    ).write_parquet(path)
    (rows,) = read_parquet_columns(path)
    assert not isinstance(rows, RowColumns)
    with pytest.raises(InvalidTable, match=r"rows\.parquet, row 701: expected"):
        list(rows)
    frame.write_parquet(path)
    assert [*read_parquet_rows(path)] == expected(frame)
    (columns,) = read_parquet_columns(path)
    assert rows_in(columns) == expected(frame)


@pytest.mark.parametrize("read", [read_parquet_columns, read_parquet_rows])
def test_damaged_files_cost_an_error_at_most(tmp_path, read):
    path = tmp_path / "rows.parquet"
    some_rows(500).write_parquet(path, compression="uncompressed")
    whole = path.read_bytes()
    chance = random.Random(1)
    refused = 0
    for changes in (1, 1, 30, 30, 3000):
        content = bytearray(whole)
        for _ in range(changes):
            content[chance.randrange(len(content))] ^= chance.randrange(1, 256)
        path.write_bytes(content)
        try:
            list(read(path))
        except InvalidTable:
            refused += 1
    assert refused


def test_a_process_that_ends_is_told(tmp_path, monkeypatch):
    path = tmp_path / "rows.parquet"
    some_rows(3).write_parquet(path)
    # one that says nothing and ends
    monkeypatch.setattr(parquet_columns, "_decoders", Decoders("bidcascade.service.cli"))
    with pytest.raises(InvalidTable, match=r"rows\.parquet: .* process that decoded it ended with"):
        list(read_parquet_columns(path))


def test_the_process_ends_with_who_asked(tmp_path, monkeypatch):
    path = tmp_path / "rows.parquet"
    some_rows(3).write_parquet(path)
    parquet_columns._decoders.end()
    started = []

    def start(*arguments, **options):
        started.append(child_processes.start_module(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(parquet_decoder, "start_module", start)
    reading = read_parquet_columns(path)
    next(reading)
    assert started[0].poll() is None
    reading.close()
    assert started[0].poll() is not None
    # who has heard all leaves it to the next one
    for _ in range(2):
        list(read_parquet_columns(path))
    assert len(started) == 2
    parquet_columns._decoders.end()
    assert started[1].poll() is not None


def test_a_kept_process_that_was_killed_is_replaced(tmp_path):
    path = tmp_path / "rows.parquet"
    some_rows(3).write_parquet(path)
    list(read_parquet_columns(path))
    kept = parquet_columns._decoders._kept
    kept.process.kill()
    kept.process.wait()
    (rows,) = read_parquet_columns(path)
    assert len(rows.lengths) == 3


@pytest.mark.skipif(sys.platform == "darwin", reason="names are UTF-8 there")
def test_a_name_that_is_no_utf8(tmp_path):
    path = tmp_path / os.fsdecode(b"rows-\xff.parquet")
    frame = some_rows(3)
    with path.open("wb") as file:
        frame.write_parquet(file)
    (columns,) = read_parquet_columns(path)
    assert rows_in(columns) == expected(frame)
    assert [*read_parquet_rows(path)] == expected(frame)


def test_two_files_are_read_side_by_side(tmp_path):
    path, other = tmp_path / "rows.parquet", tmp_path / "other.parquet"
    some_rows(3).write_parquet(path)
    some_rows(5).write_parquet(other)
    reading = read_parquet_columns(path)
    assert len(next(reading).lengths) == 3
    assert [len(rows.lengths) for rows in read_parquet_columns(other)] == [5]
    assert not list(reading)
