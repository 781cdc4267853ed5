"""A table of 460 million entries and 16 million deals on an ordinary machine.

Run ``python -m benchmarks.tables.scale --folder F`` from the repository's root. Seeded rows of the
published shape are written as Parquet, imported in bounded memory and saved; the table is mapped,
deals are counted at every entry and bid to their one auction. Undescribed passes hold; a share of
the deals is counted where all undescribed entries hold, which are many times more. Each part runs
in a process of its own; what it found stands in ``F/parts.json``, and a part that stands there is
not done again.
"""

import hashlib
import json
import os
import resource
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.tools.machine import (
    cores,
    environment,
    forget_peak,
    in_a_process,
    memory_bytes,
    peak_bytes,
)
from benchmarks.tools.programs import options, table, write_report
from bidcascade.kernels import NO_ENTRY, DealArrays, Plan, get_backend
from bidcascade.systems import import_table
from bidcascade.systems.tables.row_files import ROWS_IN_MEMORY
from bidcascade.table import BiddingTable
from bidcascade.table.columns import UndescribedPolicy

from .large_rows import PART_ROWS, write_rows
from .seeded import random_deals

ENTRIES: Final = 460_000_000
DEALS: Final = 16_000_000
DENSE_SHARE: Final = 16
"""One deal of so many is counted where undescribed entries hold, too."""
SEED: Final = 1
_GIB: Final = 2**30
_SAMPLE_SECONDS: Final = 0.5

Numbers = dict[str, Any]


