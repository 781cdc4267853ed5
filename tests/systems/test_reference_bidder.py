"""Bidding by the definition: as the core bids, and for all who have no core."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidcascade.bridge import (
    BackendUnavailable,
    InvalidSystem,
    format_calls,
    format_hand,
    parse_calls,
)
from bidcascade.engine import Engine
from bidcascade.engine.questions.bidding.bids import BidAnswer
from bidcascade.engine.questions.parts.answer_fields import answer_of, plain
from bidcascade.kernels import Context, DealArrays, backend_name, why_unavailable
from bidcascade.kernels.core import functions
from bidcascade.loaders import random_deals
from bidcascade.systems import open_system
from bidcascade.systems.any_bidder import bidder_of
from bidcascade.systems.auctions.allowed import ListingBounds, list_allowed
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.systems.reference import bidder as reference_bidder
from bidcascade.systems.reference.bidder import ReferenceBidder
from bidcascade.systems.system import System
from bidcascade.table.language.expressions import parse_expression
from tests.support.cli import Ran, run_apart, run_python
from tests.support.deals import mixed_deals
from tests.support.examples import examples, some_in_check
from tests.support.systems import LONGEST, OTHER, SMALL, systems

FEW = mixed_deals(24, seed=8)
SAYC = open_system("sayc")
INSTEAD = {
    (): [
        (3, (parse_expression("HCP >= 11"),), "Club"),
        (0, (parse_expression("HCP <= 9"),), "Weak"),
    ],
    tuple(parse_calls("1C")): [],
    tuple(parse_calls("1C P")): [(7, (parse_expression("HCP >= 8"),), "Answer")],
}


def both(*rules: Any, **options: Any) -> tuple[Bidder, ReferenceBidder]:
    return Bidder(*rules, **options), ReferenceBidder(*rules, **options)


def name_of(places: Bidder | ReferenceBidder, calls: tuple[int, ...], entry: int) -> str:
    return "" if entry < 0 else places.sides[(len(calls) - 1) % 2].name(entry)


def bids(places: Bidder | ReferenceBidder, deals: DealArrays, before: tuple[int, ...] = ()) -> Any:
    """Auctions that places bid, with what they lead to and what made the last call."""
    found = places.bid(deals, before)
    ends = places.endings(found.place)
    calls, offsets = ends.calls.tobytes(), ends.offsets.tolist()
    auctions = [calls[start:end] for start, end in pairwise(offsets)]
    assert auctions == places.ending_with(found.place, np.zeros(len(deals), np.uint8))
    names = [
        name_of(places, tuple(one), entry)
        for one, entry in zip(auctions, found.entry.tolist(), strict=True)
    ]
    assert names == [
        places.name(place, entry)
        for place, entry in zip(found.place.tolist(), found.entry.tolist(), strict=True)
    ]
    return auctions, names, found.defaults.tolist(), ends.contract.tolist(), ends.declarer.tolist()


def listed(places: Bidder | ReferenceBidder, deals: DealArrays, bounds: ListingBounds) -> Any:
    with places.lock:
        if isinstance(places, Bidder):
            found = list_allowed(places, deals, bounds)
        else:
            found = places.list_allowed(deals, bounds)
        auctions = places.ending_with(found.place, found.call)
        ends = found.held_offsets.tolist()
        names = [
            [name_of(places, tuple(calls), entry) for entry in found.held[start:end].tolist()]
            for calls, (start, end) in zip(auctions, pairwise(ends), strict=True)
        ]
    return auctions, names, found.completed.tolist(), found.offsets.tolist(), found.cut.tolist()


def step_rows(places: Bidder | ReferenceBidder, deals: DealArrays) -> Any:
    return [
        sorted(
            (deal, call, places.auction_of(place), places.name(place, entry))
            for deal, place, entry, call in zip(*(one.tolist() for one in step), strict=True)
        )
        for step in places.steps(deals)
    ]


@examples(25, 100)
@given(system=systems(), other=systems(), seed=st.integers(0, 1000))
def test_it_bids_as_the_core_does(system: System, other: System, seed: int) -> None:
    deals = mixed_deals(5, seed)
    core, defined = both(system.rules, other.rules)
    try:
        expected = bids(core, deals)
    except InvalidSystem:
        with pytest.raises(InvalidSystem):
            bids(defined, deals)
        return
    assert bids(defined, deals) == expected
    assert step_rows(defined, deals) == step_rows(core, deals)


@pytest.mark.parametrize("rules", [(SMALL.rules, OTHER.rules), (OTHER.rules,), (SAYC.rules,)])
@pytest.mark.parametrize("before", some_in_check((2,), "", "1C P", "1N P 2C P"))
def test_whole_auctions(rules: Any, before: str) -> None:
    core, defined = both(*rules)
    calls = tuple(parse_calls(before))
    assert bids(defined, FEW, calls) == bids(core, FEW, calls)


def test_steps_of_no_deals() -> None:
    none = mixed_deals(0, seed=1)
    assert step_rows(ReferenceBidder(SMALL.rules), none) == []
    assert bids(ReferenceBidder(SMALL.rules), none) == ([], [], [], [], [])


BOUNDS = (
    ListingBounds(), ListingBounds(limit=3), ListingBounds(depth=3), ListingBounds(places=4),
    ListingBounds(completed_only=True), ListingBounds(limit=1),
    ListingBounds(2, 2, 2, completed_only=True),
)  # fmt: skip


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_lists_of_auctions(bounds: ListingBounds) -> None:
    core, defined = both(SMALL.rules, OTHER.rules)
    assert listed(defined, FEW, bounds) == listed(core, FEW, bounds)


@settings(max_examples=10)
@given(system=systems(), seed=st.integers(0, 1000), bounds=st.sampled_from(BOUNDS[1:]))
def test_lists_of_random_systems(system: System, seed: int, bounds: ListingBounds) -> None:
    deals = mixed_deals(3, seed)
    core, defined = both(system.rules)
    try:
        expected = listed(core, deals, bounds)
    except InvalidSystem:
        return
    assert listed(defined, deals, bounds) == expected


def test_what_overlays_say_instead() -> None:
    core, defined = both(SMALL.rules, OTHER.rules, instead=INSTEAD)
    assert bids(defined, FEW) == bids(core, FEW)
    assert listed(defined, FEW, ListingBounds(limit=20)) == listed(
        core, FEW, ListingBounds(limit=20)
    )
    assert step_rows(defined, FEW) == step_rows(core, FEW)
    made = defined.call((), int(FEW.hands[0, 0]), Context())
    assert made is not None
    assert defined.sides[0].is_foreign(made.entry) or made.by_default
    # what the calls mean stays
    assert defined.place(()) == ReferenceBidder(SMALL.rules, OTHER.rules).place(())


@pytest.mark.parametrize(
    "auction", some_in_check((0, 3), "", "P P P", "1C", "1N P 2C P", "1D 1S X XX", LONGEST)
)
def test_one_call(auction: str) -> None:
    core, defined = both(SAYC.rules)
    calls = tuple(parse_calls(auction))
    for deal in range(6):
        hand, context = (
            int(FEW.hands[0, deal]),
            Context(len(calls) % 4 + 1, deal & 1, deal >> 1 & 1),
        )
        expected, made = core.call(calls, hand, context), defined.call(calls, hand, context)
        assert expected is not None
        assert made is not None
        assert made[2:] == expected[2:]
        assert name_of(defined, (*calls, 0), made.entry) == name_of(
            core, (*calls, 0), expected.entry
        )
        assert defined.auction_of(made.place) == core.auction_of(expected.place) == calls
        assert defined.entry_count_at(made.place) == core.entry_count_at(expected.place)
    assert defined.place(calls) == core.place(calls)


@pytest.mark.parametrize("calls", [(0, 0, 0, 0), (7, 3), (1,), (7, 0, 0, 0), (38,), (255,)])
def test_no_call_where_there_is_none_to_make(calls: tuple[int, ...]) -> None:
    core, defined = both(SMALL.rules)
    assert core.call(calls, int(FEW.hands[0, 0]), Context()) is None
    assert defined.call(calls, int(FEW.hands[0, 0]), Context()) is None


def test_entries_keep_their_numbers_where_places_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference_bidder, "_MOST_PLACES", 10)
    places = ReferenceBidder(SMALL.rules)
    before, made = places.store, places.call((), int(FEW.hands[0, 0]), Context())
    assert made is not None
    expected = bids(places, FEW)
    assert places.count > 10
    assert bids(places, FEW) == expected
    assert places.store is not before
    again = places.call((), int(FEW.hands[0, 0]), Context())
    assert again == made
    assert len(places.sides) == 2
    assert places.sides[0].entry(made.entry, 5).rank == 5


# --- the backend reference, and no core -----------------------------------------------------------


def answers(engine: Engine) -> Any:
    deals = random_deals(6, seed=31)
    found = [
        engine.auctions(deals, mode="first"),
        engine.auctions(deals, limit=4),
        engine.auctions(deals, limit=3, completed_only=True, max_depth=9),
    ]
    told = [frame.to_dicts() for frame in found]
    hands = [format_hand(int(hand)) for hand in FEW.hands[0, :4]]
    for auction in ("", "1C P", "1N P 2H P"):
        told += [[plain(answer_of(BidAnswer, engine.bid(hand, auction)))] for hand in hands]
    return told


@pytest.mark.parametrize("system", [SMALL, SAYC], ids=["small", "sayc"])
def test_the_backend_reference_answers_by_the_definition(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = answers(Engine(system, "cpu"))
    engine = Engine(System(system.text), "reference")
    monkeypatch.delattr(functions, "bid_few")
    monkeypatch.delattr(functions, "call_of_hand")
    monkeypatch.delattr(functions, "list_deals")
    assert answers(engine) == expected
    assert engine.backend == "reference"


def test_notes_and_the_rest_of_auctions() -> None:
    deals = mixed_deals(8, seed=5)
    found = [bidder_of(OTHER, name) for name in ("cpu", "reference")]
    auctions = [[*calls] for calls in bids(ReferenceBidder(OTHER.rules), deals)[0]]
    first, second = (one.notes(deals, auctions) for one in found)
    assert second == first
    calls = parse_calls("1N P")
    ends = [one.bid_from(calls, deals) for one in found]
    by_deal = [[format_calls(auctions[at]) for at in which] for auctions, which in ends]
    assert by_deal[0] == by_deal[1]


@pytest.fixture
def no_core(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take the library away, as if none were found."""
    functions.function.cache_clear()
    monkeypatch.setattr(functions, "load", lambda: None)
    yield
    functions.function.cache_clear()


