"""The shipped SAYC: the suite of cases that older engines were measured by, and any auction."""

import json
import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bidcascade.bridge import Auction, format_calls
from bidcascade.systems import named_systems, open_system
from bidcascade.systems.cases import CaseReport, read_cases, run_cases
from bidcascade.systems.check import check_system
from bidcascade.systems.state import shown
from bidcascade.systems.system import System

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
@pytest.mark.parametrize("name", sorted(named_systems()))
def test_nobody_passes_a_forcing_call_for_want_of_a_line(name):
    found = check_system(system(name), deals=1_000, least=2)
    gaps = [finding for finding in found.findings if finding.kind == "gap"]
    assert sum(gap.deals for gap in gaps) <= 1, gaps


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
