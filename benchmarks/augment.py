"""How long wide frames take, how much memory, and how large the files are.

Run ``python -m benchmarks.augment`` from the repository's root with the packages on the path. Deals
are dealt at random into a Parquet file; ``augment --wide`` is run in a process of its own for each
table, once after a small run that compiles the kernels. Seconds are of the whole command, from its
start to the file on the disk; memory is the peak resident size of that process. Results are
written to ``benchmarks/results/augment.md`` and ``augment.json``.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from .loaders import DATA, peak_mib
from .machine import environment

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results"
PUBLISHED = "table/bbo_bidding_expressions.txt"
"""The published list of 349 expressions, below the folder of data."""


def run_command(arguments: Sequence[str]) -> None:
    """Run ``bidcascade`` in this process and print what it took, for :func:`measure`."""
    from bidcascade.service.cli import main

    start = time.perf_counter()
    code = main(list(arguments))
    print(json.dumps({"seconds": time.perf_counter() - start, "peak MiB": peak_mib()}))
    raise SystemExit(code)


def in_a_process(arguments: Sequence[str]) -> dict[str, float]:
    places = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-m", "benchmarks.augment", "--command", *arguments]
    start = time.perf_counter()
    before = os.times()
    answer = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=places, cwd=ROOT
    )
    after = os.times()
    found: dict[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return {
        "seconds": time.perf_counter() - start,
        "CPU seconds": after.children_user + after.children_system
        - before.children_user - before.children_system,
        "peak MiB": found["peak MiB"],
    }  # fmt: skip


def measure(
    name: str, table: Sequence[str], deals: Path, few: Path, out: Path
) -> dict[str, object]:
    """Time one table; the first run, on a few deals, compiles what is not in the cache."""
    command = ["augment", "--wide", "--out", str(out), *table]
    in_a_process([*command, str(few)])
    took = in_a_process([*command, str(deals)])
    scan = pl.scan_parquet(out)
    return {
        "table": name,
        "deals": int(scan.select(pl.len()).collect().item()),
        "columns": len(scan.collect_schema()),
        **{key: round(value, 1) for key, value in took.items()},
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


def main(arguments: Sequence[str] | None = None) -> int:
    given_arguments = list(sys.argv[1:] if arguments is None else arguments)
    if given_arguments[:1] == ["--command"]:
        run_command(given_arguments[1:])
    parser = argparse.ArgumentParser(prog="benchmarks.augment", description=__doc__)
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with table/")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    options = parser.parse_args(given_arguments)
    found = environment()
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        deals, few = folder / "deals.parquet", folder / "few.parquet"
        for count, file in ((options.deals, deals), (1000, few)):
            in_a_process(["deals", str(count), "--seed", "1", "--out", str(file)])
        for name, table in tables(options.data, folder).items():
            results.append(measure(name, table, deals, few, folder / "wide.parquet"))
            print(json.dumps(results[-1]), flush=True)
    write(options.out, found, results)
    return 0


def write(folder: Path, found: dict[str, str], results: Sequence[dict[str, object]]) -> None:
    heads = list(results[0])
    lines = ["# Wide frames", "", "`python -m benchmarks.augment`", ""]
    lines += [f"| {' | '.join(heads)} |", "| --- |" + " ---: |" * (len(heads) - 1)]
    for result in results:
        cells = (f"{cell:,}" if isinstance(cell, int | float) else str(cell)
                 for cell in result.values())  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"* {name}: {value}" for name, value in found.items()), ""]
    (folder / "augment.md").write_text("\n".join(lines), "utf-8")
    (folder / "augment.json").write_text(
        json.dumps({"environment": found, "results": results}, indent=1) + "\n", "utf-8"
    )


if __name__ == "__main__":
    raise SystemExit(main())
