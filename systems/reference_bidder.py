"""The places of two systems by their definition, one deal after the other.

A :class:`ReferenceBidder` has what a :class:`~.bidder.Bidder` has for those who bid deals to the end,
list the auctions of deals or ask for one call. The backend ``reference`` bids with it, and every
backend where there is no core.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import FIRST_BID, PASS, Auction, IllegalCall, InvalidCall
from bidcascade.kernels import Backend, Context, DealArrays
from bidcascade.kernels.types import U8
from bidcascade.table.language.explain import HandValues
from bidcascade.table.language.expression_tree import Expression

from .bidder import NO_ENTRY, BidDeals, Calls, Endings, Instead, Made, Step
from .choice import fits
from .expansion import Expander, Place, PlaceEntry, Rules
from .system import context_at

I32 = NDArray[np.int32]

_MOST_PLACES: Final = 100_000
"""As many as an expander keeps; beyond them places get new numbers."""


class ForeignEntry(NamedTuple):
    """Entry that stands in no text: what overlays made of a place."""

    call: int
    criteria: tuple[Expression, ...]
    name: str


AnyEntry = PlaceEntry | ForeignEntry


class ReferenceSide:
    """One system and the numbers of its entries, as :class:`~.program.SystemProgram` has them.

    Entries get numbers as somebody asks for them.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._entries: list[AnyEntry] = []
        self._numbers: dict[int, int] = {}

    def number_of(self, entry: AnyEntry) -> int:
        """Give the number of an entry, which is kept."""
        # by what it is: the same entry of another place is looked for nowhere
        number = self._numbers.setdefault(id(entry), len(self._entries))
        if number == len(self._entries):
            self._entries.append(entry)
        return number

    def is_foreign(self, number: int) -> bool:
        """Whether an entry stands in no text."""
        return isinstance(self._entries[number], ForeignEntry)

    def name(self, number: int) -> str:
        """Name of the rule behind an entry."""
        return self._entries[number].name

    def entry(self, number: int, rank: int) -> PlaceEntry:
        """Entry as an object, with its rank at a place."""
        entry = self._entries[number]
        assert isinstance(entry, PlaceEntry)
        return entry if entry.rank == rank else replace(entry, rank=rank)


