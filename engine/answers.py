"""What is asked of deals, and answers as frames: entry numbers become calls and contracts."""

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from bidcascade.bridge import CALL_TEXTS, DOUBLE, FIRST_BID, REDOUBLE, STRAINS
from bidcascade.kernels import NO_ENTRY, DealArrays, EntryLists, FirstAuctions
from bidcascade.kernels.arrow import ArrowColumn
from bidcascade.kernels.types import I64, U8, U16, U32, U64, Bools
from bidcascade.loaders import SEAT_ENUM
from bidcascade.systems.bidding.bidder_protocol import AnyBidder, Query
from bidcascade.systems.system import SystemPlaces
from bidcascade.table import COMPLETED, BiddingTable
from bidcascade.table.columns import joined_bytes, offsets_of

if TYPE_CHECKING:
    from bidcascade.systems.auctions.allowed import CountedAuctions, Listing
    from bidcascade.systems.auctions.bidder import BidDeals


_SMALL_TABLE = 1 << 18
"""Tables of up to so many entries get the texts of all their auctions once and for all."""
_ROWS_AT_ONCE = 1 << 16
_NO_CALL = 255
_CALL_LENGTHS: Final = np.array([len(text) + 1 for text in CALL_TEXTS], np.uint8)
_CALL_LETTERS: Final = np.array([[*text.encode().ljust(3)] for text in CALL_TEXTS], np.uint8)
"""Texts of calls with a space behind each, as letters."""
_PASSED_OUT = 4
"""Stands for "no declarer" among declarers counted from the dealer (0-3)."""
CONTRACT_TEXTS = [
    "Pass",
    *(
        f"{level}{strain}{doubling}"
        for level in range(1, 8)
        for strain in STRAINS
        for doubling in ("", "X", "XX")
    ),
]


def distinct(numbers: U32, size: int) -> tuple[I64, U32]:
    """Distinct numbers, ascending, and for each number its place among them.

    Parameters
    ----------
    numbers : uint32 [n]
        All below ``size``.

    Examples
    --------
    >>> distinct(np.array([7, 3, 7], np.uint32), 8)
    (array([3, 7]), array([1, 0, 1], dtype=uint32))
    """
    if len(numbers) * 8 < size:
        found, inverse = np.unique(numbers, return_inverse=True)
        return found.astype(np.int64), inverse.astype(np.uint32)
    used = np.zeros(size, np.bool_)
    used[numbers] = True
    marked = np.flatnonzero(used)
    place = np.zeros(size, np.uint32)
    place[marked] = np.arange(len(marked), dtype=np.uint32)
    return marked, place[numbers]


