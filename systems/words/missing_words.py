"""What is missing to the calls nearest to a hand, where a line makes its call for want of others.

"Pass: nothing more to say" convinces nobody; "1C needs 12+ points, you have 6" does. The browser's
definition is ``page/static/engine/words/missing_words.js``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from bidcascade.bridge import ShownAnswer
from bidcascade.table.language.explain import ExpressionCheck

from .condition_trees import (
    FAR,
    Denied,
    Joined,
    Node,
    Said,
    Values,
    bare_tree,
    bounds_of,
    distance,
    missed_parts,
    number_in,
    open_tree,
    term_parts,
    tree_of,
    values_of,
)
from .condition_words import MissedCondition, missed_words, needs_words

MOST_NEAREST: Final = 3
_FURTHER: Final = 6
"""A call that is missed by so much more than the nearest one is not thought of."""


class TestedCall(Protocol):
    """One meaning of a call, tested on a hand."""

    @property
    def call(self) -> str:
        """The call."""
        ...

    @property
    def name(self) -> str:
        """Its name; empty for none."""
        ...

    @property
    def holds(self) -> bool:
        """Whether the hand meets all criteria."""
        ...

    @property
    def criteria(self) -> Sequence[ExpressionCheck]:
        """Its conditions, all of which must hold."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class NearestCall(ShownAnswer):
    """A call that a hand nearly makes, and all that is missing to it."""

    call: str
    name: str
    needs: str
    """All that is missing in a line: ``12+ points (you have 6)``."""
    missing: tuple[MissedCondition, ...]


class _Near(NamedTuple):
    """A meaning that is missed."""

    is_far: bool
    cost: float
    order: int
    one: TestedCall
    missed: list[ExpressionCheck]


def is_for_want_of_others(candidates: Iterable[TestedCall]) -> bool:
    """Whether the call made asks for nothing that a hand must have: at most so much, or any hand.

    Parameters
    ----------
    candidates
        All meanings at a place in the order in which they are tried; if none holds it is a pass.

    Examples
    --------
    >>> from bidcascade.systems.bidding.bid_answer import Candidate
    >>> weak = {"expression": "HCP <= 11", "value": 7, "holds": True}
    >>> is_for_want_of_others([Candidate("P", None, "Weak", "", "", holds=True, criteria=[weak])])
    True
    """
    made = next((one for one in candidates if one.holds), None)
    return made is None or all(
        tree is None or _asks_nothing(tree) for tree in map(open_tree, made.criteria)
    )


def nearest_calls(candidates: Iterable[TestedCall]) -> tuple[NearestCall, ...]:
    """Find the other calls that are tried before the one that a hand makes and are missed by least.

    Each point and card that is missing counts, and each condition beyond the first. Who misses a
    nearer call for want of points is not told of calls that want more of them; nor of suits that
    are two cards too short, unless there is nothing else.

    Parameters
    ----------
    candidates
        All meanings at a place in the order in which they are tried; if none holds it is a pass.

    Returns
    -------
    tuple of NearestCall
        At most three, the nearest first, each call once; none if no other call is tried before.

    Raises
    ------
    InvalidExpression
        If a condition is none.

    Examples
    --------
    >>> from bidcascade.systems.bidding.bid_answer import Candidate
    >>> missed = {"expression": "HCP >= 12", "value": 7, "holds": False}
    >>> (found,) = nearest_calls([
    ...     Candidate("1C", None, "Opening", "", "", holds=False, criteria=[missed]),
    ...     Candidate("P", None, "Too weak", "", "", holds=True, criteria=[])])
    >>> found.call, found.needs
    ('1C', '12+ points (you have 7)')
    """
    found = list(candidates)
    made = next((place for place, one in enumerate(found) if one.holds), len(found))
    own = found[made].call if made < len(found) else "P"
    best: dict[str, _Near] = {}
    for order, one in enumerate(found[:made]):
        missed = hardest([each for each in one.criteria if not each["holds"]])
        if one.call == own or not missed:
            continue
        off = sum(distance(bare_tree(each), values_of(each)) for each in missed)
        is_far = any(map(_is_far, missed))
        near = _Near(is_far, off + FAR * (len(missed) - 1), order, one, missed)
        known = best.get(one.call)
        if known is None or near[:3] < known[:3]:
            best[one.call] = near
    ordered = sorted(best.values(), key=lambda near: near[:3])
    chosen: list[_Near] = []
    for near in ordered:
        if near.is_far != ordered[0].is_far or near.cost > ordered[0].cost + _FURTHER:
            break
        if not any(_asks_more(near, before) for before in chosen):
            chosen.append(near)
    return tuple(map(_told, chosen[:MOST_NEAREST]))


