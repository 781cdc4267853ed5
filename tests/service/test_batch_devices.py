"""A batch on several devices: the same folder as from one process, whatever happens on the way.

The processes run the backends ``reference`` and ``cpu``: how parts are given out, put together and
resumed does not depend on what answers them.
"""

import io
import json
import os
import signal
import subprocess
import time

import polars as pl
import pytest

from bidcascade.bridge import BackendUnavailable, InvalidInput
from bidcascade.kernels import why_unavailable
from bidcascade.service import Engine
from bidcascade.service.jobs import batch, device_pool
from bidcascade.service.jobs.batch import BATCH_MODES, run_batch
from bidcascade.service.jobs.batch_parts import Asked
from bidcascade.service.jobs.device_pool import DeviceProcess, environment_of
from bidcascade.service.jobs.manifest import Manifest
from bidcascade.service.jobs.pipe_messages import receive, send
from bidcascade.systems import open_table
from bidcascade.table import build_table
from tests.service.support_interruptions import Interrupted, parts_in
from tests.support_cli import command, environment, run_apart, write_inputs

pytestmark = pytest.mark.slow

PART_DEALS = 25


ROWS = [
    {"prior": "", "call": "P", "criteria": ["HCP <= 11"]},
    {"prior": "", "call": "1C", "name": "Opening", "criteria": ["HCP >= 12"]},
    {"prior": "", "call": "1N", "name": "Strong", "criteria": ["15 <= HCP <= 17", "Balanced"]},
    {"prior": "1C", "call": "P"},
    {"prior": "1C P", "call": "1H", "name": "Hearts", "criteria": ["SL_H >= 4", "HCP >= 6"]},
    {"prior": "1C P", "call": "1S", "name": "Spades", "criteria": ["SL_S >= 4", "HCP >= 6"]},
    {"prior": "1C P", "call": "P", "criteria": ["HCP < 6"]},
    {"prior": "1C P P", "call": "P"},
    {"prior": "1N", "call": "P"},
    {"prior": "1N P", "call": "3N", "name": "To play", "criteria": ["HCP >= 10"]},
    {"prior": "P", "call": "1D", "criteria": ["HCP >= 11"]},
]


@pytest.fixture(scope="module")
def table_folder(tmp_path_factory):
    """Folder of a small table."""
    table, _ = build_table(ROWS, undescribed="allow", source="small")
    folder = tmp_path_factory.mktemp("table") / "small"
    table.save(folder)
    return folder


@pytest.fixture(scope="module")
def engine(table_folder):
    return Engine.open(str(table_folder), "reference")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return write_inputs(tmp_path_factory.mktemp("inputs"), 120)


@pytest.fixture(scope="module")
def one_process(engine, inputs, tmp_path_factory):
    """What one process writes, by mode."""
    return {
        mode: written(engine, inputs, tmp_path_factory.mktemp("one") / mode, mode)
        for mode in BATCH_MODES
    }


def written(engine, inputs, folder, mode, **options):
    run_batch(engine, inputs, folder, mode=mode, part_deals=PART_DEALS, **options)
    return contents(folder)


def contents(folder):
    """Manifest without what depends on the moment, and every other file as a frame."""
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["finished"]
    frames = {
        file.name: pl.read_parquet(file)
        for file in sorted(folder.iterdir())
        if file.name not in ("manifest.json", ".lock")
    }
    assert frames.keys() == Manifest.read(folder).files().keys()
    for part in manifest["parts"]:
        del part["files"]
    return manifest, frames


def check_equal(found, expected, *, parts=True):
    manifest, frames = found
    wanted_manifest, wanted = expected
    if parts:
        assert manifest == wanted_manifest
        assert frames.keys() == wanted.keys()
        for name, frame in wanted.items():
            assert frames[name].equals(frame), name
    else:
        assert manifest["totals"] == wanted_manifest["totals"]
        assert frames["counts.parquet"].equals(wanted["counts.parquet"])


