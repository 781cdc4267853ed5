"""Intervals of whole numbers, both ends included; empty where the lower end is above the upper."""

from collections.abc import Iterable
from typing import TypeVar

Ends = tuple[int, int]
"""Least and greatest number."""

UNBOUNDED = 1 << 40
"""Stands for no bound; no value of a term comes near it."""

ANY: Ends = (-UNBOUNDED, UNBOUNDED)

Key = TypeVar("Key")


def left_by(operator: str, value: int) -> Ends:
    """Numbers that a comparison with a value leaves; ``!=`` leaves all.

    Examples
    --------
    >>> left_by(">", 3) == (4, UNBOUNDED), left_by("==", 3)
    (True, (3, 3))
    """
    low = value + (operator == ">") if operator in (">", ">=", "==") else -UNBOUNDED
    high = value - (operator == "<") if operator in ("<", "<=", "==") else UNBOUNDED
    return low, high


def both(first: Ends, second: Ends) -> Ends:
    """Numbers that lie in both intervals."""
    return max(first[0], second[0]), min(first[1], second[1])


def narrow(intervals: dict[Key, Ends], key: Key, ends: Ends) -> None:
    """Leave of the interval of a key what lies in another one, too."""
    intervals[key] = both(intervals.get(key, ANY), ends)


def spanned(intervals: Iterable[Ends]) -> Ends:
    """Smallest interval with all of some others in it."""
    lows, highs = zip(*intervals, strict=True)
    return min(lows), max(highs)


def outside(low: int, high: int) -> tuple[Ends, Ends]:
    """Numbers below an interval, and those above it."""
    return (-UNBOUNDED, low - 1), (high + 1, UNBOUNDED)
