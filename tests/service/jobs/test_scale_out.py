"""A batch on a cluster of two workers: the same bytes as from one process, whatever happens."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

from bidcascade.bridge import BackendUnavailable, InvalidTable
from bidcascade.service import Engine
from bidcascade.service.cli import main
from bidcascade.service.jobs.batch import BATCH_MODES, run_batch
from bidcascade.service.jobs.cluster import check_address, connected
from bidcascade.systems import import_table
from bidcascade.table import build_table
from tests.service.support_interruptions import parts_in
from tests.support_cli import command, environment, run_apart, write_inputs
from tests.support_scale_out import slow_down
from tests.support_service import write_small_table

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
        n_workers=workers, threads_per_worker=1, processes=True,
        dashboard_address="127.0.0.1:0", scheduler_kwargs={"dashboard": False},
    )  # fmt: skip


@pytest.fixture
def slow_cluster():
    """Two workers of its own that take their time, a client of theirs, their processes."""
    with (
        local_cluster(2) as cluster,
        distributed.Client(cluster.scheduler_address, set_as_default=False) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        yield cluster.scheduler_address, client, client.run(slow_down, 0.15)


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
@pytest.mark.parametrize("mode", ["all", "counts"])
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
    assert errors.splitlines()[-1] == "bidcascade: error: interrupted"
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
def test_a_part_that_takes_its_workers_with_it(engine, inputs, one_process, tmp_path):
    """After as many workers as Dask allows the batch ends with the reason, and can be resumed."""
    folder = tmp_path / "out"
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        local_cluster(1) as cluster,
        distributed.Client(cluster.scheduler_address, set_as_default=False) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        processes = client.run(slow_down, 0.15)
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


def test_without_the_extra(inputs, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    arguments = ["batch", str(inputs[0]), "--out", str(tmp_path / "out")]
    assert main([*arguments, "--scheduler", "tcp://127.0.0.1:9"]) == 3
    told = capsys.readouterr().err
    assert told.startswith("bidcascade: error: expected the extra 'dask' for a scheduler (pip ")
    assert not (tmp_path / "out").exists()


def test_arguments_that_make_no_sense(inputs, tmp_path, capsys):
    arguments = ["batch", str(inputs[0]), "--out", str(tmp_path / "out")]
    for address in ("", "127.0.0.1:8786", "http://host:8786", "tcp://host", "tcp://host:70000"):
        assert main([*arguments, "--scheduler", address]) == 1
        assert "expected a scheduler as tcp://host:port" in capsys.readouterr().err
    assert main([*arguments, "--scheduler", "tcp://h:8786", "--devices", "0"]) == 1
    assert "expected --devices or --scheduler" in capsys.readouterr().err
    assert check_address("tls://[::1]:8786") == "tls://[::1]:8786"
