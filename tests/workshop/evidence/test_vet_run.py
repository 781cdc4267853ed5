"""``table vet``: archives through the vetting, all files, nothing lost and nothing that runs."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

from bidcascade.engine.engine import Engine
from bidcascade.loaders import random_deals, write_lin
from bidcascade.service.cli import main
from bidcascade.service.reports import vet_files
from bidcascade.systems import export_table
from bidcascade.table import build_table
from bidcascade.workshop.evidence import vet_run as vetting_module
from bidcascade.workshop.evidence.mine_run import mine
from bidcascade.workshop.evidence.vet_run import vet
from bidcascade.workshop.evidence.vetting_frames import COLUMNS
from tests.service.reports.support_pages import check_page
from tests.support.systems import sayc_table

ROWS = [
    {"prior": "", "call": "1N", "description": "Strong <script>alert(1)</script> | 15-17",
     "criteria": ["15 <= HCP <= 17", "Balanced"]},
    {"prior": "", "call": "1C", "criteria": ["HCP >= 13"]},
    {"prior": "", "call": "P", "criteria": ["HCP <= 12"]},
    {"prior": "1N", "call": "P"},
    {"prior": "1C", "call": "P", "criteria": ["HCP <= 14"]},
    {"prior": "1N P", "call": "3N", "criteria": ["HCP >= 10", "SL_S <= 4"]},
    {"prior": "1N P", "call": "P", "criteria": ["HCP <= 9"]},
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, deals bid by it, and the same deals bid wrong now and then."""
    folder = tmp_path_factory.mktemp("vet")
    table, _ = build_table(ROWS)
    export_table(table, folder / "table.jsonl")
    engine = Engine(table)
    for name, seed in (("own", 1), ("other", 2)):
        deals = random_deals(300, seed=seed)
        auctions = engine.auctions(deals, mode="first")["auction"]
        if name == "other":
            # every third opens one notrump, whatever the hand
            auctions = pl.Series(
                [
                    [7, 0, 17, 0, 0, 0] if number % 3 == 0 else calls
                    for number, calls in enumerate(auctions.to_list())
                ],
                dtype=pl.List(pl.UInt8),
            )
        write_lin(deals.with_columns(auction=auctions), folder / f"{name}.lin")
    bad = "md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n"
    deal = "md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|"
    (folder / "odd.lin").write_text(
        f"{bad}{deal}pg||\n{deal}mb|1C|mb|1C|pg||\n{deal}mb|1N|mb|p|pg||\n", "utf-8"
    )
    return folder


def run(folder, out, *inputs, more=()):
    paths = [str(folder / name) for name in inputs]
    code = main(["table", "vet", str(folder / "table.jsonl"), *paths, "--out", str(out), *more])
    assert code == 0
    return json.loads((out / "summary.json").read_text("utf-8"))


def test_own_deals_have_no_wrong_bids(folder, tmp_path):
    summary = run(folder, tmp_path / "out", "own.lin")
    calls = summary["calls"]
    assert calls["judged"] == calls["agrees"] > 300
    assert summary["own"] == {"compared": 300, "same_auction": 300, "same_contract": 300}
    assert summary["boards"]["boards"] == summary["boards"]["complete"] == 300


def test_all_files_are_there(folder, tmp_path):
    summary = run(folder, tmp_path / "out", "own.lin", "other.lin", "odd.lin", more=["--json"])
    boards = summary["boards"]
    assert boards["records"] == 604
    assert boards["boards"] + boards["rejects"] == boards["records"]
    assert [boards[name] for name in ("rejects", "none", "illegal", "unfinished")] == [1, 1, 1, 1]
    names = {file.name for file in (tmp_path / "out").iterdir()}
    assert names == {
        "summary.json",
        "report.md",
        "report.html",
        "rejects.parquet",
        *(f"{name}.parquet" for name in COLUMNS),
    }
    for name, columns in COLUMNS.items():
        assert pl.read_parquet(tmp_path / "out" / f"{name}.parquet").columns == list(columns)
    calls = summary["calls"]
    statuses = ("agrees", "allowed", "fails", "missing", "ended", "beyond")
    assert sum(calls[name] for name in statuses) == calls["made"]
    places = pl.read_parquet(tmp_path / "out" / "places.parquet")
    assert places["decisions"].sum() == calls["judged"]
    assert summary["lint"]["findings"]["undescribed"]["count"] == 1
    assert summary["auctions"]["held"] <= summary["auctions"]["in_table"]


