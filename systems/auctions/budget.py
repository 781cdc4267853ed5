"""How much memory bidders may take together: one environment variable, its default and its limit.

What a bidder knows at places, and what it has learned from texts, is counted. Where all of a
process take more than they may, the one that knows most at places drops half of it. What was
learned stays as long as the bidder: a service puts another one in its place.
"""

import os
import threading
from collections.abc import Callable
from functools import cache
from typing import Final, Protocol
from weakref import WeakSet

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.machine.memory import memory_bytes

BUDGET_VARIABLE: Final = "BIDCASCADE_PLACES_BYTES"
SHARE: Final = 8
"""The default is one part of so many of the memory."""
_UNKNOWN_MEMORY: Final = 4 << 30
BIDDER_BUDGET: Final = 384 << 20
"""Bytes that one bidder takes at most by default, or an eighth of all where that is more."""
LEAST_BUDGET: Final = 1024
_LEAST_BY_DEFAULT: Final = 32 << 20


def parse_budget(written: str | int) -> int:
    """Bytes as somebody wrote them; 0 for the default.

    Raises
    ------
    ValueError
        If it is no number, or one between 0 and :data:`LEAST_BUDGET`.
    """
    try:
        count = int(written)
    except ValueError:
        count = -1
    if count and count < LEAST_BUDGET:
        raise ValueError(f"expected 0 or a whole number of bytes from {LEAST_BUDGET}")
    return count


@cache
def _default() -> int:
    share = (memory_bytes() or _UNKNOWN_MEMORY) // SHARE
    return max(_LEAST_BY_DEFAULT, share)


def _written() -> int:
    written = os.environ.get(BUDGET_VARIABLE)
    try:
        return parse_budget(written) if written else 0
    except ValueError as error:
        raise InvalidInput(f"{BUDGET_VARIABLE}: {error}, got {written!r}") from None


def shared_budget() -> int:
    """Bytes that all bidders of this process may take together.

    Raises
    ------
    InvalidInput
        If the environment says something else than a number of bytes.
    """
    return _written() or _default()


def places_budget() -> int:
    """Bytes that one bidder may take in this process, if others leave so many.

    Raises
    ------
    InvalidInput
        If the environment says something else than a number of bytes.
    """
    return _written() or max(min(BIDDER_BUDGET, _default()), _default() // SHARE)


def set_places_budget(count: int) -> None:
    """Bound the places of bidders opened from now on, here and in processes started here."""
    os.environ[BUDGET_VARIABLE] = str(count)


class Holder(Protocol):
    """Who shares the memory."""

    @property
    def held_bytes(self) -> int:
        """Bytes that it takes."""

    @property
    def spare_bytes(self) -> int:
        """Those that it can give back."""

    def give_back(self) -> None:
        """Drop half of what can be worked out again."""


class SharedBudget:
    """All who share the memory.

    Parameters
    ----------
    budget : function
        Gives the bytes that they may take together.
    """

    def __init__(self, budget: Callable[[], int]) -> None:
        self._budget = budget
        self._all: WeakSet[Holder] = WeakSet()
        self._lock = threading.Lock()
        self._giving: WeakSet[Holder] = WeakSet()

    def add(self, holder: Holder) -> None:
        """Count somebody from now on."""
        with self._lock:
            self._all.add(holder)

    def enforce(self, asker: Holder) -> None:
        """Have the one that can give back most do so where all take too much.

        Another one than who asks does so when nobody uses it: it is waited for by a thread.
        """
        with self._lock:
            here = [one for one in self._all if one not in self._giving]
            if sum(one.held_bytes for one in here) <= self._budget():
                return
            most = max(here, key=lambda one: one.spare_bytes)
            if most is not asker:
                self._giving.add(most)
        if most is asker:
            asker.give_back()
        else:
            # no daemon: the interpreter may not end while the core is at work
            threading.Thread(target=self._give_back, args=(most,), name="bidder-memory").start()

    def _give_back(self, holder: Holder) -> None:
        try:
            holder.give_back()
        finally:
            with self._lock:
                self._giving.discard(holder)


SHARED_BUDGET: Final = SharedBudget(shared_budget)
"""The bidders of this process."""
