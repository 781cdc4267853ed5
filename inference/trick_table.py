"""Tricks without a solver: what the parts of two hands are worth, a table fitted on solved deals.

A sum over declarer's and dummy's hands, by trumps, honours and shape. Honours of the trump suit
count more than others; kings, queens and jacks opposite a void or a singleton count less, and so
does an ace opposite a void; a short suit counts where there is a trump to ruff with. The numbers
are those of a least-squares fit to double-dummy tricks of the open part of the bank:
``python -m benchmarks.trick_table`` fits them anew. On deals that a fit had not seen it was off by
0.84 tricks in suits and 1.03 in notrump (mean absolute error; standard deviation 1.06 and 1.32).
"""

from functools import cache
from math import erf, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import Contract, score
from bidcascade.kernels.types import U64

F64 = NDArray[np.float64]

NOTRUMP: Final = 4
SUIT_ERROR: Final = 1.06
NOTRUMP_ERROR: Final = 1.32
"""Standard deviation of tricks around the estimate."""
FEWEST_TRUMPS: Final = 5
MOST_TRUMPS: Final = 11
"""Trumps of both hands; fewer and more count as these."""
_HONOURS: Final = ("ace", "king", "queen", "jack", "ten")
_HIGHEST: Final = 12

SUIT_WORTH: Final = {
    "5 trumps": -3.1, "6 trumps": -1.92, "7 trumps": -0.72, "8 trumps": 0.28, "9 trumps": 0.83,
    "10 trumps": 1.19, "11 trumps": 1.22,
    "ace of trumps": 1.87, "king of trumps": 1.36, "queen of trumps": 0.89,
    "jack of trumps": 0.5, "ten of trumps": 0.27,
    "ace of another suit": 1.54, "king of another suit": 0.85, "queen of another suit": 0.45,
    "jack of another suit": 0.21,
    "void": 1.22, "singleton": 0.44, "doubleton": 0.08,
    "king, queen or jack opposite shortness": -0.11, "ace opposite a void": -0.55,
    "card of a side suit beyond eight": -0.3, "suit of equal lengths": -0.07,
    "trump more in one hand": 0.18, "suit without ace and king": -0.21,
}  # fmt: skip
"""Tricks for each part of both hands in a trump contract, in the order of :func:`suit_parts`."""

NOTRUMP_WORTH: Final = {
    "both hands": -1.53, "ace": 2.09, "king": 1.24, "queen": 0.64, "jack": 0.43, "ten": 0.17,
    "card of the longest suit together": -0.14, "suit without a stopper": -0.62,
    "card beyond four of the longest suit": -0.12, "honour of the longest suit": -0.07,
    "honour for each card beyond four": 0.08,
}  # fmt: skip
"""Tricks for each part in notrump, in the order of :func:`notrump_parts`."""


def estimated_tricks(hands: U64, strain: int, declarer: int) -> F64:
    """Tricks that a declarer may expect, float64 [n], by the hands of his side alone.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> ours = [parse_hand("AKQ42.K3.A842.K2"), parse_hand("J975.A82.K53.A73")]
    >>> hands = np.array([[ours[0]], [0], [ours[1]], [0]], np.uint64)
    >>> [round(float(estimated_tricks(hands, strain, 0)[0]), 1) for strain in (3, 4)]
    [13.0, 11.5]
    """
    first, second = (Holdings.of(hands[seat]) for seat in (declarer, (declarer + 2) % 4))
    if strain == NOTRUMP:
        worth, parts = NOTRUMP_WORTH, notrump_parts(first, second)
    else:
        worth, parts = SUIT_WORTH, suit_parts(first, second, strain)
    return np.clip(np.array([*worth.values()]) @ parts, 0.0, 13.0)


def estimated_scores(hands: U64, contract: Contract, *, vulnerable: bool) -> F64:
    """Score that declarer's side may expect in a contract, float64 [n].

    The mean over the tricks that are likely around the estimate.
    """
    tricks = estimated_tricks(hands, contract.strain, contract.declarer)
    error = NOTRUMP_ERROR if contract.strain == NOTRUMP else SUIT_ERROR
    points = np.array([score(contract, taken, vulnerable=vulnerable) for taken in range(14)])
    steps = np.round(tricks * _STEPS).astype(np.int64)
    means: F64 = np.array([_chances(step, error) @ points for step in range(13 * _STEPS + 1)])
    return means[steps]


