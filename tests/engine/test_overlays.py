"""Overlays where a user meets them: engine, command line, service; beside a system too."""

import json
from pathlib import Path

import polars as pl
import pytest

from bidcascade.bridge import Auction, InvalidInput, parse_call, parse_calls, parse_hand
from bidcascade.engine import Engine
from bidcascade.engine.settings import Settings, read_settings
from bidcascade.loaders import random_deals, read_deals, write_deal_parquet
from bidcascade.service.api.shared.tables import Tables
from bidcascade.service.cli import main
from bidcascade.systems.bidding.bidder_protocol import Query
from bidcascade.table import BiddingTable
from tests.support.deals import plain_deals
from tests.support.service import GOOD, ask, loaded_app, post, write_small_table

SYSTEM = """
opening:
  1NT = Strong notrump: 15-17 points, balanced
  1S  = Major: 12-21 points, 5+ spades
  1C  = Anything else: 12-21 points

after 1NT:
  2C = Stayman: 8+ points, 4 hearts or 4 spades; artificial, forcing
    2D = No major: any other hand; artificial
  3NT = Game: 10+ points
"""


def write(folder: Path, *rules: object, name: str = "fixes.jsonl") -> str:
    path = folder / name
    path.write_text("".join(json.dumps(rule) + "\n" for rule in rules))
    return str(path)


@pytest.fixture
def small(tmp_path) -> str:
    return str(write_small_table(tmp_path))


@pytest.fixture
def system(tmp_path, monkeypatch) -> str:
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "club.bidding"
    path.write_text(SYSTEM)
    return str(path)


HAND = "K52.AQ3.987.KJ52"
"""13 high-card points, balanced."""


def test_an_engine_with_overlays(small, tmp_path):
    weak = write(tmp_path, {"rule": "replace", "at": "1N", "criteria": ["12 <= HCP <= 14"]})
    engine = Engine.open(small, "reference", overlays=[weak])
    answer = engine.bid(HAND)
    assert (answer.call, answer.where) == ("1N", "fixes.jsonl:1")
    assert engine.table_info()["overlays"] == [
        {"name": "fixes.jsonl", "sha256": engine.table.overlays[0].sha256}
    ]
    assert Engine.open(small, "reference").bid(HAND).call == "P"
    assert "overlays" not in Engine.open(small, "reference").table_info()


def test_a_system_answers_where_no_rule_speaks(system, tmp_path):
    rules = write(
        tmp_path,
        {"rule": "replace", "at": "1N P 2C", "criteria": ["HCP >= 12", "SL_H >= 4"]},
        {"rule": "remove", "at": "1N P 3N"},
    )
    engine, plain = (Engine.open(system, "cpu", overlays=laid) for laid in ([rules], []))
    hearts, flat = "K52.AQ32.98.5432", "K52.AQ3.987.Q432"
    assert [plain.bid(hand, "1N P").call for hand in (hearts, flat)] == ["2C", "3N"]
    changed = [engine.bid(hand, "1N P") for hand in (hearts, flat)]
    assert [answer.call for answer in changed] == ["P", "P"]
    assert all(answer.default_pass or answer.entry is not None for answer in changed)
    for auction in ("", "1C", "1N P 2C P", "1S P", "1N 2S 3C P"):
        assert engine.bid(hearts, auction).call == plain.bid(hearts, auction).call, auction
        assert engine.bidder.next(tuple(parse_calls(auction))).forced is not None
    # a table does not say whether a call was forcing
    assert engine.bidder.next(tuple(parse_calls("1N P"))).forced is None


@pytest.mark.parametrize(
    "rules",
    [
        [{"rule": "replace", "at": "P* 1N", "criteria": ["12 <= HCP <= 14", "Balanced"]}],
        [{"rule": "remove", "at": "1N P *"}, {"rule": "remove", "at": "P* 1C"}],
        [{"rule": "remove", "at": "P"}, {"rule": "add", "at": "2D", "criteria": ["SL_D >= 6"]}],
        [{"rule": "remove", "at": "?"}],
    ],
)
def test_mode_first_bids_call_by_call(system, tmp_path, rules):
    engine = Engine.open(system, "cpu", overlays=[write(tmp_path, *rules)])
    deals = plain_deals(40, 3)
    (bid,) = engine.frames(deals, Query("first"))
    for deal, made in enumerate(bid["auction"].to_list()):
        calls: tuple[int, ...] = ()
        while not Auction.of(calls).is_complete:
            hand = int(deals.hands[len(calls) % 4, deal])
            calls = (*calls, parse_call(engine.bid(hand, calls).call))
        assert tuple(made) == calls


def test_overlays_on_the_command_line(small, tmp_path, capsys):
    one = write(tmp_path, {"rule": "replace", "at": "1N", "criteria": ["12 <= HCP <= 14"]})
    other = write(tmp_path, {"rule": "remove", "at": "7N"}, name="other.jsonl")
    both = ["--overlay", one, "--overlay", other]
    assert main(["bid", HAND, "--table", small, "--json", *both]) == 0
    told = capsys.readouterr()
    answer = json.loads(told.out)
    assert answer["call"] == "1N"
    assert [mark["name"] for mark in answer["table"]["overlays"]] == ["fixes.jsonl", "other.jsonl"]
    assert "overlay: 2 rules, 0 entries added, 1 changed, 0 removed" in told.err
    assert "other.jsonl:1: remove 7N: no such entry" in told.err
    assert main(["table", "info", small, *both]) == 0
    assert "overlay fixes.jsonl, SHA-256 " in capsys.readouterr().out
    assert main(["table", "show", small, "--overlay", one]) == 0
    assert "12 <= HCP <= 14" in capsys.readouterr().out
    out = tmp_path / "kept.jsonl"
    assert main(["table", "export", small, *both, "--out", str(out)]) == 0
    capsys.readouterr()
    assert main(["bid", HAND, "--table", str(out)]) == 0
    assert capsys.readouterr().out.startswith("1N")