class EntryColumns:
    """Columns that describe entries of one table, each distinct entry worked out once.

    Parameters
    ----------
    bidder : AnyBidder
        The table is its own; it is asked for it when there are entries to be described.
    """

    def __init__(self, bidder: AnyBidder) -> None:
        self._bidder = bidder

    @property
    def _table(self) -> BiddingTable:
        return self._bidder.table

    @property
    def _is_small(self) -> bool:
        return len(self._table) <= _SMALL_TABLE

    def calls(self, entries: U32) -> pl.Series:
        """Auction of each entry as text, ``1N P 3N``."""
        if self._is_small:
            return self._all_texts.gather(entries)
        found, place = distinct(entries, len(self._table))
        return _texts(*joined_bytes(self._table.auctions_of(found))).gather(place)

    def completed(self, entries: U32) -> pl.Series:
        """Whether the auction that ends with each entry is complete."""
        return pl.Series("completed", (self._table.flags[entries] & COMPLETED) != 0)

    def finished(self, first: FirstAuctions, dealer: U8) -> pl.DataFrame:
        """Whole auctions of mode ``first`` with what they lead to.

        Parameters
        ----------
        first : FirstAuctions
        dealer : uint8 [n]

        Returns
        -------
        polars.DataFrame
            ``auction`` List(UInt8), ``contract`` (``Pass`` if passed out), ``declarer`` (null
            then); one row a deal.
        """
        # the passes that follow depend on the entry alone, so entries are keys enough
        size = len(self._table)
        if self._is_small:
            key = np.minimum(first.entry, np.uint32(size))
            endings, relative = self._all_endings
        else:
            found, key = distinct(np.minimum(first.entry, np.uint32(size)), size + 1)
            passes = np.zeros(len(found), np.uint8)
            passes[key] = first.passes
            # nobody has bid there, whatever has become of these deals
            passes[found == size] = 4
            endings, relative = self._endings(found, passes)
        return _for_deals(endings, relative, key.astype(np.uint32), dealer)

    @cached_property
    def _all_texts(self) -> pl.Series:
        return _texts(*joined_bytes(self._table.auctions_of(np.arange(len(self._table)))))

    @cached_property
    def _all_endings(self) -> tuple[pl.DataFrame, U8]:
        entries = np.arange(len(self._table) + 1)
        return self._endings(entries, None)

    def _endings(self, entries: I64, passes: U8 | None) -> tuple[pl.DataFrame, U8]:
        """Auctions, contracts and declarers (from the dealer) of distinct entries."""
        # the size of the table stands for "no entry": passed out
        frames, declarers = [], []
        for start in range(0, max(1, len(entries)), _ROWS_AT_ONCE):
            chosen = entries[start : start + _ROWS_AT_ONCE]
            known = chosen[chosen < len(self._table)]
            written = self._table.auctions_of(known)
            written += [b""] * (len(chosen) - len(known))
            frame, declarer = _endings_of(
                written, None if passes is None else passes[start : start + _ROWS_AT_ONCE]
            )
            frames.append(frame)
            declarers.append(declarer)
        return pl.concat(frames), np.concatenate(declarers)


ALLOWED_SCHEMA: Final = pl.Schema(
    {
        "deal": pl.UInt32(), "entry": pl.UInt32(), "calls": pl.String(), "completed": pl.Boolean(),
        "variants": pl.List(pl.String()), "total": pl.UInt32(), "truncated": pl.Boolean(),
        "cut": pl.String(),
    }
)  # fmt: skip
"""Columns of mode ``all``, of tables and systems; a test compares the frames of both."""


class FrameWriter:
    """Writes answers as the frames of :meth:`bidcascade.engine.Engine.auctions`.

    Parameters
    ----------
    columns : EntryColumns
    query : Query
    first_deal : int
        Number of the first deal that is answered.
    """

    def __init__(self, columns: EntryColumns, query: Query, first_deal: int = 0) -> None:
        self._columns = columns
        self._first_deal = first_deal

    def entries(self, lists: EntryLists, deals: DealArrays) -> pl.DataFrame:
        """Write the entries of a table that hold for deals."""
        counts = np.diff(lists.offsets).astype(np.int64)
        begin = self._first_deal + lists.first_deal
        numbers = np.arange(begin, begin + len(counts), dtype=np.uint32)
        totals = lists.totals.astype(np.uint32)
        truncated = pl.Series("truncated", np.repeat(totals > counts, counts))
        rows = len(lists.entries)
        return pl.DataFrame(
            [
                pl.Series("deal", np.repeat(numbers, counts)),
                pl.Series("entry", lists.entries),
                self._columns.calls(lists.entries),
                self._columns.completed(lists.entries),
                pl.Series("variants", [None], pl.List(pl.String)).new_from_index(0, rows),
                pl.Series("total", np.repeat(totals, counts)),
                truncated,
            ]
        ).with_columns(pl.when(truncated).then(pl.lit("limit")).alias("cut"))

    def first(self, first: FirstAuctions, deals: DealArrays) -> pl.DataFrame:
        """Write the auctions that a table bids."""
        finished = self._columns.finished(first, deals.dealer)
        return _whole(
            finished, first.passes == 0, _has_entry(first), first.defaults, self._first_deal
        )

    def allowed(self, places: SystemPlaces, found: "Listing", first_deal: int) -> pl.DataFrame:
        """Write the auctions that a system allows."""
        return _allowed_frame(places, found, self._first_deal + first_deal)

    def bid(self, places: SystemPlaces, bid: "BidDeals", deals: DealArrays) -> pl.DataFrame:
        """Write the auctions that a system bids."""
        finished = _bid_endings(places, bid, deals.dealer)
        return _bid_frame(finished, bid.defaults, self._first_deal)


