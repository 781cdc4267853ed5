"""Boards that were bid, solved and scored: what everything that measures bidding works with.

The interval of a difference is from a bootstrap over deals: Efron and Tibshirani, *An Introduction
to the Bootstrap*, 1993, chapter 13.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from time import perf_counter
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from bidcascade.bridge import InvalidInput
from bidcascade.inference.auction_ends import (
    ContractParts,
    contract_number,
    contract_of,
    contracts_by_compass,
)
from bidcascade.inference.board_scores import doubled_where_failing, imps_of, scores_of
from bidcascade.inference.double_dummy.abstract_solver import TABLE_SIZE, DoubleDummy
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import F64, I8, I32, I64, U8, U64, Bools
from bidcascade.systems import System

from .call_by_call import CallByCall
from .call_signs import CALL_SIGNS, call_signs

NO_TRICKS: Final = -1
"""Stands for tricks that were not asked for: passed out, or the same contract at both tables."""
MatchProgress: TypeAlias = Callable[[str, int, int], None]
"""Takes what is done, how many deals of how many."""
_CHUNK: Final = 1 << 14
"""Deals that are bid at once."""
_BATCH: Final = 64
"""Deals whose contracts are solved at once."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How many of the deals with different contracts are worked out: at most, or for how long."""

    seconds: float | None = None
    deals: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Budget":
        """Read seconds (``90s``, ``5m``), a number of deals, or ``all``.

        Raises
        ------
        InvalidInput
            If it is none of these.
        """
        word = text.strip().lower()
        if word == "all":
            return cls()
        unit = {"s": 1.0, "m": 60.0, "h": 3600.0}.get(word[-1:])
        try:
            if unit is None:
                number = int(word)
                if number >= 0:
                    return cls(deals=number)
            else:
                seconds = float(word[:-1]) * unit
                if 0 <= seconds < float("inf"):
                    return cls(seconds=seconds)
        except ValueError:
            pass
        raise InvalidInput(f"expected a budget such as '90s', '2000' or 'all', got {text!r}")

    def first_of(self, waiting: I64, done: int = 0) -> I64:
        """Take as many as may be worked out, where some are done already."""
        return waiting if self.deals is None else waiting[: max(0, self.deals - done)]

    def batches(self, waiting: I64, size: int = _BATCH) -> Iterator[I64]:
        """Take some after the other, until the time is over."""
        started = perf_counter()
        for start in range(0, len(waiting), size):
            if self.seconds is not None and perf_counter() - started >= self.seconds:
                return
            yield waiting[start : start + size]


CATEGORIES: Final = ("passed out", "partscore", "game", "small slam", "grand slam")
_GAME_LEVELS: Final = np.array([5, 5, 4, 4, 3])
"""Level of game by strain, C D H S N."""


def category_of(level: I64, strain: I64) -> I64:
    """Give the number in :data:`CATEGORIES` of contracts that were played."""
    return np.select([level == 7, level == 6, level >= _GAME_LEVELS[strain]], [4, 3, 2], 1)


def contract_text(number: int, dealer: int) -> str:
    """Write a contract with its declarer: ``4S W``, ``Pass``."""
    found = contract_of(number, dealer)
    return "Pass" if found is None else f"{found.name} {found.declarer.letter}"


# --- what was bid ---------------------------------------------------------------------------------


