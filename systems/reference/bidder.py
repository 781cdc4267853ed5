"""Deals bid by the definition, one after the other.

A :class:`ReferenceBidder` has what :class:`~bidcascade.systems.auctions.bidder.Bidder` has for
those who bid deals to the end, list the auctions of deals or ask for one call.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import FIRST_BID, PASS, Auction, IllegalCall, InvalidCall
from bidcascade.kernels import Backend, Context, DealArrays
from bidcascade.kernels.types import I32, I64, U8
from bidcascade.systems.auctions.allowed import CUTS, Listing, ListingBounds
from bidcascade.systems.auctions.bidder import (
    NO_ENTRY,
    BidDeals,
    BiddingLevel,
    Calls,
    FinishedAuctions,
    Instead,
    Made,
)
from bidcascade.systems.language.auctions.patterns import Bindings
from bidcascade.systems.language.tree.syntax_tree import Condition
from bidcascade.systems.places.places import Place, PlaceEntry, Rules
from bidcascade.table.columns import joined_bytes, offsets_of
from bidcascade.table.language.expression_tree import Expression

from .allowed_auctions import fitting, hand_at, held_auctions
from .place_entries import Expander, constraint_of

_MOST_STATES: Final = 4096
"""A state takes some 10 kB."""
_MOST_PLACES: Final = 1 << 16
"""Beyond them places get new numbers."""


class ReferenceSide:
    """One system, and its entries by numbers, which they get as somebody asks for them.

    What callers ask of a :class:`~bidcascade.systems.auctions.program.SystemProgram` they may ask
    of it too.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._entries: list[PlaceEntry] = []
        self._numbers: dict[int, int] = {}
        self._foreign: set[int] = set()

    def number_of(self, entry: PlaceEntry) -> int:
        """Give the number of an entry, which is kept from now on."""
        number = self._numbers.setdefault(id(entry), len(self._entries))
        if number == len(self._entries):
            self._entries.append(entry)
        return number

    def add_entry(self, call: int, criteria: tuple[Expression, ...], name: str) -> PlaceEntry:
        """Entry that stands in no text, for what overlays make of a place."""
        constraint = constraint_of(criteria, self.rules.vocabulary)
        line = self.rules.places.lines[0].line
        entry = PlaceEntry(
            call, 0, name, line.where, constraint, (), None, line, 0, {}, (0, 0, 0, 0)
        )
        self._foreign.add(self.number_of(entry))
        return entry

    def is_foreign(self, number: int) -> bool:
        """Whether an entry stands in no text."""
        return number in self._foreign

    def name(self, number: int) -> str:
        """Name of the rule behind an entry."""
        return self._entries[number].name

    def names_of(self, numbers: NDArray[np.int64]) -> list[str]:
        """Names of the rules behind entries."""
        return [self._entries[number].name for number in numbers.tolist()]

    def entry(self, number: int, rank: int) -> PlaceEntry:
        """Entry as an object, with its rank at a place."""
        entry = self._entries[number]
        return entry if entry.rank == rank else replace(entry, rank=rank)


