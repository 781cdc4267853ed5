"""All auctions of systems without a table: the kernels against the definition, bounds, members."""

import functools

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bidcascade.bridge import PASS, Auction, IllegalCall, InvalidSystem, format_calls, parse_calls
from bidcascade.kernels import DealArrays
from bidcascade.systems import open_system
from bidcascade.systems.auctions.allowed import (
    CUTS,
    ListingBounds,
    allowed_along,
    count_allowed,
    list_allowed,
    members,
)
from bidcascade.systems.places.choice import fits
from bidcascade.systems.places.turn_context import context_at
from bidcascade.systems.reference.allowed_auctions import AllowedAuction, allowed_auctions
from bidcascade.systems.system import System
from bidcascade.table.real_calls import CallLists
from tests.support.auctions import random_auctions
from tests.support.deals import mixed_deals
from tests.support.examples import examples, sized
from tests.support.systems import SMALL_SYSTEM, definition_of

SMALL = System.parse(SMALL_SYSTEM, name="small.bidding")
FORCING = System.parse("""
opening:
  1X = Any: any hand; forcing
general:
  when at most 6-level:
    Pass = Never: 37+ points
    cheapest X = Goes on: any hand; forcing
    cheapest NT = Notrump: any hand; forcing
""")


def listed(system: System, deals: DealArrays, bounds: ListingBounds):
    """What the kernels answer, in the words of the definition."""
    bidder = system.bidder()
    with bidder.lock:
        found = list_allowed(bidder, deals, bounds)
        auctions = []
        for number, calls in enumerate(bidder.ending_with(found.place, found.call)):
            entries = found.held[found.held_offsets[number] : found.held_offsets[number + 1]]
            side = bidder.sides[(len(calls) - 1) % 2]
            names = dict.fromkeys(filter(None, map(side.name, entries.tolist())))
            auctions.append(
                AllowedAuction(tuple(calls), bool(found.completed[number]), tuple(names))
            )
        return [
            (auctions[start:stop], CUTS[cut])
            for start, stop, cut in zip(
                found.offsets[:-1].tolist(),
                found.offsets[1:].tolist(),
                found.cut.tolist(),
                strict=True,
            )
        ]


def own_auctions(system: System, deals: DealArrays) -> list[tuple[int, ...]]:
    bidder = system.bidder()
    with bidder.lock:
        return [(*bidder.auction_of(place), PASS) for place in bidder.bid(deals).place]


def check(system: System, deals: DealArrays, bounds: ListingBounds) -> None:
    found = listed(system, deals, bounds)
    own = own_auctions(system, deals)
    for deal, (auctions, cut) in enumerate(found):
        assert (auctions, cut) == allowed_auctions(definition_of(system), deals, deal, bounds)
        calls = [one.calls for one in auctions]
        assert own[deal] in calls
        assert len(set(calls)) == len(calls) <= bounds.limit
        assert all(one.completed == Auction.of(one.calls).is_complete for one in auctions)


BOUNDS = st.builds(
    ListingBounds, st.integers(1, 60), st.integers(1, 14), st.integers(1, 60), st.booleans()
)


@examples(40)
@given(BOUNDS, st.integers(0, 1 << 30), st.sampled_from([SMALL, FORCING]))
def test_the_kernels_list_what_the_definition_says(bounds, seed, system):
    check(system, mixed_deals(3, seed), bounds)


def may_call(system: System, deals: DealArrays, deal: int, calls: tuple[int, ...]) -> set[int]:
    """Calls that the definition allows behind some calls, whoever made them."""
    dealer, sides = int(deals.dealer[deal]), int(deals.vulnerability[deal])
    expander = definition_of(system)
    hand = int(deals.hands[(dealer + len(calls)) % 4, deal])
    entries = expander.place(calls).entries
    context = context_at(len(calls), dealer, sides)
    vocabulary = expander.sides[len(calls) % 2].vocabulary
    held = {entry.call for entry in entries if fits(entry, hand, context, vocabulary)}
    if not held or all(entry.call != PASS for entry in entries):
        held.add(PASS)
    return held


