"""``export pbn`` and ``export sheets``: boards for other programs, and for a club."""

import json

import pytest

from bidcascade.engine.engine import Engine
from bidcascade.loaders import HAND_COLUMNS, random_deals, read_deals, read_pbn
from bidcascade.loaders.pbn.pbn_double_dummy import (
    BID_SYSTEMS_COLUMN,
    PAR_COLUMN,
    bid_system_column,
    double_dummy_columns,
)
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, DONE, main
from bidcascade.service.cli.files import deals
from tests.service.reports.support_pages import check_page

SYSTEM = """opening:
  1NT = Strong <b>notrump</b>: 15-17 points, balanced
option weak:
  opening:
    1NT = Weak: 12-14 points, balanced
"""


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.bidding").write_text(SYSTEM)
    assert main(["deals", "12", "--seed", "5", "--out", "club.lin"]) == DONE


def ran(capsys, *arguments):
    assert main([str(one) for one in arguments]) == DONE
    return capsys.readouterr().out


def test_boards_are_numbered_from_part_to_part(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(deals, "_CHUNK", 5)
    ran(capsys, "deals", "12", "--seed", "5", "--out", "parts.parquet")
    columns = [*HAND_COLUMNS, "dealer", "vulnerability", "board"]
    read = read_deals(tmp_path / "parts.parquet").deals
    assert read.select(columns).equals(random_deals(12, 5).select(columns))


def test_boards_are_bid_and_explained(capsys, tmp_path):
    ran(capsys, "export", "pbn", "club.lin", "--bidder", "mine.bidding", "--out", "club.pbn")
    data = (tmp_path / "club.pbn").read_bytes()
    read = read_pbn(data).deals
    bid = Engine.open("mine.bidding").auctions(
        read_deals(tmp_path / "club.lin").deals, mode="first"
    )
    assert read["auction"].equals(bid["auction"])
    assert read["contract"].equals(bid["contract"])
    told = dict.fromkeys(text for texts in read["announcements"] for text in texts)
    assert "Strong <b>notrump</b>: 15-17 points, balanced" in told
    assert set(map(tuple, bid_system_column(data)[BID_SYSTEMS_COLUMN])) == {("mine.bidding",) * 2}
    ran(
        capsys,
        "export",
        "pbn",
        "club.lin",
        "--bidder",
        "mine.bidding",
        "--option",
        "weak",
        "--out",
        "weak.pbn",
    )
    assert (
        not read_pbn((tmp_path / "weak.pbn").read_bytes()).deals["auction"].equals(read["auction"])
    )


def test_own_calls_notes_scores_and_tables_stay(capsys, tmp_path):
    digits = "7" * 20
    game = (
        '[Board "7"]\n[Dealer "N"]\n[Vulnerable "EW"]\n'
        '[Deal "N:AK52.QJ4.T98.K32 QJT.AK2.AK2.QJT9 9876.T98.QJ4.A54 43.7653.7653.876"]\n'
        '[Declarer "E"]\n[Contract "1NT"]\n[Result "6"]\n[Score "NS 100"]\n'
        '[Auction "N"]\nPass 1NT =1= Pass Pass\nPass\n[Note "1:15 to 17"]\n'
        f'[DoubleDummyTricks "{digits}"]\n[OptimumScore "NS 90"]\n'
    )
    (tmp_path / "own.pbn").write_text(game)
    ran(capsys, "export", "pbn", "own.pbn", "--out", "all.pbn")
    data = (tmp_path / "all.pbn").read_bytes()
    one = read_pbn(data).deals.row(0, named=True)
    assert (one["board"], one["score"], one["tricks"]) == (7, 100, 6)
    assert one["announcements"][1] == "15 to 17"
    assert double_dummy_columns(data)[0][PAR_COLUMN].to_list() == [90]
    ran(capsys, "export", "sheets", "own.pbn", "--out", "all.html")
    (block,) = check_page((tmp_path / "all.html").read_text("utf-8")).blocks
    (record,) = block["records"]
    assert record["title"] == "Board 7"
    assert "1NT by E, 6 tricks, +100 N/S" in record["notes"]


def test_systems_that_files_name_stay(capsys, tmp_path):
    deal = '[Deal "N:AK52.QJ4.T98.K32 QJT.AK2.AK2.QJT9 9876.T98.QJ4.A54 43.7653.7653.876"]'
    (tmp_path / "a.pbn").write_text(
        f'[Board "1"]\n{deal}\n[BidSystemNS "Acol"]\n\n[Board "2"]\n{deal}\n'
    )
    (tmp_path / "b.pbn").write_text(f'[Board "3"]\n{deal}\n[BidSystemEW "Mine"]\n')
    ran(capsys, "export", "pbn", "a.pbn", "club.lin", "b.pbn", "--out", "all.pbn")
    told = bid_system_column((tmp_path / "all.pbn").read_bytes())[BID_SYSTEMS_COLUMN].to_list()
    assert told == [["Acol", ""], *[None] * 13, ["", "Mine"]]
    # who bids them anew plays something else
    ran(capsys, "export", "pbn", "a.pbn", "--bidder", "mine.bidding", "--out", "bid.pbn")
    told = bid_system_column((tmp_path / "bid.pbn").read_bytes())[BID_SYSTEMS_COLUMN].to_list()
    assert told == [["mine.bidding"] * 2] * 2


def test_sheets_have_every_board_and_escape_texts(capsys, tmp_path):
    told = json.loads(
        ran(
            capsys,
            "export",
            "sheets",
            "club.lin",
            "--title",
            "<i>Thursday</i>",
            "--out",
            "club.html",
            "--json",
        )
    )
    assert told["boards"] == 12
    report = check_page((tmp_path / "club.html").read_text("utf-8"))
    assert report.document["title"] == "<i>Thursday</i>"
    records = report.blocks[0]["records"]
    assert len(records) == 12
    assert all(hand is not None for one in records for hand in one["hands"])


def test_sheets_have_a_board_of_many_tables_once(capsys, tmp_path):
    deal = '[Deal "N:AK52.QJ4.T98.K32 QJT.AK2.AK2.QJT9 9876.T98.QJ4.A54 43.7653.7653.876"]'
    head = f'[Dealer "N"]\n[Vulnerable "None"]\n{deal}\n'

    def played(board, contract, tricks, auction=""):
        return (
            f'[Board "{board}"]\n{head}[Declarer "E"]\n[Contract "{contract}"]\n'
            f'[Result "{tricks}"]\n{auction}\n'
        )

    room = '[Auction "N"]\nPass 1NT Pass Pass\nPass\n'
    evening = [played(1, "1NT", 7)] * 3 + [played(1, "1NT", 5)] + [played(1, "2NT", 8)]
    evening += [played(1, f"{level}NT", tricks) for level in (3, 4) for tricks in range(3, 9)]
    match = [played(2, "1NT", 7, room), played(2, "1NT", 6, room)]
    (tmp_path / "a.pbn").write_text("".join(evening))
    (tmp_path / "b.pbn").write_text("".join(match))
    told = json.loads(
        ran(capsys, "export", "sheets", "a.pbn", "b.pbn", "--out", "e.html", "--json")
    )
    assert told == {"boards": 2, "tables": 19, "out": "e.html"}
    first, second = check_page((tmp_path / "e.html").read_text("utf-8")).blocks[0]["records"]
    assert (first["title"], second["title"]) == ("Board 1", "Board 2")
    assert "1NT by E, 7 tricks, -90 N/S (3 tables)" in first["notes"]
    assert len(first["notes"]) == 9
    assert first["notes"][-1] == "7 other tables"
    # the best for North and South first
    scores = [int(note.split(", ")[2].split()[0]) for note in first["notes"][:-1]]
    assert scores == sorted(scores, reverse=True)
    # both rooms of a match, whose calls are the same
    assert second["notes"] == [
        "N: Pass 1NT Pass Pass Pass",
        "1NT by E, 7 tricks, -90 N/S",
        "1NT by E, 6 tricks, +50 N/S",
    ]


def test_sheets_of_a_quiz_say_what_is_not_known(capsys, tmp_path):
    (tmp_path / "quiz.pbn").write_text('[Board "1"]\n[Deal "N:AK52.QJ4.T98.K32 - - -"]\n')
    assert main(["export", "sheets", "quiz.pbn", "--out", "quiz.html"]) == BAD_INPUT
    assert "expected deals" in capsys.readouterr().err
    assert not (tmp_path / "quiz.html").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("pbn", "club.lin", "--out", "x.lin"), BAD_ARGUMENTS, "ending in .pbn"),
        (("sheets", "club.lin", "--out", "x.pdf"), BAD_ARGUMENTS, "ending in .html"),
        (("sheets", "club.lin", "--out", "none/x.html"), BAD_ARGUMENTS, "folder that exists"),
        (("pbn", "club.lin", "--out", "x.pbn", "--option", "weak"), BAD_ARGUMENTS, "--bidder"),
        (("pbn", "mine.bidding", "--out", "x.pbn"), BAD_INPUT, "expected deals"),
        (("pbn", "club.lin", "--bidder", "none", "--out", "x.pbn"), BAD_ARGUMENTS, "none"),
    ],
)
def test_what_cannot_be_exported_is_told(capsys, arguments, code, told, tmp_path):
    assert main(["export", *arguments]) == code
    assert told in capsys.readouterr().err
    assert not (tmp_path / "x.pbn").exists()


def test_a_page_of_sheets_keeps_to_the_rules_of_pages(capsys, tmp_path):
    ran(capsys, "export", "sheets", "club.lin", "--bidder", "sayc", "--out", "club.html")
    check_page((tmp_path / "club.html").read_text("utf-8"))
