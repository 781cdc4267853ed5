"""States that are read by the core's entries are those of the definition, whole."""

import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Auction, InvalidSystem, parse_calls
from bidcascade.kernels import DealArrays
from bidcascade.systems.auctions.auction_reader import CoreReader
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.systems.reference.conditions import lower
from bidcascade.systems.reference.facts import PlaceScope
from bidcascade.systems.reference.place_entries import Expander
from bidcascade.systems.system import System
from bidcascade.systems.words.explanation import explain_places
from tests.support.deals import mixed_deals
from tests.support.examples import examples, sized, some_in_check
from tests.support.systems import LONGEST, OTHER, SMALL, definition_of, systems

Auctions = list[tuple[int, ...]]


def auctions_of(one: System, other: System, deals: DealArrays, seed: int) -> Auctions:
    """Auctions that systems bid, and as many of which they know little."""
    bidder = Bidder(one.rules, other.rules)
    found: Auctions = [()] * len(deals)
    with suppress(InvalidSystem):
        found = [bidder.auction_of(place) for place in bidder.bid(deals).place]
    draw = random.Random(seed)
    for calls in found[:]:
        auction = Auction.of(calls[: draw.randrange(len(calls) + 1)])
        while not auction.is_complete and len(auction.calls) < 12:
            # low bids lead to longer auctions
            auction = auction.add(min(draw.choices([*auction.legal_calls()], k=3)))
        found.append(auction.calls)
    return found


def outcome(ask: Callable[[tuple[int, ...]], Any], calls: tuple[int, ...]) -> Any:
    """What is answered, or the words of the error."""
    try:
        return ask(calls)
    except InvalidSystem as error:
        return str(error)


def assert_same(one: System, other: System, deals: DealArrays, seed: int = 1) -> int:
    """All states on the way of auctions; how many there were."""
    reader = CoreReader(Bidder(one.rules, other.rules))
    expander = Expander(one.rules, other.rules)
    compared = 0
    for calls in auctions_of(one, other, deals, seed):
        for length in range(len(calls) + 1):
            # auctions, knowledge with all bounds, meanings, call_kinds, suits, trumps, game forced
            expected = outcome(expander.state, calls[:length])
            assert outcome(reader.state, calls[:length]) == expected
            compared += 1
        expected = outcome(partial(explain_places, expander), calls)
        assert outcome(partial(explain_places, reader), calls) == expected
    return compared


def test_small_systems_against_each_other():
    assert assert_same(SMALL, OTHER, mixed_deals(60, 1)) > 500
    assert assert_same(OTHER, SMALL, mixed_deals(60, 2)) > 500


@examples(12)
@given(systems(), systems(), st.integers(0, 1000))
def test_made_systems_against_each_other(one, other, seed):
    assert_same(one, other, mixed_deals(4, seed), seed)


@pytest.mark.parametrize("name", some_in_check((2,), "sayc", "acol", "two-over-one"))
def test_shipped_systems(name):
    system = System.open(name)
    assert assert_same(system, system, mixed_deals(6, 3)) > 100


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    some_in_check(
        1, "sayc acol", "two-over-one two-over-one", "sayc sayc", "acol acol", "two-over-one sayc"
    ),
)
def test_shipped_systems_against_each_other(names):
    one, other = (System.open(name) for name in names.split())
    deals = sized(12, 150)
    assert assert_same(one, other, mixed_deals(deals, 4)) > 13 * deals


def test_the_longest_auction():
    calls = tuple(parse_calls(LONGEST))
    assert SMALL.reader().state(calls) == definition_of(SMALL).state(calls)


@pytest.mark.parametrize("name", ["small", "sayc"])
def test_conditions_at_places(name):
    system = SMALL if name == "small" else System.open(name)
    bidder, expander = Bidder(system.rules), Expander(system.rules)
    bidder.bid(mixed_deals(5, 6))
    for place in range(0, bidder.count, 2):
        calls = bidder.auction_of(place)
        for entry in bidder.place(calls).entries:
            condition = entry.line.condition
            if condition is not None:
                scope = PlaceScope(expander.state(calls), system.rules.defines, entry.bindings)
                found = bidder.lowered(condition, calls, entry.bindings)
                assert found == lower(condition, scope)


def test_conditions_that_mean_nothing():
    system = System.parse("over (1X):\n  1Y = Overcall: 5+ Y")
    condition = system.rules.places.lines[0].line.condition
    assert condition is not None
    with pytest.raises(InvalidSystem, match="a suit or a variable that a call binds, got 'Y'"):
        system.bidder().lowered(condition, (), {})


@pytest.mark.parametrize(
    ("place", "condition", "bindings"),
    [(-1, 0, 0), (99, 0, 0), (0, -1, 0), (0, 99, 0), (0, 0, -1), (0, 0, 5), (0, 0, 1 << 27)],
)
def test_numbers_that_the_core_refuses(place, condition, bindings):
    bidder = Bidder(SMALL.rules)
    assert bidder.sides[0].core.lowered_at(bidder.store, 0, 0, 0) >= 0
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        bidder.sides[0].core.lowered_at(bidder.store, place, condition, bindings)
