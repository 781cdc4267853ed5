"""Mining: frames of boards in, a bidding table with counts and texts out, in bounded memory."""

import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.decisions import CallLists
from bidcascade.table.mining.mined_table import ANNOUNCEMENTS, make_mined_table, run_of_table
from bidcascade.table.mining.prefix_counts import PrefixCounts
from bidcascade.table.mining.ranking import Rank
from bidcascade.table.mining.runs import LARGEST_TOTAL, Run, merge_all, write_run
from bidcascade.table.mining.text_numbers import TextNumbers

MOST_IN_MEMORY: Final = 16_000_000
"""Prefixes and texts at prefixes that are counted in memory before they are written to disk."""


@dataclass(slots=True)
class MinedCounts:
    """What a miner took in, all of it.

    Parameters
    ----------
    boards : int
        Boards with an auction, of which at least one call is legal.
    without_auction : int
        Boards without.
    rejects : int
        Records that are no boards, as far as whoever read them says.
    calls : int
        Calls counted.
    calls_ignored : int
        Illegal calls, and calls behind one.
    texts : int
        Calls given with a text.
    texts_ignored : int
        Texts behind the last call of their auction, or with a call that was passed over.

    Examples
    --------
    >>> (MinedCounts(boards=3) + MinedCounts(boards=4, calls=40)).boards
    7
    """

    boards: int = 0
    without_auction: int = 0
    rejects: int = 0
    calls: int = 0
    calls_ignored: int = 0
    texts: int = 0
    texts_ignored: int = 0

    def __add__(self, other: "MinedCounts") -> "MinedCounts":
        return MinedCounts(*(one + two for one, two in zip(
            asdict(self).values(), asdict(other).values(), strict=True)))  # fmt: skip

    def to_dict(self) -> dict[str, int]:
        """As plain values for JSON."""
        return asdict(self)

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
        self._prefixes = PrefixCounts()
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
        """Go on where a miner stood when it had written all that it had counted.

        Parameters
        ----------
        folder : Path
        runs : sequence of str
            Names of its runs.
        texts : iterable of str
            Its texts, by number.
        counts : MinedCounts
        """
        miner = cls(folder, most_in_memory=most_in_memory)
        miner.runs = [folder / name for name in runs]
        miner.texts.number(texts)
        miner.counts = counts
        return miner

    def __enter__(self) -> "Miner":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        announcements = (
            _column(frame, "announcements", pl.List(pl.String))
            if "announcements" in frame.columns
            else pl.Series([None], dtype=pl.List(pl.String)).new_from_index(0, frame.height)
        )
        texts, behind = self.texts.of_calls(announcements, _is_note(frame), auctions.offsets)
        given = int(np.count_nonzero(texts))
        ignored = self._prefixes.add(auctions.calls, auctions.offsets, texts)
        left_out = 0
        if "illegal_tail" in frame.columns:
            left_out = int(frame["illegal_tail"].list.len().sum() or 0)
        boards = int(np.count_nonzero(np.diff(auctions.offsets)))
        self.counts += MinedCounts(
            boards, frame.height - boards, 0, len(auctions.calls) - ignored.calls,
            ignored.calls + left_out, given - ignored.texts, behind + ignored.texts,
        )  # fmt: skip
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
        self._write(run_of_table(table, self.texts))
        self.counts += MinedCounts.of_table(table)

    def spill(self) -> None:
        """Write what is counted in memory to disk, and begin anew."""
        if len(self._prefixes):
            self._write(self._prefixes.take())

    def _write(self, run: Run) -> None:
        place = self.folder / f"run-{len(self.runs):05}"
        write_run(run, place)
        self.runs.append(place)

    def finish(
        self,
        *,
        rank: Rank = "specificity",
        profile: str = "gib",
        source: str = "",
        imported: Mapping[str, int] | None = None,
    ) -> BiddingTable:
        """Make the table; the options are those of :func:`make_mined_table`.

        ``imported`` are further counts that the table keeps, besides those of :attr:`counts`.
        """
        run = self._prefixes.take()
        if self.runs:
            if len(run.depth):
                self._write(run)
            run = merge_all(self.runs, self.folder)
        counts = {**self.counts.to_dict(), **(imported or {})}
        return make_mined_table(
            run, self.texts.texts, rank=rank, profile=profile, source=source, imported=counts
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
    """Say what a mined table was made of and what it knows, in plain values for JSON.

    Examples
    --------
    >>> with Miner() as miner:
    ...     miner.add(pl.DataFrame({"auction": [[7]]}, schema={"auction": pl.List(pl.UInt8)}))
    ...     report = mining_report(miner.finish())
    >>> report["boards"], report["entries"], report["described"]
    (1, 1, 0)
    """
    announcements = table.extra(ANNOUNCEMENTS)
    assert announcements is not None
    kept = announcements.filter("kept")
    distinct = announcements.unique("text", maintain_order=True)
    undescribed = int(np.count_nonzero(table.variant_set == 0))
    return {
        **table.imported,
        "entries": len(table),
        "described": len(table) - undescribed,
        "with_text": kept.height,
        "several_texts": int((announcements["entry"].value_counts()["count"] > 1).sum()),
        "distinct_texts": distinct.height,
        "complete_texts": int(distinct["complete"].sum()),
        "truncated_texts": int(distinct["truncated"].sum()),
        "human_texts": int(distinct["human"].sum()),
    }
