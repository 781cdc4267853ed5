"""Bounds of points and lengths of the four hands that follow from one another.

Points of the four hands add up to those of the deck, lengths of a suit to its cards, lengths of a
hand to its size; conditions such as ``HCP_N + HCP_S >= 38`` bind them too. Bounds are tightened
until nothing changes: what is left empty cannot be dealt, whatever else is asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from bidcascade.bridge import SEATS
from bidcascade.kernels.lowering import Interval, LinearForm

Range = tuple[int, int]
_SUITS: Final = "CDHS"
_ROUNDS: Final = 100


class Box(NamedTuple):
    """Least and most points of a hand, and least and most cards of each suit (C, D, H, S)."""

    points: Range
    lengths: tuple[Range, Range, Range, Range]


def tightened(
    boxes: Sequence[Box], points: int, suits: Sequence[int], sizes: Sequence[int],
    conditions: Iterable[Interval] = (),
) -> tuple[Box, Box, Box, Box] | None:  # fmt: skip
    """Tighten the bounds of four hands; None if no deal is within them.

    Parameters
    ----------
    boxes
        By compass seat.
    points, suits
        Of the whole deck: points, and cards of each suit.
    sizes
        Cards of each hand.
    conditions
        On forms of terms that carry a seat; those of other terms than points and lengths are left
        aside.

    Examples
    --------
    >>> anything = Box((0, 37), ((0, 13),) * 4)
    >>> strong = Interval((("HCP_N", 1), ("HCP_S", 1)), 38, 80)
    >>> tightened([anything] * 4, 40, [13] * 4, [13] * 4, [strong])[1].points
    (0, 2)
    >>> weak = Box((3, 37), ((0, 13),) * 4)
    >>> tightened([anything, weak, anything, anything], 40, [13] * 4, [13] * 4, [strong])
    """
    ranges: dict[str, Range] = {}
    rules: list[tuple[LinearForm, int, int]] = []
    for seat, box in zip(SEATS, boxes, strict=True):
        ranges[f"HCP_{seat}"] = box.points
        for suit, length in zip(_SUITS, box.lengths, strict=True):
            ranges[f"SL_{seat}_{suit}"] = length
    rules.append((tuple((f"HCP_{seat}", 1) for seat in SEATS), points, points))
    for suit, cards in zip(_SUITS, suits, strict=True):
        rules.append((tuple((f"SL_{seat}_{suit}", 1) for seat in SEATS), cards, cards))
    for seat, size in zip(SEATS, sizes, strict=True):
        rules.append((tuple((f"SL_{seat}_{suit}", 1) for suit in _SUITS), size, size))
    totals = list(rules)
    for one in conditions:
        if all(name in ranges for name, _ in one.form):
            rules.append((one.form, one.low, one.high))
            # what some hands have together the others have not
            for form, total, _ in totals:
                if set(one.form) < set(form):
                    rest = tuple(part for part in form if part not in one.form)
                    rules.append((rest, total - one.high, total - one.low))
    for _ in range(_ROUNDS):
        before = dict(ranges)
        for form, low, high in rules:
            _tighten(ranges, form, low, high)
        if any(low > high for low, high in ranges.values()):
            return None
        if ranges == before:
            break
    found = [
        Box(
            ranges[f"HCP_{seat}"],
            (
                ranges[f"SL_{seat}_C"], ranges[f"SL_{seat}_D"],
                ranges[f"SL_{seat}_H"], ranges[f"SL_{seat}_S"],
            ),
        )
        for seat in SEATS
    ]  # fmt: skip
    return found[0], found[1], found[2], found[3]


def _tighten(ranges: dict[str, Range], form: LinearForm, low: int, high: int) -> None:
    """Bound each term of ``low <= form <= high`` by the bounds of the others."""
    least = sum(_end(ranges, name, factor, low=True) for name, factor in form)
    most = sum(_end(ranges, name, factor, low=False) for name, factor in form)
    for name, factor in form:
        others_least = least - _end(ranges, name, factor, low=True)
        others_most = most - _end(ranges, name, factor, low=False)
        bottom, top = low - others_most, high - others_least
        if factor < 0:
            bottom, top = -top, -bottom
        size = abs(factor)
        first, last = ranges[name]
        new = max(first, -(-bottom // size)), min(last, top // size)
        if new != (first, last):
            ranges[name] = new
            least = others_least + _end(ranges, name, factor, low=True)
            most = others_most + _end(ranges, name, factor, low=False)


def _end(ranges: Mapping[str, Range], name: str, factor: int, *, low: bool) -> int:
    first, last = ranges[name]
    return factor * (first if low == (factor > 0) else last)
