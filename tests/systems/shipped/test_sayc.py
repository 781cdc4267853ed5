"""The shipped SAYC: the suite of cases that older engines were measured by, and any auction."""

import json
import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from bidcascade.bridge import FIRST_BID, PASS, Auction, cards_of, format_call, format_calls
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.systems import named_systems, open_system
from bidcascade.systems.checking.cases import CaseReport, read_cases, run_cases
from bidcascade.systems.checking.check import check_system
from bidcascade.systems.places.state import Meaning, shown
from bidcascade.systems.system import System
from bidcascade.workshop.boards.scored_boards import bid_boards
from tests.support.bridge import HANDS
from tests.support.examples import examples, sized, some_in_check

OLDER_ENGINE = 625
"""Cases of the 761 that the better of the two older engines (z3b) bids as expected."""


@cache
def system(name: str) -> System:
    return open_system(name)


@pytest.mark.slow
@pytest.mark.real_data
def test_more_cases_right_than_older_engines_and_every_group_above_half(shared_data):
    cases = read_cases(shared_data / "sayc" / "cases.jsonl")
    report = CaseReport(tuple(run_cases(system("sayc"), cases)))
    assert len(report.results) == 761
    assert report.right > OLDER_ENGINE
    for group, (right, count) in report.groups().items():
        assert 2 * right > count, group


@pytest.mark.real_data
def test_interpretations_hold(shared_data):
    """Bounds that the older engines' own tests ask of a call's meaning."""
    outcome: Counter[str] = Counter()
    older: Counter[str] = Counter()
    for line in (shared_data / "sayc" / "interpretations.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        found = _asserted(row["assert"], " ".join(row["auction"]))
        if not found:
            continue
        outcome["right"] += all(found)
        outcome["asked"] += 1
        older["right"] += row["z3b"] is True
    assert outcome["asked"] >= 10
    assert outcome["right"] >= older["right"]


def _asserted(wanted: dict[str, Any], auction: str) -> list[bool]:
    state = system("sayc").state(auction)
    player = (len(state.calls) - 1) % 4
    points = shown(state, player, "HCP")
    lengths = {suit: shown(state, player, f"SL_{suit}") for suit in "CDHS"}
    tests = {
        "points": lambda value: list(points) == value,
        "min_points": lambda value: points[0] == value,
        "max_points": lambda value: points[1] == value,
        "min_len": lambda value: all(lengths[s][0] == n for s, n in value.items()),
        "not_min_len": lambda value: all(lengths[s][0] < n for s, n in value.items()),
        "balanced": lambda value: all(low >= 2 for low, _ in lengths.values()) is value,
    }
    return [tests[key](value) for key, value in wanted.items() if key in tests]


OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in named_systems() if name != "sayc"]


@pytest.mark.parametrize("name", ["sayc", *OTHERS])
def test_own_cases_of_every_shipped_system(name):
    path = Path(system(name).text.files[0][0]).with_suffix(".cases")
    report = CaseReport(tuple(run_cases(system(name), read_cases(path))))
    misses = [line for line in report.lines() if "expected" in line]
    assert not misses, "\n".join(misses)
    assert len(report.results) >= 100


@pytest.mark.parametrize("name", sorted(named_systems()))
@pytest.mark.parametrize("seed", range(12))
def test_any_legal_auction_has_legal_answers(name, seed):
    """Calls at random: whatever has been called, the system answers, and never illegally."""
    chooser = random.Random(f"{name} {seed}")
    auction = Auction()
    while not auction.is_complete and len(auction.calls) < 30:
        place = system(name).expand(auction.calls)
        for entry in place.entries:
            assert auction.is_legal(entry.call), format_calls((*auction.calls, entry.call))
        legal = list(auction.legal_calls())
        wild = chooser.random() < 0.3
        auction = auction.add(chooser.choice(legal if wild else legal[:6]))


@pytest.mark.slow
@pytest.mark.parametrize("name", some_in_check((2,), *sorted(named_systems())))
def test_nobody_passes_a_forcing_call_for_want_of_a_line(name):
    found = check_system(system(name), deals=1_000, least=2)
    gaps = [finding for finding in found.findings if finding.kind == "gap"]
    assert sum(gap.deals for gap in gaps) <= 1, gaps


