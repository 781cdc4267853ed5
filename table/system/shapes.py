"""Hand shapes in figures: ``4=4=3=2`` in the order spades to clubs, ``5-4-x-x`` in any."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from typing import Final

from bidcascade.kernels.terms import all_lengths
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.system_text.syntax_tree import Range

from .formulas import FALSE, compared, conjunction, disjunction, pattern, within

BUILT_IN: Final = {
    "balanced": ("4-3-3-3", "4-4-3-2", "5-3-3-2"),
    "semi-balanced": ("4-3-3-3", "4-4-3-2", "5-3-3-2", "5-4-2-2", "6-3-2-2"),
}
"""Shapes by name, for systems that do not define them."""


@lru_cache(maxsize=512)
def shape_expression(text: str) -> Expression:
    """Test of a shape; ``x`` is any length, ``5+`` five or more.

    Raises
    ------
    ValueError
        If the text is no four lengths that can make 13 cards.

    Examples
    --------
    >>> str(shape_expression("4=4=x=2")), str(shape_expression("5-4-x-x"))
    ('SL_S == 4 and SL_H == 4 and SL_C == 2', 'Longest_Suit == 5 and Second_Suit == 4')
    """
    exact = "=" in text
    fields = [_shape_field(field) for field in text.replace("=", "-").split("-")]
    if len(fields) != 4:
        raise ValueError(f"expected four lengths, got {text!r}")
    highest = sum(13 if wanted.high is None else wanted.high for wanted in fields)
    if not sum(wanted.low for wanted in fields) <= 13 <= highest:
        raise ValueError(f"expected lengths that make 13 cards, got {text!r}")
    if exact:
        return conjunction(
            within(f"SL_{letter}", wanted) for letter, wanted in zip("SHDC", fields, strict=True)
        )
    return _patterns(_matching_patterns(tuple(fields)))


def _shape_field(field: str) -> Range:
    if field.lower() == "x":
        return Range()
    if field.endswith("+"):
        return Range(int(field[:-1]))
    return Range(int(field), int(field))


def _matching_patterns(fields: tuple[Range, ...]) -> frozenset[tuple[int, ...]]:
    """Hand patterns, longest suit first, whose lengths fit the fields in some order."""
    return frozenset(
        lengths
        for lengths in _all_patterns()
        if any(
            all(
                wanted.low <= cards and (wanted.high is None or cards <= wanted.high)
                for cards, wanted in zip(order, fields, strict=True)
            )
            for order in permutations(lengths)
        )
    )


@lru_cache(maxsize=1)
def _all_patterns() -> tuple[tuple[int, ...], ...]:
    found = {tuple(sorted(lengths, reverse=True)) for lengths in all_lengths()}
    return tuple(sorted(found))


def _patterns(wanted: frozenset[tuple[int, ...]]) -> Expression:
    """Test of the longest two suits where that says it, else one test of each pattern."""
    if not wanted:
        return FALSE
    box = _box(wanted)
    if box is not None and len(wanted) > 1:
        return box
    return disjunction(
        pattern("".join(f"{cards:X}" for cards in lengths)) for lengths in sorted(wanted)
    )


def _box(wanted: frozenset[tuple[int, ...]]) -> Expression | None:
    """Say a set of patterns by bounds of the longest two suits, the fewest; None if that fails."""
    lows = [min(lengths[place] for lengths in wanted) for place in (0, 1)]
    highs = [max(lengths[place] for lengths in wanted) for place in (0, 1)]

    def inside(low: Sequence[int], high: Sequence[int]) -> frozenset[tuple[int, ...]]:
        return frozenset(
            lengths
            for lengths in _all_patterns()
            if all(low[place] <= lengths[place] <= high[place] for place in (0, 1))
        )

    if inside(lows, highs) != wanted:
        return None
    for place in (0, 1):
        for bounds, widest in ((lows, 0), (highs, 13)):
            tight, bounds[place] = bounds[place], widest
            if inside(lows, highs) != wanted:
                bounds[place] = tight
    return conjunction(
        compared(name, "==", low)
        if low == high
        else conjunction((compared(name, ">=", low), compared(name, "<=", high)))
        for name, low, high in zip(("Longest_Suit", "Second_Suit"), lows, highs, strict=True)
    )


@lru_cache(maxsize=8)
def built_in_shapes(name: str) -> Expression:
    """Test of the shapes that a name of :data:`BUILT_IN` means."""
    return disjunction(shape_expression(text) for text in BUILT_IN[name])
