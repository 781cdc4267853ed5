"""Tricks without a solver: what the parts of a deal are worth, a table fitted on solved deals.

A sum over declarer's and dummy's hands, by trumps, honours and shape. Honours of the trump suit
count more than others, and less of them is needed where there are many trumps; honours that stand
together count more than apart; kings, queens and jacks opposite a void or a singleton count less,
and so does an ace opposite a void; a short suit counts where there is a trump to ruff with, more in
the hand with fewer trumps. The numbers are those of a least-squares fit to double-dummy tricks of
the open part of the bank, in which what is likely to be played counts more:
``python -m benchmarks.inference.trick_table`` fits them anew.
"""

from collections.abc import Sequence
from functools import cache
from math import erf, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import Contract, score
from bidcascade.kernels.types import F64, I8, U64

NOTRUMP: Final = 4
SUIT_ERROR: Final = 0.77
NOTRUMP_ERROR: Final = 1.15
"""Standard deviation of tricks around the estimate."""
_NARROWER: Final = ((9.0, 11.0, 12.0, 13.0), (1.0, 0.93, 0.8, 0.62))
"""Estimates, and what part of the error they have: near thirteen there is less to go wrong."""
_NEAR_ALL: Final = ((0.0, 10.5, 12.0, 13.0, 14.5), (0.0, 10.5, 11.8, 12.5, 13.0))
"""Sums in a suit, and the tricks that were taken: the last ones are harder to come by."""
FEWEST_TRUMPS: Final = 5
MOST_TRUMPS: Final = 11
"""Trumps of both hands; fewer and more count as these."""
_HONOURS: Final = ("ace", "king", "queen", "jack", "ten")
_HIGHEST: Final = 12
_USUAL_DIFFERENCE: Final = np.array(
    [0, 1, 0.96, 1.44, 1.4, 1.78, 1.74, 2.06, 2.0, 2.3, 2.3, 2.5, 2.5, 2.7]
)
"""Mean difference of the defenders' lengths in a suit, by the cards that they have of it."""

SUIT_VALUES: Final = {
    "5 trumps": -1.97, "6 trumps": -1, "7 trumps": 0, "8 trumps": 0.74, "9 trumps": 1.8,
    "10 trumps": 2.55, "11 trumps": 2.88, "ace of trumps": 1.96, "king of trumps": 1.62,
    "queen of trumps": 1.05, "jack of trumps": 0.53, "ten of trumps": 0.23,
    "ace of another suit": 1.18, "king of another suit": 0.46, "queen of another suit": 0.36,
    "jack of another suit": 0.23, "ten of another suit": 0.09, "void": 1.23, "singleton": 0.47,
    "doubleton": 0.09, "void beside fewer trumps": 0.21, "singleton beside fewer trumps": 0.16,
    "doubleton beside fewer trumps": 0.1, "king, queen or jack opposite shortness": -0.18,
    "ace opposite a void": -0.64, "card of a side suit beyond eight": 0.09,
    "suit of equal lengths": -0.12, "trump more in one hand": 0.23,
    "trump beyond five in one hand": -0.31, "four trumps in both hands": 0.39,
    "suit without ace and king": -0.41, "ace with king": 0.66, "king with queen": 0.32,
    "ace with queen": 0.27, "king with jack": 0.12, "queen with jack": 0,
    "ace with king of trumps": -0.27, "king with queen of trumps": -0.25,
    "king of ten trumps": -0.45, "queen of nine trumps": -0.36, "jack of nine trumps": -0.25,
    "uneven break of trumps": -0.09, "four trumps in a defender's hand": -0.29,
    "five trumps in a defender's hand": -0.37, "defender's void": -0.75,
    "defender's singleton": -0.3, "ace of trumps onside": 0.07, "king of trumps onside": 0.19,
    "queen of trumps onside": 0.13, "jack of trumps onside": 0.07, "ace onside": 0.14,
    "king onside": 0.12, "queen onside": 0.07, "jack onside": 0.04,
}  # fmt: skip
"""Tricks for each part of the deal in a trump contract, in the order of :func:`suit_parts`."""

