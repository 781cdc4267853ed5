"""Layouts that fit an auction: against plain rejection, seeds, relaxation, bad questions."""

import gc
import threading
import time
import weakref

import numpy as np
import pytest

from bidcascade.bridge import (
    FULL_DECK,
    PASS,
    Cancelled,
    IllegalCall,
    InvalidDeal,
    InvalidHand,
    NoSuchDeal,
    Seat,
    TimedOut,
    Vulnerability,
    format_hand,
    parse_calls,
    parse_hand,
)
from bidcascade.inference import Constraints, interpret, sample_layouts
from bidcascade.inference.layouts import judging
from bidcascade.inference.layouts.judging import Judge, steps_of
from bidcascade.inference.layouts.known import known_by_seat
from bidcascade.inference.layouts.meanings import read_auction
from bidcascade.inference.layouts.result import deals_of, effective_size
from bidcascade.inference.layouts.searching import (
    Attempt,
    LayoutQuestion,
    LayoutSearch,
    SearchLimits,
)
from bidcascade.kernels import get_backend
from bidcascade.kernels.dealing import deal_hands
from bidcascade.systems import System, open_system
from bidcascade.systems.places.choice import choose
from bidcascade.systems.places.turn_context import context_at
from bidcascade.systems.tables.overlaid_system import OverlaidPlaces
from bidcascade.table import build_table
from bidcascade.table.deal_conditions import DealCondition
from tests.inference.layouts.support_layouts import (
    deal_at_random,
    differs,
    hand_points,
    suit_lengths,
)
from tests.support.deals import plain_deals

LEADER = "QJ98.54.K732.T65"
GAME = "1N P 2C P 2H P 3N P P P"


@pytest.fixture(scope="module")
def sayc():
    return open_system("sayc")


@pytest.mark.parametrize(
    ("auction", "dealer", "sides"),
    [(GAME, "N", "None"), ("1S X P 2H", "E", "EW"), ("3D P P X P 4S", "S", "Both")],
)
def test_calls_are_judged_as_the_system_makes_them(sayc, auction, dealer, sides):
    """The judge of many layouts against the choice of single hands."""
    layouts = sample_layouts(sayc, auction, count=30, seed=1, dealer=dealer, vulnerability=sides)
    calls = tuple(parse_calls(auction))
    others = deal_hands(5, 0, 60)
    hands = np.concatenate([layouts.hands, others], axis=1)
    steps = read_auction(sayc, calls, layouts.dealer)
    verdicts = Judge(steps).verdicts(
        deals_of(hands, layouts.dealer, layouts.vulnerability), get_backend("cpu")
    )
    few = deals_of(hands[:, ::9], layouts.dealer, layouts.vulnerability)
    assert (Judge(steps).verdicts(few, get_backend("reference")) == verdicts[::9]).all()
    assert verdicts[:30].all()
    assert not verdicts[30:].all(axis=1).any()
    for number, call in enumerate(calls):
        place = sayc.expand(calls[:number])
        context = context_at(number, dealer, sides)
        seat = steps[number].seat
        made = [
            choose(place, int(hand), context, sayc.vocabulary).call == call for hand in hands[seat]
        ]
        assert verdicts[:, number].tolist() == made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("auction", "seat", "hand", "tried"),
    [
        (GAME, Seat.EAST, LEADER, 600_000),
        ("1S P 2S P P P", Seat.WEST, "K2.KJ54.Q83.KT97", 100_000),
        ("1H 1S 2H", Seat.WEST, "AQ7.T4.KJ92.J653", 200_000),
        ("2H P P X P", Seat.SOUTH, "K52.83.AT965.QJ4", 200_000),
    ],
)
def test_layouts_are_those_of_plain_rejection(sayc, auction, seat, hand, tried):
    """Shapes, points and places of honours against dealing at random and keeping what fits."""
    own = parse_hand(hand)
    others = [one for one in range(4) if one != seat]
    dealt = deal_at_random(FULL_DECK & ~own, 3, tried, seed=11)
    hands = np.empty((4, tried), np.uint64)
    hands[seat] = own
    hands[others] = dealt
    calls = tuple(parse_calls(auction))
    steps = [step for step in read_auction(sayc, calls) if step.seat != seat]
    verdicts = Judge(steps).verdicts(
        deals_of(hands, Seat.NORTH, Vulnerability.NONE), get_backend("cpu"), hasty=True
    )
    plain = hands[:, verdicts.all(axis=1)]
    assert plain.shape[1] > 200
    layouts = sample_layouts(sayc, auction, count=4000, known={seat: own}, seed=12)
    assert layouts.report.relaxed == ()
    weights = layouts.weights
    for one in others:
        ours, theirs = suit_lengths(layouts.hands[one]), suit_lengths(plain[one])
        code = np.array([1, 14, 196, 0])
        assert abs(differs(code @ ours, code @ theirs, weights)) < 5
        assert abs(differs(hand_points(layouts.hands[one]), hand_points(plain[one]), weights)) < 5
        for suit in range(4):
            assert abs(differs(ours[suit], theirs[suit], weights)) < 5
    for card in range(52):
        if card % 13 >= 8 and not own >> card & 1:
            assert abs(differs(_holder(layouts.hands, card), _holder(plain, card), weights)) < 5


