"""How fast auctions are mined, and how much memory that takes.

Run ``python -m benchmarks.evidence.mining`` from the repository's root with the packages on the
path. Boards are made up as deal frames: auctions walk at random, with preferences that belong to
the place, so that few prefixes are frequent and many are rare, as in an archive; calls carry one of
many announcements, some of them cut off. Every size runs in a process of its own, whose peak
resident size is reported. What is timed is the mining alone, from frames in memory to the table in
its folder; making the boards is not.
"""

import itertools
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.tables.coded_columns import lists_of, numbers_of, texts_of
from benchmarks.tools.machine import environment, in_a_process, peak_mib
from benchmarks.tools.programs import options, table, write_report
from bidcascade.kernels.dealing import GAMMA, mixed_words
from bidcascade.kernels.types import U8, U64
from bidcascade.table.columns import offsets_of
from bidcascade.workshop.evidence.mining import Miner

FRAME = 100_000
TEXTS = 300_000
"""Different announcements, about as many as in ten million boards of robots."""
LONGEST = 64
I64 = np.ndarray[tuple[int], np.dtype[np.int64]]


def walk(boards: int, seed: int, variety: float) -> tuple[U8, U64, I64]:
    """Bid random legal auctions without doubles, with the same preferences at the same place.

    The calls of all, a number for the prefix that each ends, equal for equal prefixes, and where
    each auction begins and the last one ends. ``variety`` is how often a player does what comes
    next in the preferences of the place.
    """
    rng = np.random.default_rng(seed)
    calls, places = np.empty((boards, LONGEST), np.uint8), np.empty((boards, LONGEST), np.uint64)
    lengths = np.full(boards, LONGEST)
    going_on = np.arange(boards)
    place = np.full(boards, GAMMA, np.uint64)
    last, passes = np.full(boards, 2), np.zeros(boards, np.int64)
    for length in range(LONGEST):
        choice = np.minimum(rng.geometric(1 - variety, len(going_on)) - 1, 12).astype(np.uint64)
        wish = mixed_words(place + choice * np.uint64(0xD1B54A32D192ED03))
        # passes and the cheaper bids are what players mostly like
        steps, sizes = (wish >> np.uint64(8)) % np.uint64(7), (wish >> np.uint64(16)) % np.uint64(7)
        bids = last + 1 + (steps * sizes).astype(np.int64) // 3
        is_pass = (wish % np.uint64(100) < np.where(last < 12, 45, 75)) | (bids > 37)
        call = np.where(is_pass, 0, bids)
        passes, last = np.where(is_pass, passes + 1, 0), np.where(is_pass, last, bids)
        place = mixed_words(place ^ (call + 1).astype(np.uint64) * np.uint64(0x2545F4914F6CDD1D))
        calls[going_on, length], places[going_on, length] = call, place
        is_over = (passes == 4) | ((passes == 3) & (last > 2))
        lengths[going_on[is_over]] = length + 1
        going_on, place = going_on[~is_over], place[~is_over]
        last, passes = last[~is_over], passes[~is_over]
    was_made = np.arange(LONGEST) < lengths[:, None]
    return calls[was_made], places[was_made], offsets_of(lengths, np.int64)


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
    texts = announcement_texts()
    for number, first in enumerate(range(0, boards, FRAME)):
        size = min(FRAME, boards - first)
        calls, places, offsets = walk(size, number, variety)
        given = texts_of((places % np.uint64(TEXTS)).astype(np.int64), texts)
        yield pl.DataFrame(
            {
                "auction": lists_of(offsets, numbers_of(calls)),
                "announcements": lists_of(offsets, given),
            }
        )


def measure(boards: int, variety: float, most_in_memory: int) -> dict[str, object]:
    """Mine so many boards, in this process."""
    with Miner(most_in_memory=most_in_memory) as miner:
        # loads what is loaded once
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
        __doc__,
        arguments,
        subject="evidence",
        boards=[1_000_000, 10_000_000],
        variety=(0.68, "how often players do what is less usual"),
        most_in_memory=[16_000_000, 2_000_000],
    )
    found = environment()
    results = []
    for boards, most in itertools.product(given.boards, given.most_in_memory):
        results.append(in_a_process(measure, boards, given.variety, most))
        print(json.dumps(results[-1]), flush=True)
    lines = [
        "# Mining", "",
        "Made by `python -m benchmarks.evidence.mining`; what is measured is said there.", "",
        f"{found['cpu']}, {found['cores']} cores, {found['memory']}, {found['system']}, "
        f"Python {found['python']}, numpy {found['numpy']}, polars {found['polars']}, "
        f"load {found['load']}, commit {found['commit']}",
        "", *table(results[0], (one.values() for one in results), left=0),
    ]  # fmt: skip
    told = {"environment": found, "variety": given.variety, "results": results}
    write_report(given.out, "mining", told, lines)


if __name__ == "__main__":
    main()
