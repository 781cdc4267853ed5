"""PBN with all that is known of boards: systems, double-dummy tables and par beside the frame."""

import io

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidcascade.inference.double_dummy.par import par_results
from bidcascade.loaders import random_deals, read_pbn, write_pbn
from bidcascade.loaders.pbn.pbn_double_dummy import (
    BID_SYSTEMS_COLUMN,
    DOUBLE_DUMMY_COLUMNS,
    PAR_COLUMN,
    bid_system_column,
    double_dummy_columns,
    format_optimum_result_table,
    parse_optimum_result_table,
)
from bidcascade.loaders.pbn.pbn_travellers import with_score_tables


def written(frame):
    with io.StringIO() as text:
        write_pbn(frame, text)
        return text.getvalue()


# a letter with which UTF-8 that was encoded twice may begin is repaired when it is read
LEADS = [*map(chr, range(0xC2, 0xF5))]
names = st.text(
    st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters=LEADS), max_size=12
)


@given(st.lists(st.none() | st.tuples(names, names), min_size=1, max_size=4))
def test_systems_read_back(systems):
    frame = random_deals(len(systems), seed=1).with_columns(
        pl.Series(BID_SYSTEMS_COLUMN, systems, dtype=pl.List(pl.String))
    )
    data = written(frame).encode()
    told = bid_system_column(data)[BID_SYSTEMS_COLUMN].to_list()
    assert [one or ["", ""] for one in told] == [[*(one or ("", ""))] for one in systems]
    # the deals are those that are read without them
    assert read_pbn(data).deals.equals(
        read_pbn(written(random_deals(len(systems), 1)).encode()).deals
    )


@given(st.lists(st.integers(0, 13), min_size=20, max_size=20))
def test_result_tables_read_back(tricks):
    rows = format_optimum_result_table(tricks)
    assert len(rows) == 20
    assert parse_optimum_result_table("\n".join(rows)) == tuple(tricks)


@settings(max_examples=20)
@given(st.data())
def test_tables_and_par_read_back(data):
    deals = random_deals(3, seed=2)
    side = st.lists(st.integers(0, 13), min_size=5, max_size=5)
    tables = [
        [*own, *(13 - one for one in own)] * 2 if data.draw(st.booleans()) else [None] * 20
        for own in (data.draw(side) for _ in range(3))
    ]
    known = np.array([[0 if one is None else one for one in row] for row in tables])
    scores = par_results(known, 0, 0)[0].tolist()
    frame = deals.with_columns(
        *(
            pl.Series(name, [row[at] for row in tables], dtype=pl.UInt8)
            for at, name in enumerate(DOUBLE_DUMMY_COLUMNS)
        ),
        pl.Series(
            PAR_COLUMN,
            [None if row[0] is None else score for row, score in zip(tables, scores, strict=True)],
            dtype=pl.Int16,
        ),
    )
    text = written(frame)
    found, _ = double_dummy_columns(text.encode())
    assert found[PAR_COLUMN].equals(frame[PAR_COLUMN])
    for number, row in enumerate(tables):
        told = list(found.row(number)[1:21])
        # what cannot be with these cards is not believed, and stands there all the same
        assert told == row or told[0] is None
    assert text.count("[OptimumResultTable") == sum(row[0] is not None for row in tables)


def test_tags_stand_in_the_order_of_an_export():
    frame = random_deals(1, seed=1).with_columns(
        pl.Series(BID_SYSTEMS_COLUMN, [["Acol", 'two "over" one']]),
        *(pl.lit(6, pl.UInt8).alias(name) for name in DOUBLE_DUMMY_COLUMNS),
        pl.lit(0, pl.Int16).alias(PAR_COLUMN),
    )
    text = written(frame)
    tags = [line[1:].split(" ")[0] for line in text.splitlines() if line.startswith("[")]
    assert tags == [
        "Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable",
        "Deal", "Scoring", "Declarer", "Contract", "Result", "BidSystemNS", "BidSystemEW",
        "DoubleDummyTricks", "OptimumResultTable", "OptimumScore",
    ]  # fmt: skip
    assert '[BidSystemEW "two \\"over\\" one"]' in text
    assert r'[OptimumResultTable "Declarer;Denomination\2R;Result\2R"]' in text


