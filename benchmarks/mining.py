"""How fast auctions are mined, and how much memory that takes.

Run ``python -m benchmarks.mining`` from the repository's root with the packages on the path. Boards
are made up as deal frames: auctions walk at random, with preferences that belong to the place,
so that few prefixes are frequent and many are rare, as in an archive; calls carry one of many
announcements, some of them cut off. Every size runs in a process of its own, whose peak resident
size is reported. What is timed is the mining alone, from frames in memory to the table in its
folder; making the boards is not.
"""

import itertools
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.types import U8, U64
from bidcascade.table.evidence.mining import Miner

from .machine import environment, in_a_process, peak_mib
from .programs import options, table, write_report

FRAME = 100_000
TEXTS = 300_000
"""Different announcements, about as many as in ten million boards of robots."""
LONGEST = 64
I64 = np.ndarray[tuple[int], np.dtype[np.int64]]


@compiled
def _mix(value: np.uint64) -> np.uint64:
    """Scramble 64 bits, as SplitMix64 does (Steele, Lea, Flood 2014)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@compiled
def walk(boards: int, seed: int, variety: float, calls: U8, places: U64, offsets: I64) -> None:
    """Bid random legal auctions without doubles, with the same preferences at the same place.

    ``places`` gets a number for each prefix, equal for equal prefixes; ``variety`` is how often a
    player does what comes next in the preferences of the place.
    """
    np.random.seed(seed)
    at = 0
    for board in range(boards):
        offsets[board] = at
        place = np.uint64(0x9E3779B97F4A7C15)
        last, passes = 2, 0
        while not (passes == 4 or (passes == 3 and last > 2)) and at - offsets[board] < LONGEST:
            choice = 0
            while choice < 12 and np.random.random() < variety:
                choice += 1
            wish = _mix(place + np.uint64(choice) * np.uint64(0xD1B54A32D192ED03))
            # passes and the cheaper bids are what players mostly like
            jump = np.int64((wish >> np.uint64(8)) % np.uint64(7))
            jump = jump * np.int64((wish >> np.uint64(16)) % np.uint64(7)) // 3
            call = last + 1 + jump
            if wish % np.uint64(100) < np.uint64(45 if last < 12 else 75) or call > 37:
                call = 0
            passes = passes + 1 if call == 0 else 0
            last = last if call == 0 else call
            place = _mix(place ^ (np.uint64(call + 1) * np.uint64(0x2545F4914F6CDD1D)))
            calls[at] = call
            places[at] = place
            at += 1
    offsets[boards] = at


def announcement_texts() -> list[str]:
    """Announcements in the words of GIB, one in thirty cut off."""
    texts = []
    for number in range(TEXTS):
        low, suit, length = number % 23, "CDHS"[number // 23 % 4], number // 92 % 6
        total = low + number // 552 % 9
        text = (
            f"Call {number // 4968} -- {length + 1}+ !{suit}; {low}-{low + 5} HCP; "
            f"{total}-{total + 9} total points"
        )
        texts.append(text[:39] if number % 30 == 0 else text)
    return texts


def frames(boards: int, variety: float) -> Iterator[pl.DataFrame]:
    texts = pa.array(announcement_texts())
    for number, first in enumerate(range(0, boards, FRAME)):
        size = min(FRAME, boards - first)
        calls = np.empty(size * LONGEST, np.uint8)
        places = np.empty(size * LONGEST, np.uint64)
        offsets = np.empty(size + 1, np.int64)
        walk(size, number, variety, calls, places, offsets)
        end = int(offsets[-1])
        lists = pa.array(offsets.astype(np.int32))
        given = texts.take(pa.array((places[:end] % np.uint64(TEXTS)).astype(np.int64)))
        auctions = pa.ListArray.from_arrays(lists, pa.array(calls[:end]))
        yield pl.DataFrame(
            {
                "auction": pl.from_arrow(auctions),
                "announcements": pl.from_arrow(pa.ListArray.from_arrays(lists, given)),
            }
        )


def measure(boards: int, variety: float, most_in_memory: int) -> dict[str, object]:
    """Mine so many boards, in this process."""
    with Miner(most_in_memory=most_in_memory) as miner:
        # loads the compiled code
        miner.add(next(frames(1000, variety)))
        miner.finish()
    before = peak_mib()
    adding = cpu = 0.0
    with tempfile.TemporaryDirectory() as folder, Miner(most_in_memory=most_in_memory) as miner:
        for frame in frames(boards, variety):
            start, start_cpu = time.perf_counter(), time.process_time()
            miner.add(frame)
            adding += time.perf_counter() - start
            cpu += time.process_time() - start_cpu
        start, start_cpu = time.perf_counter(), time.process_time()
        table = miner.finish()
        table.save(Path(folder) / "table")
        finishing = time.perf_counter() - start
        cpu += time.process_time() - start_cpu
        size = sum(file.stat().st_size for file in Path(folder).rglob("*.*"))
        runs = len(miner.runs)
    announcements = table.extra("announcements")
    assert announcements is not None
    return {
        "boards": boards,
        "most in memory": most_in_memory,
        "calls": table.imported["calls"],
        "entries": len(table),
        "texts at entries": announcements.height,
        "runs": runs,
        "seconds adding": round(adding, 1),
        "seconds finishing": round(finishing, 1),
        "boards per second": round(boards / (adding + finishing)),
        "CPU seconds": round(cpu, 1),
        "boards per CPU second": round(boards / cpu),
        "MiB before": round(before),
        "MiB peak": round(peak_mib()),
        "MiB table": round(size / 2**20),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    given = options(
        __doc__, arguments, boards=[1_000_000, 10_000_000],
        variety=(0.68, "how often players do what is less usual"),
        most_in_memory=[16_000_000, 2_000_000],
    )  # fmt: skip
    found = environment()
    results = []
    for boards, most in itertools.product(given.boards, given.most_in_memory):
        results.append(in_a_process(measure, boards, given.variety, most))
        print(json.dumps(results[-1]), flush=True)
    lines = [
        "# Mining", "", "Made by `python -m benchmarks.mining`; what is measured is said there.",
        "", f"{found['cpu']}, {found['cores']} cores, {found['memory']}, {found['system']}, "
        f"Python {found['python']}, numpy {found['numpy']}, numba {found['numba']}, polars "
        f"{found['polars']}, load {found['load']}, commit {found['commit']}",
        "", *table(results[0], (one.values() for one in results), left=0),
    ]  # fmt: skip
    told = {"environment": found, "variety": given.variety, "results": results}
    write_report(given.out, "mining", told, lines)


if __name__ == "__main__":
    main()
