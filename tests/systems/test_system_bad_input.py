"""Texts, auctions, overlays and interruptions that a bidder must stand, with the right answers."""

import re
import signal
from dataclasses import replace
from typing import Any

import pytest

from bidcascade.bridge import PASS, Auction, InvalidSystem, parse_calls
from bidcascade.kernels import DealArrays
from bidcascade.systems.auctions.allowed import CUTS, ListingBounds, list_allowed
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.systems.checking.check import check_system
from bidcascade.systems.language.reading.sources import MOST_LINES
from bidcascade.systems.places.places import Place
from bidcascade.systems.reference.allowed_auctions import allowed_auctions
from bidcascade.systems.reference.place_entries import Expander, constraint_of
from bidcascade.systems.system import System
from bidcascade.table.language.expressions import parse_expression
from tests.support.deals import mixed_deals
from tests.support.systems import LONGEST, SMALL_SYSTEM, bid_call_by_call, definition_of

SMALL = System.parse(SMALL_SYSTEM)
FORCING = System.parse(
    """
opening:
  Pass = Never: 37+ points
  1X = Any: any hand; forcing
general:
  Double = Doubled: 9+ points; forcing
  Redouble = Again: 7+ points; forcing
  cheapest X = On and on: 4+ X; forcing
  cheapest NT = And on: any hand; forcing
"""
)


def auctions(bidder: Bidder, deals: DealArrays) -> list[tuple[int, ...]]:
    return [(*bidder.auction_of(place), PASS) for place in bidder.bid(deals).place]


def fresh() -> Bidder:
    return Bidder(SMALL.rules)


# --- texts ----------------------------------------------------------------------------------------


def test_a_system_without_end_keeps_to_its_budget():
    bidder = Bidder(FORCING.rules, budget=1 << 20)
    for seed in range(6):
        deals, alone = mixed_deals(120, seed), Bidder(FORCING.rules)
        found = auctions(bidder, deals)
        assert found == auctions(alone, deals)
        assert all(Auction.of(calls).is_complete and len(calls) <= 319 for calls in found)
        assert max(map(len, found)) > 50
        # what the deals themselves reach comes on top
        assert bidder.bytes <= bidder.budget + alone.bytes
    assert found[:3] == [bid_call_by_call(FORCING, deals, deal) for deal in range(3)]


@pytest.mark.slow
def test_questions_about_places_keep_to_the_budget():
    bidder = Bidder(FORCING.rules, budget=1 << 20)
    asked = Bidder(FORCING.rules)
    for calls in auctions(asked, mixed_deals(300, 1)):
        for length in range(1, len(calls) - 3):
            bidder.place(calls[:length])
    assert asked.bytes > 3 * bidder.budget
    assert bidder.bytes < 2 * bidder.budget
    assert bidder.place(calls[:5]) == asked.place(calls[:5])


@pytest.mark.slow
def test_a_very_long_text_is_bid():
    """As many lines as a system may have, and all may apply at every place."""
    suits = ("clubs", "diamonds", "hearts", "spades")
    lines = [
        f"  cheapest {suits[number % 4]} = Line {number}: {12 + number % 20}+ points, "
        f"{number % 7}+ hearts, {number % 5}+ spades"
        for number in range(MOST_LINES - 3)
    ]
    text = "\n".join(["opening:", "  1C = Any: any hand", "general:", *lines])
    deals = mixed_deals(100, 3)
    found = auctions(Bidder(System.parse(text).rules), deals)
    # a line needs no more than one of the first 420 does
    short = "\n".join(text.split("\n")[: 3 + 420])
    assert found == auctions(Bidder(System.parse(short).rules), deals)
    assert len(set(found)) > 2


@pytest.mark.parametrize("both", ["12-14 points and 15+ points", "12-14 points, 15+ points"])
def test_lines_that_contradict_themselves_are_refused(both):
    with pytest.raises(InvalidSystem) as caught:
        System.parse(f"opening:\n  1C = Clubs: 12+ points\n  1NT = Never: {both}", name="x.bidding")
    first, line, mark = str(caught.value).splitlines()
    assert first.startswith("x.bidding:3: no hand has 12-14 points and 15+ points")
    assert line[mark.index("^") :] == "15+ points"


