"""Commands ``system`` and ``explain``."""

import json
from pathlib import Path

import pytest

from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, DONE, main

TEXT = """opening:
  1NT = Strong notrump: 15-17 points, balanced; limited
after 1NT:
  2C = Stayman: 8+ points, 4 hearts or 4 spades; artificial, forcing
    2M = Four cards: 4+ M
    2D = No major: any other hand; artificial
"""


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.bidding"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def test_show_lists_lines_in_their_order(tiny, capsys):
    assert main(["system", "show", tiny, "1N P 2C P", "--json"]) == DONE
    shown = json.loads(capsys.readouterr().out)
    assert shown["forced"] is True
    assert [line["call"] for line in shown["lines"]] == ["2H", "2S", "2D"]
    assert shown["lines"][0]["where"] == "tiny.bidding:5"


OPTIONS = """opening:
  option keys "Key cards: 3014", off:  -- The answers
    1C = 12+ points
    option queen, on:
      1D = 12+ points
"""


def test_options_are_listed(tmp_path, capsys):
    path = tmp_path / "switched.bidding"
    path.write_text(OPTIONS, encoding="utf-8")
    assert main(["system", "options", str(path), "--option", "queen"]) == DONE
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["keys", "on", "Key", "cards:", "3014", "The", "answers"] in rows
    assert main(["system", "options", str(path), "--json"]) == DONE
    told = json.loads(capsys.readouterr().out)["options"]
    assert [(one["name"], one["on"], one["within"]) for one in told] == [
        ("keys", False, {}),
        ("queen", False, {"keys": True}),
    ]
    assert (
        main(["system", "options", str(path), "--option", "queen", "--option", "keys=off"])
        == BAD_INPUT
    )
    assert "expected option 'keys' on, got it off" in capsys.readouterr().err


def test_a_text_without_options(tiny, capsys):
    assert main(["system", "options", tiny]) == DONE
    assert capsys.readouterr().out == "a text without options\n"


def test_check_tells_shares(tiny, capsys):
    assert main(["system", "check", tiny, "--deals", "2000", "--at", "1N P"]) == DONE
    out = capsys.readouterr().out
    assert "after 1N P" in out
    assert "Stayman [tiny.bidding:4]" in out
    assert "below game with 26+ points and 8+ cards in a major" in out
    assert ", dealer N, vulnerable " in out


def test_check_names_the_places_that_never_came_up(tiny, capsys):
    arguments = ["system", "check", tiny, "--deals", "100", "--at"]
    assert main([*arguments, "1N P", "--at", "7NT"]) == DONE
    out, err = capsys.readouterr()
    assert "after 1N P" in out
    assert "place '7NT' came up on none of 100 deals" in err
    assert "1N P" not in err


@pytest.mark.parametrize("action", ["show", "check"])
@pytest.mark.parametrize(
    ("auction", "reason"),
    [("1N P 1C", "insufficient"), ("P P P P", "expected an auction that goes on")],
)
def test_places_that_no_auction_comes_to(action, auction, reason, tiny, capsys):
    place = ["--at", auction] if action == "check" else [auction]
    assert main(["system", action, tiny, *place]) == BAD_ARGUMENTS
    assert reason in capsys.readouterr().err


def test_check_counts_what_no_pair_wants_to_see(tiny, capsys):
    arguments = ["system", "check", tiny, "--deals", "400", "--show", "2", "--json"]
    assert main(arguments) == DONE
    out, err = capsys.readouterr()
    assert "--dd-budget" not in err
    signs = {one["what"]: one for one in json.loads(out)["sanity"]}
    strong = signs["below game with 26+ points and 8+ cards in a major"]
    # the text knows no game
    assert strong["boards"] == strong["possible"] > 10
    assert strong["share"] == strong["high"] == 1
    assert strong["low"] < 1
    assert [one["contract"] in ("Pass", "1N N", "1N S") for one in strong["examples"]] == [True] * 2
    assert signs["more than 20 calls"]["boards"] == 0
    assert main(["system", "sanity", *arguments[2:]]) == DONE
    alone = json.loads(capsys.readouterr().out)
    assert alone["deals"] == 400
    assert alone["sanity"] == [*signs.values()]
    assert main(["system", "sanity", tiny, "--deals", "400"]) == DONE
    assert "more than 20 calls" in capsys.readouterr().out
    assert main([*arguments[:-1], "--dd-budget", "much"]) == BAD_ARGUMENTS
    assert "expected a budget such as '90s', '2000' or 'all'" in capsys.readouterr().err


