"""The mining job: nothing lost, the same bytes however it is asked for and interrupted."""

import io
import json
import os
import random
import shutil
import subprocess
import sys
import types
from pathlib import Path

import polars as pl
import pytest

from bidcascade.bridge import InvalidInput, InvalidTable, parse_calls
from bidcascade.engine.runs.batches import batch_inputs
from bidcascade.engine.runs.manifest import Manifest
from bidcascade.engine.runs.run_folder import RunFolder
from bidcascade.loaders import read_deals, write_deal_parquet
from bidcascade.loaders.files.whole_files import CannotWrite
from bidcascade.service.cli import main
from bidcascade.table import BiddingTable, build_table, lint
from bidcascade.workshop.evidence.mine_run import mine
from tests.engine.support_interruptions import Interrupted, run_step_by_step
from tests.support.cli import command, environment, run_apart
from tests.support.examples import some_in_check
from tests.support.mining import lin_board, write_archives

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    return write_archives(tmp_path_factory.mktemp("archives"))


@pytest.fixture(scope="module")
def whole(archives, tmp_path_factory):
    """Table of all archives mined at once, as files."""
    folder = tmp_path_factory.mktemp("whole") / "table"
    return contents(mine(archives, folder), folder)


def contents(mined, folder):
    """Bytes of all files; what was mined is in place, and nothing beside it."""
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert BiddingTable.open(folder, verify=True) == mined.table
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_nothing_is_lost(archives, tmp_path):
    read = read_deals(archives)
    mined = mine(archives, tmp_path / "table", rejects=tmp_path / "rejects.parquet")
    report = mined.report
    assert report["boards"] + report["without_auction"] == read.deals.height
    assert report["rejects"] == read.rejects.height > 5
    assert report["without_auction"] > 5
    assert pl.read_parquet(tmp_path / "rejects.parquet").equals(read.rejects)
    assert sum(reason["count"] for reason in report["reject_reasons"]) == report["rejects"]
    lengths = read.deals["auction"].list.len()
    assert report["calls"] == lengths.sum()
    openings = range(mined.table.root_count)
    assert mined.table.columns["count"][: len(openings)].sum() == (lengths > 0).sum()
    inputs = mined.table.extra("mined_inputs")
    assert [Path(path).name for path in inputs["path"]] == ["a.lin", "b.lin", "c.pbn", "d.lin"]


def test_what_texts_say_is_what_entries_mean(archives, tmp_path):
    table = mine(archives, tmp_path / "table").table
    row = table.row(table.find(parse_calls("P 1C")))
    # the whole text is kept, the one that is cut off counted
    assert row.description.endswith("12-22 total points")
    assert row.criteria[-2:] == ("Total_Points >= 12", "Total_Points <= 22")
    announcements = table.extra("announcements").filter(pl.col("truncated"))
    assert announcements["text"].to_list() == [
        "Minor suit opening -- 3+ !C; 11-21 HCP; 12-22 total poi"
    ]
    double = table.row(table.find(parse_calls("P 1C X")))
    assert (double.criteria, double.tags) == ((), ("human",))
    assert double.description == "mindestens 4-4, evtl. stärker"
    raise_ = table.row(table.find(parse_calls("1S P 2S")))
    assert (raise_.source, raise_.description) == ("announcement", "3+ !S; 6-10 HCP")
    # in lin/ and pbn the longest text stands in a note
    assert table.row(table.find(parse_calls("1S"))).source == "note"


def test_lint_makes_sense_of_a_mined_table(archives, tmp_path):
    table = mine(archives, tmp_path / "table").table
    findings = lint(table).findings
    assert findings["unsatisfiable"].count == findings["inserted"].count == 0
    assert findings["announced_human"].count == 3
    # the calls that were made most often come first
    most = findings["undescribed"].examples[0]
    assert most == {"entry": 2, "auction": "P", "detail": "made 37 times"}
    assert findings["announced_truncated"].count == 0


def test_the_order_of_inputs_makes_no_difference(archives, whole, tmp_path):
    shuffled = [*archives[2:], *archives[:2], archives[0]]
    mined = mine(shuffled, tmp_path / "table", step_boards=7, most_in_memory=5, jobs=1)
    assert mined.report["repeated_inputs"] == 1
    assert contents(mined, tmp_path / "table") == whole