def test_hidden_contradictions_are_told_and_bidding_goes_on():
    text = """
define fair = 12-14 points
opening:
  1NT = Never: fair, 15+ points
  2NT = Neither: {HCP <= 14}, {HCP >= 15}
  1C = Clubs: 12+ points
after 1C:
  1D = Never here: {SL_D > 9}, at most 3 diamonds
  1H = Hearts: 4+ hearts
"""
    system = System.parse(text, name="x.bidding")
    never = ("1NT", "2NT", "1D")
    rest = "\n".join(line for line in text.split("\n") if line.split(" = ")[0].strip() not in never)
    deals = mixed_deals(200, 1)
    assert auctions(system.bidder(), deals) == auctions(System.parse(rest).bidder(), deals)
    findings = check_system(system, deals=500).findings
    dead = [one.text.split(": ")[0] for one in findings if one.kind == "dead line"]
    assert dead == ["x.bidding:4 Never", "x.bidding:5 Neither", "x.bidding:8 Never here"]


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("QT * 2 + HCP > 14", "expected no product with quick tricks or halves, got 'QT * 2'"),
        ("HCP > 3.5", "expected a half only beside quick tricks, got 'HCP > 3.5'"),
        ("Pattern > 3", "expected Pattern == or != a shape in quotes"),
    ],
)
def test_an_expression_that_means_nothing_is_told_with_its_line(written, reason):
    """Lines behind it, which the same place learns too, do not hide it."""
    text = f"opening:\n  1S = Wrong: {{{written}}}\n  1H = Fine: 5+ hearts\n  1C = Any: any hand"
    system = System.parse(text, name="x.bidding")
    message = re.escape(f"x.bidding:2: in {{{written}}}: {reason}")
    for bid in (lambda: system.place([]), lambda: system.bidder().bid(mixed_deals(9, 1))):
        for _ in range(2):
            with pytest.raises(InvalidSystem, match=message):
                bid()


# --- the longest auction --------------------------------------------------------------------------


@pytest.mark.slow
def test_bidding_goes_on_after_317_calls():
    calls = parse_calls(LONGEST)
    assert len(calls) == 317
    for system in (SMALL, FORCING):
        for count in (2, 100):
            found = auctions_after(system, calls, mixed_deals(count, 1))
            assert {len(one) for one in found} == {319}
            assert all(Auction.of(one).is_complete for one in found)


def auctions_after(system: System, calls: list[int], deals: DealArrays) -> list[tuple[int, ...]]:
    bidder = Bidder(system.rules)
    return [(*bidder.auction_of(place), PASS) for place in bidder.bid(deals, calls).place]


# --- interruptions --------------------------------------------------------------------------------


def interrupted(monkeypatch, owner, name, after, *, begun) -> None:
    """Interrupt the one who calls a function for the nth time, before or after it did its work."""
    original, calls = getattr(owner, name), iter(range(after))

    def instead(*given, **named):
        if next(calls, None) is None:
            if begun:
                original(*given, **named)
            raise KeyboardInterrupt
        return original(*given, **named)

    monkeypatch.setattr(owner, name, instead)


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("count", [20, 150])
@pytest.mark.parametrize(
    ("name", "after"),
    [("_make_ready", 0), ("_make_ready", 7), ("_make_room", 3), ("_pack", 0), ("_tried", 2)],
)
def test_an_interrupted_bidder_goes_on(monkeypatch, name, after, count, begun):
    deals, bidder = mixed_deals(count, 5), fresh()
    with monkeypatch.context() as patched:
        interrupted(patched, Bidder, name, after, begun=begun)
        with pytest.raises(KeyboardInterrupt):
            # few deals need not come by
            [bidder.bid(mixed_deals(150, seed)) for seed in range(9)]
    assert auctions(bidder, deals) == auctions(fresh(), deals)


