"""Tricks: who wins, who leads next, how many declarer's side took."""

import random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import parse_card
from bidcascade.loaders import (
    REQUIRED_COLUMNS,
    count_declarer_tricks,
    count_tricks,
    play_disagrees,
    random_deals,
    read_deals,
    trick_winner,
)
from tests.support.lin import play_out, shuffled_hands


def cards(text: str) -> list[int]:
    return [parse_card(card) for card in text.split()]


@pytest.mark.parametrize(
    ("trick", "strain", "winner"),
    [
        ("H2 HA HK HQ", 4, 1),
        ("H2 SA DA CA", 4, 0),
        ("H2 SA D2 CA", 1, 2),
        ("H2 S3 S2 HA", 3, 1),
        ("S2 S3 HA S4", 3, 3),
    ],
)
def test_trick_winner(trick, strain, winner):
    assert trick_winner(cards(trick), strain) == winner


def test_the_winner_leads_to_the_next_trick():
    played = cards("H2 HA HK HQ S2 S3 S4 S5 D2 D3")
    # North leads, East wins, East leads and North (fourth to play) wins; two cards are left over
    assert count_tricks(played, leader=0, strain=4) == [1, 1, 0, 0]


@given(st.integers(0, 10_000), st.integers(0, 3), st.integers(0, 4))
def test_both_sides_together_take_thirteen(seed, declarer, strain):
    hands = {seat: set(hand) for seat, hand in enumerate(shuffled_hands(seed))}
    played = play_out(hands, (declarer + 1) % 4, strain, random.Random(seed))
    ours = count_declarer_tricks(played, declarer, strain)
    assert ours is not None
    by_seat = count_tricks(played, (declarer + 1) % 4, strain)
    assert sum(by_seat) == 13
    assert ours == by_seat[declarer] + by_seat[(declarer + 2) % 4]
    assert count_declarer_tricks(played[:-1], declarer, strain) is None
    assert count_declarer_tricks([*played[:-1], played[0]], declarer, strain) is None


# --- play of other hands --------------------------------------------------------------------------

HANDS = "md|3SAQ4HKJ3DK876CQ52,SK95HQ872DA54CKT3,SJ876HA65DQ93CJ94,|"
"""South ♠AQ4, West ♠K95, North ♠J876 deals, East the rest."""
LEAD = "D4 D3 DJ DK"
"""A trick of 1NT by South, West's lead first."""


def disagrees(calls: str, play: str) -> bool:
    tokens = "".join(f"pc|{card}|" for card in play.split())
    return play_disagrees(read_deals(f"{HANDS}mb|{calls}|{tokens}".encode()).deals)[0]


@pytest.mark.parametrize(
    ("play", "expected"),
    [
        ("", False),
        ("D4", False),
        # North, South and East are not on lead
        ("DQ", True),
        ("DK", True),
        ("DJ", True),
        (LEAD, False),
        ("D4 DJ DK D3", False),
        (f"{LEAD} SA SK", False),
        # two cards of a hand in a trick: a slip among others, but not where there are no others
        (f"{LEAD} HK HQ HJ H4", False),
        (f"{LEAD} HK HQ HJ H4 SA S5 S4 S2", True),
        ("D4 DA D3 DJ", True),
        ("D4 DA", True),
        ("D4 D4", True),
    ],
)
def test_whether_play_disagrees(play, expected):
    assert disagrees("pp1nppp", play) is expected


def test_play_disagrees_where_a_call_is_missing():
    assert disagrees("pp1sppp", LEAD) is False
    assert disagrees("p1sppp", LEAD) is True


def test_nobody_leads_where_there_is_no_contract():
    assert disagrees("pppp", "DQ") is False
    assert disagrees("pp1n", "DQ") is False
    assert disagrees("pp1n", "DQ D9") is True


def test_a_frame_of_any_boards():
    deals = read_deals(
        "".join(
            f"{HANDS}mb|pp1nppp|{play}" for play in ("pc|D4|", "", "pc|DQ|", "", "pc|D4|pc|DA|")
        ).encode()
    ).deals
    assert play_disagrees(deals).to_list() == [False, False, True, False, True]
    assert play_disagrees(deals.clear()).to_list() == []
    without = deals.with_columns(play=pl.lit(None, deals.schema["play"]))
    assert play_disagrees(without).sum() == 0


@given(st.integers(0, 10_000), st.integers(0, 3), st.integers(0, 4), st.integers(0, 52))
def test_what_was_played_agrees_and_with_other_hands_does_not(seed, declarer, strain, count):
    hands = shuffled_hands(seed)
    masks = [sum(1 << card for card in hand) for hand in hands]
    held = {seat: set(hand) for seat, hand in enumerate(hands)}
    played = play_out(held, (declarer + 1) % 4, strain, random.Random(seed))
    turned = [masks[1], masks[2], masks[3], masks[0]]
    frame = read_deals([HANDS.encode()] * 2).deals.with_columns(
        *(
            pl.Series(name, [masks[seat], turned[seat]], dtype=pl.UInt64)
            for seat, name in enumerate(("north", "east", "south", "west"))
        ),
        declarer=pl.lit("NESW"[declarer]).cast(pl.Enum(list("NESW"))),
        play=pl.Series([played[:count]] * 2, dtype=pl.List(pl.UInt8)),
    )
    assert play_disagrees(frame).to_list() == [False, count > 0]


@pytest.mark.real_data
def test_real_files_whose_hands_are_of_another_match(shared_data):
    deals = read_deals(shared_data / "lin").deals
    found = deals.filter(play_disagrees(deals))["source"].value_counts()
    assert found["count"].sum() == 208
    # nearly all of the boards with play in them, where others have a slip or two
    many = found.filter(pl.col("count") > 3)["source"]
    assert (many.len(), found.height) == (9, 18)
    played = deals.filter(pl.col("source").is_in(many.implode()), pl.col("play").list.len() > 0)
    assert play_disagrees(played).mean() > 0.9
    boards = read_deals(shared_data / "pbn").deals
    assert not play_disagrees(boards).any()


def test_bare_deals_have_no_play_that_disagrees():
    deals = random_deals(3, seed=1).select(REQUIRED_COLUMNS)
    assert play_disagrees(deals).to_list() == [False] * 3
    assert play_disagrees(deals.head(0)).to_list() == []
