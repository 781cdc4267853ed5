"""The batch job: its rows, and what interruptions of all kinds leave."""

import errno
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bidcascade.bridge import Deal, InvalidInput, Seat, format_calls, format_deal
from bidcascade.engine import Engine
from bidcascade.engine.runs.batches import batch, batch_inputs, pace
from bidcascade.engine.runs.batches.batch import BATCH_MODES, batch_folder, run_batch
from bidcascade.engine.runs.batches.batch_inputs import in_share
from bidcascade.engine.runs.manifest import Manifest
from bidcascade.kernels import get_backend
from bidcascade.loaders import deal_arrays, random_deals, read_deals, write_lin
from bidcascade.loaders.files.whole_files import CannotWrite
from bidcascade.systems import import_table
from bidcascade.systems.system import System
from tests.engine.support_interruptions import run_step_by_step
from tests.support.cli import NO_BYTECODE, command, environment, run_apart, write_inputs
from tests.support.examples import some_in_check
from tests.support.service import write_small_table
from tests.support.systems import SMALL_SYSTEM


@pytest.fixture(scope="module")
def engine():
    return Engine.open("sayc", "cpu")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return write_inputs(tmp_path_factory.mktemp("inputs"), 240)


@pytest.fixture(scope="module")
def expected(engine, inputs, tmp_path_factory):
    """What an uninterrupted run writes, by mode."""
    rows = {}
    for mode in BATCH_MODES:
        folder = tmp_path_factory.mktemp("whole") / mode
        run_batch(engine, inputs, folder, mode=mode, part_deals=1000)
        rows[mode] = rows_of(folder)
    return rows


def rows_of(folder):
    """All rows of a finished batch by kind of file, parts put together in the manifest's order."""
    manifest = Manifest.read(folder)
    assert manifest.finished
    kinds = {}
    for name, size in manifest.files().items():
        assert (folder / name).stat().st_size == size
        kinds.setdefault(name.partition("-")[0].partition(".")[0], []).append(folder / name)
    on_disk = {file.name for file in folder.iterdir()}
    assert on_disk == {*manifest.files(), "manifest.json", ".lock"}
    return {kind: pl.concat(map(pl.read_parquet, files)) for kind, files in kinds.items()}


def check_equal(found, expected):
    assert found.keys() == expected.keys()
    for kind, frame in expected.items():
        assert found[kind].equals(frame), kind