@pytest.mark.parametrize("after", [0, 1, 2, 4, 7, 12, 20])
def test_an_interrupted_question_spoils_no_later_one(monkeypatch, after):
    deals, bidder = mixed_deals(150, 5), fresh()
    expected = auctions(fresh(), deals)
    with monkeypatch.context() as patched:
        interrupted(patched, Bidder, "_blocks", after, begun=True)
        with pytest.raises(KeyboardInterrupt):
            [bidder.place(calls[:3]) for calls in expected]
    assert auctions(bidder, deals) == expected


def bid_until_broken_off(bidder: Bidder, milliseconds: int) -> None:
    signal.setitimer(signal.ITIMER_REAL, milliseconds / 1000)
    for seed in range(10_000):
        bidder.bid(mixed_deals(150, seed))


def test_ctrl_c_at_any_time_leaves_nothing_half_done():
    """A call of the core ends before the signal is looked at; what was begun is begun anew."""
    deals = mixed_deals(40, 5)
    expected = auctions(fresh(), deals)

    def break_off(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, break_off)
    try:
        bidder = fresh()
        for milliseconds in (1, 2, 3, 5, 8, 13, 21):
            with pytest.raises(KeyboardInterrupt):
                bid_until_broken_off(bidder, milliseconds)
            assert auctions(bidder, deals) == expected
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_deals_that_were_left_on_the_way_are_bid_later():
    deals, bidder = mixed_deals(150, 5), fresh()
    for _ in bidder.steps(deals, least=20):
        pass
    assert bidder.left_open
    assert auctions(bidder, deals) == auctions(fresh(), deals)


# --- overlays -------------------------------------------------------------------------------------


class Overlaid:
    """The definition with other entries at some places; calls mean what they meant."""

    def __init__(self, expander: Expander, instead: dict[tuple[int, ...], list[Any]]) -> None:
        self.sides, self._expander, self._instead = expander.sides, expander, instead

    def place(self, calls: tuple[int, ...]) -> Place:
        place = self._expander.place(calls)
        if calls not in self._instead:
            return place
        like = self._expander.place(()).entries[0]
        return replace(
            place,
            entries=tuple(
                replace(
                    like,
                    call=call,
                    name=name,
                    constraint=constraint_of(criteria, SMALL.rules.vocabulary),
                )
                for call, criteria, name in self._instead[calls]
            ),
        )


@pytest.mark.parametrize(
    "bounds",
    [
        ListingBounds(),
        ListingBounds(7),
        ListingBounds(depth=3),
        ListingBounds(places=4),
        ListingBounds(3, completed_only=True),
    ],
)
def test_mode_all_with_overlays_is_the_definition(bounds):
    opening = [("HCP >= 14", 7, "Strong"), ("SL_D >= 3", 4, "Diamonds"), ("HCP >= 0", 7, "Any")]
    after = [("SL_S >= 4", 20, "Spades"), ("HCP <= 9", PASS, "Weak")]
    instead = {
        tuple(parse_calls(calls)): [
            (call, (parse_expression(said),), name) for said, call, name in some
        ]
        for calls, some in (("", opening), ("1N P", after), ("1D", []))
    }
    bidder = Bidder(SMALL.rules, instead=instead)
    expander: Any = Overlaid(definition_of(SMALL), instead)
    deals = mixed_deals(25, 8)
    with bidder.lock:
        found = list_allowed(bidder, deals, bounds)
        calls = [tuple(one) for one in bidder.ending_with(found.place, found.call)]
        names = [
            tuple(dict.fromkeys(map(bidder.sides[0].name, found.held[start:stop].tolist())))
            for start, stop in zip(found.held_offsets, found.held_offsets[1:], strict=False)
        ]
    for deal, (start, stop) in enumerate(zip(found.offsets, found.offsets[1:], strict=False)):
        expected, cut = allowed_auctions(expander, deals, deal, bounds)
        assert CUTS[found.cut[deal]] == cut
        assert calls[start:stop] == [one.calls for one in expected]
        assert [tuple(filter(None, one)) for one in names[start:stop]] == [
            one.variants for one in expected
        ]
        assert found.completed[start:stop].tolist() == [one.completed for one in expected]
