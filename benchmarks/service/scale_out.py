"""What a board costs a worker and the batch's own process when a cluster answers.

Run ``python -m benchmarks.service.scale_out`` from the repository's root with the packages on the
path and ``distributed`` installed. Random deals in Parquet go through the compiled table of
Standard American, in one process and on a cluster of loopback workers; the rows are compared. Costs
are CPU seconds, which other work on the machine disturbs less than the clock.
"""

import json
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.tools import programs
from benchmarks.tools.machine import environment, peak_mib
from benchmarks.tools.programs import options, write_report
from bidcascade.engine import Engine
from bidcascade.engine.runs.batches import tasks
from bidcascade.engine.runs.batches.batch import run_batch
from bidcascade.engine.runs.batches.batch_parts import PART_COLUMNS
from bidcascade.engine.runs.batches.cluster import connected, frame_bytes
from bidcascade.loaders import random_deals, read_deals, write_deal_parquet
from bidcascade.systems import open_system, open_table


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of all threads of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def question(number: int, mode: str) -> str:
    """Ask for a part as the batch does."""
    return json.dumps({"number": number, "offset": 0, "mode": mode, "completed_only": False})


def on_a_worker(start: str, file: Path, mode: str) -> dict[str, object]:
    """Measure one part as a worker answers it."""
    both = read_deals(file).deals
    half = both.height // 2
    # other deals than those it is warm with: places of a system that were met are kept
    for number, deals in enumerate((both.head(half), both.tail(half))):
        block = frame_bytes(deals.select(PART_COLUMNS))
        begun = time.process_time()
        reply = tasks.answer(start, question(number, mode), block)
        seconds = time.process_time() - begun
    size = sum(map(len, reply["files"].values()))
    return {
        "boards": deals.height,
        "boards per CPU second": round(deals.height / seconds),
        "rows a board": round(reply["rows"] / deals.height, 2),
        "bytes sent a board": round(len(block) / deals.height, 1),
        "bytes answered a board": round(size / deals.height, 1),
        "peak MiB": round(peak_mib()),
    }


def on_a_cluster(
    address: str, engine: Engine, file: Path, folder: Path, part_deals: int
) -> dict[str, object]:
    """Measure the batch's own process while workers answer, and compare the folders."""
    found: dict[str, object] = {}
    for mode in ("first", "all"):
        alone, there = folder / f"{mode}-alone", folder / f"{mode}-there"
        run_batch(engine, file, alone, mode=mode, part_deals=part_deals)
        with connected(address, "cpu") as elsewhere:
            work = partial(
                run_batch, engine, file, mode=mode, part_deals=part_deals, elsewhere=elsewhere
            )
            work(folder / f"{mode}-warm")
            begun = time.perf_counter()
            cpu = cpu_seconds(partial(work, there))
            seconds = time.perf_counter() - begun
        # parts are cut by the speed, which differs; their rows do not
        for kind in {path.name.rpartition("-")[0] for path in alone.glob("*-?????.parquet")}:
            rows, others = (pl.read_parquet(one / f"{kind}-*.parquet") for one in (alone, there))
            assert rows.equals(others), f"{kind} in mode {mode}"
        boards = pl.scan_parquet(file).select(pl.len()).collect().item()
        found[mode] = {
            "boards": boards,
            "boards per CPU second of the batch's process": round(boards / cpu),
            "boards/s": round(boards / seconds),
        }
    return found


def measure(deals: int, system_deals: int, workers: int) -> dict[str, Any]:
    """Measure everything once and say it in numbers."""
    from distributed import LocalCluster

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        file, few, least = (folder / f"{name}.parquet" for name in ("deals", "few", "least"))
        write_deal_parquet(random_deals(deals, seed=1), file)
        write_deal_parquet(random_deals(system_deals, seed=2), few)
        # all that a system allows takes a hundred times as long as what it bids
        write_deal_parquet(random_deals(system_deals // 50, seed=2), least)
        table = open_table("sayc")
        # a table without its system: what leaves it is passed out, as with an imported one
        table.save(folder / "table")
        engine = Engine.open(str(folder / "table"), "cpu")
        start = {
            "options": {},
            "digest": table.digest,
            "backend": "cpu",
            "versions": tasks.versions(),
        }
        plain = json.dumps({"table": str(folder / "table"), **start})
        system = json.dumps({"table": "sayc", **start, "digest": open_system("sayc").digest})
        found: dict[str, Any] = {
            "environment": environment(),
            "workers": workers,
            "entries": len(table),
            "worker": {
                "mode first, table": on_a_worker(plain, file, "first"),
                "mode all, table": on_a_worker(plain, file, "all"),
                "mode first, system": on_a_worker(system, few, "first"),
                "mode all, system": on_a_worker(system, least, "all"),
            },
        }
        read_deals(file)
        found["read Parquet boards per CPU second"] = round(
            deals / cpu_seconds(lambda: read_deals(file))
        )
        with LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
        ) as cluster:
            found["cluster"] = on_a_cluster(
                cluster.scheduler_address, engine, file, folder, deals // 8
            )
    return found


def report(found: dict[str, Any]) -> list[str]:
    """Write the numbers as Markdown."""
    heads = (
        "a worker",
        "boards",
        "boards/CPU s",
        "rows a board",
        "bytes sent",
        "bytes answered",
        "peak MiB",
    )
    workers = ([name, *one.values()] for name, one in found["worker"].items())
    batches = ([f"mode {name}", *one.values()] for name, one in found["cluster"].items())
    return [
        "# Batches on a cluster",
        "",
        f"The compiled table `sayc` ({found['entries']:,} entries) and the system itself; "
        f"{found['environment']['cpu']}, {found['environment']['cores']} cores, "
        f"{found['workers']} workers on loopback; load {found['environment']['load']}; "
        "`python -m benchmarks.service.scale_out`. A worker answers half of the boards first, and "
        "the other half is measured: boards of a system were not met before. Alone and on the "
        "cluster the rows were equal.",
        "",
        *programs.table(heads, workers),
        "",
        *programs.table(
            ("the batch's process", "boards", "boards/CPU s", "boards/s of the whole"), batches
        ),
        "",
        f"Parquet was read at {found['read Parquet boards per CPU second']:,} boards/CPU s.",
    ]


def main() -> None:
    """Measure, and write ``scale_out.json`` and ``.md`` to the results."""
    given = options(__doc__, subject="service", deals=200_000, system_deals=200_000, workers=2)
    found = measure(given.deals, given.system_deals, given.workers)
    write_report(given.out, "scale_out", found, report(found))


if __name__ == "__main__":
    main()
