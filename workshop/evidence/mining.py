"""Mining: frames of boards in, a bidding table with counts and texts out, in bounded memory.

Boards fill a trie of prefixes in memory; what is too much for it goes to disk as sorted runs, which
are merged at the end. ``mined_table`` makes the table of the last run.
"""

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.machine.npy_files import write_npy
from bidcascade.kernels.number_ranges import numbers_of_ranges
from bidcascade.kernels.types import I64, U32, U64
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.columns import Column
from bidcascade.table.real_calls import CallLists
from bidcascade.table.stored.extras import synced_file

from .mined_table import (
    ANNOUNCEMENTS,
    RUN_COLUMNS,
    MinedRun,
    Rank,
    make_mined_table,
    run_of_table,
    sorted_run,
)

MOST_IN_MEMORY: Final = 16_000_000
"""Prefixes and texts at prefixes that are counted in memory before they are written to disk."""
LARGEST_TOTAL: Final = 0xFFFFFFFE
"""Boards that may be counted together; a table keeps counts in 32 bits."""


@dataclass(slots=True)
class MinedCounts:
    """What a miner took in, all of it."""

    boards: int = 0  # with an auction, of which at least one call is legal
    without_auction: int = 0
    rejects: int = 0  # records that are no boards, as far as whoever read them says
    calls: int = 0
    calls_ignored: int = 0  # illegal ones, and those behind one
    texts: int = 0  # calls given with a text
    texts_ignored: int = 0  # behind the last call, or with a call that was passed over
    play_disagrees: int = 0  # boards left out by whoever read them: hands and auction of two deals

    def __add__(self, other: "MinedCounts") -> "MinedCounts":
        added = asdict(other)
        return MinedCounts(**{name: one + added[name] for name, one in asdict(self).items()})

    @property
    def records(self) -> int:
        """All that was read."""
        return self.boards + self.without_auction + self.rejects + self.play_disagrees

    @classmethod
    def of_table(cls, table: BiddingTable) -> "MinedCounts":
        """Give what a mined table was made of."""
        return cls(**{name: table.imported.get(name, 0) for name in asdict(cls())})