class Steps:
    """Seconds of the steps of a part, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - start, 1)
        print(f"  {name}: {self.seconds[name]} s", flush=True)


def make_rows(folder: Path, entries: int, part_rows: int, steps: Steps) -> Numbers:
    with steps.step("generate and write"):
        rows = write_rows(folder / "rows.parquet", entries, SEED, part_rows)
    return {"rows": rows, "bytes": (folder / "rows.parquet").stat().st_size}


def import_rows(folder: Path, rows_in_memory: int, steps: Steps) -> Numbers:
    with steps.step("import"):
        made, report = import_table(
            folder / "rows.parquet", rows_in_memory=rows_in_memory, folder=folder
        )
    with steps.step("digest"):
        digest = made.digest
    with steps.step("save"):
        made.save(folder / "table", overwrite=True)
    size = sum(file.stat().st_size for file in (folder / "table").iterdir())
    return {"entries": len(made), "found": report.counts(), "digest": digest, "bytes": size}


def count_deals(folder: Path, deals: int, steps: Steps) -> Numbers:
    plan, dealt = _ready(folder, deals, steps)
    return _counted(plan, dealt, steps)


def count_dense(folder: Path, deals: int, steps: Steps) -> Numbers:
    plan, dealt = _ready(folder, deals, steps, undescribed="allow")
    return _counted(plan, dealt, steps)


def _counted(plan: Plan, dealt: DealArrays, steps: Steps) -> Numbers:
    with steps.step("count"):
        counts = get_backend("cpu").cascade_counts(plan, dealt)
    return told_of_counts(plan, counts, len(dealt))


def told_of_counts(plan: Plan, counts: Any, deals: int) -> Numbers:
    """What stands for all counts."""
    return {
        "holding": round(int(counts.sum()) / deals, 1),
        "completed": round(int(counts[(plan.flags & 1) != 0].sum()) / deals, 1),
        "reached": int(np.count_nonzero(counts)),
        "mark": hashlib.sha256(counts.data).hexdigest()[:16],
    }


def bid_deals(folder: Path, deals: int, steps: Steps) -> Numbers:
    plan, dealt = _ready(folder, deals, steps)
    with steps.step("bid"):
        first = get_backend("cpu").cascade_first(plan, dealt)
    return told_of_auctions(first)


def told_of_auctions(first: Any) -> Numbers:
    """What stands for all auctions."""
    return {
        "without": int(np.count_nonzero(first.entry == NO_ENTRY)),
        "auctions": len(np.unique(first.entry)),
        "mark": hashlib.sha256(
            b"".join((first.entry.data, first.passes.data, first.defaults.data))
        ).hexdigest()[:16],
    }


def plan_of(folder: Path, undescribed: UndescribedPolicy) -> Plan:
    """Plan of the table under a policy."""
    opened = BiddingTable.open(folder / "table")
    return BiddingTable(opened.columns, profile=opened.profile, undescribed=undescribed).plan()


def _ready(
    folder: Path, deals: int, steps: Steps, *, undescribed: UndescribedPolicy = "pass"
) -> tuple[Plan, DealArrays]:
    with steps.step("map and plan"):
        plan = plan_of(folder, undescribed)
    with steps.step("deal"):
        dealt = random_deals(deals, seed=SEED)
    return plan, dealt


def measured(name: str, part: Callable[..., Numbers], folder: Path, *arguments: int) -> Numbers:
    """Do a part in this process; what it found, and what it took."""
    steps = Steps()
    forget_peak()
    most = {"anonymous": 0, "disk": 0}
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_SAMPLE_SECONDS):
            most["anonymous"] = max(most["anonymous"], memory_bytes("RssAnon"))
            most["disk"] = max(most["disk"], disk_bytes(folder))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    start = time.perf_counter()
    found = part(folder, *arguments, steps)
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": round(seconds, 1),
        "steps": steps.seconds,
        "processor": round(used.ru_utime + used.ru_stime, 1),
        "peak": peak_bytes(),
        "anonymous": max(most["anonymous"], memory_bytes("RssAnon")),
        "disk": max(most["disk"], disk_bytes(folder)),
        "load": round(os.getloadavg()[0], 1),
        "found": found,
    }


def disk_bytes(folder: Path) -> int:
    """Bytes that a folder takes on the disk, a file with two names once."""
    sizes = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                file = (Path(parent) / name).stat()
            except FileNotFoundError:
                continue
            sizes[file.st_ino] = file.st_blocks * 512
    return sum(sizes.values())


def run(
    folder: Path,
    entries: int,
    deals: int,
    *,
    rows_in_memory: int = ROWS_IN_MEMORY,
    part_rows: int = PART_ROWS,
) -> Numbers:
    """Do all parts that are not done yet."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "parts.json"
    asked = {"entries": entries, "deals": deals}
    known: Numbers = json.loads(kept.read_text("utf-8")) if kept.exists() else {"asked": asked}
    if known["asked"] != asked:
        raise SystemExit(f"expected another folder than that of {known['asked']}, got {folder}")
    parts: dict[str, tuple[Any, ...]] = {
        "rows": (make_rows, folder, entries, part_rows),
        "import": (import_rows, folder, rows_in_memory),
        "counts": (count_deals, folder, deals),
        "first": (bid_deals, folder, deals),
        "dense": (count_dense, folder, max(1, deals // DENSE_SHARE)),
    }
    for name, (part, *arguments) in parts.items():
        if name in known:
            continue
        print(name, flush=True)
        for left in folder.glob(".rows*"):
            # of a part that was stopped
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        known[name] = in_a_process(measured, name, part, *arguments)
        partial = kept.with_suffix(".partial")
        partial.write_text(json.dumps(known) + "\n", "utf-8")
        partial.replace(kept)
    return {name: known[name] for name in parts}


def main() -> None:
    """Run and write ``scale.md`` and ``scale.json`` to the results."""
    given = options(
        __doc__,
        subject="tables",
        folder=(Path("scale"), "where rows and table go"),
        entries=ENTRIES,
        deals=DEALS,
    )
    surroundings = environment()
    told = {"environment": surroundings, "deals": given.deals}
    told |= run(given.folder, given.entries, given.deals)
    write_report(given.out, "scale", told, page(told))


PARTS = {
    "rows": "rows generated and written as Parquet",
    "import": "import: read, sort on the disk, build, digest, save",
    "counts": "map the table, plan, deal, count at every entry",
    "first": "map the table, plan, deal, bid to one auction",
    "dense": "the same with undescribed entries that hold, fewer deals",
}


def page(told: Numbers) -> list[str]:
    """Results as Markdown."""
    parts = {name: told[name] for name in PARTS}
    machine = told["environment"]
    entries, first = parts["import"]["found"]["entries"], parts["first"]["found"]
    rows = []
    for name, about in PARTS.items():
        part = parts[name]
        rows.append((
            about, round(part["seconds"]), round(part["processor"] / part["seconds"], 1),
            round(part["peak"] / _GIB, 1), round(part["anonymous"] / _GIB, 1),
            round(part["disk"] / _GIB, 1), bound_of(part),
        ))  # fmt: skip
    rows.append((
        "all", sum(row[1] for row in rows), "",
        *(max(row[place] for row in rows) for place in (3, 4, 5)), "",
    ))  # fmt: skip
    return [
        "# A table of the published size on an ordinary machine",
        "",
        f"`python -m benchmarks.tables.scale`; {machine['cpu']}, {machine['cores']} cores, "
        f"{machine['memory']}; load {machine['load']}, which other work is part of. "
        f"{entries:,} entries, {told['deals']:,} random deals. Memory is the most that a part's "
        "process had, with what it had mapped of the table, and without; disk the most that rows, "
        "sorted runs and table took at once.",
        "",
        *table(
            ("part", "s", "cores used", "memory, GiB", "not mapped", "disk, GiB", "bound by"), rows
        ),
        "",
        *table(
            ("step", "s"),
            [
                (f"{name}: {step}", seconds)
                for name, part in parts.items()
                for step, seconds in part["steps"].items()
            ],
        ),
        "",
        f"By {told['deals']:,} deals: {_density(parts['counts'])} {first['auctions']:,} different "
        f"auctions are bid, {first['without']:,} deals find no opening call. By "
        f"{max(1, told['deals'] // DENSE_SHARE):,} deals where undescribed entries hold, not only "
        f"undescribed passes: {_density(parts['dense'])}",
    ]


def _density(part: Numbers) -> str:
    found = part["found"]
    return (
        f"{found['holding']:,} entries hold a deal, {found['completed']:,} of them whole auctions; "
        f"{found['reached']:,} entries are reached."
    )


def bound_of(part: Numbers) -> str:
    """Say what a part waits for."""
    busy = part["processor"] / part["seconds"] / cores()
    return "processor" if busy > 0.8 else "disk, or others' work"


if __name__ == "__main__":
    main()
