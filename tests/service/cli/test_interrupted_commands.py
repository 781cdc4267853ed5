"""Ctrl-C in every long command: exit code 130, and what is kept is told, or that nothing is."""

import contextlib
from pathlib import Path

import pytest

from bidcascade.engine.runs import progress
from bidcascade.engine.runs.batches import batch, export_calls
from bidcascade.loaders import random_deals
from bidcascade.service.cli import INTERRUPTED, NOTHING_STAYS, main
from bidcascade.service.cli.shared import SOLVED_STAY, resume_hint
from bidcascade.workshop.boards.compare import SystemMatch
from bidcascade.workshop.evidence import learn_run as learn
from bidcascade.workshop.evidence import mine_run as mine

STRONG = "opening:\n  1NT = Strong: 15-17 points, balanced\n  1C = Anything else: 12+ points\n"
BOARD = '[Deal "N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876"]\n'
PLAYED = BOARD + '[Dealer "N"]\n[Vulnerable "None"]\n[Auction "N"]\n1NT Pass Pass Pass\n'


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("one.bidding").write_text(STRONG)
    Path("two.bidding").write_text(STRONG.replace("15-17", "12-14"))
    Path("played.pbn").write_text(PLAYED)
    Path("rows.jsonl").write_text('{"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}\n')
    return tmp_path


COMMANDS = {
    "load played.pbn --out out.parquet": NOTHING_STAYS,
    "augment played.pbn --out out.parquet": NOTHING_STAYS,
    "augment played.pbn --dd --out out.parquet": SOLVED_STAY,
    "deals 10 --where HCP_N>=10 --seed 1 --out out.parquet": NOTHING_STAYS,
    "batch played.pbn --table one.bidding --out out": resume_hint("out"),
    "export calls played.pbn --table one.bidding --out out": resume_hint("out"),
    "table announcements played.pbn": NOTHING_STAYS,
    "table mine played.pbn --out mined": NOTHING_STAYS,
    "table learn rows.jsonl played.pbn --out learned": NOTHING_STAYS,
    "table vet rows.jsonl played.pbn --out vetted": NOTHING_STAYS,
    "table counts rows.jsonl played.pbn --out counts.parquet": NOTHING_STAYS,
    "system check one.bidding": NOTHING_STAYS,
    "system lint one.bidding": NOTHING_STAYS,
    "system diff one.bidding two.bidding": NOTHING_STAYS,
    "system compile one.bidding --out compiled": NOTHING_STAYS,
    "system doctor one.bidding --deals 10": SOLVED_STAY,
    "compare one.bidding two.bidding --deals 10": NOTHING_STAYS,
    "compare one.bidding two.bidding --archive played.pbn": SOLVED_STAY,
    "archive add club played.pbn --folder archives": "what was added stays",
    "archive bid club one.bidding --folder archives": "boards that were bid stay so",
    "archive solve club --folder archives": SOLVED_STAY,
    "page one.bidding --out site": SOLVED_STAY,
    "bank --deals 10": SOLVED_STAY,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_kept_is_told(monkeypatch, folder, capsys, command):
    """Interrupted as soon as it says how far it is."""

    @contextlib.contextmanager
    def interrupted(*given, **options):
        raise KeyboardInterrupt
        yield

    class Lines(progress.ProgressLines):
        def write(self, text):
            raise KeyboardInterrupt

    for module in (progress, batch, export_calls, learn, mine):
        if hasattr(module, "progress_bar"):
            monkeypatch.setattr(module, "progress_bar", interrupted)
    monkeypatch.setattr(progress, "ProgressLines", Lines)
    assert main(command.split()) == INTERRUPTED
    errors = capsys.readouterr().err.splitlines()
    assert errors[-1].startswith(f"bidcascade: error: interrupted; {COMMANDS[command]}")
    # nothing half done is left where the result was to stand
    for name in ("out.parquet", "counts.parquet", "learned", "vetted", "compiled", "site", "mined"):
        assert not (folder / name).exists()


def test_what_was_mined_is_kept(monkeypatch, folder, capsys):
    """Once a run can be resumed it says so."""

    def interrupted(*given, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(mine._Job, "finish", interrupted)
    assert main(["table", "mine", "played.pbn", "--out", "mined"]) == INTERRUPTED
    assert resume_hint("mined.mining") in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert main(["table", "mine", "played.pbn", "--out", "mined", "--resume"]) == 0


def test_a_match_tells_what_is_worked_out(monkeypatch, folder, capsys):
    """And goes on from there."""
    score, parts = SystemMatch._score, []

    def some(self, chosen, tricks):
        if parts:
            raise KeyboardInterrupt
        parts.append(len(chosen))
        score(self, chosen, tricks)

    random_deals(400, 1).write_parquet("deals.parquet")
    match = ["compare", "one.bidding", "two.bidding", "--from", "deals.parquet", "--out", "match"]
    monkeypatch.setattr(SystemMatch, "_score", some)
    assert main([*match, "--dd-budget", "all", "--workers", "2"]) == INTERRUPTED
    out, errors = capsys.readouterr()
    assert f"interrupted: {parts[0]} of " in errors
    assert "--resume goes on from match" in errors
    assert "IMPs a deal for one" in out
    monkeypatch.setattr(SystemMatch, "_score", score)
    assert main([*match, "--dd-budget", "80", "--resume"]) == 0
    assert f"{parts[0]} deals taken over" in capsys.readouterr().err
