"""Boards by auction: every different auction once, in order, with the rows of its boards.

A board has one auction, so with auctions in order the boards of a node, and of all below it, are
one run of rows: four bytes a board for all nodes together, and no bit set for any.
"""

from bisect import bisect_left
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.types import U32
from bidcascade.systems.words.auction_patterns import WrittenAuction

SCHEMA = pl.Schema({"auction": pl.Binary(), "rows": pl.List(pl.UInt32())})
_NO_ROWS = np.zeros(0, np.uint32)
_ABOVE = b"\xff"
"""Above all codes of calls."""


def posting_frame(auctions: pl.Series) -> pl.DataFrame:
    r"""Different auctions in order, each with its rows in order.

    Parameters
    ----------
    auctions : polars.Series
        List(UInt8), call codes; boards where it is null or empty stand with no auction.

    Returns
    -------
    polars.DataFrame
        ``auction`` (Binary, the codes) and ``rows`` (List(UInt32)).

    Examples
    --------
    >>> auctions = pl.Series([[7, 0], [0, 7], [7, 0]], dtype=pl.List(pl.UInt8))
    >>> posting_frame(auctions).rows()
    [(b'\x00\x07', [1]), (b'\x07\x00', [0, 2])]
    """
    rows = pl.int_range(auctions.len(), dtype=pl.UInt32, eager=True).alias("rows")
    known = pl.DataFrame([auctions.alias("auction"), rows]).filter(pl.col("auction").list.len() > 0)
    found = known.group_by("auction").agg("rows")
    codes = found["auction"].explode().to_numpy().astype(np.uint8).tobytes()
    ends = found["auction"].list.len().cum_sum().to_list()
    texts = [codes[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    written = pl.Series("auction", texts, pl.Binary)
    return found.select(written, pl.col("rows")).sort("auction").cast(SCHEMA)


class Postings:
    r"""Rows by auction, from a frame of :func:`posting_frame`.

    Parameters
    ----------
    frame : polars.DataFrame
    boards : int
        Boards of the part.

    Raises
    ------
    InvalidInput
        If the frame is none, or names rows that the part does not have.

    Examples
    --------
    >>> auctions = pl.Series([[7, 0], [0, 7], [7, 8]], dtype=pl.List(pl.UInt8))
    >>> postings = Postings(posting_frame(auctions), 3)
    >>> postings.rows(*postings.span(b"\x07")).tolist()
    [0, 2]
    """

    def __init__(self, frame: pl.DataFrame, boards: int) -> None:
        if frame.schema != SCHEMA:
            raise InvalidInput(f"expected auctions with their rows, got columns {frame.columns}")
        self.auctions = frame["auction"]
        self.boards = boards
        counts = frame["rows"].list.len().to_numpy()
        self.offsets: NDArray[np.int64] = np.zeros(len(counts) + 1, np.int64)
        """Where the rows of each auction begin."""
        np.cumsum(counts, out=self.offsets[1:])
        self._lists = frame["rows"]

    @cached_property
    def order(self) -> U32:
        """Rows in the order of their auctions, uint32 [boards with an auction]."""
        rows: U32 = self._lists.explode().to_numpy()
        if len(rows) != self.offsets[-1] or (len(rows) and rows.max() >= self.boards):
            raise InvalidInput("expected rows of the part with the auctions, got others")
        return rows

    @cached_property
    def numbers(self) -> NDArray[np.int32]:
        """Number of each board's auction, int32 [boards]; -1 where there is none."""
        found = np.full(self.boards, -1, np.int32)
        counts = np.diff(self.offsets)
        found[self.order] = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        return found

    def span(self, prefix: bytes) -> tuple[int, int]:
        """Numbers, from and to, of the auctions that begin with some calls."""
        if not prefix:
            return 0, len(self.auctions)
        places = range(len(self.auctions))
        start = bisect_left(places, prefix, key=self.auctions.__getitem__)
        return start, bisect_left(places, prefix + _ABOVE, start, key=self.auctions.__getitem__)

    def matching(self, written: WrittenAuction) -> NDArray[np.int64]:
        """Numbers of the auctions that are asked for, ascending."""
        if written.regex is None:
            return np.arange(*self.span(written.prefix))
        found = [np.zeros(0, np.int64)]
        for start, stop in map(self.span, written.heads()):
            # codes are below 128, so that each is a character by itself
            texts = self.auctions.slice(start, stop - start).cast(pl.String)
            found.append(start + np.flatnonzero(texts.str.contains(written.regex).to_numpy()))
        return np.concatenate(found)

    def rows(self, start: int, stop: int) -> U32:
        """Rows of the auctions from one number to another, ascending."""
        return np.sort(self.order[self.offsets[start] : self.offsets[stop]])

    def rows_of(self, written: WrittenAuction) -> U32:
        """Rows of the boards whose auction is asked for, ascending."""
        numbers = self.matching(written)
        if not len(numbers):
            return _NO_ROWS
        # auctions that stand side by side have their rows in one run
        first = np.flatnonzero(np.diff(numbers, prepend=-2) != 1)
        starts = self.offsets[numbers[first]]
        ends = self.offsets[numbers[np.append(first[1:], len(numbers)) - 1] + 1]
        runs = [self.order[start:end] for start, end in zip(starts, ends, strict=True)]
        return np.sort(np.concatenate(runs))

    def auctions_of(self, rows: U32) -> pl.Series:
        """Auctions of some rows, List(UInt8); null where there is none."""
        numbers = self.numbers[rows]
        different, which = np.unique(numbers, return_inverse=True)
        written = [None if one < 0 else list(self.auctions[one]) for one in different.tolist()]
        return pl.Series("auction", written, pl.List(pl.UInt8)).gather(which)

    def count(self, written: WrittenAuction) -> int:
        """How many boards have an auction that is asked for."""
        found = self.matching(written)
        return int((self.offsets[found + 1] - self.offsets[found]).sum())

    def next_calls(self, prefix: bytes) -> dict[int, int]:
        """Find the calls that follow some calls, ascending, and how many boards go on so."""
        start, stop = self.span(prefix)
        found: dict[int, int] = {}
        while start < stop:
            auction = self.auctions[start]
            if len(auction) == len(prefix):
                start += 1
                continue
            call = auction[len(prefix)]
            _, end = self.span(auction[: len(prefix) + 1])
            found[call] = int(self.offsets[end] - self.offsets[start])
            start = end
        return found
