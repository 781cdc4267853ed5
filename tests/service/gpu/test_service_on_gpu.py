"""Service, jobs, batches and several processes on a GPU; see ``test_frames_on_gpu``."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

from bidcascade.engine import Engine
from bidcascade.kernels import why_unavailable
from bidcascade.loaders import random_deals, write_deal_parquet
from bidcascade.service.cli import main
from bidcascade.systems.auctions.bidder import FEW
from tests.service.jobs.support_jobs import download, jobs_app, parquet_archive, upload, wait_for
from tests.support.cli import environment, run_apart
from tests.support.service import GOOD, ask, loaded_app, post, ready_server, write_small_table

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(why_unavailable("cuda") is not None, reason=str(why_unavailable("cuda"))),
]

HOLDER = """
import sys
import cupy

free, _ = cupy.cuda.runtime.memGetInfo()
held = cupy.cuda.MemoryPool().malloc(int(0.7 * free))
print("held", flush=True)
sys.stdin.read()
"""


SYSTEM = """opening:
  1NT = Strong: 15-17 points, balanced
  1X = One: 12+ points, 4+ X

after 1NT:
  2C = Stayman: 8+ points, 4+ hearts or 4+ spades
"""


@pytest.fixture
def deals(tmp_path):
    path = tmp_path / "deals.parquet"
    write_deal_parquet(random_deals(300, seed=6), path)
    return path


def write_system(folder):
    path = folder / "small.bidding"
    path.write_text(SYSTEM)
    return path


def parts_of(folder):
    """Rows of a batch."""
    return pl.concat([pl.read_parquet(file) for file in sorted(folder.glob("auctions-*.parquet"))])


@pytest.mark.parametrize("mode", ["all", "first"])
@pytest.mark.parametrize("kind", ["table", "system"])
def test_a_batch(tmp_path, deals, kind, mode):
    table = write_small_table(tmp_path) if kind == "table" else write_system(tmp_path)
    for backend in ("cuda", "cpu"):
        words = ["batch", deals, "--table", table, "--mode", mode, "--part-deals", 100]
        words += ["--out", tmp_path / backend, "--backend", backend]
        assert main([str(word) for word in words]) == 0
    assert parts_of(tmp_path / "cuda").equals(parts_of(tmp_path / "cpu"))
    told = json.loads((tmp_path / "cuda/manifest.json").read_text("utf-8"))
    # the core answers few deals of a system, as the first part of a batch has them
    few = FEW if kind == "system" else 0
    for part in told["parts"]:
        assert part["backend"] == ("cpu" if part["boards"] <= few else "cuda")
    assert "cuda" in {part["backend"] for part in told["parts"]}


def test_a_batch_with_a_process_for_a_device(tmp_path, deals):
    pytest.importorskip("dask_cuda")
    table = write_small_table(tmp_path)
    for name, where in (("there", ["--devices", "0"]), ("here", ["--backend", "cpu"])):
        words = ["batch", deals, "--table", table, "--out", tmp_path / name, *where]
        assert main([str(word) for word in words]) == 0
    assert parts_of(tmp_path / "there").equals(parts_of(tmp_path / "here"))


def test_the_service_answers_as_on_the_processor(tmp_path):
    app, plain = loaded_app(tmp_path, backend="cuda"), loaded_app(tmp_path)
    assert ask(app, "GET", "/readyz").json()["backend"] == "cuda"
    for mode in ("all", "first"):
        body = {**GOOD, "mode": mode}
        there, here = (post(one, "/v1/auctions", body) for one in (app, plain))
        assert there.status_code == 200, there.text
        assert there.json()["results"] == here.json()["results"]
    app.state.own.tables.warm_up()
    assert app.state.own.tables.is_warm


def test_a_service_in_a_process_of_its_own(tmp_path):
    """As it is started: it warms up on the device before it says that it is warm."""
    import httpx

    with ready_server(tmp_path, backend="cuda") as (url, _):
        told = httpx.get(f"{url}/readyz")
        assert told.status_code == 200, told.text
        assert told.json()["backend"] == "cuda"
        answer = httpx.post(f"{url}/v1/auctions", json=GOOD, timeout=60)
        assert answer.status_code == 200, answer.text
    plain = post(loaded_app(tmp_path), "/v1/auctions", GOOD)
    assert answer.json()["results"] == plain.json()["results"]


def test_a_job(tmp_path):
    found = {}
    for backend in ("cuda", "cpu"):
        (tmp_path / backend).mkdir()
        app = jobs_app(tmp_path / backend, backend=backend)
        started = upload(app, parquet_archive(tmp_path, 60), "?mode=first")
        assert started.status_code in (201, 202), started.text
        job = wait_for(app, started.json()["id"])
        assert job["state"] == "done", job
        found[backend] = download(app, job["id"], job["results"][0]["name"])
    assert found["cuda"] == found["cpu"]


def test_two_processes_at_once(tmp_path, deals):
    """With so many deals that the device bids them."""
    words = ["auctions", "--table", write_system(tmp_path), "--mode", "first", deals]
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(run_apart, *words, "--backend", "cuda") for _ in range(2)]
        there = [one.result() for one in runs]
    here = run_apart(*words, "--backend", "cpu")
    assert here.code == 0, here.err
    for one in there:
        assert (one.code, one.out) == (0, here.out), one.err


def test_memory_that_another_process_holds(tmp_path):
    frame = random_deals(3_000, seed=3)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER],
        env=environment(),
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout.readline() == "held\n"
        table = write_small_table(tmp_path)
        wanted = Engine.open(table, "cpu").auctions(frame)
        assert Engine.open(table, "cuda").auctions(frame).equals(wanted)
    finally:
        holder.communicate()
