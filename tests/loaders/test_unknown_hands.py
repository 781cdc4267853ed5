"""Deals with two or three unknown hands: read, kept, written, and refused where all count."""

import io
from urllib.parse import quote

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidDeal, InvalidInput, format_hand, format_hand_bbo, parse_hand
from bidcascade.loaders import (
    HAND_COLUMNS,
    deal_arrays,
    format_handviewer,
    iter_deals,
    parse_deal_line,
    play_disagrees,
    random_deals,
    read_deal_parquet,
    read_deals,
    read_hand_text,
    read_handviewer,
    read_lin,
    whole_deals,
    write_deal_parquet,
    write_lin,
    write_pbn,
    write_rbn,
)
from bidcascade.loaders.frames.frame import reader_remarks
from bidcascade.loaders.lin.lin_reference import read_lin_reference
from tests.support.examples import examples

HANDS = ["AQT9864.542.J.T8", "K73.T6.AQT4.J962", "J5.KQ93.K852.Q43", "2.AJ87.9763.AK75"]
QUIZ = f"N:{HANDS[0]} - {HANDS[2]} -"
NORTH, EAST, SOUTH, WEST = (format_hand_bbo(parse_hand(hand)) for hand in HANDS)
LIN_QUIZ = f"md|3{SOUTH},,{NORTH},|"
NOT_FOLLOWED = "reader: expected four known hands to follow the cards played, got "


def pbn(deal, more=""):
    return f'[Board "1"]\n[Dealer "N"]\n[Deal "{deal}"]\n{more}\n'.encode()


def texts(deals, row=0):
    masks = [deals[name][row] for name in HAND_COLUMNS]
    return ["-" if mask is None else format_hand(mask) for mask in masks]


@pytest.mark.parametrize(
    ("deal", "hands"),
    [
        (QUIZ, [HANDS[0], "-", HANDS[2], "-"]),
        (f"E:{HANDS[1]} - ... {HANDS[0]}", [HANDS[0], HANDS[1], "-", "-"]),
        (f"W:- - {HANDS[1]} -", ["-", HANDS[1], "-", "-"]),
        # a single unknown hand gets the other cards
        (f"N:{HANDS[0]} {HANDS[1]} - {HANDS[3]}", HANDS),
    ],
)
def test_unknown_hands_are_null(deal, hands):
    for data in (pbn(deal), f"{deal}\n".encode(), f'[Deal "{deal}"]\n'.encode()):
        batch = read_deals(data)
        assert texts(batch.deals) == hands
        assert not batch.rejects.height


@pytest.mark.parametrize(
    ("value", "hands"),
    [
        (f"{SOUTH},,{NORTH},", [HANDS[0], "-", HANDS[2], "-"]),
        (f"{SOUTH},SHDC, {NORTH} ,S-H-D-C-", [HANDS[0], "-", HANDS[2], "-"]),
        (f",{WEST},,{EAST}", ["-", HANDS[1], "-", HANDS[3]]),
        (f",,{NORTH},", [HANDS[0], "-", "-", "-"]),
        (f"{SOUTH},{WEST}", ["-", "-", HANDS[2], HANDS[3]]),
        (SOUTH, ["-", "-", HANDS[2], "-"]),
        # three known hands tell the fourth
        (f"{SOUTH},{WEST},,{EAST}", HANDS),
    ],
)
def test_unknown_hands_of_lin_are_null(value, hands):
    lin = f"qx|o7|md|4{value}|sv|e|mb|p|"
    link = f"https://example.org/v?lin={quote(lin)}"
    for batch in (read_lin(lin.encode()), read_lin_reference(lin), read_handviewer(link)):
        assert texts(batch.deals) == hands
        assert batch.deals.select("dealer", "vulnerability", "board").row(0) == ("E", "EW", 7)
        assert not batch.rejects.height


def test_unknown_hands_of_a_link_are_null():
    row = read_handviewer(f"https://example.org/v?n={NORTH}&s={SOUTH}&d=e&a=p1s").deals
    assert texts(row) == [HANDS[0], "-", HANDS[2], "-"]
    assert row["auction"].to_list() == [[0, 6]]


