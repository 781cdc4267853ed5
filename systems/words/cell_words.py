"""What a set of cells tells, in words: points and lengths, and what only "or" can say.

Bounds alone lose what a call of several meanings shows: the hull of "6 hearts or 6 spades" is no
length at all. So points with gaps, hand types that differ, and suits of which one is long are
said with "or"; what is left is said by bounds.
"""

from collections.abc import Sequence
from itertools import combinations, groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.packing.intervals import both
from bidcascade.systems.places.knowledge import LENGTHS, hull, to_flags
from bidcascade.table.language.term_catalogue import SUIT_NAMES

MANY_POINTS: Final = 30
"""So many points are no upper bound that a player would name."""
_SUITS: Final = "CDHS"
_MOST_PARTS: Final = 3
"""Meanings that are said one by one; of more the bounds are said."""
_LONG: Final = 4
"""Cards from which on it is said that one of several suits has them."""
_GROUPS: Final = (
    (2, 3),
    (0, 1),
    (1, 2),
    (0, 2),
    (1, 3),
    (0, 3),
    *combinations(range(4), 3),
    (0, 1, 2, 3),
)
"""Suits of which one may be long, numbers in order of C, D, H, S; majors and minors first."""
_BALANCED: Final = np.array(
    [sorted(lengths) in ([3, 3, 3, 4], [2, 3, 4, 4], [2, 3, 3, 5]) for lengths in LENGTHS.tolist()]
)

Range = tuple[int, int]
_Flags = NDArray[np.bool_]
_Part = tuple[Range, _Flags]
"""Points, and which of the 560 shapes go with them."""


def cells_text(cells: int, points: Range, types: Sequence[int] = ()) -> str:
    """Say what a hand in a set of cells has.

    Parameters
    ----------
    cells
        Not empty.
    points
        Bounds within which points are said.
    types
        Cells of the hand types, where it is one of several.

    Examples
    --------
    >>> from bidcascade.systems.places.knowledge import bounds
    >>> from bidcascade.table import Vocabulary, parse_expression
    >>> multi = parse_expression("5 <= HCP <= 10 and (SL_H == 6 or SL_S == 6)")
    >>> cells_text(bounds(multi, Vocabulary()).can, (0, 37))
    '5-10 points, 6 hearts or 6 spades'
    """
    parts: list[_Part] = []
    if 1 < len(types) <= _MOST_PARTS:
        parts = [(both(hull(one).points, points), _shapes(to_flags(one))) for one in types]
    else:
        flags = to_flags(cells)
        parts = [
            (both(run, points), _shapes(flags[:, run[0] : run[1] + 1])) for run in _runs(flags)
        ]
    parts = [part for part in parts if part[0][0] <= part[0][1]]
    if not parts or len(parts) > _MOST_PARTS:
        parts = [(points, _shapes(to_flags(cells)))]
    return _joined(parts)


def points_text(points: Range) -> str:
    """Say a range of points; empty where it says nothing."""
    low, high = points
    if low == 0 and high >= MANY_POINTS:
        return ""
    if low == high:
        return f"{low} point{'s' * (low != 1)}"
    if low == 0:
        return f"at most {high} point{'s' * (high != 1)}"
    return f"{low}+ points" if high >= MANY_POINTS else f"{low}-{high} points"


def length_texts(cells: int) -> tuple[str, ...]:
    """Say the lengths that a set of cells has in common, the longest first.

    Examples
    --------
    >>> from bidcascade.systems.places.knowledge import bounds
    >>> from bidcascade.table import Vocabulary, parse_expression
    >>> majors = parse_expression("SL_H >= 5 and SL_S >= 5")
    >>> length_texts(bounds(majors, Vocabulary()).can)
    ('5+ hearts', '5+ spades')
    """
    return shape_texts(_shapes(to_flags(cells)))


def _shapes(flags: _Flags) -> _Flags:
    found: _Flags = np.logical_or.reduce(flags, axis=1)
    return found


def _runs(flags: _Flags) -> list[Range]:
    """Ranges of points that are there without a gap."""
    numbers = np.flatnonzero(np.logical_or.reduce(flags, axis=0)).tolist()
    runs = [
        [number for _, number in group]
        for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    ]
    return [(run[0], run[-1]) for run in runs]