def hardest(conditions: Sequence[ExpressionCheck]) -> list[ExpressionCheck]:
    """Leave out conditions that another one says or asks more of: 3+ clubs beside 4+ clubs.

    Examples
    --------
    >>> tests = [{"expression": text, "value": 2, "holds": False}
    ...     for text in ("SL_C >= 3", "SL_C >= 4")]
    >>> [one["expression"] for one in hardest(tests)]
    ['SL_C >= 4']
    """
    trees = [tree_of(one) for one in conditions]
    return [
        condition
        for place, condition in enumerate(conditions)
        if not any(
            other != place and _covers(one, trees[place], is_before=other < place)
            for other, one in enumerate(trees)
        )
    ]


def _covers(one: Node, two: Node, *, is_before: bool) -> bool:
    """Whether a tree asks what another does; of equal ones the first stays."""
    if isinstance(one, Said) and isinstance(two, Said):
        return is_before and one.words == two.words
    mine, other = bounds_of(one), bounds_of(two)
    if mine is None or other is None or mine.term != other.term:
        return False

    def within(inner: tuple[float, float], outer: tuple[float, float]) -> bool:
        return inner[0] >= outer[0] and inner[1] <= outer[1]

    first, second = (
        (
            -1.0 if one.low is None else one.low,
            float("inf") if one.high is None else one.high,
        )
        for one in (mine, other)
    )
    return within(first, second) and (is_before or not within(second, first))


def _asks_nothing(node: Node) -> bool:
    """Whether a tree is met by hands that have little enough."""
    match node:
        case Said(_, meaning):
            return _asks_nothing(meaning)
        case Joined(_, operands):
            return all(map(_asks_nothing, operands))
        case Denied():
            return False
        case _:
            bounds = bounds_of(node)
            if bounds is None:
                return False
            # many losers are little
            is_turned = bounds.term == "Losers"
            return (bounds.high is None) if is_turned else not bounds.low


def _is_far(condition: ExpressionCheck) -> bool:
    """Whether a suit is two cards too short, so that nobody thinks of it."""
    bounds = bounds_of(bare_tree(condition))
    if bounds is None or bounds.low is None or term_parts(bounds.term).stem != "SL":
        return False
    has = number_in(values_of(condition), bounds.term)
    return has is not None and bounds.low - has > 1


def _asks_more(near: _Near, before: _Near) -> bool:
    """Whether a call misses all that a nearer one misses, and as much of it."""
    mine = _missed_parts(near)
    return all(
        any(_is_as_much(one, part, values) for one, _ in mine)
        for part, values in _missed_parts(before)
    )


def _missed_parts(near: _Near) -> list[tuple[Node, Values]]:
    return [
        (part, values)
        for condition in near.missed
        for values in [values_of(condition)]
        for part in missed_parts(bare_tree(condition), values)
    ]


def _is_as_much(one: Node, other: Node, values: Values) -> bool:
    if one == other:
        return True
    mine, known = bounds_of(one), bounds_of(other)
    if mine is None or known is None or mine.term != known.term:
        return False
    value = number_in(values, known.term)
    if value is None:
        return False
    if known.low is not None and value < known.low:
        return mine.low is not None and mine.low >= known.low
    return known.high is not None and mine.high is not None and mine.high <= known.high


def _told(near: _Near) -> NearestCall:
    missing = tuple(map(missed_words, near.missed))
    return NearestCall(near.one.call, near.one.name, needs_words(missing), missing)
