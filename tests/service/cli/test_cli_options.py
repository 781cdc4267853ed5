"""Options of a system's text, turned on wherever a command names the system."""

import json

import polars as pl
import pytest

from bidcascade.bridge import InvalidSystem
from bidcascade.engine.settings import Settings
from bidcascade.loaders import random_deals, write_lin
from bidcascade.service.api.shared.tables import Tables
from bidcascade.service.cli import BAD_ARGUMENTS, DONE, main
from bidcascade.systems.chosen_options import chosen_options
from bidcascade.systems.system import System
from tests.support.systems import SMALL_SYSTEM

HAND = "K52.AQ3.J876.KJ2"
"""14 points: 1NT with the option, else a pass."""
TEXT = """
opening:
  1NT = Strong notrump: 15-17 points, balanced
  1C  = Any other: 16+ points; artificial, forcing
option weak-notrump:
  opening:
    1NT = Weak notrump: 12-14 points, balanced
option no-double:
  after 1NT:
    P = Nothing to say: any hand
"""
WEAK = ("--option", "weak-notrump")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    (folder / "mine.bidding").write_text(TEXT)
    # without options
    (folder / "other.bidding").write_text(SMALL_SYSTEM)
    write_lin(random_deals(40, seed=1), folder / "club.lin")
    return folder


@pytest.fixture(autouse=True)
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


def ran(capsys, *arguments):
    assert main([str(one) for one in arguments]) == DONE
    return capsys.readouterr().out


def told(capsys, *arguments):
    return json.loads(ran(capsys, *arguments, "--json"))


def test_bid_and_auctions(capsys):
    bid = ("bid", HAND, "--table", "mine.bidding")
    assert told(capsys, *bid)["call"] == "P"
    assert told(capsys, *bid, *WEAK)["call"] == "1N"
    assert told(capsys, *bid, "--option", "weak-notrump=off")["call"] == "P"
    asked = ("auctions", "club.lin", "--mode", "first", "--table", "mine.bidding")
    assert ran(capsys, *asked) != ran(capsys, *asked, *WEAK)


def test_batch_and_export(capsys, tmp_path):
    for name, more in (("plain", ()), ("weak", WEAK)):
        ran(
            capsys,
            "batch",
            "club.lin",
            "--table",
            "mine.bidding",
            "--mode",
            "first",
            "--out",
            tmp_path / name,
            *more,
        )
        ran(
            capsys,
            "export",
            "calls",
            "club.lin",
            "--bidder",
            "mine.bidding",
            "--out",
            tmp_path / f"calls-{name}",
            *more,
        )
    for pattern in ("{}/auctions-*.parquet", "calls-{}/calls-*.parquet"):
        plain, weak = (
            pl.read_parquet(tmp_path / pattern.format(name)) for name in ("plain", "weak")
        )
        assert not plain.equals(weak)


def test_modes_and_bounds_of_a_batch(capsys, tmp_path):
    asked = ("batch", "club.lin", "--table", "mine.bidding")
    ran(capsys, *asked, "--out", tmp_path / "usual")
    assert pl.read_parquet(tmp_path / "usual/auctions-*.parquet")["completed"].all()
    ran(
        capsys,
        *asked,
        "--mode",
        "all",
        "--limit",
        "3",
        "--max-depth",
        "2",
        "--out",
        tmp_path / "few",
    )
    few = pl.read_parquet(tmp_path / "few/auctions-*.parquet")
    # the auction that is bid is listed whatever is cut, as the last
    assert few.group_by("deal").len()["len"].max() <= 3
    assert set(few["cut"]) <= {"limit", "depth"}


@pytest.mark.parametrize("command", ["layouts", "interpret"])
def test_layouts(capsys, command):
    found = told(capsys, command, "1N", "--table", "mine.bidding", "--seed", "1", *WEAK)
    plain = told(capsys, command, "1N", "--table", "mine.bidding", "--seed", "1")
    assert {**found, "report": None} != {**plain, "report": None}
    text = ran(capsys, command, "1N P", "--opponents", "mine.bidding", "--json", *WEAK)
    assert json.loads(text)["report"]["accepted"]


def test_compare_of_a_system_with_itself(capsys):
    match = ("compare", "mine.bidding", "mine.bidding", "--deals", "50", "--dd-budget", "0")
    assert told(capsys, *match)["kinds"]["differs"] == 0
    assert told(capsys, *match, *WEAK)["kinds"]["differs"] == 0
    assert told(capsys, *match, "--option", "2:weak-notrump")["kinds"]["differs"] > 0


def test_diff_of_a_system_with_itself(capsys):
    asked = ("system", "diff", "mine.bidding", "mine.bidding", "--deals", "500")
    assert told(capsys, *asked, *WEAK)["changed"] == 0
    assert told(capsys, *asked, "--option", "1:weak-notrump")["changed"] > 0


def test_page(capsys, tmp_path):
    for name, more in (("plain", ()), ("weak", WEAK)):
        ran(
            capsys,
            "page",
            "other.bidding",
            "mine.bidding",
            "--out",
            tmp_path / name,
            "--solved-deals",
            "0",
            *more,
        )
    plain, weak = (
        (tmp_path / name / "systems" / "mine.js").read_text() for name in ("plain", "weak")
    )
    assert plain != weak


