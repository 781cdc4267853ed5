"""What the batcher is asked, and how much of it at once."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np

from bidcascade.kernels import DealArrays
from bidcascade.systems.bidding.bidder_protocol import Query

from .loaded_table import LEAST_PART_DEALS, LoadedTable

PART_SECONDS: Final = 0.01
"""Longest time that a part of a long answer, or a batch, should keep the worker from others."""


AnswerFunction: TypeAlias = Callable[[Sequence[Any]], Sequence[Any]]
"""Gives an answer to each payload, in the worker thread; equal ones are asked together."""


@dataclass(frozen=True, slots=True)
class AuctionsQuestion:
    """The auctions of deals as JSON objects; a payload is some deals.

    Its answer is a list, and with how many deals it was worked out together.

    Parameters
    ----------
    table : LoadedTable
        As it was when the request came: a table that is loaded anew answers later ones.
    query : Query
    """

    table: LoadedTable
    query: Query

    def __call__(self, payloads: Sequence[DealArrays]) -> list[tuple[list[bytes], int]]:
        """Results of all payloads, worked out as if they were one; keeps account of the cost."""
        table, deals, started = self.table, joined(payloads), time.perf_counter()
        written = table.results.write(deals, self.query)
        table.saw(self.query.mode, len(deals), started)
        ends = np.cumsum([0, *map(len, payloads)]).tolist()
        return [(written[start:stop], len(deals)) for start, stop in pairwise(ends)]


def deals_at_once(seconds_a_deal: float) -> int:
    """Deals of several requests that take about :data:`PART_SECONDS` together.

    Examples
    --------
    >>> deals_at_once(0.0015), deals_at_once(1.0)
    (6, 1)
    """
    return max(1, int(PART_SECONDS / max(seconds_a_deal, 1e-9)))


def joined(payloads: Sequence[DealArrays]) -> DealArrays:
    """Deals of several requests behind one another.

    Examples
    --------
    >>> zero = np.zeros(2, np.uint8)
    >>> deals = DealArrays(np.zeros((4, 2), np.uint64), zero, zero)
    >>> len(joined([deals, deals]))
    4
    """
    if len(payloads) == 1:
        return payloads[0]
    return DealArrays(
        np.concatenate([deals.hands for deals in payloads], axis=1),
        np.concatenate([deals.dealer for deals in payloads]),
        np.concatenate([deals.vulnerability for deals in payloads]),
    )


def part_deals(seconds_a_deal: float, most: int) -> int:
    """Deals of one part of a long answer: as many as take about :data:`PART_SECONDS`."""
    return max(min(deals_at_once(seconds_a_deal), most), min(LEAST_PART_DEALS, most))