def _joined(parts: Sequence[_Part]) -> str:
    """Points and shapes of all parts; what they have in common is said once."""
    by_points: dict[str, _Flags] = {}
    texts: dict[str, list[tuple[str, ...]]] = {}
    for points, shapes in parts:
        words = points_text(points)
        by_points[words] = by_points.get(words, False) | shapes
        texts.setdefault(words, []).append(shape_texts(shapes))
    if len(texts) == 1:
        ((words, shaped),) = texts.items()
        return ", ".join(filter(None, (words, *_any_of(shaped, by_points[words]))))
    of_shape = {words: _any_of(shaped, by_points[words]) for words, shaped in texts.items()}
    first, *others = of_shape.values()
    if all(one == first for one in others):
        shown = [words or "any number of points" for words in texts]
        before = (one.removesuffix(" points").removesuffix(" point") for one in shown[:-1])
        words = " or ".join((*before, shown[-1]))
        return ", ".join((words, *first))
    return "; or ".join(
        ", ".join(filter(None, (words, *shaped))) or "any hand"
        for words, shaped in of_shape.items()
    )


def _any_of(shaped: Sequence[tuple[str, ...]], together: _Flags) -> tuple[str, ...]:
    """Texts of shapes of which a hand has one."""
    common = [text for text in shaped[0] if all(text in one for one in shaped)]
    rests = list(
        dict.fromkeys(_all_of([text for text in one if text not in common]) for one in shaped)
    )
    if len(rests) > 1 and "" in rests:
        # one of them asks for nothing else
        return shape_texts(together)
    return (*filter(None, [" or ".join(rests)]), *common)


def _all_of(texts: Sequence[str]) -> str:
    """Join texts by "and", which binds tighter than "or"."""
    if len(texts) == 1:
        return texts[0]
    return " and ".join(f"({text})" if " or " in text else text for text in texts)


def shape_texts(shapes: _Flags) -> tuple[str, ...]:
    """Say the lengths that some shapes have in common, the longest first."""
    lengths = LENGTHS[shapes]
    ranges = list(zip(lengths.min(axis=0).tolist(), lengths.max(axis=0).tolist(), strict=True))
    if not (shapes & ~_BALANCED).any():
        return ("balanced", *_bounds(ranges, balanced=True))
    return (*_one_of_several(lengths, ranges), *_bounds(ranges, balanced=False))


def _bounds(ranges: Sequence[Range], *, balanced: bool) -> list[str]:
    """Lengths that say something, the longest first."""
    found = []
    # what the least cards leave for a suit: more than that says nothing
    least = np.array(ranges)[:, 0]
    left = LENGTHS[(least <= LENGTHS).all(axis=1) & (_BALANCED | (not balanced))].max(axis=0)
    for suit, (low, high), most in zip(_SUITS, ranges, left.tolist(), strict=True):
        if low == high:
            cards = f"{low}"
        elif balanced:
            if low == 2 and high >= most:
                continue
            cards = f"at most {high}" if low == 2 else f"{low}-{high}"
        elif low >= 2 and (high <= 5 or low >= 3):
            cards = f"{low}+" if high > 7 else f"{low}-{high}"
        elif high <= 4 and high < most:
            cards = f"at most {high}"
        else:
            continue
        name = SUIT_NAMES[suit].removesuffix("s" * (high == 1))
        found.append((low, f"{cards} {name}"))
    return [text for _, text in sorted(found, key=lambda item: -item[0])]


def _one_of_several(lengths: NDArray[np.int64], ranges: Sequence[Range]) -> list[str]:
    """Say suits of which one has more cards than their bounds tell."""
    low, high = np.array(ranges).T
    boxed = LENGTHS[((low <= LENGTHS) & (high >= LENGTHS)).all(axis=1)]
    found: list[str] = []
    covered: set[int] = set()
    for group in _GROUPS:
        longest = lengths[:, group].max(axis=1)
        least = int(longest.min())
        if covered & set(group) or least < _LONG or least <= boxed[:, group].max(axis=1).min():
            continue
        covered |= set(group)
        words = []
        for suit in group:
            others = [one for one in group if one != suit]
            alone = lengths[(lengths[:, others] < least).all(axis=1), suit]
            exactly = len(alone) and alone.max() == least
            words.append(f"{least}{'' if exactly else '+'} {SUIT_NAMES[_SUITS[suit]]}")
        found.append(" or ".join(words))
    return found
