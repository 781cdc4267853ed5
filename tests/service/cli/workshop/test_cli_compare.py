"""Command ``compare`` and its report: files, numbers, harmless texts, errors."""

import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from bidcascade.engine.runs.columns.double_dummy import DOUBLE_DUMMY_COLUMNS
from bidcascade.loaders import deal_arrays
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, main
from bidcascade.service.reports.compare_report import compare_page, verdict
from bidcascade.service.reports.report_page import page_html, page_markdown
from bidcascade.workshop.boards.compare_summary import (
    Divergence,
    DivergenceResult,
    Estimate,
    MatchExample,
    MatchSummary,
    SystemResult,
)
from tests.service.reports.support_pages import check_page
from tests.support.deals import possible

STRONG = "opening:\n  1NT = Strong: 15-17 points, balanced\n  1C = Anything else: 12+ points\n"
WEAK = STRONG.replace("15-17", "12-14")


@pytest.fixture
def systems(tmp_path, monkeypatch):
    """Two small systems as files, and a cache of their own."""
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "strong.bidding").write_text(STRONG)
    (tmp_path / "weak.bidding").write_text(WEAK)


@pytest.mark.usefixtures("systems")
def test_no_bars_where_no_contract_differs(capsys):
    match = [
        "compare",
        "weak.bidding",
        "weak.bidding",
        "--deals",
        "100",
        "--workers",
        "1",
        "--plot",
    ]
    assert main(match) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("no deal with different contracts")