class ReferenceBidder:
    r"""Bids as :class:`~.bidder.Bidder` does, whose methods it has as far as they are needed here.

    Parameters
    ----------
    expander
        The definition.
    instead
        By auction, what is chosen from there in place of the system's entries.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> from .system import System
    >>> system = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced")
    >>> made = ReferenceBidder(system.expander()).call((), parse_hand("AK5.Q32.KJ52.Q97"), Context())
    >>> made.call, made.by_default
    (7, 0)
    """

    def __init__(
        self, expander: Expander, *, instead: Mapping[Calls, Instead] | None = None
    ) -> None:
        self._expander = expander
        self._instead = {
            calls: tuple(ForeignEntry(*one) for one in entries)
            for calls, entries in (instead or {}).items()
        }
        first, other = expander.sides
        side = ReferenceSide(first)
        self.sides = (side, side if other is first else ReferenceSide(other))
        self.lock = threading.RLock()
        self.start_over()

    def start_over(self) -> None:
        """Give places new numbers; those of entries stay."""
        self._auctions: list[Calls] = [()]
        self._numbers: dict[Calls, int] = {(): 0}
        self.store = _Numbering()

    def keep_few(self) -> None:
        """Start over if there are many places; for who needs no numbers from before."""
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

    def place(self, calls: Sequence[int]) -> Place:
        """Tell what the system of the player to call says after a legal auction that goes on."""
        return self._expander.place(calls)

    def options(self, calls: Calls) -> Sequence[AnyEntry]:
        """Entries that are chosen from: those of the system, or what overlays make of them."""
        changed = self._instead.get(calls)
        return self.place(calls).entries if changed is None else changed

    def held(self, calls: Calls, hand: int, context: Context) -> Iterator[AnyEntry]:
        """Entries that a hand fits, in order."""
        vocabulary = self.sides[len(calls) & 1].rules.vocabulary
        values = HandValues(hand, vocabulary, context)
        for entry in self.options(calls):
            if fits(entry, hand, context, vocabulary, values=values):
                yield entry

    def entry_count_at(self, place: int) -> int:
        """Entries that are chosen from at a place."""
        return len(self.options(self.auction_of(place)))

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
            return self._call(tuple(calls), hand, context)

    def _call(self, calls: Calls, hand: int, context: Context) -> Made:
        place, forced = self.reach(calls), int(self.place(calls).forced)
        for entry in self.held(calls, hand, context):
            number = self.sides[len(calls) & 1].number_of(entry)
            return Made(place, number, entry.call, 0, forced)
        return Made(place, NO_ENTRY, PASS, 1, forced)

    def bid(
        self, deals: DealArrays, calls: Sequence[int] = (), *, backend: Backend | None = None
    ) -> BidDeals:
        """Bid deals to the end from a place on, whatever the backend."""
        with self.lock:
            self.keep_few()
            count = len(deals)
            place, entry = np.full((2, count), NO_ENTRY, np.int32)
            defaults = np.zeros(count, np.uint16)
            for deal in range(count):
                for made in self._to_the_end(deals, deal, tuple(calls)):
                    place[deal], entry[deal] = made.place, made.entry
                    defaults[deal] += self._is_default(made)
            return BidDeals(place, entry, defaults)

    def _to_the_end(self, deals: DealArrays, deal: int, calls: Calls) -> Iterator[Made]:
        auction = Auction.of(calls)
        while not auction.is_complete:
            made = self._call(auction.calls, *hand_at(deals, deal, len(auction.calls)))
            yield made
            auction = auction.add(made.call)

    def _is_default(self, made: Made) -> bool:
        """Whether a hand passes though the place has a pass with conditions."""
        options = self.options(self.auction_of(made.place))
        return made.entry < 0 and any(entry.call == PASS for entry in options)

    def steps(self, deals: DealArrays, calls: Sequence[int] = ()) -> Iterator[Step]:
        """Bid deals to the end as :meth:`bid` does, and give what happens at every level."""
        with self.lock:
            going_on = dict(enumerate(self._to_the_end(deals, deal, tuple(calls))
                                      for deal in range(len(deals))))  # fmt: skip
            while True:
                made = {deal: next(one, None) for deal, one in going_on.items()}
                found = {deal: one for deal, one in made.items() if one is not None}
                if not found:
                    return
                going_on = {deal: going_on[deal] for deal in found}
                place, entry, call = zip(*(one[:3] for one in found.values()), strict=True)
                yield Step(
                    np.array([*found], np.int64), np.array(place, np.int32),
                    np.array(entry, np.int32), np.array(call, np.uint8),
                )  # fmt: skip

    # --- auctions ---------------------------------------------------------------------------------

    def ending_with(self, places: I32, calls: U8) -> list[bytes]:
        """Auctions that end with a call at each of some places, as bytes of codes."""
        found = zip(places.tolist(), calls.tolist(), strict=True)
        return [bytes((*self.auction_of(place), call)) for place, call in found]

    def endings(self, places: I32) -> Endings:
        """Auctions that end with a pass at each of some places, as :meth:`bid` gives them."""
        with self.lock:
            auctions = self.ending_with(places, np.full(len(places), PASS, np.uint8))
        offsets = np.zeros(len(auctions) + 1, np.int64)
        np.cumsum([*map(len, auctions)], out=offsets[1:])
        calls = np.frombuffer(b"".join(auctions), np.uint8)
        ends = np.array([*map(_contract_and_declarer, auctions)], np.uint8).reshape(-1, 2)
        return Endings(offsets, calls, *np.ascontiguousarray(ends.T))


class _Numbering:
    """What numbers of places are good for: another object as soon as they mean something else."""


def hand_at(deals: DealArrays, deal: int, depth: int) -> tuple[int, Context]:
    """Hand that is to call after so many calls of a deal, with its seat and vulnerability."""
    dealer, sides = int(deals.dealer[deal]), int(deals.vulnerability[deal])
    return int(deals.hands[(dealer + depth) % 4, deal]), context_at(depth, dealer, sides)


def _contract_and_declarer(calls: bytes) -> tuple[int, int]:
    """Ends as :class:`~.bidder.Endings` has them."""
    auction = Auction.of(calls)
    if auction.declarer is None:
        return 0, 4
    return 1 + 3 * (auction.last_bid - FIRST_BID) + auction.doubling, int(auction.declarer)