class Miner:
    """Counts every prefix of every auction, and makes a table of them.

    Memory does not grow with the boards: counts go to disk as sorted runs when they become many,
    and are merged at the end. What grows is one line for each different text, and the table itself.
    What comes out depends neither on the order of the boards nor on how they came.

    Parameters
    ----------
    folder : Path, optional
        Where runs are written to; a temporary one by default.
    most_in_memory : int
        Prefixes, and texts at prefixes, counted in memory.

    Examples
    --------
    >>> frame = pl.DataFrame({"auction": [[7, 0, 0, 0], [7, 0, 8], [3]],
    ...     "announcements": [["15-17 HCP", "", "", ""], None, ["Minor suit opening -- 3+ !C"]]},
    ...     schema={"auction": pl.List(pl.UInt8), "announcements": pl.List(pl.String)})
    >>> with Miner() as miner:
    ...     miner.add(frame)
    ...     table = miner.finish()
    >>> len(table), table.row(table.find([7])).count, table.row(table.find([3])).criteria
    (6, 2, ('SL_C >= 3',))
    """

    def __init__(self, folder: Path | None = None, *, most_in_memory: int = MOST_IN_MEMORY) -> None:
        if most_in_memory < 1:
            raise InvalidInput(f"expected room for at least one prefix, got {most_in_memory!r}")
        self._own = folder is None
        self.folder = Path(tempfile.mkdtemp(prefix="mining-")) if folder is None else folder
        self._most = most_in_memory
        self._prefixes = _PrefixCounts()
        self.texts = TextNumbers()
        """All texts so far, by number."""
        self.runs: list[Path] = []
        """Runs written so far."""
        self.counts = MinedCounts()
        """What was taken in so far."""

    @classmethod
    def resumed(
        cls,
        folder: Path,
        runs: Sequence[str],
        texts: Iterable[str],
        counts: MinedCounts,
        *,
        most_in_memory: int = MOST_IN_MEMORY,
    ) -> "Miner":
        """Go on where a miner stood when it had written all: its runs by name, texts by number."""
        miner = cls(folder, most_in_memory=most_in_memory)
        miner.runs = [folder / name for name in runs]
        miner.texts.number(texts)
        miner.counts = counts
        return miner

    def __enter__(self) -> "Miner":
        return self

    def __exit__(self, *_: object) -> None:
        if self._own:
            shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, frame: pl.DataFrame) -> None:
        """Take in boards.

        Parameters
        ----------
        frame : polars.DataFrame
            With a column ``auction``, List(UInt8): call codes from the dealer on, leading passes
            included. Further columns are used where they are there: ``announcements``,
            List(String), a text a call; ``illegal_tail``, a list of calls left out of the auction,
            which are counted; ``source``, String: texts of files that end in ``.pbn`` are notes.

        Raises
        ------
        InvalidInput
            If a column is missing or of another type, or there are too many boards.
        """
        auctions = CallLists.of(_column(frame, "auction", pl.List(pl.UInt8)))
        texts, behind = np.zeros(len(auctions.calls), np.uint32), 0
        if "announcements" in frame.columns:
            announcements = _column(frame, "announcements", pl.List(pl.String))
            texts, behind = self.texts.of_calls(announcements, _is_note(frame), auctions.offsets)
        given = int(np.count_nonzero(texts))
        ignored_calls, ignored_texts = self._prefixes.add(auctions, texts)
        left_out = 0
        if "illegal_tail" in frame.columns:
            left_out = int(frame["illegal_tail"].list.len().sum() or 0)
        boards = int(np.count_nonzero(np.diff(auctions.offsets)))
        self.counts += MinedCounts(
            boards,
            frame.height - boards,
            0,
            len(auctions.calls) - ignored_calls,
            ignored_calls + left_out,
            given - ignored_texts,
            behind + ignored_texts,
        )
        if self.counts.boards > LARGEST_TOTAL:
            raise InvalidInput(f"expected at most {LARGEST_TOTAL:,} boards with auctions")
        if len(self._prefixes) > self._most:
            self.spill()

    def add_table(self, table: BiddingTable) -> None:
        """Take in what a mined table was made of, as if its boards were mined here.

        Raises
        ------
        InvalidTable
            If the table was not mined, or was changed since.
        """
        self._write(run_of_table(table, self.texts.number))
        self.counts += MinedCounts.of_table(table)

    def spill(self) -> None:
        """Write what is counted in memory to disk, and begin anew."""
        if len(self._prefixes):
            self._write(self._prefixes.run())
            self._prefixes = _PrefixCounts()

    def _write(self, run: MinedRun) -> None:
        place = self.folder / f"run-{len(self.runs):05}"
        write_mined_run(run, place)
        self.runs.append(place)

    def finish(
        self, *, rank: Rank = "specificity", profile: str = "gib", source: str = ""
    ) -> BiddingTable:
        """Make the table; the options are those of :func:`make_mined_table`."""
        if self.runs:
            self.spill()
            run = _merge_all(self.runs, self.folder)
        else:
            run, self._prefixes = self._prefixes.run(), _PrefixCounts()
        return make_mined_table(
            run,
            self.texts.texts,
            rank=rank,
            profile=profile,
            source=source,
            imported=asdict(self.counts),
        )


def _column(frame: pl.DataFrame, name: str, kind: pl.DataType) -> pl.Series:
    if name not in frame.columns:
        raise InvalidInput(f"expected a column {name!r}, got {', '.join(frame.columns) or 'none'}")
    column = frame[name]
    if column.dtype != kind:
        raise InvalidInput(f"expected {name!r} as {kind}, got {column.dtype}")
    return column


def _is_note(frame: pl.DataFrame) -> pl.Series:
    if "source" not in frame.columns:
        return pl.repeat(value=False, n=frame.height, dtype=pl.Boolean, eager=True)
    return frame["source"].cast(pl.String).str.to_lowercase().str.ends_with(".pbn")


def mining_report(table: BiddingTable) -> dict[str, Any]:
    """Say what a mined table was made of and what it knows, in plain values for JSON."""
    announcements = table.extra(ANNOUNCEMENTS)
    assert announcements is not None
    distinct = announcements.unique("text", maintain_order=True)
    return {
        **table.imported,
        "entries": len(table),
        "described": int(np.count_nonzero(table.variant_set)),
        "with_text": announcements.filter("kept").height,
        "several_texts": int((announcements["entry"].value_counts()["count"] > 1).sum()),
        "distinct_texts": distinct.height,
        **{
            f"{kind}_texts": int(distinct[kind].sum())
            for kind in ("complete", "truncated", "human")
        },
    }


