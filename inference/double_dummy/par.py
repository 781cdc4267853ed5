"""Par: what a deal is worth when both sides bid and play it without a fault, all hands seen.

The auction is taken as a game. From the dealer on each player may pass or name any higher
contract; three passes end it (four at the start: 0 points), and the last contract is scored with
its double-dummy tricks, doubled if it goes down. Par is the value of that game with best play of
both sides, worked out from seven notrump downwards.

Par contracts are those that score par and stand: going on after them gains nothing, and no higher
contract of the other side is worth more to it, so that nobody has to bid again. Both partners are
named where both take as many tricks. The dealer matters where both sides can make the same
contract: whoever may name it first plays it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidcascade.bridge import (
    STRAINS,
    Contract,
    InvalidDeal,
    Seat,
    ShownAnswer,
    score,
)
from bidcascade.kernels.types import I8, I16

from .protocol import TABLE_SIZE

_BIDS: Final = 35


@dataclass(frozen=True, slots=True)
class ParContract:
    """A contract that par is reached by.

    Parameters
    ----------
    level, strain : int
    declarers : tuple of Seat
        One of a side or both.
    tricks : int
        What declarer takes.
    """

    level: int
    strain: int
    declarers: tuple[Seat, ...]
    tricks: int

    @property
    def result(self) -> int:
        """Tricks over the contract, negative where it goes down."""
        return self.tricks - 6 - self.level

    @property
    def is_doubled(self) -> bool:
        """Whether it is doubled, as all that go down are."""
        return self.result < 0

    def __str__(self) -> str:
        declarers = "".join(seat.letter for seat in self.declarers)
        doubled = "X" if self.is_doubled else ""
        result = f"{self.result:+d}" if self.result else "="
        return f"{self.level}{STRAINS[self.strain]}{doubled}-{declarers}{result}"


@dataclass(frozen=True, slots=True, repr=False)
class Par(ShownAnswer):
    """Par of a deal.

    Parameters
    ----------
    score : int
        Points of North-South.
    contracts : tuple of ParContract
        Highest-ranking first; empty where the deal is best passed out.
    """

    score: int
    contracts: tuple[ParContract, ...]


def par(table: ArrayLike, dealer: int, vulnerability: int) -> Par:
    """Par of one deal from its table of tricks.

    Parameters
    ----------
    table : int [20]
        Tricks at ``5 * declarer + strain``.
    dealer : int
        0-3 = N E S W.
    vulnerability : int
        Bit 0 North-South, bit 1 East-West.

    Raises
    ------
    InvalidDeal
        If the table holds no numbers of tricks, or the dealer or vulnerability does not exist.

    Examples
    --------
    >>> north_south = [6, 6, 6, 8, 7]
    >>> east_west = [7, 7, 6, 5, 6]
    >>> found = par(2 * (north_south + east_west), 0, 0)
    >>> found.score, [str(contract) for contract in found.contracts]
    (110, ['2S-NS='])
    """
    tables = np.asarray(table)[None, :]
    scores, best = par_results(tables, dealer, vulnerability)
    return Par(int(scores[0]), par_contracts(tables[0], best[0]))


def par_results(
    tables: ArrayLike, dealer: ArrayLike, vulnerability: ArrayLike
) -> tuple[I16, NDArray[np.bool_]]:
    """Par scores of many deals, and which contracts reach them.

    Parameters
    ----------
    tables : int [n, 20]
    dealer, vulnerability : int [n] or one for all

    Returns
    -------
    scores : int16 [n]
        Points of North-South.
    best : bool [n, 35, 4]
        By bid (``5 * (level - 1) + strain``) and declarer: whether it is a par contract.

    Raises
    ------
    InvalidDeal
        As :func:`par`.

    Examples
    --------
    >>> scores, best = par_results(np.full((3, 20), 7), 1, [0, 1, 2])
    >>> scores.tolist(), np.argwhere(best[0]).tolist()
    ([-90, -90, -90], [[4, 1], [4, 3]])
    """
    tricks, dealers, sides = _checked(tables, dealer, vulnerability)
    final = final_scores(tricks, sides)
    count = len(tricks)
    # value of the best bid above the one looked at, by seat; none yet
    none = np.array([-20_000, 20_000, -20_000, 20_000], np.int16)
    best_bid = np.repeat(none[:, None], count, axis=1)
    opened = np.empty((_BIDS, 4, count), np.int16)
    for bid in range(_BIDS - 1, -1, -1):
        for declarer in range(4):
            value = final[bid, declarer]
            for passes in (2, 1, 0):
                actor = (declarer + 1 + passes) % 4
                value = _better(actor, value, best_bid[actor])
            opened[bid, declarer] = value
        for seat in range(4):
            best_bid[seat] = _better(seat, best_bid[seat], opened[bid, seat])
    # the start: value of the auction when it comes to each seat after so many passes
    rows = np.arange(count)
    reached = np.zeros((5, count), np.int16)
    odd = dealers % 2 == 1
    for passes in (3, 2, 1, 0):
        bid_value = best_bid[(dealers + passes) % 4, rows]
        is_ns = odd == (passes % 2 == 1)
        stay = reached[passes + 1]
        reached[passes] = np.where(is_ns, np.maximum(stay, bid_value), np.minimum(stay, bid_value))
    scores = reached[0].copy()
    best = (opened == scores) & (final == scores) & _stable(final, scores)
    best &= scores != 0
    return scores, np.ascontiguousarray(best.transpose(2, 0, 1))


def par_contracts(table: ArrayLike, best: NDArray[np.bool_]) -> tuple[ParContract, ...]:
    """Par contracts of one deal.

    Parameters
    ----------
    table : int [20]
    best : bool [35, 4]
        As :func:`par_results` finds it.
    """
    tricks = np.asarray(table)
    found = []
    for bid in range(_BIDS - 1, -1, -1):
        level, strain = bid // 5 + 1, bid % 5
        declarers: dict[int, list[Seat]] = {}
        for seat in np.flatnonzero(best[bid]).tolist():
            declarers.setdefault(int(tricks[5 * seat + strain]), []).append(Seat(seat))
        found += [
            ParContract(level, strain, tuple(seats), taken) for taken, seats in declarers.items()
        ]
    return tuple(found)


def _checked(
    tables: ArrayLike, dealer: ArrayLike, vulnerability: ArrayLike
) -> tuple[I8, NDArray[np.int64], NDArray[np.int64]]:
    tricks = np.asarray(tables)
    if tricks.ndim != 2 or tricks.shape[1] != TABLE_SIZE:
        raise InvalidDeal(f"expected tables of {TABLE_SIZE} tricks, got {tricks.shape}")
    if tricks.size and not (tricks.min() >= 0 and tricks.max() <= 13):
        raise InvalidDeal(f"expected tables of 0-13 tricks, got {tricks.min()} to {tricks.max()}")
    numbers = []
    for what, given in (("a dealer", dealer), ("a vulnerability", vulnerability)):
        array = np.broadcast_to(np.asarray(given), (len(tricks),)).astype(np.int64)
        if array.size and not (array.min() >= 0 and array.max() <= 3):
            raise InvalidDeal(f"expected {what} of 0-3, got {given!r}")
        numbers.append(array)
    return tricks.astype(np.int8), numbers[0], numbers[1]


def final_scores(tricks: I8, sides: NDArray[np.integer]) -> I16:
    """Points of North-South for every contract played: int16 [35, 4, n].

    By bid, declarer and deal, as :func:`par_results` has its contracts; what goes down is doubled.
    """
    count = len(tricks)
    final = np.empty((_BIDS, 4, count), np.int16)
    for declarer in range(4):
        vulnerable = sides >> declarer % 2 & 1
        sign = -1 if declarer % 2 else 1
        for bid in range(_BIDS):
            taken = tricks[:, 5 * declarer + bid % 5]
            final[bid, declarer] = sign * _SCORES[vulnerable, bid, taken]
    return final


def _stable(final: I16, scores: I16) -> NDArray[np.bool_]:
    """Where no higher contract of the other side is worth more to it than par: bool [35, 4, n]."""
    stable = np.empty(final.shape, np.bool_)
    for side in (0, 1):
        theirs = final[:, 1 - side :: 2]
        gain = theirs.min(axis=1) < scores if side == 0 else theirs.max(axis=1) > scores
        above = np.zeros_like(gain)
        above[:-1] = np.logical_or.accumulate(gain[:0:-1], axis=0)[::-1]
        stable[:, side::2] = ~above[:, None]
    return stable


def _better(seat: int, one: I16, other: I16) -> I16:
    return np.minimum(one, other) if seat % 2 else np.maximum(one, other)


def _score_table() -> I16:
    """Points of declarer's side: vulnerable or not, 35 bids, 0-13 tricks; doubled if down."""
    table = np.empty((2, _BIDS, 14), np.int16)
    for vulnerable in (0, 1):
        for bid in range(_BIDS):
            level, strain = bid // 5 + 1, bid % 5
            for taken in range(14):
                contract = Contract(level, strain, int(taken < 6 + level), Seat.NORTH)
                table[vulnerable, bid, taken] = score(contract, taken, vulnerable=bool(vulnerable))
    return table


_SCORES: Final = _score_table()