def test_archive_keeps_the_options(capsys, folder):
    ran(capsys, "archive", "add", "club", "club.lin", "--folder", "archives")
    bid = ("archive", "bid", "club", "mine.bidding", "--folder", "archives")
    ran(capsys, *bid, "--as", "weak", *WEAK)
    ran(capsys, *bid, "--as", "plain")
    boards = [
        told(
            capsys,
            "archive",
            "boards",
            "club",
            "--by",
            name,
            "--auction",
            "1N",
            "--folder",
            "archives",
        )["total"]
        for name in ("weak", "plain")
    ]
    assert boards[0] > boards[1]
    catalogue = json.loads((folder / "archives/club/archive.json").read_text())
    assert catalogue["state"]["bidders"]["weak"]["options"] == {"options": {"weak-notrump": True}}


def test_tables_of_rows_of_a_system(capsys, tmp_path):
    plain, weak = (
        told(capsys, "table", "info", "mine.bidding", *more)["digest"] for more in ((), WEAK)
    )
    assert plain != weak
    compiled = told(
        capsys,
        "system",
        "compile",
        "mine.bidding",
        "--deals",
        "500",
        "--out",
        tmp_path / "weak",
        *WEAK,
    )
    assert "mine (weak-notrump)" in compiled["source"]
    assert told(capsys, "bid", HAND, "--table", tmp_path / "weak")["call"] == "1N"


def test_the_service_has_them():
    settings = Settings(extra_tables="mine.bidding,other=mine.bidding", option="other:weak-notrump")
    tables = Tables(settings.table_paths(), "cpu", system_options=settings.option)
    tables.load()
    assert tables.options_of("sayc") == tables.options_of("mine") == {}
    assert tables.options_of("other") == {"options": {"weak-notrump": True}}
    digests = {tables.get(name).engine.digest for name in ("mine", "other")}
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["weak"], "expected an option of the system mine.bidding (no-double, weak-notrump), got"),
        (["acol:weak-notrump"], "got 'acol:weak-notrump'"),
        (["weak-notrump=maybe"], "expected an option as [SYSTEM:]NAME[=on|=off]"),
        (["mine.bidding:"], "expected an option as"),
    ],
)
def test_an_option_that_no_system_has(capsys, words, reason):
    arguments = [part for word in words for part in ("--option", word)]
    assert main(["bid", HAND, "--table", "mine.bidding", *arguments]) == BAD_ARGUMENTS
    assert reason in capsys.readouterr().err


def test_rows_have_no_options(capsys, tmp_path):
    (tmp_path / "rows.csv").write_text("prior,call,criteria\n,1N,HCP >= 15\n")
    assert main(["bid", HAND, "--table", str(tmp_path / "rows.csv"), *WEAK]) == BAD_ARGUMENTS
    assert "expected an option of the system none" in capsys.readouterr().err


def test_which_system_is_meant():
    systems = [("mine", "mine.bidding"), ("precision", "precision"), ("mine", "mine.bidding")]
    assert chosen_options(["weak-notrump"], systems) == [
        {"weak-notrump": True},
        {},
        {"weak-notrump": True},
    ]
    assert chosen_options(["3:weak-notrump=off", "1:no-double=on"], systems) == [
        {"no-double": True},
        {},
        {"weak-notrump": False},
    ]
    with pytest.raises(InvalidSystem, match="expected an option of the systems"):
        chosen_options(["2:weak-notrump"], systems)
    # a text that is wrong is told as one
    with pytest.raises(InvalidSystem, match="expected an option"):
        System.open("mine.bidding", options={"weak": True})


def test_an_export_counts_its_rows(capsys, tmp_path):
    """An entry may stand for several rows."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"prior": [], "call": "1N", "criteria": ["HCP >= 15"]}\n'
        '{"prior": [], "call": "1N", "criteria": ["SL_S >= 7"]}\n'
        '{"prior": [], "call": "1C", "criteria": ["HCP >= 12"]}\n'
    )
    out = tmp_path / "again.jsonl"
    assert main(["table", "export", str(rows), "--out", str(out)]) == DONE
    assert "wrote 3 rows of 2 entries to" in capsys.readouterr().err
    assert len(out.read_text().splitlines()) == 3


def test_an_export_says_what_a_system_bids_otherwise(capsys, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"prior": [], "call": "4N"}\n'
        '{"prior": [], "call": "1C", "criteria": ["HCP >= 12"]}\n'
        '{"prior": [], "call": "P"}\n'
    )
    text = ("table", "export", rows, "--out", tmp_path / "text.bidding", "--force")
    # a system bids 4NT with any hand, the table with none
    assert told(capsys, "bid", HAND, "--table", rows)["call"] == "1C"
    for policy, number in (("pass", "1 entry"), ("reject", "2 entries"), ("allow", None)):
        assert main([str(one) for one in (*text, "--undescribed", policy)]) == DONE
        note = capsys.readouterr().err
        assert (f"{number} without criteria" in note) is (number is not None)
        assert (f"--undescribed {policy}" in note) is (number is not None)
    assert main([str(one) for one in (*text, "--profile", "mlbridge")]) == DONE
    assert "profile 'mlbridge'" in capsys.readouterr().err
    assert told(capsys, *text) == {"rows": 3, "entries": 3, "format": "bidding"}
