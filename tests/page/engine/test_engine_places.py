"""The engine's places, states, meanings, choices and explanations are the reference's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    CALL_COUNT,
    CALL_TEXTS,
    Auction,
    BidcascadeError,
    IllegalCall,
    InvalidCall,
    parse_calls,
)
from bidcascade.systems import named_systems
from bidcascade.systems.language.text_cache import rows_of_tree
from bidcascade.systems.reference.place_entries import Expander
from bidcascade.systems.system import System
from tests.page.engine.support_places import assert_engine_agrees, bid_by_reference, forced_calls
from tests.support.auctions import random_auction
from tests.support.deals import mixed_deals
from tests.support.examples import examples, sized, some_in_check
from tests.support.systems import BY_SIDES, LONGEST, OTHER, SMALL, definition_of, systems
from tests.systems.words.test_cell_words import MULTI

pytestmark = pytest.mark.slow

DEALS = sized(5, 60)
"""Deals of a shipped system that are bid as it bids them; as many again with a call put in."""
_NAMES = sorted(named_systems(), key=lambda name: name != "precision")
"""In the check natural systems are bid and a strong club is explained; all are by the core."""
_PAIRS = [("sayc", "acol"), *((name, name) for name in _NAMES)]


def assert_deals_agree(engine, one, other, count, seed, *, explained=False):
    expander = Expander(one.rules, other.rules)
    deals = mixed_deals(count, seed)
    bid = bid_by_reference(expander, deals, [{}] * count, explained=explained)
    pair = [("one", one), ("other", other)]
    assert_engine_agrees(engine, pair, bid)
    put_in = [
        forced_calls(seed + deal, [call for call, *_ in made])
        for deal, made in enumerate(bid.choices)
    ]
    beside = bid_by_reference(expander, deals, put_in, explained=explained)
    assert_engine_agrees(engine, pair, beside)
    return {**bid.places, **beside.places}


@pytest.mark.parametrize("names", some_in_check(1, *_PAIRS), ids=" ".join)
def test_deals_are_bid_as_by_the_reference(engine, names):
    one, other = map(System.open, names)
    places = assert_deals_agree(engine, one, other, DEALS, 7)
    assert len(places) > 5 * DEALS


@pytest.mark.parametrize("name", some_in_check(1, *_NAMES))
def test_auctions_are_explained_as_by_the_reference(engine, name):
    system = System.open(name)
    assert_deals_agree(engine, system, system, sized(1, 12), 11, explained=True)


def test_calls_of_several_meanings_are_explained_as_by_the_reference(engine):
    assert_deals_agree(engine, MULTI, MULTI, 20, 5, explained=True)


def test_calls_of_a_vulnerability_are_explained_as_by_the_reference(engine):
    assert_deals_agree(engine, BY_SIDES, BY_SIDES, 8, 3, explained=True)


def test_small_systems_against_each_other(engine):
    assert_deals_agree(engine, SMALL, OTHER, 8, 1, explained=True)
    assert_deals_agree(engine, OTHER, SMALL, 6, 2)


@examples(25)
@given(systems(), systems(), st.integers(0, 1000))
def test_made_systems_against_each_other(engine, one, other, seed):
    assert_deals_agree(engine, one, other, 4, seed)


def test_the_longest_auction(engine):
    calls = parse_calls(LONGEST)
    expander = definition_of(SMALL)
    told = engine(
        """async (load, [rows, calls]) => {
            const { systemOfRows } = await load("language/rows");
            const { Rules } = await load("places/places");
            const { Bidder } = await load("bidding/bidder");
            const place = new Bidder(new Rules(systemOfRows(rows))).place(calls);
            return place.entries.map((entry) => [entry.call, entry.criteria.map(String)]);
        }""",
        [rows_of_tree(SMALL.text), list(calls)],
    )
    assert told == [
        [one.call, list(one.constraint.texts())] for one in expander.place(calls).entries
    ]


# --- calls ----------------------------------------------------------------------------------------

_ASK = """async (load, [what, given]) => {
    const calls = await load("deals/calls");
    const tell = (one) => {
        try { return what === "auction" ? told(calls.Auction.of(one)) : calls[what](one); }
        catch (error) { return `${error.name}: ${error.message}`; }
    };
    const told = (one) => [
        one.legalCalls(), one.isComplete, one.lastBid, one.lastBidder, one.doubling,
        one.trailingPasses,
    ];
    return given.map(tell);
}"""


def _told(make, value):
    try:
        return make(value)
    except BidcascadeError as error:
        return f"{type(error).__name__}: {error}"


def test_calls_are_read_as_by_the_reference(engine):
    texts = [*CALL_TEXTS, "pass", "Dbl", "rd", "R", "double", "4♠", "7nt", "1n",
             " 1N P, 2c-dbl ", "", "8C", "1", "it's", "a\tb", 'say "x"']  # fmt: skip
    expected = [_told(lambda text: list(parse_calls(text)), text) for text in texts]
    assert engine(_ASK, ["parseCalls", texts]) == expected
    assert any(InvalidCall.__name__ in str(one) for one in expected)


def test_auctions_are_as_legal_as_by_the_reference(engine):
    def told(calls):
        made = Auction.of(calls)
        return [list(made.legal_calls()), made.is_complete, made.last_bid, made.last_bidder,
                made.doubling, made.trailing_passes]  # fmt: skip

    auctions = [list(random_auction(seed)) for seed in range(200)]
    every = [[*calls, seed % (CALL_COUNT + 1)] for seed, calls in enumerate(auctions)]
    expected = [_told(told, calls) for calls in auctions + every]
    assert engine(_ASK, ["auction", auctions + every]) == expected
    assert sum(IllegalCall.__name__ in str(one) for one in expected) > 20
