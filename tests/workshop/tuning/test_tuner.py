"""Numbers of a text that are tuned: the best one is found, resumed, refused where it loses."""

import json
from itertools import islice

import numpy as np
import pytest

from bidcascade.bridge import InvalidInput, InvalidSystem
from bidcascade.inference.trick_table import estimated_tricks
from bidcascade.systems import System
from bidcascade.systems.checking.cases import read_cases
from bidcascade.workshop.boards.compare import SystemMatch
from bidcascade.workshop.tuning.text_numbers import OpenText
from bidcascade.workshop.tuning.tuner import (
    HURTS_ANOTHER,
    KEPT,
    LOSES_A_CASE,
    NO_DIFFERENCE,
    SCREENED_OUT,
    UNREADABLE,
    VERDICTS,
    TrialTally,
    Tuner,
    TuningPlan,
    estimated_gains,
)
from tests.support.deals import deals_in_turn

REMARK = "-- thirteen is far too few for game by oneself, 13 or not\n"
GAME = f"{REMARK}opening:\n  3NT = Game: 13+ points   -- all alone\n"
PLAN = TuningPlan(seed=3, screened=6_000, judged=30_000, solved=300, steps=(1, -1))


class Estimates:
    """A solver that takes as many tricks as the table estimates."""

    def tricks(self, hands, strain, declarer, *, cancel=None, timeout_s=None):
        found = np.zeros(hands.shape[1], np.int8)
        for one in range(len(found)):
            tricks = estimated_tricks(hands[:, one : one + 1], int(strain[one]), int(declarer[one]))
            found[one] = round(float(tricks[0]))
        return found


def opened(folder, text, name="mine.bidding"):
    path = folder / name
    path.write_text(text)
    return OpenText(path)


def tuner(text, plan=PLAN, **more):
    return Tuner(text, deals_in_turn, Estimates(), plan, **more)


def test_a_number_goes_where_it_is_best(tmp_path):
    text = opened(tmp_path, GAME)
    search = tuner(text)
    trials = list(search.run())
    best = int(search.text.texts["mine.bidding"].split("Game: ")[1].split("+")[0])
    assert 15 <= best <= 19
    assert len(search.kept) == best - 13
    # nothing but the number was written
    assert search.text.texts["mine.bidding"] == GAME.replace("13+", f"{best}+")
    # neighbours of the best one were tried last, and do not gain
    assert [one.verdict == KEPT for one in trials[-2:]] == [False, False]
    assert {one.verdict for one in trials} <= set(VERDICTS)
    deals = deals_in_turn(20_000, 99)
    gains = [
        estimated_gains(
            SystemMatch(
                search.text.system(), opened(tmp_path, GAME.replace("13", one)).system(), deals
            )
        ).mean(axis=1)
        for one in ("13", str(best - 2))
    ]
    assert (np.array(gains) > 0).all()


def test_the_same_seed_finds_the_same_and_a_killed_search_goes_on(tmp_path, monkeypatch):
    text = opened(tmp_path, GAME)
    whole = tuner(text)
    trials = list(whole.run())
    journal = tmp_path / "tries.jsonl"
    first = tuner(text, journal=journal)
    begun = list(islice(first.run(), 3))
    assert [one.to_dict() for one in begun] == [one.to_dict() for one in trials[:3]]
    # killed while it wrote the last one
    lines = journal.read_bytes()
    journal.write_bytes(lines[:-40])
    made = []
    monkeypatch.setattr(Tuner, "_try", _counted(made, Tuner._try))
    again = tuner(text, journal=journal)
    assert [one.to_dict() for one in again.run()] == [one.to_dict() for one in trials]
    assert again.text.texts == whole.text.texts
    # the line that was cut off stands there still
    kept = len([line for line in journal.read_text().splitlines() if line.endswith("}}")])
    assert len(made) == len(trials) - 2
    assert kept == len(trials)
    made.clear()
    assert len(list(tuner(text, journal=journal).run())) == len(trials)
    assert not made
    with pytest.raises(InvalidInput, match="expected the journal of this search, got "):
        tuner(text, TuningPlan(seed=4, screened=6_000), journal=journal)


def _counted(made, tried):
    def count(self, move):
        made.append(move)
        return tried(self, move)

    return count


def test_what_loses_by_one_scorer_is_refused(tmp_path):
    # a sacrifice that nobody doubles: the more are bid the better, until a defence tells
    text = opened(
        tmp_path, "opening:\n  2S = Spades: 12+ points, 4+ spades\n  1C = Club: 12+ points\n"
    )
    trials = list(tuner(text, chosen=lambda change: change.number.name == "Spades").run())
    one_sided = [
        one
        for one in trials
        if one.screened and one.screened.mean(0) > one.screened.error(0) > 0 > one.screened.mean(1)
    ]
    assert all(one.verdict == SCREENED_OUT for one in one_sided)
    tally = TrialTally()
    tally.add(range(4), np.arange(4), np.array([[1.0, 2.0, 1.0, 2.0], [1.0, -0.5, 1.0, 0.0]]), 4)
    assert tally.mean(0) > 0 < tally.mean(1)
    assert not tally.gains_everywhere()
    half = TrialTally()
    half.add(range(4), np.arange(4), np.array([[1.0, -0.5, 1.0, 0.0], [1.0, 2.0, 1.0, 2.0]]), 4)
    assert not half.gains_everywhere()
    both = TrialTally()
    both.add(range(4), np.arange(4), np.array([[1.0, 2.0, 1.0, 2.0], [0.0, 0.0, 0.0, 0.0]]), 4)
    assert both.gains_everywhere()