class ReferenceBidder:
    r"""Places of two systems; safe to use from several threads.

    Parameters
    ----------
    dealer_side, other_side
        Systems of the players at positions 0 and 2, and at 1 and 3.
    instead
        By auction, what is chosen from there in place of the system's entries: calls with their
        criteria and names, in order.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> from bidcascade.systems.system import System
    >>> system = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced")
    >>> made = ReferenceBidder(system.rules).call((), parse_hand("AK5.Q32.KJ52.Q97"), Context())
    >>> made.call, made.by_default
    (7, 0)
    """

    def __init__(
        self,
        dealer_side: Rules,
        other_side: Rules | None = None,
        *,
        instead: Mapping[Calls, Instead] | None = None,
    ) -> None:
        self.reader = Expander(dealer_side, other_side, most_cached=_MOST_STATES)
        """Places and states by the definition."""
        side = ReferenceSide(dealer_side)
        is_one = other_side in (None, dealer_side)
        self.sides = (side, side if is_one else ReferenceSide(self.reader.sides[1]))
        self._instead = {
            calls: tuple(self.sides[len(calls) & 1].add_entry(*one) for one in entries)
            for calls, entries in (instead or {}).items()
        }
        self.lock = threading.RLock()
        self.start_over()

    def start_over(self) -> None:
        """Give places new numbers; those of entries stay."""
        self._auctions: list[Calls] = [()]
        self._numbers: dict[Calls, int] = {(): 0}
        self.store = _Numbering()

    def _limit_places(self) -> None:
        if self.count > _MOST_PLACES:
            self.start_over()

    # --- places -----------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """Places so far."""
        return len(self._auctions)

    def reach(self, calls: Sequence[int]) -> int:
        """Find the place behind a legal auction that goes on."""
        calls = tuple(calls)
        with self.lock:
            number = self._numbers.setdefault(calls, self.count)
            if number == self.count:
                self._auctions.append(calls)
            return number

    def auction_of(self, place: int) -> Calls:
        """Give the calls that lead to a place."""
        return self._auctions[place]

    def lowered(self, condition: Condition, calls: Sequence[int], bindings: Bindings) -> Expression:
        """Find what a condition becomes behind calls, of the text of the player to call."""
        return self.reader.lowered(condition, calls, bindings)

    def place(self, calls: Sequence[int]) -> Place:
        """Tell what the system of the player to call says after a legal auction that goes on."""
        return self.reader.place(calls)

    def _entries(self, calls: Calls) -> Sequence[PlaceEntry]:
        """Find what is chosen from: entries of the system, or what overlays make of them."""
        changed = self._instead.get(calls)
        return self.place(calls).entries if changed is None else changed

    def entry_count_at(self, place: int) -> int:
        """Entries that are chosen from at a place."""
        return len(self._entries(self.auction_of(place)))

    def name(self, place: int, entry: int) -> str:
        """Name of the rule that made a call at a place; empty for a pass by default."""
        return "" if entry < 0 else self.sides[len(self.auction_of(place)) & 1].name(entry)

    # --- calls ------------------------------------------------------------------------------------

    def call(self, calls: Sequence[int], hand: int, context: Context) -> Made | None:
        """Call of one hand after an auction, and what makes it; None if it is illegal or over."""
        try:
            if Auction.of(calls).is_complete:
                return None
        except (IllegalCall, InvalidCall):
            return None
        with self.lock:
            self._limit_places()
            return self._call(tuple(calls), hand, context)

    def _call(self, calls: Calls, hand: int, context: Context) -> Made:
        side, entries = self.sides[len(calls) & 1], self._entries(calls)
        place, forced = self.reach(calls), int(self.place(calls).forced)
        entry = next(fitting(entries, hand, context, side.rules.vocabulary), None)
        if entry is None:
            return Made(place, NO_ENTRY, PASS, 1, forced)
        return Made(place, side.number_of(entry), entry.call, 0, forced)

    def bid(
        self, deals: DealArrays, calls: Sequence[int] = (), *, backend: Backend | None = None
    ) -> BidDeals:
        """Bid deals to the end from a place on, whatever the backend."""
        with self.lock:
            self._limit_places()
            place, entry = np.full((2, len(deals)), NO_ENTRY, np.int32)
            defaults = np.zeros(len(deals), np.uint16)
            for deal in range(len(deals)):
                for made in self._to_the_end(deals, deal, calls):
                    place[deal], entry[deal] = made.place, made.entry
                    defaults[deal] += made.by_default
            return BidDeals(place, entry, defaults)

    def _to_the_end(self, deals: DealArrays, deal: int, calls: Sequence[int]) -> Iterator[Made]:
        auction = Auction.of(calls)
        while not auction.is_complete:
            made = self._call(auction.calls, *hand_at(deals, deal, len(auction.calls)))
            yield made
            auction = auction.add(made.call)

    def steps(self, deals: DealArrays, calls: Sequence[int] = ()) -> Iterator[BiddingLevel]:
        """Bid deals to the end as :meth:`bid` does, and give what happens at every level."""
        with self.lock:
            on = {deal: self._to_the_end(deals, deal, calls) for deal in range(len(deals))}
            while True:
                made = {deal: next(rest, None) for deal, rest in on.items()}
                found = {deal: one for deal, one in made.items() if one is not None}
                if not found:
                    return
                on = {deal: on[deal] for deal in found}
                place, entry, call = zip(*(one[:3] for one in found.values()), strict=True)
                yield BiddingLevel(
                    np.array([*found], np.int64),
                    np.array(place, np.int32),
                    np.array(entry, np.int32),
                    np.array(call, np.uint8),
                )

    # --- auctions ---------------------------------------------------------------------------------

    def ending_with(self, places: I32, calls: U8) -> list[bytes]:
        """Auctions that end with a call at each of some places, as bytes of codes."""
        found = zip(places.tolist(), calls.tolist(), strict=True)
        return [bytes((*self.auction_of(place), call)) for place, call in found]

    def calls_ending_with(self, places: I32, calls: U8) -> tuple[I64, U8]:
        """Give the same joined: where each begins and the last ends, and all codes."""
        return joined_bytes(self.ending_with(places, calls))

    def endings(self, places: I32) -> FinishedAuctions:
        """Auctions that end with a pass at each of some places, as :meth:`bid` gives them."""
        auctions = self.ending_with(places, np.full(len(places), PASS, np.uint8))
        ends = np.array([*map(_contract_and_declarer, auctions)], np.uint8).reshape(-1, 2)
        return FinishedAuctions(*joined_bytes(auctions), *np.ascontiguousarray(ends.T))

    def list_allowed(self, deals: DealArrays, bounds: ListingBounds) -> Listing:
        """List the auctions of deals as :func:`~.allowed.list_allowed` does.

        The caller holds the lock as long as it uses the answer.
        """
        self._limit_places()
        rules = self.reader.sides
        whole = [
            held_auctions(self._entries, rules, deals, deal, bounds) for deal in range(len(deals))
        ]
        auctions = [one for found, _ in whole for one in found]
        held = [
            [self.sides[(len(one.calls) - 1) & 1].number_of(entry) for entry in one.entries]
            for one in auctions
        ]
        return Listing(
            offsets_of([len(found) for found, _ in whole], np.int64),
            np.array([CUTS.index(cut) for _, cut in whole], np.uint8),
            np.array([self.reach(one.calls[:-1]) for one in auctions], np.int32),
            np.array([one.calls[-1] for one in auctions], np.uint8),
            np.array([one.completed for one in auctions], np.bool_),
            offsets_of([*map(len, held)], np.int64),
            np.array([number for numbers in held for number in numbers], np.int32),
        )


class _Numbering:
    """What numbers of places are good for: another object as soon as they mean something else."""


def _contract_and_declarer(calls: bytes) -> tuple[int, int]:
    """Tell what an auction leads to, as :class:`.FinishedAuctions` does."""
    auction = Auction.of(calls)
    if auction.declarer is None:
        return 0, 4
    return 1 + 3 * (auction.last_bid - FIRST_BID) + auction.doubling, int(auction.declarer)
