"""Disjunctions as several conjunctions, so that an ``or`` costs a few box tests.

An expression becomes a short list of alternatives, each a conjunction of tests: disjunctive normal
form, with a limit. What a look-up table answers whole stays one flag; what would give more
alternatives than the limit becomes a *derived flag*: one bit that says whether any of some boxes
is passed, worked out once a hand from the other bits.
"""

from collections.abc import Sequence

from .intervals import outside
from .layout import LayoutBuilder, Test
from .literals import Interval, Literal, Opaque, Tree, literals_of

Alternatives = list[list[Test]]
"""Conjunctions joined by OR: ``[]`` holds never, ``[[]]`` always."""

MOST_ALTERNATIVES = 8
"""Of one expression."""
MOST_BOXES = 32
"""Of one criteria list."""


def alternatives_of(layout: LayoutBuilder, tree: Tree, *, positive: bool = True) -> Alternatives:
    """Alternatives of a tree's truth value, or of its negation."""
    lowered = literals_of(tree, positive=positive)
    if isinstance(lowered, bool):
        return [[]] if lowered else []
    found: Alternatives = [[]]
    for literal in lowered:
        options = _options(layout, literal)
        if len(found) * len(options) > MOST_ALTERNATIVES:
            options = _as_flag(layout, literal, options)
        found = [[*tests, *option] for tests in found for option in options]
    return found


def conjunction_of(
    layout: LayoutBuilder, parts: Sequence[tuple[Tree, Alternatives]]
) -> Alternatives:
    """Alternatives of several expressions joined by AND.

    Where there would be too many, the expressions with the most become flags.
    """
    options = [alternatives for _, alternatives in parts]
    for number in sorted(range(len(parts)), key=lambda number: -len(options[number])):
        if _product(options) <= MOST_BOXES:
            break
        literal = Opaque(parts[number][0], positive=True)
        options[number] = _as_flag(layout, literal, options[number])
    found: Alternatives = [[]]
    for option in options:
        found = [[*tests, *more] for tests in found for more in option]
    return found


def _product(options: Sequence[Alternatives]) -> int:
    total = 1
    for option in options:
        total *= len(option)
    return total


def _as_flag(layout: LayoutBuilder, literal: Literal, options: Alternatives) -> Alternatives:
    """One flag in place of several alternatives; of the two senses the one with fewer boxes."""
    if len(options) < 2 or isinstance(literal, Interval):
        return options
    tree, opposite_tree = literal.tree, ("not", literal.tree)
    if not literal.positive:
        tree, opposite_tree = opposite_tree, tree
    if literal.tree[0] in ("and", "or"):
        opposite = alternatives_of(layout, literal.tree, positive=not literal.positive)
        if len(opposite) < len(options):
            return [[layout.derived_flag(opposite_tree, opposite, positive=False)]]
    return [[layout.derived_flag(tree, options, positive=True)]]


def _as_test(layout: LayoutBuilder, literal: Literal) -> Alternatives:
    test = layout.test(literal)
    if isinstance(test, bool):
        return [[]] if test else []
    return [[test]]


def _options(layout: LayoutBuilder, literal: Literal) -> Alternatives:
    """Alternatives of one literal, not more than twice the limit."""
    if isinstance(literal, Interval) or layout.is_tabulated(literal.tree):
        return _as_test(layout, literal)
    operator, operands = literal.tree[0], literal.tree[1:]
    if operator == "interval":
        # the complement of an interval: below it, or above
        form, *ends = operands
        sides = (Interval(form, *side) for side in outside(*ends))
        return [option for side in sides for option in _as_test(layout, side)]
    if operator not in ("and", "or"):
        return _as_test(layout, literal)
    return [
        option
        for operand in operands
        for option in alternatives_of(layout, operand, positive=literal.positive)
    ]
