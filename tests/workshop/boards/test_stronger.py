"""More strength never loses: texts that lose beside mended ones, and what the shipped ones lose."""

import numpy as np
import pytest

from bidcascade.bridge import (
    Auction,
    Seat,
    Vulnerability,
    format_calls,
    parse_calls,
    parse_deal,
)
from bidcascade.kernels import DealArrays
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.systems import System, open_system
from bidcascade.workshop.boards.scored_boards import bid_boards
from bidcascade.workshop.boards.stronger import stronger
from tests.support.systems import EACH_SYSTEM

GAMES, QUIET_GAMES, SLAMS, QUIET_SLAMS, POINTS, TRUMP, SHAPE, SINGLETON = (
    "game lost with two honours more",
    "game lost with two honours more, opponents silent both times",
    "slam lost with an honour more",
    "slam lost with an honour more, opponents silent both times",
    "pass with an honour more",
    "lower contract with a trump more, a card less in a short side suit",
    "pass with a card more in the suit of the bid",
    "double in place of a bid with a singleton more in their suit",
)
# what is lost is lost behind an opening of theirs
OVERCALLED = """opening:
  1S = Spades: 8-11 points, 4+ spades
  3NT = Strong: 18+ points
after 1S:
  3NT = Strong: 18+ points
over (1S):
  3NT = Game: 12-14 points or 18+ points
"""
SHORT = """opening:
  1H = Hearts: 12+ points, 5+ hearts
over (1H):
  1S = Overcall: 5+ spades, {hearts}
  Double = Short: 5+ spades
"""
# each with what is lost, and with the end that mends it
TEXTS = [
    (GAMES, "opening:\n  3NT = Game: {}\n", "12-14 points", "12+ points"),
    (QUIET_GAMES, "opening:\n  3NT = Game: {}\n", "12-14 points", "12+ points"),
    (SLAMS, "opening:\n  6NT = Slam: {}\n", "14-15 points", "14+ points"),
    (QUIET_SLAMS, "opening:\n  6NT = Slam: {}\n", "14-15 points", "14+ points"),
    (POINTS, "opening:\n  1C = Club: {}\n", "12-14 points", "12+ points"),
    (TRUMP, "opening:\n  4S = Spades: 10+ points, {}\n", "5 spades", "5+ spades"),
    (SHAPE, "opening:\n  1S = Spades: 12+ points, {}\n", "5 spades", "5+ spades"),
    (SINGLETON, SHORT.replace("{hearts}", "{}"), "2+ hearts", "0+ hearts"),
]
RECORDED = {
    "sayc": (3, 0, 4, 2, 3, 13, 3, 3),
    "two-over-one": (1, 0, 8, 4, 1, 16, 3, 1),
    "acol": (4, 0, 8, 4, 1, 10, 2, 1),
    "precision": (5, 0, 10, 8, 2, 9, 6, 0),
    "light-openings": (9, 0, 9, 3, 5, 7, 6, 0),
}
"""Most that each rate may count on 5,000 deals of seed 11."""


def points(hand: int) -> int:
    return sum(
        (hand >> 13 * suit + 9 + high & 1) * (1 + high) for suit in range(4) for high in range(4)
    )


def shape(hand: int) -> list[int]:
    return [(hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4)]


def hands_of(line) -> list[tuple[int, int]]:
    """Give each seat's hand before and after."""
    return list(zip(parse_deal(line.deal).hands, parse_deal(line.better).hands, strict=True))


HONOURS = [13 * suit + 10 + rank for suit in range(4) for rank in range(3)]


def honours_more(before: int, after: int) -> int:
    """Aces, kings and queens that a hand has gained, less those that it has lost."""
    return sum((after >> bit & 1) - (before >> bit & 1) for bit in HONOURS)


def bid(system: System, deal: str, vulnerability: str) -> str:
    sides = next(one for one in Vulnerability if one.text == vulnerability)
    hands = np.array([parse_deal(deal).hands], np.uint64).T.copy()
    boards = bid_boards(
        system, DealArrays(hands, np.zeros(1, np.uint8), np.full(1, sides, np.uint8))
    )
    return format_calls(boards.auctions[0])