@pytest.mark.parametrize(
    ("line", "hands"),
    [
        (f"3{SOUTH},,{NORTH},", [HANDS[0], "-", HANDS[2], "-"]),
        (f"md|3,,{NORTH}|", [HANDS[0], "-", "-", "-"]),
    ],
)
def test_unknown_hands_of_lin_in_hand_text_are_null(line, hands):
    batch = read_hand_text(f"N:{' '.join(HANDS)}\n{line}\n".encode())
    assert texts(batch.deals, 1) == hands
    assert batch.deals["dealer"].to_list() == ["N", "N"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("3,,,", "expected a known hand, got four unknown ones in '3,,,'"),
        ("3SHDC,,,", "expected a known hand, got four unknown ones"),
        (f"3{SOUTH},,{SOUTH},", "is in two hands"),
        (f"3{SOUTH}A,,,", "expected 13 cards, got 14 in South's hand"),
        ("3SAK,,,", "expected 13 cards, got 2 in South's hand 'SAK'"),
    ],
)
def test_what_is_no_hand_of_lin_is_a_reject(value, reason):
    batches = (read_lin(f"md|{value}|".encode()), read_lin_reference(f"md|{value}|"))
    for batch in batches:
        assert not batch.deals.height
    assert batches[0].rejects.equals(batches[1].rejects)
    assert reason in batches[0].rejects["reason"][0]


@pytest.mark.parametrize(
    ("deal", "reason"),
    [
        ("N:- - - -", "expected a known hand, got four unknown ones"),
        (f"N:{HANDS[0]} - {HANDS[0]} -", "in two"),
        (f"N:{HANDS[0]}2 - - -", "14"),
        ("N:AKQ1.5432.432.32 - - -", "'1'"),
    ],
)
def test_what_is_no_hand_is_a_reject(deal, reason):
    with pytest.raises(InvalidInput, match=reason):
        read_deals(pbn(deal))


def test_what_does_not_need_hands_is_kept():
    more = (
        '[Declarer "N"]\n[Contract "4S"]\n[Result "10"]\n[Vulnerable "None"]\n'
        '[Auction "N"]\n2S Pass 4S =1= Pass\nPass Pass\n[Note "1:to play"]\n'
        '[Play "E"]\nDA D2 D3 DJ\n'
    )
    row = read_deals(pbn(QUIZ, more)).deals.row(0, named=True)
    assert row["auction"] == [11, 0, 21, 0, 0, 0]
    assert row["announcements"][2] == "to play"
    assert (row["contract"], row["declarer"], row["tricks"], row["score"]) == ("4S", "N", 10, 420)
    # cards cannot be followed through hands that are unknown
    assert not row["play"]
    assert row["commentary"] == [f"{NOT_FOLLOWED}'DA D2 D3 DJ'"]


@pytest.mark.parametrize(
    ("tokens", "commentary"),
    [
        ("pc|DA|pc|d2|pg||pc|D3|mc|9|", [f"{NOT_FOLLOWED}'DA D2 D3'"]),
        ("pc|DA|pc|D2|up|1|nt|well|", ["well", f"{NOT_FOLLOWED}'DA'"]),
        # nothing is left out
        ("pc|DA|up|1|", []),
        ("pc|?|", []),
        ("mc|9|", []),
    ],
)
def test_play_of_unknown_hands_is_told(tokens, commentary):
    text = f"sv|x|{LIN_QUIZ}mb|1Sppp|{tokens}"
    for batch in (read_lin(text.encode()), read_lin_reference(text)):
        row = batch.deals.row(0, named=True)
        assert (row["contract"], row["declarer"], row["play"]) == ("1S", "N", [])
        assert row["tricks"] == (9 if "mc" in tokens else None)
        sides = "reader: expected a vulnerability (o, n, e or b) in sv, got 'x'"
        remarks = [remark for remark in commentary if remark == "well"]
        assert row["commentary"] == [*remarks, sides, *commentary[len(remarks) :]]
        assert len(reader_remarks(batch.deals)) == 1


@pytest.mark.parametrize(
    ("play", "commentary"),
    [
        ("DA D2 D3 DJ\nHT *", [f"{NOT_FOLLOWED}'DA D2 D3 DJ HT *'"]),
        ("- - - -\n*", []),
        ("", []),
        (" ".join(["DA"] * 30), [f"{NOT_FOLLOWED}'{' '.join(['DA'] * 20)}…'"]),
    ],
)
def test_play_of_unknown_hands_is_told_in_pbn(play, commentary):
    more = f'[Contract "4S"]\n[Declarer "N"]\n[Play "E"]\n{play}\n'
    row = read_deals(pbn(QUIZ, more)).deals.row(0, named=True)
    assert (row["play"], row["contract"]) == ([], "4S")
    assert [remark.replace(" …", "…") for remark in row["commentary"]] == commentary
    # of known hands nothing is told
    assert not read_deals(pbn(f"N:{' '.join(HANDS)}", more)).deals["commentary"][0].len()


