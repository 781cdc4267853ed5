"""How much of a long job is done at once: so much that it takes a wanted time."""

import time
from collections.abc import Callable, Iterator
from typing import Final

import polars as pl

_GROWTH: Final = 4
_REPORT_EVERY_S: Final = 0.5
_FIRST_PIECE: Final = 128
"""More than the few deals of a system that a device leaves to the processor."""
_LEAST_PIECE: Final = 16
_LARGEST_PIECE: Final = 1 << 18


class Pace:
    """Number of deals to take next, from what the last ones took.

    Parameters
    ----------
    seconds : float
        What is wanted.
    first, least, most : int
        Deals. From one time to the next there are at most four times as many.
    """

    def __init__(self, seconds: float, first: int, least: int, most: int) -> None:
        self._seconds = seconds
        self._least = least
        self._most = most
        self.deals = min(first, most)

    def took(self, deals: float, seconds: float) -> None:
        """Take in how long so many deals took."""
        most = min(_GROWTH * self.deals, self._most)
        wanted = self._seconds * deals / seconds if seconds > 0 else most
        self.deals = int(max(min(wanted, most), min(self._least, self._most)))


class Pieces:
    """Cuts boards into pieces of about half a second, and tells how many of them are done.

    Parameters
    ----------
    report : callable
        Called after each piece with the number of boards done.
    """

    def __init__(self, report: Callable[[int], None]) -> None:
        self.report = report
        self._pace = Pace(_REPORT_EVERY_S, _FIRST_PIECE, _LEAST_PIECE, _LARGEST_PIECE)

    def of(self, boards: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Give pieces; the caller works on them meanwhile."""
        first = 0
        while first < boards.height:
            began = time.monotonic()
            piece = boards.slice(first, self._pace.deals)
            yield piece
            self._pace.took(piece.height, time.monotonic() - began)
            first += piece.height
            self.report(first)