@pytest.mark.parametrize("name", ["sayc", *OTHERS])
@pytest.mark.parametrize("seed", some_in_check(1, *range(3)))
def test_every_hand_has_an_answer_to_every_forcing_call(name, seed):
    """Auctions of calls that the system knows, made by chance and not by a hand that fits them."""
    chooser = random.Random(f"{name} {seed}")
    asked = 0
    while asked < 40:
        auction = Auction()
        while not auction.is_complete and len(auction.calls) < 12:
            place = system(name).expand(auction.calls)
            last = system(name).state(auction.calls).meanings[-2:][:1]
            if place.forced and auction.last_bid < 7 * 5 + 2 and not _asks_for_cards(last):
                asked += 1
                takers = [entry for entry in place.entries if not entry.criteria]
                assert takers, format_calls(auction.calls)
                # a double may be left in
                may_pass = auction.calls[-2] < FIRST_BID
                assert may_pass or takers[0].call != PASS, format_calls(auction.calls)
            low = [entry.call for entry in place.entries if entry.call < 4 * 5 + 3]
            passes = chooser.random() < (0.7 if len(auction.calls) % 2 else 0.1)
            auction = auction.add(PASS if passes or not low else chooser.choice(low))


def _asks_for_cards(meanings: tuple[Meaning, ...]) -> bool:
    """Whether a call asks for aces or kings: any hand has an answer, by how many it holds."""
    return any(one.tags & {"blackwood", "gerber", "king-ask"} for one in meanings)


YOUNG = """
system Young

opening:
  1NT = Strong notrump: 15-17 points, 4-3-3-3 or 4-4-3-2 or 5-3-3-2
  1M  = Five-card major: 12-21 points, 5+ M, M is the longest
  1C  = Anything else: 12-21 points; artificial, forcing
after 1NT:
  transfer to 2M = Transfer: 5+ M; artificial, forcing
over (1M):
  2M = Two suits: 8+ points, 5+ oM; artificial, forcing
  Double = Takeout: 12+ points, 3+ in every unbid suit; takeout, forcing

define headed X = ace of X or king of X or queen of X
include "words.bidding"
include "natural.bidding"
"""


def test_a_young_system_that_includes_natural_answers_what_forces(tmp_path):
    path = tmp_path / "young.bidding"
    path.write_text(YOUNG, "utf-8")
    young = open_system(path)
    asked, passed = forced_on(young, 1_000)
    assert asked > 300
    assert not passed
    for auction, hand, call in (
        ("1C P", "KQ985.62.K93.432", "1N"),  # stopped everywhere
        ("1C P", "Q98532.2.J98.432", "1S"),  # a suit
        ("1C P", "J985.62.9843.432", "1N"),  # nothing else to say
        (
            "1N P 2D P",
            "KQ93.A2.AQ93.K32",
            "2H",
        ),  # the suit that partner has shown, not the one named
        ("1S X P", "9853.62.J843.432", "2D"),  # what a takeout double asks for
    ):
        assert format_call(young.bid(hand, auction).call) == call, (auction, hand)


def forced_on(tried: System, deals: int) -> tuple[int, int]:
    """On how many random deals a player was forced, and on how many one passed then."""
    signs = bid_boards(tried, deal_arrays(random_deals(deals, 20261126))).signs
    assert signs is not None
    asked, passed = signs[0]
    return int(asked.sum()), int(passed.sum())


@pytest.mark.parametrize("name", ["sayc", *OTHERS])
@pytest.mark.parametrize(
    ("hand", "auction", "call"),
    [
        # a cue-bid is answered, at any level
        ("Q8.KJT4.952.J973", "P P 1D 1S X 3S 4S P", "5H"),
        ("T92.KJT4.9.J9732", "1D 1S X 3S 4S P", "5H"),
        ("J873.KT76.T72.Q8", "1D 1S X P 2S P", "3H"),
        ("QJ.QT94.T862.KJ8", "1S 2H X P 3H P", "3N"),
        ("KJ82.952.T873.Q4", "1C 1H X P 2H P", "2S"),
        ("J84.75.JT643.762", "1H X P 2D P 3S P", "4S"),
        # nothing forces for no more than two hands of 26 points
        ("AKT3.AJ.AKJ93.AK", "2C P 2D P", "3N"),
        ("AQJ4..AKQT93.AKQ", "2C P 2D P", "4D"),
        ("J83.8542.T74.T97", "2C P 2D P 4D P", "5D"),
        # a lone king where partner has length is no reason to ask for aces
        ("T953.K.AKQJ.KQT6", "1D P 1H P 1S P 4S P", "P"),
        ("KQ87.Q.AK74.KJ54", "1D P 1H P 1S P 4S P", "P"),
        # partner's double of what they bid over our game is left in
        ("Q95.974.K8.KJT52", "P P 1S P 3S 4S X P", "P"),
        ("63.K86.K9765.QJ6", "P 1H 1S 3H 4S X P", "P"),
        # their cue-bid of our suit does not make our next bid of it one
        ("AQT8.9.AQ64.K873", "1D P 1S P 2S 3S 4S P", "P"),
        # a doubled opening at the one level is run from by who is short there
        ("J3.Q76542.653.84", "1D P P X P P", "P"),
        ("J3.Q76542.84.653", "1D P P X P P", "1H"),
    ],
)
def test_calls_for_which_players_would_blame_their_partner(name, hand, auction, call):
    if name == "precision" and auction.startswith(("1C", "2C")):
        pytest.skip("one club is strong there, and two clubs are clubs")
    assert format_call(system(name).bid(hand, auction).call) == call


