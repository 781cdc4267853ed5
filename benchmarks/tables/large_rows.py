"""Rows of a bidding table of any size in the published shape, written as Parquet part by part.

The first levels are generated whole (see :mod:`.seeded`) and their last entries dealt out to parts;
a part is what stands below its entries, level by level, and depends on the seed and its number
alone. So the memory holds a few parts, however many rows there are.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from bidcascade.bridge import CALL_TEXTS
from bidcascade.kernels.machine.ahead import ahead
from bidcascade.kernels.number_ranges import numbers_of_ranges
from bidcascade.kernels.types import I64, U8
from bidcascade.loaders.files.whole_files import whole_file
from bidcascade.table.columns import offsets_of
from bidcascade.table.formats.parquet import ROW_SCHEMA, write_frames

from .coded_columns import lists_of, texts_of
from .seeded import criteria_pool, level_sizes

PART_ROWS: Final = 1_000_000
DESCRIBED: Final = 0.8
"""Share of the calls but passes that have criteria."""
LISTS: Final = 20_000
HEAD_LEVELS: Final = 4
_SCHEMA: Final = pl.Schema(
    {"index": ROW_SCHEMA["index"]}
    | {name: ROW_SCHEMA[name] for name in ("prior", "call", "description", "criteria")}
)


class Level(NamedTuple):
    """The entries of one depth."""

    auctions: U8
    """Calls [entries, depth + 1]."""
    last_bid: I64
    passes: I64
    """Passes that each ends with."""

    def only(self, begin: int, end: int) -> "Level":
        return Level(*(column[begin:end] for column in self))


def _below(above: Level, wanted: int, seed: int) -> Level:
    """Make so many calls behind the auctions of a level, fewer where there is no place for them.

    An only call is mostly a pass, the last of several always.
    """
    rng = np.random.default_rng(seed)
    is_over = (above.passes >= 3) & ((above.last_bid > 0) | (above.passes >= 4))
    going_on = np.flatnonzero(~is_over)
    size, bids = len(going_on), above.last_bid[going_on]
    mean = max(0, wanted) / max(1, size)
    drawn = 2 * mean * rng.random(size) if mean > 1 else np.full(size, mean)
    counts = drawn.astype(np.int64)
    # where there are fewer than auctions, behind a few stand two
    several = 1 + ((mean <= 1) & (rng.random(size) < 1 / 8))
    counts += (rng.random(size) < drawn - counts) * several
    most = np.where(bids == 0, 36, 38 - bids)
    counts = np.minimum(counts, most)
    while missing := max(0, wanted) - int(counts.sum()):
        changed = np.flatnonzero(counts < most if missing > 0 else counts > 0)
        if not len(changed):
            break
        chosen = rng.choice(changed, min(abs(missing), len(changed)), replace=False)
        counts[chosen] += 1 if missing > 0 else -1

    parents, siblings = np.repeat(going_on, counts), np.repeat(counts, counts)
    place = numbers_of_ranges(np.zeros_like(counts), counts)
    bids = above.last_bid[parents]
    calls = np.maximum(bids, 2) + 1 + place
    only_pass = rng.random(len(calls)) < 0.6
    is_pass = np.where(siblings == 1, only_pass, place == siblings - 1) | (calls > 37)
    auctions = np.column_stack([above.auctions[parents], np.where(is_pass, 0, calls)])
    return Level(
        auctions.astype(np.uint8),
        np.where(is_pass, bids, calls),
        np.where(is_pass, above.passes[parents] + 1, 0),
    )


def head_levels(sizes: list[int], seed: int) -> list[Level]:
    """Levels near the root, which all parts share."""
    calls = np.array([*range(3, 38), 0])
    openings = Level(calls.astype(np.uint8)[:, None], calls, (calls == 0).astype(np.int64))
    levels = [openings]
    for depth in range(1, min(HEAD_LEVELS, len(sizes))):
        levels.append(_below(levels[-1], sizes[depth], seed + depth))
    return levels


def part_levels(tops: Level, sizes: list[int], seed: int) -> list[Level]:
    """Levels below some auctions; what finds no place in one goes to the next."""
    levels, missing = [tops], 0
    for depth, size in enumerate(sizes):
        levels.append(_below(levels[-1], size + missing, seed + depth))
        missing += size - len(levels[-1].last_bid)
    return levels[1:]


class Pool(NamedTuple):
    """Criteria lists to draw from, those that are used often first, with their descriptions."""

    expressions: list[str]
    offsets: I64
    values: I64
    descriptions: list[str]
    draws: I64

    @classmethod
    def make(cls, seed: int) -> "Pool":
        atoms, lists, draws = criteria_pool(np.random.default_rng(seed), LISTS, 0.0)
        expressions = [
            f"{atom[0]} {atom[2]} {atom[1]}" if len(atom) == 3 else str(atom[0]) for atom in atoms
        ]
        return cls(
            expressions,
            offsets_of([len(one) for one in lists], np.int64),
            np.concatenate([np.array(one, np.int64) for one in lists]),
            ["", *("; ".join(expressions[atom] for atom in one) for one in lists)],
            draws.astype(np.int64),
        )


def frame_of(levels: list[Level], pool: Pool, rng: np.random.Generator) -> pl.DataFrame:
    """Rows of some levels, without their index."""
    calls = np.concatenate([level.auctions[:, -1] for level in levels])
    count = len(calls)
    lengths = np.repeat(
        [level.auctions.shape[1] - 1 for level in levels], [len(level.last_bid) for level in levels]
    )
    prior = np.concatenate([level.auctions[:, :-1].ravel() for level in levels])
    is_described = (calls != 0) & (rng.random(count) < DESCRIBED)
    # common lists are used far more often than rare ones
    picks = pool.draws[(len(pool.draws) * rng.random(count) ** 2).astype(np.int64)]
    listed = np.where(is_described, np.diff(pool.offsets)[picks], 0)
    elements = pool.values[numbers_of_ranges(pool.offsets[picks], listed)]
    described = texts_of(np.where(is_described, picks + 1, 0), pool.descriptions)
    return pl.DataFrame({
        "prior": lists_of(offsets_of(lengths, np.int64), texts_of(prior, CALL_TEXTS)),
        "call": pl.Series(texts_of(calls, CALL_TEXTS)),
        "description": pl.Series(described),
        "criteria": lists_of(offsets_of(listed, np.int64), texts_of(elements, pool.expressions)),
    })  # fmt: skip


def row_frames(entries: int, seed: int, part_rows: int = PART_ROWS) -> Iterator[pl.DataFrame]:
    """Rows of a table of about ``entries`` entries, parents before what is below them."""
    sizes = level_sizes(entries)
    pool = Pool.make(seed)
    head = head_levels(sizes, seed)
    rng = np.random.default_rng([seed, 0])
    yield frame_of(head, pool, rng)
    tops = head[-1]
    parts = max(1, min(round(entries / part_rows), len(tops.last_bid)))
    bounds = np.linspace(0, len(tops.last_bid), parts + 1).astype(int).tolist()
    ends = np.round(np.outer(np.linspace(0, 1, parts + 1), sizes[HEAD_LEVELS:])).astype(int)

    def part(number: int) -> pl.DataFrame:
        begin, end = bounds[number : number + 2]
        wanted = (ends[number + 1] - ends[number]).tolist()
        levels = part_levels(tops.only(begin, end), wanted, (seed << 32) + 64 * (number + 1))
        return frame_of(levels, pool, np.random.default_rng([seed, number + 1]))

    yield from ahead(part, range(parts))


def write_rows(path: Path, entries: int, seed: int, part_rows: int = PART_ROWS) -> int:
    """Write the rows to a Parquet file, which appears whole or not at all; return how many."""
    count = 0

    def numbered() -> Iterator[pl.DataFrame]:
        nonlocal count
        for rows in row_frames(entries, seed, part_rows):
            yield rows.select(
                pl.int_range(count, count + pl.len(), dtype=pl.UInt32).alias("index"), pl.all()
            )
            count += rows.height

    with whole_file(path) as partial:
        write_frames(
            numbered(),
            _SCHEMA,
            partial,
            compression="zstd",
            compression_level=1,
            statistics=False,
            row_group_size=part_rows,
        )
    return count
