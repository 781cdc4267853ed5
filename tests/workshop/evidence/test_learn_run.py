"""``table learn``: archives in, a table with bounds, rules and layers out; nothing lost."""

import json

import polars as pl
import pytest

from bidcascade.bridge import parse_calls
from bidcascade.engine.engine import Engine
from bidcascade.engine.runs.manifest import Manifest, RunPart
from bidcascade.loaders import random_deals, write_deal_parquet, write_lin
from bidcascade.service.cli import main
from bidcascade.systems import open_table
from bidcascade.table import build_table
from bidcascade.workshop.evidence.layers import on_layer
from bidcascade.workshop.evidence.learn_run import learn_from
from bidcascade.workshop.evidence.learning import Options, Thresholds
from bidcascade.workshop.evidence.mine_run import mine

SYSTEM = [
    {"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17", "Balanced"]},
    {"prior": "", "call": "1S", "criteria": ["HCP >= 12", "SL_S >= 5"]},
    {"prior": "", "call": "P", "criteria": ["HCP <= 11"]},
    {"prior": "", "call": "1C"},
    {"prior": "1N", "call": "P"},
    {"prior": "1N P", "call": "3N", "criteria": ["HCP >= 10"]},
    {"prior": "1N P", "call": "P"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Boards bid by a small table, in two archives, and the same auctions as an announced table."""
    folder = tmp_path_factory.mktemp("learn")
    system, _ = build_table(SYSTEM, undescribed="allow")
    for name, first, count in (("one", 1, 900), ("two", 901, 600)):
        deals = random_deals(count, seed=3, first=first)
        auctions = Engine(system).auctions(deals, mode="first")["auction"]
        bid = deals.with_columns(auction=auctions)
        write_lin(bid, folder / f"{name}.lin")
        write_deal_parquet(bid, folder / f"{name}.parquet")
    announced, _ = build_table(
        [
            {**row, "criteria": row.get("criteria", []) if row["call"] == "1N" else []}
            for row in SYSTEM
            if row["call"] != "1C"
        ]
    )
    announced.save(folder / "announced")
    return folder


def run(capsys, *arguments):
    code = main(["table", "learn", *map(str, arguments)])
    return code, capsys.readouterr()


def files_of(table):
    """Every byte of a table's folder."""
    return {
        path.relative_to(table).as_posix(): path.read_bytes()
        for path in sorted(table.rglob("*"))
        if path.is_file()
    }


def test_what_is_learned_is_what_was_bid(folder, tmp_path, capsys):
    out = tmp_path / "learned"
    code, printed = run(
        capsys,
        folder / "announced",
        folder / "one.lin",
        folder / "two.lin",
        "--out",
        out,
        "--rules",
        "--grid",
        "--json",
    )
    report = json.loads(printed.out)
    assert code == 0
    assert report["records"] == report["boards"] == 1500
    assert report["calls_outside"] > 100, "the table does not have 1C"
    assert report["layer"] == "announced"
    table = open_table(out)
    assert table.digest == open_table(folder / "announced").digest
    bounds = table.extra("learned_bounds")
    notrump = bounds.row(by_predicate=pl.col("entry") == table.find(parse_calls("1N")), named=True)
    assert (notrump["HCP_min"], notrump["HCP_max"]) == (15, 17)
    assert notrump["Balanced_rate"] == 1
    # boards that pass the opening are bid to the end by default passes
    assert notrump["hands"] + notrump["others"] == 1500
    rules = table.extra("learned_rules")
    passed = rules.filter(entry=table.find(parse_calls("P")))
    assert "HCP <= 11" in passed["expression"].to_list()
    game = rules.filter(entry=table.find(parse_calls("1N P 3N")))
    assert game["expression"].to_list()[0] == "HCP >= 10"
    assert game["negative_rate"][0] == 0


@pytest.mark.slow
def test_files_and_their_order_make_no_difference(folder, tmp_path, capsys):
    orders = (["one.lin", "two.lin"], ["two.lin", "one.lin", "one.lin"], ["two.parquet", "one.lin"])
    tables = []
    for number, names in enumerate(orders):
        out = tmp_path / f"out{number}"
        code, _ = run(
            capsys,
            folder / "announced",
            *(folder / name for name in names),
            "--out",
            out,
            "--rules",
            "--minimum-hands",
            5,
        )
        assert code == 0
        tables.append(files_of(out))
    assert tables[0] == tables[1] == tables[2]
    (tmp_path / "copy.lin").write_bytes((folder / "one.lin").read_bytes())
    code, printed = run(
        capsys,
        folder / "announced",
        folder / "one.lin",
        tmp_path / "copy.lin",
        "--out",
        tmp_path / "same",
        "--json",
    )
    assert json.loads(printed.out)["boards"] == 900
    assert json.loads(printed.out)["repeated_inputs"] == 1


@pytest.mark.slow
def test_little_memory_gives_the_same(folder, tmp_path):
    table = open_table(folder / "announced")
    options = {"minimum_hands": 3, "rules": Thresholds(), "grid": True}
    inputs = [folder / "one.lin", folder / "two.lin"]
    whole = learn_from(table, inputs, tmp_path / "work", options=Options(**options))
    cramped = learn_from(table, inputs, tmp_path / "work", options=Options(**options, memory=1))
    for name in whole.table.extras:
        assert cramped.table.extra(name).equals(whole.table.extra(name))
    assert cramped.report == whole.report
    assert list(tmp_path.iterdir()) == []


def test_layers_on_the_command_line(folder, tmp_path, capsys):
    learned = tmp_path / "learned"
    code, printed = run(
        capsys, folder / "announced", folder / "one.lin", "--out", learned, "--layer", "learned"
    )
    assert code == 0
    assert "criteria: learned; learned ones for" in printed.out
    table = open_table(learned)
    assert table.row(table.find(parse_calls("P"))).source == "learned"
    back = tmp_path / "back"
    code, printed = run(capsys, learned, "--layer", "announced", "--out", back)
    assert (code, printed.out) == (0, "criteria: as announced\n")
    assert open_table(back).digest == open_table(folder / "announced").digest
    # learning again starts from what was announced
    again = tmp_path / "again"
    code, _ = run(capsys, learned, folder / "one.lin", "--out", again)
    assert code == 0
    assert files_of(again) == files_of(back)


@pytest.mark.slow
def test_rules_of_earlier_learning_are_forgotten(folder, tmp_path, capsys):
    inputs = (folder / "announced", folder / "one.lin", "--out")
    run(capsys, *inputs, tmp_path / "fresh")
    run(capsys, *inputs, tmp_path / "rules", "--rules", "--grid", "--layer", "merged")
    assert "learned_rules" in open_table(tmp_path / "rules").extras
    run(capsys, tmp_path / "rules", folder / "one.lin", "--out", tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(tmp_path / "fresh")


def test_contradictions_are_printed(folder, tmp_path, capsys):
    wrong, _ = build_table([{"prior": "", "call": "P", "criteria": ["HCP >= 20"]}])
    wrong.save(tmp_path / "wrong")
    code, printed = run(
        capsys,
        tmp_path / "wrong",
        folder / "one.lin",
        "--layer",
        "merged",
        "--out",
        tmp_path / "merged",
    )
    assert code == 0
    assert "1 contradiction, where" in printed.out
    assert "P: no hand fits HCP >= 20 and HCP <= 11" in printed.out
    table = open_table(tmp_path / "merged")
    assert table.row(0).criteria == ("HCP >= 20",)
    assert table.row(0).tags == ("learned_contradiction",)


def test_a_mined_table_learns_from_its_archives(folder, tmp_path, capsys):
    mined = mine([folder / "one.lin"], tmp_path / "mined").table
    code, _ = run(
        capsys,
        tmp_path / "mined",
        folder / "one.lin",
        "--out",
        tmp_path / "learned",
        "--layer",
        "merged",
    )
    assert code == 0
    table = open_table(tmp_path / "learned")
    opening = table.find(parse_calls("1N"))
    bounds = table.extra("learned_bounds").filter(entry=opening)
    assert bounds["hands"].item() == mined.row(opening).count == table.row(opening).count
    assert on_layer(table, "announced").table.digest == mined.digest
    # what was mined without a word is bid by what was learned
    deals = pl.read_parquet(folder / "two.parquet")
    bid = Engine(table).auctions(deals, mode="first")["auction"].list.first()
    assert (bid == deals["auction"].list.first()).mean() > 0.8


def test_expressions_of_a_file(folder, tmp_path, capsys):
    file = tmp_path / "expressions.txt"
    file.write_text("# lengths\nSL_S > SL_H\n\nHCP<=11\n", "utf-8")
    code, printed = run(
        capsys,
        folder / "announced",
        folder / "one.lin",
        "--out",
        tmp_path / "learned",
        "--rules",
        "--expressions",
        file,
        "--json",
    )
    assert code == 0
    assert json.loads(printed.out)["expressions"] == 4
    file.write_text("HCP >= 12\nHPC >= 12\n", "utf-8")
    code, printed = run(
        capsys,
        folder / "announced",
        folder / "one.lin",
        "--out",
        tmp_path / "bad",
        "--rules",
        "--expressions",
        file,
    )
    assert code == 2
    assert "line 2" in printed.err
    assert "did you mean 'HCP'" in printed.err


DEAL = "md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"{DEAL}pg||\n{DEAL}pg||\n", "boards with auctions, got 2 without"),
        ("md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n", "got none and 1 rejects"),
        ("<html>not found</html>", "expected deals, got none"),
    ],
)
def test_archives_of_nothing_are_refused(folder, tmp_path, capsys, text, complaint):
    file = tmp_path / "archive.lin"
    file.write_text(text, "utf-8")
    code, printed = run(capsys, folder / "announced", file, "--out", tmp_path / "learned")
    assert code == 2
    assert complaint in printed.err
    assert [path.name for path in tmp_path.iterdir()] == ["archive.lin"]


