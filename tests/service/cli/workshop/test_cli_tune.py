"""Command ``system tune``: what it writes, its report, going on, honest errors."""

import json

import numpy as np
import pytest

from bidcascade.inference.double_dummy.solved_deals import bank_hands
from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.inference.trick_table import estimated_tricks
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, INTERRUPTED, main
from tests.support.examples import rows_in_check

TEXT = """-- Far too light: 13 points.
opening:
  3NT = Game: 13+ points  -- alone, 13 or more
  1C = Club: 12+ points
"""


class Estimates:
    """A pool of processes that takes as many tricks as the table estimates."""

    def __init__(self, workers=None, *, is_background=False):
        assert is_background

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def tricks(self, hands, strain, declarer, *, cancel=None, timeout_s=None):
        each = range(hands.shape[1])
        found = [
            estimated_tricks(hands[:, one : one + 1], int(strain[one]), int(declarer[one]))
            for one in each
        ]
        return np.round(np.array(found)).astype(np.int8).reshape(-1)


@pytest.fixture
def arguments(tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bidcascade.inference.double_dummy.pool.DoubleDummyPool", Estimates)
    (tmp_path / "light.bidding").write_text(TEXT)
    return ["system", "tune", "light.bidding", "--out", "found", "--deals", "6000", "--tries", "4"]


def solve(count):
    tables = np.random.default_rng(2).integers(5, 11, (count, 20)).astype(np.int8)
    user_tables().add(bank_hands(count), tables)


def test_what_is_found_is_written_as_text_with_a_report(arguments, tmp_path, capsys):
    solve(600)
    assert main([*arguments, "--only", "light:3", "--held-out"]) == 0
    out, err = capsys.readouterr()
    assert (tmp_path / "light.bidding").read_text() == TEXT
    written = (tmp_path / "found" / "light.bidding").read_text()
    value = int(written.split("Game: ")[1].split("+")[0])
    assert value > 13
    assert written == TEXT.replace("Game: 13", f"Game: {value}")
    assert "light: 4 changes tried" in out
    assert "light.bidding:3: Game, points 13 -> 14" in out
    assert "deals of the bank (held-out)" in out
    assert "changes to try; tries are kept in 'found/tries.jsonl'" in err
    told = json.loads((tmp_path / "found" / "report.json").read_text())
    assert (told["system"], told["tried"], told["files"]) == ("light", 4, ["light.bidding"])
    first = told["trials"][0]
    assert first["verdict"] == "kept"
    for stage in ("screened", "judged"):
        for scorer in ("double dummy", "perfect defence"):
            halves = first[stage][scorer]
            assert set(halves) == {"all", "first half", "second half"}
            assert all(one["gain"] >= 0 < one["error"] for one in halves.values())
    assert told["held_out"]["deals"] > 100
    # the same again makes no try anew, and says the same
    assert main([*arguments, "--only", "light:3", "--held-out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == told
    assert main(["system", "lint", "found/light.bidding", "--deals", "100"]) == 0


def test_what_is_looked_at_can_be_chosen(arguments, capsys):
    def tried(*more):
        assert main([*arguments, *more, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        return {change.split(",")[0] for one in told["trials"] for change in one["changes"]}

    assert tried("--keep", "light.bidding:3-3") == {"light.bidding:4: Club"}
    assert tried("--only", "light.bidding:3", "--kind", "points") == {"light.bidding:3: Game"}
    assert main([*arguments, "--kind", "losers"]) == BAD_INPUT
    assert "expected numbers in 'light' that may be changed" in capsys.readouterr().err
    assert main([*arguments, "--tries", "0", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["tried"], told["files"]) == (0, [])


def test_ctrl_c_ends_with_what_was_found(arguments, monkeypatch, capsys, tmp_path):
    from bidcascade.workshop.tuning.tuner import Tuner

    tried = Tuner._try

    def interrupted(self, move):
        if len(self.trials) == 2:
            raise KeyboardInterrupt
        return tried(self, move)

    monkeypatch.setattr(Tuner, "_try", interrupted)
    assert main([*arguments, "--json"]) == INTERRUPTED
    out, err = capsys.readouterr()
    assert json.loads(out)["tried"] == 2
    assert "interrupted: 2 changes were tried" in err
    monkeypatch.setattr(Tuner, "_try", tried)
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tried"] == 4
    lines = (tmp_path / "found" / "tries.jsonl").read_text().split("\n")
    assert sum('"key"' in line for line in lines) == 4


@pytest.mark.parametrize(
    ("more", "code", "message"),
    rows_in_check(
        (0, 2, 6),
        (["--kind", "hearts"], BAD_ARGUMENTS, "expected --kind points, "),
        (
            ["--keep", "lite"],
            BAD_ARGUMENTS,
            "expected --keep with lines of a file that 'light' reads (light.bidding), got 'lite'",
        ),
        (["--keep", "light:40"], BAD_ARGUMENTS, "got 'light:40'"),
        (["--only", "light:4-3"], BAD_ARGUMENTS, "expected --only with lines of a file that"),
        (["--lead-budget", "3"], BAD_ARGUMENTS, "expected --lead-budget with --held-out"),
        (["--tries", "soon"], BAD_ARGUMENTS, "expected a budget such as "),
        (["--seed", "2"], BAD_INPUT, "expected the journal of this search, got "),
        (["--also", "nobody"], BAD_INPUT, "nobody"),
    ),
)
def test_what_cannot_be_tuned(arguments, capsys, more, code, message):
    assert main([*arguments, "--tries", "1"]) == 0
    capsys.readouterr()
    assert main([*arguments, *more]) == code
    assert message in capsys.readouterr().err


def test_a_bank_without_deals(arguments, capsys):
    assert main([*arguments, "--held-out"]) == BAD_INPUT
    assert "expected solved deals in the part 'held-out' of the bank" in capsys.readouterr().err