class Slow:
    """A clock on which each deal that is answered takes a hundredth of a second."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(batch.time, "monotonic", lambda: self.now)
        for name in ("iter_auctions", "count_entries"):
            monkeypatch.setattr(Engine, name, self.slowed(getattr(Engine, name)))

    def slowed(self, answer):
        def slow(engine, frame, **options):
            self.now += frame.height / 100
            return answer(engine, frame, **options)

        return slow


@pytest.mark.slow
def test_each_board_is_answered_or_refused(engine, inputs, expected):
    read = read_deals(inputs)
    assert read.deals.height == 240
    assert read.rejects.height == 9
    for mode in BATCH_MODES:
        assert expected[mode]["rejects"].equals(read.rejects)
    boards = expected["all"]["boards"]
    assert boards["deal"].to_list() == list(range(240))
    assert boards.select("source", "record").equals(read.deals.select("source", "record"))
    found = engine.auctions(read.deals)
    entries = expected["all"]["auctions"]
    assert entries.rows() == found.rows()
    totals = found.group_by("deal").len().sort("deal")["len"]
    assert boards["total"].to_list() == totals.to_list()
    # auctions of a system say their calls themselves, and have no entries
    assert entries["entry"].null_count() == entries.height
    assert expected["all"]["entries"].height == 0
    first = engine.auctions(read.deals, mode="first")
    assert expected["first"]["auctions"].select(first.columns).equals(first)
    counted = engine.counts_frame(engine.count_entries(read.deals))
    assert expected["counts"]["counts"].equals(counted)


def test_the_manifest_tells_what_was_done(engine, inputs, tmp_path, monkeypatch):
    Slow(monkeypatch)
    summary = run_batch(engine, inputs, tmp_path / "out", mode="first", part_deals=100)
    value = json.loads((tmp_path / "out/manifest.json").read_text())
    assert value["table"] == engine.table_info()
    assert value["options"] == {
        "mode": "first",
        "completed_only": False,
        "limit": None,
        "max_depth": None,
        "text": False,
    }
    assert [part["boards"] for part in value["parts"]] == [64, 100, 76]
    # a system's auctions end at none of the table's entries
    assert rows_of(tmp_path / "out")["auctions"]["entry"].null_count() == 240
    assert value["totals"] == {"boards": 240, "rejects": 9, "rows": 240}
    assert summary == (240, 9, 240, 3)
    assert {part["backend"] for part in value["parts"]} == {"cpu"}
    for given, path in zip(value["inputs"], inputs, strict=True):
        assert (given["path"], given["bytes"]) == (path.name, path.stat().st_size)
        assert len(given["sha256"]) == 64


@pytest.mark.parametrize("mode", ["first", pytest.param("all", marks=pytest.mark.slow)])
def test_the_first_part_is_soon_there(engine, inputs, tmp_path, mode):
    """A run that is killed soon after its begin has something to go on from."""
    run_batch(engine, inputs, tmp_path, mode=mode)
    parts = Manifest.read(tmp_path).parts
    assert parts[0].boards == 64
    assert parts[1].boards <= 256


@pytest.mark.parametrize("mode", BATCH_MODES)
def test_parts_and_progress_follow_the_speed(engine, inputs, expected, tmp_path, monkeypatch, mode):
    clock = Slow(monkeypatch)
    monkeypatch.setattr(batch, "LEAST_PART_DEALS", 20)
    monkeypatch.setattr(batch, "PART_S", 0.5)
    monkeypatch.setattr(pace, "_REPORT_EVERY_S", 0.2)
    told = []

    def report(done, total, boards):
        told.append((clock.now, boards))

    run_batch(engine, inputs, tmp_path, mode=mode, report=report)
    check_equal(rows_of(tmp_path), expected[mode])
    # 0.2 s for the first, then what takes half a second
    sizes = [part.boards for part in Manifest.read(tmp_path).parts]
    assert sizes == pytest.approx([20, 50, 50, 50, 50, 20], abs=1)
    boards = [boards for _, boards in told]
    assert boards == sorted(boards)
    assert boards[-1] == 240
    moments = [0.0, *(now for now, _ in told)]
    assert max(np.diff(moments)) <= 0.5 + 1e-9
    # of mode all the frames are reported that the engine gives: here one a part
    assert len(set(boards)) > len(sizes) - (mode == "all")


def test_hands_and_auctions_as_text(engine, inputs, expected, tmp_path):
    deals = read_deals(inputs).deals
    for mode in ("first", "all"):
        run_batch(engine, inputs, tmp_path / mode, mode=mode, text=True, part_deals=100)
    found = rows_of(tmp_path / "first")["auctions"]
    plain = expected["first"]["auctions"]
    assert found.select(plain.columns).equals(plain)
    added = [name for name in found.columns if name not in plain.columns]
    assert added == ["hands", "dealer", "vulnerability", "calls", "source_calls"]
    masks = deals.select("north", "east", "south", "west").rows()
    assert found["hands"].to_list() == [format_deal(Deal(hands, Seat.NORTH)) for hands in masks]
    assert found.select("dealer", "vulnerability").equals(deals.select("dealer", "vulnerability"))
    assert found["calls"].to_list() == [format_calls(calls) for calls in plain["auction"].to_list()]
    given = found["source_auction"].to_list()
    assert found["source_calls"].to_list() == [calls and format_calls(calls) for calls in given]
    boards = rows_of(tmp_path / "all")["boards"]
    assert boards.drop("hands", "dealer", "vulnerability").equals(expected["all"]["boards"])
    assert boards["hands"].equals(found["hands"])


def test_the_auctions_of_the_source_are_beside_the_answers(engine, tmp_path):
    deals = random_deals(40, seed=5)
    bid = engine.auctions(deals, mode="first")["auction"].to_list()
    bid[1], bid[2] = [7, 0, 0, 0], None
    frame = deals.with_columns(auction=pl.Series(bid, dtype=deals.schema["auction"]))
    with (tmp_path / "club.lin").open("w") as file:
        write_lin(frame, file)
    run_batch(engine, tmp_path / "club.lin", tmp_path / "out", mode="first")
    found = rows_of(tmp_path / "out")["auctions"]
    assert found["source_auction"].to_list() == bid
    same = found["same_auction"].to_list()
    assert same == [True, bid[1] == found["auction"].to_list()[1], None, *[True] * 37]


@pytest.mark.parametrize("mode", ["first", "counts"])
def test_batches_of_before_are_resumed(engine, inputs, expected, tmp_path, monkeypatch, mode):
    """Their manifest had another head, and the file of the counts in a place of its own."""
    write, left = Manifest.write, 3

    def write_some(manifest, *place):
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        write(manifest, *place)

    with monkeypatch.context() as patch:
        patch.setattr(Manifest, "write", write_some)
        with pytest.raises(KeyboardInterrupt):
            run_batch(engine, inputs, tmp_path, mode=mode, part_deals=50)
    value = json.loads((tmp_path / "manifest.json").read_text())
    assert value["totals"]["boards"] == 100
    for name in ("work", "state"):
        del value[name]
    files = value.pop("state_files")
    (tmp_path / "manifest.json").write_text(
        json.dumps(value | {"format": "bidcascade batch", "counts": next(iter(files), None)})
    )
    assert run_batch(engine, inputs, tmp_path, mode=mode, resume=True).boards == 240
    check_equal(rows_of(tmp_path), expected[mode])


@pytest.mark.slow
def test_only_complete_auctions(engine, inputs, tmp_path):
    run_batch(engine, inputs, tmp_path / "out", mode="all", completed_only=True)
    deals = read_deals(inputs).deals
    found = engine.auctions(deals, completed_only=True)
    assert rows_of(tmp_path / "out")["auctions"].rows() == found.rows()


@pytest.mark.parametrize("mode", ["first", "counts", pytest.param("all", marks=pytest.mark.slow)])
@pytest.mark.parametrize("before_manifest", some_in_check(1, True, False))
def test_interrupted_after_any_part(
    engine, inputs, expected, tmp_path, monkeypatch, mode, before_manifest
):
    """Each run writes one part more and ends there; many kinds of cuts between the sources."""
    monkeypatch.setattr(batch_inputs, "_GROUP_BYTES", 1)
    monkeypatch.setattr(batch, "FILE_ROWS", 300)

    def run():
        return run_batch(engine, inputs, tmp_path, mode=mode, part_deals=37, resume=True, jobs=1)

    run_step_by_step(monkeypatch, Manifest, run, before=before_manifest)
    found = rows_of(tmp_path)
    assert {column for frame in found.values() for column in frame.columns}
    check_equal(found, expected[mode])


def test_a_finished_batch_stays(engine, inputs, tmp_path):
    first = run_batch(engine, inputs, tmp_path / "out")
    before = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "out").iterdir()}
    assert run_batch(engine, inputs, tmp_path / "out", resume=True) == first
    before.pop(".lock")
    for name, time_written in before.items():
        assert (tmp_path / "out" / name).stat().st_mtime_ns == time_written


def test_a_batch_of_a_system_has_the_auctions_that_are_bid(inputs, tmp_path):
    engine = Engine(System.parse(SMALL_SYSTEM), "cpu")
    run_batch(engine, inputs, tmp_path / "usual")
    run_batch(engine, inputs, tmp_path / "first", mode="first")
    check_equal(rows_of(tmp_path / "usual"), rows_of(tmp_path / "first"))
    assert Manifest.read(tmp_path / "usual").options["mode"] == "first"


@pytest.mark.parametrize(
    "bounds", [{"limit": 3}, {"max_depth": 2}, {"limit": 5, "max_depth": 3, "completed_only": True}]
)
@pytest.mark.parametrize("of", ["table", "system"])
def test_mode_all_within_bounds(engine, inputs, tmp_path, of, bounds):
    if of == "system":
        engine = Engine(System.parse(SMALL_SYSTEM), "cpu")
    run_batch(engine, inputs, tmp_path / "out", mode="all", part_deals=100, **bounds)
    expected = engine.auctions(read_deals(inputs).deals, mode="all", **bounds)
    assert rows_of(tmp_path / "out")["auctions"].equals(expected)
    for other in ({"limit": 4}, {**bounds, "max_depth": 9}):
        with pytest.raises(InvalidInput, match="cannot resume with another option"):
            run_batch(engine, inputs, tmp_path / "out", mode="all", resume=True, **other)


@pytest.mark.parametrize("mode", ["first", "all", "counts"])
def test_a_share_of_the_boards(engine, inputs, tmp_path, mode):
    folder, deals = tmp_path / "out", read_deals(inputs).deals
    summary = run_batch(engine, inputs, folder, mode=mode, part_deals=7, share=0.3)
    chosen = deals.filter(in_share(deals, 0.3))
    assert 0 < chosen.height < deals.height // 2
    assert summary.boards == chosen.height
    assert summary.rejects == read_deals(inputs).rejects.height
    whole = tmp_path / "whole"
    chosen.write_parquet(tmp_path / "chosen.parquet")
    run_batch(engine, tmp_path / "chosen.parquet", whole, mode=mode)
    kind = "counts" if mode == "counts" else "auctions"
    assert rows_of(folder)[kind].equals(rows_of(whole)[kind])
    with pytest.raises(InvalidInput, match="cannot resume with another option"):
        run_batch(engine, inputs, folder, mode=mode, resume=True)


def test_an_order_changes_no_share():
    deals = random_deals(500, seed=3)
    chosen, turned = in_share(deals, 0.2), in_share(deals.reverse(), 0.2)
    assert (chosen == turned[::-1]).all()
    assert (in_share(deals, 0.1) <= chosen).all()
    assert in_share(deals, 1).all()


@pytest.mark.parametrize("share", [0, -0.1, 1.5, float("nan")])
def test_a_share_that_is_none(engine, inputs, tmp_path, share):
    with pytest.raises(ValueError, match="expected a share above 0 and at most 1, got"):
        run_batch(engine, inputs, tmp_path / "out", share=share)
    assert not (tmp_path / "out").exists()


def test_bounds_are_of_mode_all(engine, inputs, tmp_path):
    for bounds in ({"limit": 3}, {"max_depth": 2}, {"completed_only": True}):
        for mode in ("first", "counts"):
            with pytest.raises(ValueError, match=f"expected {next(iter(bounds))} in mode 'all'"):
                run_batch(engine, inputs, tmp_path / "out", mode=mode, **bounds)
    for bounds in ({"limit": 0}, {"max_depth": -1}):
        with pytest.raises(ValueError, match="of at least 1, got"):
            run_batch(engine, inputs, tmp_path / "out", mode="all", **bounds)
    assert not (tmp_path / "out").exists()


def test_resume_asks_for_the_same_job(engine, inputs, tmp_path):
    folder = tmp_path / "out"
    run_batch(engine, inputs, folder, mode="first")
    other = Engine(import_table_of(tmp_path), "cpu")
    cases = [
        (other, inputs, {"mode": "first"}, "another table digest"),
        (engine, inputs, {"mode": "all"}, "another option mode: 'first' before, 'all' now"),
        (engine, inputs, {"mode": "first", "text": True}, "another option text: False before"),
        (engine, inputs[:2], {"mode": "first"}, "another number of inputs: 3 before, 2 now"),
        (engine, [inputs[1], inputs[0], inputs[2]], {"mode": "first"}, "another input"),
    ]
    for one, given, options, message in cases:
        with pytest.raises(InvalidInput, match=message):
            run_batch(one, given, folder, resume=True, **options)


def import_table_of(folder):
    path = folder / "rows.jsonl"
    path.write_text('{"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}\n')
    return import_table(path)[0]


def test_resume_of_changed_inputs(engine, inputs, tmp_path):
    copy = tmp_path / "deals.lin"
    copy.write_bytes(inputs[0].read_bytes())
    run_batch(engine, [copy], tmp_path / "out")
    copy.write_bytes(inputs[0].read_bytes() + b"\n")
    with pytest.raises(InvalidInput, match="has changed since the run began"):
        run_batch(engine, [copy], tmp_path / "out", resume=True)


def test_an_existing_batch_is_not_touched(engine, inputs, tmp_path):
    run_batch(engine, inputs, tmp_path / "out")
    with pytest.raises(InvalidInput, match="holds a batch already"):
        run_batch(engine, inputs, tmp_path / "out")
    check_unharmed = rows_of(tmp_path / "out")
    assert check_unharmed["auctions"].height > 0


def test_folders_that_hold_something_else(engine, inputs, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/thesis.tex").write_text("important")
    for resume in (True, False):
        with pytest.raises(InvalidInput, match=r"empty folder .*, got .* with 'thesis.tex'"):
            run_batch(engine, inputs, tmp_path / "out", resume=resume)
        with pytest.raises(InvalidInput, match="got the file"):
            run_batch(engine, inputs, tmp_path / "out/thesis.tex", resume=resume)
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot read the manifest"),
        ("[]", "expected the manifest of a run"),
        ('{"format": "other"}', "expected the manifest of a run"),
        ('{"format": "bidcascade run", "format_version": 99}', "version 1 in .*, got 99"),
        ('{"format": "bidcascade run", "format_version": 1}', "of a batch in .* got that of None"),
        (
            '{"format": "bidcascade run", "format_version": 1, "work": "mining"}',
            "manifest of a batch in .* got that of a mining run",
        ),
        ('{"format": "bidcascade run", "format_version": 1, "work": "batch"}', "damaged manifest"),
        ("[" * 100_000, "cannot read the manifest"),
    ],
)
def test_manifests_that_are_none(engine, inputs, tmp_path, text, message):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InvalidInput, match=message):
        run_batch(engine, inputs, tmp_path, resume=True)


def test_a_part_is_missing_or_cut(engine, inputs, tmp_path):
    run_batch(engine, inputs, tmp_path / "out")
    part = tmp_path / "out/auctions-00000.parquet"
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(InvalidInput, match="bytes instead of"):
        run_batch(engine, inputs, tmp_path / "out", resume=True)
    part.unlink()
    with pytest.raises(InvalidInput, match=r"'auctions-00000.parquet' .* got no file"):
        run_batch(engine, inputs, tmp_path / "out", resume=True)


@pytest.mark.skipif(os.name != "posix", reason="locks are POSIX's")
def test_two_batches_into_one_folder(engine, inputs, tmp_path):
    busy = pytest.raises(InvalidInput, match="another process is working in")
    with batch_folder(tmp_path).held(), busy:
        run_batch(engine, inputs, tmp_path)


def test_nothing_to_answer_leaves_nothing(engine, tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "notes.txt").write_text("no deals here")
    # tokens of LIN, and no board
    (tmp_path / "title.lin").write_text("vg|Cup,Final,I,1,16,A,0,B,0|\npn|a,b,c,d|pg||\n")
    for given, message in (
        ("none", "no file that may hold any"),
        ("notes.txt", "first reject: .*notes.txt: expected LIN"),
        ("title.lin", "no board in the inputs"),
    ):
        with pytest.raises(InvalidInput, match=message):
            run_batch(engine, [tmp_path / given], tmp_path / "out")
        assert not (tmp_path / "out").exists()


def test_disk_full_keeps_what_is_written(engine, inputs, expected, tmp_path, monkeypatch):
    write = pl.DataFrame.write_parquet
    left = 4

    def write_until_full(frame, path, **options):
        nonlocal left
        left -= 1
        write(frame, path, **options)
        if left < 0:
            Path(path).write_bytes(Path(path).read_bytes()[:100])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pl.DataFrame, "write_parquet", write_until_full)
    with pytest.raises(CannotWrite, match="No space left"):
        run_batch(engine, inputs, tmp_path, mode="all", part_deals=50)
    manifest = Manifest.read(tmp_path)
    # rejects, auctions, boards of the first part; then the rest of the second was taken back
    assert manifest.boards == 50
    on_disk = {file.name for file in tmp_path.iterdir()}
    assert on_disk == {*manifest.files(), "manifest.json", ".lock"}
    monkeypatch.setattr(pl.DataFrame, "write_parquet", write)
    run_batch(engine, inputs, tmp_path, mode="all", part_deals=50, resume=True)
    check_equal(rows_of(tmp_path), expected["all"])


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
from bidcascade.service.cli import main
sys.exit(main())
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="limits are POSIX's")
def test_the_system_refuses_to_write(inputs, tmp_path):
    folder = tmp_path / "out"
    table = write_small_table(tmp_path)
    run_batch(Engine.open(str(table), "reference"), inputs, tmp_path / "whole", part_deals=120)
    words = ("batch", *inputs, "--out", folder, "--part-deals", 120, "--table", table,
             "--backend", "reference")  # fmt: skip
    arguments = command(*words)
    arguments[2] = LIMITED
    limited = environment(**NO_BYTECODE)
    done = subprocess.run(arguments, env=limited, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("bidcascade: error: cannot write ")
    named = Manifest.read(folder).files()
    on_disk = {file.name for file in folder.iterdir()} - {".lock", "manifest.json"}
    assert on_disk == set(named)
    resumed = run_apart(*words, "--resume")
    assert resumed.code == 0, resumed.err
    check_equal(rows_of(folder), rows_of(tmp_path / "whole"))


def test_wrong_options(engine, inputs, tmp_path):
    for options, message in (
        ({"mode": "most"}, "expected a mode"),
        ({"mode": "first", "completed_only": True}, "in mode 'all'"),
        ({"part_deals": 0}, "at least one deal a part"),
        ({"mode": "counts", "text": True}, "text in mode 'all' or 'first'"),
    ):
        with pytest.raises(ValueError, match=message):
            run_batch(engine, inputs, tmp_path / "out", **options)


@pytest.mark.slow
def test_standard_input_cannot_be_resumed(inputs, tmp_path):
    folder = tmp_path / "out"
    with Path(inputs[0]).open("rb") as stdin:
        done = subprocess.run(
            command("batch", "-", "--out", folder, "--mode", "first"),
            stdin=stdin,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert Manifest.read(folder).boards == 80
    again = run_apart("batch", "-", "--out", folder, "--mode", "first", "--resume")
    assert (again.code, again.err.count("\n")) == (2, 1)
    assert "cannot be resumed" in again.err


@pytest.mark.slow
def test_real_files_answered_as_the_reference_does(shared_data, tmp_path):
    source = shared_data / "table/bbo_bidding_sequences_table.py.txt"
    engine = Engine.open(str(source), "cpu")
    inputs = [shared_data / "lin", shared_data / "pbn"]
    summary = run_batch(engine, inputs, tmp_path / "out")
    read = read_deals(inputs)
    assert (summary.boards, summary.rejects) == (read.deals.height, read.rejects.height)
    chosen = np.sort(np.random.default_rng(1).choice(read.deals.height, 200, replace=False))
    sample = read.deals[chosen.tolist()]
    found = rows_of(tmp_path / "out")["auctions"].filter(pl.col("deal").is_in(chosen))
    plan = engine.table.plan()
    counts = get_backend("reference").cascade_counts(plan, deal_arrays(sample))
    by_entry = np.bincount(found["entry"], minlength=len(engine.table))
    assert (by_entry == counts).all()
    assert counts.sum() > 200