@examples(25)
@given(st.integers(0, 1 << 30), st.sampled_from([SMALL, FORCING]))
def test_along_auctions_that_no_system_bid(seed, system):
    deals = mixed_deals(4, seed)
    auctions = random_auctions(4, seed)
    bidder = system.bidder()
    with bidder.lock:
        found = allowed_along(bidder, deals, CallLists.of(auctions))
        number = 0
        for deal, calls in enumerate(auctions.to_list()):
            for depth in range(len(calls)):
                so_far = tuple(calls[:depth])
                assert bidder.auction_of(found.place[number]) == so_far
                mask = int(found.allowed[number])
                held = {call for call in range(64) if mask >> call & 1}
                assert held == may_call(system, deals, deal, so_far)
                number += 1
        assert number == len(found.place)


def test_along_no_auctions():
    nothing = CallLists.of(pl.Series([[], None], dtype=pl.List(pl.UInt8)))
    assert not len(allowed_along(SMALL.bidder(), mixed_deals(2, 1), nothing).allowed)
    assert not len(allowed_along(SMALL.bidder(), mixed_deals(0, 1), nothing.slice(0, 0)).allowed)


CALLS = ["Pass", "Double", "1C", "1NT", "2H", "1X", "cheapest X", "2NT"]
HANDS = ["any hand", "12+ points", "at most 7 points", "4+ hearts", "balanced", "5+ spades"]
LINES = st.lists(st.tuples(st.sampled_from(CALLS), st.sampled_from(HANDS)), max_size=5)


@functools.cache
def made_system(opening, later) -> System | None:
    """System of some lines for the opening and for all that follows; None if one is never bid."""

    def written(header, lines):
        parts = (f"    {call} = Line {n}: {hand}" for n, (call, hand) in enumerate(lines))
        return [header, *parts] if lines else []

    opening = [one for one in opening if one[0] not in ("Double", "cheapest X")]
    text = [*written("opening:", opening), "general:"]
    text += written("  when at most 2-level:", later)
    text += ["  when uncontested:", "    1NT = Both: 8+ points"]
    try:
        return System.parse("\n".join(text))
    except InvalidSystem as error:
        if "this line is never bid" not in str(error):
            raise
        return None


@pytest.mark.slow
@examples(10, 25)
@given(LINES.map(tuple), LINES.map(tuple), BOUNDS, st.integers(0, 1 << 30))
def test_made_systems(opening, later, bounds, seed):
    system = made_system(opening, later)
    assume(system is not None)
    check(system, mixed_deals(2, seed), bounds)


@pytest.mark.slow
def test_the_systems_own_auction_is_always_listed():
    system = open_system("sayc")
    deals = mixed_deals(120, 9)
    own = own_auctions(system, deals)
    for bounds in (
        ListingBounds(5),
        ListingBounds(200),
        ListingBounds(depth=2),
        ListingBounds(places=3),
        ListingBounds(1, 4, 2),
    ):
        for (auctions, _), calls in zip(listed(system, deals, bounds), own, strict=True):
            assert calls in [one.calls for one in auctions]


@pytest.mark.slow
def test_sayc_with_small_bounds():
    check(open_system("sayc"), mixed_deals(sized(15, 200), 21), ListingBounds(12, places=20))


def calls_and_cut(bounds: ListingBounds):
    """Auctions of a deal that opens every suit, and of which everybody may bid on and on."""
    ((auctions, cut),) = listed(FORCING, mixed_deals(1, 4), bounds)
    return [one.calls for one in auctions], cut


