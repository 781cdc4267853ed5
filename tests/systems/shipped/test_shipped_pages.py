"""Shipped pages: each can be taken by itself, and three of them are a floor for a young system."""

import pytest

from bidcascade.bridge import FIRST_BID, InvalidSystem, format_hand
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.systems import named_systems, open_system
from bidcascade.systems.language.auctions.patterns import strain_of
from bidcascade.systems.language.reader import read_text
from bidcascade.systems.language.shipped import (
    PAGES,
    shipped_conventions,
    shipped_defines,
    shipped_folder,
)
from bidcascade.systems.system import System
from bidcascade.workshop.boards.scored_boards import bid_boards
from tests.support.examples import sized, some_in_check

NAMES = sorted(path.stem for path in (shipped_folder() / PAGES).glob("*.bidding"))
YOUNG = {
    "strong club": """
opening:
  1C = Strong: 16+ points; artificial, forcing
  1NT = Balanced: 13-15 points, balanced; limited
  1M = Five-card major: 11-15 points, 5+ M, M is the longest; limited
  1D = Anything else: 11-15 points; limited
after 1C:
  1D = Negative: 0-7 points; artificial, forcing
  1M = Positive: 8+ points, 5+ M; forcing to game
after 1NT:
  2C = Stayman: 8+ points, 4 hearts or 4 spades; artificial, forcing
  transfer to 2M = Transfer: 5+ M; artificial, forcing
over (1X):
  Double = Takeout: 12+ points, 3+ in every unbid suit; takeout, forcing
  2X = Cue-bid: 17+ points; artificial, forcing
""",
    "multi": """
opening:
  2D = Multi; artificial, forcing
    either Weak with a major: 5-10 points, 6 hearts or 6 spades
    or Strong: 20-22 points, balanced
  1NT = Strong notrump: 15-17 points, balanced; limited
  1X = Natural: 12-21 points, 4+ X, X is the longest
  1C = Anything else: 12+ points; artificial, forcing
after 2D:
  2H = To play opposite hearts: 0-14 points
    2NT = Strong: 20-22 points; forcing to game
  2NT = What is it: 15+ points; artificial, forcing to game
    3m = Maximum: 8+ points; artificial
after 1X:
  1Y = New suit: 6+ points, 4+ Y; forcing
  2NT = Raise: 11+ points, 4+ X; artificial, forcing to game
after 1X (1Y):
  Double = Negative: 6+ points; forcing
""",
}
FLOOR = 'include "doubles.bidding"\ninclude "slam.bidding"\ninclude "natural.bidding"\n'


@pytest.mark.parametrize("name", some_in_check(range(0, len(NAMES), 4), *NAMES))
def test_a_page_alone_is_read(name):
    system = System.parse(f'system Alone\n\ninclude "{name}.bidding"\n')
    assert system.text.files
    assert system.expand("1N P") is not None


@pytest.mark.parametrize("young", YOUNG)
def test_a_young_system_with_the_floor_answers_forcing_calls(young):
    deals = deal_arrays(random_deals(3_000, 7))
    shares = {}
    for floor in ("", FLOOR):
        signs = bid_boards(System.parse(YOUNG[young] + floor), deals).signs
        assert signs is not None
        forced, passed = signs[0]
        assert forced.mean() > 0.3
        shares[floor] = passed.mean()
    # the text alone passes on many boards
    assert shares[""] > 0.2
    assert shares[FLOOR] <= 0.01


def test_names_and_conventions_of_pages_are_known():
    assert {"good", "decent", "headed", "guarded", "worth a preempt in"} <= shipped_defines()
    assert shipped_conventions()["stayman"] == "notrump.bidding"
    text = "opening:\n  2NT = Strong: 20-21 points, balanced\n    use two-notrump-answers\n"
    with pytest.raises(InvalidSystem, match=r'include "notrump\.bidding"'):
        read_text(text)
    assert read_text(f'include "notrump.bidding"\n{text}').blocks


QUESTIONS_IN_THEIR_SUIT = (
    "1N 2S 3S P",
    "1N 2S 3S X",
    "1N 2H 3H P",
    "1N 2H 3H X",
    "1N 3S 4S P",
    "1N 3D 4D P",
    "2N 3S 4S P",
    "2N 3H 4H X",
    "1H 1N 2H 3H P",
    "1S 1N 2D 3D P",
    "1S 1N P 2C P",
    "2H 2N P 3C P",
)
"""A cue-bid that asks for a major, or Stayman behind their suit."""


@pytest.mark.parametrize("name", sorted(named_systems()))
def test_a_question_for_a_major_is_not_answered_in_their_suit(name):
    system = open_system(name)
    hands = deal_arrays(random_deals(sized(8, 25), 59)).hands.ravel().tolist()
    for auction in QUESTIONS_IN_THEIR_SUIT:
        state = system.state(auction)
        theirs = state.suits[(state.position + 1) % 4] + state.suits[(state.position + 3) % 4]
        for hand in hands:
            choice = system.bid(hand, auction)
            # eight cards of their suit are a suit of one's own
            if max(map(len, format_hand(hand).split("."))) < 8:
                assert choice.call < FIRST_BID or strain_of(choice.call) not in theirs, (
                    auction,
                    format_hand(hand),
                    choice,
                )