PREEMPTS = (
    "2H P P X P P",
    "2S X P P",
    "3D P P X P P",
    "1C 2S P P X P P",
    "3C P 4C X P P",
    "4H P P X P P",
)


@pytest.mark.parametrize("name", ["sayc", *OTHERS])
@pytest.mark.parametrize("auction", [*PREEMPTS, "1S P 2S X P P", "1C 1H P 2H X P P"])
@examples(20)
@given(hand=HANDS)
def test_nobody_runs_when_they_leave_in_a_double_of_a_suit_that_was_named(name, auction, hand):
    assert system(name).bid(hand, auction).call == PASS


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(named_systems()))
def test_no_forcing_call_is_passed(name):
    """In the full run of a hundred thousand deals."""
    deals = sized(4_000, 100_000)
    asked, passed = forced_on(system(name), deals)
    assert asked > deals // 2
    assert passed == 0


@pytest.mark.parametrize("name", sorted(named_systems()))
def test_the_text_opens_with_a_page_of_prose(name):
    text = system(name).text
    assert text.title
    assert len(text.prose.split()) >= 80


def test_a_blackwood_answer_needs_the_aces_that_it_shows():
    place = system("sayc").expand("1S P 3S P 4N P")
    by_call = {entry.call: [str(one) for one in entry.criteria] for entry in place.entries}
    for call, aces in ((23, {"Aces == 0", "Aces == 4"}), (24, {"Aces == 1"}), (25, {"Aces == 2"})):
        said = " ".join(by_call[call])
        assert any(one in said for one in aces), (call, said)


THEIR_GAMES = (
    "1C P 1N P 3N", "1D P 1H P 2N P 3N", "1H P 2C P 2N P 3N", "1D P 3N", "1N P 3N", "2N P 3N",
    "2C P 2D P 3N", "1N P 2C P 2H P 3N", "1N P 2D P 2H P 3N", "2H P 3N", "3C P 3N", "3N",
    "1S P 4S", "1H P 4H", "1S P 2S P 4S", "1H P 3H P 4H", "1C P 1H P 4H", "2H P 4H", "3S P 4S",
    "1N P 2H P 2S P 4S", "1D P 3D P 5D", "P P 1H P 3H P 4H", "1C P 1S P 3N P P", "1S P 4S P P",
    "1S P 3S P 4N P 5D P 6S", "1N P 6N", "1H P 3H P 6H P P",
)  # fmt: skip


@pytest.mark.parametrize("name", ["sayc", *OTHERS])
@pytest.mark.parametrize("auction", THEIR_GAMES)
def test_a_double_of_a_game_that_they_reached_by_themselves_is_for_penalties(name, auction):
    meaning = system(name).state(f"{auction} X").meanings[-1]
    assert meaning.has_agreement("penalty")
    assert not meaning.has_agreement("takeout")


@pytest.mark.parametrize("name", sorted(named_systems()))
@pytest.mark.parametrize("behind", ["P", "XX"])
@examples(20)
@given(hand=HANDS)
def test_it_stays_in_but_with_seven_cards_and_no_ace_or_king(name, behind, hand):
    lengths = Counter(card // 13 for card in cards_of(hand))
    runs = max(lengths.values()) >= 7 and not any(card % 13 >= 11 for card in cards_of(hand))
    for auction in THEIR_GAMES:
        call = system(name).bid(hand, f"{auction} X {behind}").call
        assert call == PASS or runs, f"{auction} X {behind}: {format_calls((call,))}"


@pytest.mark.parametrize("name", sorted(named_systems()))
@pytest.mark.parametrize("auction", ["1S P 2S X", "1D P 3D X", "1H X", "2S X", "3H X", "4H X"])
def test_doubles_below_game_and_of_an_opening_stay_for_takeout(name, auction):
    assert system(name).state(auction).meanings[-1].has_agreement("takeout")
