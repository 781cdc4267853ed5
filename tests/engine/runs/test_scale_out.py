"""A batch on a cluster of two workers, connected to or started here for devices: the same bytes as
from one process, whatever happens.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from bidcascade.bridge import (
    BackendUnavailable,
    DeviceFault,
    InvalidInput,
    InvalidTable,
    OutOfDeviceMemory,
)
from bidcascade.engine import Engine
from bidcascade.engine.runs.batches import cluster as cluster_module
from bidcascade.engine.runs.batches import tasks
from bidcascade.engine.runs.batches.batch import BATCH_MODES, run_batch
from bidcascade.engine.runs.batches.cluster import (
    check_address,
    connected,
    on_devices,
    table_place,
    visible,
)
from bidcascade.engine.runs.manifest import Manifest
from bidcascade.kernels import cuda_device, why_unavailable
from bidcascade.service.cli import main
from bidcascade.systems import import_table
from bidcascade.table import build_table
from tests.engine.support_interruptions import parts_in
from tests.service.jobs.test_job_server import children_of
from tests.support.cli import command, environment, run_apart, write_inputs
from tests.support.examples import rows_in_check, sized, some_in_check
from tests.support.scale_out import fail, slow_down
from tests.support.service import write_small_table
from tests.support.systems import SMALL

try:
    import dask
    import distributed
except ImportError as missing:
    dask = distributed = None
    _WHY = f"the extra dask is not installed: {missing}"
else:
    _WHY = ""

pytestmark = [
    # of Dask's own: sockets and event loops that it leaves to the garbage collector
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:tornado"),
]

PART_DEALS = 10


def needs_dask(test):
    absent = distributed is None and not os.environ.get("CI")
    return pytest.mark.slow(pytest.mark.skipif(absent, reason=_WHY)(test))


@pytest.fixture(scope="module")
def table_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("table")
    table, _ = import_table(write_small_table(folder))
    table.save(folder / "small")
    return folder / "small"


@pytest.fixture(scope="module")
def engine(table_folder):
    return Engine.open(str(table_folder), "reference")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return write_inputs(tmp_path_factory.mktemp("inputs"), 120)


@pytest.fixture(scope="module")
def one_process(engine, inputs, tmp_path_factory):
    """What one process writes, by mode."""
    written = {}
    for mode in BATCH_MODES:
        folder = tmp_path_factory.mktemp("one") / mode
        run_batch(engine, inputs, folder, mode=mode, part_deals=PART_DEALS)
        written[mode] = contents(folder)
    return written


def contents(folder):
    """All files of a finished batch, byte for byte."""
    assert json.loads((folder / "manifest.json").read_text())["finished"]
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name != ".lock"}


@pytest.fixture(scope="module")
def cluster():
    """Two workers on loopback, a process each, which are started anew when they end."""
    with local_cluster(2) as cluster:
        yield cluster


def local_cluster(workers):
    assert distributed is not None, _WHY
    return distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        scheduler_kwargs={"dashboard": False},
    )


@pytest.fixture
def slow_cluster():
    """Two workers of its own that take their time, a client of theirs, their processes."""
    with (
        local_cluster(2) as cluster,
        distributed.Client(cluster.scheduler_address, set_as_default=False) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        yield cluster.scheduler_address, client, client.run(slow_down, 0.3)


@needs_dask
@pytest.mark.parametrize("mode", BATCH_MODES)
def test_two_workers_write_what_one_process_writes(
    cluster, engine, inputs, one_process, tmp_path, mode
):
    with connected(cluster.scheduler_address, "reference") as elsewhere:
        run_batch(
            engine, inputs, tmp_path / "out", mode=mode, part_deals=PART_DEALS, elsewhere=elsewhere
        )
    check_equal(contents(tmp_path / "out"), one_process[mode], mode)


def check_equal(found, expected, mode):
    if mode != "counts":
        assert found == expected
        return
    # sums are written down when all that is under way is counted: there are fewer parts
    assert found["counts.parquet"] == expected["counts.parquet"]
    manifests = [json.loads(files["manifest.json"]) for files in (found, expected)]
    assert manifests[0]["totals"] == manifests[1]["totals"]
    refused = [
        pl.concat(
            pl.read_parquet(files[name]) for part in manifest["parts"] for name in part["files"]
        )
        for files, manifest in zip((found, expected), manifests, strict=True)
    ]
    assert refused[0].height > 0
    assert refused[0].equals(refused[1])


def kill_a_busy_worker(client, processes, folder):
    """Kill a worker that is at a part, when others count already; return how many do."""
    deadline = time.monotonic() + 150
    while time.monotonic() < deadline:
        busy = [worker for worker, keys in client.processing().items() if keys]
        if busy and parts_in(folder):
            os.kill(processes[busy[0]], signal.SIGKILL)
            return parts_in(folder)
        time.sleep(0.01)
    raise AssertionError("no worker was ever busy")


@needs_dask
@pytest.mark.parametrize("mode", some_in_check(1, "all", "counts"))
def test_a_worker_is_killed_in_the_middle(
    slow_cluster, engine, inputs, one_process, tmp_path, mode
):
    """What it was at is done by another one; nothing is lost, nothing is there twice."""
    address, client, processes = slow_cluster
    folder = tmp_path / "out"
    with ThreadPoolExecutor(1) as pool, connected(address, "reference") as elsewhere:
        killed = pool.submit(kill_a_busy_worker, client, processes, folder)
        run_batch(engine, inputs, folder, mode=mode, part_deals=PART_DEALS, elsewhere=elsewhere)
        assert 0 < killed.result() < 12
    check_equal(contents(folder), one_process[mode], mode)


@needs_dask
def test_interrupted_from_the_keyboard_and_resumed(
    slow_cluster, inputs, one_process, table_folder, tmp_path
):
    address, client, _ = slow_cluster
    folder = tmp_path / "out"
    arguments = ("batch", *inputs, "--out", folder, "--resume", "--jobs", 1, "--backend",
                 "reference", "--table", table_folder, "--part-deals", PART_DEALS)  # fmt: skip
    scheduler = ("--scheduler", address)
    process = subprocess.Popen(
        command(*arguments, *scheduler), env=environment(), stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and not parts_in(folder):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert errors.splitlines()[-1].startswith(
        "bidcascade: error: interrupted; what was done is kept"
    )
    assert 0 < parts_in(folder) < 12
    assert not [file for file in folder.iterdir() if file.is_dir()]
    # what was under way is not worked on any more
    deadline = time.monotonic() + 150
    while any(client.processing().values()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    resumed = run_apart(*arguments, *scheduler, "--json")
    assert resumed.code == 0, resumed.err
    assert json.loads(resumed.out)["backend"] == "reference"
    assert contents(folder) == one_process["all"]


@needs_dask
def test_a_table_that_is_another_one_there(cluster, inputs, tmp_path):
    build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 12"]}])[0].save(tmp_path / "t")
    engine = Engine.open(str(tmp_path / "t"), "reference")
    (tmp_path / "t").rename(tmp_path / "before")
    build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 13"]}])[0].save(tmp_path / "t")
    with (
        connected(cluster.scheduler_address, "reference") as elsewhere,
        pytest.raises(InvalidTable, match=r"worker tcp://.*: the table '.*t' is another here"),
    ):
        run_batch(engine, inputs, tmp_path / "out", elsewhere=elsewhere)
    assert not [file for file in (tmp_path / "out").iterdir() if file.is_dir()]


@needs_dask
def test_the_scheduler_goes_away(engine, inputs, one_process, tmp_path):
    """The batch ends with the reason, and goes on in one process."""
    folder = tmp_path / "out"
    with ThreadPoolExecutor(1) as pool:
        alone = local_cluster(1)
        with distributed.Client(alone.scheduler_address, set_as_default=False) as client:
            client.run(slow_down, 0.3)
        closing = []

        def close(done, total, boards):
            if not closing:
                closing.append(pool.submit(alone.close))

        with (
            pytest.raises(BackendUnavailable, match="lost the scheduler at 'tcp://"),
            connected(alone.scheduler_address, "reference") as elsewhere,
        ):
            run_batch(
                engine, inputs, folder, part_deals=PART_DEALS, elsewhere=elsewhere, report=close
            )
    assert 0 < parts_in(folder) < 12
    run_batch(engine, inputs, folder, part_deals=PART_DEALS, resume=True)
    assert contents(folder) == one_process["all"]


@needs_dask
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.parametrize("mode", some_in_check((1,), "all", "counts"))
def test_workers_and_batch_are_killed_at_any_moment(
    inputs, one_process, table_folder, tmp_path, mode
):
    """Each run loses its workers, all of itself, or both; the last one is disturbed no more."""
    chance = random.Random(5)
    folder = tmp_path / "out"
    words = ("batch", *inputs, "--out", folder, "--mode", mode, "--resume", "--jobs", 1,
             "--backend", "reference", "--table", table_folder,
             "--part-deals", PART_DEALS)  # fmt: skip
    kills = 0
    for number in range(sized(4, 6)):
        process = subprocess.Popen(
            command(*words, "--devices", "0,1"),
            env=environment(),
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        deadline = time.monotonic() + 100
        while len(children_of(process.pid)) < 2 and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(chance.uniform(0, 0.7))
        if number % 3:
            for worker in children_of(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
                    kills += 1
            time.sleep(chance.uniform(0, 0.5))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        _, errors = process.communicate()
        # a part that took several workers with it ends the batch with a message
        assert process.returncode in (0, 3, -signal.SIGKILL), errors
    assert kills
    done = run_apart(*words)
    assert done.code == 0, done.err
    check_equal(contents(folder), one_process[mode], mode)


@needs_dask
def test_a_part_that_takes_its_workers_with_it(engine, inputs, one_process, tmp_path):
    """After as many workers as Dask allows the batch ends with the reason, and can be resumed."""
    folder = tmp_path / "out"
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        local_cluster(1) as cluster,
        distributed.Client(cluster.scheduler_address, set_as_default=False) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        processes = client.run(slow_down, 0.3)
        killed = pool.submit(kill_a_busy_worker, client, processes, folder)
        with (
            pytest.raises(BackendUnavailable, match=r"the cluster at 'tcp://.*' failed: .*worker"),
            connected(cluster.scheduler_address, "reference") as elsewhere,
        ):
            run_batch(engine, inputs, folder, part_deals=PART_DEALS, elsewhere=elsewhere)
        assert 0 < killed.result() < 12
    assert not [file for file in folder.iterdir() if file.is_dir()]
    run_batch(engine, inputs, folder, part_deals=PART_DEALS, resume=True)
    assert contents(folder) == one_process["all"]


@needs_dask
def test_nobody_answers_or_nobody_works(tmp_path):
    with (
        # the last try is refused, or ends with the time there is
        pytest.raises(
            BackendUnavailable,
            match=r"no Dask scheduler answers at 'tcp://.*:9' within 3 s: .*(refus|Timeout)",
        ),
        connected("tcp://127.0.0.1:9", connect_s=3),
    ):
        pass
    with (
        local_cluster(0) as empty,
        pytest.raises(BackendUnavailable, match=r"has no worker after 0\.2 s"),
        connected(empty.scheduler_address, worker_s=0.2),
    ):
        pass


@needs_dask
@pytest.mark.parametrize("mode", some_in_check(1, *BATCH_MODES))
def test_two_devices_write_what_one_process_writes(engine, inputs, one_process, tmp_path, mode):
    run_batch(
        engine,
        inputs,
        tmp_path / "out",
        mode=mode,
        part_deals=PART_DEALS,
        elsewhere=on_devices(["0", "1"], "reference"),
    )
    check_equal(contents(tmp_path / "out"), one_process[mode], mode)


@needs_dask
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_killed_and_resumed_without_devices(inputs, one_process, table_folder, tmp_path):
    folder = tmp_path / "out"
    arguments = ("batch", *inputs, "--out", folder, "--resume", "--jobs", 1, "--part-deals",
                 PART_DEALS, "--backend", "reference", "--table", table_folder)  # fmt: skip
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
    assert not [file for file in folder.iterdir() if file.is_dir()]
    assert contents(folder) == one_process["all"]


@needs_dask
@pytest.mark.parametrize(
    ("fault", "message"),
    rows_in_check(
        1, (DeviceFault, "the device failed: it is gone"), (OutOfDeviceMemory, "others hold it")
    ),
)
def test_a_device_is_taken_away_in_the_middle(
    slow_cluster, engine, inputs, one_process, tmp_path, fault, message
):
    """The batch ends with the reason; what counts is whole, and can be gone on with."""
    address, client, _ = slow_cluster
    client.run(fail, fault.__name__, message, 4)
    folder = tmp_path / "out"
    with (
        pytest.raises(fault, match=rf"worker tcp://.*: {message}"),
        connected(address, "reference") as elsewhere,
    ):
        run_batch(engine, inputs, folder, part_deals=PART_DEALS, elsewhere=elsewhere)
    assert 0 < len(Manifest.read(folder).parts) < 12
    assert not [file for file in folder.iterdir() if file.is_dir()]
    run_batch(engine, inputs, folder, part_deals=PART_DEALS, resume=True)
    assert contents(folder) == one_process["all"]


@needs_dask
def test_each_process_has_its_own_device(tmp_path, monkeypatch):
    """dask-cuda is told of the devices, and what it starts does not take another than its first."""
    told = {}

    def local_cuda_cluster(CUDA_VISIBLE_DEVICES, **options):
        told["devices"] = CUDA_VISIBLE_DEVICES
        # its workers load a module of it before anything else
        return distributed.LocalCluster(n_workers=2, preload=["dask_cuda"], **options)

    (tmp_path / "dask_cuda.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("BIDCASCADE_CUDA_DEVICE", "3")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4, 6")
    monkeypatch.setattr(cluster_module, "backend_name", lambda name: name)
    monkeypatch.setattr(cuda_device, "check_device_name", lambda name: None)
    import dask_cuda

    dask_cuda.LocalCUDACluster = local_cuda_cluster
    elsewhere = on_devices(["1", "0"], "cuda")
    # answered on what a machine without a device has; only who sees what is looked at
    monkeypatch.setattr(cluster_module, "connected", lambda address, *_, **__: looked(address))

    @contextmanager
    def looked(address):
        with distributed.Client(address, set_as_default=False) as client:
            told["before"] = client.run(os.getenv, "BIDCASCADE_CUDA_DEVICE")
            client.run(tasks.prepare, json.dumps({"versions": tasks.versions(), "table": "none",
                                                  "backend": "cpu", "options": {}}))  # fmt: skip
            told["after"] = client.run(os.getenv, "BIDCASCADE_CUDA_DEVICE")
        yield lambda engine, folder: nullcontext()

    with elsewhere(None, tmp_path):
        pass
    assert told["devices"] == ["6", "4"]
    assert [*told["before"].values()] == ["3", "3"]
    assert [*told["after"].values()] == [None, None]


@needs_dask
def test_a_name_that_no_device_has(tmp_path, monkeypatch):
    """dask-cuda asks NVML for the device, whose errors are classes of its own."""

    class NVMLError(Exception):
        pass

    def local_cuda_cluster(**options):
        raise NVMLError("Invalid Argument")

    monkeypatch.setitem(
        sys.modules, "dask_cuda", SimpleNamespace(LocalCUDACluster=local_cuda_cluster)
    )
    monkeypatch.setattr(cluster_module, "backend_name", lambda name: name)
    monkeypatch.setattr(cuda_device, "check_device_name", lambda name: None)
    with (
        pytest.raises(BackendUnavailable, match=r"for devices GPU-9f1c: .*Argument"),
        on_devices(["GPU-9f1c"], "cuda")(None, tmp_path),
    ):
        pass


def test_numbers_count_among_the_visible_devices(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert visible(["1", "GPU-8f1c"]) == ["1", "GPU-8f1c"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4, 6")
    assert visible(["1", "0", "GPU-8f1c"]) == ["6", "4", "GPU-8f1c"]


def test_a_system_goes_to_workers_by_its_name(engine, tmp_path):
    """Deals that leave the table are bid on by the system; a table alone would answer otherwise."""
    nameless = Engine(SMALL, "reference")
    with (
        pytest.raises(InvalidInput, match="a system opened by its name or path"),
        table_place(nameless, tmp_path),
    ):
        pass
    with table_place(engine, tmp_path) as place:
        assert place == engine.opened_from
    nameless.opened_from = "sayc", {"options": {"a": True}}
    with table_place(nameless, tmp_path) as place:
        assert place == ("sayc", {"options": {"a": True}})
    plain = Engine(engine.table, "reference", name="made here")
    with table_place(plain, tmp_path) as (folder, _):
        assert Engine.open(folder, "reference").table.digest == engine.table.digest
    assert not [*tmp_path.iterdir()]


@pytest.mark.skipif(why_unavailable("cuda") is None, reason="here is a device")
def test_devices_without_a_gpu_is_exit_3(inputs, tmp_path, capsys):
    assert main(["batch", str(inputs[0]), "--out", str(tmp_path / "out"), "--devices", "0,1"]) == 3
    assert "error: backend 'cuda' cannot run here: " in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@needs_dask
def test_bad_inputs_start_no_process(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(distributed, "LocalCluster", None)
    (tmp_path / "notes.txt").write_text("no deals here")
    with pytest.raises(InvalidInput, match="expected LIN"):
        run_batch(
            engine,
            [tmp_path / "notes.txt"],
            tmp_path / "out",
            elsewhere=on_devices(["0"], "reference"),
        )


def test_without_the_extra(inputs, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    arguments = ["batch", str(inputs[0]), "--out", str(tmp_path / "out")]
    for where in (["--scheduler", "tcp://127.0.0.1:9"], ["--devices", "0", "--backend", "cpu"]):
        assert main([*arguments, *where]) == 3
        told = capsys.readouterr().err
        assert told.startswith("bidcascade: error: expected the extra 'dask' (pip install ")
    assert not (tmp_path / "out").exists()


def test_arguments_that_make_no_sense(inputs, tmp_path, capsys):
    arguments = ["batch", str(inputs[0]), "--out", str(tmp_path / "out")]
    for address in ("", "127.0.0.1:8786", "http://host:8786", "tcp://host", "tcp://host:70000"):
        assert main([*arguments, "--scheduler", address]) == 1
        assert "expected a scheduler as tcp://host:port" in capsys.readouterr().err
    for devices in ("0,0", "0,", ""):
        assert main([*arguments, "--devices", devices]) == 1
        assert "expected different devices" in capsys.readouterr().err
    assert main([*arguments, "--scheduler", "tcp://h:8786", "--devices", "0"]) == 1
    assert "expected --devices or --scheduler" in capsys.readouterr().err
    assert check_address("tls://[::1]:8786") == "tls://[::1]:8786"
