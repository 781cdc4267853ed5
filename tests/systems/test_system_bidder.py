"""Native places are those of the expander: entries in order, knowledge, choices, what follows."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.bidding.system_equality import differences, told
from bidcascade.bridge import PASS, IllegalCall, InvalidSystem, parse_calls
from bidcascade.kernels import DealArrays
from bidcascade.systems.auctions import bidder as bidder_module
from bidcascade.systems.auctions.bidder import FEW, Bidder
from bidcascade.systems.reference.place_entries import Expander
from bidcascade.systems.system import System
from tests.support.deals import mixed_deals
from tests.support.examples import examples, sized, some_in_check
from tests.support.systems import (
    LONGEST,
    OTHER,
    SMALL,
    SMALL_SYSTEM,
    bid_call_by_call,
    definition_of,
    systems,
)


def one_deal(deals: DealArrays, deal: int) -> DealArrays:
    """One of some deals as a deal of its own."""
    only = slice(deal, deal + 1)
    return DealArrays(deals.hands[:, only].copy(), deals.dealer[only], deals.vulnerability[only])


def assert_same(dealer_side: System, other_side: System, deals: DealArrays) -> int:
    """All places that some deals reach; how many there were."""
    bidder = Bidder(dealer_side.rules, other_side.rules)
    bidder.bid(deals)
    expander = Expander(dealer_side.rules, other_side.rules)
    for number in range(bidder.count):
        assert not differences(bidder, expander, number)
    return bidder.count


@examples(12)
@given(systems(), systems(), st.integers(0, 1000))
def test_made_systems_against_each_other(one, other, seed):
    expander = Expander(one.rules, other.rules)
    deals = mixed_deals(6, seed)
    try:
        for deal in range(len(deals)):
            bid_call_by_call(one, deals, deal, expander)
    except InvalidSystem as error:
        with pytest.raises(InvalidSystem, match=re.escape(str(error))):
            assert_same(one, other, deals)
    else:
        assert_same(one, other, deals)


def test_small_systems_against_each_other():
    assert assert_same(SMALL, OTHER, mixed_deals(150, 1)) > 200
    assert assert_same(OTHER, SMALL, mixed_deals(150, 2)) > 200


@pytest.mark.parametrize(
    ("many", "few"),
    [
        ("14+ points", "12+ points"),
        ("14+ HCP", "12+ HCP"),
        ("14+ total points", "12+ total points"),
        ("14+ support points in hearts", "12+ support points in hearts"),
        ("2+ keycards in hearts", "1+ keycards in hearts"),
        ("at most 6 losers", "at most 7 losers"),
        ("5+ controls", "3+ controls"),
        ("2.5+ quick tricks", "2+ quick tricks"),
        ("5.5+ playing tricks", "4+ playing tricks"),
        ("2+ aces", "1+ aces"),
        ("2+ kings", "1+ kings"),
        ("2+ queens", "1+ queens"),
        ("5+ spades", "4+ spades"),
        ("2 of the top three in spades", "1 of the top three in spades"),
        ("rule of 20", "rule of 18"),
        ("16+ combined points", "12+ combined points"),
    ],
)
def test_lines_that_differ_by_a_number_alone_are_two(many, few):
    text = f"opening:\n  1S = Many: {many}\n  1H = Few: {few}\n"
    system, deals = System.parse(text), mixed_deals(60, 8)
    assert assert_same(system, system, deals) > 2
    bidder = system.bidder()
    first = {bidder.auction_of(place)[:1] for place in bidder.bid(deals).place}
    assert len(first) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    some_in_check(
        (1,),
        "sayc acol",
        "two-over-one two-over-one",
        "sayc sayc",
        "acol acol",
        "two-over-one sayc",
    ),
)
def test_shipped_systems_place_by_place(names):
    one, other = (System.open(name) for name in names.split())
    deals = sized(8, 60)
    assert assert_same(one, other, mixed_deals(deals, 3)) > 5 * deals


@pytest.mark.parametrize("count", [1, 20, 300])
def test_deals_are_bid_as_call_by_call(count):
    deals = mixed_deals(count, 5)
    bidder = SMALL.bidder()
    bid = bidder.bid(deals)
    for deal in range(min(count, 40)):
        calls = (*bidder.auction_of(bid.place[deal]), PASS)
        assert calls == bid_call_by_call(SMALL, deals, deal)
    found = bidder.endings(bid.place)
    for deal in range(count):
        calls = found.calls[found.offsets[deal] : found.offsets[deal + 1]].tolist()
        assert calls == [*bidder.auction_of(bid.place[deal]), PASS]


def test_few_deals_are_bid_as_many():
    deals, bidder = mixed_deals(150, 17), SMALL.bidder()
    many = bidder.bid(deals)
    one = [bidder.bid(one_deal(deals, deal)) for deal in range(150)]
    assert [int(bid.place[0]) for bid in one] == many.place.tolist()
    assert [int(bid.entry[0]) for bid in one] == many.entry.tolist()
    assert [int(bid.defaults[0]) for bid in one] == many.defaults.tolist()


def test_deals_go_on_from_anywhere():
    deals, bidder = mixed_deals(40, 9), SMALL.bidder()
    whole = bidder.bid(deals)
    calls = bidder.auction_of(whole.place[0])[:2]
    same = [deal for deal in range(40) if bidder.auction_of(whole.place[deal])[:2] == calls]
    some = DealArrays(deals.hands[:, same].copy(), deals.dealer[same], deals.vulnerability[same])
    assert bidder.bid(some, calls).place.tolist() == whole.place[same].tolist()


def test_what_is_dropped_is_worked_out_again():
    deals = mixed_deals(200, 4)
    free, tight = Bidder(SMALL.rules), Bidder(SMALL.rules, budget=1 << 16)
    expected = [free.auction_of(place) for place in free.bid(deals).place]
    for _ in range(3):
        assert [tight.auction_of(place) for place in tight.bid(deals).place] == expected
    free.forget_rows()
    more = mixed_deals(200, 5)
    again = [free.auction_of(place) for place in free.bid(more).place]
    assert again == [tight.auction_of(place) for place in tight.bid(more).place]


def test_unbounded_growth_ends():
    text = "general:\n  cheapest X = On and on: any hand; forcing\n  cheapest NT = And on: any hand"
    system = System.parse(text)
    deals = mixed_deals(3, 1)
    for deal, place in enumerate(system.bidder().bid(deals).place):
        calls = (*system.bidder().auction_of(place), PASS)
        assert calls == bid_call_by_call(system, deals, deal)
        assert len(calls) > 30


def test_the_longest_auction():
    calls = parse_calls(LONGEST)
    assert len(calls) == 317
    assert told(SMALL.bidder().place(calls)) == told(definition_of(SMALL).place(calls))


def test_illegal_auctions_are_refused():
    with pytest.raises(IllegalCall, match="insufficient"):
        SMALL.expand("1N 1C")
    with pytest.raises(IllegalCall, match="goes on"):
        SMALL.expand("1N P P P")


def test_several_threads_may_bid():
    bidder = System.parse(SMALL_SYSTEM).bidder()
    deals = mixed_deals(30, 2)
    expected = [bid_call_by_call(SMALL, deals, deal) for deal in range(30)]
    wrong = []

    def ask() -> None:
        for deal in range(30):
            bid = bidder.bid(one_deal(deals, deal))
            if (*bidder.auction_of(bid.place[0]), PASS) != expected[deal]:
                wrong.append(deal)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.fixture
def with_threads(monkeypatch):
    """Have so many threads work places out, on one or two cores as well."""

    def set_threads(count: int) -> None:
        pool = ThreadPoolExecutor(count)
        monkeypatch.setattr(bidder_module, "thread_count", lambda: count)
        monkeypatch.setattr(
            bidder_module, "in_blocks", lambda work, starts: list(pool.map(work, starts))
        )

    return set_threads


def all_auctions(bidder: Bidder, deals: DealArrays) -> list[tuple[tuple[int, ...], int]]:
    """Auctions of deals with their passes by default."""
    bid = bidder.bid(deals)
    return list(zip(map(bidder.auction_of, bid.place), bid.defaults.tolist(), strict=True))


@cache
def bid_alone() -> tuple[DealArrays, list[tuple[tuple[int, ...], int]]]:
    """Deals, and how they are bid a few at a time, by one thread."""
    deals = mixed_deals(sized(400, 4000), 12)
    alone = Bidder(System.open("sayc").rules, System.open("acol").rules)
    few = [deals.slice(start, start + FEW) for start in range(0, len(deals), FEW)]
    return deals, [auction for part in few for auction in all_auctions(alone, part)]


@pytest.mark.parametrize("count", [1, 2, 16])
@pytest.mark.parametrize("is_tight", [False, True])
def test_threads_learn_side_by_side(with_threads, count, is_tight):
    """What one of them learns others ask for at the same time."""
    one, other = System.open("sayc"), System.open("acol")
    deals, expected = bid_alone()
    with_threads(count)
    bidder = Bidder(one.rules, other.rules, budget=1 << (18 if is_tight else 29))
    for _ in range(2):
        assert all_auctions(bidder, deals) == expected
    if not is_tight:
        expander = Expander(one.rules, other.rules)
        for number in range(0, bidder.count, bidder.count // 25):
            assert not differences(bidder, expander, number)


def test_threads_tell_what_is_wrong_with_a_text(with_threads):
    wrong = "when game reached:\n  7NT = Wrong: {QT * 2 + HCP > 14}\n"
    message = re.escape("in {QT * 2 + HCP > 14}: expected no product with quick tricks")
    with_threads(16)
    bidder, deals = System.parse(f"{SMALL_SYSTEM}\n{wrong}").bidder(), mixed_deals(3000, 3)
    for _ in range(2):
        with pytest.raises(InvalidSystem, match=message):
            bidder.bid(deals)
    # it bids where nothing is wrong
    assert bidder.auction_of(bidder.reach(parse_calls("1C"))) == tuple(parse_calls("1C"))


def test_overlaid_places_choose_what_overlays_say():
    calls = tuple(parse_calls("1N P"))
    criteria = SMALL.expand().entries[0].criteria
    bidder = Bidder(SMALL.rules, instead={calls: [(20, (), "Overlaid")], (): [(7, criteria, "x")]})
    bid = bidder.bid(mixed_deals(1, 1), calls)
    assert bidder.auction_of(bid.place[0])[:3] == (*calls, 20)
    behind = (*calls, 20)
    assert told(bidder.place(behind)) == told(definition_of(SMALL).place(behind))
