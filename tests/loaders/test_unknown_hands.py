"""Deals with two or three unknown hands: read, kept, written, and refused where all count."""

import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidDeal, InvalidInput, format_hand
from bidcascade.loaders import (
    HAND_COLUMNS,
    deal_arrays,
    iter_deals,
    parse_deal_line,
    play_disagrees,
    random_deals,
    read_deal_parquet,
    read_deals,
    whole_deals,
    write_deal_parquet,
    write_lin,
    write_pbn,
    write_rbn,
)

HANDS = ["AQT9864.542.J.T8", "K73.T6.AQT4.J962", "J5.KQ93.K852.Q43", "2.AJ87.9763.AK75"]
QUIZ = f"N:{HANDS[0]} - {HANDS[2]} -"


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
    with pytest.raises(InvalidInput, match="PBN, RBN and Parquet can leave a hand open"):
        write_lin(batch.deals, io.StringIO())
    with pytest.raises(InvalidDeal, match="at most one unknown hand, got 2"):
        parse_deal_line(QUIZ)


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
    for write in (write_pbn, write_rbn):
        with io.StringIO() as text:
            write(deals, text)
            again = read_deals(text.getvalue().encode()).deals
        assert texts(again) == texts(deals)
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
