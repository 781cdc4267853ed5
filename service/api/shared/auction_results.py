"""Auctions of a few or of many deals as JSON: each entry's piece is written once and put together.

A piece depends on the entry alone, except where an entry has several meanings, of which the hand
decides. So an answer costs a lookup for each auction, whether for one deal or for thousands.
"""

import json
from collections.abc import Sequence, Set
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import numpy as np

from bidcascade.bridge import CALL_TEXTS
from bidcascade.engine.engine import Engine
from bidcascade.engine.variant_checks import VariantChecks
from bidcascade.kernels import NO_ENTRY, DealArrays, EntryLists, FirstAuctions
from bidcascade.systems.bidding.bidder_protocol import Query
from bidcascade.systems.system import SystemPlaces
from bidcascade.table import COMPLETED, BiddingTable

if TYPE_CHECKING:
    from bidcascade.systems.auctions.allowed import Listing
    from bidcascade.systems.auctions.bidder import BidDeals

_ONE_AUCTION: Final = b'{"total":1,"truncated":false,"auctions":[%s]}'

MOST_PIECES: Final = 1 << 17
"""Entries of a table whose pieces are kept; the others are written each time."""

_BULK: Final = 64
"""From so many new entries on, their auctions are worked out together."""


class AuctionResults:
    """Writes what one engine found as the JSON objects of ``POST /v1/auctions``."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._pieces: dict[int, bytes] = {}
        self._pieces_by_meaning: dict[tuple[int, int], bytes] = {}
        self._pieces_of_system: WeakKeyDictionary[object, dict[tuple[int, ...], bytes]]
        self._pieces_of_system = WeakKeyDictionary()
        """By what the places in their keys are numbers of: threads have places of their own."""

    @property
    def _table(self) -> BiddingTable:
        # asked for by the answers of tables alone
        return self._engine.table

    @cached_property
    def _checks(self) -> VariantChecks:
        return VariantChecks(self._table, self._engine.plan, self._engine.bidder.backend)

    def write(self, deals: DealArrays, query: Query) -> list[bytes]:
        """Write the result of each deal as a JSON object."""
        return [*chain.from_iterable(self._engine.answers(deals, query, self))]

    def allowed(self, places: SystemPlaces, found: "Listing", first_deal: int) -> list[bytes]:
        """Write the auctions that a system allows, each different one once."""
        from bidcascade.systems.auctions.allowed import CUTS

        held: list[int] = found.held.tolist()
        ends: list[int] = found.held_offsets.tolist()
        keys = [
            (place, call, *held[ends[number] : ends[number + 1]])
            for number, (place, call) in enumerate(
                zip(found.place.tolist(), found.call.tolist(), strict=True)
            )
        ]
        pieces = self._pieces_of_system.setdefault(places.store, {})
        if len(pieces) > MOST_PIECES:
            pieces.clear()
        new = [number for number, key in enumerate(keys) if key not in pieces]
        auctions = places.ending_with(found.place[new], found.call[new])
        for number, calls in zip(new, auctions, strict=True):
            side = places.sides[(len(calls) - 1) & 1]
            names = (side.name(entry) for entry in keys[number][2:])
            pieces[keys[number]] = _piece(
                calls,
                None,
                list(dict.fromkeys(name for name in names if name)),
                completed=bool(found.completed[number]),
            )
        listed = [pieces[key] for key in keys]
        return [
            # where a limit cut, one auction more was met
            b'{"total":%d,"truncated":%s,"cut":%s,"auctions":[%s]}'
            % (
                stop - start + (CUTS[cut] == "limit"),
                b"true" if cut else b"false",
                json.dumps(CUTS[cut]).encode(),
                b",".join(listed[start:stop]),
            )
            for (start, stop), cut in zip(
                pairwise(found.offsets.tolist()), found.cut.tolist(), strict=True
            )
        ]

    def entries(self, lists: EntryLists, deals: DealArrays) -> list[bytes]:
        """Write the entries of a table that hold for deals."""
        entries: list[int] = lists.entries.tolist()
        distinct = set(entries)
        several = distinct & self._checks.entries
        pieces = self._pieces_of(distinct - several)
        which = self._checks.on(deals, several) if several else None
        written = []
        for deal, ((start, stop), total) in enumerate(
            zip(pairwise(lists.offsets.tolist()), lists.totals.tolist(), strict=True)
        ):
            auctions = b",".join(
                [
                    pieces[entry]
                    if which is None or entry not in several
                    else self._piece_of(entry, which(deal, entry))
                    for entry in entries[start:stop]
                ]
            )
            written.append(
                b'{"total":%d,"truncated":%s,"cut":%s,"auctions":[%s]}'
                % (total, *_WHETHER_CUT[total > stop - start], auctions)
            )
        return written

    def _pieces_of(self, entries: Set[int]) -> dict[int, bytes]:
        """Pieces of entries with one meaning."""
        new = [entry for entry in entries if entry not in self._pieces]
        if not new:
            return self._pieces
        flags: list[int] = self._table.flags[new].tolist()
        auctions = self._auctions_of(new)
        made = {
            entry: _piece(
                auctions[entry], entry, self._label(entry), completed=bool(flag & COMPLETED)
            )
            for entry, flag in zip(new, flags, strict=True)
        }
        if len(self._pieces) + len(made) > MOST_PIECES:
            return {**self._pieces, **made}
        self._pieces.update(made)
        return self._pieces

    def _auctions_of(self, entries: list[int]) -> dict[int, Sequence[int]]:
        if len(entries) < _BULK:
            return {entry: self._table.auction_of(entry) for entry in entries}
        return dict(zip(entries, self._table.auctions_of(np.array(entries)), strict=True))

    def _piece_of(self, entry: int, held: int) -> bytes:
        """Piece of an entry of which these variants hold."""
        piece = self._pieces_by_meaning.get((entry, held))
        if piece is None:
            calls, completed = self._table.auction_of(entry), self._table.is_completed(entry)
            piece = _piece(calls, entry, self._labels(entry, held), completed=completed)
            if len(self._pieces_by_meaning) < MOST_PIECES:
                self._pieces_by_meaning[entry, held] = piece
        return piece

    def first(self, first: FirstAuctions, deals: DealArrays) -> list[bytes]:
        """Write the auctions that a table bids."""
        entries: list[int] = first.entry.tolist()
        several = self._checks.entries.intersection(entries)
        which = self._checks.on(deals, several) if several else None
        auctions = self._auctions_of([entry for entry in {*entries} if entry != NO_ENTRY])
        written: list[bytes] = []
        for deal, entry in enumerate(entries):
            if entry == NO_ENTRY:
                piece = _PASSED_OUT
            else:
                if which is not None and entry in several:
                    labels = self._labels(entry, which(deal, entry))
                else:
                    labels = self._label(entry)
                calls = [*auctions[entry], *(0,) * int(first.passes[deal])]
                piece = _piece(calls, entry, labels, completed=True)
            written.append(_ONE_AUCTION % piece)
        return written

    def bid(self, places: SystemPlaces, bid: "BidDeals", deals: DealArrays) -> list[bytes]:
        """Write the auctions that a system bids, each different one once."""
        keys = list(zip(bid.place.tolist(), bid.entry.tolist(), strict=True))
        pieces = dict.fromkeys(keys, b"")
        endings = places.endings(np.array([place for place, _ in pieces], np.int32))
        codes = endings.calls.tobytes()
        for key, (start, stop) in zip(pieces, pairwise(endings.offsets.tolist()), strict=True):
            calls, entry = codes[start:stop], key[1]
            name = places.sides[(len(calls) - 1) & 1].name(entry) if entry >= 0 else ""
            pieces[key] = _ONE_AUCTION % _piece(
                calls, None, (name,) if name else (), completed=True
            )
        return [pieces[key] for key in keys]

    def _label(self, entry: int) -> Sequence[str]:
        label = self._table.name(entry) or self._table.description(entry)
        return (label,) if label else ()

    def _labels(self, entry: int, held: int) -> Sequence[str]:
        labels = self._checks.meanings(entry).labels
        fitting = (label for variant, label in enumerate(labels) if held >> variant & 1)
        return list(dict.fromkeys(label for label in fitting if label))


_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _piece(
    calls: Sequence[int], entry: int | None, labels: Sequence[str], *, completed: bool
) -> bytes:
    answer = {
        "calls": [CALL_TEXTS[call] for call in calls],
        "completed": completed,
        "entry": entry,
        "variants": labels,
    }
    return _encode(answer).encode()


_WHETHER_CUT: Final = ((b"false", b"null"), (b"true", b'"limit"'))
_PASSED_OUT: Final = _piece((0,) * 4, None, (), completed=True)
"""Auction of mode ``first`` where not even the first call is in the table."""
