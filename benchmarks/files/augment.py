"""How long wide frames take, how much memory, and how large the files are.

Run ``python -m benchmarks.files.augment`` from the repository's root with the packages on the path.
Deals are dealt at random into a Parquet file; ``augment --wide`` is run in a process of its own for
each table, once after a small run that compiles the kernels. Seconds are of the whole process, from
its start to the file on the disk; memory is its peak resident size. Results are written to
``benchmarks/results/files/augment.md`` and ``augment.json``.
"""

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from benchmarks.tools.machine import environment, in_a_process, peak_mib
from benchmarks.tools.programs import options, table, timed, write_report

from .loaders import DATA

PUBLISHED = "table/bbo_bidding_expressions.txt"
"""The published list of 349 expressions, below the folder of data."""


def run_command(arguments: Sequence[str]) -> float:
    """Run ``bidcascade`` in this process; the most memory it took."""
    from bidcascade.service.cli import main

    if code := main(list(arguments)):
        raise RuntimeError(f"expected exit code 0, got {code} from {' '.join(arguments)}")
    return peak_mib()


def measure(
    name: str, words: Sequence[str], deals: Path, few: Path, out: Path
) -> dict[str, object]:
    """Time one table; the first run, on a few deals, compiles what is not in the cache."""
    # a table after the other takes the same place
    command = ["augment", "--wide", "--force", "--out", str(out), *words]
    in_a_process(run_command, [*command, str(few)])
    before = os.times()
    seconds, peak = timed(lambda: in_a_process(run_command, [*command, str(deals)]))
    after = os.times()
    cpu = after.children_user + after.children_system
    scan = pl.scan_parquet(out)
    return {
        "table": name,
        "deals": int(scan.select(pl.len()).collect().item()),
        "columns": len(scan.collect_schema()),
        "seconds": round(seconds, 1),
        "CPU seconds": round(cpu - before.children_user - before.children_system, 1),
        "peak MiB": round(peak, 1),
        "file MiB": round(out.stat().st_size / 2**20, 1),
    }


def tables(data: Path, folder: Path) -> dict[str, list[str]]:
    """Options of each table: the published expressions if they are here, and the systems."""
    found: dict[str, list[str]] = {}
    if (data / PUBLISHED).is_file():
        rows = folder / "one.jsonl"
        rows.write_text(json.dumps({"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}) + "\n")
        expressions = str((data / PUBLISHED).resolve())
        found["349 published expressions"] = ["--table", str(rows), "--expressions", expressions]
    return found | {name: ["--table", name] for name in ("acol", "sayc")}


def main(arguments: Sequence[str] | None = None) -> None:
    given = options(
        __doc__, arguments, subject="files", deals=1_000_000, data=(DATA, "folder with table/")
    )
    found = environment()
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        deals, few = folder / "deals.parquet", folder / "few.parquet"
        for count, file in ((given.deals, deals), (1000, few)):
            in_a_process(run_command, ["deals", str(count), "--seed", "1", "--out", str(file)])
        for name, words in tables(given.data, folder).items():
            results.append(measure(name, words, deals, few, folder / "wide.parquet"))
            print(json.dumps(results[-1]), flush=True)
    lines = ["# Wide frames", "", "`python -m benchmarks.files.augment`", ""]
    lines += table(results[0], (one.values() for one in results))
    lines += ["", *(f"* {name}: {value}" for name, value in found.items())]
    write_report(given.out, "augment", {"environment": found, "results": results}, lines)


if __name__ == "__main__":
    main()