def test_other_systems_are_not_hurt(tmp_path):
    # the page is good for who has an opening of two clubs with the strong hands, not for the other
    (tmp_path / "page.bidding").write_text("opening:\n  3NT = Game: 13+ points\n")
    mine = opened(tmp_path, 'include "page.bidding"\n')
    other = opened(
        tmp_path,
        'foremost:\n  1C = Club: nobody has opened, 14+ points\ninclude "page.bidding"\n',
        "other.bidding",
    )
    search = tuner(mine, others=[other])
    trials = list(search.run())
    assert all("other" in one.others for one in trials if one.verdict == KEPT)
    for one in trials:
        if one.verdict == HURTS_ANOTHER:
            assert one.reason == "other"
    kept = search.text.texts["page.bidding"]
    assert search.others[0].texts["page.bidding"] == kept
    assert search.others[0].texts["other.bidding"] == other.texts["other.bidding"]


def test_cases_that_held_still_hold(tmp_path):
    text = opened(tmp_path, GAME)
    path = tmp_path / "mine.cases"
    path.write_text("AKQ2.AJ2.432.432 -> 3NT\n")
    cases = {"mine": read_cases(path)}
    before = [one.to_dict() for one in tuner(text).run()]
    search = tuner(text, cases=cases)
    trials = list(search.run())
    assert any(one.verdict == LOSES_A_CASE and "mine.cases:1" in one.reason for one in trials)
    assert len(search.kept) < sum(one["verdict"] == KEPT for one in before)
    for hand in cases["mine"]:
        assert search.text.system().bid(hand.hand).call == hand.expected[0]


def test_what_does_not_read_or_changes_nothing(tmp_path):
    text = opened(
        tmp_path, "opening:\n  1NT = Notrump: 15-15 points\n  1C = Club: 16+ points, 0-37 points\n"
    )
    trials = list(tuner(text).run())
    verdicts = {one.verdict for one in trials}
    assert UNREADABLE in verdicts
    assert all(one.reason for one in trials if one.verdict == UNREADABLE)
    assert all(one.screened.differ == 0 for one in trials if one.verdict == NO_DIFFERENCE)


def test_nothing_to_tune(tmp_path):
    text = opened(tmp_path, "opening:\n  1C = Club: any hand\n")
    with pytest.raises(InvalidInput, match="expected numbers in 'mine' that may be changed"):
        tuner(text)
    with pytest.raises(InvalidSystem):
        opened(tmp_path, "opening:\n  1C = Club: 5-3 points\n")


def test_estimates_weigh_both_scorers_and_both_sides():
    texts = ("opening:\n  7NT = High: any hand\n", "opening:\n  1NT = Low: any hand\n")
    deals = deals_in_turn(400, 2)
    match = SystemMatch(*map(System.parse, texts), deals)
    gains, back = (
        estimated_gains(match),
        estimated_gains(SystemMatch(*map(System.parse, texts[::-1]), deals)),
    )
    assert gains.shape == (2, 400)
    assert (gains.mean(axis=1) < 0).all()
    assert gains[1].mean() < gains[0].mean()
    np.testing.assert_allclose(gains, -back)
    same = SystemMatch(System.parse(texts[0]), System.parse(texts[0]), deals)
    assert not estimated_gains(same).any()


def test_trials_are_plain_rows_of_a_journal(tmp_path):
    journal = tmp_path / "deep" / "tries.jsonl"
    search = tuner(opened(tmp_path, GAME), journal=journal)
    trial = next(search.run())
    lines = [json.loads(line) for line in journal.read_text().split("\n") if line]
    assert list(lines[0]) == ["search"]
    assert lines[1]["trial"] == trial.to_dict()
    assert trial.changes == ("mine.bidding:3: Game, points 13 -> 14",)


def test_only_deals_that_may_change_are_bid(tmp_path):
    text = opened(
        tmp_path,
        """define strong = 20+ points
opening:
  2C = Strong: strong
  1C = Club: 12+ points
after 2C:
  2D = Weak: 0-7 points
  3NT = Good: 8+ points
over (1C):
  Double = Takeout: 12+ points
""",
    )
    search = tuner(text, TuningPlan(screened=3_000, judged=10))
    rare = 0
    for move in search.moves():
        try:
            system = text.changed(move, text.paths).system()
        except InvalidSystem:
            continue
        deals = deals_in_turn(3_000, 1)
        whole = SystemMatch(system, text.system(), deals)
        found = np.zeros(3_000, np.int64)
        for chosen, match in search._played(move, system, text.system(), deals, 0, 3_000):
            found[chosen] = match.kind
            rare += len(chosen) < 1_000
        assert (found == whole.kind).all()
    assert rare