NOTRUMP_VALUES: Final = {
    "both hands": 0.67, "ace": 0.97, "king": -0.02, "queen": 0.12, "jack": 0.35, "ten": 0.18,
    "card of the longest suit together": 0.14, "suit without a stopper": -0.67,
    "card beyond four of the longest suit": -0.08, "honour of the longest suit": 0.01,
    "honour for each card beyond four": 0.09, "suit without any guard": -0.22,
    "suit without a whole guard": -0.42, "two suits without a whole guard": -0.64,
    "short suit without ace and king": -0.45, "few cards and one guard": -0.14,
    "card fewer than six of a suit": -0.21, "ace with king": 1.38, "king with queen": 0.85,
    "ace with queen": 0.68, "king with jack": 0.29, "queen with jack": 0.26,
    "ace, king and queen": 0.43, "ace onside": 0.2, "king onside": 0.17, "queen onside": 0.12,
    "jack onside": 0.06, "card beyond five of a defender's suit": -0.26,
    "uneven break of seven cards": -0.03,
}  # fmt: skip
"""Tricks for each part in notrump, in the order of :func:`notrump_parts`."""


def estimated_tricks(hands: U64, strain: int, declarer: int) -> F64:
    """Tricks that a declarer may expect, float64 [n].

    Defenders whose hands are empty are unknown: nothing breaks badly, and nothing is onside.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> ours = [parse_hand("AKQ42.K3.A842.K2"), parse_hand("J975.A82.K53.A73")]
    >>> hands = np.array([[ours[0]], [0], [ours[1]], [0]], np.uint64)
    >>> [round(float(estimated_tricks(hands, strain, 0)[0]), 1) for strain in (3, 4)]
    [12.5, 12.2]
    """
    around = [Holdings.of(hands[(declarer + turn) % 4]) for turn in range(4)]
    if strain == NOTRUMP:
        values, parts = NOTRUMP_VALUES, notrump_parts(around)
    else:
        values, parts = SUIT_VALUES, suit_parts(around, strain)
    tricks = np.array([*values.values()]) @ parts
    if strain != NOTRUMP:
        tricks = np.interp(tricks, *_NEAR_ALL)
    return np.clip(tricks, 0.0, 13.0)


def estimated_scores(hands: U64, contract: Contract, *, vulnerable: bool) -> F64:
    """Score that declarer's side may expect in a contract, float64 [n].

    The mean over the tricks that are likely around the estimate.
    """
    tricks = estimated_tricks(hands, contract.strain, contract.declarer)
    errors = error_of(np.arange(13 * _STEPS + 1) / _STEPS, contract.strain).tolist()
    points = np.array([score(contract, taken, vulnerable=vulnerable) for taken in range(14)])
    steps = np.round(tricks * _STEPS).astype(np.int64)
    means: F64 = np.array([_chances(*one) @ points for one in enumerate(errors)])
    return means[steps]


def likely_tricks(hands: U64, strain: int, declarer: int, parts: int) -> I8:
    """Tricks around the estimate, int8 [n, parts]: equally likely ones, from few to many.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> ours = [parse_hand("KJ752.A64.Q3.742"), parse_hand("AQ86.K52.J742.A3")]
    >>> likely_tricks(np.array([[ours[0]], [0], [ours[1]], [0]], np.uint64), 3, 0, 4).tolist()
    [[9, 10, 10, 11]]
    """
    tricks = estimated_tricks(hands, strain, declarer)
    middles = [NormalDist().inv_cdf((part + 0.5) / parts) for part in range(parts)]
    spread = error_of(tricks, strain)[:, None] * np.array(middles)
    found: I8 = np.clip(np.rint(tricks[:, None] + spread), 0, 13).astype(np.int8)
    return found


def error_of(tricks: F64, strain: int) -> F64:
    """Give the standard deviation of tricks around estimates, float64 [n].

    Examples
    --------
    >>> error_of(np.array([8.0, 13.0]), 3).round(2).tolist()
    [0.77, 0.48]
    """
    error = NOTRUMP_ERROR if strain == NOTRUMP else SUIT_ERROR
    return error * np.interp(tricks, *_NARROWER)


