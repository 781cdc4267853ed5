"""Rows for learning of whole archives: Parquet, arrays, interruptions, bad input."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bidcascade.bridge import InvalidInput, InvalidTable
from bidcascade.engine import Engine, iter_call_rows
from bidcascade.engine.runs.batches import batch_inputs, call_arrays, export_calls
from bidcascade.engine.runs.batches.batch import run_batch
from bidcascade.engine.runs.batches.export_calls import export_calls as export
from bidcascade.engine.runs.manifest import Manifest
from bidcascade.loaders import random_deals, read_deals, write_deal_parquet, write_lin
from bidcascade.loaders.files.whole_files import CannotWrite
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, main
from tests.engine.support_interruptions import run_step_by_step
from tests.support.cli import write_inputs
from tests.support.service import write_small_table
from tests.support.systems import sayc_table


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return Engine.open(str(write_small_table(tmp_path_factory.mktemp("table"))), "cpu")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return write_inputs(tmp_path_factory.mktemp("inputs"), 240)


@pytest.fixture(scope="module")
def bid(engine, tmp_path_factory):
    """Boards with auctions, some without."""
    folder = tmp_path_factory.mktemp("bid")
    frame = random_deals(120, seed=6)
    auctions = engine.auctions(frame, mode="first")["auction"]
    every = pl.Series(range(120))
    frame = frame.with_columns(
        auction=pl.when(every % 10 != 3).then(auctions).otherwise([]),
        auction_status=pl.when(every % 10 != 3)
        .then(pl.lit("complete"))
        .otherwise(pl.lit("none"))
        .cast(frame.schema["auction_status"]),
    )
    write_deal_parquet(frame.head(60), folder / "a.parquet")
    write_lin(frame.slice(60), folder / "b.lin")
    return [folder / "a.parquet", folder / "b.lin"]


def rows_in(folder):
    """All rows of a finished export; nothing else may lie there than the manifest says."""
    manifest = Manifest.read(folder)
    assert manifest.finished
    for name, size in manifest.files().items():
        assert (folder / name).stat().st_size == size
    there = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    assert {file.as_posix() for file in there} == {*manifest.files(), "manifest.json", ".lock"}
    parts = [name for name in manifest.files() if name.startswith("calls-")]
    return pl.concat(pl.read_parquet(folder / name) for name in parts)


def arrays_in(folder):
    about = json.loads((folder / "arrays.json").read_text())
    found = {}
    for name, array in about["arrays"].items():
        found[name] = np.load(folder / array["file"], mmap_mode="r", allow_pickle=False)
        assert found[name].dtype == array["dtype"]
        assert list(found[name].shape) == array["shape"]
        assert len(found[name]) == about["rows"]
    return about, found


@pytest.mark.parametrize("meanings", [False, True])
def test_rows_are_those_of_the_function(engine, bid, tmp_path, meanings):
    done = export(engine, bid, tmp_path / "out", part_deals=50, meanings=meanings)
    frame = read_deals(bid).deals
    expected = pl.concat(iter_call_rows(engine, frame, meanings=meanings))
    assert rows_in(tmp_path / "out").equals(expected)
    assert done == (120, 0, expected.height, {"no auction": 12})
    left_out = pl.concat(
        pl.read_parquet(file) for file in sorted((tmp_path / "out").glob("left-out/*"))
    )
    assert left_out["deal"].to_list() == list(range(3, 120, 10))
    assert left_out["source"].str.contains("a.parquet|b.lin|random").all()


def test_rejects_are_kept(engine, inputs, tmp_path):
    done = export(engine, inputs, tmp_path / "out", bidder=engine)
    assert done[:2] == (240, 9)
    assert rows_in(tmp_path / "out")["deal"].n_unique() == 240
    # what is no row of calls lies in folders beside them
    assert pl.read_parquet(tmp_path / "out" / "*.parquet").equals(rows_in(tmp_path / "out"))
    rejects = pl.read_parquet(tmp_path / "out" / "rejects" / "*.parquet")
    assert rejects.equals(read_deals(inputs).rejects)
    assert done.left_out == {}


@pytest.mark.parametrize("meanings", [False, True])
def test_arrays_say_what_the_rows_say(engine, bid, tmp_path, meanings):
    export(engine, bid, tmp_path / "rows", meanings=meanings)
    export(engine, bid, tmp_path / "out", format="numpy", meanings=meanings, part_deals=50)
    assert not list((tmp_path / "out").glob("calls-*"))
    rows = rows_in(tmp_path / "rows")
    about, found = arrays_in(tmp_path / "out")
    assert ("shown" in found) == meanings
    assert found["auction"].shape[1] == rows["auction"].list.len().max()
    for number, row in enumerate(rows.iter_rows(named=True)):
        one = {name: array[number] for name, array in found.items()}
        assert one["deal"] == row["deal"]
        assert one["call"] == row["call"]
        for name, mask in (("hands", "hand"), ("allowed", "allowed"), ("legal", "legal")):
            assert sum(1 << int(bit) for bit in np.flatnonzero(one[name])) == row[mask]
        length = len(row["auction"])
        assert one["auction"][:length].tolist() == row["auction"]
        assert (one["auction"][length:] == about["no_call"]).all()
        assert one["context"].tolist() == [row["seat"], row["vul_we"], row["vul_they"], length]
        if meanings:
            assert one["shown"].ravel().tolist() == row["shown"]
    assert found["hands"].sum(axis=1).tolist() == [13] * rows.height
    assert about["calls"][7] == "1N"
    assert about["cards"][51] == "SA"
    assert about["version"] == call_arrays.VERSION


@pytest.mark.parametrize("format", ["parquet", "numpy"])
@pytest.mark.parametrize("before_manifest", [True, False])
def test_interrupted_after_any_part(engine, bid, tmp_path, monkeypatch, format, before_manifest):
    monkeypatch.setattr(batch_inputs, "_GROUP_BYTES", 1)

    def run():
        return export(
            engine, bid, tmp_path / "out", format=format, part_deals=13, resume=True, jobs=1
        )

    done = run_step_by_step(monkeypatch, Manifest, run, before=before_manifest)
    monkeypatch.undo()
    assert done == export(engine, bid, tmp_path / "whole", format=format)
    if format == "parquet":
        assert rows_in(tmp_path / "out").equals(rows_in(tmp_path / "whole"))
    else:
        for name in call_arrays.CALL_ARRAYS[:-2]:
            at_once = (tmp_path / "whole" / name).read_bytes()
            assert (tmp_path / "out" / name).read_bytes() == at_once
    # a finished one stays as it is
    assert run() == done


def test_interrupted_while_arrays_are_written(engine, bid, tmp_path, monkeypatch):
    options = {"format": "numpy", "resume": True}

    def fail(value, path):
        raise CannotWrite(f"cannot write {str(path)!r}: no space left")

    monkeypatch.setattr(call_arrays, "write_json", fail)
    with pytest.raises(CannotWrite):
        export(engine, bid, tmp_path / "out", **options)
    monkeypatch.undo()
    export(engine, bid, tmp_path / "out", **options)
    about, found = arrays_in(tmp_path / "out")
    assert about["rows"] == len(found["call"])
    assert not list((tmp_path / "out").glob("calls-*"))


def test_a_disk_that_is_full(engine, bid, tmp_path, monkeypatch):
    write = export_calls.write_parquet

    def fails(frame, path):
        if "-00002" in path.name:
            raise CannotWrite(f"cannot write {str(path)!r}: no space left")
        write(frame, path)

    monkeypatch.setattr(export_calls, "write_parquet", fails)
    with pytest.raises(CannotWrite, match="no space left"):
        export(engine, bid, tmp_path / "out", part_deals=20)
    monkeypatch.undo()
    export(engine, bid, tmp_path / "out", part_deals=20, resume=True)
    export(engine, bid, tmp_path / "whole")
    assert rows_in(tmp_path / "out").equals(rows_in(tmp_path / "whole"))


def test_another_export_is_not_resumed(engine, bid, tmp_path):
    folder = tmp_path / "out"
    export(engine, bid, folder)
    other = Engine.open("sayc", "cpu")
    for one, options, message in (
        (other, {}, "another table digest"),
        (engine, {"bidder": other}, "another option bidder: 'own' before"),
        (engine, {"meanings": True}, "another option meanings"),
        (engine, {"format": "numpy"}, "another option format: 'parquet' before, 'numpy' now"),
    ):
        with pytest.raises(InvalidInput, match=message):
            export(one, bid, folder, resume=True, **options)
    with pytest.raises(InvalidInput, match=r"manifest of a batch in .* got that of an export"):
        run_batch(engine, bid, folder, resume=True)
    with pytest.raises(InvalidInput, match="holds an export already"):
        export(engine, bid, folder)
    with pytest.raises(ValueError, match="expected a format of parquet, numpy, got 'csv'"):
        export(engine, bid, tmp_path / "csv", format="csv")


def test_boards_without_auctions_are_refused(engine, tmp_path):
    write_deal_parquet(random_deals(5, seed=1), tmp_path / "deals.parquet")
    with pytest.raises(InvalidInput, match=r"with an auction, got none \(5 no auction\)"):
        export(engine, tmp_path / "deals.parquet", tmp_path / "out")
    assert not (tmp_path / "out" / "manifest.json").exists()


# --- the command ----------------------------------------------------------------------------------


def run(*arguments, code=0):
    assert main([str(one) for one in arguments]) == code


@pytest.mark.parametrize("bidder", ["own", "acol", "sayc"])
def test_whose_calls(bid, tmp_path, capsys, bidder):
    run("export", "calls", *bid, "--bidder", bidder, "--out", tmp_path / "out", "--json")
    told = json.loads(capsys.readouterr().out)
    rows = rows_in(tmp_path / "out")
    assert told["rows"] == rows.height
    assert told["table"]["name"] == "sayc"
    sayc = Engine.open("sayc", "cpu")
    by = None if bidder == "own" else Engine.open(bidder, "cpu")
    expected = pl.concat(iter_call_rows(sayc, read_deals(bid).deals, bidder=by))
    assert rows.equals(expected)


def test_what_the_command_says(bid, tmp_path, capsys):
    out = tmp_path / "out"
    run("export", "calls", *bid, "--out", out, "--format", "numpy", "--meanings")
    said = capsys.readouterr()
    assert said.out.startswith("120 boards, 0 rejects, ")
    assert said.out.endswith(" rows, 12 boards: no auction\n")
    assert said.err == f"bidcascade: wrote the rows to {out} (numpy)\n"
    run("export", "calls", *bid, "--out", out, code=BAD_INPUT)
    assert "--resume goes on with it, --force replaces it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--bidder", "nothing.bidding"], BAD_ARGUMENTS, "nothing.bidding"),
        (["--table", "nothing"], BAD_ARGUMENTS, "nothing"),
        (["--format", "csv"], BAD_ARGUMENTS, "invalid choice: 'csv'"),
        (["--jobs", "0"], BAD_ARGUMENTS, "expected a whole number of at least 1, got '0'"),
    ],
)
def test_bad_arguments(bid, tmp_path, capsys, arguments, code, message):
    run("export", "calls", *bid, "--out", tmp_path / "out", *arguments, code=code)
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_nothing_that_holds_deals(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("no deals")
    for given in ("notes.txt", "missing.lin"):
        run("export", "calls", tmp_path / given, "--out", tmp_path / "out", code=BAD_INPUT)
        assert "expected" in capsys.readouterr().err


# --- from rows to a policy ------------------------------------------------------------------------


def test_counts_of_rows_are_a_policy(bid, tmp_path, capsys):
    """What was called most often is tried first, where the table has it."""
    from bidcascade.table.call_policy import read_call_policy, with_call_policy

    table = sayc_table()
    export(Engine(table, "cpu"), bid, tmp_path / "out")
    made = rows_in(tmp_path / "out").group_by("auction", "call").len()
    total = pl.col("len").sum().over("auction")
    policy = made.select("auction", "call", probability=pl.col("len") / total)
    policy.write_parquet(tmp_path / "policy.parquet")
    read = read_call_policy(tmp_path / "policy.parquet")
    assert {bytes(one) for one in made["auction"].to_list()} == set(read)
    ranked, report = with_call_policy(table, read)
    assert report.places
    first = max(read[b""], key=lambda call: read[b""][call])
    assert int(ranked.call[0]) == first
    made.write_parquet(tmp_path / "counts.parquet")
    with pytest.raises(InvalidTable, match="expected the columns auction, call, probability"):
        read_call_policy(Path(tmp_path / "counts.parquet"))
