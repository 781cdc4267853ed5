"""What a system's text asks, as rows of words for the core: conditions, phrases, calls.

``kernels/core/text.hpp`` draws the rows and checks them, ``kernels/core/conditions.hpp`` lowers
them at a place. The table :data:`PHRASES` says by which operation of the core each kind of phrase
is lowered, and on which terms; :func:`_fact` what a fact of the auction asks.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from itertools import accumulate, chain
from operator import attrgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidExpression, InvalidSystem
from bidcascade.kernels import term_names, term_range
from bidcascade.kernels.core.rows import (
    AGREEMENT_KINDS,
    BID_KINDS,
    CALLS,
    KINDS,
    TAG_WORDS,
    TERMS,
    WIDEST,
    WORDS,
)
from bidcascade.kernels.core.rows import ROLES as ROLE_NUMBERS
from bidcascade.systems.language.errors import invalid_at
from bidcascade.systems.language.joining import phrases_of
from bidcascade.systems.language.phrases import BOTH_HANDS, COUNTED, LENGTHS
from bidcascade.systems.language.phrases import KINDS as CATALOGUE
from bidcascade.systems.language.syntax_tree import (
    VARIABLES,
    AllOf,
    AnyOf,
    CallPattern,
    Condition,
    NotThis,
    Phrase,
    Range,
    Where,
)
from bidcascade.table.language.expression_tree import Expression, Not, Term
from bidcascade.table.language.expressions import parse_expression

from .expression_rows import FORMS, OPERATORS, words_of
from .formulas import (
    BUILT_IN,
    GAME_POINTS,
    HONOURS,
    SLAM_POINTS,
    TRUE,
    built_in_shapes,
    conjunction,
    negation,
    shape_expression,
)
from .patterns import JUMPS, letter_of
from .places import Rules
from .state import WHO

FORMAT: Final = 0x42435431
NO_BOUND: Final = 1 << 30
LARGEST_NUMBER: Final = 1 << 28
"""Numbers of a text lie between this and its negative."""
SECTIONS: Final = (
    "limits", "tracked", "names", "expressions", "stems", "words", "patterns", "questions",
    "phrases", "conditions", "defines", "lists",
)  # fmt: skip
OPERATIONS: Final = (
    "refused", "always", "fact", "named", "measure", "in suit", "flag", "stopper",
    "first-round control", "second-round control", "length beside", "length against",
    "longest outside theirs", "combined", "combined cards", "in trumps", "law", "enough points",
    "remote",
)  # fmt: skip
STATIC: Final[dict[str, str]] = {
    "a suit": "CDHS", "every suit": "CDHS", "a major": "HS", "both majors": "HS",
    "a minor": "CD", "both minors": "CD",
}  # fmt: skip
"""Suit words that mean the same in every auction."""
ROLES: Final = {name: number for number, name in enumerate(ROLE_NUMBERS)} | {
    "their suit": 0, "trumps": 5, "every unbid suit": 6, "an unbid suit": 6,
    "every unbid major": 7, "an unbid major": 7, "every unbid minor": 8, "an unbid minor": 8,
}  # fmt: skip
_FIXED, _VARIABLE, _SUITS, _ROLE, _OTHER = range(5)
_CALL_KINDS: Final = (*BID_KINDS, "pass", "double", "redouble", "any", "any bid")
_FORMULA, _TAG, _UNKNOWN = range(3)
_NO_OPERANDS, _OF_SUITS, _OF_STRAIN = range(3)
_EVERY_CALL: Final = (1 << CALLS) - 1
_STRAINS: Final = "CDHSN"

REASONS: Final = (
    "", "not bound", "refused", "circle", "too long", "no suit", "bad value",
)  # fmt: skip
"""Why the core cannot lower a condition, by number."""

Words = NDArray[np.int32]


# --- the table of phrases -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Operation:
    """How the core lowers a kind of phrase, and on what.

    Parameters
    ----------
    name
        One of :data:`OPERATIONS`.
    term, shown, without
        Terms: the one that is tested; the one of which partner's bounds count, if it is another;
        the one that is tested where the roles have no suit.
    stem, second
        Terms of each suit, with ``?`` for its letter.
    comparison
        Sign between two terms.
    suits
        Suit words that the phrase must have; None for any number.
    counts
        Whether the phrase must have a range; ``range`` is one for all phrases of the kind.
    at_once
        Whether a range is missed before any suit is looked at.
    roles
        Suits that count where the phrase names none.
    """

    name: str
    term: str = ""
    stem: str = ""
    second: str = ""
    comparison: str = ""
    shown: str = ""
    without: str = ""
    suits: int | None = None
    counts: bool = False
    at_once: bool = False
    range: Range | None = None
    roles: tuple[str, ...] = ()
    combined: bool = False
    at_best: bool = False
    calls: bool = False
    points: int = 0
    expression: Expression | None = None


class _Refused(Exception):
    """A phrase asks for what does not exist; the argument says what was expected."""


@cache
def _measure(term: str) -> Operation:
    return Operation("measure", term=term, counts=True, at_once=True)


@cache
def _in_suit(stem: str) -> Operation:
    return Operation("in suit", stem=stem, suits=1, counts=True)


@cache
def _combined(term: str, *, at_best: bool = False) -> Operation:
    return Operation("combined", term=term, counts=True, at_once=True, at_best=at_best)


@cache
def _of_suit(name: str, stem: str, second: str = "") -> Operation:
    return Operation(name, stem=stem, second=second, suits=1)


@cache
def _in_trumps(stem: str, *roles: str, **more: Any) -> Operation:
    return Operation("in trumps", stem=stem, roles=roles, counts=True, **more)


@cache
def _always(expression: Expression) -> Operation:
    return Operation("always", expression=expression)


def _points(phrase: Phrase) -> Operation:
    return _in_suit("HCP_?") if phrase.suits else _measure("HCP")


def _suit_length(phrase: Phrase) -> Operation:
    wanted = phrase.range
    if wanted is None:
        return _measure("Longest_Suit")
    if phrase.suits == ("a suit",) and wanted.high is None and not wanted.also:
        return _measure("Longest_Suit")
    return _in_suit("SL_?")


def _top_honours(phrase: Phrase) -> Operation:
    among = phrase.of or 0
    if not 1 <= among <= 5:
        raise _Refused(f"the top two, three, four or five, got {phrase.of!r}")
    return _in_suit(f"Top{max(among, 2)}_?")


def _honour(phrase: Phrase) -> Operation:
    rank = HONOURS.get(phrase.text)
    if rank is None:
        raise _Refused(f"one of {', '.join(HONOURS)}, got {phrase.text!r}")
    return _of_suit("flag", f"C_?{rank}")


def _rule_of(phrase: Phrase) -> Operation:
    count = phrase.count
    if count == 15:
        return Operation("measure", term="Rule_Of_15", range=Range(15))
    if count is None or not 18 <= count <= 22:
        raise _Refused(f"the rule of 15 or of 18 to 22, got {count!r}")
    return Operation("measure", term="Rule_Of_20", range=Range(count))


def _raw(phrase: Phrase) -> Operation:
    try:
        return _always(conjunction((parse_expression(phrase.text),)))
    except InvalidExpression as error:
        message = f"{phrase.where}: in {{{phrase.text}}}: {error}"
        raise InvalidSystem(message) from None


def _shape(phrase: Phrase) -> Operation:
    try:
        return _always(shape_expression(phrase.text))
    except ValueError:
        wanted = "four lengths of 13 cards such as 4=4=3=2 or 5-4-x-x"
        raise _Refused(f"{wanted}, got {phrase.text!r}") from None


def _built_in(phrase: Phrase) -> Operation:
    """Operation of a name that the system does not define."""
    if phrase.text == "unbalanced":
        return _always(negation(built_in_shapes("balanced")))
    if phrase.text not in BUILT_IN:
        raise _Refused(f"a name that the system defines, got {phrase.text!r}")
    return _always(built_in_shapes(phrase.text))


_WE, _THEY = Term("Vul_We"), Term("Vul_They")
PHRASES: Final[dict[str, Operation | Callable[[Phrase], Operation]]] = {
    **{row.kind: _measure(row.term) for row in COUNTED if row.term[-1] != "_"},
    **{
        kind: Operation("in suit", stem="SL_?", suits=1, range=found)
        for kind, found in LENGTHS.items()
    },
    **{row.kind: _combined(row.term) for row in BOTH_HANDS if row.term},
    "points": _points,
    "support points": _in_trumps("Support_Points_?", "partner's suit", "our suit"),
    "keycards": _in_trumps("Keycards_?", "our suit", without="Aces"),
    "length": _in_suit("SL_?"),
    "support": _in_suit("SL_?"),
    "suit length": _suit_length,
    "shape": _shape,
    "longer": Operation("length against", stem="SL_?", comparison=">", suits=2),
    "at least as long": Operation("length against", stem="SL_?", comparison=">=", suits=2),
    "longest": Operation(
        "length beside", stem="SL_?", comparison=">=", term="Longest_Suit", suits=1
    ),
    "strictly longest": Operation(
        "length beside", stem="SL_?", comparison=">", term="Second_Suit", suits=1
    ),
    "longest outside theirs": Operation(
        "longest outside theirs", stem="SL_?", suits=1, roles=("their suits",)
    ),
    "top honours": _top_honours,
    "honour": _honour,
    "stopper": _of_suit("stopper", "Likely_Stopper_?", "HCP_?"),
    "partial stopper": _of_suit("flag", "Partial_Stopper_?"),
    "two stoppers": _of_suit("flag", "Two_Stoppers_?"),
    "first-round control": _of_suit("first-round control", "C_?A", "SL_?"),
    "second-round control": _of_suit("second-round control", "Top2_?", "SL_?"),
    "rule of": _rule_of,
    "any hand": _always(TRUE),
    "raw": _raw,
    "combined points at best": _combined("HCP", at_best=True),
    "combined support points": _in_trumps(
        "Support_Points_?", "our suit", "partner's suit", shown="HCP", without="HCP", combined=True
    ),
    "combined keycards": _in_trumps("Keycards_?", "our suit", without="Aces", combined=True),
    "combined cards": Operation("combined cards", stem="SL_?", suits=1, counts=True),
    "law": Operation("law", stem="SL_?", calls=True),
    "enough points": Operation(
        "enough points", term="HCP", stem="SL_?", second="Support_Points_?", calls=True
    ),
    "game is remote": Operation("remote", term="HCP", points=GAME_POINTS),
    "slam is remote": Operation("remote", term="HCP", points=SLAM_POINTS),
    "vulnerable": _always(_WE),
    "not vulnerable": _always(Not(_WE)),
    "favourable": _always(conjunction((Not(_WE), _THEY))),
    "unfavourable": _always(conjunction((_WE, Not(_THEY)))),
}
"""Phrases that the hand or the vulnerability decides."""
FACTS: Final = frozenset(CATALOGUE) - PHRASES.keys() - {"named"}
"""Kinds of phrases that ask for a fact of the auction: all others but names."""


# --- facts ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Question:
    """What a fact asks, but for what its suits and calls are at a place."""

    kind: str
    who: int = 0
    count: int = 0
    low: int = 0
    high: int = 0
    also: int = 0
    calls: int = 0
    number: int = 0
    negated: bool = False
    operands: int = _NO_OPERANDS
    of_pattern: bool = False

    def within(self, wanted: Range | None) -> "_Question":
        """Ask for a number in a range."""
        wanted = wanted or Range()
        if not all(0 <= value < 64 for value in wanted.also):
            raise _Refused(f"further values from 0 to 63, got {wanted.also!r}")
        self.low = wanted.low
        self.high = WIDEST if wanted.high is None else wanted.high
        self.also = sum(1 << value for value in set(wanted.also))
        return self

    def row(self) -> tuple[int, ...]:
        """Words of a question form."""
        also, calls = _halves_of(self.also), _halves_of(self.calls)
        return (
            KINDS.index(self.kind), self.who, self.count, self.low, self.high, *also, *calls,
            self.number, int(self.negated), self.operands, int(self.of_pattern),
        )  # fmt: skip


def _halves_of(bits: int) -> tuple[int, int]:
    """Low and high word of 64 bits, as signed numbers."""
    low, high = bits & 0xFFFFFFFF, bits >> 32
    return low - (low >> 31 << 32), high - (high >> 31 << 32)


def _who(word: str | None) -> int:
    """Bits of positions relative to the player to call; all of them for nobody in particular."""
    if word is not None and word not in WHO:
        raise _Refused(f"one of {', '.join(WHO)}, got {word!r}")
    return 15 if word is None else sum(1 << step for step in WHO[word])


def _one_suit(phrase: Phrase) -> None:
    if len(phrase.suits) != 1:
        raise InvalidSystem(f"{phrase.kind!r}: expected one suit, got {phrase.suits!r}")


def _fact(phrase: Phrase, tags: Callable[[str], int]) -> _Question:
    """Question of a fact; what each kind asks is defined in :mod:`.reference.facts`.

    Raises
    ------
    InvalidSystem, _Refused
        If it cannot be put. The words of suits are looked up before.
    """
    kind, text = phrase.kind, phrase.text
    has_call = phrase.call is not None
    match kind:
        case "passed hand":
            return _Question(kind, who=_who(phrase.who or "me"))
        case "opened":
            who = _who(phrase.who or "we")
            return _Question(kind, who, calls=_EVERY_CALL, of_pattern=has_call)
        case "only passed":
            return _Question(kind, who=_who(phrase.who or "partner"))
        case "bid" | "not bid":
            who, negated = _who(phrase.who or "we"), kind == "not bid"
            if phrase.call is None and phrase.suits:
                _one_suit(phrase)
                return _Question("named", who=who, operands=_OF_SUITS, negated=negated)
            calls = _EVERY_CALL & ~7
            return _Question("made", who, calls=calls, negated=negated, of_pattern=has_call)
        case "last call":
            return _last_call(phrase, tags)
        case "has called":
            number = tags(text.removeprefix("#"))
            return _Question(kind, who=_who(phrase.who or "partner"), number=number)
        case "unbid" | "fourth suit":
            _one_suit(phrase)
            return _Question(kind, operands=_OF_SUITS)
        case "fit":
            return _Question(kind, operands=_OF_SUITS, count=phrase.count or 8)
        case "contested" | "uncontested":
            return _Question("contested", negated=kind == "uncontested")
        case "level" | "seat":
            return _Question(kind).within(phrase.range)
        case "last bid":
            name = text.removeprefix("#")
            question = _Question(kind, _who(phrase.who), calls=_EVERY_CALL, of_pattern=has_call)
            question.count, question.number = int(name != ""), tags(name)
            return question
        case "has shown" | "may have":
            return _shown(phrase)
        case "ranks above" | "same suit":
            return _Question(kind, operands=_OF_SUITS)
        case "available":
            call = phrase.call
            if call is None or call.strain is None:
                return _Question(kind)
            question = _Question(kind, operands=_OF_STRAIN, number=JUMPS.get(call.kind, 0))
            return question.within(phrase.range or Range(0, call.level))
        case "nth call" if phrase.count is not None:
            return _Question(kind, count=phrase.count)
        case "nobody opened" | "forced" | "game forced" | "balancing" | "game reached":
            return _Question(kind)
        case _:
            raise _Refused(f"a phrase of the catalogue, got {phrase.text!r}")


def _last_call(phrase: Phrase, tags: Callable[[str], int]) -> _Question:
    who, text = _who(phrase.who or "partner"), phrase.text
    if phrase.call is not None:
        return _Question("last call", who=who, of_pattern=True)
    if text in ("pass", "double", "redouble"):
        calls = 1 << ("pass", "double", "redouble").index(text)
        return _Question("last call", who=who, calls=calls)
    if text.startswith("#"):
        return _Question("last call's tag", who=who, number=tags(text[1:]))
    if text in WORDS:
        return _Question("last call in words", who=who, number=WORDS.index(text))
    names = ("forcing", "forcing to game") if text == "forcing" else (text,)
    kinds = sum(1 << AGREEMENT_KINDS.index(name) for name in names if name in AGREEMENT_KINDS)
    return _Question("last call's kinds", who=who, number=kinds)


def _shown(phrase: Phrase) -> _Question:
    who = _who(phrase.who or "partner")
    row = CATALOGUE.get(phrase.text or "points")
    term = "" if row is None else row.term.rstrip("_")
    if phrase.suits:
        _one_suit(phrase)
        term += "_C"
    if term not in TERMS:
        raise _Refused(f"what a player can show, got {phrase.text!r}")
    operands = _OF_SUITS if phrase.suits else _NO_OPERANDS
    question = _Question(phrase.kind, who, bool(phrase.suits), operands=operands)
    question.number = TERMS.index(term)
    return question.within(phrase.range)


# --- rows -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _PhraseRow:
    """Words of a phrase, in their order; -1 where it has no such part."""

    operation: int = 0
    fault: int = 0
    first_suit: int = 0
    suits: int = 0
    low: int = 0
    high: int = NO_BOUND
    first_also: int = 0
    also: int = 0
    term: int = -1
    stem: int = -1
    second_stem: int = -1
    comparison: int = -1
    shown_term: int = -1
    is_combined: int = 0
    at_best: int = 0
    without_term: int = -1
    first_role: int = 0
    roles: int = 0
    pattern: int = -1
    points: int = 0
    target: int = -1


_words_of: Final = attrgetter(*(one.name for one in fields(_PhraseRow)))


@dataclass(slots=True)
class _Section:
    """Rows of one type."""

    rows: list[tuple[int, ...]] = field(default_factory=list)
    numbers: dict[tuple[int, ...], int] = field(default_factory=dict)

    def add(self, row: tuple[int, ...]) -> int:
        """Give a row a number, the same for equal ones."""
        number = self.numbers.get(row)
        if number is None:
            number = self.numbers[row] = len(self.rows)
            self.rows.append(row)
        return number


@cache
def term_limits() -> dict[str, tuple[int, int]]:
    """Least and greatest value of each term, in halves, in the order of their numbers."""
    return {
        name: (factor * low, factor * high)
        for name in sorted(term_names())
        for factor in (1 if name in ("QT", "Playing_Tricks") else 2,)
        for low, high in (term_range(name),)
    }


@cache
def _term_numbers() -> dict[str, int]:
    return {name: number for number, name in enumerate(sorted(term_names()))}


class TextRows:
    """Rows of what a text asks; conditions and call patterns have numbers among them.

    Parameters
    ----------
    rules
        The system: all its conditions and the calls of its lines are written at once.
    tags
        Numbers of tags, where systems that play each other share them; others count as not said.

    Examples
    --------
    >>> from .system import System
    >>> rules = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced").rules
    >>> rows = TextRows(rules)
    >>> condition = rules.places.lines[0].line.condition
    >>> rows.condition(condition) == rows.condition(condition), rows.condition(None)
    (True, -1)
    """

    def __init__(self, rules: Rules, tags: Mapping[str, int] | None = None) -> None:
        self.rules = rules
        self.tags = tags_of(rules) if tags is None else tags
        self.names: list[str] = list(_term_numbers())
        """Names by number: terms, then what else expressions of the text name."""
        self.word_list: list[str] = []
        """Suit words by number."""
        self.phrase_list: list[Phrase] = []
        self._sections = {name: _Section() for name in SECTIONS}
        self._lists: list[int] = []
        self._list_places: dict[tuple[int, ...], int] = {}
        self._name_numbers = dict(_term_numbers())
        self._word_numbers: dict[str, int] = {}
        self._conditions: dict[Condition, int] = {}
        self._phrase_numbers: dict[tuple[Phrase, Where], int] = {}
        self._by_identity: dict[int, tuple[Condition | CallPattern, int]] = {}
        self._expressions: dict[Expression, int] = {}
        self._patterns: dict[CallPattern, int] = {}
        self._messages: dict[int, str] = {}
        self._define_numbers = {name: number for number, name in enumerate(rules.defines)}
        self._add_defines()
        self._add_lines()

    def _add_defines(self) -> None:
        for define in self.rules.defines.values():
            parameters = [VARIABLES.index(one) for one in define.suits if one in VARIABLES]
            if len(parameters) != len(define.suits) or len(parameters) > len(VARIABLES):
                raise InvalidSystem(
                    f"expected variables as parameters of {define.name!r}, got {define.suits!r}"
                )
            first = self._list(parameters)
            # no subject by itself: a line's condition that is equal has messages of its own
            condition = self._condition(define.condition)
            self._sections["defines"].rows.append((condition, first, len(parameters)))

    def _add_lines(self) -> None:
        places = self.rules.places
        for line in places.written_lines():
            for variant in line.variants or (None,):
                self.condition(None if variant is None else variant.condition)
                said = line.agreements + (() if variant is None else variant.agreements)
                for agreement in said:
                    self.condition(agreement.condition)
            self.call_pattern(line.call)
            self.condition(line.condition)
        groups = [
            *places.opening, *(group for found in places.by_length.values() for group in found),
            *places.any_length, *places.anywhere,
        ]  # fmt: skip
        groups += (group for placed in places.lines for group in placed.below)
        for group in groups:
            for test in group.tests:
                self.condition(test.condition)
            for step in () if group.pattern is None else group.pattern.steps:
                for pattern in step.calls:
                    self.call_pattern(pattern)
            for pattern in () if group.their_call is None else group.their_call.calls:
                self.call_pattern(pattern)

    # --- conditions -------------------------------------------------------------------------------

    def condition(self, condition: Condition | None) -> int:
        """Give a condition a number, the same for equal ones; -1 for None, which is any hand."""
        if condition is None:
            return -1
        # equal ones are found by looking at all their parts; the same object at once
        known = self._by_identity.get(id(condition))
        if known is not None:
            return known[1]
        number = self._conditions.get(condition)
        if number is None:
            number = self._conditions[condition] = self._condition(condition)
        self._by_identity[id(condition)] = condition, number
        return number

    def _condition(self, condition: Condition) -> int:
        """Write a condition; parts that stand at different places stay apart, for messages."""
        match condition:
            case AllOf(parts) | AnyOf(parts):
                form = int(isinstance(condition, AnyOf))
                numbers = [self._condition(part) for part in parts]
            case NotThis(part):
                form, numbers = 2, [self._condition(part)]
            case Phrase():
                form, numbers = 3, [self._phrase(condition)]
        first = self._list(numbers)
        return self._sections["conditions"].add((form, first, len(numbers)))

    def _phrase(self, phrase: Phrase) -> int:
        key = phrase, phrase.where
        number = self._phrase_numbers.get(key)
        if number is None:
            row = _PhraseRow(operation=OPERATIONS.index("refused"))
            row.first_suit, row.suits = self._words(phrase.suits)
            number = self._phrase_numbers[key] = len(self.phrase_list)
            self.phrase_list.append(phrase)
            try:
                message = self._lay_out(phrase, row)
            except _Refused as error:
                message = _unusable(phrase, str(error))
            except InvalidSystem as error:
                message = str(error)
            if message:
                self._messages[number] = message
            self._sections["phrases"].rows.append(_words_of(row))
        return number

    def _lay_out(self, phrase: Phrase, row: _PhraseRow) -> str:
        """Write the parts of a phrase; what is wrong with it at some places, if anything is.

        Raises
        ------
        InvalidSystem, _Refused
            If it means nothing at any place.
        """
        if phrase.kind == "named" and phrase.text in self._define_numbers:
            return self._lay_out_named(phrase, row)
        found = _built_in if phrase.kind == "named" else PHRASES.get(phrase.kind)
        if found is None:
            return self._lay_out_fact(phrase, row)
        operation = found if isinstance(found, Operation) else found(phrase)
        message = self._check(phrase, operation)
        row.fault = int(message != "" and operation.name != "law")
        for name in ("term", "shown", "without"):
            term = getattr(operation, name)
            if term:
                setattr(row, name if name == "term" else f"{name}_term", self.name(term))
        row.stem = self._stem(operation.stem)
        row.second_stem = self._stem(operation.second)
        row.comparison = OPERATORS.get(operation.comparison, -1)
        row.is_combined, row.at_best = int(operation.combined), int(operation.at_best)
        row.first_role, row.roles = self._words(operation.roles)
        row.points = operation.points
        if operation.calls and phrase.call is not None:
            row.pattern = self.call_pattern(phrase.call)
        if operation.expression is not None:
            row.target = self.expression(operation.expression)
        self._lay_out_range(operation.range or (phrase.range if operation.counts else None), row)
        row.operation = OPERATIONS.index(operation.name)
        return message

    @staticmethod
    def _check(phrase: Phrase, operation: Operation) -> str:
        """Check that a phrase has the parts that its operation needs, as :meth:`_lay_out` does."""
        if operation.suits not in (None, len(phrase.suits)):
            wanted = "one suit" if operation.suits == 1 else "two suits"
            expected = f"{wanted}, got {phrase.suits!r}"
            if operation.name != "longest outside theirs":
                raise _Refused(expected)
            return _unusable(phrase, expected)
        if operation.calls and phrase.call is None:
            raise _Refused("a call, got none")
        if operation.name == "law":
            return _unusable(phrase, "a suit contract, got notrump")
        if not operation.counts or phrase.range is not None:
            return ""
        if operation.at_once:
            raise _Refused("a number, got none")
        return _unusable(phrase, "a number, got none")

    def _lay_out_named(self, phrase: Phrase, row: _PhraseRow) -> str:
        row.operation = OPERATIONS.index("named")
        row.target = self._define_numbers[phrase.text]
        wanted, got = len(self.rules.defines[phrase.text].suits), len(phrase.suits)
        row.fault = int(wanted != got)
        if wanted == got:
            return ""
        return _unusable(phrase, f"{wanted} suits behind {phrase.text!r}, got {got}")

    def _lay_out_fact(self, phrase: Phrase, row: _PhraseRow) -> str:
        message = ""
        try:
            question = _fact(phrase, lambda tag: self.tags.get(tag, -1))
            words = question.row()
            _check_numbers(question.count, question.low, question.high)
        except _Refused as error:
            message = _unusable(phrase, str(error))
        except InvalidSystem as error:
            message = str(error)
        if phrase.call is not None:
            row.pattern = self.call_pattern(phrase.call)
        if message:
            # suits, and the strain of what is available, are looked up before
            has_strain = phrase.call is not None and phrase.call.strain is not None
            of_strain = phrase.kind == "available" and has_strain
            words = _Question("forced", operands=_OF_STRAIN if of_strain else _NO_OPERANDS).row()
        row.fault = int(message != "")
        row.target = self._sections["questions"].add(words)
        row.operation = OPERATIONS.index("fact")
        return message

    def _lay_out_range(self, wanted: Range | None, row: _PhraseRow) -> None:
        if wanted is None:
            return
        _check_numbers(wanted.low, wanted.high or 0, *wanted.also)
        row.low = wanted.low
        row.high = NO_BOUND if wanted.high is None else wanted.high
        row.first_also, row.also = self._list(wanted.also), len(wanted.also)

    def error(self, reason: int, phrase: int, word: int) -> InvalidSystem:
        """Error that the core's failure to lower a condition stands for."""
        what = self.phrase_list[phrase] if 0 <= phrase < len(self.phrase_list) else None
        match REASONS[reason]:
            case "not bound":
                expected = "a suit or a variable that a call binds"
                message = f"expected {expected}, got {self.word_list[word]!r}"
            case "refused":
                message = self._messages[phrase]
            case "circle" if what is not None:
                expected = f"a definition that does not use itself, got {what.text!r}"
                message = _unusable(what, expected)
            case "too long":
                message = "expected a condition of fewer parts, with its definitions written out"
            case "no suit":
                message = f"expected a suit, got {self.word_list[word]!r}"
            case _:
                message = "expected a condition of the text, bindings and answers of a place"
        return InvalidSystem(message) if what is None else invalid_at(what.where, message)

    # --- words, calls, expressions ----------------------------------------------------------------

    def word(self, word: str) -> int:
        """Give a suit word a number."""
        number = self._word_numbers.get(word)
        if number is None:
            number = self._word_numbers[word] = len(self.word_list)
            self.word_list.append(word)
            join = 0
            if word.startswith(("a ", "an ")):
                join = 2
            elif word in ("their suit", "their suits") or word.startswith(("every ", "both ")):
                join = 1
            kind, value = _meaning_of(word)
            row = (kind, value, join, int(word in ("NT", "notrump")))
            self._sections["words"].rows.append(row)
        return number

    def _words(self, words: Iterable[str]) -> tuple[int, int]:
        numbers = [self.word(one) for one in words]
        return self._list(numbers), len(numbers)

    def call_pattern(self, pattern: CallPattern) -> int:
        """Give a call pattern a number, the same for equal ones.

        Raises
        ------
        InvalidSystem
            If no text can have it.
        """
        known = self._by_identity.get(id(pattern))
        if known is not None:
            return known[1]
        number = self._patterns.get(pattern)
        if number is None:
            level = -1 if pattern.level is None else pattern.level
            if pattern.kind not in _CALL_KINDS or pattern.level not in (None, *range(8)):
                raise InvalidSystem(f"expected a call, got {pattern!r}")
            strain = -1 if pattern.strain is None else self.word(pattern.strain)
            row = (_CALL_KINDS.index(pattern.kind), level, strain)
            number = self._patterns[pattern] = self._sections["patterns"].add(row)
        self._by_identity[id(pattern)] = pattern, number
        return number

    def name(self, name: str) -> int:
        """Give a name of an expression a number: terms first, then what is made of them."""
        number = self._name_numbers.get(name)
        if number is None:
            kind, formula = self.meaning(name)
            # names in the formula get their numbers before
            row = (kind, -1 if formula is None else self.expression(formula))
            number = self._name_numbers[name] = len(self.names)
            self.names.append(name)
            self._sections["names"].rows.append(row)
        return number

    def meaning(self, name: str) -> tuple[int, Expression | None]:
        """Kind of a name that is no term, and the formula that it stands for."""
        vocabulary = self.rules.vocabulary
        if vocabulary.is_tag(name):
            return _TAG, None
        if name not in vocabulary:
            return _UNKNOWN, None
        return _FORMULA, parse_expression(vocabulary.describe(name).definition)

    def expression(self, expression: Expression) -> int:
        """Give an expression a number; its operands have smaller ones."""
        number = self._expressions.get(expression)
        if number is None:
            parts = words_of(expression, self.name, self.expression)
            row = (FORMS.index(type(expression)), self._list(parts), len(parts))
            number = self._expressions[expression] = self._sections["expressions"].add(row)
        return number

    def _stem(self, stem: str) -> int:
        if not stem:
            return -1
        terms = (self.name(stem.replace("?", letter)) for letter in "CDHS")
        return self._sections["stems"].add(tuple(terms))

    def _list(self, items: Iterable[int]) -> int:
        """Place of some numbers among the lists."""
        numbers = tuple(items)
        place = self._list_places.get(numbers)
        if place is None:
            place = self._list_places[numbers] = len(self._lists)
            self._lists += numbers
        return place

    # --- all of it --------------------------------------------------------------------------------

    def words(self) -> Words:
        """All rows so far, int32: what ``Text::read`` of the core takes."""
        rows = {name: section.rows for name, section in self._sections.items()}
        rows["limits"] = list(term_limits().values())
        rows["tracked"] = [(self.name(term),) for term in TERMS]
        return joined(FORMAT, [*(rows[name] for name in SECTIONS[:-1]), self._lists])


