"""Expressions put together by code: comparisons whose outcome is known fold away at once.

``conjunction`` and ``disjunction`` flatten, drop what is always true (or false) and what comes
twice; so the result prints and reads back as the same tree. ``disjuncts`` is the disjunctive
normal form, with redundant bounds merged.
"""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Final

from bidcascade.bridge import InvalidSystem
from bidcascade.kernels import term_names, term_range
from bidcascade.table.language.expression_tree import (
    And,
    Comparison,
    Expression,
    Not,
    Number,
    Or,
    Shape,
    Term,
    Truth,
    terms_of,
)
from bidcascade.table.system_text.syntax_tree import Range

MOST_DISJUNCTS: Final = 32
"""Alternatives that one condition may have."""

TRUE: Final = Truth(value=True)
FALSE: Final = Truth(value=False)

_OPPOSITE: Final = {"<": ">=", "<=": ">", "==": "!=", "!=": "==", ">=": "<", ">": "<="}
_MIRRORED: Final = {"<": ">", "<=": ">=", "==": "==", "!=": "!=", ">=": "<=", ">": "<"}
_IN_HALVES: Final = ("QT", "Playing_Tricks")


# --- atoms ---------------------------------------------------------------------------------------


@cache
def limits(name: str) -> tuple[int, int] | None:
    """Smallest and largest value of a kernel term in halves of its unit; None for other names."""
    if name not in term_names():
        return None
    low, high = term_range(name)
    factor = 1 if name in _IN_HALVES else 2
    return factor * low, factor * high


@lru_cache(maxsize=4096)
def compared(name: str, operator: str, value: int) -> Expression:
    """Comparison of a term with a whole number; a truth where all hands agree on it.

    Examples
    --------
    >>> str(compared("HCP", ">=", 15)), str(compared("HCP", ">=", -3))
    ('HCP >= 15', 'True')
    """
    known = limits(name)
    if known is not None:
        settled = _settled(operator, 2 * value, known)
        if settled is not None:
            return Truth(value=settled)
    return Comparison(Term(name), ((operator, Number(2 * value)),))


def _settled(operator: str, value: int, known: tuple[int, int]) -> bool | None:
    """Whether a comparison holds for all values in a range, or for none; None if it depends."""
    low, high = known
    match operator:
        case ">=":
            return True if low >= value else False if high < value else None
        case "<=":
            return True if high <= value else False if low > value else None
        case "==" | "!=":
            if not low <= value <= high:
                return operator == "!="
            return operator == "==" if low == high else None
        case _:
            settled = _settled(_OPPOSITE[operator], value, known)
            return None if settled is None else not settled


def within(name: str, wanted: Range, shift: int = 0) -> Expression:
    """Term in a range from which ``shift``, what partner has already, is taken off.

    Examples
    --------
    >>> str(within("HCP", Range(25), shift=12)), str(within("Aces", Range(0, 0, also=(4,))))
    ('HCP >= 13', 'Aces == 0 or Aces == 4')
    """
    if wanted.high is not None and wanted.low == wanted.high:
        inside = compared(name, "==", wanted.low - shift)
    else:
        inside = TRUE if wanted.low <= 0 else compared(name, ">=", wanted.low - shift)
        if wanted.high is not None:
            inside = conjunction((inside, compared(name, "<=", wanted.high - shift)))
    if not wanted.also:
        return inside
    return disjunction((inside, *(compared(name, "==", value - shift) for value in wanted.also)))


# --- joining -------------------------------------------------------------------------------------


def conjunction(parts: Iterable[Expression]) -> Expression:
    """Join parts that must all hold: flat, without truths and repetitions.

    Examples
    --------
    >>> str(conjunction((compared("HCP", ">=", 0), Term("Balanced"))))
    'Balanced'
    """
    found: dict[Expression, None] = {}
    for part in parts:
        if isinstance(part, Truth):
            if not part.value:
                return FALSE
        elif isinstance(part, And):
            found |= dict.fromkeys(part.operands)
        else:
            found[part] = None
    if not found:
        return TRUE
    return next(iter(found)) if len(found) == 1 else And(tuple(found))