def likely_tricks(hands: U64, strain: int, declarer: int, parts: int) -> NDArray[np.int8]:
    """Tricks that a declarer may take in as many equally likely cases, int8 [parts, n], rising.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> ours = [parse_hand("AQJ42.K3.A842.K2"), parse_hand("K975.A82.K53.J73")]
    >>> likely_tricks(np.array([[ours[0]], [0], [ours[1]], [0]], np.uint64), 3, 0, 5)[:, 0].tolist()
    [10, 11, 12, 12, 13]
    """
    error = NOTRUMP_ERROR if strain == NOTRUMP else SUIT_ERROR
    cases = [NormalDist(0, error).inv_cdf((part + 0.5) / parts) for part in range(parts)]
    tricks = estimated_tricks(hands, strain, declarer) + np.array(cases)[:, None]
    rounded: NDArray[np.int8] = np.clip(np.round(tricks), 0, 13).astype(np.int8)
    return rounded


_STEPS: Final = 8
"""Estimates are rounded to such a part of a trick."""


@cache
def _chances(step: int, error: float) -> F64:
    """Chance of each number of tricks, 0-13, around an estimate in steps."""
    mean = step / _STEPS
    below = [0.5 + 0.5 * erf((taken + 0.5 - mean) / (error * sqrt(2))) for taken in range(13)]
    return np.diff(np.array([0.0, *below, 1.0]))


# --- the parts of two hands ----------------------------------------------------------------------


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


def suit_parts(first: Holdings, second: Holdings, trumps: int) -> F64:
    """Count the parts of two hands, as :data:`SUIT_WORTH` has them, float64 [parts, n]."""
    sides = [suit for suit in range(4) if suit != trumps]
    together = np.clip(_both(first, second)[trumps], FEWEST_TRUMPS, MOST_TRUMPS)
    parts = [together == count for count in range(FEWEST_TRUMPS, MOST_TRUMPS + 1)]
    honours = first.honours.astype(np.int64) + second.honours
    parts += [*honours[trumps], *honours[sides, :4].sum(axis=0)]
    short = [np.zeros(honours.shape[2], np.int64) for _ in range(3)]
    wasted, wasted_ace = np.zeros((2, honours.shape[2]), np.int64)
    for one, other in ((first, second), (second, first)):
        can_ruff = one.length[trumps] > 0
        for suit in sides:
            for cards in range(3):
                short[cards] += can_ruff & (one.length[suit] == cards)
            wasted += (one.length[suit] <= 1) * other.honours[suit, 1:4].sum(axis=0)
            wasted_ace += (one.length[suit] == 0) & other.honours[suit, 0]
    parts += [*short, wasted, wasted_ace]
    lengths = first.length.astype(np.int64), second.length.astype(np.int64)
    parts.append(np.clip(_both(first, second)[sides] - 8, 0, None).sum(axis=0))
    parts.append((lengths[0] == lengths[1]).sum(axis=0))
    parts.append(np.abs(lengths[0][trumps] - lengths[1][trumps]))
    is_open = (honours[sides, :2].sum(axis=1) == 0) & (np.minimum(*lengths)[sides] >= 2)
    parts.append(is_open.sum(axis=0))
    return np.array(parts, np.float64)


def notrump_parts(first: Holdings, second: Holdings) -> F64:
    """Count the parts of two hands, as :data:`NOTRUMP_WORTH` has them, float64 [parts, n]."""
    honours = first.honours.astype(np.int64) + second.honours
    together = _both(first, second)
    longest = together.argmax(axis=0)
    count = np.arange(len(longest))
    stopped = honours[:, 0] > 0
    for one in (first, second):
        for honour in (1, 2):
            stopped |= one.honours[:, honour] & (one.length > honour)
    further = np.maximum(first.length, second.length).max(axis=0).astype(np.int64) - 4
    solid = honours[longest, :3, count].sum(axis=1)
    parts = [
        np.ones_like(longest), *honours.sum(axis=0), together[longest, count],
        (~stopped).sum(axis=0), further, solid, further * solid,
    ]  # fmt: skip
    return np.array(parts, np.float64)


def _both(first: Holdings, second: Holdings) -> NDArray[np.int64]:
    return first.length.astype(np.int64) + second.length