_STEPS: Final = 8
"""Estimates are rounded to such a part of a trick."""


@cache
def _chances(step: int, error: float) -> F64:
    """Chance of each number of tricks, 0-13, around an estimate in steps."""
    mean = step / _STEPS
    below = [0.5 + 0.5 * erf((taken + 0.5 - mean) / (error * sqrt(2))) for taken in range(13)]
    return np.diff(np.array([0.0, *below, 1.0]))


# --- the parts of a deal --------------------------------------------------------------------------


class Holdings(NamedTuple):
    """Lengths and honours of hands: uint8 [4 suits, n], bool [4, 5 honours, n]."""

    length: NDArray[np.uint8]
    honours: NDArray[np.bool_]

    @classmethod
    def of(cls, hands: U64) -> "Holdings":
        """Take hands, uint64 [n], apart."""
        suits = hands >> np.arange(0, 52, 13, dtype=np.uint64)[:, None] & np.uint64(0x1FFF)
        ranks = np.arange(_HIGHEST, _HIGHEST - len(_HONOURS), -1, dtype=np.uint64)
        honours = suits[:, None] >> ranks[:, None] & np.uint64(1)
        return cls(np.bitwise_count(suits), honours.astype(np.bool_))


def suit_parts(around: Sequence[Holdings], trumps: int) -> F64:
    """Count the parts of a deal, as :data:`SUIT_VALUES` has them, float64 [parts, n].

    The hands are those of declarer, left-hand opponent, dummy and right-hand opponent.
    """
    first, second = around[0], around[2]
    sides = [suit for suit in range(4) if suit != trumps]
    both = _both(first, second)
    together = np.clip(both[trumps], FEWEST_TRUMPS, MOST_TRUMPS)
    parts = [together == count for count in range(FEWEST_TRUMPS, MOST_TRUMPS + 1)]
    honours = first.honours.astype(np.int64) + second.honours
    parts += [*honours[trumps], *honours[sides].sum(axis=0)]
    count = honours.shape[2]
    short, beside_fewer = np.zeros((2, 3, count), np.int64)
    wasted, wasted_ace = np.zeros((2, count), np.int64)
    for one, other in ((first, second), (second, first)):
        can_ruff = one.length[trumps] > 0
        has_fewer = (one.length[trumps] >= 3) & (one.length[trumps] <= other.length[trumps])
        for suit in sides:
            for cards in range(3):
                is_short = one.length[suit] == cards
                short[cards] += can_ruff & is_short
                beside_fewer[cards] += has_fewer & is_short
            wasted += (one.length[suit] <= 1) * other.honours[suit, 1:4].sum(axis=0)
            wasted_ace += (one.length[suit] == 0) & other.honours[suit, 0]
    parts += [*short, *beside_fewer, wasted, wasted_ace]
    lengths = first.length.astype(np.int64), second.length.astype(np.int64)
    parts.append(np.clip(both[sides] - 8, 0, None).sum(axis=0))
    parts.append((lengths[0] == lengths[1]).sum(axis=0))
    parts.append(np.abs(lengths[0][trumps] - lengths[1][trumps]))
    parts.append(np.clip(np.maximum(lengths[0][trumps], lengths[1][trumps]) - 5, 0, None))
    parts.append((lengths[0][trumps] == 4) & (lengths[1][trumps] == 4))
    is_open = (honours[sides, :2].sum(axis=1) == 0) & (np.minimum(*lengths)[sides] >= 2)
    parts.append(is_open.sum(axis=0))
    parts += [one.sum(axis=0) for one in _pairs(honours[sides])]
    ace, king, queen, jack, _ = honours[trumps]
    parts += [ace & king, king & queen, king * (both[trumps] >= 10)]
    parts += [one * (both[trumps] >= 9) for one in (queen, jack)]
    onside = _onside(around)
    theirs = [around[turn].length.astype(np.int64) for turn in (1, 3)]
    most = np.maximum(theirs[0][trumps], theirs[1][trumps])
    parts += [
        _unevenness(around)[trumps], most >= 4, most >= 5,
        *(sum(((one[sides] == cards) & (one[trumps] > 0)).sum(axis=0) for one in theirs)
          for cards in range(2)),
        *onside[:, trumps], *onside[:, sides].sum(axis=1),
    ]  # fmt: skip
    return np.array(parts, np.float64)