class BareWriter(FrameWriter):
    """Writes of a table no more than deal and entry; see :meth:`Engine.iter_entries`."""

    def entries(self, lists: EntryLists, deals: DealArrays) -> pl.DataFrame:
        """Write the entries that hold for deals."""
        counts = np.diff(lists.offsets).astype(np.int64)
        numbers = np.arange(lists.first_deal, lists.first_deal + len(counts), dtype=np.uint32)
        return pl.DataFrame({"deal": np.repeat(numbers, counts), "entry": lists.entries})


class CountFrames:
    """Writes counts as the frames of :meth:`bidcascade.engine.Engine.counts`.

    Parameters
    ----------
    columns : EntryColumns
    """

    def __init__(self, columns: EntryColumns) -> None:
        self._columns = columns

    def entry_counts(self, counts: U64) -> pl.DataFrame:
        """Write how many deals reach each entry of a table, those that some deal reaches."""
        entries: U32 = np.flatnonzero(counts).astype(np.uint32)
        return pl.DataFrame(
            [
                pl.Series("entry", entries),
                self._columns.calls(entries),
                pl.Series("count", counts[entries]),
            ]
        )

    def auction_counts(self, found: "CountedAuctions", least: int) -> pl.DataFrame:
        """Write auctions that enough deals may bid, and what they were looked for by."""
        return count_frame(found, least)


def count_frame(found: "CountedAuctions", least: int) -> pl.DataFrame:
    """Auctions that at least some deals may bid, with how many, as :meth:`Engine.counts` gives."""
    count = len(found.counts)
    return pl.DataFrame(
        [
            pl.Series("entry", [None], pl.UInt32).new_from_index(0, count),
            _texts(*joined_bytes(found.calls)),
            pl.Series("count", found.counts.astype(np.uint64)),
            pl.Series("least", [least], pl.UInt64).new_from_index(0, count),
            pl.Series("cut", [found.cut], pl.String).new_from_index(0, count),
        ]
    )


def _whole(
    finished: pl.DataFrame, completed: Bools, entry: pl.Series, defaults: U16, begin: int
) -> pl.DataFrame:
    return pl.DataFrame(
        [
            pl.Series("deal", np.arange(begin, begin + len(entry), dtype=np.uint32)),
            finished["auction"],
            pl.Series("completed", completed),
            entry,
            pl.Series("defaults", defaults),
            finished["contract"],
            finished["declarer"],
        ]
    )


def _bid_frame(finished: pl.DataFrame, defaults: U16, begin: int) -> pl.DataFrame:
    """Auctions of a system, which has no entry for each of them."""
    count = len(defaults)
    no_entry = pl.Series("entry", [None], pl.UInt32).new_from_index(0, count)
    return _whole(finished, np.ones(count, np.bool_), no_entry, defaults, begin)


def bid_frame(calls: U8, lengths: I64, defaults: U16, contract: U8, declarer: U8) -> pl.DataFrame:
    """Auctions of a system as :class:`FrameWriter` writes them, from arrays with a value a deal.

    Parameters
    ----------
    calls : uint8
        Of all auctions, one behind the other.
    lengths : int64 [n]
    defaults : uint16 [n]
    contract : uint8 [n]
        0 passed out, else ``1 + 3 * (bid - 3) + doubling``.
    declarer : uint8 [n]
        By compass, 4 for none.
    """
    finished = pl.DataFrame(
        [
            _call_lists(calls, lengths),
            pl.Series("contract", CONTRACT_TEXTS).gather(contract),
            SEATS_AND_NONE.gather(declarer),
        ]
    )
    return _bid_frame(finished, defaults, 0)


