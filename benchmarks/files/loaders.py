"""How fast LIN and PBN are read, and how memory grows with the number of files.

Run ``python -m benchmarks.files.loaders`` from the repository's root with the packages on the path.
Each measurement is printed as a JSON line; a Markdown table follows. Speed is boards per second
of CPU time of one process, from bytes in memory to the finished frames; memory is the peak
resident size of a fresh process that iterates over the files once, and over the same files four
and sixteen times.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.tools.machine import environment, in_a_process, peak_mib
from benchmarks.tools.programs import table
from bidcascade.loaders import Batch, iter_deals, read_lin_files, read_pbn

DATA = Path(__file__).parents[3] / "shared" / "data"
CHUNK = 10_000
"""Rows of a frame while memory is measured; what is held is about two frames and a few pieces."""
SETS = {"lin": ("lin/vugraph", "*.lin"), "pbn": ("pbn", "*.pbn")}


READERS: dict[str, Callable[[Sequence[tuple[bytes, str]]], list[Batch]]] = {
    "lin": lambda files: [read_lin_files(files)],
    "pbn": lambda files: [read_pbn(data, name) for data, name in files],
}


def files_of(data: Path, kind: str) -> list[Path]:
    folder, pattern = SETS[kind]
    return sorted(path for path in (data / folder).rglob(pattern) if path.is_file())


def measure_speed(data: Path, kind: str, repeat: int) -> dict[str, object]:
    paths = files_of(data, kind)
    files = [(path.read_bytes(), path.name) for path in paths]
    reader = READERS[kind]
    # loads the core's library
    batches = reader(files)
    boards = sum(batch.deals.height for batch in batches)
    rejects = sum(batch.rejects.height for batch in batches)
    seconds = []
    for _ in range(repeat):
        start = time.process_time()
        reader(files)
        seconds.append(time.process_time() - start)
    rates = sorted(boards / second for second in seconds)
    return {
        "measurement": f"{kind} speed",
        "files": len(files),
        "bytes": sum(len(content) for content, _ in files),
        "boards": boards,
        "rejects": rejects,
        "boards per CPU second, min": round(rates[0]),
        "boards per CPU second, median": round(statistics.median(rates)),
        "boards per CPU second, max": round(rates[-1]),
    }


def measure_memory(data: Path, kind: str, times: int) -> dict[str, object]:
    paths = files_of(data, kind)
    # the readers' own needs (libraries) are there before the first file
    for _ in iter_deals(paths[:1], jobs=1):
        pass
    before = peak_mib()
    boards = sum(
        batch.deals.height for batch in iter_deals(paths * times, jobs=1, chunk_deals=CHUNK)
    )
    return {
        "measurement": f"{kind} memory, files x{times}",
        "files": len(paths) * times,
        "boards": boards,
        "MiB before": round(before),
        "MiB peak": round(peak_mib()),
    }


def summary(result: dict[str, object]) -> list[object]:
    """Cells of the table."""
    if "MiB peak" in result:
        text = f"{result['MiB peak']} MiB peak, {result['MiB before']} MiB before"
    else:
        low, middle, high = (
            f"{result[f'boards per CPU second, {name}']:,}" for name in ("min", "median", "max")
        )
        text = f"{middle} boards per CPU second ({low} to {high})"
    return [result["measurement"], str(result["files"]), result["boards"], text]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.files.loaders", description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="measurements of each speed")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with lin/ and pbn/")
    given = parser.parse_args(arguments)
    if not given.data.is_dir():
        print(f"no real data: {given.data} is not a folder", file=sys.stderr)
        return 2
    print(json.dumps({"measurement": "environment", **environment()}))
    results = []
    for kind in SETS:
        results.append(measure_speed(given.data, kind, given.repeat))
        print(json.dumps(results[-1]))
        for times in (1, 4, 16):
            results.append(in_a_process(measure_memory, given.data, kind, times))
            print(json.dumps(results[-1]))
    print()
    lines = table(("measurement", "files", "boards", "result"), map(summary, results))
    print("\n".join([lines[0], "| --- | ---: | ---: | --- |", *lines[2:]]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