def notrump_parts(around: Sequence[Holdings]) -> F64:
    """Count the parts of a deal, as :data:`NOTRUMP_VALUES` has them, float64 [parts, n].

    The hands are those of declarer, left-hand opponent, dummy and right-hand opponent.
    """
    first, second = around[0], around[2]
    honours = first.honours.astype(np.int64) + second.honours
    together = _both(first, second)
    longest = together.argmax(axis=0)
    count = np.arange(len(longest))
    stopped = honours[:, 0] > 0
    for one in (first, second):
        for honour in (1, 2):
            stopped |= one.honours[:, honour] & (one.length > honour)
    longer = np.maximum(first.length, second.length)
    further = longer.max(axis=0).astype(np.int64) - 4
    solid = honours[longest, :3, count].sum(axis=1)
    # an ace or a guarded king each, half of it for a guarded queen
    guards = 2 * honours[:, 0] + 2 * honours[:, 1] * (longer >= 2) + honours[:, 2] * (longer >= 3)
    weakest, next_one = np.sort(guards, axis=0)[:2]
    parts = [
        np.ones_like(longest), *honours.sum(axis=0), together[longest, count],
        (~stopped).sum(axis=0), further, solid, further * solid,
        weakest == 0, weakest < 2, next_one < 2,
        ((longer <= 3) & (honours[:, :2].sum(axis=1) == 0)).sum(axis=0),
        ((together <= 5) & (guards <= 2)).sum(axis=0),
        np.clip(6 - together.min(axis=0).astype(np.int64), 0, None),
        *(one.sum(axis=0) for one in _pairs(honours)),
        (honours[:, :3].sum(axis=1) == 3).sum(axis=0),
        *_onside(around).sum(axis=1),
        np.clip(np.maximum(around[1].length, around[3].length).max(axis=0), 5, None) - 5,
        (_unevenness(around) * (together >= 7)).sum(axis=0),
    ]  # fmt: skip
    return np.array(parts, np.float64)


def _onside(around: Sequence[Holdings]) -> NDArray[np.int64]:
    """Tell where the defenders' ace, king, queen and jack lie, int64 [4 honours, 4 suits, n].

    1 where it plays before a hand of declarer's side that may catch it, -1 where it plays after:
    the king may catch the ace, the ace the king, king or ace and jack the queen, queen and a higher
    honour the jack.
    """
    found = np.zeros((4, *around[0].length.shape), np.int64)
    for seat in (0, 2):
        ace, king, queen, jack = (around[seat].honours[:, rank] for rank in range(4))
        before, after = (around[(seat + turn) % 4].honours.astype(np.int64) for turn in (3, 1))
        catchers = king, ace, king | (ace & jack), queen & (ace | king)
        for rank, catcher in enumerate(catchers):
            found[rank] += catcher * (before[:, rank] - after[:, rank])
    return found


def _unevenness(around: Sequence[Holdings]) -> F64:
    """Cards that one defender has more than the other, beyond what is usual, float64 [4, n]."""
    left, right = (around[turn].length.astype(np.int64) for turn in (1, 3))
    more: F64 = np.abs(left - right) - _USUAL_DIFFERENCE[left + right]
    return more


def _pairs(honours: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Honours that stand together in suits, int64 [suits, n] each."""
    ace, king, queen, jack = (honours[:, rank] for rank in range(4))
    return (
        ace & king, king & queen & ~ace & 1, ace & queen & ~king & 1,
        king & jack & ~(ace | queen) & 1, queen & jack & ~(ace | king) & 1,
    )  # fmt: skip


def _both(first: Holdings, second: Holdings) -> NDArray[np.int64]:
    return first.length.astype(np.int64) + second.length