def disjunction(parts: Iterable[Expression]) -> Expression:
    """Join parts of which one must hold: flat, without falsehoods and repetitions.

    Examples
    --------
    >>> str(disjunction(()))
    'False'
    """
    found: dict[Expression, None] = {}
    for part in parts:
        if isinstance(part, Truth):
            if part.value:
                return TRUE
        elif isinstance(part, Or):
            found |= dict.fromkeys(part.operands)
        else:
            found[part] = None
    if not found:
        return FALSE
    return next(iter(found)) if len(found) == 1 else Or(tuple(found))


def negation(expression: Expression) -> Expression:
    """Opposite of an expression: comparisons turned round, ``and`` and ``or`` exchanged.

    Examples
    --------
    >>> str(negation(Or((compared("HCP", ">=", 12), Term("Balanced")))))
    'HCP < 12 and not Balanced'
    """
    match expression:
        case Truth(value):
            return Truth(value=not value)
        case Not(operand):
            return operand
        case And(operands):
            return disjunction(negation(operand) for operand in operands)
        case Or(operands):
            return conjunction(negation(operand) for operand in operands)
        case Comparison(first, ((operator, second),)):
            return Comparison(first, ((_OPPOSITE[operator], second),))
        case Comparison():
            return disjunction(negation(part) for part in _single_comparisons(expression))
        case _:
            return Not(expression)


def _single_comparisons(comparison: Comparison) -> list[Expression]:
    """``12 <= HCP <= 14`` as its two comparisons."""
    lefts = (comparison.first, *(operand for _, operand in comparison.rest))
    return [Comparison(left, (link,)) for left, link in zip(lefts, comparison.rest, strict=False)]


# --- disjunctive normal form ---------------------------------------------------------------------


def disjuncts(expression: Expression) -> tuple[tuple[Expression, ...], ...]:
    """Alternatives of an expression, each a conjunction; none if it never holds.

    Alternatives that contradict themselves are left out, those that say more than another one too;
    of several bounds of one term the tightest stays. An ``or`` of nothing but hand patterns
    (``Pattern == '4333' or Pattern == '4432'``) stays in one piece.

    Raises
    ------
    InvalidSystem
        If there are more than :data:`MOST_DISJUNCTS`.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> text = "HCP >= 12 and (HCP >= 17 or not (SL_S < 5 or HCP < 3))"
    >>> found = disjuncts(parse_expression(text))
    >>> [[str(part) for part in parts] for parts in found]
    [['HCP >= 17'], ['HCP >= 12', 'SL_S >= 5']]
    """
    found = _alternatives(expression)
    if len(found) > MOST_DISJUNCTS:
        raise _too_many(len(found))
    return tuple(found)


def _too_many(count: int) -> InvalidSystem:
    return InvalidSystem(
        f"expected a condition of at most {MOST_DISJUNCTS} alternatives, got {count} when all "
        "'or' are multiplied out; split the line with either and or lines"
    )


def _alternatives(expression: Expression) -> list[tuple[Expression, ...]]:
    match expression:
        case Truth(value):
            return [()] if value else []
        case Or(operands) if not _only_patterns(expression):
            return _without_stronger(
                alternative for operand in operands for alternative in _alternatives(operand)
            )
        case And(operands):
            found: list[tuple[Expression, ...]] = [()]
            for operand in operands:
                more = _alternatives(operand)
                joined = (merged((*one, *other)) for one in found for other in more)
                found = _without_stronger(one for one in joined if one is not None)
                if len(found) > 8 * MOST_DISJUNCTS:
                    raise _too_many(len(found))
            return found
        case Not(And() | Or() | Not() | Truth() | Comparison() as operand):
            return _alternatives(negation(operand))
        case Comparison(_, (_, _, *_)):
            return _alternatives(And(tuple(_single_comparisons(expression))))
        case _:
            alone = merged((expression,))
            return [] if alone is None else [alone]


def _only_patterns(expression: Expression) -> bool:
    return set(terms_of(expression)) == {"Pattern"}