def _holder(hands, card):
    """Seat that holds a card, by layout."""
    held = (hands >> np.uint64(card) & np.uint64(1)).astype(np.int64)
    return (held * np.arange(4)[:, np.newaxis]).sum(axis=0)


@pytest.mark.slow
def test_both_ways_to_propose_agree(sayc):
    """Hands drawn one after another, weighted, against hands dealt at random, equally likely."""
    question = LayoutQuestion(
        known_by_seat({}), Constraints(()), Seat.NORTH, Vulnerability.NONE, get_backend("cpu"), 3
    )
    attempt = Attempt(question, read_auction(sayc, parse_calls("1H 1S 2H P")))
    limits = SearchLimits(10**9, time.perf_counter() + 60)
    samples = []
    for way, tried in (("plain", 300_000), ("exactly", 20_000)):
        search = LayoutSearch(attempt, limits, way=way)
        for _ in range(4):
            search.go_on(tried // 4)
        found = search.found(10**9)
        samples.append((found.hands, found.weights))
    (plain, ones), (drawn, weights) = samples
    assert (ones == 1).all()
    assert effective_size(weights) < len(weights)
    for seat in range(4):
        assert abs(differs(hand_points(drawn[seat]), hand_points(plain[seat]), weights)) < 5
        for suit in range(4):
            ours, theirs = suit_lengths(drawn[seat])[suit], suit_lengths(plain[seat])[suit]
            assert abs(differs(ours, theirs, weights)) < 5


def test_same_seed_same_layouts(sayc):
    first = sample_layouts(sayc, GAME, count=50, seed=5)
    assert (sample_layouts(sayc, GAME, count=50, seed=5).hands == first.hands).all()
    assert (sample_layouts(sayc, GAME, count=50, seed=6).hands != first.hands).any()
    # fewer are the first of more
    assert (sample_layouts(sayc, GAME, count=20, seed=5).hands == first.hands[:, :20]).all()


def test_report(sayc):
    layouts = sample_layouts(sayc, GAME, count=200, known={Seat.EAST: LEADER}, seed=7)
    report = layouts.report
    assert len(layouts) == report.accepted == 200
    assert report.acceptance == 200 / report.proposals
    assert report.effective_size == pytest.approx(effective_size(layouts.weights))
    assert report.stopped_because == "count"
    assert report.seed == 7
    assert {format_hand(int(hand)) for hand in layouts.hands[1]} == {LEADER}
    assert (np.bitwise_or.reduce(layouts.hands) == np.uint64(FULL_DECK)).all()


def test_loose_reading_takes_hands_that_had_an_earlier_line():
    system = System.parse(
        "opening:\n  1NT = Strong: 15-17 points, balanced\n  1C = Any: 12+ points\n"
    )
    strict = sample_layouts(system, "1C", count=300, seed=1)
    loose = sample_layouts(system, "1C", count=300, seed=1, strict=False)
    vocabulary = system.vocabulary
    would = DealCondition("HCP_N >= 15 and HCP_N <= 17 and Balanced_N", vocabulary)
    backend = get_backend("cpu")
    assert not would.holds(backend, strict.deals).any()
    assert would.holds(backend, loose.deals).any()
    assert (hand_points(loose.hands[0]) >= 12).all()


def test_a_pass_denies_every_line():
    system = System.parse("opening:\n  1C = Any: 12+ points\n")
    layouts = sample_layouts(system, "P P", count=200, seed=1)
    assert (hand_points(layouts.hands[:2]) < 12).all()
    assert (hand_points(layouts.hands[2:]) >= 12).any()


def test_plain_table():
    table, _ = build_table(
        [
            {"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17", "Balanced"]},
            {"prior": "", "call": "1C", "criteria": ["HCP >= 12", "SL_C >= 4"]},
            {"prior": "", "call": "1C", "criteria": ["HCP >= 20"]},
            {"prior": "1C", "call": "1D", "criteria": ["SL_D >= 5"]},
            {"prior": "1C", "call": "P"},
        ],
        undescribed="allow",
    )
    layouts = sample_layouts(table, "1C 1D P P", count=300, seed=1)
    assert layouts.report.relaxed == ()
    strength, (clubs, diamonds, _, _) = (
        hand_points(layouts.hands[0]),
        suit_lengths(layouts.hands[0]),
    )
    assert ((strength >= 12) & (clubs >= 4) | (strength >= 20)).all()
    assert (suit_lengths(layouts.hands[1])[1] >= 5).all()
    passed = sample_layouts(table, "1C P", count=100, seed=1)
    assert (suit_lengths(passed.hands[1])[1] < 5).all()
    assert diamonds.any()