def test_records_are_all_accounted_for(folder, tmp_path):
    file = tmp_path / "odd.lin"
    file.write_text(
        f"md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n{DEAL}pg||\n{DEAL}mb|P|mb|P|mb|P|mb|P|pg||\n"
        f"{DEAL}mb|1N|mb|1C|mb|p|pg||\n",
        "utf-8",
    )
    table = open_table(folder / "announced")
    report = learn_from(table, [file], tmp_path / "work", options=Options(minimum_hands=1)).report
    assert {name: report[name] for name in ("records", "boards", "without_auction", "rejects")} == {
        "records": 4,
        "boards": 2,
        "without_auction": 1,
        "rejects": 1,
    }
    # four passes, of which the table has one, and 1N; the bid below it and what follows is no call
    assert (report["calls"], report["calls_outside"], report["calls_beyond"]) == (3, 1, 2)


def test_an_interrupted_run_keeps_what_was_read(folder, tmp_path, capsys, monkeypatch):
    def stop(*_arguments, **_options):
        raise KeyboardInterrupt

    arguments = folder / "announced", folder / "one.lin", "--out"
    with monkeypatch.context() as patch:
        patch.setattr("bidcascade.workshop.evidence.learn_run.learn", stop)
        code, printed = run(capsys, *arguments, tmp_path / "club")
    assert code == 130
    work = tmp_path / "club.learning"
    assert f"kept in {work}: the same command with --resume" in printed.err
    # what is to be learned may be another
    other = folder / "announced", folder / "two.lin", "--out", tmp_path / "club", "--resume"
    code, printed = run(capsys, *other)
    assert (code, "inputs are others" in printed.err) == (2, True)
    with monkeypatch.context() as patch:
        patch.setattr("bidcascade.workshop.evidence.learn_run.Inputs", stop)
        code, _ = run(capsys, *arguments, tmp_path / "club", "--resume", "--rules")
    assert code == 0
    assert run(capsys, *arguments, tmp_path / "whole", "--rules")[0] == 0
    assert files_of(tmp_path / "club") == files_of(tmp_path / "whole")
    assert not work.exists()