def test_what_bounds_leave_out_is_marked():
    (own,) = own_auctions(FORCING, mixed_deals(1, 4))
    calls, cut = calls_and_cut(ListingBounds(5))
    assert (calls, cut) == ([*(own[:length] for length in range(1, 5)), own], "limit")
    calls, cut = calls_and_cut(ListingBounds(depth=1))
    assert (calls, cut) == ([(3,), own, (4,), (5,), (6,), (7,)], "depth")
    calls, cut = calls_and_cut(ListingBounds(places=2))
    assert calls[:3] == [(3,), own[:2], own]
    assert cut == "places"
    assert {len(one) for one in calls if one != own} == {1, 2}
    calls, cut = calls_and_cut(ListingBounds(1, completed_only=True))
    assert (calls, cut) == ([own], "limit")
    passes = System.parse("opening:\n  1NT = Never: 37 points, 7+ spades")
    assert listed(passes, mixed_deals(1, 4), ListingBounds(4)) == [
        ([AllowedAuction((PASS,) * length, length == 4, ()) for length in range(1, 5)], None)
    ]


def test_a_system_without_end_ends_with_marks():
    deals = mixed_deals(3, 6)
    bidder = FORCING.bidder()
    before = bidder.bytes
    for auctions, cut in listed(FORCING, deals, ListingBounds()):
        assert (len(auctions), cut) == (1000, "limit")
    for auctions, cut in listed(FORCING, deals, ListingBounds(1 << 30, completed_only=True)):
        assert auctions
        assert cut == "places"
    assert bidder.count < 20_000
    assert bidder.bytes - before < 100_000_000
    counted = count_allowed(bidder, deals, least=1, most=2000)
    assert counted.cut == "number"
    assert len(counted.calls) < 40_000


def test_a_pass_where_nothing_holds():
    text = "opening:\n  1C = Good: 12+ points\n  Pass = Bad: at most 7 points\n"
    system = System.parse(text)
    deals = mixed_deals(60, 2)
    for auctions, _ in listed(system, deals, ListingBounds(depth=1)):
        first = {one.calls[0]: one.variants for one in auctions if len(one.calls) == 1}
        assert first in ({3: ("Good",)}, {0: ("Bad",)}, {0: ()})


@examples(20)
@given(st.integers(0, 1 << 30), st.sampled_from([SMALL, FORCING]))
def test_members_and_counts_are_the_lists_turned_round(seed, system):
    deals = mixed_deals(20, seed)
    bounds = ListingBounds(1 << 20, depth=3, places=1 << 20)
    reached: dict[tuple[int, ...], set[int]] = {}
    for deal, (auctions, _) in enumerate(listed(system, deals, bounds)):
        for one in auctions:
            if len(one.calls) <= 3:
                reached.setdefault(one.calls, set()).add(deal)
    columns = members(system.bidder(), deals, list(reached))
    assert [set(np.flatnonzero(column)) for column in columns] == list(reached.values())
    for least in (1, 5):
        counted = count_allowed(system.bidder(), deals, least=least, depth=3)
        assert {
            tuple(calls): count
            for calls, count in zip(counted.calls, counted.counts.tolist(), strict=True)
        } == {calls: len(who) for calls, who in reached.items() if len(who) >= least}
        assert counted.cut in (None, "depth")


def test_members_of_any_legal_auction():
    deals = mixed_deals(50, 1)
    far = ["7C X XX 7D", "1C X XX 1D P P 2H X P P P", "P P P P"]
    columns = members(SMALL.bidder(), deals, [tuple(parse_calls(text)) for text in far])
    for column in columns:
        assert len(column) == 50
    assert not columns[0].any()
    for wrong in ("1N 1C", "1N P P P P"):
        with pytest.raises(IllegalCall):
            members(SMALL.bidder(), deals, [tuple(parse_calls(wrong))])
    assert format_calls(parse_calls(far[0])) == far[0]


def test_no_deals():
    none = mixed_deals(0, 1)
    assert listed(SMALL, none, ListingBounds()) == []
    assert count_allowed(SMALL.bidder(), none, least=1) == ([], pytest.approx(np.zeros(0)), None)
    assert len(members(SMALL.bidder(), none, [(7,)])[0]) == 0
