"""What a match of two systems says about all deals, of which its deals are a random sample.

All deals of the match are bid; of those whose contracts differ some, drawn at random, are worked
out. That is double sampling for stratification: the deals tell how large the two kinds are, and a
sample of the one kind what a deal of it is worth. Means, and their variances from within the kinds
and between them, are those of Cochran: Sampling Techniques, 3rd ed. 1977, chapter 12, for
a population without end. Where every deal is worked out they become the mean of a simple random
sample, with standard error sd / sqrt(n).
"""

import math
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import PASS

from .auction_ends import I64, NO_CALL, PASSED_OUT, keys_of, parts_of
from .compare import DIFFERS, Bools, Comparison

Floats: TypeAlias = NDArray[np.float64]

CATEGORIES: Final = ("passed out", "partscore", "game", "small slam", "grand slam")
_GAME_LEVELS: Final = np.array([5, 5, 4, 4, 3])
"""Level of game by strain, C D H S N."""
_NORMAL: Final = 1.959964
_ROUNDING: Final = 1e-12
_FEW_DEGREES: Final = (math.nan, 12.706205, 4.302653)


class Estimate(NamedTuple):
    """A number about all deals, None where nothing is known of it.

    Parameters
    ----------
    value : float or None
    error : float or None
        Standard error; None where the deals do not tell it, being fewer than two or all equal.
    margin : float or None
        Half the width of the interval that holds the true number in 95 of 100 such matches.
    """

    value: float | None
    error: float | None = None
    margin: float | None = None


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


