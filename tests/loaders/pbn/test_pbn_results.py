"""PBN with the results of several tables: score tables, auctions one after the other, exports."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.bridge import format_calls, format_card, parse_deal
from bidcascade.loaders import read_pbn
from bidcascade.loaders.frames.frame import HAND_COLUMNS
from bidcascade.loaders.pbn.pbn import read_pbn_text
from bidcascade.loaders.pbn.pbn_double_dummy import (
    DOUBLE_DUMMY_COLUMNS,
    double_dummy_columns,
    format_double_dummy_tricks,
    pbn_tags,
)
from tests.support.deals import possible
from tests.support.examples import examples

HANDS = "AKQJ.5432.432.32 5432.AKQJ.765.54 876.876.AKQJ.876 T9.T9.T98.AKQJT9"
DEAL = f'[Deal "N:{HANDS}"]\n'
HEADER = '[Event "Pairs"]\n[Board "2"]\n[Dealer "E"]\n[Vulnerable "NS"]\n' + DEAL


def read(text: str) -> tuple[pl.DataFrame, list[tuple[int, str]]]:
    deals, rejects = read_pbn(text.encode(), "t")
    records = sorted([*deals["record"], *rejects["record"]])
    assert records == list(range(1, len(records) + 1))
    (plain,) = read_pbn_text(text, source="t", plain=True)
    assert_frame_equal(plain.deals, deals)
    return deals, rejects.select("record", "reason").rows()


def scores(columns: str, *lines: str) -> tuple[pl.DataFrame, list[tuple[int, str]]]:
    """Rows of the lines of a score table, without the board's own, and the rejects."""
    table = f'[ScoreTable "{columns}"]\n' + "".join(f"{line}\n" for line in lines)
    deals, rejects = read(HEADER + table)
    assert deals.row(0, named=True)["auction_status"] == "none"
    return deals[1:], rejects


def test_a_line_is_the_same_deal_at_another_table():
    deals, rejects = read(
        HEADER
        + '[North "Kim"]\n[Contract "4S"]\n[Declarer "N"]\n[Result "9"]\n[Room "Open"]\n'
        + '[Auction "E"]\nPass Pass Pass 1S\nPass 4S AP\n'
        + '[ScoreTable "Section\\1L;PairId_NS\\2R;PairId_EW\\2R;Contract\\4L;Declarer\\1R;'
        + 'Result\\2R;Lead\\3L;Score_NS\\6R;Score_EW\\6R;MP_NS\\3R"]\n'
        + 'A  1 12 4SX  N 10 HA   "790"      - 4.0\n'
        + 'A  2 11 3NT  S  7 -        -  "200" 0.0\n'
        + "A  3 10 Pass -  - -        0      0 2.0\n"
        + '\n[Board "3"]\n'
        + DEAL
    )
    assert rejects == []
    assert deals["record"].to_list() == [1, 2, 3, 4, 5]
    assert deals["board"].to_list() == [2, 2, 2, 2, 3]
    assert deals["contract"].to_list() == ["4S", "4SX", "3N", "Pass", None]
    assert deals["declarer"].to_list() == ["N", "N", "S", None, None]
    assert deals["tricks"].to_list() == [9, 10, 7, None, None]
    assert deals["score"].to_list() == [-100, 790, -200, 0, None]
    assert deals["room"].to_list() == ["open", None, None, None, None]
    assert deals["players"].to_list() == [
        ["Kim", "", "", ""],
        *(["pair A1", "pair A12"] * 2, ["pair A2", "pair A11"] * 2, ["pair A3", "pair A10"] * 2),
        None,
    ]
    assert [format_card(card) for card in deals["play"][1]] == ["HA"]
    same = deals.select(*HAND_COLUMNS, "vulnerability", "dealer")[:4]
    assert same.n_unique() == 1
    assert set(deals["auction_status"][1:]) == {"none"}
    assert deals["event"].to_list() == ["Pairs"] * 4 + [None]


@pytest.mark.parametrize(
    ("given_as", "tricks"), [("10", 10), ("=", 9), ("+1", 10), ("-2", 7), ("-", None), ("", None)]
)
def test_results_as_tricks_and_against_the_contract(given_as, tricks):
    deals, _ = scores("Contract;Declarer;Result", f'3NT E "{given_as}"')
    assert deals["tricks"].to_list() == [tricks]


@pytest.mark.parametrize(
    ("north_south", "east_west", "score"),
    [
        ("420", "-", 420), ("-", "50", -50), ("-50", "-", -50), ("-50", "50", -50),
        ("0", "50", -50), ("0", "0", 0), ('"620"', '"0"', 620),
        ("-", "-", None), ("A6040", "A4060", None),
    ],
)  # fmt: skip
def test_scores(north_south, east_west, score):
    deals, rejects = scores("Score_NS;Score_EW;Contract", f"{north_south} {east_west} 4S")
    assert rejects == []
    assert deals["score"].to_list() == [score]


