"""The search for layouts: which way they are proposed, how many at a time, and when it ends."""

import math
import threading
import time
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.inference.layouts.attempt import EXACT_COST, Attempt
from bidcascade.inference.layouts.dealing import Proposed
from bidcascade.inference.layouts.result import StoppedBecause, effective_size
from bidcascade.kernels.dealing import GAMMA, MIX_1, MIX_2, mixed

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]

PILOT: Final = 8192
"""Proposals after which it is decided how to go on; more than enough for an easy auction."""
PILOT_EXACTLY: Final = 1024
LARGEST_CHUNK: Final = 1 << 17
_ADVANTAGE: Final = 2.0
"""Layouts of unequal weight must come so many times as fast to be preferred."""
_LEAST_TRIED: Final = 1 << 17
_QUANTILE: Final = 0.95
_LOTTERY_STREAM: Final = 0x107


@dataclass(slots=True)
class Limits:
    """How long a search may go on.

    Parameters
    ----------
    proposals
        At most; one that is drawn hand by hand counts as several.
    until
        Value of ``time.perf_counter``.
    cancel
        Set by another thread to stop.
    """

    proposals: int
    until: float
    cancel: threading.Event | None = None

    def why_stop(self) -> StoppedBecause | None:
        """Say why to stop at once, None to go on."""
        if self.cancel is not None and self.cancel.is_set():
            return "cancelled"
        return "time" if time.perf_counter() >= self.until else None


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found: hands uint64[4, n], weights float64[n] of mean 1."""

    hands: U64
    weights: F64
    proposals: int
    stopped_because: StoppedBecause

    def __len__(self) -> int:
        return len(self.weights)


NOTHING_FOUND: Final = Found(np.empty((4, 0), np.uint64), np.empty(0), 0, "proposals")


def search(attempt: Attempt, count: int, limits: Limits, *, enough: int = 0) -> Found:
    """Look for so many layouts: first with equal weights, then whichever way finds more.

    It is given up early where not even ``enough`` of them can be expected. Which way is taken
    depends on the numbers found, not on time, so that the same seed gives the same layouts.
    """
    plain = Search(attempt, exactly=False)
    plain.go_on(PILOT, limits)
    if plain.accepted >= count or plain.is_over:
        return plain.result(count)
    chosen = plain
    if not attempt.dealing.is_exact:
        exact = Search(attempt, exactly=True)
        exact.go_on(PILOT_EXACTLY, limits)
        if exact.yield_by_cost() > plain.yield_by_cost() * _ADVANTAGE:
            chosen = exact
    while chosen.accepted < count and not chosen.is_over:
        chosen.go_on(chosen.next_chunk(count, limits), limits)
        if chosen.is_hopeless(enough, limits):
            chosen.stopped_because = "proposals"
            break
    return chosen.result(count)


class Search:
    """One way to propose, gone on with in chunks.

    Parameters
    ----------
    attempt
        What to look for.
    exactly
        Whether hands are drawn one after another, with weights. Layouts of small weight then go
        through a lottery: one of weight w stays with chance w / c and has weight c from then on
        (c is near the largest weight of the first chunk), which keeps the expectation and makes
        weights nearly equal (Liu, Chen, Wong: Rejection control and sequential importance
        sampling, 1998).
    """

    def __init__(self, attempt: Attempt, *, exactly: bool) -> None:
        self.attempt = attempt
        self.exactly = exactly
        self.accepted = 0
        self.tried = 0
        self.is_over = False
        self.stopped_because: StoppedBecause = "count"
        self._parts: list[Proposed] = []
        self._ceiling: float | None = None

    @property
    def cost(self) -> int:
        """Cost of a proposal."""
        return EXACT_COST if self.exactly else 1

    def yield_by_cost(self) -> float:
        """Effective layouts by cost so far."""
        if not self.tried:
            return 0.0
        weights = np.concatenate([part.weights for part in self._parts])
        return effective_size(weights) / (self.tried * self.cost)

    def next_chunk(self, count: int, limits: Limits) -> int:
        """Proposals that should be enough, within the limits."""
        rate = (self.accepted + 0.5) / max(1, self.tried)
        wanted = int(1.2 * (count - self.accepted) / rate) + 64
        left = limits.proposals // self.cost - self.tried
        return max(0, min(wanted, LARGEST_CHUNK // self.cost, left))

    def is_hopeless(self, enough: int, limits: Limits) -> bool:
        """Whether so many layouts will not be found within the limits, by all that was seen."""
        tried = self.tried * self.cost
        if tried < min(_LEAST_TRIED, limits.proposals):
            return False
        # two standard deviations above what was found, for a fair chance
        hoped = self.accepted + 2 * math.sqrt(self.accepted + 1)
        return hoped * limits.proposals / tried < enough

    def forget(self) -> None:
        """Keep no layouts but their number, where they are taken from part to part."""
        self._parts.clear()

    def go_on(self, count: int, limits: Limits) -> Proposed:
        """Propose some more; returns those that fit."""
        why = limits.why_stop()
        left = limits.proposals // self.cost - self.tried
        if why is not None or left <= 0:
            self.is_over = True
            self.stopped_because = why or "proposals"
            return Proposed(np.empty((4, 0), np.uint64), np.empty(0), np.empty(0, np.int64))
        dealing, seed = self.attempt.dealing, self.attempt.question.seed
        chunk = min(count, left)
        if self.exactly:
            proposed = self._lottery(
                dealing.propose_exactly(seed=seed, first=self.tried, count=chunk)
            )
        else:
            proposed = dealing.propose(seed=seed, first=self.tried, count=chunk)
        good = self.attempt.accepted(proposed)
        self.tried += chunk
        self.accepted += len(good.numbers)
        self._parts.append(good)
        return good

    def _lottery(self, proposed: Proposed) -> Proposed:
        hands, weights, numbers = proposed
        if self._ceiling is None and len(weights):
            self._ceiling = float(np.quantile(weights, _QUANTILE))
        if self._ceiling is None:
            return proposed
        chances = uniform_of(self.attempt.question.seed ^ _LOTTERY_STREAM, numbers)
        stays = chances * self._ceiling < weights
        raised = np.maximum(weights[stays], self._ceiling)
        return Proposed(hands[:, stays], raised, numbers[stays])

    def result(self, count: int) -> Found:
        """First layouts found, and how many proposals they took."""
        if not self._parts:
            nothing = np.empty((4, 0), np.uint64)
            return Found(nothing, np.empty(0), self.tried, self.stopped_because)
        hands = np.concatenate([part.hands for part in self._parts], axis=1)[:, :count]
        weights = np.concatenate([part.weights for part in self._parts])[:count]
        numbers = np.concatenate([part.numbers for part in self._parts])
        proposals = int(numbers[count - 1]) + 1 if len(numbers) >= count else self.tried
        if len(weights):
            weights = weights / weights.mean()
        return Found(hands, weights, proposals, self.stopped_because)


def uniform_of(seed: int, numbers: I64) -> F64:
    """Random numbers from 0 to below 1, one for each number; the same for the same number.

    Examples
    --------
    >>> values = uniform_of(1, np.arange(1000))
    >>> bool((values < 1).all()), round(float(values.mean()), 1)
    (True, 0.5)
    """
    state = np.uint64(mixed(seed)) + numbers.astype(np.uint64) * np.uint64(GAMMA)
    word = (state ^ (state >> np.uint64(30))) * np.uint64(MIX_1)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(MIX_2)
    word ^= word >> np.uint64(31)
    return (word >> np.uint64(11)).astype(np.float64) * 2.0**-53
