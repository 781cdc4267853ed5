"""Tables of rows that go to the disk: what would be made in memory, bit for bit."""

import contextlib
import gc
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    CALL_TEXTS,
    BackendUnavailable,
    BidcascadeError,
    InvalidTable,
    UnknownTerm,
)
from bidcascade.kernels.core import functions
from bidcascade.systems import import_table
from bidcascade.table import BiddingTable, Row, TableBuilder, build_table
from bidcascade.table.building.trie import RowArrays
from bidcascade.table.formats.parquet import decoded_rows, write_parquet_rows
from bidcascade.table.formats.parquet_child import columns_of
from bidcascade.table.spilled import building
from bidcascade.table.spilled.sorted_runs import open_sorted_run, write_sorted_run
from tests.support.examples import examples, rows_in_check

# few calls, so that auctions meet, and enough to be illegal in every way
CALLS = st.sampled_from([0, 0, 0, 1, 2, 3, 4, 7, 37])
CRITERIA = st.sampled_from([(), ("HCP >= 12",), ("SL_S >= 5", "HCP <= 10"), ("Unheard_Of",)])
MADE_UP_ROWS = st.lists(
    st.builds(
        Row,
        st.binary(max_size=0) | st.lists(CALLS, max_size=12).map(bytes),
        CALLS,
        st.sampled_from(["", "5+ ♠", "8-10 HCP"]),
        CRITERIA,
        st.sampled_from([None, 0, 7]),
        st.sampled_from(["", "Stayman"]),
        st.sampled_from([None, None, 0, 1, 2]),
        st.sampled_from([(), ("Alert",), ("Forcing", "Alert")]),
        st.sampled_from(["", "sayc.bidding:31"]),
        st.sampled_from([None, 0, 12]),
        st.sampled_from(["", "note"]),
        st.none(),
    ),
    max_size=40,
)


def assert_same(made, in_memory):
    """Tables with their reports."""
    (table, report), (expected, expected_report) = made, in_memory
    assert table.columns.keys() == expected.columns.keys()
    for name, column in expected.columns.items():
        assert table.columns[name].dtype == column.dtype, name
        np.testing.assert_array_equal(table.columns[name], column, name)
    assert table.digest == expected.digest
    assert table.imported == expected.imported
    assert report == expected_report


@pytest.fixture(scope="module", params=[0, 1, 4, 30])
def small_parts(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "PART_ROWS", request.param)
        yield


@examples(25, 100)
@given(rows=MADE_UP_ROWS, rows_in_memory=st.integers(1, 30))
def test_the_table_is_that_of_memory(small_parts, rows, rows_in_memory):
    assert_same(
        build_table(rows, unknown="reject-entry", rows_in_memory=rows_in_memory),
        build_table(rows, unknown="reject-entry"),
    )


def long_auctions():
    """Auctions that share more calls than fit a word of the sort, in no order."""
    start = [code for bid in range(3, 15) for code in (bid, 0, 0)]
    rows = [Row(bytes(start[:length]), start[length]) for length in range(len(start))]
    rows += [Row(bytes(start), call) for call in range(15, 38)]
    rows += [Row(bytes([*start, call]), 0, str(call)) for call in range(37, 14, -1)]
    order = np.random.default_rng(1).permutation(3 * len(rows)) % len(rows)
    return [rows[number] for number in order]


@pytest.mark.parametrize("part_rows", [0, 10, 1000])
def test_long_auctions_and_repeated_ones(monkeypatch, part_rows):
    monkeypatch.setattr(building, "PART_ROWS", part_rows)
    rows = long_auctions()
    made = build_table(rows, rows_in_memory=50)
    assert_same(made, build_table(rows))
    assert made[1].findings["variants"].count == 2 * len(set(rows))