def test_the_page_is_harmless_and_says_what_was_found(folder, tmp_path):
    summary = run(folder, tmp_path / "out", "other.lin", more=["--least", "5"])
    text = (tmp_path / "out" / "report.html").read_text("utf-8")
    page = check_page(text)
    assert page.document["answer"] == summary
    assert page.headings[:3] == ["In short", "Along the auction", "Worst places"]
    assert page.rows[0] != ["opening", "7", "1N"]
    blocked = [row for row in page.rows if "15 <= HCP <= 17" in row]
    assert blocked
    assert f"{summary['calls']['judged']:,}" in text
    markdown = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "`15 <= HCP <= 17`" in markdown
    assert "<script" not in markdown.replace("\\<", "")


@pytest.mark.slow
def test_order_and_number_of_processes_do_not_matter(folder, tmp_path):
    run(folder, tmp_path / "a", "own.lin", "other.lin")
    run(folder, tmp_path / "b", "other.lin", "own.lin", more=["--jobs", "1"])
    files = sorted(file.name for file in (tmp_path / "a").iterdir())
    assert files == sorted(file.name for file in (tmp_path / "b").iterdir())
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_files_with_the_same_contents_count_once(folder, tmp_path):
    (tmp_path / "again.lin").write_bytes((folder / "own.lin").read_bytes())
    once = run(folder, tmp_path / "once", "own.lin")
    twice = run(folder, tmp_path / "twice", "own.lin", tmp_path / "again.lin")
    assert (once["repeated_inputs"], twice["repeated_inputs"]) == (0, 1)
    assert once["boards"] == twice["boards"]
    assert once["calls"] == twice["calls"]


def test_one_auction(folder, tmp_path):
    summary = run(folder, tmp_path / "out", "other.lin", more=["--auction", "1N P 3N"])
    boards = summary["boards"]
    assert boards["boards"] >= 100
    assert boards["boards"] + boards["other_auctions"] == 300
    assert summary["calls"]["made"] == 3 * boards["boards"]
    blocking = pl.read_parquet(tmp_path / "out" / "blocking.parquet")
    assert set(blocking["made"]) == {boards["boards"]}
    assert set(blocking["expression"]) == {"15 <= HCP <= 17", "Balanced", "HCP >= 10", "SL_S <= 4"}
    auctions = pl.read_parquet(tmp_path / "out" / "auctions.parquet")
    assert auctions.select("auction", "deals").rows() == [("1N P 3N", boards["boards"])]


def test_parts_may_be_left_out(folder, tmp_path):
    summary = run(folder, tmp_path / "out", "own.lin", more=["--without", "lint", "own"])
    assert summary["lint"] is None
    assert summary["lint_on_deals"] is None
    assert summary["own"]["compared"] == 0
    page = check_page((tmp_path / "out" / "report.html").read_text("utf-8"))
    assert "The table by itself" not in page.headings


def test_a_wrong_dealer_is_warned_of(folder, tmp_path):
    text = (folder / "own.lin").read_text("utf-8")
    turned = text.replace("md|1", "md|x").replace("md|2", "md|1").replace("md|3", "md|2")
    (tmp_path / "turned.lin").write_text(
        turned.replace("md|4", "md|3").replace("md|x", "md|4"), "utf-8"
    )
    out = tmp_path / "out"
    run(folder, out, tmp_path / "turned.lin")
    assert "Warning: the calls fit the hand of" in (out / "report.md").read_text("utf-8")
    run(folder, tmp_path / "right", "own.lin")
    assert "Warning" not in (tmp_path / "right" / "report.md").read_text("utf-8")


def test_the_page_of_the_documentation_has_every_column():
    path = Path(__file__).parents[3] / "docs" / "vetting.md"
    if not path.is_file():
        pytest.skip("no docs: not a checkout, as when the installed wheel is tested")
    page = path.read_text("utf-8")
    for name, columns in COLUMNS.items():
        section = page.partition(f"### {name}.parquet\n")[2].partition("\n### ")[0]
        rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE)
        assert rows[: len(columns)] == list(columns.items()), name