class BoardContracts(NamedTuple):
    """Contracts that boards ended in; arrays of one shape, boards along the last axis.

    Parameters
    ----------
    parts : ContractParts
        Declarers by compass; meaningless where nothing is ``played``.
    played : bool array
        False where a board was passed out.
    """

    parts: ContractParts
    played: Bools

    @classmethod
    def of_auctions(cls, auctions: Sequence[Sequence[int]], dealer: U8) -> "BoardContracts":
        """Find what whole auctions ended in."""
        numbers = np.array([contract_number(calls) for calls in auctions], np.int64)
        return cls(*contracts_by_compass(numbers, dealer))

    @property
    def column(self) -> I64:
        """Where a double-dummy table has each: ``5 * declarer + strain``."""
        column: I64 = 5 * self.parts.declarer + self.parts.strain
        return column

    @property
    def category(self) -> I64:
        """Number of each in :data:`CATEGORIES`."""
        return np.where(self.played, category_of(self.parts.level, self.parts.strain), 0)

    def tricks_in(self, tables: I8) -> I8:
        """Look tricks up in tables, int8 [n, 20]; :data:`NO_TRICKS` where they are not known.

        Examples
        --------
        >>> boards = BoardContracts.of_auctions([(3, 0, 0, 0), (0, 0, 0, 0)], np.zeros(2, np.uint8))
        >>> boards.tricks_in(np.full((2, 20), 7, np.int8)).tolist()
        [7, -1]
        """
        tricks = tables[np.arange(len(tables)), self.column]
        return np.where(self.played & (tricks >= 0), tricks, np.int8(NO_TRICKS))

    def solve(
        self, wanted: Bools, hands: U64, solver: DoubleDummy, cancel: Event | None = None
    ) -> tuple[I8, int]:
        """Solve contracts, each one once.

        Parameters
        ----------
        wanted : bool array
        hands : uint64 [4, n]

        Returns
        -------
        int8 array, int
            Tricks of those wanted, in order; how many different ones there were.
        """
        cells = TABLE_SIZE * np.arange(hands.shape[1]) + self.column
        different, which = np.unique(cells[wanted], return_inverse=True)
        deal, column = np.divmod(different, TABLE_SIZE)
        answers = solver.tricks(
            np.ascontiguousarray(hands[:, deal]),
            (column % 5).astype(np.uint8),
            (column // 5).astype(np.uint8),
            cancel=cancel,
        )
        return answers[which], len(different)

    def scores(self, vulnerability: U8, tricks: I8) -> I32:
        """Points of North-South."""
        return scores_of(self.parts, self.played, vulnerability, tricks)

    def defended_scores(self, vulnerability: U8, tricks: I8) -> I32:
        """Points of North-South against a defence that doubles each contract that fails."""
        parts = doubled_where_failing(self.parts, tricks)
        return scores_of(parts, self.played, vulnerability, tricks)


def imps_between(scores: I32) -> I8:
    """IMPs for who sits North-South at the first of two tables, of scores [2, n]."""
    return imps_of(scores[0] - scores[1])


class BidBoards(NamedTuple):
    """Boards and what was bid on them; arrays by board.

    Parameters
    ----------
    deals : DealArrays
    auctions : sequence of calls
    contracts : BoardContracts
    tricks : int8 [n]
        Of the declarer, double dummy; negative where they are not known.
    signs : bool [signs, 2, n], optional
        Of a system: which of :data:`.call_signs.CALL_SIGNS` could be seen, and which was.
    """

    deals: DealArrays
    auctions: Sequence[Sequence[int]]
    contracts: BoardContracts
    tricks: I8
    signs: Bools | None = None


def bid_boards(
    system: System,
    deals: DealArrays,
    *,
    known: I8 | None = None,
    solver: DoubleDummy | None = None,
    budget: Budget | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> BidBoards:
    """Bid deals by a system at all four seats.

    Parameters
    ----------
    known : int8 [n, 20], optional
        Double-dummy tricks at ``5 * declarer + strain``, negative for what is not known.
    solver, budget
        What else is solved, of doubled contracts alone: as many, or for as long; all if there is
        no budget.
    progress
        Told how many of how many deals are bid.
    """
    bidder = system.bidder(system)
    auctions: list[list[int]] = []
    signs = [np.zeros((len(CALL_SIGNS), 2, 0), np.bool_)]
    for start in range(0, len(deals), _CHUNK):
        chunk = deals.slice(start, min(start + _CHUNK, len(deals)))
        with bidder.lock:
            if bidder.bytes > bidder.budget:
                bidder.start_over()
            bid = CallByCall.of(bidder, chunk)
            signs.append(call_signs(bid, bidder, chunk))
        auctions += bid.auctions
        if progress is not None:
            progress(len(auctions), len(deals))
    contracts = BoardContracts.of_auctions(auctions, deals.dealer)
    tricks = (
        np.full(len(deals), NO_TRICKS, np.int8) if known is None else contracts.tricks_in(known)
    )
    if solver is not None:
        chosen = budget or Budget()
        wanted = contracts.played & (contracts.parts.doubling > 0) & (tricks < 0)
        for batch in chosen.batches(chosen.first_of(np.flatnonzero(wanted))):
            here = np.zeros(len(deals), np.bool_)
            here[batch] = True
            tricks[here], _ = contracts.solve(here, deals.hands, solver)
    return BidBoards(deals, auctions, contracts, tricks, np.concatenate(signs, axis=2))


# --- means ----------------------------------------------------------------------------------------

_RESAMPLES: Final = 2000
_AT_ONCE: Final = 1 << 20


class Difference(NamedTuple):
    """A mean over boards with the interval that 95 of 100 bootstrap samples of the deals are in."""

    value: float
    low: float
    high: float


def bootstrap(values: F64, cluster: I64, seed: int) -> Difference:
    """Mean of values with its interval of 95 %; values of a cluster are drawn together.

    Examples
    --------
    >>> bootstrap(np.ones(4), np.array([0, 0, 1, 2]), seed=1)
    Difference(value=1.0, low=1.0, high=1.0)
    """
    sums, counts = np.bincount(cluster, values), np.bincount(cluster)
    random = np.random.default_rng(seed)
    means = []
    size = max(1, _AT_ONCE // len(sums))
    for start in range(0, _RESAMPLES, size):
        drawn = random.integers(len(sums), size=(min(size, _RESAMPLES - start), len(sums)))
        means.append(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    low, high = np.quantile(np.concatenate(means), (0.025, 0.975))
    return Difference(float(values.mean()), float(low), float(high))