@examples(25, 100)
@given(rows=MADE_UP_ROWS)
def test_columns_of_a_parquet_file_say_what_its_rows_say(rows):
    options = {"unknown": "reject-entry", "source": "rows.parquet"}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_parquet_rows(rows, path)
        builder = TableBuilder(**options)
        builder.add(decoded_rows(path, 0, len(rows)))
        expected = builder.finish()
        for rows_in_memory in (5, 1000):
            with TableBuilder(rows_in_memory=rows_in_memory, **options) as builder:
                for piece in pl.read_parquet(path).iter_slices(7):
                    builder.add_columns(columns_of(piece))
                assert_same(builder.finish(), expected)


def test_a_parquet_file_in_other_types_and_groups(tmp_path):
    frame = pl.DataFrame(
        {
            "prior": ["", "1N", "1N-P", "1N P"], "call": ["1NT", "p", "2c", "2D"],
            "description": [None, "", "Stayman", None],
            "criteria": [["HCP >= 15"], None, [], ["SL_H >= 5"]], "rank": [0, None, 2, 1],
        },
        schema_overrides={"rank": pl.Int64, "call": pl.Categorical},
    )  # fmt: skip
    expected = build_table(frame.to_dicts())
    for lists in (False, True):
        if lists:
            calls = pl.col("prior").str.replace("-", " ").str.split(" ")
            frame = frame.with_columns(calls.list.filter(pl.element() != ""))
        for size in (1, 3, 4):
            frame.write_parquet(tmp_path / "rows.parquet", row_group_size=size)
            assert_same(import_table(tmp_path / "rows.parquet"), expected)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    rows_in_check(
        (0, 5),
        ("call", "8C", "row 3: expected a call"),
        ("call", None, "row 3: expected a call as text, got None"),
        ("prior", ["P", None], "row 3: expected a call as text, got None"),
        ("prior", ["P"] * 320, "row 3: expected an auction of at most 319 calls"),
        ("criteria", ["HCP >= 12", None], "row 3: expected a list of texts as criteria"),
        ("criteria", ["HCP >="], "row 3: "),
        ("rank", -1, "row 3: expected a whole number 0 to"),
    ),
)
def test_what_is_wrong_is_told_by_row(tmp_path, column, value, message):
    good = {"prior": ["P"], "call": "1C", "criteria": ["HCP >= 12"], "rank": 1}
    rows = [good, good, {**good, column: value}, good]
    pl.DataFrame(rows).write_parquet(tmp_path / "rows.parquet", row_group_size=2)
    with pytest.raises(ValueError, match=message):
        import_table(tmp_path / "rows.parquet")


def rows_of(auctions):
    return RowArrays(
        np.frombuffer(b"".join(auctions), np.uint8),
        np.cumsum([0, *map(len, auctions)]),
        np.arange(len(auctions), dtype=np.uint32),
        {"criteria": np.zeros(len(auctions), np.int32)},
    )


def test_a_run_is_sorted(tmp_path):
    write_sorted_run(rows_of([b"\7\0", b"\3", b"\7", b"\3"]), tmp_path / "run")
    run = open_sorted_run(tmp_path / "run")
    assert run.auctions.tobytes() == b"\3\3\7\7\0"
    assert run.offsets.tolist() == [0, 1, 2, 3, 5]
    assert run.read("number", 0, 4).tolist() == [1, 3, 2, 0]
    assert run.read("number", 1, 3).tolist() == [3, 2]


def cut_off(file):
    file.write_bytes(file.read_bytes()[:-1])


def change(file):
    file.write_bytes(file.read_bytes()[:-1] + b"\x7f")


@pytest.mark.parametrize(
    "damage", [Path.unlink, cut_off, change, lambda file: file.write_bytes(b"")]
)
@pytest.mark.parametrize("name", ["run.json", "auctions.npy", "number.npy"])
def test_a_damaged_run_is_refused(tmp_path, name, damage):
    write_sorted_run(rows_of([b"\7\0", b"\3"]), tmp_path / "run")
    damage(tmp_path / "run" / name)
    with pytest.raises(InvalidTable, match="as they were written"):
        open_sorted_run(tmp_path / "run")


def test_a_run_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InvalidTable, match="could not keep rows"):
        write_sorted_run(rows_of([b"\7"]), tmp_path / "file" / "run")
    with pytest.raises(InvalidTable, match="could not keep rows"):
        build_table([Row(b"", 7)] * 3, rows_in_memory=1, folder=tmp_path / "file")


