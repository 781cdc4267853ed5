"""What a match of two systems says about all its deals, from those that were worked out.

Deals of one kind are a sample without replacement of that kind (a stratum). A total is estimated by
stratum, sum of N·mean, with variance N²(1 − m/N)·s²/m; a mean over part of the deals is a ratio of
two totals, with the variance of its residuals (Cochran: Sampling Techniques, 3rd ed. 1977, sections
2.6, 5.3 and 6.11). Where a stratum that matters has fewer than two deals there is no error to tell.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import PASS

from .auction_ends import I64, PASSED_OUT
from .compare import KINDS, SAME, Bools, Comparison

Floats: TypeAlias = NDArray[np.float64]

CATEGORIES: Final = ("passed out", "partscore", "game", "small slam", "grand slam")
_GAME_LEVELS: Final = np.array([5, 5, 4, 4, 3])
"""Level of game by strain, C D H S N."""


class Estimate(NamedTuple):
    """A number with its standard error; None where it cannot be told."""

    value: float
    error: float | None


class Divergence(NamedTuple):
    """Where two auctions of one deal parted.

    Parameters
    ----------
    before : tuple of int
        Calls that both made, without the passes before the first bid.
    first, second : int
        What either system called then.
    """

    before: tuple[int, ...]
    first: int
    second: int


def total(match: Comparison, values: Floats) -> tuple[float, float | None]:
    """Sum over all deals and its variance.

    Parameters
    ----------
    match : Comparison
    values : float64 [n]
        Looked at where the result is known.

    Examples
    --------
    >>> from .compare import SAME
    >>> from types import SimpleNamespace
    >>> match = SimpleNamespace(
    ...     kind=np.array([1, 1, 1, 1]), done=np.array([True, True, False, False]))
    >>> total(match, np.array([1.0, 3.0, 9.0, 9.0]))
    (8.0, 8.0)
    """
    found, variance = 0.0, 0.0
    known_error = True
    for kind in range(len(KINDS)):
        of_kind = match.kind == kind
        size = int(of_kind.sum())
        sample = values[of_kind & match.done]
        count = len(sample)
        if not count:
            known_error &= not size
            continue
        found += size * float(sample.mean())
        if count < size:
            if count < 2:
                known_error = False
            else:
                spread = float(sample.var(ddof=1))
                variance += size * size * (1 - count / size) * spread / count
    return found, variance if known_error else None


def mean(match: Comparison, values: Floats, where: Bools | None = None) -> Estimate:
    """Mean over all deals, or over those that fulfil something.

    Parameters
    ----------
    match : Comparison
    values : float64 [n]
    where : bool [n], optional

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> match = SimpleNamespace(kind=np.zeros(4), done=np.ones(4, np.bool_))
    >>> mean(match, np.array([1.0, 3.0, 5.0, 7.0]))
    Estimate(value=4.0, error=0.0)
    """
    inside = np.ones(len(values)) if where is None else where.astype(np.float64)
    size, _ = total(match, inside)
    if not size:
        return Estimate(0.0, None)
    amount, _ = total(match, values * inside)
    ratio = amount / size
    _, variance = total(match, (values - ratio) * inside)
    if variance is None or (_is_thin(match, inside) and not match.done.all()):
        return Estimate(ratio, None)
    return Estimate(ratio, math.sqrt(variance) / size)


def _is_thin(match: Comparison, inside: Floats) -> bool:
    """Whether only one deal, or none, of those inside was drawn: that tells nothing of errors."""
    return int(inside[match.done & (match.kind != SAME)].sum()) < 2


def part(match: Comparison, values: Floats, where: Bools) -> Estimate:
    """Tell what part of the deals adds to the mean over all of them.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> match = SimpleNamespace(kind=np.zeros(4), done=np.ones(4, np.bool_))
    >>> part(match, np.array([1.0, 3.0, 5.0, 7.0]), np.array([True, False, False, True]))
    Estimate(value=2.0, error=0.0)
    """
    count = len(values)
    amount, variance = total(match, values * where)
    return Estimate(amount / count, None if variance is None else math.sqrt(variance) / count)


def divergences(match: Comparison) -> tuple[list[Divergence], I64]:
    """Where the auctions of each deal parted.

    Returns
    -------
    list of Divergence
        The different ones.
    int64 [n]
        Which of them a deal has; -1 where both auctions are the same, or not known.
    """
    number = np.full(len(match), -1, np.int64)
    apart = np.flatnonzero(match.done & (match.ending[0] != match.ending[1]))
    found: dict[Divergence, int] = {}
    if len(apart):
        keys = np.stack([*match.ending[:, apart], match.deals.dealer[apart] % 2])
        pairs, place = np.unique(keys, axis=1, return_inverse=True)
        own = [
            found.setdefault(
                divergence_of(match.endings.calls[one], match.endings.calls[two], parity),
                len(found),
            )
            for one, two, parity in pairs.T.tolist()
        ]
        number[apart] = np.array(own)[place.reshape(-1)]
    return list(found), number


def divergence_of(north_south: Sequence[int], east_west: Sequence[int], dealer: int) -> Divergence:
    """Find where two auctions parted.

    Parameters
    ----------
    north_south, east_west : sequence of int
        Different complete auctions where the first system sat North-South, and East-West.
    dealer : int

    Examples
    --------
    >>> divergence_of((0, 7, 0, 0, 0), (0, 3, 0, 0, 0), dealer=1)
    Divergence(before=(), first=7, second=3)
    """
    place = next(
        number
        for number, (one, two) in enumerate(zip(north_south, east_west, strict=False))
        if one != two
    )
    before = tuple(north_south[:place])
    opened = next((number for number, call in enumerate(before) if call != PASS), len(before))
    calls = north_south[place], east_west[place]
    # at the first table the first system calls for North-South
    first, second = calls if (dealer + place) % 2 == 0 else calls[::-1]
    return Divergence(before[opened:], first, second)


class Contracts(NamedTuple):
    """What the auctions of all deals at both tables came to, as arrays [2, n].

    Parameters
    ----------
    number : int64
        Contract number; meaningless where the deal is not done.
    declarer_side : int64
        0 North-South, 1 East-West, -1 passed out.
    category : int64
        Of :data:`CATEGORIES`.
    doubled : bool
    """

    number: I64
    declarer_side: I64
    category: I64
    doubled: Bools


def contracts_of(match: Comparison) -> Contracts:
    """Contracts of all deals at both tables."""
    numbers = match.endings.contracts[np.maximum(match.ending, 0)]
    played = numbers != PASSED_OUT
    rest, declarer = np.divmod(numbers - 1, 4)
    rest, doubling = np.divmod(rest, 3)
    level, strain = np.divmod(rest, 5)
    level += 1
    side = np.where(played, (declarer + match.deals.dealer) % 2, -1)
    # a doubled partscore is one: what counts is what was bid
    category = np.where(
        level == 7, 4, np.where(level == 6, 3, np.where(level >= _GAME_LEVELS[strain], 2, 1))
    )
    return Contracts(numbers, side, np.where(played, category, 0), played & (doubling > 0))


def of_system(contracts: Contracts, system: int) -> Bools:
    """Whether a system's side declared: bool [2, n] by table and deal.

    Examples
    --------
    >>> one = Contracts(*(np.array([[0, 1], [0, 1]]),) * 4)
    >>> of_system(one, 0).tolist()
    [[True, False], [False, True]]
    """
    side = np.array([[system], [1 - system]])
    played: Bools = contracts.declarer_side == side
    return played