def test_answers_are_the_same_without_the_core(request: pytest.FixtureRequest) -> None:
    expected = answers(Engine(SMALL, "cpu"))
    place = SMALL.place(parse_calls("1N P"))
    choice = SMALL.bid(int(FEW.hands[0, 0]), "1C P")
    state = SMALL.state("1N P 2C")
    request.getfixturevalue("no_core")
    system = System(SMALL.text)
    engine = Engine(system)
    engine.warm_up()
    assert answers(engine) == expected
    assert [one.call for one in system.place(parse_calls("1N P")).entries] == [
        one.call for one in place.entries
    ]
    assert system.bid(int(FEW.hands[0, 0]), "1C P").call == choice.call
    assert system.state("1N P 2C").knowledge == state.knowledge
    assert engine.explain("1N P 2C").calls


@pytest.mark.usefixtures("no_core")
def test_what_wants_the_core_says_so() -> None:
    assert backend_name("auto") in ("reference", "cuda")
    assert why_unavailable("reference") is None
    assert why_unavailable("cpu") == "the core's library cannot be loaded"
    with pytest.raises(BackendUnavailable, match="backend 'cpu' cannot run here: "):
        Engine(SMALL, "cpu")
    engine = Engine(System(SMALL.text))
    for ask in (engine.counts, lambda deals: engine.members(deals, ["1N"])):
        with pytest.raises(BackendUnavailable, match="expected the core's library"):
            ask(random_deals(3, seed=1))


