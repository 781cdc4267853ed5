"""Conditions turned into criteria, each once: places that ask the same get the same object.

Lowering a condition asks the place a few questions: which suit is theirs, how many spades has
partner shown. The answers decide the result, so it is kept under them; the next place costs the
questions only. The bounds of the criteria over shapes and points are kept with them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from bidcascade.table.language.expression_tree import And, Expression, Truth
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.system_text.syntax_tree import CallPattern, Condition, Define, Phrase

from .conditions import lower
from .hand_space import Bounds, bounds
from .scope import PlaceScope

TRUE: Final = Truth(value=True)


class Needs:
    """Criteria that must all hold, with what follows from them.

    Parameters
    ----------
    criteria
        Expressions; none for any hand.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> needs = Needs((parse_expression("HCP >= 20"),))
    >>> needs.reach(Vocabulary()).can == needs.reach(Vocabulary()).must
    True
    """

    __slots__ = ("_reach", "_texts", "criteria", "expression")

    def __init__(self, criteria: tuple[Expression, ...]) -> None:
        self.criteria = criteria
        self.expression: Expression = (
            TRUE if not criteria else criteria[0] if len(criteria) == 1 else And(criteria)
        )
        self._reach: Bounds | None = None
        self._texts: tuple[str, ...] | None = None

    def reach(self, vocabulary: Vocabulary) -> Bounds:
        """Shapes and points with which a hand can, and must, meet the criteria."""
        if self._reach is None:
            self._reach = bounds(self.expression, vocabulary)
        return self._reach

    def texts(self) -> tuple[str, ...]:
        """Criteria as canonical text."""
        if self._texts is None:
            self._texts = tuple(map(str, self.criteria))
        return self._texts


ANY_HAND: Final = Needs(())
Answer = TypeVar("Answer")
_Question = tuple[Any, ...]
_Answers = tuple[Any, ...]


class _Asking:
    """A scope that notes what it is asked."""

    __slots__ = ("answers", "questions", "scope")

    def __init__(self, scope: PlaceScope, questions: list[_Question], answers: list[Any]) -> None:
        self.scope = scope
        self.questions = questions
        self.answers = answers

    def _noted(self, question: _Question, answer: Answer) -> Answer:
        self.questions.append(question)
        self.answers.append(answer)
        return answer

    def suits(self, word: str) -> tuple[str, ...]:
        found = self.scope.suits(word)
        if word in _ROLE_FREE:
            return found
        return self._noted((0, word), found)

    def shown(self, who: str, term: str) -> tuple[int, int]:
        return self._noted((1, who, term), self.scope.shown(who, term))

    def fact(self, phrase: Phrase) -> bool:
        return self._noted((2, phrase), self.scope.fact(phrase))

    def bid(self, call: CallPattern) -> tuple[int, str] | None:
        return self._noted((3, call), self.scope.bid(call))

    def define(self, name: str) -> Define | None:
        return self.scope.define(name)

    def with_suits(self, bound: Mapping[str, tuple[str, ...]]) -> "_Asking":
        return _Inside(self.scope.with_suits(bound), self.questions, self.answers, bound)


class _Inside(_Asking):
    """Inside a definition: questions are asked again with its parameters in place."""

    __slots__ = ("bound",)

    def __init__(
        self,
        scope: PlaceScope,
        questions: list[_Question],
        answers: list[Any],
        bound: Mapping[str, tuple[str, ...]],
    ) -> None:
        super().__init__(scope, questions, answers)
        self.bound = bound

    def suits(self, word: str) -> tuple[str, ...]:
        found = self.scope.suits(word)
        if word in self.bound or word in _ROLE_FREE:
            return found
        return self._noted((0, word), found)

    def fact(self, phrase: Phrase) -> bool:
        bound = self.bound
        return self._noted((4, phrase, bound), self.scope.fact(phrase))

    def bid(self, call: CallPattern) -> tuple[int, str] | None:
        bound = self.bound
        return self._noted((5, call, bound), self.scope.bid(call))

    def with_suits(self, bound: Mapping[str, tuple[str, ...]]) -> "_Asking":
        return _Inside(
            self.scope.with_suits(bound), self.questions, self.answers, {**self.bound, **bound}
        )


_ROLE_FREE: Final = frozenset({"clubs", "diamonds", "hearts", "spades", "C", "D", "H", "S"})


def _suits(scope: PlaceScope, question: _Question) -> Any:
    return scope.suits(question[1])


def _shown(scope: PlaceScope, question: _Question) -> Any:
    return scope.shown(question[1], question[2])


def _fact(scope: PlaceScope, question: _Question) -> Any:
    return scope.fact(question[1])


def _bid(scope: PlaceScope, question: _Question) -> Any:
    return scope.bid(question[1])


def _fact_inside(scope: PlaceScope, question: _Question) -> Any:
    return scope.with_suits(question[2]).fact(question[1])


def _bid_inside(scope: PlaceScope, question: _Question) -> Any:
    return scope.with_suits(question[2]).bid(question[1])


_ASK: Final[tuple[Callable[[PlaceScope, _Question], Any], ...]] = (
    _suits, _shown, _fact, _bid, _fact_inside, _bid_inside,
)  # fmt: skip


class Lowering:
    """Keeps what conditions became.

    Examples
    --------
    >>> from bidcascade.table.system.scope import Memo
    >>> from bidcascade.table.system.state import State
    >>> from bidcascade.table.system_text.reader import parse_condition
    >>> condition = parse_condition("5+ M, 12+ points")
    >>> lowering = Lowering()
    >>> scope = PlaceScope(Memo(State()), {}, {"M": "H"})
    >>> lowering.needs(condition, scope).texts()
    ('SL_H >= 5', 'HCP >= 12')
    >>> lowering.needs(condition, scope) is lowering.needs(condition, scope)
    True
    """

    def __init__(self) -> None:
        self._known: dict[
            tuple[int, tuple[tuple[str, str], ...]],
            list[tuple[tuple[_Question, ...], dict[_Answers, Needs | None]]],
        ] = {}
        self._joined: dict[tuple[int, ...], Needs] = {}
        self._by_criteria: dict[tuple[Expression, ...], Needs] = {}
        self._alive: list[Condition] = []

    def needs(self, condition: Condition, scope: PlaceScope) -> Needs | None:
        """Criteria of a condition at a place; None where it cannot hold."""
        key = (id(condition), tuple(scope.bindings.items()))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = []
            # an id is a name only as long as its object lives
            self._alive.append(condition)
        for questions, results in known:
            answers = tuple([_ASK[question[0]](scope, question) for question in questions])
            if answers in results:
                return results[answers]
        return self._learn(condition, scope, known)

    def _learn(
        self,
        condition: Condition,
        scope: PlaceScope,
        known: list[tuple[tuple[_Question, ...], dict[_Answers, Needs | None]]],
    ) -> Needs | None:
        asking = _Asking(scope, [], [])
        expression = lower(condition, asking)
        found = self._made(expression)
        questions, answers = tuple(asking.questions), tuple(asking.answers)
        for asked, results in known:
            if asked == questions:
                results[answers] = found
                return found
        known.append((questions, {answers: found}))
        return found

    def _made(self, expression: Expression) -> Needs | None:
        if isinstance(expression, Truth):
            return ANY_HAND if expression.value else None
        criteria = expression.operands if isinstance(expression, And) else (expression,)
        found = self._by_criteria.get(criteria)
        if found is None:
            found = self._by_criteria[criteria] = Needs(criteria)
        return found

    def joined(self, parts: Sequence[Needs]) -> Needs:
        """All of several needs together."""
        parts = [part for part in parts if part.criteria]
        if len(parts) < 2:
            return parts[0] if parts else ANY_HAND
        key = tuple(map(id, parts))
        found = self._joined.get(key)
        if found is None:
            criteria = tuple(one for part in parts for one in part.criteria)
            found = self._by_criteria.get(criteria)
            if found is None:
                found = self._by_criteria[criteria] = Needs(criteria)
            self._joined[key] = found
        return found
