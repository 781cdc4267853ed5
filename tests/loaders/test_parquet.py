"""Deal frames in Parquet: round trip, foreign and damaged files, rows that are no deals."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.bridge import LAST_BID, InvalidInput, first_illegal_call
from bidcascade.loaders import (
    iter_deal_parquet,
    random_deals,
    read_deal_parquet,
    read_deals,
    read_lin,
    write_deal_parquet,
    write_lin,
    write_pbn,
    write_rbn,
)
from bidcascade.loaders.frames.frame import DEAL_SCHEMA, REQUIRED_COLUMNS
from bidcascade.loaders.parquet import parquet
from bidcascade.loaders.parquet.parquet import illegal_auctions
from tests.support.examples import examples
from tests.support.lin import GRAND_SLAM, played_boards


@pytest.mark.slow
@examples(25, 100)
@given(text=st.lists(played_boards(), max_size=3).map("".join))
def test_round_trip(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("parquet") / "deals.parquet"
    deals = read_lin(text.encode(), "a.lin").deals
    write_deal_parquet(deals, path)
    batch = read_deal_parquet(path)
    assert_frame_equal(batch.deals, deals)
    assert batch.rejects.is_empty()


def test_parts(tmp_path):
    path = tmp_path / "deals.parquet"
    deals = random_deals(7, seed=3)
    write_deal_parquet(deals, path)
    parts = list(iter_deal_parquet(path, "s", rows=3))
    assert [part.deals.height for part in parts] == [3, 3, 1]
    together = pl.concat([part.deals for part in parts])
    assert_frame_equal(together.select(REQUIRED_COLUMNS), deals.select(REQUIRED_COLUMNS))


def test_only_the_required_columns_are_needed(tmp_path):
    path = tmp_path / "few.parquet"
    deals = random_deals(5, seed=4).select(REQUIRED_COLUMNS)
    # dealer and vulnerability as plain text, masks signed, a column of somebody else
    foreign = deals.with_columns(
        pl.col("north").cast(pl.Int64), pl.col("dealer", "vulnerability").cast(pl.String), hcp=1
    )
    foreign.write_parquet(path)
    read = read_deal_parquet(path, "few").deals
    assert read.schema == DEAL_SCHEMA
    assert_frame_equal(read.select(REQUIRED_COLUMNS), deals)
    assert set(read["source"]) == {"few"}
    assert read["auction"].null_count() == 5


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("north", 0, "four disjoint hand masks"),
        ("north", None, "four disjoint hand masks"),
        ("east", (1 << 13) - 1, "four disjoint hand masks"),
        ("west", -1, "four disjoint hand masks"),
        ("south", 0x1FFF << 50, "four disjoint hand masks"),
        ("dealer", "Q", "expected a dealer"),
        ("dealer", None, "expected a dealer"),
        ("vulnerability", "All", "expected a dealer"),
    ],
)
def test_rows_that_are_no_deals_are_rejects(tmp_path, column, value, reason):
    path = tmp_path / "bad.parquet"
    deals = (
        random_deals(4, seed=5)
        .select(REQUIRED_COLUMNS)
        .with_columns(
            pl.col("north", "east", "south", "west").cast(pl.Int64),
            pl.col("dealer", "vulnerability").cast(pl.String),
        )
    )
    rows = deals.rows(named=True)
    rows[2][column] = value
    pl.DataFrame(rows, schema=deals.schema).write_parquet(path)
    batch = read_deal_parquet(path, "bad")
    assert batch.deals["north"].to_list() == [rows[n]["north"] for n in (0, 1, 3)]
    ((source, record, why, text),) = batch.rejects.rows()
    assert (source, record) == ("bad", 3)
    assert reason in why
    assert f"{column}={value!r}" in text


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("auction", [3, 38], "expected call codes of 0 to 37 in column 'auction', got [3, 38]"),
        ("auction", [3, None], "expected call codes of 0 to 37 in column 'auction', got [3, None]"),
        ("auction", [10, 5, 0, 0, 0], "expected legal calls in column 'auction', got 2H 1H P P P"),
        ("auction", [0] * 5, "expected legal calls in column 'auction', got P P P P P"),
        ("auction", [1], "expected legal calls in column 'auction', got X"),
        ("illegal_tail", [255, 99], "0 to 37, or 255 in column 'illegal_tail'"),
        ("announcements", ["a", "b"], "expected a text a call"),
        ("alerts", [True], "expected true or false a call"),
        ("play", [52], "expected cards of 0 to 51"),
        ("players", ["a"], "expected four names"),
        ("contract", "9Z", "expected a contract such as '4SX' in column 'contract', got '9Z'"),
        ("tricks", 14, "expected 0 to 13 in column 'tricks', got 14"),
    ],
)
def test_values_that_nothing_can_be_are_rejects(tmp_path, column, value, reason):
    path = tmp_path / "odd.parquet"
    deals = read_lin(f"md|{GRAND_SLAM}|pg||".encode() * 3, "a.lin").deals
    assert read_deal_parquet_of(path, deals).deals.height == 3
    is_second = pl.int_range(pl.len()) == 1
    values = {column: value}
    if column == "auction":
        values |= {"announcements": [""] * len(value), "alerts": [False] * len(value)}
    odd = {name: pl.lit(pl.Series([one], dtype=DEAL_SCHEMA[name])) for name, one in values.items()}
    batch = read_deal_parquet_of(
        path,
        deals.with_columns(
            pl.when(is_second).then(one.first()).otherwise(name).alias(name)
            for name, one in odd.items()
        ),
    )
    assert batch.deals["record"].to_list() == [1, 3]
    ((record, why),) = batch.rejects.select("record", "reason").rows()
    assert record == 2
    assert reason in why
    assert len(why.splitlines()) == 1


def test_a_null_name_or_remark_is_empty(tmp_path):
    deals = read_lin(f"md|{GRAND_SLAM}|pg||".encode() * 3, "a.lin").deals.with_columns(
        pl.Series("players", [["a", None, "c", "d"], None, [None] * 4], DEAL_SCHEMA["players"]),
        pl.Series("commentary", [[None, "x"], [], None], DEAL_SCHEMA["commentary"]),
    )
    batch = read_deal_parquet_of(tmp_path / "null.parquet", deals)
    assert batch.rejects.is_empty()
    assert batch.deals["players"].to_list() == [["a", "", "c", "d"], None, [""] * 4]
    assert batch.deals["commentary"].to_list() == [["", "x"], [], None]
    for write in (write_lin, write_pbn, write_rbn):
        write(batch.deals, tmp_path / "out")
        assert read_deals(tmp_path / "out").deals["commentary"].to_list()[0] == ["x"]


@given(
    st.lists(
        st.one_of(st.none(), st.lists(st.one_of(st.integers(0, 40), st.just(255)), max_size=6)),
        max_size=6,
    )
)
def test_illegal_auctions_as_the_definition_has_them(auctions):
    column = pl.Series(auctions, dtype=pl.List(pl.UInt8))
    found = illegal_auctions(column)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "has_core", lambda: False)
        assert illegal_auctions(column).tolist() == found.tolist()
    is_legal = [max(one or [0]) <= LAST_BID and _is_legal(one or []) for one in auctions]
    assert found.tolist() == [not legal for legal in is_legal]


def _is_legal(calls: list[int]) -> bool:
    return first_illegal_call(calls) is None


def read_deal_parquet_of(path, deals):
    deals.write_parquet(path)
    return read_deal_parquet(path)


def test_a_cut_off_file_is_refused_by_name(tmp_path):
    path = tmp_path / "cut.parquet"
    write_deal_parquet(random_deals(100, seed=6), path)
    whole = path.read_bytes()
    for size in (len(whole) - 1, len(whole) // 2, 8, 4):
        path.write_bytes(whole[:size])
        with pytest.raises(InvalidInput, match=r"cut\.parquet.*cut off"):
            read_deal_parquet(path)
    # the ends are right, what is between them is not
    path.write_bytes(whole[:40] + whole[-40:])
    with pytest.raises(InvalidInput, match=r"cannot read .*cut\.parquet as Parquet"):
        read_deal_parquet(path)


def test_foreign_files_are_refused_by_name(tmp_path):
    path = tmp_path / "foreign.parquet"
    path.write_bytes(b"north,east\n1,2\n")
    with pytest.raises(InvalidInput, match=r"expected a Parquet file, got b'nort'.*foreign"):
        read_deal_parquet(path)
    pl.DataFrame({"north": [1], "name": ["x"]}).write_parquet(path)
    with pytest.raises(InvalidInput, match=r"foreign\.parquet.*without columns \['east'"):
        read_deal_parquet(path)
    columns = {name: ["x"] for name in REQUIRED_COLUMNS}
    pl.DataFrame(columns).write_parquet(path)
    with pytest.raises(InvalidInput, match=r"integer hand masks in column 'north'"):
        read_deal_parquet(path)
    with pytest.raises(InvalidInput, match="cannot read"):
        read_deal_parquet(tmp_path / "missing.parquet")


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "deals.parquet"
    write_deal_parquet(random_deals(2, seed=7), path)
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="none named"):
        write_deal_parquet(pl.DataFrame({"north": [1]}), path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["deals.parquet"]