def test_overlays_count_where_they_changed_something():
    system = System.parse(
        "opening:\n  1NT = Strong: 15-17 points, balanced\nafter 1NT:\n  3NT = Game: 10+ points\n"
    )
    table, _ = build_table(
        [{"prior": "", "call": "1N", "criteria": ["HCP >= 12", "HCP <= 14"]}], undescribed="allow"
    )
    source = OverlaidPlaces(system.reader(), table, frozenset({-1}))
    layouts = sample_layouts(source, "1N P 3N", count=100, seed=1)
    north, south = hand_points(layouts.hands[0]), hand_points(layouts.hands[2])
    assert set(north.tolist()) <= {12, 13, 14}
    assert (south >= 10).all()
    found = interpret(source, "1N P", layouts=50)
    assert {one.call for one in found.next_calls} == {"3N", "P"}
    assert found.hands["N"].points_range[1] <= 14


# --- what cannot be ------------------------------------------------------------------------------


def test_a_call_without_a_line_is_relaxed_and_said_so():
    system = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced\n")
    layouts = sample_layouts(system, "2H P", count=20, seed=1)
    assert [str(one) for one in layouts.report.relaxed] == [
        "call 1, 2H by N: no line of the system makes this call"
    ]


def test_contradicting_calls_are_relaxed_least_likely_first():
    system = System.parse(
        "opening:\n  1C = Weak: 0-4 points\nafter 1C:\n  1D = Any: 0+ points\n"
        "    2C = Strong and long: 20+ points, 6+ clubs\n"
    )
    layouts = sample_layouts(system, "1C P 1D P 2C", count=50, seed=1)
    assert {one.number for one in layouts.report.relaxed} == {4}
    assert (hand_points(layouts.hands[0]) <= 4).all()
    with pytest.raises(NoSuchDeal, match="no hand is left for N"):
        sample_layouts(system, "1C P 1D P 2C", count=50, seed=1, relaxing=False)


def test_nothing_is_given_up_because_many_layouts_are_wanted(sayc):
    """Many layouts that fit are enough, however few they are of those wanted."""
    found = [
        sample_layouts(sayc, "1N P", count=count, seed=1, max_proposals=10_000)
        for count in (1000, 100_000)
    ]
    assert [one.report.relaxed for one in found] == [(), ()]
    assert found[1].report.stopped_because == "proposals"
    assert (found[0].hands == found[1].hands[:, :1000]).all()


