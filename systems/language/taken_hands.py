"""Whether an earlier line of a place takes every hand of a later one, as far as the words tell.

Words in quotes narrow a line for its writer, though they test nothing: what has some takes no hands
of others.
"""

from dataclasses import replace

from .joining import any_of
from .phrases import LENGTHS
from .syntax_tree import NOWHERE, AllOf, AnyOf, Condition, Line, NotThis, Phrase, Range

_MOST = 80


def takes_all(line: Line) -> bool:
    """Whether a line says that any hand makes its call.

    Examples
    --------
    >>> from .syntax_tree import CallPattern
    >>> takes_all(Line(CallPattern("pass"), condition=Phrase("any hand")))
    True
    """
    condition = _hands(line)
    return condition is not None and not line.quoted and _implies(None, condition)


def takes(first: Line, later: Line) -> bool:
    """Whether no hand is left for a line behind another one, whose call is legal there.

    Examples
    --------
    >>> from .syntax_tree import CallPattern
    >>> call, fifteen = CallPattern("bid", 1, "NT"), Phrase("points", Range(15, 17))
    >>> takes(Line(call, condition=fifteen), Line(call, condition=Phrase("points", Range(16, 16))))
    True
    """
    condition = _hands(first)
    return condition is not None and not first.quoted and _implies(_hands(later), condition)


def _hands(line: Line) -> Condition | None:
    """Condition of a line with those of its hand types; None is any hand."""
    parts = [variant.condition for variant in line.variants]
    if not parts:
        return line.condition
    return any_of(part for part in parts if part is not None) if all(parts) else None


def _implies(condition: Condition | None, wanted: Condition | None) -> bool:
    """Whether what meets a condition surely meets another one."""
    if wanted is None or (isinstance(wanted, Phrase) and wanted.kind == "any hand"):
        return True
    if isinstance(wanted, AllOf):
        return all(_implies(condition, part) for part in wanted.parts)
    if isinstance(condition, AnyOf):
        return all(_implies(part, wanted) for part in condition.parts)
    if isinstance(wanted, AnyOf):
        return any(_implies(condition, part) for part in wanted.parts)
    if isinstance(condition, AllOf):
        return any(_implies(part, wanted) for part in condition.parts)
    if isinstance(condition, Phrase) and isinstance(wanted, Phrase):
        return _phrase_implies(condition, wanted)
    if isinstance(condition, NotThis) and isinstance(wanted, NotThis):
        return condition == wanted
    return False


def _phrase_implies(condition: Phrase, wanted: Phrase) -> bool:
    one, other = _as_length(condition), _as_length(wanted)
    if replace(one, range=None, where=NOWHERE) != replace(other, range=None, where=NOWHERE):
        return False
    if other.range is None or one.range is None:
        return one.range == other.range
    return _values(one.range) <= _values(other.range)


def _as_length(phrase: Phrase) -> Phrase:
    """Write ``a void in hearts`` as the length that it names."""
    length = LENGTHS.get(phrase.kind)
    return phrase if length is None else replace(phrase, kind="length", range=length)


def _values(found: Range) -> set[int]:
    high = _MOST if found.high is None else found.high
    return {*range(found.low, high + 1), *found.also}