def quantile(degrees: int) -> float:
    """How many standard errors an interval of 95 % reaches to either side (Student's t).

    For three degrees of freedom and more it is the expansion 26.7.5 of Abramowitz and Stegun:
    Handbook of Mathematical Functions, 1964; right to a thousandth.

    Examples
    --------
    >>> [round(quantile(degrees), 2) for degrees in (1, 2, 3, 10, 1000)]
    [12.71, 4.3, 3.18, 2.23, 1.96]
    """
    if degrees < len(_FEW_DEGREES):
        return _FEW_DEGREES[degrees]
    x = _NORMAL
    terms = (
        x,
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return math.fsum(term / degrees**power for power, term in enumerate(terms))


class Sample(NamedTuple):
    """Deals of a match, and of which of them something is known.

    Parameters
    ----------
    drawn : bool [n]
        Deals of which only some were looked at, drawn at random.
    known : bool [n]
        Where values are known; everywhere but in some of the ``drawn``.

    Examples
    --------
    >>> deals = np.array([False, False, True, True, True, True])
    >>> sample = Sample(deals, np.array([True, True, True, True, False, False]))
    >>> [round(one, 3) for one in sample.mean(np.array([0.0, 0.0, 3.0, 6.0, 0.0, 0.0]))]
    [3.0, 1.342, 17.047]
    """

    drawn: Bools
    known: Bools

    @classmethod
    def of_results(cls, match: Comparison) -> "Sample":
        """Take what double dummy tells: scores and IMPs."""
        return cls(match.kind == DIFFERS, match.done)

    @classmethod
    def of_bidding(cls, match: Comparison) -> "Sample":
        """Take what the bidding tells, which is known of every deal."""
        return cls(np.zeros(len(match), np.bool_), np.ones(len(match), np.bool_))

    def ratio(self, amounts: Floats, sizes: Floats) -> Estimate:
        """Sum of amounts divided by sum of sizes, over all deals that have a size.

        Parameters
        ----------
        amounts : float64 [n]
            Looked at where they are known.
        sizes : float64 [n]
            Known of every deal; deals of size 0 have no part in this.
        """
        inside = np.flatnonzero(sizes > 0)
        count = len(inside)
        drawn, known = self.drawn[inside], self.known[inside]
        strata = []
        for stratum in (~drawn, drawn):
            size = int(stratum.sum())
            if size:
                strata.append((size, inside[stratum & known]))
        if not strata or not all(len(deals) for _, deals in strata):
            return Estimate(None)

        def mean(values: Floats) -> float:
            return sum(size / count * float(values[deals].mean()) for size, deals in strata)

        unit = mean(sizes)
        value = mean(amounts) / unit
        # a ratio varies as the mean of its residuals does, which is zero
        residuals = (amounts - value * sizes) / unit
        looked_at = len(strata[-1][1])
        if count < 2 or looked_at < 2:
            return Estimate(value)
        variance = 0.0
        for size, deals in strata:
            own = residuals[deals]
            spread = float(own.var(ddof=1)) if len(own) > 1 else 0.0
            variance += size / count * (size - 1) / (count - 1) * spread / len(own)
            variance += size / count * float(own.mean()) ** 2 / (count - 1)
        error = math.sqrt(variance)
        if error <= _ROUNDING * abs(value):
            # without any spread there is nothing that tells it
            return Estimate(value)
        return Estimate(value, error, quantile(looked_at - 1) * error)

    def mean(self, values: Floats, where: Bools | None = None) -> Estimate:
        """Mean over all deals, or over those of a kind that is known of every deal."""
        inside = np.ones(len(values)) if where is None else where.astype(np.float64)
        return self.ratio(values * inside, inside)

    def part(self, values: Floats, where: Bools) -> Estimate:
        """Tell what the deals of a kind add to the mean over all of them.

        Examples
        --------
        >>> sample = Sample(np.zeros(4, np.bool_), np.ones(4, np.bool_))
        >>> sample.part(np.array([1.0, 3.0, 5.0, 7.0]), np.array([True, False, False, True])).value
        2.0
        """
        # the others add nothing, which need not be looked up
        return Sample(self.drawn & where, self.known | ~where).mean(values * where)


def divergences(match: Comparison) -> tuple[list[Divergence], I64]:
    """Where the auctions of each deal parted.

    Returns
    -------
    list of Divergence
        The different ones.
    int64 [n]
        Which of them a deal has; -1 where both auctions are the same.
    """
    number = np.full(len(match), -1, np.int64)
    apart = np.flatnonzero(match.ending[0] != match.ending[1])
    if not len(apart):
        return [], number
    count = len(match.endings.calls)
    parity = match.deals.dealer[apart] % 2
    pairs, which = np.unique(
        (match.ending[0, apart] * count + match.ending[1, apart]) * 2 + parity, return_inverse=True
    )
    rest, parity = np.divmod(pairs, 2)
    one, two = (match.endings.calls[ending] for ending in np.divmod(rest, count))
    row = np.arange(len(pairs))
    place = np.argmax(one != two, axis=1)
    opened = np.minimum(np.argmax(one != PASS, axis=1), place)
    # at the first table the first system calls for North-South
    is_first = (parity + place) % 2 == 0
    here = one[row, place], two[row, place]
    columns = opened[:, np.newaxis] + np.arange(one.shape[1])
    before = np.take_along_axis(one, np.minimum(columns, one.shape[1] - 1), axis=1)
    before[columns >= place[:, np.newaxis]] = NO_CALL
    calls = np.column_stack([np.where(is_first, *here), np.where(is_first, *here[::-1]), before])
    keys, place_of = np.unique(keys_of(calls), return_inverse=True)
    number[apart] = place_of[which]
    found = []
    for key in keys.tolist():
        first, second, *known = (call - 1 for call in key)
        found.append(Divergence(tuple(known), first, second))
    return found, number


class Contracts(NamedTuple):
    """What the auctions of all deals at both tables came to, as arrays [2, n].

    Parameters
    ----------
    number : int64
        Contract number.
    level : int64
        Meaningless where it was passed out.
    declarer_side : int64
        0 North-South, 1 East-West, -1 passed out.
    category : int64
        Of :data:`CATEGORIES`.
    doubled : bool
    """

    number: I64
    level: I64
    declarer_side: I64
    category: I64
    doubled: Bools


def contracts_of(match: Comparison) -> Contracts:
    """Contracts of all deals at both tables."""
    numbers = match.contracts
    played = numbers != PASSED_OUT
    level, strain, doubling, declarer = parts_of(numbers)
    side = np.where(played, (declarer + match.deals.dealer) % 2, -1)
    # a doubled partscore is one: what counts is what was bid
    category = np.where(
        level == 7, 4, np.where(level == 6, 3, np.where(level >= _GAME_LEVELS[strain], 2, 1))
    )
    return Contracts(numbers, level, side, np.where(played, category, 0), played & (doubling > 0))


def of_system(contracts: Contracts, system: int) -> Bools:
    """Whether a system's side declared: bool [2, n] by table and deal.

    Examples
    --------
    >>> one = Contracts(*(np.array([[0, 1], [0, 1]]),) * 5)
    >>> of_system(one, 0).tolist()
    [[True, False], [False, True]]
    """
    side = np.array([[system], [1 - system]])
    played: Bools = contracts.declarer_side == side
    return played
