"""What sampling gives: layouts with their weights, and a report of how they were found."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from bidcascade.bridge import Seat, ShownAnswer, Vulnerability
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import F64, U64

WhatWasRelaxed: TypeAlias = Literal["order", "condition", "call"]
StoppedBecause: TypeAlias = Literal["count", "proposals", "time", "cancelled"]


@dataclass(frozen=True, slots=True)
class Relaxed:
    """One condition that was given up, because too few deals met it.

    Parameters
    ----------
    number, call, seat
        Which call of the auction: its number from 0, its text, who made it.
    what
        ``order``: earlier lines that the hand should have taken instead no longer count;
        ``condition``: one condition of the call's lines was dropped; ``call``: the call says
        nothing any more.
    text
        The same in words.

    Examples
    --------
    >>> str(Relaxed(2, "2C", "S", "call", "no line of the system makes this call"))
    'call 3, 2C by S: no line of the system makes this call'
    """

    number: int
    call: str
    seat: str
    what: WhatWasRelaxed
    text: str

    def __str__(self) -> str:
        return f"call {self.number + 1}, {self.call} by {self.seat}: {self.text}"


@dataclass(frozen=True, slots=True, repr=False)
class LayoutReport(ShownAnswer):
    """How layouts were found.

    Parameters
    ----------
    proposals, accepted, acceptance
        Layouts that were dealt, those that fit, and their share.
    effective_size
        (Σw)² / Σw² of the weights: as many layouts of equal weight tell as much.
    relaxed
        What was given up, in that order.
    notes
        Known hands that would not have made their own calls.
    stopped_because
        ``count``: enough were found; ``proposals``, ``time``: the limit was reached first;
        ``cancelled``.
    seed, seconds
        Which random numbers, and how long it took.

    Examples
    --------
    >>> LayoutReport(10, 5, 0.5, 5.0, (), (), "count", 1, 0.01).acceptance
    0.5
    """

    proposals: int
    accepted: int
    acceptance: float
    effective_size: float
    relaxed: tuple[Relaxed, ...]
    notes: tuple[str, ...]
    stopped_because: StoppedBecause
    seed: int
    seconds: float


@dataclass(frozen=True, slots=True, repr=False)
class Layouts(ShownAnswer):
    """Deals that fit what is known and what was called.

    Parameters
    ----------
    hands : uint64 [4, n]
        By compass seat.
    weights : float64 [n]
        Mean 1; all 1 unless the hands were drawn one after another (see the docs).
    dealer, vulnerability
        Of all.
    report
        How they were found.

    Examples
    --------
    >>> hands = np.array([[0x1FFF << 13 * suit] for suit in range(4)], np.uint64)
    >>> report = LayoutReport(1, 1, 1.0, 1.0, (), (), "count", 1, 0.0)
    >>> layouts = Layouts(hands, np.ones(1), Seat.NORTH, Vulnerability.NONE, report)
    >>> len(layouts), len(layouts.deals)
    (1, 1)
    """

    hands: U64
    weights: F64
    dealer: Seat
    vulnerability: Vulnerability
    report: LayoutReport

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def deals(self) -> DealArrays:
        """As the kernels take them."""
        return deals_of(self.hands, self.dealer, self.vulnerability)


def deals_of(hands: U64, dealer: Seat, vulnerability: Vulnerability) -> DealArrays:
    """Deals of one dealer and vulnerability."""
    count = hands.shape[1]
    return DealArrays(
        np.ascontiguousarray(hands),
        np.full(count, dealer, np.uint8),
        np.full(count, vulnerability, np.uint8),
    )


def effective_size(weights: F64) -> float:
    """(Σw)² / Σw²; 0 for none (Kish, Survey Sampling, 1965)."""
    squares = float((weights * weights).sum())
    return float(weights.sum()) ** 2 / squares if squares else 0.0