def test_what_more_strength_loses(tiny, capsys):
    arguments = ["system", "stronger", tiny, "--deals", "1500", "--seed", "3"]
    assert main([*arguments, "--json"]) == DONE
    told = json.loads(capsys.readouterr().out)
    assert (told["system"], told["deals"]) == ("tiny", 1500)
    rates = {one["what"]: one for one in told["rates"]}
    lost = rates["pass with an honour more"]
    # who opens one notrump passes on eighteen points
    assert lost["boards"] > 5
    assert lost["low"] < lost["share"] < lost["high"]
    lines = [one for one in told["lines"] if one["what"] == lost["what"]]
    assert sum(one["lost"] for one in lines) == lost["boards"]
    assert main([*arguments, "--show", "1"]) == DONE
    out = capsys.readouterr().out
    assert "pass with an honour more:" in out
    assert lines[0]["better"] in out
    assert main(["system", "check", *arguments[2:], "--json"]) == DONE
    assert json.loads(capsys.readouterr().out)["stronger"] == told["rates"]


@pytest.mark.parametrize("action", ["lint", "check", "show"])
def test_opponents_with_an_option_of_the_system_alone(action, tmp_path, capsys):
    """Options are those of the system; the other one has none of this name."""
    mine, theirs = tmp_path / "mine.bidding", tmp_path / "theirs.bidding"
    mine.write_text(f"{TEXT}option weak:\n  over (1C):\n    1D = Overcall: 5+ diamonds\n", "utf-8")
    theirs.write_text("opening:\n  1C = Club: 10+ points\n", "utf-8")
    arguments = ["--opponents", str(theirs), "--option", "weak"]
    rest = {"show": ["1C"], "lint": ["--deals", "500"], "check": ["--deals", "500", "--at", "1C"]}[
        action
    ]
    assert main(["system", action, str(mine), *rest, *arguments, "--json"]) == DONE
    found = json.loads(capsys.readouterr().out)
    if action == "show":
        assert [line["name"] for line in found["lines"]] == ["Overcall"]
    else:
        assert "Overcall: its place never" not in json.dumps(found)
        assert "(theirs" not in "".join(
            one["text"] for one in found["findings"] if " over " not in one["text"]
        )


def test_lint_lists_long_conditions(tmp_path, capsys):
    path = tmp_path / "long.bidding"
    path.write_text(
        f"{TEXT}  2C = Any: 5+ clubs or 5+ diamonds or 5+ hearts or 5+ spades\n", "utf-8"
    )
    assert main(["system", "lint", str(path), "--deals", "50"]) == DONE
    shown = capsys.readouterr().out.split("long condition:\n")[1]
    number = len(path.read_text("utf-8").splitlines())
    assert shown.startswith(f'  long.bidding:{number} Any: a condition of 49 characters, 3 "or" (')
    assert main(["system", "check", str(path), "--deals", "50", "--at", "1C"]) == DONE
    assert "1 of kind 'long condition'" in capsys.readouterr().out


@pytest.mark.slow
def test_lint_diff_and_compile(tiny, tmp_path, capsys):
    assert main(["system", "lint", tiny, "--deals", "2000"]) == DONE
    weak = tmp_path / "weak.bidding"
    weak.write_text(TEXT.replace("15-17", "12-14"), encoding="utf-8")
    assert main(["system", "diff", tiny, str(weak), "--deals", "2000", "--json"]) == DONE
    out = capsys.readouterr().out
    assert json.loads(out[out.index("{") :])["changed"] > 100
    folder = str(tmp_path / "table")
    assert main(["system", "compile", tiny, "--out", folder, "--deals", "500", "--json"]) == DONE
    assert json.loads(capsys.readouterr().out)["entries"] > 5
    assert main(["system", "compile", tiny, "--out", folder, "--deals", "500"]) == BAD_INPUT
    assert "--force replaces it" in capsys.readouterr().err


def test_cases_beside_a_system(tiny, capsys):
    assert main(["system", "test", tiny]) == BAD_INPUT
    assert "*.cases file beside" in capsys.readouterr().err
    Path(tiny).with_suffix(".cases").write_text(
        "AK5.Q32.KJ52.Q97 -> 1N\nAK5.Q32.KJ52.Q97 : P -> P -- wrong on purpose\n", encoding="utf-8"
    )
    assert main(["system", "test", tiny]) == BAD_INPUT
    assert "1 of 2 right" in capsys.readouterr().out


def test_fmt_lays_out_once(tmp_path, capsys):
    path = tmp_path / "loose.bidding"
    path.write_text("opening:\n    1NT=Strong: 15-17 points ,balanced\n", encoding="utf-8")
    assert main(["system", "fmt", "--check", str(path)]) == BAD_INPUT
    assert main(["system", "fmt", str(path)]) == DONE
    assert main(["system", "fmt", "--check", str(path)]) == DONE
    assert "  1NT = Strong: 15-17 points, balanced" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("check", [["--check"], []])
def test_fmt_names_the_file_that_it_cannot_read(check, tmp_path, capsys):
    good, bad = tmp_path / "a.bidding", tmp_path / "tab.bidding"
    good.write_text("opening:\n  1NT = Strong\n", encoding="utf-8")
    bad.write_text("opening:\n\t1NT = Strong\n", encoding="utf-8")
    assert main(["system", "fmt", *check, str(good), str(bad)]) == BAD_INPUT
    assert f"{bad}:2: a tab stands here" in capsys.readouterr().err


