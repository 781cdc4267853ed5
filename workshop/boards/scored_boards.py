"""Boards as they were bid, solved and scored: what all that measures bidding works with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.types import F64, I64

NO_TRICKS: Final = -1
"""Stands for tricks that were not asked for: passed out, or the same contract at both tables."""
MatchProgress: TypeAlias = Callable[[str, int, int], None]
"""Takes what is done, how many deals of how many."""


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


CATEGORIES: Final = ("passed out", "partscore", "game", "small slam", "grand slam")
_GAME_LEVELS: Final = np.array([5, 5, 4, 4, 3])
"""Level of game by strain, C D H S N."""


def category_of(level: I64, strain: I64) -> I64:
    """Give the number in :data:`CATEGORIES` of contracts that were played."""
    return np.select([level == 7, level == 6, level >= _GAME_LEVELS[strain]], [4, 3, 2], 1)


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
