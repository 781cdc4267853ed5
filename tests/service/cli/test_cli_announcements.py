"""``table announcements``: lists, JSON Lines and archives; bad input named with its line."""

import json

import pytest

from bidcascade.service.cli import main
from bidcascade.workshop.evidence.announcement_texts import collect_texts

LIN = (
    "qx|o1|md|3SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,|sv|o|mb|p|mb|1N!|an|{}|"
    "mb|p|mb|p|mb|p|pg||\n"
)
"""One board of ours; South's hand first, West deals."""


@pytest.fixture
def inputs(tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("4+ !S; 6-10 total points\nmay be short\n\nJump -- 5+ ♣; 15-\n", "utf-8")
    lines = tmp_path / "corpus.jsonl"
    rows = [
        {"kept": "4+ !S; 6-10 total points", "superseded": ["forcing", "x -- y -- z"]},
        "2+ !C",
        {"description": "Cue bid -- 4+ !S; 2 controls"},
    ]
    lines.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    archive = tmp_path / "boards.lin"
    archive.write_text(LIN.format("notrump opener -- 15-17 HCP"), "utf-8")
    return [str(file) for file in (texts, lines, archive)]


def test_all_kinds_of_inputs(inputs, capsys):
    assert main(["table", "announcements", *inputs, "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert (value["boards"], value["rejects"], value["lines"]) == (1, 0, 7)
    counted = {kind: (tally["texts"], tally["times"]) for kind, tally in value["kinds"].items()}
    assert counted == {
        "complete": (4, 5), "truncated": (1, 1), "dropped": (1, 1), "human": (1, 1),
        "rejected": (1, 1), "empty": (0, 0),
    }  # fmt: skip
    assert list(value["unread"]) == ["n controls"]
    assert list(value["humans"]) == ["may be short"]


def test_report_as_text(inputs, capsys):
    assert main(["table", "announcements", *inputs]) == 0
    out = capsys.readouterr().out
    assert out.startswith("boards 1, rejects 0, lines 7\n8 texts, 9 times\n")
    assert "unread parts: 1\n        1  n controls" in out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{}\n", "expected an object with one of text, "),
        (b'"x"\n[1]\n', "line 2"),
        (b'{"kept": 3}\n', "expected a text or a list of texts as 'kept', got 3"),
        (b"{\n", "expected JSON, got '{'"),
        (b"\xff\n", "expected text in UTF-8"),
    ],
)
def test_bad_lines_are_named(tmp_path, capsys, content, message):
    file = tmp_path / "bad.jsonl"
    file.write_bytes(content)
    assert main(["table", "announcements", str(file)]) != 0
    err = capsys.readouterr().err
    assert message in err
    assert "bad.jsonl" in err


def test_missing_files_are_errors(tmp_path, capsys):
    for name in ("none.txt", "none.jsonl", "none.lin"):
        assert main(["table", "announcements", str(tmp_path / name)]) != 0
        assert name in capsys.readouterr().err


def test_texts_with_blanks_are_one(tmp_path):
    file = tmp_path / "texts.txt"
    file.write_text("forcing \n forcing\n", "utf-8")
    assert collect_texts([str(file)]).counts == {"forcing": 2}