def test_explain_takes_dealer_and_vulnerability(tmp_path, capsys):
    text = tmp_path / "sides.bidding"
    text.write_text(
        "opening:\n"
        "  1NT = Notrump: 15-17 points and vulnerable or 12-14 points and not vulnerable\n"
    )
    told = {}
    for sides in (["--vul", "NS"], ["--vul", "NS", "--dealer", "E"], []):
        assert main(["explain", "1N", "--table", str(text), *sides]) == DONE
        told[" ".join(sides)] = capsys.readouterr().out.splitlines()[0]
    assert told == {
        "--vul NS": "1N  Notrump: 15-17 points",
        "--vul NS --dealer E": "1N  Notrump: 12-14 points",
        "": "1N  Notrump: 15-17 points vulnerable, 12-14 not",
    }


def test_explain_says_what_was_shown(tiny, capsys):
    assert main(["explain", "1N P 2C P", "--table", tiny]) == DONE
    out = capsys.readouterr().out
    assert out.startswith("1N  Strong notrump: 15-17 points")
    assert "The next player may not pass." in out


def test_explain_says_once_that_nothing_is_agreed(tiny, capsys):
    assert main(["explain", "1N P 4D P 4S X 5C", "--table", tiny]) == DONE
    out = capsys.readouterr().out.splitlines()
    assert [line for line in out if "No agreement" in line] == [
        "4D 4S X 5C  No agreement about these 4 calls"
    ]
    assert main(["explain", "1N P 4D", "--table", tiny]) == DONE
    assert "4D  No agreement about this call" in capsys.readouterr().out.splitlines()


def test_every_complaint_of_a_text_is_printed(tmp_path, capsys):
    path = tmp_path / "wrong.bidding"
    path.write_text(
        "opening:\n  1NT = Strong: 15-17 points, ballanced\n  1H = Five: 5+ heart\n",
        encoding="utf-8",
    )
    assert main(["bid", "AK5.Q32.KJ52.Q97", "--table", str(path)]) == BAD_INPUT
    err = capsys.readouterr().err
    assert 'wrong.bidding:2: "ballanced"? did you mean "balanced"' in err
    assert "wrong.bidding:3:" in err
    assert "^" in err


def test_notes_become_a_system_and_a_system_notes(tmp_path, capsys):
    notes, out = tmp_path / "ours.bml", tmp_path / "ours.bidding"
    (tmp_path / "more.bml").write_bytes("1N  15--17 bal \u2013 na ja\n".encode("cp1252"))
    notes.write_text("#INCLUDE more.bml\n\n#INCLUDE ../far.bml\n\n2N  20--21 bal\n", "utf-8")
    (tmp_path.parent / "far.bml").write_text("1C  16+\n")
    assert main(["system", "import", str(notes), "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["understood"]) == (2, 1)
    assert [one["line"] for one in told["unread"]] == [1, 3]
    assert "2NT = 20-21 points, balanced" in out.read_text("utf-8")
    assert main(["system", "export", str(out), "--out", "-"]) == 0
    assert "2N 20-21 points, balanced" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["import", "ours.bml", "--out", "ours.txt"], 1, "expected an output ending in .bidding"),
        (["import", "none.bml", "--out", "ours.bidding"], 2, "No such file or directory"),
        (["import", "odd.bml", "--out", "ours.bidding"], 2, "expected notes as text"),
        (["import", "cut.bss", "--out", "ours.bidding"], 2, "cut.bss:1: expected a card's header"),
        (
            ["export", "sayc", "--out", "ours.pdf"],
            1,
            "expected an output ending in .bml, .csv, .bss",
        ),
        (["export", "none", "--out", "ours.bml"], 1, "none"),
    ],
)
def test_notes_that_cannot_be_are_refused(tmp_path, monkeypatch, capsys, arguments, code, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.bml").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "cut.bss").write_text("*00{cu")
    assert main(["system", *arguments]) == code
    assert said in capsys.readouterr().err


def test_alerts_are_written_for_other_programs(tiny, tmp_path, capsys):
    for name, first in (("ours.csv", "BBOalert"), ("ours.bss", "*00{")):
        out = tmp_path / name
        assert main(["system", "export", tiny, "--out", str(out), "--deals", "400"]) == 0
        assert "5 alerts written" in capsys.readouterr().err
        assert out.read_text("utf-8").startswith(first)
    # and come back; another page of codes is no hindrance
    old = tmp_path / "old.bss"
    old.write_bytes((out.read_text("utf-8") + "003C=NYYYYYY085na ja \u2013\n").encode("cp1252"))
    text = tmp_path / "again.bidding"
    assert main(["system", "import", str(old), "--out", str(text), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["understood"]) == (6, 5)
    assert told["unread"][0]["reason"] == "its least cards are more than its most"
    assert "1NT = Strong notrump: 15-17 points" in text.read_text("utf-8")