def test_nothing_to_vet(folder, tmp_path, capsys):
    arguments = [
        "table",
        "vet",
        str(folder / "table.jsonl"),
        str(folder / "own.lin"),
        "--out",
        str(tmp_path / "out"),
    ]
    assert main([*arguments, "--auction", "7N"]) == 2
    assert "expected deals that were bid '7N', got 300 boards" in capsys.readouterr().err
    assert main([*arguments, "--auction", "1N 1C"]) == 1
    arguments[3] = str(folder / "table.jsonl")
    assert main(arguments) == 2
    assert "expected deals with an auction, got 0 boards and 1 rejects" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_is_there_is_not_overwritten(folder, tmp_path, capsys):
    out = tmp_path / "out"
    run(folder, out, "own.lin")
    (out / "notes.txt").write_text("mine")
    arguments = ["table", "vet", str(folder / "table.jsonl"), str(folder / "odd.lin"), "--out"]
    assert main([*arguments, str(out)]) == 2
    assert "--force replaces it" in capsys.readouterr().err
    assert main([*arguments, str(out), "--force"]) == 0
    assert (out / "notes.txt").read_text() == "mine"
    assert json.loads((out / "summary.json").read_text())["boards"]["boards"] == 3
    other = tmp_path / "other"
    other.mkdir()
    (other / "data.txt").write_text("mine")
    assert main([*arguments, str(other), "--force"]) == 2
    assert [file.name for file in other.iterdir()] == ["data.txt"]
    # a later report without rejects does not keep those of an earlier one
    assert (out / "rejects.parquet").exists()
    run(folder, out, "own.lin", more=["--force"])
    assert not (out / "rejects.parquet").exists()


def test_an_interrupted_run_is_resumed(folder, tmp_path, capsys, monkeypatch):
    """Once while it reads, once while it writes its report; another one is not gone on with."""
    names = ("own.lin", "odd.lin")
    run(folder, tmp_path / "whole", *names)
    out, work = tmp_path / "out", tmp_path / "out.vetting"
    table, inputs = str(folder / "table.jsonl"), [str(folder / name) for name in names]
    arguments = ["table", "vet", table, *inputs, "--out", str(out)]

    def stop(*given, **options):
        raise KeyboardInterrupt

    # a step each time that something was read
    monkeypatch.setattr(
        vetting_module.vet,
        "__kwdefaults__",
        {**vetting_module.vet.__kwdefaults__, "step_deals": 40},
    )
    with monkeypatch.context() as patch:
        patch.setattr(vetting_module, "lint", stop)
        assert main(arguments) == 130
    assert f"kept in {work}: the same command with --resume" in capsys.readouterr().err
    assert main([*arguments, "--resume", "--auction", "1N"]) == 2
    assert "another option auction: '' before, '1N' now" in capsys.readouterr().err
    with monkeypatch.context() as patch:
        patch.setattr(vetting_module, "Inputs", stop)
        patch.setattr(vet_files, "write_json", stop)
        assert main([*arguments, "--resume"]) == 130
    assert out.exists()
    assert not (out / "summary.json").exists()
    assert main(arguments) == 2
    assert "expected a free place for the report" in capsys.readouterr().err
    assert main([*arguments, "--resume"]) == 0
    assert not work.exists()
    assert {file.name: file.read_bytes() for file in out.iterdir()} == {
        file.name: file.read_bytes() for file in (tmp_path / "whole").iterdir()
    }


@pytest.mark.slow
def test_real_auctions_against_sayc(shared_data):
    """The announcements of real robots fit the callers of a standard system, not other players."""
    engine = Engine(sayc_table())
    vetted = vet(engine, [str(shared_data / "pbn" / "gib_notes")], with_lint=False, with_own=False)
    summary = vetted.summary()
    held = summary["seats"]["held"]
    assert held[0] > 2 * max(held[1:])
    assert summary["calls"]["agrees"] > 0.7 * summary["calls"]["judged"]


@pytest.mark.slow
def test_mined_announcements_against_their_own_deals(shared_data, tmp_path):
    """Robots mostly do what they announce; what they announce is of the caller's hand, by GIB."""
    inputs = [str(shared_data / name) for name in ("lin/gib", "pbn/gib_notes")]
    held = {}
    for profile in ("gib", "mlbridge"):
        table = mine(inputs, tmp_path / profile, profile=profile).table
        vetted = vet(Engine(table), inputs, with_lint=False, with_own=False)
        summary = vetted.summary()
        assert summary["boards"]["boards"] == 252
        # mined from these very deals: every call is there
        assert not summary["calls"]["missing"] + summary["calls"]["ended"]
        assert summary["auctions"]["in_table"] == 252
        described, turned = summary["seats"]["described"], summary["seats"]["held"]
        assert turned[0] > 0.7 * described > 5 * max(turned[1:])
        held[profile] = turned[0]
    # the announcements are in the words of GIB, whose definitions fit better
    assert held["gib"] > held["mlbridge"]
