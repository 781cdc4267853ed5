"""The benchmark: fixed boards, the same numbers each time, faults that are counted."""

import json

import numpy as np
import pytest

from bidcascade.bridge import EngineFailed, InvalidInput
from bidcascade.inference.double_dummy.solved_deals import (
    BANK_DEALS,
    BANK_SEED,
    bank_hands,
    bench_boards,
    held_out,
)
from bidcascade.inference.double_dummy.table_cache import TableCache
from bidcascade.kernels.machine.threads import thread_count
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.seats.foreign.process import ProcessEngine
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, NO_BACKEND, main
from bidcascade.service.reports.bench_report import (
    bench_dict,
    match_columns,
    match_rows,
    write_bench_report,
)
from bidcascade.workshop.boards.bench import MOST_FAULTS, bench
from bidcascade.workshop.boards.compare import SystemMatch
from bidcascade.workshop.boards.compare_summary import summarize
from bidcascade.workshop.boards.scored_boards import Budget
from tests.support.deals import possible
from tests.support.examples import rows_in_check
from tests.support.systems import OTHER, SMALL

BOARDS = 60


@pytest.fixture(scope="module")
def cache():
    """Made-up results of the first deals of the bank, so that nothing need be solved."""
    hands = bank_hands(400)
    tables = np.random.default_rng(1).integers(4, 11, (400, 20), dtype=np.int8)
    found = TableCache()
    found.add(hands, possible(tables, hands))
    return found


class Unasked:
    """A solver that nobody should ask."""

    def tricks(self, *_, **__):
        raise AssertionError

    tables = tricks


def measured(bidder, cache, *, opponents=(OTHER,), **options):
    return bench(bidder, opponents, Unasked(), cache=cache, **{"boards": BOARDS, **options})


def test_boards_of_seeds_are_different_and_held_out():
    first, second = bench_boards(50, 0), bench_boards(50, 1)
    assert (np.concatenate([first, second]) == bench_boards(100, 0)).all()
    hands = bank_hands(int(second[-1]) + 1)
    assert held_out(hands)[first].all()
    assert not held_out(hands)[bench_boards(50, 0, "open")].any()
    assert bench_boards(7, 3, "all").tolist() == list(range(21, 28))


@pytest.mark.parametrize(
    ("boards", "seed", "part"),
    [(0, 0, "all"), (BANK_DEALS + 1, 0, "all"), (100_000, 2, "all"), (10, 0, "closed")],
)
def test_boards_that_the_bank_has_not(boards, seed, part):
    with pytest.raises(InvalidInput, match="expected"):
        bench_boards(boards, seed, part)


def test_numbers_are_those_of_a_match_and_of_par(cache):
    told, rows = measured(SMALL, cache)
    numbers = bench_boards(BOARDS, 0)
    frame = random_deals(int(numbers[-1]) + 1, BANK_SEED)[numbers]
    deals = deal_arrays(frame)
    match = SystemMatch(SMALL, OTHER, deals)
    match.work_out(None, Budget(), cache.find(deals.hands))
    summary = summarize(match)
    scores = told.matches[0].scores
    assert scores["imps"] == summary.imps
    assert scores["defended_imps"] == summary.defended_imps
    assert told.matches[0].outcomes == summary.outcomes
    assert rows["record"].to_list() == numbers.tolist()
    for tally in (told.yardstick.players, *told.yardstick.systems):
        assert tally.imps == pytest.approx(rows[f"imps_{tally.name}"].mean())
    assert (told.digest, told.requests, told.calls) == (SMALL.digest, 0, {})


def test_twice_the_same_bytes(cache, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with ProcessEngine("sed -u -e s/.*/1C/") as engine:
            told, rows = measured(engine, cache, opponents=(OTHER, SMALL))
        write_bench_report(told, rows, tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        if path.name != "times.json":
            assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    assert "seconds" not in json.dumps(bench_dict(told))
    times = json.loads((tmp_path / "one" / "times.json").read_text())
    assert times["asked"] == told.requests > 0


def test_a_score_that_only_some_matches_have_is_unknown_in_the_others(cache, tmp_path):
    # against itself no board differs, so that every score is known
    told, rows = measured(SMALL, cache, opponents=(OTHER, SMALL))
    assert "blind_imps" not in told.matches[0].scores
    assert "blind_imps" in told.matches[1].scores
    write_bench_report(told, rows, tmp_path)
    first, second = match_rows(told)
    place = match_columns(told).index("blind imps")
    assert (first[place], second[place]) == ("unknown", "+0.00")
    assert len(first) == len(second) == len(match_columns(told))


def test_faults_count_as_passes_and_are_shown(cache):
    with ProcessEngine("sed -u -e s/.*/1C/") as engine:
        told, rows = measured(engine, cache)
    # at both tables its partner calls too, and at four seats three players after the opening
    assert told.calls["illegal"] >= 3 * BOARDS
    assert len(told.faults) == MOST_FAULTS
    numbers = bench_boards(BOARDS, 0).tolist()
    for one in told.faults:
        assert one.deal in numbers
        assert one.message.startswith(f"deal {one.deal} of the bank, ")
    auctions = {tuple(calls) for calls in rows["auction_sed"].to_list()}
    assert auctions == {(3, 0, 0, 0)}
    lines = told.yardstick.systems[0].lines
    assert {one.decisive.line.where for one in lines} <= {
        "opening:",
        "after 1C:",
        "after 1C P:",
        "after 1C P P:",
    }
    with ProcessEngine("sed -u -e s/.*/oops/") as engine:
        told, _ = measured(engine, cache)
    assert list(told.calls) == ["unreadable"]
    assert told.calls["unreadable"] == told.requests


def test_an_engine_that_ends_ends_the_benchmark(cache):
    engine = ProcessEngine("sed -u -e 40q -e s/.*/P/")
    with pytest.raises(EngineFailed, match=r"deal \d+, .* got the end \(exit code 0\)"), engine:
        measured(engine, cache)


def test_without_opponents(cache):
    with pytest.raises(InvalidInput, match="at least one system"):
        measured(SMALL, cache, opponents=())


# --- the command ----------------------------------------------------------------------------------


def test_a_bot_is_measured(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    command = ["bench", "engine:sed -u s/.*/P/", "--against", "acol", "--boards", "2",
               "--workers", str(min(2, thread_count()))]  # fmt: skip
    assert main([*command, "--out", "out"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("sed: 2 boards of the held-out part of the bank, seed 0\n")
    assert "no call that could not be used" in out
    assert "ms a call" in err
    told = (tmp_path / "out" / "report.md").read_text()
    assert "https://www.bridgebase.com/tools/handviewer.html" in told
    assert main([*command, "--json"]) == 0
    assert capsys.readouterr().out == (tmp_path / "out" / "summary.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    rows_in_check(
        (0, 3, 5),
        (["nowhere"], BAD_ARGUMENTS, "nowhere"),
        (["sayc", "--against", "engine:x"], BAD_ARGUMENTS, "systems as opponents"),
        (["sayc", "--bank", "closed"], BAD_INPUT, "a part of the bank"),
        (["sayc", "--boards", "100000"], BAD_INPUT, "which has"),
        (["sayc", "--boards", "0"], BAD_ARGUMENTS, "at least 1"),
        (["engine:no-such-bot", "--boards", "1"], NO_BACKEND, "a program to start"),
    ),
)
def test_what_cannot_be_measured(arguments, code, message, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    assert main(["bench", *arguments]) == code
    assert message in capsys.readouterr().err
