"""From postfix expressions to literals: intervals of linear forms, and opaque truth values.

A criteria list is a conjunction, so each expression is first brought to negation normal form and
its top-level ``and`` is split. What remains are *literals*:

* ``Interval``: a linear form of terms (``HCP``, ``SL_S - SL_H``) lies in [low, high];
* ``Opaque``: any other truth value (an ``or``, a product, ``HCP != 12``), or its negation.

Which literals become packed lanes and which become flag bits is decided in ``layout``; how an
``or`` becomes several boxes, in ``alternatives``.
"""

import operator as operators
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

from bidcascade.kernels.types import Postfix

from .intervals import left_by

Tree = tuple[Any, ...]
"""``("term", name)``, ``("int", value)``, ``("interval", form, low, high)`` or
``(operator, operand, …)`` with one or two trees as operands."""

LinearForm = tuple[tuple[str, int], ...]
"""Sorted (term, coefficient) pairs, first coefficient positive; the constant is kept apart."""

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operators.lt, "<=": operators.le, "==": operators.eq,
    "!=": operators.ne, ">=": operators.ge, ">": operators.gt,
}  # fmt: skip
MIRRORED = {"<": ">", "<=": ">=", "==": "==", "!=": "!=", ">=": "<=", ">": "<"}
"""Comparisons with their sides exchanged."""
OPPOSITE = {"<": ">=", "<=": ">", "==": "!=", "!=": "==", ">=": "<", ">": "<="}
"""Comparisons that hold where others do not."""
ARITY = dict.fromkeys((*COMPARE, "+", "-", "*", "and", "or"), 2) | {"not": 1, "neg": 1}


@dataclass(frozen=True, slots=True)
class Interval:
    """``low <= Σ coefficient * term <= high``."""

    form: LinearForm
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Opaque:
    """The tree's value is not zero (``positive``), or is zero."""

    tree: Tree
    positive: bool


Literal = Interval | Opaque


def to_tree(postfix: Postfix) -> Tree:
    """Build the tree of a postfix expression.

    Raises
    ------
    ValueError
        If operands are missing or left over.
    """
    stack: list[Tree] = []
    for token in postfix:
        if isinstance(token, int):
            stack.append(("int", int(token)))
        elif token in ARITY:
            arity = ARITY[token]
            if len(stack) < arity:
                raise ValueError(f"operator {token!r} lacks an operand in {postfix!r}")
            operands = stack[-arity:]
            del stack[-arity:]
            stack.append((token, *operands))
        else:
            stack.append(("term", token))
    if len(stack) != 1:
        raise ValueError(f"expected one value, got {len(stack)} in {postfix!r}")
    return stack[0]


def term_names_in(tree: Tree) -> frozenset[str]:
    """Names of the terms in a tree."""
    operator = tree[0]
    if operator == "term":
        return frozenset((tree[1],))
    if operator == "interval":
        return frozenset(name for name, _ in tree[1])
    if operator == "int":
        return frozenset()
    return frozenset().union(*(term_names_in(operand) for operand in tree[1:]))


def linear(tree: Tree) -> tuple[dict[str, int], int] | None:
    """Coefficients of a tree's value by term, and its constant; None if it is not linear."""
    operator = tree[0]
    if operator == "int":
        return {}, tree[1]
    if operator == "term":
        return {tree[1]: 1}, 0
    if operator not in ("+", "-", "*", "neg"):
        return None
    parts = [part for operand in tree[1:] if (part := linear(operand)) is not None]
    if len(parts) < len(tree) - 1:
        return None
    if operator == "neg":
        return combined(parts[0], ({}, 0), -1, 0)
    left, right = parts
    if operator == "*":
        if left[0] and right[0]:
            return None
        return combined(left, right, right[1], 0) if left[0] else combined(left, right, 0, left[1])
    return combined(left, right, 1, 1 if operator == "+" else -1)


def combined(
    left: tuple[dict[str, int], int], right: tuple[dict[str, int], int], scale: int, other: int
) -> tuple[dict[str, int], int]:
    """``scale * left + other * right``; a product of a form with a constant uses one side only."""
    coefficients: dict[str, int] = {}
    for part, factor in ((left[0], scale), (right[0], other)):
        for name, coefficient in part.items():
            coefficients[name] = coefficients.get(name, 0) + factor * coefficient
    constant = scale * left[1] + other * right[1]
    return {name: value for name, value in coefficients.items() if value}, constant


def _comparison(operator: str, left: Tree, right: Tree) -> list[Literal] | bool | None:
    """Literals of a comparison of linear sides; a bool if constant; ``None`` if not linear."""
    difference = linear(("-", left, right))
    if difference is None:
        return None
    coefficients, constant = difference
    bound = -constant
    if not coefficients:
        return bool(COMPARE[operator](0, bound))
    form = tuple(sorted(coefficients.items()))
    if form[0][1] < 0:
        form = tuple((name, -value) for name, value in form)
        bound = -bound
        operator = MIRRORED[operator]
    low, high = left_by("==" if operator == "!=" else operator, bound)
    # 14 * HCP <= 10 is HCP <= 0: one form for all multiples
    divisor = gcd(*(value for _, value in form))
    form = tuple((name, value // divisor) for name, value in form)
    low, high = -(-low // divisor), high // divisor
    if operator == "!=":
        return [Opaque(("interval", form, low, high), positive=False)] if low <= high else True
    return [Interval(form, low, high)] if low <= high else False


def literals_of(tree: Tree, *, positive: bool = True) -> list[Literal] | bool:
    """Literals whose conjunction is the truth value of a tree (or of its negation).

    Returns
    -------
    list of Literal, or bool
        ``True`` and ``False`` for what does not depend on the hand.

    Examples
    --------
    >>> literals_of(to_tree(("HCP", 15, ">=", "HCP", 17, "<=", "and")))
    [Interval(form=(('HCP', 1),), low=15, high=1099511627776), \
Interval(form=(('HCP', 1),), low=-1099511627776, high=17)]
    """
    operator, operands = tree[0], tree[1:]
    if operator == "interval":
        return [Interval(*operands)] if positive else [Opaque(tree, positive)]
    if operator == "not":
        return literals_of(operands[0], positive=not positive)
    if (operator == "and" and positive) or (operator == "or" and not positive):
        literals: list[Literal] = []
        for operand in operands:
            part = literals_of(operand, positive=positive)
            if part is False:
                return False
            if part is not True:
                literals += part
        return literals or True
    if operator in ("and", "or"):
        return _disjunction(tree, operands, positive=positive)
    if operator in COMPARE:
        left, right = operands
        name = operator if positive else OPPOSITE[operator]
        lowered = _comparison(name, left, right)
        return [Opaque(tree, positive)] if lowered is None else lowered
    # a number used as a truth value: it holds where it is not zero
    lowered = _comparison("!=" if positive else "==", tree, ("int", 0))
    return [Opaque(tree, positive)] if lowered is None else lowered


def _disjunction(tree: Tree, operands: Sequence[Tree], *, positive: bool) -> list[Literal] | bool:
    parts = [literals_of(operand, positive=positive) for operand in operands]
    if any(part is True for part in parts):
        return True
    open_parts = [
        operand for operand, part in zip(operands, parts, strict=True) if part is not False
    ]
    if not open_parts:
        return False
    if len(open_parts) == 1:
        return literals_of(open_parts[0], positive=positive)
    return [Opaque(tree, positive)]