def _bid_endings(places: SystemPlaces, bid: "BidDeals", dealer: U8) -> pl.DataFrame:
    """Whole auctions that a system bids: ``auction``, ``contract``, ``declarer``, a row a deal."""
    # nobody else may use its places meanwhile
    there, which = np.unique(bid.place, return_inverse=True)
    found = places.endings(there)
    contracts = pl.Series("contract", CONTRACT_TEXTS).gather(found.contract)
    endings = pl.DataFrame([_call_lists(found.calls, np.diff(found.offsets)), contracts])
    return _for_deals(endings, found.declarer, which.astype(np.uint32), dealer)


def _allowed_frame(places: SystemPlaces, found: "Listing", first_deal: int) -> pl.DataFrame:
    from bidcascade.systems.auctions.allowed import CUTS

    counts = np.diff(found.offsets)
    keys = found.place.astype(np.int64) << 6 | found.call
    distinct_keys, which = np.unique(keys, return_inverse=True)
    offsets, calls = places.calls_ending_with(
        (distinct_keys >> 6).astype(np.int32), (distinct_keys & 63).astype(np.uint8)
    )
    # entries are numbered by each side's system for itself
    sides = (np.diff(offsets) - 1 & 1)[which]
    deals = np.arange(first_deal, first_deal + len(counts), dtype=np.uint32)
    # where a limit cut, one auction more was met
    totals = (counts + (found.cut == CUTS.index("limit"))).astype(np.uint32)
    cuts = pl.Series("cut", CUTS, dtype=pl.String).gather(found.cut.astype(np.uint32))
    return pl.DataFrame(
        [
            pl.Series("deal", np.repeat(deals, counts)),
            pl.Series("entry", [None], pl.UInt32).new_from_index(0, len(found.place)),
            _texts(offsets, calls).gather(which.astype(np.uint32)),
            pl.Series("completed", found.completed),
            _variants(places, found, sides),
            pl.Series("total", np.repeat(totals, counts)),
            pl.Series("truncated", np.repeat(found.cut != 0, counts)),
            cuts.gather(np.repeat(np.arange(len(counts), dtype=np.uint32), counts)),
        ]
    )


def _variants(places: SystemPlaces, found: "Listing", sides: I64) -> pl.Series:
    """Names of the entries that make each auction's last call, each once, in their order."""
    counts = np.diff(found.held_offsets)
    rows = np.repeat(np.arange(len(found.place)), counts)
    keys = (found.held << 1 | sides[rows]).astype(np.uint32)
    held, which = distinct(keys, int(keys.max(initial=0)) + 1)
    numbers: dict[str, int] = {"": 0}
    number_of = np.zeros(len(held), np.int64)
    for side in range(2):
        of_side = np.flatnonzero(held & 1 == side)
        names_here = places.sides[side].names_of(held[of_side] >> 1)
        number_of[of_side] = [numbers.setdefault(name, len(numbers)) for name in names_here]
    chosen = number_of[which]
    # an entry without a name is none; of one name only the first counts
    is_shown = chosen != 0
    several = np.flatnonzero(np.repeat(counts > 1, counts))
    _, first = np.unique(rows[several] * len(numbers) + chosen[several], return_index=True)
    is_shown[np.delete(several, first)] = False
    ends = np.cumsum(np.bincount(rows[is_shown], minlength=len(found.place)))
    offsets = np.concatenate([np.zeros(1, np.int64), ends])
    letters = _gathered([name.encode() for name in numbers], chosen[is_shown])
    names = ArrowColumn(b"U", int(offsets[-1]), [None, *letters])
    lists = ArrowColumn(b"+L", len(found.place), [None, offsets], [names])
    return pl.Series(lists).alias("variants")


def _gathered(words: list[bytes], which: I64) -> tuple[I64, U8]:
    """Chosen words, one behind the other: where each begins and the last ends, and the letters."""
    starts, letters = joined_bytes(words)
    lengths = np.diff(starts)[which]
    offsets = offsets_of(lengths, np.int64)
    moved = np.repeat(starts[which] - offsets[:-1], lengths)
    return offsets, letters[np.arange(offsets[-1]) + moved]