def test_columns_are_taken_over_and_nothing_stays_behind(tmp_path):
    rows = [Row(bytes([call]), 0) for call in range(3, 38)]
    table, _ = build_table(rows, rows_in_memory=4, folder=tmp_path)
    (made,) = tmp_path.iterdir()
    assert not list(made.glob("run-*"))
    table.save(tmp_path / "saved")
    assert (tmp_path / "saved" / "call.npy").samefile(made / "call.npy")
    digest = table.digest
    del table
    gc.collect()
    assert [one.name for one in tmp_path.iterdir()] == ["saved"]
    opened = BiddingTable.open(tmp_path / "saved", verify=True)
    assert opened.digest == digest
    assert opened == build_table(rows)[0]


def test_nothing_stays_behind_an_error(tmp_path):
    rows = [Row(b"", 7, criteria=("Unheard_Of",))] * 9
    with pytest.raises(UnknownTerm):
        build_table(rows, rows_in_memory=2, folder=tmp_path)
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_rows_of_nine_items_stay_in_memory_or_are_refused():
    def augmented(number):
        return (number, [], (CALL_TEXTS[3 + number],), "", [], 0, False, (), 0)

    rows = [augmented(number) for number in range(5)]
    assert_same(build_table(rows, rows_in_memory=2), build_table(rows))
    with pytest.raises(InvalidTable, match="row 4: expected no row of nine items behind"):
        build_table([row[:5] for row in rows[:3]] + rows[3:], rows_in_memory=2)


@pytest.fixture
def no_core(monkeypatch):
    """Take the library away, as if none were found."""
    functions.function.cache_clear()
    monkeypatch.setattr(functions, "load", lambda: None)
    yield
    functions.function.cache_clear()


def test_a_parquet_file_is_read_without_the_core(tmp_path, request):
    rows = [Row(bytes([call]), 0, "", ("HCP >= 12",)) for call in range(3, 9)] * 2
    write_parquet_rows(rows, tmp_path / "rows.parquet")
    expected = import_table(tmp_path / "rows.parquet")
    request.getfixturevalue("no_core")
    assert_same(import_table(tmp_path / "rows.parquet"), expected)


def test_the_table_is_the_same_without_the_core(request):
    options = {"unknown": "reject-entry"}
    rows = [*long_auctions(), Row(b"", 8, criteria=("Unheard_Of",)), Row(b"\x08", 0)]
    rows += [Row(b"\x07\x00", 7), Row(b"", 1), Row(bytes(5), 7), Row(bytes(3), 0), Row(bytes(2), 0)]
    expected = build_table(rows, **options)
    assert all(expected[1].findings[kind].count for kind in ("rejected", "orphans", "variants"))
    request.getfixturevalue("no_core")
    assert_same(build_table(rows, **options), expected)


@pytest.mark.usefixtures("no_core")
def test_more_rows_than_the_memory_holds_want_the_core(tmp_path):
    with pytest.raises(BackendUnavailable, match="expected the core's library"):
        build_table([Row(b"", call) for call in range(9)], rows_in_memory=2, folder=tmp_path)
    gc.collect()
    assert not list(tmp_path.iterdir())


@examples(25, 100)
@given(st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_damaged_parquet_file_is_refused_or_read(changes):
    rows = [
        Row(bytes([3 + number]), 0, f"text {number}", ("HCP >= 12", "SL_S >= 5"), number)
        for number in range(20)
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.parquet"
        write_parquet_rows(rows, path)
        content = bytearray(path.read_bytes())
        for place, byte in changes:
            content[int(place * len(content))] = byte
        path.write_bytes(content)
        # damage within texts and numbers makes others of them: no file here has checksums
        with contextlib.suppress(BidcascadeError):
            table, report = import_table(path, format="parquet", unknown="drop")
            assert len(list(table.rows())) == report.rows - sum(
                report.findings[kind].count for kind in ("illegal_calls", "below_completed")
            )
