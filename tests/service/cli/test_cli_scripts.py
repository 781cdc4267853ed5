"""``deals`` of scripts and themes: printed, in shares, turned, written in each format."""

import json
import re
from pathlib import Path

import pytest

from bidcascade.bridge import parse_deal
from bidcascade.loaders import read_deals
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, DONE, main

SCRIPT = """strong = hcp(south) >= 20
weak = hcp(south) <= 5
condition strong || weak
produce 4
action printoneline, average "points" hcp(south) > 3
"""


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.dl").write_text(SCRIPT)


def test_actions_of_a_script_are_printed(capsys):
    assert main(["deals", "--script", "mine.dl", "--seed", "1"]) == DONE
    lines = capsys.readouterr().out.splitlines()
    assert [line[:2] for line in lines[:4]] == ["n "] * 4
    assert lines[4].startswith("points: ")
    assert lines[-2:] == ["Produced 4 hands", "Initial random seed 1"]
    assert main(["deals", "2", "--script", "mine.dl", "--seed", "1"]) == DONE
    assert capsys.readouterr().out.splitlines()[:2] == lines[:2]


def test_fewer_deals_than_wanted_are_said(tmp_path, capsys):
    (tmp_path / "some.dl").write_text("rnd(3) == 0 produce 9 action printoneline")
    assert main(["deals", "--script", "some.dl", "--seed", "1", "--most", "12"]) == DONE
    done = capsys.readouterr()
    assert "Generated 12 hands" in done.out
    assert "expected 9 deals, got" in done.err


@pytest.mark.parametrize("name", ["set.pbn", "set.lin", "set.rbn", "set.txt", "set.parquet"])
def test_sets_are_written_and_read_again(name):
    words = ["deals", "10", "--theme", "stayman", "--theme", "michaels", "--seed", "3"]
    assert main([*words, "--out", name]) == DONE
    found = read_deals(name).deals
    assert found["dealer"].to_list().count("N") == 5
    assert main([*words, "--out", "same.parquet"]) == DONE
    columns = ["north", "east", "south", "west", "dealer", "vulnerability"]
    assert found.select(columns).equals(read_deals("same.parquet").deals.select(columns))


def test_lines_of_json_are_requests(tmp_path):
    assert main(["deals", "3", "--theme", "weak-twos", "--seed", "1", "--out", "a.jsonl"]) == DONE
    deals = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [one["board"] for one in deals] == [1, 2, 3]
    assert {one["event"] for one in deals} == {"weak-twos"}
    for one in deals:
        assert parse_deal(one["deal"])
        assert one["dealer"] == "S"


def test_kinds_in_shares_and_a_seat():
    words = ["deals", "20", "--script", "mine.dl", "--share", "25:strong", "--share", "75%:weak"]
    assert main([*words, "--seed", "1", "--seat", "W", "--vul", "NS", "--out", "set.pbn"]) == DONE
    found = read_deals("set.pbn").deals
    points = [
        sum(
            (hand >> 13 * suit + rank & 1) * (rank - 8)
            for suit in range(4)
            for rank in range(9, 13)
        )
        for hand in found["west"].to_list()
    ]
    assert sum(one >= 20 for one in points) == 5
    assert sum(one <= 5 for one in points) == 15
    # what was North-South is East-West after a quarter turn
    assert set(found["vulnerability"]) == {"EW"}
    assert set(found["dealer"]) == {"E"}


def test_conditions_in_shares(capsys):
    words = ["deals", "10", "--share", "40:HCP_N >= 20", "--share", "60:HCP_N < 10"]
    assert main([*words, "--seed", "1", "--out", "set.lin"]) == DONE
    assert read_deals("set.lin").deals.height == 10


def test_themes_are_listed(capsys):
    assert main(["deals", "--themes"]) == DONE
    assert "jacoby-transfers" in capsys.readouterr().out
    assert main(["deals", "--themes", "--json"]) == DONE
    found = json.loads(capsys.readouterr().out)["themes"]
    assert len(found) == 30
    assert {"name", "title", "practises"} == set(found[0])
    assert main(["deals", "2", "--theme", "splinters", "--seed", "1"]) == DONE
    assert "Produced 2 hands" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--seed", "1", "--out", "a.pbn"], BAD_ARGUMENTS, "expected N, how many deals"),
        (["5", "--seed", "1"], BAD_ARGUMENTS, "expected --out FILE"),
        (["5", "--seed", "1", "--out", "a.pbn", "--seat", "N"], BAD_ARGUMENTS,
         "expected --seat with --script or --theme"),
        (["5", "--seed", "1", "--out", "a.pbn", "--json"], BAD_ARGUMENTS, "--json with --themes"),
        (["--seed", "1", "--script", "none.dl"], BAD_INPUT, "No such file"),
        (["--seed", "1", "--theme", "staymen"], BAD_ARGUMENTS, "did you mean 'stayman'?"),
        (["--seed", "1", "--theme", "stayman", "--out", "a.doc"], BAD_ARGUMENTS,
         "expected an output ending in .parquet, .lin, .pbn, .rbn, .txt, .jsonl"),
        (["--seed", "1", "--theme", "stayman", "--where", "HCP_N > 3"], BAD_ARGUMENTS,
         "expected --where or --known, or --script"),
        (["--seed", "1", "--script", "mine.dl", "--share", "game"], BAD_ARGUMENTS,
         "expected a share such as 40:game, got 'game'"),
        (["--seed", "1", "--script", "mine.dl", "--share", "40:strong"], BAD_INPUT,
         "expected shares above 0 of 100 % together, got 40 %"),
        (["--seed", "1", "--script", "mine.dl", "--share", "100:middling"], BAD_INPUT,
         "expected a name that the script defines (strong, weak), got 'middling'"),
        (["--seed", "1", "--theme", "stayman", "--theme", "michaels", "--share", "100:stayman"],
         BAD_ARGUMENTS, "expected a share of each of stayman, michaels, got stayman"),
        (["--seed", "1", "--script", "bad.dl"], BAD_INPUT,
         "bad.dl: line 2, column 3: expected a function, got 'hcpp'; did you mean 'hcp'?"),
        (["--seed", "1", "--script", "never.dl"], BAD_INPUT, "no deal meets the script"),
        # no seed is told where nothing was dealt
        ([], BAD_ARGUMENTS, "expected N, how many deals"),
        (["5"], BAD_ARGUMENTS, "expected --out FILE"),
        (["--script", "bad.dl"], BAD_INPUT, "did you mean 'hcp'?"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_line(tmp_path, capsys, words, code, message):
    (tmp_path / "bad.dl").write_text("condition\n  hcpp(north) > 3")
    (tmp_path / "never.dl").write_text("hcp(north) > 30 && hcp(south) > 10")
    assert main(["deals", *words]) == code
    done = capsys.readouterr()
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not done.out


@pytest.mark.parametrize(
    "words", [["5"], ["5", "--theme", "stayman"], ["5", "--where", "HCP_N > 9"]]
)
def test_a_seed_that_is_drawn_is_told_and_gives_the_same_deals(capsys, words):
    assert main(["deals", *words, "--out", "a.pbn"]) == DONE
    found = re.search(r"seed (\d+): --seed \1 gives the same deals", capsys.readouterr().err)
    assert main(["deals", *words, "--seed", found[1], "--out", "b.pbn"]) == DONE
    assert Path("a.pbn").read_text() == Path("b.pbn").read_text()
    assert "seed" not in capsys.readouterr().err
    assert main(["deals", *words, "--out", "c.pbn"]) == DONE
    assert Path("c.pbn").read_text() != Path("a.pbn").read_text()