@pytest.mark.parametrize("cut", [1, 2, 3])
@pytest.mark.parametrize("in_place", [True, False])
def test_adding_gives_the_same_bytes_as_mining_at_once(archives, whole, tmp_path, cut, in_place):
    place, old = tmp_path / "place", tmp_path / "old"
    place.mkdir()
    out = place / "table"
    mine(archives[cut:], old, rank="file")
    if in_place:
        shutil.move(old, out)
    mined = mine(archives[:cut], out, add_to=out if in_place else old)
    assert contents(mined, out) == whole
    # the same archives again change nothing
    again = mine(archives, out, add_to=out)
    assert again.report["repeated_inputs"] == len(archives)
    assert contents(again, out) == whole


def test_frames_of_any_origin(archives, whole, tmp_path):
    """A Parquet file of the deals gives the same table, but for what it names as input."""
    deals = read_deals(archives).deals
    write_deal_parquet(deals, tmp_path / "deals.parquet")
    mined = mine(tmp_path / "deals.parquet", tmp_path / "table")
    digest = json.loads(whole["manifest.json"])["digest"]
    assert mined.table.digest == digest
    assert mined.report["boards"] + mined.report["without_auction"] == deals.height


@pytest.mark.parametrize("before_state", some_in_check(1, True, False))
@pytest.mark.parametrize("add", [True, False])
def test_interrupted_after_any_step(archives, whole, tmp_path, monkeypatch, before_state, add):
    """Each run does one step more and ends there."""
    monkeypatch.setattr(batch_inputs, "_GROUP_BYTES", 1)
    out = tmp_path / "table"
    if add:
        mine(archives[:1], out)

    def run():
        return mine(
            archives[1:] if add else archives,
            out,
            add_to=out if add else None,
            step_boards=7,
            resume=True,
            jobs=1,
        )

    mined = run_step_by_step(monkeypatch, Manifest, run, before=before_state)
    assert contents(mined, out) == whole


def test_interrupted_between_table_and_end(archives, whole, tmp_path, monkeypatch):
    def interrupted(folder):
        raise Interrupted

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "remove", interrupted)
        with pytest.raises(Interrupted):
            mine(archives, tmp_path / "table")
    mined = mine(archives, tmp_path / "table", resume=True)
    assert contents(mined, tmp_path / "table") == whole


def test_a_run_that_is_not_the_same_is_not_resumed(archives, tmp_path, monkeypatch):
    out = tmp_path / "table"
    changed = tmp_path / "archives"
    changed.mkdir()
    files = [Path(shutil.copy(file, changed)) for file in archives]

    def full(*_arguments, **_options):
        raise CannotWrite(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(BiddingTable, "save", full)
        with pytest.raises(CannotWrite):
            mine(files, out)
    with pytest.raises(InvalidInput, match="holds an interrupted run: resume it"):
        mine(files, out)
    with pytest.raises(InvalidInput, match="another option rank: 'specificity' before, 'file' now"):
        mine(files, out, resume=True, rank="file")
    with pytest.raises(InvalidInput, match="inputs are others"):
        mine(files[1:], out, resume=True)
    with files[0].open("a", encoding="utf-8") as file:
        file.write(lin_board(3))
    with pytest.raises(InvalidInput, match="inputs are others"):
        mine(files, out, resume=True)
    assert not out.exists()
    shutil.copy(archives[0], files[0])
    assert mine(files, out, resume=True).report["boards"] > 0
    assert not (tmp_path / "table.mining").exists()


def test_a_run_of_an_earlier_version_is_told(archives, tmp_path):
    work = tmp_path / "table.mining"
    work.mkdir()
    (work / "state.json").write_text('{"format": "bidcascade mining"}')
    for resume in (True, False):
        with pytest.raises(InvalidInput, match="a mining run of an earlier version"):
            mine(archives, tmp_path / "table", resume=resume)
    assert (work / "state.json").exists()


def test_what_comes_from_standard_input_is_not_resumed(archives, tmp_path, monkeypatch):
    def given():
        return types.SimpleNamespace(buffer=io.BytesIO(archives[0].read_bytes()))

    write = Manifest.write
    writes = []

    def write_some(manifest, *place):
        write(manifest, *place)
        writes.append(place)
        if len(writes) == 2:
            raise Interrupted

    out = tmp_path / "table"
    with monkeypatch.context() as patch:
        patch.setattr(Manifest, "write", write_some)
        patch.setattr(sys, "stdin", given())
        with pytest.raises(Interrupted):
            mine("-", out, step_boards=7)
    monkeypatch.setattr(sys, "stdin", given())
    with pytest.raises(InvalidInput, match="standard input cannot be resumed"):
        mine("-", out, resume=True)
    shutil.rmtree(tmp_path / "table.mining")
    assert mine("-", out).table == mine(archives[0], tmp_path / "other").table


def test_what_is_in_the_way_stays(archives, tmp_path):
    out = tmp_path / "table"
    mine(archives[:1], out)
    before = out / "manifest.json"
    text = before.read_bytes()
    with pytest.raises(InvalidTable, match="which is there; it can be overwritten"):
        mine(archives, out)
    assert before.read_bytes() == text
    assert mine(archives, out, overwrite=True).report["inputs"] == 4
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidTable, match=r"which is there$"):
        mine(archives, tmp_path / "file", overwrite=True)
    build_table([{"prior": [], "call": "1N"}])[0].save(tmp_path / "written")
    with pytest.raises(InvalidTable, match="expected a mined table to add to"):
        mine(archives, tmp_path / "new", add_to=tmp_path / "written")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "table", "written"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "got none"),
        ("<html><body>not found</body></html>", "HTML"),
        ("pn|a,b,c,d|md|1S2,S2,S2,S2|", "got none and 1 reject"),
    ],
)
def test_inputs_without_a_board_are_refused(tmp_path, content, message):
    (tmp_path / "bad.lin").write_text(content)
    with pytest.raises(InvalidInput, match=message):
        mine(tmp_path / "bad.lin", tmp_path / "table")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.lin"]


