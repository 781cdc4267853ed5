"""Deals that meet a script: random ones looked through, or rare ones drawn from what is counted."""

import threading
import time
from collections.abc import Callable, Iterator
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import (
    Cancelled,
    InvalidHand,
    InvalidScript,
    NoSuchDeal,
    Seat,
    TimedOut,
    Vulnerability,
)
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.inference.layouts.known import KnownCards
from bidcascade.inference.layouts.sampling import deal_where
from bidcascade.inference.layouts.searching import SearchLimits
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.types import U64

from .conditions import conditions_of
from .evaluation import BLOCK, BLOCK_SOLVED, Evaluation
from .script_tree import Script

MOST_GENERATED: Final = 1_000_000
"""Deals looked at unless the script says otherwise, as dealer does."""
PRINTED: Final = 40
COUNTED: Final = 100_000
"""Deals produced unless the script says otherwise, as dealer does: printed, or only counted."""
_FIRST: Final = 1024
"""Deals of the first block, from which the next are measured."""
_PILOT: Final = 1 << 16
"""Deals after which it is decided whether to draw rare ones instead."""
Progress = Callable[[int, int, int], object]


class Produced(NamedTuple):
    """Deals that meet a script.

    Attributes
    ----------
    hands : uint64 [4, n]
    generated : int
        Deals looked at.
    is_drawn : bool
        Whether these were drawn from what parts of the condition leave, and not from all deals:
        the share of them that meets the script says nothing then.
    """

    hands: U64
    generated: int
    is_drawn: bool


def produce(
    script: Script,
    *,
    seed: int,
    count: int | None = None,
    most: int | None = None,
    solver: DoubleDummy | None = None,
    until: float = float("inf"),
    cancel: threading.Event | None = None,
    report: Progress | None = None,
) -> Produced:
    """Deal until enough deals meet a script; every deal that meets it is equally likely.

    Parameters
    ----------
    seed
        From 0 to ``2**64 - 1``; the same seed gives the same deals.
    count, most
        How many deals are wanted, and looked at; else what the script says, or dealer's own
        numbers: 40 deals to print, 100,000 to count, among a million.
    solver
        Gives tricks, for scripts that ask for them.
    until
        Value of ``time.perf_counter`` at which it ends with what is found.
    cancel
        Set it from another thread to stop.
    report
        Told how many deals are found, wanted and looked at.

    Returns
    -------
    Produced
        Fewer deals than wanted where a limit came first.

    Raises
    ------
    NoSuchDeal
        If no deal meets the script, or none among those looked at does.
    TimedOut, Cancelled
        If none was found in time, or it was told to stop.
    InvalidScript, LimitExceeded
        As :meth:`.evaluation.Evaluation.values`.

    Examples
    --------
    >>> from bidcascade.inference.scenarios.script_reader import parse_script
    >>> found = produce(parse_script("hcp(north) == 37"), seed=1, count=2)
    >>> found.hands.shape, found.is_drawn
    ((4, 2), True)
    """
    return _Production(
        script, seed, count, most, solver, SearchLimits(1 << 62, until, cancel)
    ).found(report or _untold)


def _untold(found: int, wanted: int, looked_at: int) -> None:
    """Tell nobody."""