def test_without_resume_what_was_left_is_removed(folder, tmp_path, capsys):
    work = tmp_path / "club.learning"
    work.mkdir()
    (work / "boards-00000-0.arrow").write_text("half of")
    Manifest("learning", parts=[RunPart(0, boards=3)]).write(work)
    archive = folder / "one.lin"
    assert run(capsys, folder / "announced", archive, "--out", tmp_path / "club")[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["club"]


@pytest.mark.parametrize(
    ("more", "code", "complaint"),
    [
        (["--quantiles", "0.9", "0.1"], 1, "a lower and an upper quantile"),
        (["--grid"], 1, "--grid only with --rules"),
        (["--rules", "--lift", "-1"], 1, "a lift of at least 0"),
        (["--rules", "--expressions", "nowhere.txt"], 2, "nowhere.txt"),
        (["--minimum-hands", "0"], 1, "whole number"),
    ],
)
def test_wrong_options_are_refused(folder, tmp_path, capsys, more, code, complaint):
    found, printed = run(
        capsys, folder / "announced", folder / "one.lin", "--out", tmp_path / "out", *more
    )
    assert found == code
    assert complaint in printed.err
    assert not (tmp_path / "out").exists()


def test_places_that_are_taken_or_missing_are_refused(folder, tmp_path, capsys):
    (tmp_path / "taken").mkdir()
    open_table(folder / "announced").save(tmp_path / "table")
    archive = folder / "one.lin"
    for arguments, expected, complaint in (
        ((archive, "--out", tmp_path / "taken"), 2, "a free place"),
        ((archive, "--out", tmp_path / "no" / "out"), 1, "folder that exists"),
        (("--out", tmp_path / "out"), 1, "archives to learn from"),
        (("--layer", "learned", "--out", tmp_path / "out"), 2, "a table that has learned"),
        ((archive, "--out", tmp_path / "table"), 2, "--force replaces it"),
    ):
        code, printed = run(capsys, folder / "announced", *arguments)
        assert code == expected, arguments
        assert complaint in printed.err
    assert open_table(tmp_path / "table").extras == ()
    code, _ = run(capsys, folder / "announced", archive, "--out", tmp_path / "table", "--force")
    assert code == 0
    assert open_table(tmp_path / "table").extras == ("learned_bounds",)


@pytest.mark.slow
def test_robots_open_one_notrump_as_they_announce(shared_data, tmp_path):
    inputs = [shared_data / "lin" / "gib", shared_data / "pbn" / "gib_notes"]
    mined = mine(inputs, tmp_path / "mined").table
    learned = learn_from(mined, inputs, tmp_path / "work", options=Options(minimum_hands=5))
    assert learned.report["records"] == learned.report["boards"] == 252
    assert learned.report["calls_outside"] == 0
    bounds = learned.table.extra("learned_bounds")
    opening = bounds.filter(entry=mined.find(parse_calls("1N"))).row(0, named=True)
    assert 14 <= opening["HCP_min"] <= 15
    assert 17 <= opening["HCP_max"] <= 18
    assert opening["Balanced_rate"] > 0.8
    # where the announced and the learned criteria meet they mostly agree
    merged = on_layer(learned.table, "merged")
    assert merged.merged > 20
    assert len(merged.contradictions) <= 2