def test_known_hand_that_did_not_make_its_calls_is_noted(sayc):
    layouts = sample_layouts(sayc, "1N P", count=20, known={Seat.NORTH: "AKQJ.AKQ.AKQ.AKQ"}, seed=1)
    assert len(layouts.report.notes) == 1
    assert "call 1, 1N by N" in layouts.report.notes[0]


def test_spots(sayc):
    known = {Seat.SOUTH: "AKxx.Qx.xxx.K432", Seat.EAST: "J+.+.-.+"}
    layouts = sample_layouts(sayc, "P P", count=100, known=known, seed=1, dealer="S")
    south, east = layouts.hands[2], layouts.hands[1]
    assert set(suit_lengths(south)[3].tolist()) == {4}
    assert set(hand_points(south).tolist()) == {12}
    tens = np.uint64(sum(1 << 13 * suit + 8 for suit in range(4)))
    assert not (south & tens).any()
    assert (east >> np.uint64(13 * 3 + 9) & np.uint64(1)).all()
    assert not suit_lengths(east)[1].any()


@pytest.mark.parametrize(
    ("known", "error", "message"),
    [
        ({Seat.NORTH: "AK+.+.+.+", Seat.EAST: "A+.+.+.+"}, InvalidDeal, "SA in E and in another"),
        ({Seat.NORTH: "AKQJT987.xxxx.+.xx"}, InvalidHand, "expected at most 13 cards, got 14"),
        ({Seat.NORTH: "A.+.+.+", Seat.EAST: "2.+.+.+", Seat.SOUTH: "3.+.+.+", Seat.WEST: "4.+.+.+"},
         InvalidDeal, "may hold"),
    ],
)  # fmt: skip
def test_known_cards_that_cannot_be(sayc, known, error, message):
    with pytest.raises(error, match=message):
        sample_layouts(sayc, "", known=known)


@pytest.mark.parametrize(
    "where",
    [
        ["HCP_N >= 38"],
        ["SL_N_S >= 7", "SL_N_H >= 7"],
        ["SL_N_S >= 7 and SL_E_S >= 7"],
        ["HCP_N >= 25 and HCP_S >= 16"],
        ["HCP_N + HCP_S >= 38 and HCP_E >= 3"],
        ["C_N_SA and C_E_SA"],
    ],
)
def test_impossible_conditions_end(sayc, where):
    started = time.perf_counter()
    with pytest.raises(NoSuchDeal, match="no such deal"):
        sample_layouts(sayc, "", where=where, max_proposals=200_000)
    assert time.perf_counter() - started < 60


@pytest.mark.parametrize(
    "where", [["HCP_N >= 38"], ["Top5_N_S + Top5_S_S == 9"], ["HCP_N + HCP_S >= 38", "HCP_E > 2"]]
)
def test_impossible_conditions_are_not_blamed_on_the_auction(sayc, where):
    with pytest.raises(NoSuchDeal, match=r"no such deal.* where"):
        sample_layouts(sayc, "1H 1S 2H 2S P P P", where=where, max_proposals=150_000)


def test_impossible_with_known_cards(sayc):
    with pytest.raises(NoSuchDeal, match="no hand is left for S"):
        sample_layouts(sayc, "", known={Seat.NORTH: "AKQ.AKQ.AKQ.AKQJ"}, where=["HCP_S >= 5"])


def test_numbers_out_of_range(sayc):
    for bad in ({"count": 0}, {"seed": -1}, {"time_limit_s": 0}, {"max_proposals": 0}):
        with pytest.raises(ValueError, match="expected"):
            sample_layouts(sayc, "1N", **bad)


def test_illegal_auction(sayc):
    with pytest.raises(IllegalCall):
        sample_layouts(sayc, "1N 1C")
    with pytest.raises(IllegalCall):
        sample_layouts(sayc, "P P P P 1N")


def test_time_limit_and_cancel(sayc):
    rare = ["HCP_N + SL_N_S * 100 + HCP_E * SL_E_H == 1311"]
    with pytest.raises((TimedOut, NoSuchDeal)):
        sample_layouts(sayc, "", where=rare, time_limit_s=1e-6)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        sample_layouts(sayc, "1N", cancel=cancel)