# --- texts by number -----------------------------------------------------------------------------


class TextNumbers:
    """Numbers for texts, from 1; texts are stripped, and those without anything are no texts."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def texts(self) -> list[str]:
        """All texts; number 1 comes first."""
        return list(self._numbers)

    def since(self, count: int) -> list[str]:
        """Texts that came after the first ``count``."""
        return self.texts[count:]

    def number(self, texts: Iterable[str]) -> list[int]:
        """Numbers of texts, new ones for new texts."""
        numbers = self._numbers
        return [numbers.setdefault(text, len(numbers) + 1) for text in texts]

    def of_calls(
        self, announcements: pl.Series, is_note: pl.Series, offsets: I64
    ) -> tuple[U32, int]:
        """Twice the number of the text of each call, plus 1 in a note; 0 for none: uint32[calls].

        And how many texts stood behind the last call of their auction. Texts come as a List(String)
        an auction, in the order of its calls, which begin at its offset.
        """
        lengths = announcements.list.len().fill_null(0).to_numpy().astype(np.int64)
        calls = np.diff(offsets)
        flat = announcements.filter(announcements.list.len() > 0).explode()
        texts = pl.DataFrame({"text": flat.str.strip_chars()})
        distinct = texts["text"].unique(maintain_order=True).drop_nulls()
        distinct = distinct.filter(distinct != "")
        known = pl.DataFrame(
            {"text": distinct, "number": pl.Series(self.number(distinct), dtype=pl.UInt32)}
        )
        joined = texts.join(known, on="text", how="left", maintain_order="left")
        found = joined["number"].fill_null(0).to_numpy()
        auction = np.repeat(np.arange(len(lengths)), lengths)
        notes = is_note.fill_null(value=False).to_numpy()[auction]
        coded = np.where(found > 0, 2 * found + notes, np.uint32(0))
        if np.array_equal(lengths, calls):
            return coded, 0
        within = numbers_of_ranges(np.zeros(len(lengths), np.int64), lengths)
        has_call = within < calls[auction]
        numbers = np.zeros(int(offsets[-1]), np.uint32)
        numbers[offsets[auction[has_call]] + within[has_call]] = coded[has_call]
        return numbers, int(np.count_nonzero(coded[~has_call]))


# --- counting in memory --------------------------------------------------------------------------

_FIRST_SLOTS: Final = 1 << 12


class _PrefixCounts:
    """A trie of auctions with counts, and hash tables of its nodes and of texts at nodes."""

    def __init__(self) -> None:
        self._nodes = 1
        self._pairs = 0
        self._parent = np.zeros(_FIRST_SLOTS, np.uint32)
        self._call = np.zeros(_FIRST_SLOTS, np.uint8)
        self._count = np.zeros(_FIRST_SLOTS, np.uint32)
        self._node_numbers = _slots(_FIRST_SLOTS)
        self._pair_counts = _slots(_FIRST_SLOTS)

    def __len__(self) -> int:
        """Return the number of nodes and texts at nodes, which memory goes with."""
        return self._nodes - 1 + self._pairs

    def add(self, auctions: CallLists, texts: U32) -> tuple[int, int]:
        """Count auctions; returns how many calls and texts were passed over."""
        from bidcascade.kernels.core.tables.auctions import count_prefixes

        nodes = self._nodes + len(auctions.calls)
        if nodes > len(self._parent):
            length = max(2 * len(self._parent), nodes)
            self._parent, self._call, self._count = (
                _longer(column, length) for column in (self._parent, self._call, self._count)
            )
        self._node_numbers = _roomier(self._node_numbers, nodes)
        pairs = self._pairs + int(np.count_nonzero(texts))
        self._pair_counts = _roomier(self._pair_counts, pairs)
        self._nodes, self._pairs, *ignored = count_prefixes(
            *auctions,
            texts,
            *self._node_numbers,
            self._parent,
            self._call,
            self._count,
            self._nodes,
            *self._pair_counts,
            self._pairs,
        )
        return ignored[0], ignored[1]

    def run(self) -> MinedRun:
        """Sort what was counted."""
        keys, times = self._pair_counts
        filled = np.flatnonzero(keys)
        keys, times = keys[filled], times[filled]
        nodes = slice(1, self._nodes)
        return sorted_run(
            self._parent[nodes],
            self._call[nodes],
            self._count[nodes],
            (keys >> np.uint64(32)).astype(np.uint32),
            keys.astype(np.uint32),
            times,
        )


def _slots(least: int) -> tuple[U64, U32]:
    """Make an empty hash table: keys and values."""
    size = 1 << (least - 1).bit_length()
    return np.zeros(size, np.uint64), np.zeros(size, np.uint32)


def _roomier(table: tuple[U64, U32], entries: int) -> tuple[U64, U32]:
    """Give a hash table in which at most half of the slots are taken."""
    from bidcascade.kernels.core.tables.auctions import rehash

    if 2 * entries <= len(table[0]):
        return table
    larger = _slots(2 * entries)
    rehash(*table, *larger)
    return larger


def _longer(column: Column, length: int) -> Column:
    longer = np.zeros(length, column.dtype)
    longer[: len(column)] = column
    return longer


# --- runs on disk --------------------------------------------------------------------------------


def write_mined_run(run: MinedRun, folder: Path) -> None:
    """Write a run as ``.npy`` files to a new folder."""
    folder.mkdir(parents=True)
    for name in RUN_COLUMNS:
        with synced_file(folder / f"{name}.npy") as file:
            write_npy(file, getattr(run, name))


def open_mined_run(folder: Path) -> MinedRun:
    """Open a run that was written; its columns are mapped, not read."""
    columns: list[Column] = []
    for name, kind in RUN_COLUMNS.items():
        file = folder / f"{name}.npy"
        try:
            try:
                column = np.load(file, mmap_mode="r", allow_pickle=False)
            except ValueError:
                # what is empty cannot be mapped
                column = np.load(file, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise InvalidInput(f"cannot read {str(file)!r}: {error}") from None
        if column.dtype != kind or column.ndim != 1:
            raise InvalidInput(f"cannot read {str(file)!r}: expected a column of {kind.__name__}")
        columns.append(column.view(np.ndarray))
    run = MinedRun(*columns)
    lengths = {len(column) for column in run[:4]}, {len(column) for column in run[4:]}
    if any(len(found) > 1 for found in lengths):
        raise InvalidInput(f"cannot read {str(folder)!r}: expected columns of one length")
    return run


def _merge(first: MinedRun, second: MinedRun, folder: Path | None = None) -> MinedRun:
    """Merge two runs, into files of a folder if there is one; counts of what is in both add up."""
    from bidcascade.kernels.core.tables.auctions import merge_runs

    nodes, texts = merge_runs(first, second, None)
    merged: list[Column] = []
    if folder is not None:
        folder.mkdir(parents=True)
    for place, (name, kind) in enumerate(RUN_COLUMNS.items()):
        length = nodes if place < 4 else texts
        if folder is None or not length:
            merged.append(np.empty(length, kind))
        else:
            mapped = np.lib.format.open_memmap(
                folder / f"{name}.npy", mode="w+", dtype=kind, shape=(length,)
            )
            merged.append(mapped.view(np.ndarray))
    run = MinedRun(*merged)
    merge_runs(first, second, run)
    return run


def _merge_all(runs: Sequence[Path], scratch: Path) -> MinedRun:
    """Merge runs that were written, two at a time; they stay, and nothing else does in scratch."""
    waiting = [open_mined_run(folder) for folder in runs]
    with tempfile.TemporaryDirectory(prefix="merging-", dir=scratch) as place:
        made = 0
        while len(waiting) > 2:
            # the two smallest, as in Huffman's tree: the least to read and write
            waiting.sort(key=lambda run: len(run.depth) + len(run.text))
            waiting[:2] = [_merge(waiting[0], waiting[1], Path(place) / str(made))]
            made += 1
        if len(waiting) == 2:
            waiting = [_merge(waiting[0], waiting[1])]
    return waiting[0]