def test_command(archives, tmp_path, capsys):
    out = tmp_path / "table"
    files = [str(file) for file in archives]
    ran = run_apart("table", "mine", *files, "--out", out, "--json")
    assert ran.code == 0, ran.err
    report = json.loads(ran.out)
    assert report["digest"] == BiddingTable.open(out).digest
    assert report["inputs"] == 4
    assert main(["table", "mine", files[0], "--out", str(out)]) == 2
    assert "--force replaces it" in capsys.readouterr().err
    more = ["--out", str(out), "--add-to", str(out), "--rank", "file"]
    assert main(["table", "mine", *files, *more]) == 0
    assert "inputs mined before, passed over: 4" in capsys.readouterr().out
    assert main(["table", "show", str(out), "1S"]) == 0
    assert "made " in capsys.readouterr().out
    assert main(["table", "info", str(out)]) == 0
    assert "with announcements, mined_inputs" in capsys.readouterr().out


def test_memory_does_not_grow_with_the_file(tmp_path):
    """A file of 100 MB, once with the memory of a much smaller one."""
    chance = random.Random(4)
    boards = [lin_board(seed) for seed in range(2000)]
    for name, size in (("small.lin", 20 << 20), ("large.lin", 100 << 20)):
        with (tmp_path / name).open("w", encoding="utf-8") as file:
            while file.tell() < size:
                file.write("".join(chance.choices(boards, k=5000)))
    peaks = []
    for name in ("small", "large"):
        program = (
            "import sys; from bidcascade.service.cli import main; code = main(); "
            "status = open('/proc/self/status').read(); "
            "print(status[status.index('VmHWM:') :].split()[1], file=sys.stderr); sys.exit(code)"
        )
        done = subprocess.run(
            [command()[0], "-c", program, "table", "mine", str(tmp_path / f"{name}.lin"),
             "--out", str(tmp_path / name), "--jobs", "1", "--json"],
            env=environment(), capture_output=True, text=True, check=True,
        )  # fmt: skip
        report = json.loads(done.stdout)
        assert report["boards"] + report["without_auction"] + report["rejects"] > 20_000
        peaks.append(int(done.stderr.split()[-1]))
    assert peaks[1] < peaks[0] + 200_000, os.fspath(tmp_path)


def test_real_robots(shared_data, tmp_path):
    """Texts of robots become criteria; every one of their calls keeps its count."""
    inputs = [shared_data / "lin" / "gib", shared_data / "pbn" / "gib_notes"]
    mined = mine(inputs, tmp_path / "table")
    report = mined.report
    read = read_deals(inputs)
    assert report["boards"] + report["without_auction"] == read.deals.height
    assert report["rejects"] == read.rejects.height
    assert report["complete_texts"] > 0.9 * report["distinct_texts"]
    findings = lint(mined.table).findings
    # a few texts of robots contradict themselves, such as no hearts with two stoppers in them
    assert findings["unsatisfiable"].count < 0.01 * report["described"]
    assert findings["inserted"].count == findings["repeated_variants"].count == 0