def test_fewer_than_asked_for_where_proposals_end(sayc):
    where = ["SL_N_S + SL_S_S == 11"]
    layouts = sample_layouts(sayc, "", where=where, count=10_000, max_proposals=20_000)
    assert 0 < len(layouts) < 10_000
    assert layouts.report.stopped_because == "proposals"
    assert layouts.report.proposals <= 20_000


@pytest.mark.parametrize("hidden", [0, 1, 2])
def test_most_hands_known(sayc, hidden):
    layouts = sample_layouts(sayc, GAME, count=1, seed=9)
    hands = [int(hand) for hand in layouts.hands[:, 0]]
    known = {Seat(seat): hands[seat] for seat in range(4 - hidden)}
    found = sample_layouts(sayc, GAME, count=20, known=known, seed=1)
    assert len(found) == 20
    assert found.report.relaxed == found.report.notes == ()
    for seat, hand in known.items():
        assert set(found.hands[seat].tolist()) == {hand}
    if hidden < 2:
        assert set(found.hands[3].tolist()) == {hands[3]}


def test_sources_are_not_kept_alive():
    text = "opening:\n  1NT = Strong: 15-17 points, balanced\n"
    system = System.parse(text)
    first, _ = steps_of(system, (7,), Seat.NORTH)
    assert steps_of(system, (7,), Seat.NORTH)[0] is first
    other = System.parse(text)
    assert steps_of(other, (7,), Seat.NORTH)[0] is not first
    gone = weakref.ref(system)
    del system
    gc.collect()
    assert gone() is None


def test_judges_of_few_auctions_are_kept(sayc, monkeypatch):
    most = 3_000_000
    monkeypatch.setattr(judging, "_CACHED_BYTES", most)
    # without the auctions of other tests
    monkeypatch.setattr(judging, "_known", type(judging._known)(judging._MOST_CACHED))
    kept = []
    for opening in range(7, 27):
        sample_layouts(sayc, (opening, PASS), count=2, seed=1)
        judges = [one for _, _, some in judging._known.values() for one in some.values()]
        kept.append(sum(judge.bytes for judge in judges))
    # what was made of the last one counts when the next one comes
    assert 1_000_000 < max(kept) < 2 * most
    assert len(judging._known) > 1


def test_layouts_are_bid_as_the_auction_was(sayc):
    """Auctions of random deals: nothing is relaxed, and every layout bids the same to the end."""
    bidder = sayc.bidder()
    for place in bidder.bid(plain_deals(12, 77)).place:
        calls = (*bidder.auction_of(place), PASS)
        # one is so rare that a million proposals hold four
        layouts = sample_layouts(sayc, calls, count=10, seed=int(place), max_proposals=10_000_000)
        assert len(layouts) == 10
        assert layouts.report.relaxed == ()
        again = {bidder.auction_of(one) for one in bidder.bid(layouts.deals).place}
        assert again == {calls[:-1]}


@pytest.mark.parametrize(
    ("auction", "dealer", "sides"),
    [(GAME, "N", "None"), ("1S X P 2H", "E", "EW"), ("P P 1D P 1H 1S", "S", "Both")],
)
def test_notes_are_of_the_calls_that_the_system_does_not_make(sayc, auction, dealer, sides):
    calls = parse_calls(auction)
    first = "NESW".index(dealer)
    for seed in range(6):
        hand = int(deal_hands(seed, 0, 1)[0, 0])
        for seat in range(2):
            found = sample_layouts(
                sayc,
                auction,
                count=1,
                seed=1,
                dealer=dealer,
                vulnerability=sides,
                known={Seat((first + seat) % 4): hand},
            )
            others = [
                f"call {number + 1}, "
                for number in range(seat, len(calls), 4)
                if sayc.bid(hand, calls[:number], dealer=dealer, vulnerability=sides).call
                != calls[number]
            ]
            assert len(found.report.notes) == len(others)
            for note, told in zip(found.report.notes, others, strict=True):
                assert note.startswith(told)
