"""Par in plain numpy: the core finds the same scores and contracts.

:mod:`bidcascade.inference.double_dummy.par` says what par is. Arrays have bids, declarers and deals
as their axes here, so that a step works on all deals at once.
"""

from typing import Any, Final

import numpy as np

from bidcascade.bridge import Contract, Seat, score
from bidcascade.inference.double_dummy.par import ParContract

_BIDS: Final = 35


def par_results(tricks: Any, dealers: Any, sides: Any) -> tuple[Any, Any]:
    """Par scores [n], and whether contracts reach them [n, 35, 4], of tables [n, 20]."""
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


def par_contracts(tricks: Any, best: Any) -> tuple[ParContract, ...]:
    """Par contracts of one deal, of its table [20]."""
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


def final_scores(tricks: Any, sides: Any) -> Any:
    """Points of North-South for every contract played, int16 [35, 4, n]; doubled if down."""
    count = len(tricks)
    final = np.empty((_BIDS, 4, count), np.int16)
    for declarer in range(4):
        vulnerable = sides >> declarer % 2 & 1
        sign = -1 if declarer % 2 else 1
        for bid in range(_BIDS):
            taken = tricks[:, 5 * declarer + bid % 5]
            final[bid, declarer] = sign * _SCORES[vulnerable, bid, taken]
    return final


def _stable(final: Any, scores: Any) -> Any:
    """Where no higher contract of the other side is worth more to it than par: bool [35, 4, n]."""
    stable = np.empty(final.shape, np.bool_)
    for side in (0, 1):
        theirs = final[:, 1 - side :: 2]
        gain = theirs.min(axis=1) < scores if side == 0 else theirs.max(axis=1) > scores
        above = np.zeros_like(gain)
        above[:-1] = np.logical_or.accumulate(gain[:0:-1], axis=0)[::-1]
        stable[:, side::2] = ~above[:, None]
    return stable


def _better(seat: int, one: Any, other: Any) -> Any:
    return np.minimum(one, other) if seat % 2 else np.maximum(one, other)


def _score_table() -> Any:
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
