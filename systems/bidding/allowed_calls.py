"""What boards may call behind an auction, by a system or by a table, asked in one way."""

import hashlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from bidcascade.kernels import DealArrays, cpu
from bidcascade.kernels.core import functions
from bidcascade.kernels.types import U32, U64, Bools
from bidcascade.systems.auctions.allowed import masks_at, members
from bidcascade.systems.auctions.bidder import Bidder, PackedHands
from bidcascade.systems.auctions.program import SystemProgram
from bidcascade.systems.digests import code_digest
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.columns import offsets_of
from bidcascade.table.language.vocabulary import Vocabulary

Criteria = tuple[str, ...]


class AllowedCalls(Protocol):
    """What some boards may call; rows are numbers of boards, from 0, ascending."""

    def __len__(self) -> int:
        """How many boards there are."""

    def digests(self, auctions: Sequence[bytes]) -> list[bytes]:
        """Digest of what decides who may make the next call, behind each auction that goes on."""

    def behind(self, auction: bytes, rows: U32) -> list[tuple[int, U32]]:
        """Find the calls behind an auction, ascending, each with those rows that may make it."""

    def members(self, auction: bytes, *, known: int = 0) -> Bools:
        """Which boards may bid a legal auction, if all may bid its first ``known`` calls."""


class SystemCalls:
    """What boards may call by a system, or by two against each other.

    Parameters
    ----------
    bidder
        May be used by others meanwhile.
    deals
        Boards, hands of which are packed when they are first asked for.

    Examples
    --------
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.systems.system import System
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> zeros = np.zeros(100, np.uint8)
    >>> calls = SystemCalls(system.bidder(), DealArrays(deal_hands(1, 0, 100), zeros, zeros))
    >>> [(call, len(rows)) for call, rows in calls.behind(b"", np.arange(100, dtype=np.uint32))]
    [(0, 100), (7, 5)]
    """

    def __init__(self, bidder: Bidder, deals: DealArrays) -> None:
        self._bidder = bidder
        self._deals = deals
        self._packed: PackedHands | None = None

    def __len__(self) -> int:
        return len(self._deals)

    def digests(self, auctions: Sequence[bytes]) -> list[bytes]:
        """See :class:`AllowedCalls`; two texts that say the same have the same digest."""
        bidder = self._bidder
        found: dict[tuple[int, int], bytes] = {}
        with bidder.walking():
            wanted = []
            for auction in auctions:
                side = bidder.sides[len(auction) & 1]
                place = bidder.reach(auction)
                which = int(bidder.store.chosen[place])
                if (id(side), which) not in found:
                    entries = bidder.entries_of_list(which)
                    rules = {_call_and_criteria(side, entry) for entry in entries}
                    found[id(side), which] = _digest(side.rules.vocabulary, "pass", rules)
                wanted.append((id(side), which))
        return [found[one] for one in wanted]

    def behind(self, auction: bytes, rows: U32) -> list[tuple[int, U32]]:
        """See :class:`AllowedCalls`."""
        bidder, who = self._bidder, rows.view(np.int32)
        with bidder.lock:
            place = bidder.reach(auction)
            if self._packed is not None and self._packed.packings != bidder.packings:
                # two of them may not fit the memory
                self._packed = None
            self._packed = bidder.packed(self._deals, self._packed)
            there = np.full(len(who), place, np.int32)
            found = masks_at(bidder, self._packed.words, len(auction), there, who)
        counts = functions.count_calls(np.array([0, len(who)]), found)
        first = offsets_of(counts[0], np.int64)
        deals = np.empty(int(first[-1]), np.int32)
        functions.deals_by_call(found, who, first[:-1].copy(), deals)
        return [
            (call, deals[start:stop].view(np.uint32))
            for call, (start, stop) in enumerate(pairwise(first.tolist()))
            if start < stop
        ]

    def members(self, auction: bytes, *, known: int = 0) -> Bools:
        """See :class:`AllowedCalls`."""
        return members(self._bidder, self._deals, [tuple(auction)], known=known)[0]


class TableCalls:
    """What boards may call by a table.

    Parameters
    ----------
    table
        Of any kind; nobody may bid what is not in it.
    deals
        Boards, hands of which are packed when they are first asked for.

    Examples
    --------
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}])
    >>> zeros = np.zeros(100, np.uint8)
    >>> calls = TableCalls(table, DealArrays(deal_hands(1, 0, 100), zeros, zeros))
    >>> [(call, len(rows)) for call, rows in calls.behind(b"", np.arange(100, dtype=np.uint32))]
    [(7, 16)]
    """

    def __init__(self, table: BiddingTable, deals: DealArrays) -> None:
        self._table = table
        self._deals = deals
        self._packed: U64 | None = None

    def __len__(self) -> int:
        return len(self._deals)

    def digests(self, auctions: Sequence[bytes]) -> list[bytes]:
        """See :class:`AllowedCalls`."""
        table = self._table
        return [
            _digest(
                table.vocabulary,
                table.undescribed,
                (
                    (int(table.call[entry]), one)
                    for entry in self._entries(auction)
                    for one in self._criteria(entry)
                ),
            )
            for auction in auctions
        ]

    def _criteria(self, entry: int) -> list[Criteria]:
        table = self._table
        lists = table.criteria_of_set(int(table.columns["variant_set"][entry]))
        return list(map(table.criteria, lists)) or [()]

    def _entries(self, auction: bytes) -> range:
        entry = self._table.find(auction) if auction else None
        return range(0) if auction and entry is None else self._table.children(entry)

    def behind(self, auction: bytes, rows: U32) -> list[tuple[int, U32]]:
        """See :class:`AllowedCalls`."""
        table, entries = self._table, self._entries(auction)
        if self._packed is None:
            self._packed = cpu.features(table.plan(), self._deals)
        words = self._packed[len(auction) & 3]
        calls = table.call[entries.start : entries.stop].tolist()
        passing = cpu.deals_that_pass(table.plan(), words, rows, entries)
        found = zip(calls, passing, strict=True)
        return sorted((one for one in found if len(one[1])), key=lambda one: one[0])

    def members(self, auction: bytes, *, known: int = 0) -> Bools:
        """See :class:`AllowedCalls`."""
        if not auction:
            return np.ones(len(self), np.bool_)
        entry = self._table.find(auction)
        if entry is None:
            return np.zeros(len(self), np.bool_)
        return cpu.members(self._table.plan(), self._deals, [entry]).to_bools(0)


def _call_and_criteria(side: SystemProgram, entry: int) -> tuple[int, Criteria]:
    """Call of an entry, and its criteria as canonical text: all that says who may make it."""
    return side.call_of(entry), side.criteria_texts(entry)


def _digest(vocabulary: Vocabulary, otherwise: str, rules: Iterable[tuple[int, Criteria]]) -> bytes:
    """Digest of calls with their criteria, in any order, and of the code that reads them."""
    terms = vocabulary.profile, sorted(vocabulary.user_terms.items())
    text = repr((code_digest(), terms, otherwise, sorted(rules)))
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