@pytest.mark.parametrize(
    ("columns", "line", "players"),
    [
        ("Names_NS;Names_EW", '"Kim A - Lee B" "Ann & Bob"', ["Kim A", "Ann", "Lee B", "Bob"]),
        ("Names_NS\\12;Names_EW", "Kim-Lee      Ann B - Bob", ["Kim", "Ann B", "Lee", "Bob"]),
        ("Names_NS", '"Smith-Jones & Fay"', ["Smith-Jones", "", "Fay", ""]),
        ("Names_NS", "Kim", ["Kim", "", "", ""]),
        ("North;East;South;West", "Kim - Lee ?", ["Kim", "", "Lee", ""]),
        ("PairId_NS;PairId_EW", "7 ???", ["pair 7", "", "pair 7", ""]),
        ("Table;Round", "1 2", None),
    ],
)
def test_players(columns, line, players):
    deals, rejects = scores(f"Contract;{columns}", f"4S {line}")
    assert rejects == []
    assert deals["players"].to_list() == [players]


def test_lines_that_are_no_results_are_rejects_and_lose_nothing_else():
    deals, rejects = scores(
        "Table\\1R;Contract;Score_NS\\6R",
        "1 - -",
        '2 "" "Bye"',
        "3 4S",
        "4 4S 420 extra",
        "5 NP A5050",
        "6 - 100",
        "7 4S 420",
    )
    neither = "expected a contract or a score in a line of ScoreTable, got"
    assert rejects == [
        (2, f"{neither} ''"), (3, f"{neither} ''"),
        (4, "expected 3 values in a line of ScoreTable, got 2"),
        (5, "expected 3 values in a line of ScoreTable, got 4"), (6, f"{neither} 'NP'"),
    ]  # fmt: skip
    assert deals.select("record", "contract", "score").rows() == [(7, None, 100), (8, "4S", 420)]


def test_lines_of_a_board_without_hands_are_rejects_too():
    text = '[Board "1"]\n[Deal "N:- - - -"]\n[ScoreTable "Contract"]\n4S\n3S\n\n' + HEADER
    deals, rejects = read(text)
    assert [record for record, _ in rejects] == [1, 2, 3]
    assert len({reason for _, reason in rejects}) == 1
    assert deals["record"].to_list() == [4]


def test_an_inherited_table_gives_its_columns_but_no_lines():
    text = (
        HEADER + '[ScoreTable "Contract;Score_NS"]\n4S 420\n\n'
        f'[Board "3"]\n{DEAL}[ScoreTable "#"]\n3S 140\n2S 110\n\n'
        f'[Board "4"]\n{DEAL}[ScoreTable "#"]\n'
    )
    deals, rejects = read(text)
    assert rejects == []
    assert deals["score"].to_list() == [None, 420, None, 140, 110, None]


def test_two_tables_of_scores_on_a_board():
    deals, rejects = read(
        HEADER + '[ScoreTable "Contract"]\n4S\n[ScoreTable "Contract"]\n3S\n'
        '[ScoreTable "Score_NS;Contract"]\n110 2S\n'
    )
    assert rejects == []
    assert deals["contract"].to_list() == [None, "4S", "3S", "2S"]


def test_ranks_of_an_event_are_no_results():
    deals, rejects = read(
        HEADER + '[TotalScoreTable "Rank;PairId;Names"]\n1 7 "Kim - Lee"\n'
        '[InstantScoreTable "Score_NS;MP_NS"]\n420 10\n'
    )
    assert (deals.height, rejects) == (1, [])


def test_tags_are_found_by_the_number_of_their_record():
    text = HEADER + '[ScoreTable "Contract"]\n4S\n3S\n\nforeign\n\n[Board "3"]\n[Site "x"]\n' + DEAL
    deals, rejects = read(text)
    assert [record for record, _ in rejects] == [2]
    found = deals.join(pbn_tags(text.encode(), ["Site"]), on="record", how="left")
    assert found.select("board", "Site").row(-1) == (3, "x")


def test_auctions_of_several_tables_one_behind_the_other():
    deals, rejects = read(
        HEADER
        + '[North "Kim"]\n[Auction "E"]\nPass Pass Pass 1S\nAP\n[Contract "1S"]\n[Declarer "N"]\n'
        '[Result "8"]\n[North "Lee"]\n[Auction "E"]\nPass Pass Pass 1NT\nAP\n'
        '[Auction "E"]\nAP\n\n[Board "3"]\n' + DEAL
    )
    assert rejects == []
    assert deals["board"].to_list() == [2, 2, 2, 3]
    assert [format_calls(calls) for calls in deals["auction"]] == [
        "P P P 1S P P P",
        "P P P 1N P P P",
        "P P P P",
        "",
    ]
    assert deals["players"].to_list() == [["Kim", "", "", ""], ["Lee", "", "", ""], None, None]