@pytest.mark.parametrize("mode", BATCH_MODES)
def test_two_processes_write_what_one_writes(engine, inputs, one_process, tmp_path, mode):
    found = written(engine, inputs, tmp_path / "out", mode, devices=["0", "1"])
    # counts are written down when both have counted: their parts are larger
    check_equal(found, one_process[mode], parts=mode != "counts")


def test_a_table_that_is_no_file_goes_to_the_processes(inputs, tmp_path):
    table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 12"]}])
    engine = Engine(table, "reference", name="made here")
    expected = written(engine, inputs, tmp_path / "one", "first")
    found = written(engine, inputs, tmp_path / "out", "first", devices=["0"])
    check_equal(found, expected)


def test_interrupted_and_resumed_with_other_devices(
    engine, inputs, one_process, tmp_path, monkeypatch
):
    write = Manifest.write
    allowed = 3

    def write_some(manifest, folder):
        nonlocal allowed
        allowed -= 1
        if allowed < 0:
            raise Interrupted
        write(manifest, folder)

    monkeypatch.setattr(Manifest, "write", write_some)
    folder = tmp_path / "out"
    with pytest.raises(Interrupted):
        run_batch(engine, inputs, folder, devices=["0", "1"], part_deals=PART_DEALS)
    monkeypatch.setattr(Manifest, "write", write)
    assert 0 < len(Manifest.read(folder).parts) < 5
    # the processes have ended, and their folders are gone
    assert not [file for file in folder.iterdir() if file.is_dir()]
    check_equal(written(engine, inputs, folder, "all", resume=True), one_process["all"])


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize("mode", ["all", "counts"])
def test_killed_and_resumed(inputs, one_process, table_folder, tmp_path, mode):
    folder = tmp_path / "out"
    arguments = ("batch", *inputs, "--out", folder, "--mode", mode, "--resume", "--jobs", 1,
                 "--part-deals", PART_DEALS, "--backend", "reference",
                 "--table", table_folder)  # fmt: skip
    process = subprocess.Popen(
        command(*arguments, "--devices", "0,1"), env=environment(), stderr=subprocess.PIPE
    )
    while process.poll() is None and not parts_in(folder):
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    resumed = run_apart(*arguments)
    assert resumed.code == 0, resumed.err
    # those that lost their batch end by themselves, and leave nothing
    deadline = time.monotonic() + 150
    while [file for file in folder.iterdir() if file.is_dir()]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    check_equal(contents(folder), one_process[mode], parts=mode != "counts")


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("fault:3", r"device '[01]': an illegal address was met"),
        ("kill:2", r"the process of device '[01]' ended with signal 9"),
        ("start", r"device '0': no device 0"),
    ],
)
def test_a_device_fails(engine, inputs, one_process, tmp_path, monkeypatch, fault, message):
    """The batch ends with the reason; no part is there that is not whole; it can be resumed."""
    folder = tmp_path / "out"
    with monkeypatch.context() as patched:
        patched.setattr(device_pool, "_WORKER", "tests.support_faulty_worker")
        patched.setenv("BIDCASCADE_TEST_FAULT", fault)
        with pytest.raises(BackendUnavailable, match=message):
            run_batch(engine, inputs, folder, devices=["0", "1"], part_deals=PART_DEALS)
    if (folder / "manifest.json").exists():
        manifest = Manifest.read(folder)
        assert not manifest.finished
        assert not [file for file in folder.iterdir() if file.is_dir()]
    check_equal(written(engine, inputs, folder, "all", resume=True), one_process["all"])