class _Production:
    def __init__(
        self,
        script: Script,
        seed: int,
        count: int | None,
        most: int | None,
        solver: DoubleDummy | None,
        limits: SearchLimits,
    ) -> None:
        self._script = script
        self._seed = seed
        self._is_asked = script.prints or script.produce is not None or count is not None
        """Whether so many deals are wanted, and not as many as come."""
        self._count = count or script.produce or (PRINTED if script.prints else COUNTED)
        self._most = most or script.generate or MOST_GENERATED
        self._evaluation = Evaluation(script, solver)
        self._limits = limits
        self._known = _known(script)
        self._parts: list[U64] = []
        self._found = 0
        self._generated = 0

    def found(self, report: Progress) -> Produced:
        """Look through random deals; where too few come, draw them if that can be done."""
        is_drawn, is_hopeless = False, False
        for hands in self._random_deals():
            self._take(hands)
            report(self._found, self._count, self._generated)
            if self._is_done():
                break
            if not is_hopeless and self._generated >= _PILOT and self._is_hopeless():
                is_hopeless = True
                if where := conditions_of(self._script):
                    is_drawn = self._draw(where, report)
                    break
        else:
            # too few came up: what is counted may give them, or say that there are none
            is_short = self._is_asked or not self._found
            if is_short and not is_hopeless and (where := conditions_of(self._script)):
                is_drawn = self._draw(where, report)
        if not self._found:
            self._tell_nothing_found()
        hands = np.concatenate(self._parts, axis=1)
        return Produced(hands, self._generated, is_drawn)

    def _random_deals(self) -> Iterator[U64]:
        costly = self._evaluation.is_costly(self._script.condition)
        largest = BLOCK_SOLVED if costly and self._script.needs_solver else BLOCK
        sizes = _sizes(self._most, min(_FIRST, largest), largest)
        if not self._known:
            first = 0
            for size in sizes:
                yield deal_hands(self._seed, first, size)
                first += size
            return
        dealt = deal_where(count=self._most, seed=self._seed, known=self._known)
        try:
            for part, _ in dealt:
                for begin in range(0, part.shape[1], largest):
                    yield np.ascontiguousarray(part[:, begin : begin + largest])
        except NoSuchDeal:
            raise NoSuchDeal("no deal has the cards and lengths that predeal gives") from None

    def _take(self, hands: U64) -> None:
        """Keep those that meet the script; those behind the last one wanted were not looked at."""
        good = np.flatnonzero(self._evaluation.holds(self._script.condition, hands))
        wanted = self._count - self._found
        if len(good) >= wanted:
            good = good[:wanted]
            self._generated += int(good[-1]) + 1
        else:
            self._generated += hands.shape[1]
        self._found += len(good)
        if len(good):
            self._parts.append(hands[:, good])

    def _is_done(self) -> bool:
        if self._limits.cancel is not None and self._limits.cancel.is_set():
            raise Cancelled("cancelled while deals were looked for")
        return self._found >= self._count or time.perf_counter() >= self._limits.until

    def _is_hopeless(self) -> bool:
        """Whether so many will not come: two standard deviations above what did, for a chance."""
        hoped = (self._found + 2 * sqrt(self._found + 1)) * self._most / self._generated
        return hoped < (self._count if self._is_asked else 1)

    def _draw(self, where: list[str], report: Progress) -> bool:
        """Draw deals from what conditions leave; False where that gives no more of them."""
        before = (self._parts, self._found, self._generated)
        self._parts, self._found, self._generated = [], 0, 0
        limits = SearchLimits(self._most, self._limits.until, self._limits.cancel)
        drawn = deal_where(
            where, count=self._most, seed=self._seed, known=self._known, limits=limits
        )
        try:
            for hands, looked_at in drawn:
                self._take(hands)
                self._generated = looked_at
                report(self._found, self._count, self._generated)
                if self._is_done():
                    break
        except NoSuchDeal as error:
            if not before[1]:
                # in the words of the script, not of the conditions that it was turned into
                why = str(error).rpartition(": ")[2]
                raise NoSuchDeal(f"no deal meets the script: {why}") from None
        except TimedOut:
            if not before[1]:
                raise
        if self._found <= before[1]:
            self._parts, self._found, self._generated = before
            return False
        return True

    def _tell_nothing_found(self) -> None:
        tried = f"none of {self._generated:,} deals meets the script"
        if time.perf_counter() >= self._limits.until:
            raise TimedOut(f"expected a deal within the time limit, got {tried}")
        raise NoSuchDeal(f"no such deal found: {tried}; generate lets more be looked at")


def _sizes(total: int, first: int, largest: int) -> Iterator[int]:
    """Sizes of blocks, each twice the one before."""
    size = first
    while total:
        yield min(size, total)
        total -= min(size, total)
        size = min(2 * size, largest)


def _known(script: Script) -> dict[Seat, KnownCards]:
    """Tell what is dealt before, by seat."""
    found = {}
    for seat in Seat:
        lengths = tuple((0, 13) if one is None else (one, one) for one in script.lengths[seat])
        cards = script.cards[seat]
        if cards or any(one != (0, 13) for one in lengths):
            try:
                found[seat] = KnownCards(cards, 0, lengths)
            except InvalidHand as error:
                raise InvalidScript(f"predeal of {seat.name.lower()}: {error}") from None
    return found


def board_of(script: Script) -> tuple[Seat, Vulnerability]:
    """Dealer and vulnerability of a script's deals: North and none unless it says otherwise."""
    dealer = Seat.NORTH if script.dealer is None else script.dealer
    sides = Vulnerability.NONE if script.vulnerability is None else script.vulnerability
    return dealer, sides