def _call_lists(calls: U8, lengths: I64) -> pl.Series:
    """Auctions as lists, from all their calls one behind the other."""
    rows = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    flat = pl.DataFrame({"row": rows, "auction": calls})
    return flat.group_by("row", maintain_order=True).agg("auction")["auction"]


def _for_deals(endings: pl.DataFrame, relative: U8, key: U32, dealer: U8) -> pl.DataFrame:
    """Give each deal its ending; declarers are counted from the dealer there."""
    declarer = relative[key]
    seats = (declarer + dealer) & 3
    frame = endings.select(pl.all().gather(pl.lit(pl.Series(key))))
    declarers = SEATS_AND_NONE.gather(np.where(declarer == _PASSED_OUT, 4, seats).astype(np.uint32))
    return frame.with_columns(declarers.alias("declarer"))


SEATS_AND_NONE = pl.Series("declarer", [*SEAT_ENUM.categories, None], dtype=SEAT_ENUM)


def _texts(ends: I64, calls: U8) -> pl.Series:
    """Texts of auctions, given by where each begins and the last ends, and the codes of all."""
    lengths = _CALL_LENGTHS[calls]
    # no space behind a last call
    lengths[ends[1:][np.diff(ends) > 0] - 1] -= 1
    is_written = np.arange(_CALL_LETTERS.shape[1], dtype=np.uint8) < lengths[:, None]
    letters = _CALL_LETTERS[calls][is_written]
    offsets = offsets_of(lengths, np.int64)
    texts = ArrowColumn(b"U", len(ends) - 1, [None, offsets[ends], letters])
    return pl.Series(texts).alias("calls")


def _endings_of(auctions: list[bytes], passes: U8 | None) -> tuple[pl.DataFrame, U8]:
    count = len(auctions)
    lengths = np.fromiter(map(len, auctions), np.int64, count)
    width = int(lengths.max(initial=0)) + 4
    number = np.arange(width)
    calls = np.full((count, width), _NO_CALL, np.uint8)
    calls[number < lengths[:, None]] = np.frombuffer(b"".join(auctions), np.uint8)

    is_bid = (calls >= FIRST_BID) & (calls != _NO_CALL)
    has_bid = is_bid.any(axis=1)
    if passes is None:
        is_other = (calls != 0) & (calls != _NO_CALL)
        trailing = np.where(
            is_other.any(axis=1), lengths - width + np.argmax(is_other[:, ::-1], axis=1), lengths
        )
        needed = np.where(has_bid, 3, 4)
        passes = np.maximum(0, needed - trailing).astype(np.uint8)
    whole = lengths + passes
    calls[(number >= lengths[:, None]) & (number < whole[:, None])] = 0

    last_bid = np.where(is_bid, calls, 0).max(axis=1)
    # bids rise, so the highest one stands once
    place = np.argmax(is_bid & (calls == last_bid[:, None]), axis=1)
    behind = number > place[:, None]
    doubling = np.where(
        (behind & (calls == REDOUBLE)).any(axis=1),
        2,
        (behind & (calls == DOUBLE)).any(axis=1).astype(np.int64),
    )
    strain = (calls.astype(np.int64) - FIRST_BID) % 5
    own_strain = is_bid & (strain == ((last_bid.astype(np.int64) - FIRST_BID) % 5)[:, None])
    same_side = (number - place[:, None]) % 2 == 0
    declarer = np.where(has_bid, np.argmax(own_strain & same_side, axis=1) % 4, _PASSED_OUT)
    contract = np.where(has_bid, 1 + 3 * (last_bid.astype(np.int64) - FIRST_BID) + doubling, 0)
    lists = _call_lists(calls[number < whole[:, None]], whole)
    contracts = pl.Series("contract", CONTRACT_TEXTS).gather(contract.astype(np.uint32))
    return pl.DataFrame([lists, contracts]), declarer.astype(np.uint8)


def _has_entry(first: FirstAuctions) -> pl.Series:
    """Entry numbers of mode ``first``, null where not even the first call is in the table."""
    entry = pl.Series("entry", first.entry)
    return entry.to_frame().select(pl.when(entry != NO_ENTRY).then(entry))["entry"]