def _without_stronger(
    alternatives: Iterable[tuple[Expression, ...]],
) -> list[tuple[Expression, ...]]:
    """Leave out alternatives that another one contains: ``a or (a and b)`` is ``a``."""
    kept: list[tuple[tuple[Expression, ...], frozenset[Expression]]] = []
    for alternative in alternatives:
        parts = frozenset(alternative)
        if any(other <= parts for _, other in kept):
            continue
        kept = [one for one in kept if not parts <= one[1]]
        kept.append((alternative, parts))
    return [alternative for alternative, _ in kept]


class _Bounds:
    """Bounds of one kernel term, in halves, as comparisons tell them."""

    def __init__(self, name: str, known: tuple[int, int]) -> None:
        self.name = name
        self.known = known
        self.low, self.high = known
        self.excluded: set[int] = set()
        self.step = 1 if name in _IN_HALVES else 2

    def add(self, operator: str, value: int) -> None:
        """Take one more comparison into account; values of the term are multiples of the step."""
        whole, rest = divmod(value, self.step)
        below, above = whole * self.step, (whole + bool(rest)) * self.step
        match operator:
            case "!=":
                self.excluded.add(value)
            case "==":
                self.low, self.high = max(self.low, above), min(self.high, below)
            case ">=":
                self.low = max(self.low, above)
            case ">":
                self.low = max(self.low, below + self.step)
            case "<=":
                self.high = min(self.high, below)
            case "<":
                self.high = min(self.high, above - self.step)

    def parts(self) -> list[Expression] | None:
        """Tightest comparisons; None if no value is left."""
        low, high = self.low, self.high
        while low in self.excluded and low <= high:
            low += self.step
        while high in self.excluded and low <= high:
            high -= self.step
        if low > high:
            return None
        if low == high:
            return [self._comparison("==", low)]
        found = []
        if low > self.known[0]:
            found.append(self._comparison(">=", low))
        if high < self.known[1]:
            found.append(self._comparison("<=", high))
        inside = sorted(value for value in self.excluded if low < value < high)
        return found + [self._comparison("!=", value) for value in inside if value % self.step == 0]

    def _comparison(self, operator: str, halves: int) -> Expression:
        return Comparison(Term(self.name), ((operator, Number(halves)),))


def merged(parts: Sequence[Expression]) -> tuple[Expression, ...] | None:
    """Conjunction with the bounds of each term merged; None if it contradicts itself.

    Only kernel terms are merged, whose values are known to be whole (quick and playing tricks:
    halves). Contradictions between different terms are not looked for.

    Examples
    --------
    >>> both = merged((compared("HCP", ">=", 12), compared("HCP", ">", 16)))
    >>> [str(part) for part in both], merged((compared("HCP", ">=", 12), compared("HCP", "<", 9)))
    (['HCP >= 17'], None)
    """
    found: dict[Expression | str, _Bounds | None] = {}
    for part in parts:
        bound = _bound_of(part)
        if bound is None:
            if negation(part) in found:
                return None
            found[part] = None
            continue
        name, operator, value, known = bound
        bounds = found.get(name)
        if bounds is None:
            bounds = found[name] = _Bounds(name, known)
        bounds.add(operator, value)
    result: list[Expression] = []
    for part_or_name, term_bounds in found.items():
        if term_bounds is not None:
            comparisons = term_bounds.parts()
            if comparisons is None:
                return None
            result += comparisons
        elif not isinstance(part_or_name, str):
            result.append(part_or_name)
    return tuple(result)


def _bound_of(part: Expression) -> tuple[str, str, int, tuple[int, int]] | None:
    """Name, operator, value in halves and limits where a kernel term is compared with a number."""
    match part:
        case Comparison(Term(name), ((operator, Number(value)),)):
            pass
        case Comparison(Number(value), ((operator, Term(name)),)):
            operator = _MIRRORED[operator]
        case _:
            return None
    known = limits(name)
    return None if known is None else (name, operator, value, known)


# --- hand patterns -------------------------------------------------------------------------------


def pattern(letters: str) -> Expression:
    """Test of a hand pattern, longest suit first: ``5332``.

    Examples
    --------
    >>> str(pattern("5332"))
    "Pattern == '5332'"
    """
    return Comparison(Term("Pattern"), (("==", Shape(letters)),))
