"""Systems that search their decisions, in matches."""

import numpy as np
import pytest

from bidcascade.bridge import Auction, Seat, Vulnerability, parse_calls, parse_hand
from bidcascade.inference.search import SearchQuestion, SearchRules, search_call
from bidcascade.kernels import DealArrays
from bidcascade.kernels.dealing import deal_hands
from bidcascade.seats.foreign.bidding import bid_out, call_of, system_of
from bidcascade.seats.foreign.protocol import Turn
from bidcascade.seats.search_player import SearchPlayer
from bidcascade.systems import System
from bidcascade.systems.any_bidder import bidder_of
from bidcascade.workshop.boards.compare import SystemMatch
from bidcascade.workshop.boards.scored_boards import NO_TRICKS, Budget
from tests.inference.test_search import CAUTIOUS, GAME
from tests.support.systems import SMALL_SYSTEM

SMALL = System.parse(SMALL_SYSTEM, name="small")
NEVER = SearchRules(margin=1000.0)
TURN = Turn(GAME, Seat.NORTH, Vulnerability.NONE, parse_calls("1N P"))


def some_deals(count: int, seed: int = 5) -> DealArrays:
    numbers = np.arange(count)
    dealer, sides = (numbers // part % 4 for part in (1, 4))
    return DealArrays(deal_hands(seed, 0, count), dealer.astype(np.uint8), sides.astype(np.uint8))


def test_a_player_calls_as_the_search_does():
    with SearchPlayer(CAUTIOUS, layouts=40, seed=3) as player:
        [reply] = player.answers([TURN])
        assert call_of(player, TURN) == reply
    question = SearchQuestion(GAME, TURN.calls, 0, layouts=40, seed=3)
    assert reply.call == search_call(CAUTIOUS, bidder_of(CAUTIOUS), question).call != 0
    assert (player.requests, player.differed, player.name) == (2, 2, "search:cautious")
    assert player.seconds > 0


def test_what_it_is_told_apart_by():
    plain = SearchPlayer(SMALL)
    assert plain.digest == SearchPlayer(SMALL).digest
    others = (
        SearchPlayer(CAUTIOUS), SearchPlayer(SMALL, layouts=9), SearchPlayer(SMALL, rules=NEVER),
        SearchPlayer(SMALL, seed=1), SearchPlayer(SMALL, budget_ms=5),
    )  # fmt: skip
    assert len({plain.digest, SMALL.digest, *(one.digest for one in others)}) == 7
    assert (system_of(plain), system_of(SMALL)) == (SMALL, SMALL)


def test_one_that_never_differs_bids_as_its_system():
    """Against its own text, and against another one that it knows of."""
    deals = some_deals(24)
    quiet = SearchPlayer(SMALL, layouts=24, rules=NEVER)
    for other in (SMALL, CAUTIOUS):
        for dealers, others in ((quiet, other), (other, quiet)):
            plain = [SMALL if one is quiet else one for one in (dealers, others)]
            assert bid_out(dealers, others, deals) == bid_out(*plain, deals)
    assert quiet.requests
    assert not quiet.differed


@pytest.mark.parametrize("count", [1, 20])
def test_a_match(count):
    """Every auction is legal, the same again, and flat where the search changed nothing."""
    deals = some_deals(count)
    matches = []
    for _ in range(2):
        player = SearchPlayer(SMALL, layouts=24, rules=SearchRules(margin=0.0, errors=0.0))
        match = SystemMatch(player, SMALL, deals)
        for number in range(len(match.endings.calls)):
            assert Auction.of(match.endings.auction(number)).is_complete
        matches.append(match)
    one, other = matches
    assert (one.contracts == other.contracts).all()
    assert one.names == ("search:small", "small")
    quiet = SystemMatch(SearchPlayer(SMALL, layouts=24, rules=NEVER), SMALL, deals)
    assert not quiet.kind.any()
    known = np.full((count, 20), 8, np.int8)
    one.work_out(None, Budget(), known)
    played = one.contracts[:, one.order] != 0
    assert (one.tricks[:, one.order] == np.where(played, 8, NO_TRICKS)).all()


def test_it_is_told_who_the_others_are():
    """The others' calls are read by their own system."""
    others = System.parse(
        """
opening:
  1C = Natural: 12+ points, 3+ clubs
over (1X):
  1NT = Sound: 15-18 points, balanced
"""
    )
    hand = parse_hand("AQ5.K74.KT98.J32")
    turn = Turn(hand, Seat.NORTH, Vulnerability.NONE, ())
    player = SearchPlayer(SMALL, layouts=24, rules=SearchRules(margin=0.0, errors=0.0))
    found = player.search(turn, others, is_first=True)
    assert found.kind == "opening"
    assert player.search(turn, None, is_first=True).own == found.own