def test_a_system_goes_to_the_processes_by_its_name(engine, tmp_path):
    """Deals that leave the table are bid on by the system; a table alone would answer otherwise."""
    nameless = Engine(engine.table, "reference", system=object)
    with (
        pytest.raises(InvalidInput, match="a system opened by its name or path"),
        device_pool.DeviceAnswerer.started(nameless, tmp_path, ["0"]),
    ):
        pass
    with device_pool.table_place(engine, tmp_path) as place:
        assert place == engine.opened_from
    nameless.opened_from = "sayc", {"options": {"a": True}}
    with device_pool.table_place(nameless, tmp_path) as place:
        assert place == ("sayc", {"options": {"a": True}})


def test_numbers_count_among_the_visible_devices(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert environment_of("1")["CUDA_VISIBLE_DEVICES"] == "1"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4, 6")
    assert environment_of("1")["CUDA_VISIBLE_DEVICES"] == "6"
    assert environment_of("GPU-8f1c")["CUDA_VISIBLE_DEVICES"] == "GPU-8f1c"
    with pytest.raises(BackendUnavailable, match=r"device of 0 to 1 .* got '2'"):
        environment_of("2")


def start_message(table_folder, digest=None):
    if digest is None:
        digest = open_table(table_folder).digest
    return {"table": str(table_folder), "backend": "reference", "options": {}, "digest": digest}


def test_each_process_sees_its_device(monkeypatch, tmp_path):
    monkeypatch.setattr(device_pool, "_WORKER", "tests.support_faulty_worker")
    monkeypatch.setenv("BIDCASCADE_TEST_FAULT", "start")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,6")
    process = DeviceProcess("1", tmp_path / ".device")
    process.start(start_message(tmp_path, ""))
    with pytest.raises(BackendUnavailable, match="device '1': no device 6"):
        process.answer()
    process.end(at_once=False)


def test_a_changed_table_is_not_answered_from(table_folder, tmp_path):
    process = DeviceProcess("0", tmp_path / ".device")
    process.start(start_message(table_folder, "another"))
    with pytest.raises(ValueError, match=r"device '0': the table '.*small' has changed"):
        process.answer()
    process.end(at_once=False)


def test_a_process_refuses_what_it_does_not_know(table_folder, tmp_path):
    process = DeviceProcess("0", tmp_path / ".device")
    process.start(start_message(table_folder))
    assert process.answer() == {"backend": "reference"}
    with pytest.raises(RuntimeError, match="device '0': expected answer, count or gather"):
        process.ask({"do": "dance"})
    with pytest.raises(OSError, match="device '0'"):
        process.ask({"do": "answer", **Asked(0, 0, "first", completed_only=False)._asdict()}, b"?")
    assert process.ask({"do": "gather"}) == {"file": None}
    process.end(at_once=False)
    assert not (tmp_path / ".device").exists()


def test_messages_cut_short_are_none():
    pipe = io.BytesIO()
    send(pipe, {"rows": 3}, b"block")
    whole = pipe.getvalue()
    for length in range(len(whole)):
        assert receive(io.BytesIO(whole[:length])) is None
    assert receive(io.BytesIO(whole)) == ({"rows": 3}, b"block")


@pytest.mark.skipif(why_unavailable("cuda") is None, reason="here is a device")
def test_devices_without_a_gpu_is_exit_3(inputs, tmp_path):
    ran = run_apart("batch", *inputs, "--out", tmp_path / "out", "--devices", "0,1")
    assert ran.code == 3
    assert ran.err.startswith("bidcascade: error: backend 'cuda' cannot run here: ")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("devices", ["0,0", "0,", ""])
def test_devices_that_are_none(inputs, tmp_path, devices):
    ran = run_apart("batch", *inputs, "--out", tmp_path / "out", "--devices", devices)
    assert ran.code == 1
    assert "expected different devices" in ran.err


def test_bad_inputs_start_no_process(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "DeviceAnswerer", None)
    (tmp_path / "notes.txt").write_text("no deals here")
    with pytest.raises(InvalidInput, match="expected LIN"):
        run_batch(engine, [tmp_path / "notes.txt"], tmp_path / "out", devices=["0"])
