"""Deals bid to the end by a system from wherever a compiled table has left them."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import PASS, Seat, Vulnerability
from bidcascade.kernels import Backend, DealArrays
from bidcascade.kernels.types import U16

from .choice import choose
from .compile import Growth, Indices, Places, Sample
from .expansion import Expander, Place, Rules
from .state import State
from .system import context_at

FEW: Final = 2000
"""Up to so many deals are bid one by one: to work out conditions for all deals at once takes a
while for each condition, however few the deals."""

Lock = AbstractContextManager[bool]


class SharedExpander:
    """An expander that several threads may ask; the one that comes second waits.

    Parameters
    ----------
    expander
        Used by nobody else, or only behind the same lock.
    lock
        A reentrant one of its own if not given.

    Examples
    --------
    >>> from bidcascade.table.system.system import System
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> len(SharedExpander(system.expander()).place((0,)).entries)
    1
    """

    def __init__(self, expander: Expander, lock: Lock | None = None) -> None:
        self._expander = expander
        self._lock = threading.RLock() if lock is None else lock

    @property
    def sides(self) -> tuple[Rules, Rules]:
        """Systems of the dealer's side and of the other one."""
        return self._expander.sides

    def place(self, calls: Sequence[int]) -> Place:
        """Entries after a legal auction that goes on."""
        with self._lock:
            return self._expander.place(calls)

    def state(self, calls: Sequence[int]) -> State:
        """State after a legal auction."""
        with self._lock:
            return self._expander.state(calls)


@dataclass(frozen=True, slots=True)
class Ending:
    """How some auctions ended: all their calls, and the name of the rule that made the last one."""

    calls: tuple[int, ...]
    name: str


@dataclass(frozen=True, slots=True)
class BidOut:
    """Deals bid to the end.

    Parameters
    ----------
    endings
        The different ones.
    ending : int64 [n]
        Number of each deal's ending.
    defaults : uint16 [n]
        Passes that were made because no entry held, where the place has a pass with conditions
        (where it has none, the compiled table has the pass as an entry like others).
    """

    endings: tuple[Ending, ...]
    ending: NDArray[np.int64]
    defaults: U16


def seen_from_dealer(deals: DealArrays) -> DealArrays:
    """Turn deals so that position 0 deals: hands by position, sides likewise.

    Examples
    --------
    >>> deals = DealArrays(
    ...     np.array([[1], [2], [4], [8]], np.uint64), np.array([3], np.uint8),
    ...     np.array([2], np.uint8))
    >>> turned = seen_from_dealer(deals)
    >>> turned.hands[:, 0].tolist(), turned.dealer.tolist(), turned.vulnerability.tolist()
    ([8, 1, 2, 4], [0], [1])
    """
    seats = (deals.dealer[np.newaxis].astype(np.intp) + np.arange(4)[:, np.newaxis]) % 4
    hands = np.take_along_axis(deals.hands, seats, axis=0)
    sides = deals.vulnerability
    crossed = ((sides & 1) << 1) | (sides >> 1)
    turned = np.where(deals.dealer % 2 == 1, crossed, sides).astype(np.uint8)
    return DealArrays(hands, np.zeros(len(deals), np.uint8), turned)


def bid_on(
    places: Places,
    deals: DealArrays,
    front: Mapping[tuple[int, ...], Indices],
    *,
    backend: Backend | None = None,
) -> BidOut:
    """Bid deals to the end from where they are, as the system would call by call.

    Many deals that are at the same place are bid together.

    Parameters
    ----------
    places
        Expander of the systems of both sides.
    deals
        With any dealers and vulnerabilities.
    front
        Auctions, none of them over, with the numbers of the deals that have bid so; each deal
        once.
    backend
        Works out the conditions; cpu if not given.

    Examples
    --------
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.table.system.system import System
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Any: 0+ points")
    >>> zeros = np.zeros(2, np.uint8)
    >>> deals = DealArrays(deal_hands(1, 0, 2), zeros, zeros)
    >>> out = bid_on(system.expander(), deals, {(0,): np.array([0, 1])})
    >>> out.endings, out.ending.tolist()
    ((Ending(calls=(0, 7, 0, 0, 0), name=''),), [0, 0])
    """
    turned = seen_from_dealer(deals)
    endings: dict[Ending, int] = {}
    ending = np.full(len(deals), -1, np.int64)
    defaults = np.zeros(len(deals), np.uint16)
    if len(deals) <= FEW:
        for calls, numbers in front.items():
            for deal in numbers.tolist():
                found, defaults[deal] = _bid_alone(places, turned, deal, calls)
                ending[deal] = endings.setdefault(found, len(endings))
        return BidOut(tuple(endings), ending, defaults)
    growth = Growth(places, Sample(turned), front=front, backend=backend)
    for place, taken in growth.places():
        has_pass = any(entry.call == PASS for entry in place.entries)
        for entry, took in taken:
            if not len(took):
                continue
            if entry is None and has_pass:
                defaults[took] += 1
            call = PASS if entry is None else entry.call
            if place.state.auction.add(call).is_complete:
                found = Ending((*place.calls, call), "" if entry is None else entry.name)
                ending[took] = endings.setdefault(found, len(endings))
    return BidOut(tuple(endings), ending, defaults)


def _bid_alone(
    places: Places, deals: DealArrays, deal: int, calls: tuple[int, ...]
) -> tuple[Ending, int]:
    """Bid one deal, dealt by position 0, to the end; how, and the passes by default."""
    sides = Vulnerability(int(deals.vulnerability[deal]))
    hands: list[int] = deals.hands[:, deal].tolist()
    defaults = 0
    while True:
        place = places.place(calls)
        vocabulary = places.sides[len(calls) % 2].vocabulary
        context = context_at(len(calls), Seat.NORTH, sides)
        choice = choose(place, hands[len(calls) % 4], context, vocabulary)
        if choice.entry is None and any(entry.call == PASS for entry in place.entries):
            defaults += 1
        calls = (*calls, choice.call)
        if place.state.auction.add(choice.call).is_complete:
            return Ending(calls, "" if choice.entry is None else choice.entry.name), defaults
