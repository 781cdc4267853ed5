"""``compare --archive``: numbers, files, what does not go together."""

import json
import re

import numpy as np
import polars as pl
import pytest

from bidcascade.bridge import format_deal, parse_deal
from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.loaders import read_handviewer
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, main
from tests.service.reports.support_pages import check_page
from tests.workshop.boards.test_yardstick import GAME_VALUES, STRONG_NORTH, hands_of

GAME = """\
opening:
  1NT = Strong <b>: 15-17 points, balanced
after 1NT:
  3NT = Game: 10+ points
"""
DEALS = (
    STRONG_NORTH,
    GAME_VALUES,
    parse_deal("E:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876"),
)
AUCTIONS = ("1N P P P", "1N P P P", "P P P P")


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """Two systems and an archive as files; all tables are in the cache."""
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.bidding").write_text(GAME)
    (tmp_path / "never.bidding").write_text(GAME.replace("3NT = Game: 10+", "3NT = Game: 30+"))
    lines = []
    for number, (deal, auction) in enumerate(zip(DEALS, AUCTIONS, strict=True), 1):
        hands = format_deal(deal)
        lines += [
            f'[Board "{number}"]', f'[Dealer "{deal.dealer.letter}"]', '[Vulnerable "None"]',
            f'[Deal "{hands}"]', f'[Auction "{deal.dealer.letter}"]',
            auction.replace("1N", "1NT").replace("P", "Pass"), "",
        ]  # fmt: skip
    (tmp_path / "boards.pbn").write_text("\n".join(lines))
    tables = np.full((3, 20), 4, np.int8)
    tables[:, [4, 14]] = 9, 9
    user_tables().add(hands_of(*DEALS), tables)


@pytest.mark.usefixtures("archive")
def test_systems_and_players_side_by_side(tmp_path, capsys):
    arguments = ["compare", "game.bidding", "never.bidding", "--archive", "boards.pbn"]
    assert main([*arguments, "--out", "out"]) == 0
    out, err = capsys.readouterr()
    assert "3 boards of 3 deals; no record left out" in out
    assert re.search(r"games bid +0, 0 failing +1, 0 failing +0, 0 failing", out)
    assert "missed game" in out
    assert re.search(r"26\+ points against an undoubled contract +0 %", out)
    assert "wrote" in err
    folder = tmp_path / "out"
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["boards.parquet", "report.html", "report.md", "summary.json"]
    boards = pl.read_parquet(folder / "boards.parquet")
    summary = json.loads((folder / "summary.json").read_text())
    assert boards["imps_game"].mean() == pytest.approx(summary["systems"][0]["imps"])
    assert boards["contract_game"].to_list() == ["1N N", "3N N", "1N E"]
    html, text = (folder / "report.html").read_text(), (folder / "report.md").read_text()
    assert "# game, never against par" in text
    assert re.findall(r"^## (.*)$", text, re.M) == [
        "Result",
        "Loss by cause",
        "Sanity",
        "Lines of game",
        "Lines of never",
        "How this was worked out",
    ]
    report = check_page(html)
    assert report.document["answer"] == summary
    assert any("Strong <b>" in cell for row in report.rows for cell in row)
    # the first link of either file shows the board with the first worst line's auction
    for links in (report.links, re.findall(r"\((https[^)]*)\)", text)):
        deals = pl.concat([read_handviewer(one).deals for one in links])
        assert deals["auction_status"].unique().to_list() == ["complete"]
        assert set(deals["contract"][::2]) <= {
            *boards["contract_game"].str.head(2),
            *boards["contract_never"].str.head(2),
            "Pass",
        }
        assert set(deals["contract"][1::2]) <= {"1N", "Pass"}

    assert main([*arguments, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    for one in (summary, again):
        del one["seconds"]
    assert again == summary


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["game.bidding"], "expected two systems"),
        (["game.bidding", "--archive", "boards.pbn", "--deals", "5"], "--archive or --deals"),
        (["game.bidding", "--archive", "boards.pbn", "--from", "x"], "--archive or --from"),
        (["game.bidding", "--archive", "boards.pbn", "--dd-budget", "1"], "or --dd-budget"),
        (["game.bidding", "--archive", "nowhere.pbn"], "nowhere.pbn"),
        (["nosuch", "--archive", "boards.pbn"], "nosuch"),
    ],
)
def test_what_does_not_go_together(arguments, words, capsys):
    assert main(["compare", *arguments]) in (BAD_ARGUMENTS, BAD_INPUT)
    assert words in capsys.readouterr().err
