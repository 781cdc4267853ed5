"""Why a side got less than par: one cause for each board, told by the contract and the calls.

The *loser* of a board is the side that is worse off than par. What it could have played instead,
its *own* contracts, are those that it makes and that are worth par or more; where par is not above
zero for it, they are the par contracts that it plays (its sacrifices, mostly).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import DOUBLE, FIRST_BID, PASS
from bidcascade.inference.double_dummy.par import contract_scores, par_results
from bidcascade.kernels.types import I8, I16, U8, Bools

from .scored_boards import category_of

CAUSES: Final = {
    "missed slam": "the loser makes a slam of its own and did not bid it",
    "missed game": "the loser makes a game of its own and did not bid one",
    "sold out": "the opponents make their contract; an own contract, in reach, was worth more",
    "let them play": "the opponents go down, but for less than an own contract was worth",
    "wrong strain": "the loser plays; own contracts of this worth are in other strains",
    "too high": "the loser goes down, and could stop lower or leave the hand to the opponents",
    "no double": "the opponents go down undoubled; a double were par",
    "wrong double": "the opponents make a doubled contract; without the double it were par",
    "missed sacrifice": "the opponents make their contract; going down in an own one was cheaper",
    "passed out": "nobody bid",
    "other": "the wrong hand plays, or the opponents do better than par has it",
}
"""What each cause is; :func:`cause_of` says which comes first."""

MADE_BY_A_BID: Final = frozenset({"wrong strain", "too high"})
"""Causes of which the loser's last bid is decisive, not its last choice."""
MADE_BY_A_DOUBLE: Final = "wrong double"

_BIDS: Final = np.arange(35)
_CATEGORIES: Final[list[int]] = category_of(_BIDS // 5 + 1, _BIDS % 5).tolist()
_GAME: Final = 2
_SLAM: Final = 3
Indices: TypeAlias = NDArray[np.integer]


class ParOfDeals(NamedTuple):
    """Par of some deals.

    Parameters
    ----------
    scores : int16 [n]
        Points of North-South.
    best : bool [n, 35, 4]
        Par contracts by bid and declarer, as :func:`.double_dummy.par.par_results` gives them.
    makes : bool [n, 35, 4]
        Whether a contract is made.
    own : bool [n, 2, 35]
        Own contracts of either side, as this module's head has them.
    """

    scores: I16
    best: Bools
    makes: Bools
    own: Bools

    @classmethod
    def of(cls, tables: I8, dealer: U8, vulnerability: U8) -> "ParOfDeals":
        """Work par out from double-dummy tables, int8 [n, 20]."""
        scores, best = par_results(tables, dealer, vulnerability)
        # from the view of the declarer's side
        final = contract_scores(tables, vulnerability) * np.array([1, -1, 1, -1], np.int16)
        own = np.empty((len(tables), 2, 35), np.bool_)
        for side, value in enumerate((scores, -scores)):
            reaches = (final[:, :, side::2] >= value[:, None, None]).any(axis=2)
            stands = best[:, :, side::2].any(axis=2)
            own[:, side] = np.where(value[:, None] > 0, reaches, stands)
        return cls(scores, best, final > 0, own)


class Ending(NamedTuple):
    """How the auction of a board ended, and what came of it for its loser."""

    bid: int
    """From 0 (one club) to 34; -1 if it was passed out."""
    loser_declares: bool
    made: bool
    doubling: int
    score: int
    """Points of the loser."""
    other_score: int
    """Points of the loser if an undoubled contract were doubled, a doubled one not."""


def cause_of(ending: Ending, par: int, own: Sequence[int], highest: int) -> str:
    """Tell why a side has less than par.

    Parameters
    ----------
    ending
    par
        Points of the loser at par.
    own
        Bids of its own contracts.
    highest
        Its highest bid in the auction, -1 for none.

    Examples
    --------
    >>> cause_of(Ending(8, True, True, 0, 170, 340), 420, [18], 8)  # two spades and not four
    'missed game'
    """
    if ending.bid < 0:
        return "passed out"
    level = _CATEGORIES[ending.bid]
    aim = min((_CATEGORIES[bid] for bid in own), default=0)
    missed = "missed slam" if aim >= _SLAM else "missed game"
    strains = {bid % 5 for bid in own}
    if ending.loser_declares:
        strain = ending.bid % 5
        if ending.made:
            if aim > level:
                return missed
            return "wrong strain" if own and strain not in strains else "other"
        if any(bid < ending.bid and bid % 5 == strain for bid in own):
            return "too high"
        elsewhere = any(_CATEGORIES[bid] >= level and bid % 5 != strain for bid in own)
        return "wrong strain" if elsewhere else "too high"
    if ending.other_score >= par:
        if not ending.made and not ending.doubling:
            return "no double"
        if ending.made and ending.doubling:
            return MADE_BY_A_DOUBLE
    if par <= 0:
        return "missed sacrifice" if own else "other"
    if aim >= _GAME and (highest < 0 or _CATEGORIES[highest] < aim):
        return missed
    return "sold out" if ending.made else "let them play"


def highest_bid(calls: Sequence[int], parity: int) -> int:
    """Give the highest bid of the players at positions 0 and 2, or 1 and 3; -1 for none."""
    return max(max(calls[parity::2], default=PASS) - FIRST_BID, -1)


def decisive_calls(cause: str, calls: Sequence[int], parity: int) -> list[int]:
    """Positions of the calls that may have been decisive, the likeliest first.

    For a contract that the loser should not be in, it is its last bid, for a wrong double its last
    double. For whatever it left undone it is its last call, unless that was no choice: then the
    one before it, and so on.
    """
    own = range(len(calls) - 1, -1, -1)
    if cause in MADE_BY_A_BID:
        return [at for at in own if at % 2 == parity and calls[at] >= FIRST_BID][:1]
    if cause == MADE_BY_A_DOUBLE:
        return [at for at in own if at % 2 == parity and calls[at] == DOUBLE][:1]
    return [at for at in own if at % 2 == parity]