def test_play_of_unknown_hands_is_told_in_rbn_and_score_tables():
    rbn = f"% RBN\nB 1\nH N:{HANDS[0]}:::\nA NN:1SPPP\nC 1S:N\nP DA23J\n"
    (remark,) = read_deals(rbn.encode()).deals["commentary"][0]
    assert remark.startswith(NOT_FOLLOWED)
    table = '[ScoreTable "Contract;Declarer;Result;Lead"]\n4S N 10 DA\n'
    deals = read_deals(pbn(QUIZ, table)).deals
    assert deals["commentary"].to_list()[-1] == [f"{NOT_FOLLOWED}'DA'"]


def test_play_of_unknown_hands_is_told_in_parquet_and_never_written(tmp_path):
    deals = read_lin(f"{LIN_QUIZ}mb|1Sppp|".encode()).deals.with_columns(
        play=pl.Series([[0, 1, 2, 3]], dtype=pl.List(pl.UInt8))
    )
    write_deal_parquet(deals, tmp_path / "deals.parquet")
    again = read_deal_parquet(tmp_path / "deals.parquet").deals
    assert again["play"].to_list() == [[]]
    assert again["commentary"].to_list() == [[f"{NOT_FOLLOWED}'C2 C3 C4 C5'"]]
    with io.StringIO() as text:
        write_pbn(deals, text)
        assert "[Play" not in text.getvalue()


def test_work_that_needs_all_hands_is_told(tmp_path):
    data = pbn(QUIZ) + b"\n" + pbn(f"N:{' '.join(HANDS)}")
    batch = read_deals(data)
    assert batch.deals.height == 2
    assert play_disagrees(batch.deals).to_list() == [False, False]
    whole = whole_deals(batch)
    assert texts(whole.deals) == HANDS
    assert whole.rejects["reason"].to_list() == ["expected four known hands, got those of N and S"]
    assert whole.rejects["text"].to_list() == [QUIZ]
    assert read_deals(data, whole=True).rejects.height == 1
    assert [one.deals.height for one in iter_deals(data, whole=True)] == [1]
    with pytest.raises(
        InvalidInput, match="expected four known hands, got none in 'east' of row 0"
    ):
        deal_arrays(batch.deals)
    with pytest.raises(InvalidDeal, match="at most one unknown hand, got 2"):
        parse_deal_line(QUIZ)


@examples(25, 100)
@given(
    st.integers(0, 1000),
    st.sets(st.integers(0, 3), min_size=1, max_size=2),
    st.sampled_from("NESW"),
)
def test_written_and_read_again(tmp_path_factory, seed, known, dealer):
    deals = random_deals(1, seed).with_columns(
        pl.lit(dealer).cast(pl.Enum("NESW")).alias("dealer"),
        *(
            pl.lit(None, pl.UInt64).alias(name)
            for seat, name in enumerate(HAND_COLUMNS)
            if seat not in known
        ),
    )
    for write in (write_pbn, write_rbn, write_lin):
        with io.StringIO() as text:
            write(deals, text)
            again = read_deals(text.getvalue().encode()).deals
        assert texts(again) == texts(deals)
    (link,) = format_handviewer(deals)
    assert texts(read_handviewer(link).deals) == texts(deals)
    path = tmp_path_factory.mktemp("deals") / "deals.parquet"
    write_deal_parquet(deals, path)
    batch = read_deal_parquet(path)
    assert texts(batch.deals) == texts(deals)


def test_parquet_with_three_hands_or_none_is_refused(tmp_path):
    deals = random_deals(3, 1)
    rows = pl.int_range(pl.len())
    deals = deals.with_columns(
        pl.when(rows == 0).then(None).otherwise(pl.col("west")).alias("west"),
        *(
            pl.when(rows == 1).then(None).otherwise(pl.col(name)).alias(name)
            for name in HAND_COLUMNS[:3]
        ),
    ).with_columns(pl.when(rows == 1).then(None).otherwise(pl.col("west")).alias("west"))
    write_deal_parquet(deals, tmp_path / "deals.parquet")
    assert read_deal_parquet(tmp_path / "deals.parquet").rejects["record"].to_list() == [1, 2]


@pytest.mark.real_data
def test_a_quiz_of_two_hands(shared_data):
    deals = read_deals(shared_data / "faults" / "two-known-hands.pbn").deals
    assert texts(deals) == ["AQT9864.542.J.T8", "-", "J5.KQ93.K852.Q43", "-"]
    assert deals["auction"].to_list() == [[11, 0, 21, 0, 0, 0]]