@pytest.mark.parametrize(("what", "text", "losing", "mended"), TEXTS)
def test_an_upper_end_loses_and_none_does_not(what, text, losing, mended):
    deals = deal_arrays(random_deals(4000, 5))
    rates = {}
    for condition in (losing, mended):
        found = stronger(System.parse(text.format(condition), name="own"), deals, seed=1)
        rates[condition] = next(one for one in found.rates if one.what == what)
    assert rates[losing].boards >= 5
    assert rates[mended].boards == 0
    assert rates[mended].possible > 5


@pytest.mark.parametrize(
    ("what", "honours"),
    [(GAMES, 2), (SLAMS, 1), (POINTS, 1), (TRUMP, 0), (SHAPE, 0), (SINGLETON, 0)],
)
def test_examples_have_the_cards_that_are_asked_for(what, honours):
    text, condition = next((text, condition) for name, text, condition, _ in TEXTS if name == what)
    system = System.parse(text.format(condition), name="own")
    found = stronger(system, deal_arrays(random_deals(4000, 6)), seed=2)
    lines = [one for one in found.lines if one.what == what]
    assert sum(one.lost for one in lines) == next(
        one.boards for one in found.rates if one.what == what
    )
    assert lines == sorted(lines, key=lambda one: (-one.silent, -one.lost, one.line, one.name))
    for line in lines:
        assert bid(system, line.deal, line.vulnerability) == line.auction
        assert bid(system, line.better, line.vulnerability) == line.again
        assert line.silent <= line.lost
        hands = hands_of(line)
        more = [honours_more(*one) for one in hands]
        if honours:
            assert [shape(one) for one, _ in hands] == [shape(one) for _, one in hands]
            taker = max(range(4), key=more.__getitem__)
            sides = more[taker] + more[taker ^ 2] if what in (GAMES, SLAMS) else more[taker]
            assert sides == honours
            assert sum(more) == 0
        else:
            assert [points(one) for one, _ in hands] == [points(one) for _, one in hands]
            changed = [shape(one) != shape(other) for one, other in hands]
            assert sum(changed) == 2
        before, again = (
            Auction.of(parse_calls(calls), Seat.NORTH) for calls in (line.auction, line.again)
        )
        if what in (GAMES, SLAMS, TRUMP):
            assert before.contract is not None
            assert again.contract is None or again.contract.level < before.contract.level


def test_a_loss_behind_a_call_of_theirs_is_told_apart():
    found = stronger(System.parse(OVERCALLED), deal_arrays(random_deals(6000, 4)), seed=3)
    rates = {one.what: one for one in found.rates}
    assert rates[GAMES].boards >= 3
    assert rates[QUIET_GAMES].boards == 0
    assert rates[QUIET_GAMES].possible > 100
    assert all(one.silent == 0 for one in found.lines if one.what == GAMES)


DOUBLED = """opening:
  1H = Hearts: 12+ points, 5+ hearts
over (1H):
  Double = Takeout: 10+ points
after (1H) Double (Pass):
  1S = Answer: at most {most} points
  Pass = For penalties: any hand
"""


def test_a_pass_of_partners_takeout_double_is_no_loss():
    deals = deal_arrays(random_deals(6000, 7))
    most = {
        most: next(
            one
            for one in stronger(System.parse(DOUBLED.format(most=most)), deals, seed=4).rates
            if one.what == POINTS
        )
        for most in (5, 30)
    }
    assert [one.boards for one in most.values()] == [0, 0]
    # answers to the double are not asked about
    assert most[5].possible == most[30].possible > 50


def test_the_same_seed_gives_the_same_cards():
    system = System.parse(TEXTS[0][1].format("12-14 points"))
    deals = deal_arrays(random_deals(1000, 5))
    assert stronger(system, deals, seed=1) == stronger(system, deals, seed=1)
    assert stronger(system, deals, seed=1).lines != stronger(system, deals, seed=2).lines


def test_no_deals():
    found = stronger(
        System.parse("opening:\n  1C = Club: any hand\n"), deal_arrays(random_deals(1, 1).head(0))
    )
    assert [one.possible for one in found.rates] == [0] * 8
    assert found.lines == ()


@pytest.mark.parametrize("name", EACH_SYSTEM)
def test_shipped_texts_lose_no_more_than_recorded(name):
    found = stronger(open_system(name), deal_arrays(random_deals(5000, 11)), seed=11)
    over = {
        rate.what: (rate.boards, most)
        for rate, most in zip(found.rates, RECORDED[name], strict=True)
        if rate.boards > most
    }
    assert over == {}