def test_frames_without_these_columns_are_written_as_before():
    text = written(random_deals(2, seed=1))
    for name in ("BidSystem", "Optimum", "DoubleDummy"):
        assert name not in text


@pytest.mark.parametrize("tags", ['[BidSystemNS "#"]', '[BidSystemEW ""]', ""])
def test_games_that_name_no_system(tags):
    told = bid_system_column(f'[Board "1"]\n{tags}\n'.encode())
    assert told[BID_SYSTEMS_COLUMN].to_list() == [None]


TRAVELLER = r"""[Board "3"]
[Dealer "S"]
[Vulnerable "EW"]
[Deal "N:AK52.QJ4.T98.K32 QJT.AK2.AK2.QJT9 9876.T98.QJ4.A54 43.7653.7653.876"]
[West "Wim"]
[North "Nel"]
[East "Ed"]
[South "Sam"]
[Contract "1NT"]
[Declarer "E"]
[Result "7"]
[ScoreTable "Names_NS;Names_EW;Contract\4L;Declarer;Result\2R;Score_NS\5R"]
"Ann - Bob" "Cy D. - Dee" 3NTX E  9  -950
- - 2H   N  6  -100
- - Pass -  -     0
- - -    -  -   120
[Room "Open"]
"""
UNLIKE = ("source", "record", "encoding")


def test_tables_of_a_deal_are_lines_below_it():
    deals = read_pbn(TRAVELLER.encode()).deals
    assert deals.height == 5
    frame = with_score_tables(deals)
    assert frame.height == 1
    text = written(frame)
    assert '"Ann - Bob" "Cy D. - Dee" 3NTX E  9  -950' in text
    again = read_pbn(text.encode())
    assert not again.rejects.height
    assert again.deals.drop(UNLIKE).equals(deals.drop(UNLIKE))


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("auction", [[], [0, 0, 0, 0]], dtype=pl.List(pl.UInt8)),
        pl.Series("play", [[], [3]], dtype=pl.List(pl.UInt8)),
        pl.Series("commentary", [[], ["well done"]]),
        pl.Series("players", [[""] * 4, ["Ann-Lise", "B", "C", "D"]]),
        pl.Series("players", [[""] * 4, ['"Ann"', "B", "C", "D"]]),
        pl.Series("players", [[""] * 4, ["Ann", "", "", ""]]),
        pl.Series("board", [1, 2], dtype=pl.Int32),
        pl.Series("contract", [None, None], dtype=pl.String),
    ],
)
def test_rows_that_no_line_holds_stay_rows(column):
    one = random_deals(1, seed=1).with_columns(contract=pl.lit("1N"), declarer=pl.lit("N"))
    frame = pl.concat([one, one]).with_columns(column)
    assert with_score_tables(frame).height == 2


def test_rows_of_other_deals_stay_rows():
    frame = random_deals(3, seed=1).with_columns(contract=pl.lit("1N"), declarer=pl.lit("N"))
    assert with_score_tables(frame).height == 3
    assert "ScoreTable" not in written(with_score_tables(frame))


@pytest.mark.real_data
def test_systems_of_real_files_are_read_and_written_again(shared_data):
    named = files = 0
    for path in sorted((shared_data / "pbn").rglob("*.pbn")):
        data = path.read_bytes()
        told = bid_system_column(data).drop_nulls()
        if told.is_empty():
            continue
        frame = read_pbn(data, source=path.name).deals.join(told, on="record", how="inner")
        again = bid_system_column(written(frame).encode())[BID_SYSTEMS_COLUMN]
        assert again.to_list() == frame[BID_SYSTEMS_COLUMN].to_list(), path.name
        files += 1
        named += len(frame)
    assert files == 19
    assert named == 4017
