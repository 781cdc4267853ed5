"""Which of some whole deals fit an auction: for endings, of which all layouts can be looked at."""

from collections.abc import Collection, Sequence

import numpy as np

from bidcascade.bridge import Seat, Vulnerability
from bidcascade.kernels import Backend, get_backend
from bidcascade.kernels.types import U64, Bools
from bidcascade.systems import System

from .judging import Judge, steps_of
from .meanings import MeaningSource
from .relaxing import note, unknown_calls
from .result import Relaxed, deals_of


def fitting(
    source: MeaningSource,
    auction: Sequence[int],
    hands: U64,
    *,
    dealer: Seat,
    vulnerability: Vulnerability,
    seen: Collection[Seat] = (),
    opponents: System | None = None,
    backend: Backend | None = None,
) -> tuple[Bools, tuple[Relaxed, ...]]:
    """Tell which deals make every call of an auction.

    Parameters
    ----------
    source, auction, dealer, vulnerability, opponents, backend
        As of :func:`~bidcascade.inference.sample_layouts`.
    hands : uint64 [4, n]
        Whole deals, by compass seat.
    seen : collection of Seat
        Seats whose calls are not looked at, since their hands are in sight.

    Returns
    -------
    bool [n], tuple of Relaxed
        Where no deal makes all calls, those that the fewest make are given up, one after the other.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls, parse_hand
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... ''')
    >>> texts = "AQ4.KJ3.K876.Q52 K2.AQ8.QJ53.K743 T873.T742.A9.A86 J965.965.T42.JT9".split()
    >>> deal = np.array([[parse_hand(text)] for text in texts], np.uint64)
    >>> both = np.concatenate([deal, deal[[2, 1, 0, 3]]], axis=1)
    >>> fits, relaxed = fitting(
    ...     system, parse_calls("1N P P P"), both, dealer=Seat.NORTH,
    ...     vulnerability=Vulnerability.NONE)
    >>> fits.tolist(), relaxed
    ([True, False], ())
    """
    steps, judges = steps_of(source, tuple(auction), dealer, opponents)
    hidden, relaxed = unknown_calls(tuple(step for step in steps if step.seat not in seen))
    key = tuple((step.number, f"{step.reading} alone") for step in hidden)
    if key not in judges:
        judges[key] = Judge(hidden)
    judge = judges[key]
    deals = deals_of(np.ascontiguousarray(hands), dealer, vulnerability)
    verdicts = judge.verdicts(deals, backend or get_backend("cpu"))
    columns = list(range(len(judge.steps)))
    fits: Bools = np.logical_and.reduce(verdicts, axis=1)
    while columns and not fits.any():
        least = min(columns, key=lambda column: int(verdicts[:, column].sum()))
        columns.remove(least)
        fits = np.logical_and.reduce(verdicts[:, columns], axis=1)
        text = "no layout of the ending makes it with all other calls; it says nothing any more"
        relaxed = (*relaxed, note(judge.steps[least], "call", text))
    return fits, relaxed
