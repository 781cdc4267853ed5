"""The question which call to make, and its answer by simulation: each candidate in numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from bidcascade.bridge import (
    PASS,
    Auction,
    InvalidInput,
    Seat,
    Vulnerability,
)

from .layouts.known import KnownCards
from .layouts.result import LayoutReport
from .natural_calls import natural_calls
from .simulation_values import BID_SCORINGS, BidScoring

TricksBy: TypeAlias = Literal["double dummy", "law of total tricks"]
StoppedBecause: TypeAlias = Literal["layouts", "decided", "time"]

DEFAULT_LAYOUTS: Final = 100
MOST_CANDIDATES: Final = 10


@dataclass(frozen=True, slots=True)
class CallQuestion:
    """Which call to make.

    Parameters
    ----------
    hand : int
        Mask of the caller's cards.
    calls : sequence of int
        The auction so far, from the dealer on; it goes on.
    lines : sequence of int
        Calls whose lines hold with the hand, the one that the system makes first; the others are
        compared with that one, or with a pass if there is none.
    dealer, vulnerability
    scoring : {"imps", "matchpoints", "points"}
    layouts : int
        Most layouts.
    natural : bool
        Whether natural calls are tried beside the lines.
    known : mapping of Seat to KnownCards
        What else is known.
    seed : int
    """

    hand: int
    calls: Sequence[int] = ()
    lines: Sequence[int] = ()
    dealer: Seat = Seat.NORTH
    vulnerability: Vulnerability = Vulnerability.NONE
    scoring: BidScoring = "imps"
    layouts: int = DEFAULT_LAYOUTS
    natural: bool = True
    known: Mapping[Seat, KnownCards] = field(default_factory=dict)
    seed: int = 0

    def check(self) -> None:
        """Refuse what makes no sense.

        Raises
        ------
        InvalidInput
            If the scoring is unknown, there are no layouts, or the auction is over.
        IllegalCall
            If the auction or a line is illegal.
        """
        if self.scoring not in BID_SCORINGS:
            raise InvalidInput(
                f"expected a scoring of {', '.join(BID_SCORINGS)}, got {self.scoring!r}"
            )
        if self.layouts < 1:
            raise InvalidInput(f"expected at least one layout, got {self.layouts!r}")
        auction = Auction.of(self.calls, self.dealer)
        if auction.is_complete:
            raise InvalidInput("expected an auction that goes on, got one that is over")
        for call in self.lines:
            auction.add(call)

    @property
    def seat(self) -> Seat:
        """Who calls."""
        return Seat((self.dealer + len(self.calls)) % 4)

    def candidates(self) -> tuple[int, ...]:
        """Give the calls to try: lines, then natural ones; the first is what others are against."""
        found = [*self.lines, *((PASS,) if not self.lines else ())]
        if self.natural:
            found += natural_calls(self.hand, self.calls)
        return tuple(dict.fromkeys(found))[:MOST_CANDIDATES]


@dataclass(frozen=True, slots=True)
class CandidateCall:
    """What one call is worth.

    Parameters
    ----------
    call : int
    is_line : bool
        Whether a line of the system makes it; else it is a natural call.
    mean, low, high : float
        By the scoring, with the interval of 95 %.
    behind, behind_error : float
        How much less it is worth than the best call, on the layouts that both were tried on, and
        half the width of the interval of that.
    points : float
        Mean score of the caller's side.
    best_share : float
        Share of its layouts, by weight, in which no other call that was tried there scores more.
    layouts : int
        How many it was tried on: fewer than all if it was surely behind.
    contracts : tuple of (str, float)
        The commonest contracts, with their shares.
    """

    call: int
    is_line: bool
    mean: float
    low: float | None
    high: float | None
    behind: float
    behind_error: float | None
    points: float
    best_share: float
    layouts: int
    contracts: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Simulation:
    """Candidate calls from best to worst, and what is behind that.

    Parameters
    ----------
    candidates : tuple of CandidateCall
    compared_with : int
        The call that ``imps`` and ``matchpoints`` are against.
    scoring : str
    tricks_by : {"double dummy", "law of total tricks"}
    layouts, asked : int
        On how many the best call was tried, and how many were asked for.
    effective_size : float
        (Σw)² / Σw² of the weights of those layouts.
    solved : int
        Results that the solver was asked for.
    stopped_because : {"layouts", "decided", "time"}
    report : LayoutReport
        How the layouts were found.
    seconds : float
    """

    candidates: tuple[CandidateCall, ...]
    compared_with: int
    scoring: BidScoring
    tricks_by: TricksBy
    layouts: int
    asked: int
    effective_size: float
    solved: int
    stopped_because: StoppedBecause
    report: LayoutReport
    seconds: float

    @property
    def best(self) -> CandidateCall:
        """The best call; of equal ones the one that the system puts first."""
        return self.candidates[0]