WITHOUT_LIBRARY = """
import pathlib, sys
from bidcascade.kernels.core import library
library.find_compiler = lambda: None
library.checkout_folder = lambda *_: pathlib.Path(sys.argv[1])
del sys.argv[1]
from bidcascade.service.cli import main
sys.exit(main())
"""


def without_library(folder: Path, *arguments: str) -> Ran:
    return run_python(WITHOUT_LIBRARY, folder / "nothing", *arguments)


@pytest.mark.checkout
def test_the_command_line_bids_and_warns_once(tmp_path: Path) -> None:
    bid = ("bid", "AK52.AQ3.976.KJ2", "--table", "sayc")
    found = without_library(tmp_path, *bid)
    assert (found.code, found.out.split()[0]) == (0, "1N")
    assert found.err.count("\n") == 1
    assert "bidding goes on without it and slowly" in found.err
    assert "install g++ or clang++, or `pip install 'ziglang" in found.err
    deals = "N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876"
    for mode in ("first", "all"):
        asked = ("auctions", deals, "--mode", mode, "--table", "sayc")
        limit = () if mode == "first" else ("--limit", "4")
        slow = without_library(tmp_path, *asked, *limit)
        fast = run_apart(*asked, *limit)
        assert (slow.code, slow.out) == (fast.code, fast.out)
        assert slow.err.count("cannot be loaded") == 1