def joined(mark: int, sections: Iterable[list[Any]]) -> Words:
    """Words of sections behind a mark and their places, int32; rows are tuples or numbers.

    Examples
    --------
    >>> joined(7, [[(1, 2), (3, 4)], [5]])
    array([7, 4, 8, 9, 1, 2, 3, 4, 5], dtype=int32)
    """
    parts = [
        np.fromiter(
            chain.from_iterable(rows) if rows[:1] and type(rows[0]) is tuple else rows, "i4"
        )
        for rows in sections
    ]
    places = accumulate(map(len, parts), initial=len(parts) + 2)
    return np.concatenate([np.array([mark, *places], np.int32), *parts])


def _meaning_of(word: str) -> tuple[int, int]:
    """Kind of a suit word, and its strain, its suits or the number of its role."""
    if word in VARIABLES:
        return _VARIABLE, VARIABLES.index(word)
    letter = letter_of(word, {})
    if letter is not None:
        return _FIXED, _STRAINS.index(letter) + 1
    if word in STATIC:
        suits = enumerate(STATIC[word])
        return _SUITS, sum((_STRAINS.index(one) + 1) << 3 * place for place, one in suits)
    return (_ROLE, ROLES[word]) if word in ROLES else (_OTHER, 0)


def _check_numbers(*numbers: int) -> None:
    for number in numbers:
        if not -LARGEST_NUMBER <= number <= LARGEST_NUMBER:
            raise _Refused(f"numbers up to {LARGEST_NUMBER:,}, got {number:,}")


def _unusable(phrase: Phrase, expected: str) -> str:
    place = f" ({phrase.where})" if phrase.where.line else ""
    return f"{phrase.kind!r}: expected {expected}{place}"


def tags_of(*systems: Rules) -> dict[str, int]:
    """Numbers for the tags of systems that play each other."""
    asked = (
        phrase.text[1:]
        for rules in systems
        for condition in rules.conditions()
        for phrase in phrases_of(condition)
        if phrase.kind in ("last call", "last bid", "has called") and phrase.text[:1] == "#"
    )
    said = (
        one.text
        for rules in systems
        for line in rules.places.written_lines()
        for agreements in (line.agreements, *(variant.agreements for variant in line.variants))
        for one in agreements
        if one.kind == "tag"
    )
    found = {tag: number for number, tag in enumerate(dict.fromkeys((*asked, *said)))}
    if len(found) > 64 * TAG_WORDS:
        raise InvalidSystem(f"expected at most {64 * TAG_WORDS} tags, got {len(found)}")
    return found