@pytest.mark.usefixtures("systems")
def test_a_match_leaves_its_report(tmp_path, capsys):
    arguments = ["compare", "strong.bidding", "weak.bidding", "--deals", "300", "--workers", "1"]
    assert main([*arguments, "--dd-budget", "20", "--plot", "--json"]) == BAD_ARGUMENTS
    assert "expected --plot without --json" in capsys.readouterr().err
    assert main([*arguments, "--dd-budget", "20", "--plot", "--out", "out"]) == 0
    out, err = capsys.readouterr()
    _, bars = out.split("IMPs for strong on 20 deals with different contracts, and how often:\n")
    rows = [line.split()[:2] for line in bars.splitlines()]
    boards = pl.read_parquet("out/boards.parquet").filter(kind="differs")
    assert {int(imps): int(count) for imps, count in rows if count != "0"} == dict(
        boards["imps"].value_counts().iter_rows()
    )
    assert [int(imps) for imps, _ in rows] == sorted(int(imps) for imps, _ in rows)
    assert "strong against weak, 300 deals" in out
    assert "opening: 1C/1N" in out
    assert "20 of " in err
    folder = tmp_path / "out"
    names = sorted(path.name for path in folder.iterdir())
    assert names == [
        "boards.parquet",
        "divergences.parquet",
        "report.html",
        "report.md",
        "summary.json",
    ]
    summary = json.loads((folder / "summary.json").read_text())
    boards = pl.read_parquet(folder / "boards.parquet")
    estimate = (boards["imps"] * boards["weight"]).sum() / 300
    assert summary["imps"]["value"] == pytest.approx(estimate)
    assert summary["imps"]["error"] > 0
    assert summary["examined"] == 20
    assert boards["weight"].sum() == pytest.approx(300)
    parted = pl.read_parquet(folder / "divergences.parquet")
    assert parted["examined"].sum() == (boards["kind"] == "differs").sum() == 20
    report = check_page((folder / "report.html").read_text())
    assert [one["kind"] for one in report.charts] == ["intervals", "stacks"]
    assert report.links == []
    assert report.document["answer"] == summary
    assert "# strong against weak" in (folder / "report.md").read_text()

    assert main([*arguments, "--dd-budget", "0", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["kinds"] == summary["kinds"]
    assert again["imps"] == {"value": None, "error": None, "margin": None}


@pytest.mark.usefixtures("systems")
def test_a_match_goes_on_and_reads_files(tmp_path, capsys):
    assert main(["deals", "120", "--seed", "3", "--out", "deals.parquet"]) == 0
    frame = pl.read_parquet("deals.parquet")
    rows, columns = np.indices((120, 20))
    tables = possible((rows * 7 + columns) % 14, deal_arrays(frame).hands)
    tricks = {
        name: pl.Series(tables[:, number].tolist(), dtype=pl.UInt8)
        for number, name in enumerate(DOUBLE_DUMMY_COLUMNS)
    }
    frame.with_columns(**tricks).write_parquet("solved.parquet")
    common = ["--workers", "1", "--json"]
    match = ["compare", "strong.bidding", "weak.bidding", "--from", "solved.parquet", *common]
    capsys.readouterr()
    assert main([*match, "--dd-budget", "15", "--out", "out"]) == 0
    some = json.loads(capsys.readouterr().out)
    assert (some["examined"], some["solved"]) == (15, 0)
    assert main([*match, "--dd-budget", "all", "--out", "out", "--resume"]) == 0
    out, err = capsys.readouterr()
    assert "15 deals taken over" in err
    resumed = json.loads(out)
    assert main([*match, "--dd-budget", "all"]) == 0
    at_once = json.loads(capsys.readouterr().out)
    for one in (resumed, at_once):
        del one["seconds"]
    assert resumed == at_once
    assert 0 < at_once["imps"]["error"] < some["imps"]["error"]
    other = ["compare", "strong.bidding", "weak.bidding", "--deals", "120", "--seed", "4", *common]
    assert main([*other, "--dd-budget", "0", "--out", "out", "--resume"]) == BAD_INPUT
    assert "those of others" in capsys.readouterr().err


@pytest.mark.usefixtures("systems")
def test_the_bank_is_solved_and_compared_on(capsys):
    assert main(["compare", "strong.bidding", "weak.bidding", "--bank", "open"]) == BAD_INPUT
    assert "'bidcascade bank' solves them" in capsys.readouterr().err
    assert main(["bank", "--deals", "6", "--workers", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["solved"], found["open"] + found["held_out"]) == (6, 6)
    assert main(["compare", "strong.bidding", "weak.bidding", "--bank", "all", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["deals"], told["solved"]) == (6, 0)
    assert told["examined"] == told["kinds"]["differs"]
    assert main(["compare", "a", "b", "--bank", "all", "--deals", "5"]) == BAD_ARGUMENTS
    assert "got --deals and --bank" in capsys.readouterr().err
    assert main(["compare", "a", "b", "--bank", "half"]) == BAD_ARGUMENTS
    assert "expected --bank open, held-out, all, got 'half'" in capsys.readouterr().err
    assert main(["bank", "--deals", "200001"]) == BAD_ARGUMENTS
    assert "expected at most 200,000 deals, got 200,001" in capsys.readouterr().err


@pytest.mark.usefixtures("systems")
def test_leads_are_made_blind_where_that_is_asked_for(tmp_path, capsys):
    match = ["compare", "strong.bidding", "weak.bidding", "--deals", "60", "--workers", "1"]
    match += ["--dd-budget", "4"]
    assert main(match) == 0
    assert "(blind lead): unknown, no deal was led (--lead-budget)" in capsys.readouterr().out
    led = [*match, "--lead-budget", "3", "--lead-layouts", "2"]
    assert main([*led, "--out", "out"]) == 0
    assert re.search(r"\(blind lead\): [+-]\d.* \(3 deals led\)", capsys.readouterr().out)
    boards = pl.read_parquet("out/boards.parquet")
    assert boards["blind_imps"].is_not_null().sum() == 3
    assert "(3 deals led)" in (tmp_path / "out" / "report.md").read_text()
    # what is kept is found again, with the same answer
    kept = tmp_path / "cache" / "double-dummy" / "leads.bin"
    size = kept.stat().st_size
    assert main([*led, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert kept.stat().st_size == size
    assert told["led"] == 3
    assert told["blind_imps"]["value"] is not None
    assert main([*match, "--lead-layouts", "2"]) == BAD_ARGUMENTS
    assert "expected --lead-layouts with --lead-budget" in capsys.readouterr().err
    assert main([*match, "--lead-budget", "some"]) == BAD_ARGUMENTS
    assert main(["compare", "a", "--archive", "b", "--lead-budget", "3"]) == BAD_ARGUMENTS
    assert "expected --archive or --lead-budget, got both" in capsys.readouterr().err


def some_summary() -> MatchSummary:
    """A summary with hostile names and every part."""
    sure, unsure = Estimate(0.5, 0.1, 0.2), Estimate(0.25)
    per_deal = dict.fromkeys(
        ("declared", "partscore", "game", "small slam", "grand slam", "doubled"), sure
    )
    system = SystemResult("<b>one</b>", per_deal, sure, sure, (("1N", 0.5), ("4H", 0.25)))
    parted = DivergenceResult(Divergence((7, 0), 8, 9), 12, sure, unsure, sure)
    example = MatchExample(
        41,
        "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432",
        "N",
        "None",
        ((7, 0, 0, 0), (0, 0, 0, 0)),
        ("1N N", "Pass"),
        (9, None),
        (150, 0),
        4,
    )
    return MatchSummary(
        ("<b>one</b>", "two|*"),
        1000,
        {"same": 500, "differs": 500},
        50,
        80,
        sure,
        sure,
        sure,
        7,
        unsure,
        dict.fromkeys(("won", "lost", "flat", "other auction", "other contract"), sure),
        {"None": (sure, unsure)},
        (parted,),
        (system, system),
        (example,),
        {"bidding": 1.0},
    )


def test_the_page_shows_everything_and_escapes_names():
    page = compare_page(some_summary())
    report, text = check_page(page_html(page)), page_markdown(page)
    assert report.document["title"] == "<b>one</b> against two|*"
    assert ["1N P", "2♣", "2♦", "12", "50.0 %", "+0.25", "+0.5000 ± 0.1000"] in report.rows
    assert "\\<b\\>one" in text
    assert "two\\|\\*" in text
    headings = re.findall(r"^## (.*)$", text, re.M)
    assert headings == [
        "Result", "Where the auctions part", "Contracts", "Vulnerability",
        "Deals with the largest swings", "How this was worked out",
    ]  # fmt: skip
    assert "| 1N P | 2♣ | 2♦ | 12 | 50.0 % | +0.25 | +0.5000 ± 0.1000 |" in text
    assert "Deal 42: +4 IMPs" in text
    assert "| 1N P P P | 1N N | 9 | 150 |" in text


@pytest.mark.parametrize(
    ("imps", "words"),
    [
        (Estimate(0.5, 0.1, 0.2), "is ahead of two"),
        (Estimate(-0.5, 0.1, 0.2), "is ahead of <b>one"),
        (Estimate(0.1, 0.1, 0.2), "Neither system"),
        (Estimate(0.5), "Too few deals"),
        (Estimate(None), "Too few deals"),
    ],
)
def test_the_verdict_says_no_more_than_is_known(imps, words):
    summary = replace(some_summary(), imps=imps)
    assert words in verdict(summary)
    same = replace(summary, kinds={"same": 1000, "differs": 0})
    assert "the same results on every deal" in verdict(same)
