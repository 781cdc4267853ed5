"""Boards whose cards were played from other hands: counted when read, left out of what learns."""

import json

import polars as pl
import pytest

from bidcascade.service.cli import BAD_INPUT, main
from bidcascade.systems import export_table
from bidcascade.table import build_table

BOARD = "md|3SAQ4HKJ3DK876CQ52,SK95HQ872DA54CKT3,SJ876HA65DQ93CJ94,|mb|pp1nppp|pc|{}|pg||\n"
OF_THESE_HANDS = BOARD.format("D4")
OF_OTHER_HANDS = BOARD.format("SA")
SAID = "1 whose play disagrees"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command on a match with one such board, or on a file with nothing else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "match.lin").write_text(2 * OF_THESE_HANDS + OF_OTHER_HANDS)
    (tmp_path / "other.lin").write_text(OF_OTHER_HANDS)
    rows = [{"prior": "P P", "call": "1N", "criteria": ["HCP >= 12"]}]
    export_table(build_table(rows)[0], tmp_path / "table.jsonl")

    def ran(*arguments: str) -> tuple[int, str, str]:
        return main([*arguments]), *capsys.readouterr()

    return ran


def test_load_keeps_and_counts_them(run):
    code, out, _ = run("load", "match.lin", "--out", "all.parquet", "--json")
    assert (code, json.loads(out)) == (
        0,
        {"boards": 3, "rejects": 0, "play_disagrees": 1, "contracts_lost": 0, "unread": 0},
    )
    _, _, err = run("load", "match.lin", "--out", "all.parquet", "--force")
    assert "3 boards, 0 rejects, 1 boards whose play disagrees" in err


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("mine", "match.lin"), "2 boards mined, 0 without auction, 0 rejects, " + SAID),
        (("learn", "table.jsonl", "match.lin"), "0 without, 0 rejects, " + SAID),
        (("vet", "table.jsonl", "match.lin"), "3 records: 2 boards, 0 rejects, " + SAID),
    ],
)
def test_what_learns_leaves_them_out(run, command, told):
    code, out, _ = run("table", *command, "--out", "made")
    assert code == 0
    assert told in out
    _, out, _ = run("table", *command, "--out", "again", "--json")
    numbers = json.loads(out)
    # of a vetting they stand together
    numbers = numbers["boards"] if isinstance(numbers["boards"], dict) else numbers
    assert (numbers["boards"], numbers["play_disagrees"]) == (2, 1)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("learn", "table.jsonl", "other.lin"), "got 0 without, 1 whose play disagrees"),
        (("vet", "table.jsonl", "other.lin"), "got 0 boards, 1 whose play disagrees"),
    ],
)
def test_where_there_is_nothing_else_that_is_said(run, command, told):
    code, _, err = run("table", *command, "--out", "made")
    assert code == BAD_INPUT
    assert told in err


def test_augment_tells_which_they_are(run):
    for more in ((), ("--wide",)):
        words = ("augment", "match.lin", "--out", "told.parquet", "--play", "--force")
        code, _, err = run(*words, *more)
        assert code == 0, err
        assert pl.read_parquet("told.parquet")["play_disagrees"].to_list() == [False, False, True]