def test_bad_rules_are_all_printed(small, tmp_path, capsys):
    bad = write(tmp_path, {"rule": "remove"}, {"rule": "add", "at": "1N 1C"})
    assert main(["bid", HAND, "--table", small, "--overlay", bad]) == 2
    told = capsys.readouterr().err
    assert "fixes.jsonl:1: " in told
    assert "fixes.jsonl:2: " in told


def test_the_service_lists_overlays_and_loads_them_anew(small, tmp_path):
    weak = write(tmp_path, {"rule": "replace", "at": "1N", "criteria": ["12 <= HCP <= 14"]})
    app = loaded_app(table=small, backend="cpu", overlays=weak, extra_tables="old=" + small)
    tables = app.state.own.tables
    asked = {"hand": HAND, "auction": []}
    answer = post(app, "/v1/bid", asked).json()
    assert answer["call"] == "1N"
    assert [mark["name"] for mark in answer["table"]["overlays"]] == ["fixes.jsonl"]
    assert "overlays" not in post(app, "/v1/bid", {**asked, "table": "old"}).json()["table"]
    auctions = post(app, "/v1/auctions", GOOD).json()
    assert auctions["table"] == answer["table"]
    described = ask(app, "GET", "/v1/tables/small").json()
    assert described["overlays"] == answer["table"]["overlays"]
    assert ask(app, "GET", "/v1/tables/small/next").json()["entries"][0]["variants"][0]["where"]

    write(tmp_path, {"rule": "replace", "at": "1N", "criteria": ["10 <= HCP <= 12"]})
    assert tables.reload("small")
    after = post(app, "/v1/bid", asked).json()
    assert after["call"] == "P"
    assert after["table"]["digest"] != answer["table"]["digest"]
    write(tmp_path, {"rule": "change", "at": "1N"}, {"rule": "remove", "at": "1N 9C"})
    assert not tables.reload("small")
    errors = tables.get("small").reload_errors
    assert [error.split(": ")[0] for error in errors] == ["fixes.jsonl:1", "fixes.jsonl:2"]
    assert post(app, "/v1/bid", asked).json()["call"] == "P"


def test_a_system_with_overlays_is_tried_out_and_loaded(system, tmp_path):
    rules = write(tmp_path, {"rule": "remove", "at": "1N P *"})
    tables = Tables({"club": system}, "cpu", {"club": [rules]})
    tables.load()
    assert tables.reload("club"), tables.get("club").reload_errors


def test_settings_of_overlays():
    settings = Settings(table="a=sayc", extra_tables="b=acol", overlays="x.csv, b=y.csv, a=z.csv")
    assert settings.overlay_paths() == {"a": ("x.csv", "z.csv"), "b": ("y.csv",)}
    with pytest.raises(InvalidInput, match=r"with a table of sayc, got 'c=x\.csv'"):
        read_settings({"overlays": "c=x.csv"})


def test_a_table_of_no_system_keeps_its_lists_when_overlaid(small, tmp_path):
    folder = tmp_path / "kept"
    assert main(["table", "import", small, "--out", str(folder)]) == 0
    before = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    rules = write(tmp_path, {"rule": "replace", "at": "1N", "criteria": ["HCP >= 20"]})
    engine = Engine.open(str(folder), "cpu", overlays=[rules])
    assert engine.bid(parse_hand(HAND)).call == "P"
    assert {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()} == before
    assert BiddingTable.open(folder, verify=True).overlays == ()


def test_counts_of_a_changed_table_are_counted_in_part(small, tmp_path, capsys):
    deals = tmp_path / "deals"
    deals.mkdir()
    for part in (1, 2):
        write_deal_parquet(random_deals(300, seed=part), deals / f"{part}.parquet")
    rules = write(
        tmp_path,
        {"rule": "replace", "at": "1N P 2C", "criteria": ["SL_H >= 5"]},
        {"rule": "add", "at": "2D", "criteria": ["SL_D >= 6"], "rank": 0},
    )
    before, after, whole = (str(tmp_path / f"{name}.parquet") for name in "abc")
    counts = ["table", "counts", small, str(deals), "--json", "--out"]
    assert main([*counts, before]) == 0
    assert json.loads(capsys.readouterr().out)["counted_entries"] == 7
    assert main([*counts, after, "--overlay", rules, "--previous", before]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["deals"], told["entries"], told["counted_entries"]) == (600, 8, 2)
    assert told["table"]["overlays"][0]["name"] == "fixes.jsonl"
    assert main([*counts, whole, "--overlay", rules]) == 0
    assert json.loads(capsys.readouterr().out)["deals_digest"] == told["deals_digest"]
    frame = pl.read_parquet(after)
    assert frame.equals(pl.read_parquet(whole))
    engine = Engine.open(small, "reference", overlays=[rules])
    expected = engine.count_entries(read_deals([str(deals)]).deals)
    assert frame["count"].to_list() == expected.tolist()

    (deals / "2.parquet").unlink()
    counts.insert(-1, "--force")
    assert main([*counts, after, "--overlay", rules, "--previous", before]) == 0
    printed = capsys.readouterr()
    assert "expected the 600 deals that were counted before, got 300 other ones" in printed.err
    assert json.loads(printed.out)["counted_entries"] == 8
    assert main([*counts, after, "--previous", small]) == 2
    assert "expected a file of counts" in capsys.readouterr().err
    nothing = ["table", "counts", small, str(tmp_path / "none.lin"), "--force"]
    assert main([*nothing, "--out", after]) == 2
