"""What the hands of one deal leave each other: bounds narrowed by those of the other three."""

from collections.abc import Sequence

from bidcascade.kernels.packing.intervals import both

from .knowledge import Hull


def in_one_deal(hulls: Sequence[Hull]) -> tuple[Hull, ...]:
    """Bounds of the four hands of a deal, each narrowed by what the other three leave.

    They share 40 points and 13 cards of each suit. What contradicts itself stays as it was.

    Examples
    --------
    >>> from .knowledge import EVERYTHING, hull
    >>> anything = hull(EVERYTHING)
    >>> strong = anything._replace(points=(15, 17))
    >>> weak = anything._replace(points=(8, 9))
    >>> in_one_deal([strong, anything, weak, anything])[1].points
    (0, 17)
    """
    points = _sharing([one.points for one in hulls], 40)
    suits = [_sharing(suit, 13) for suit in zip(*(one.lengths for one in hulls), strict=True)]
    clubs, diamonds, hearts, spades = suits
    return tuple(map(Hull, points, zip(clubs, diamonds, hearts, spades, strict=True)))


def _sharing(bounds: Sequence[tuple[int, int]], total: int) -> list[tuple[int, int]]:
    """Bounds of numbers that add up to a total."""
    least, most = (sum(ends) for ends in zip(*bounds, strict=True))
    found = [both((low, high), (total - most + high, total - least + low)) for low, high in bounds]
    return found if all(low <= high for low, high in found) else list(bounds)