@pytest.mark.parametrize("sign", [";", "{", "{}", "%", "[", '[Board "9"]'])
def test_what_stands_in_quotes_is_text(sign):
    name = sign.replace('"', '\\"')
    deals, rejects = scores(
        "Rank;Names_NS;Contract;Declarer;Result",
        f'1 "North {name} - South {name}" 3NT N 10',
        '2 "Kim - Lee" 2D N 11 ; a comment',
        # a quote that is not closed ends with the line
        f'3 "{name} - x 2D',
    )
    assert deals["contract"].to_list() == ["3N", "2D"]
    if '"' not in sign:
        players = [f"North {sign}", "", f"South {sign}", ""]
        assert deals["players"].to_list() == [players, ["Kim", "", "Lee", ""]]
    assert deals["commentary"].to_list() == [[], []]
    assert len(rejects) == 1


def test_comments_behind_a_table_are_comments():
    text = HEADER + '[ScoreTable "Contract"]\n4S "\n\n{a "; comment}\n; and "another\n\n' + DEAL
    deals, _ = read(text)
    assert deals["commentary"].to_list()[0] == ['a "; comment', 'and "another']


def test_a_line_that_counts_for_several_tables():
    deals, rejects = scores(
        "Contract;Declarer;Result;Multiplicity", "4S N = 3", "4S N +1 1", "4S N 9 x"
    )
    assert rejects == []
    told = "reader: expected one table in Multiplicity, got '{}'"
    assert deals["commentary"].to_list() == [[told.format(3)], [], [told.format("x")]]
    assert deals["tricks"].to_list() == [10, 11, 9]


def test_an_export_with_tags_of_its_own():
    """The tags that results pages of clubs add to a deal: analysis, par, ability to take tricks."""
    hands = np.array(parse_deal(f"N:{HANDS}").hands, np.uint64).reshape(4, 1)
    tricks = possible(np.full((1, 20), 6), hands)[0].tolist()
    digits = format_double_dummy_tricks(tricks)
    text = (
        "% PBN 2.1\r\n% EXPORT\r\n%Creator: a club\r\n"
        + HEADER.replace("\n", "\r\n")
        + '[Scoring "MP"]\r\n[Declarer ""]\r\n[Contract ""]\r\n[Result ""]\r\n'
        + f'[Ability "N:66666 E:66666 S:66666 W:66666"]\r\n[DoubleDummyTricks "{digits}"]\r\n'
        + '[Minimax "1NTN-50"]\r\n[OptimumScore "EW 50"]\r\n'
        + '[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]\r\n'
        + "".join(
            f"{seat} {strain.replace('N', 'NT')} {tricks[5 * place + code]}\r\n"
            for place, seat in enumerate("NESW")
            for code, strain in enumerate("CDHSN")
        )
        + '[ScoreTable "PairId_NS\\2R;PairId_EW\\2R;Contract\\6L;Declarer\\1R;Result\\2R"]\r\n'
        + " 7  8 4H     N 11\r\n 9 12 3NT    N  8\r\n\r\n"
    )
    deals, rejects = read(text)
    assert rejects == []
    assert deals["contract"].to_list() == [None, "4H", "3N"]
    assert deals["score"].to_list() == [None, 650, -100]
    results, unread = double_dummy_columns(text.encode())
    assert unread == 0
    assert results.select(DOUBLE_DUMMY_COLUMNS).rows() == [tuple(tricks)]


@pytest.mark.parametrize("piece", ['"x\\" ', '" ', "- ", "\\", '"\\', "a  "])
def test_a_long_line_costs_time_in_proportion(piece):
    deals, rejects = scores(
        "Contract;Names_NS;Names_EW", f"4S {piece * 100_000}", f'4S "{piece * 50_000}'
    )
    assert deals.height + len(rejects) == 2


LINES = st.lists(
    st.text(st.sampled_from('4SNT-X "\\9?='), max_size=12) | st.text(max_size=12), max_size=5
)


@examples(100)
@given(st.text(st.sampled_from("Contract;Score_NS\\3RLNames?"), max_size=40) | st.text(), LINES)
def test_any_table_gives_results_or_rejects(columns, lines):
    header = columns.replace('"', "").replace("\n", "")
    text = HEADER + f'[ScoreTable "{header}"]\n' + "\n".join(lines)
    (batch,) = read_pbn_text(text)
    records = [*batch.deals["record"], *batch.rejects["record"]]
    assert sorted(records) == list(range(1, len(records) + 1))
