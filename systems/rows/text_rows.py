"""What a system's text asks, as rows of words for the core: conditions, phrases, calls.

``kernels/core/text/text.hpp`` draws the rows and checks them. A phrase stands there as the text
says it; ``kernels/core/text/phrases.hpp`` has what each kind asks for; ``conditions.hpp`` lowers it
at a place.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidExpression, InvalidSystem
from bidcascade.kernels import term_names, term_range
from bidcascade.kernels.core.rows import BID_KINDS, TAG_WORDS, TERMS
from bidcascade.systems.language.errors import invalid_at
from bidcascade.systems.language.tree.syntax_tree import (
    VARIABLES,
    AllOf,
    AnyOf,
    CallPattern,
    Condition,
    NotThis,
    Phrase,
    Range,
)
from bidcascade.systems.language.words.phrases import COUNTED
from bidcascade.systems.places.formulas import (
    BUILT_IN,
    HONOURS,
    TRUE,
    built_in_shapes,
    conjunction,
    negation,
    shape_expression,
    within,
)
from bidcascade.systems.places.places import Rules
from bidcascade.systems.places.state import WHO
from bidcascade.table.language.expression_tree import Expression, Not, TermName
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.vocabulary import Vocabulary

from .expression_rows import FORMS, words_of

FORMAT: Final = 0x42435432
NO_BOUND: Final = 1 << 30
LARGEST_NUMBER: Final = 1 << 28
"""Numbers of a text lie between this and its negative."""
SECTIONS: Final = (
    "limits", "tracked", "names", "expressions", "texts", "words", "patterns", "phrases",
    "conditions", "subjects", "defines", "lists",
)  # fmt: skip
_CALL_KINDS: Final = (*BID_KINDS, "pass", "double", "redouble", "any", "any bid")
_FORMULA, _TAG, _UNKNOWN = range(3)

REASONS: Final = ("", "not bound", "refused", "circle", "too long", "no suit", "bad value")
"""Why the core cannot lower a condition, by number."""
COMPLAINTS: Final = (
    "", "", "one suit, got {suits}", "two suits, got {suits}", "one suit, got {suits}",
    "{wanted} suits behind {text}, got {behind}", "a call, got none", "a number, got none",
    "a suit contract, got notrump", f"numbers up to {LARGEST_NUMBER:,}, got {{number}}",
    "further values from 0 to 63, got {also}", f"one of {', '.join(WHO)}, got {{who}}",
    "what a player can show, got {text}", "the top two, three, four or five, got {of}",
    f"one of {', '.join(HONOURS)}, got {{text}}", "the rule of 15 or of 18 to 22, got {count}",
    "a name that the system defines, got {text}", "a phrase of the catalogue, got {text}",
)  # fmt: skip
"""What was expected of a phrase that is refused, by the core's number (``Complaint``)."""
_WITHOUT_PLACE: Final = 4

Words = NDArray[np.int32]


_WE, _THEY = TermName("Vul_We"), TermName("Vul_They")
STANDS_FOR: Final[Mapping[str, Expression]] = {
    "any hand": TRUE,
    "vulnerable": _WE,
    "not vulnerable": Not(_WE),
    "favourable": conjunction((Not(_WE), _THEY)),
    "unfavourable": conjunction((_WE, Not(_THEY))),
}
"""Kinds of phrases that are the same expression wherever they stand."""
_IN_HALVES: Final = {row.kind: row.term for row in COUNTED if row.halves}


def _stands_for(phrase: Phrase) -> Expression | None:
    """Expression that a phrase is wherever it stands; None where the core makes it at a place."""
    text = phrase.text
    match phrase.kind:
        case "raw":
            try:
                return conjunction((parse_expression(text),))
            except InvalidExpression as error:
                raise InvalidSystem(f"{phrase.where}: in {{{text}}}: {error}") from None
        case "shape":
            try:
                return shape_expression(text)
            except ValueError:
                wanted = "four lengths of 13 cards such as 4=4=3=2 or 5-4-x-x"
                raise InvalidSystem(_unusable(phrase, f"{wanted}, got {text!r}")) from None
        case "named" if text == "unbalanced":
            return negation(built_in_shapes("balanced"))
        case "named":
            return built_in_shapes(text) if text in BUILT_IN else None
        case kind if kind in _IN_HALVES:
            if phrase.range is None:
                raise InvalidSystem(_unusable(phrase, "a number, got none"))
            return within(_IN_HALVES[kind], phrase.range)
        case kind:
            return STANDS_FOR.get(kind)


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
        The system. Its definitions are written at once, all else when it is asked for.
    tags
        Numbers of tags so far, which systems that play each other share; new ones are added.

    Examples
    --------
    >>> from bidcascade.systems.system import System
    >>> rules = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced").rules
    >>> rows = TextRows(rules)
    >>> condition = rules.places.lines[0].line.condition
    >>> rows.condition(condition) == rows.condition(condition), rows.condition(None)
    (True, -1)
    """

    def __init__(self, rules: Rules, tags: dict[str, int] | None = None) -> None:
        self.rules = rules
        self.tags = {} if tags is None else tags
        self.names: list[str] = list(_term_numbers())
        """Names by number: terms, then what else expressions of the text name."""
        self.word_list: list[str] = []
        """Suit words by number."""
        self.phrase_list: list[Phrase] = []
        self._sections = {name: _Section() for name in SECTIONS}
        self._lists: list[int] = []
        self._name_numbers = dict(_term_numbers())
        self._text_numbers: dict[str, int] = {}
        self._word_numbers: dict[str, int] = {}
        self._by_identity: dict[int, tuple[Condition | CallPattern, int]] = {}
        self._subjects: dict[int, None] = {}
        self._expressions: dict[Expression, int] = {}
        self._patterns: dict[CallPattern, int] = {}
        self._messages: dict[int, str] = {}
        self._define_numbers = {name: number for number, name in enumerate(rules.defines)}
        self._add_defines()

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

    # --- conditions -------------------------------------------------------------------------------

    def condition(self, condition: Condition | None) -> int:
        """Give a condition a number, -1 for None, which is any hand.

        The core takes those that say the same for one.
        """
        if condition is None:
            return -1
        number = self._condition(condition)
        self._subjects[number] = None
        return number

    def condition_numbers(self) -> Iterator[tuple[Condition, int]]:
        """All conditions so far with their numbers."""
        for one, number in self._by_identity.values():
            if not isinstance(one, CallPattern):
                yield one, number

    def _condition(self, condition: Condition) -> int:
        """Write a condition, once for each object: messages tell the places of its phrases."""
        identity = self.identity_of(condition)
        known = self._by_identity.get(identity)
        if known is not None:
            return known[1]
        match condition:
            case AllOf(parts) | AnyOf(parts):
                numbers = [self._condition(part) for part in parts]
                row = (int(isinstance(condition, AnyOf)), self._list(numbers), len(numbers))
            case NotThis(part):
                row = (2, self._condition(part), 1)
            case Phrase():
                row = (3, self._phrase(condition), 1)
        rows = self._sections["conditions"].rows
        number = len(rows)
        rows.append(row)
        self._by_identity[identity] = condition, number
        return number

    def identity_of(self, part: object) -> int:
        """Tell a part of the text from others: of a cached text by its row, as whoever opens it."""
        tree = self.rules.text.rows
        row = 0 if tree is None else tree.number_of(part)
        return -row or id(part)

    def _phrase(self, phrase: Phrase) -> int:
        number = len(self.phrase_list)
        self.phrase_list.append(phrase)
        self._sections["phrases"].rows.append(self._row(phrase, number))
        return number

    def _row(self, phrase: Phrase, number: int) -> tuple[int, ...]:
        """Words of what a phrase says; -1 where it has no such part."""
        text, wanted = phrase.text, phrase.range
        meant: Expression | None = None
        expression = pattern = define = -1
        if phrase.kind == "named":
            define = self._define_numbers.get(text, -1)
        try:
            if define < 0:
                meant = _stands_for(phrase)
            if meant is not None:
                expression = self.expression(meant)
            if phrase.call is not None:
                pattern = self.call_pattern(phrase.call)
        except InvalidSystem as error:
            self._messages[number] = str(error)
        bounds = (0, 0, NO_BOUND, 0, 0)
        if wanted is not None and meant is None:
            also = tuple(map(_number, wanted.also))
            bounds = (1, _number(wanted.low), _number(wanted.high), self._list(also), len(also))
        return (
            self.text(phrase.kind), -1 if phrase.who is None else self.text(phrase.who),
            self.text(text), self._list(map(self.word, phrase.suits)), len(phrase.suits), *bounds,
            _number(phrase.count), _number(phrase.of), pattern,
            self._tag_number(phrase), define, expression,
            int(number in self._messages),
        )  # fmt: skip

    def error(self, reason: int, phrase: int, word: int) -> InvalidSystem:
        """Error that the core's failure to lower a condition stands for."""
        what = self.phrase_list[phrase] if 0 <= phrase < len(self.phrase_list) else None
        match REASONS[reason]:
            case "not bound":
                expected = "a suit or a variable that a call binds"
                message = f"expected {expected}, got {self.word_list[word]!r}"
            case "refused":
                assert what is not None
                message = self._messages.get(phrase) or self._complaint(what, word)
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

    def _complaint(self, phrase: Phrase, number: int) -> str:
        """Words of the core's complaint about a phrase."""
        range_ = phrase.range or Range()
        define = self.rules.defines.get(phrase.text)
        numbers = (phrase.count, range_.low, range_.high, *range_.also)
        large = (one for one in numbers if one is not None and abs(one) > LARGEST_NUMBER)
        expected = COMPLAINTS[number].format(
            suits=repr(phrase.suits),
            behind=len(phrase.suits),
            text=repr(phrase.text),
            who=repr(phrase.who),
            of=repr(phrase.of),
            count=repr(phrase.count),
            also=repr(range_.also),
            wanted=0 if define is None else len(define.suits),
            number=f"{next(large, 0):,}",
        )
        if number == _WITHOUT_PLACE:
            return f"{phrase.kind!r}: expected {expected}"
        return _unusable(phrase, expected)

    # --- words, calls, expressions ----------------------------------------------------------------

    def text(self, text: str) -> int:
        """Give a text a number."""
        number = self._text_numbers.get(text)
        if number is None:
            number = self._text_numbers[text] = len(self._text_numbers)
            signs = self._list(map(ord, text))
            self._sections["texts"].rows.append((signs, len(text)))
        return number

    def _tag_number(self, phrase: Phrase) -> int:
        is_tag = phrase.text[:1] == "#" and phrase.kind in ("last call", "last bid")
        if is_tag or phrase.kind == "has called":
            return self.tag(phrase.text.removeprefix("#"))
        return -1

    def tag(self, tag: str) -> int:
        """Give a tag a number."""
        return self.tags.setdefault(tag, len(self.tags))

    def word(self, word: str) -> int:
        """Give a suit word a number."""
        number = self._word_numbers.get(word)
        if number is None:
            number = self._word_numbers[word] = len(self.word_list)
            self.word_list.append(word)
            self._sections["words"].rows.append((self.text(word),))
        return number

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
            kind, formula = meaning(name, self.rules.vocabulary)
            # names in the formula get their numbers before
            row = (kind, -1 if formula is None else self.expression(formula))
            number = self._name_numbers[name] = len(self.names)
            self.names.append(name)
            self._sections["names"].rows.append(row)
        return number

    def expression(self, expression: Expression) -> int:
        """Give an expression a number; its operands have smaller ones."""
        number = self._expressions.get(expression)
        if number is None:
            parts = words_of(expression, self.name, self.expression)
            row = (FORMS.index(type(expression)), self._list(parts), len(parts))
            number = self._expressions[expression] = self._sections["expressions"].add(row)
        return number

    def _list(self, items: Iterable[int]) -> int:
        """Place of some numbers among the lists."""
        # to make them may write others
        numbers = list(items)
        first = len(self._lists)
        self._lists += numbers
        return first

    # --- all of it --------------------------------------------------------------------------------

    def words(self) -> Words:
        """All rows so far, int32: what ``Text::read`` of the core takes.

        Raises
        ------
        InvalidSystem
            If there are more tags than the core has numbers for.
        """
        rows: dict[str, list[Any]] = {
            name: section.rows for name, section in self._sections.items()
        }
        if len(self.tags) > 64 * TAG_WORDS:
            raise InvalidSystem(f"expected at most {64 * TAG_WORDS} tags, got {len(self.tags)}")
        rows["subjects"] = list(self._subjects)
        rows["limits"] = list(term_limits().values())
        rows["tracked"] = [(self.name(term),) for term in TERMS]
        return joined(FORMAT, [*(rows[name] for name in SECTIONS[:-1]), self._lists])


def meaning(name: str, vocabulary: Vocabulary) -> tuple[int, Expression | None]:
    """Kind of a name that is no term, and the formula that it stands for."""
    if vocabulary.is_tag(name):
        return _TAG, None
    if name not in vocabulary:
        return _UNKNOWN, None
    return _FORMULA, parse_expression(vocabulary.describe(name).definition)


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


def _number(number: float | None) -> int:
    """Give a number of a phrase; one that is too large stays so."""
    if number is None:
        return NO_BOUND
    return int(max(-LARGEST_NUMBER - 1, min(number, LARGEST_NUMBER + 1)))


def _unusable(phrase: Phrase, expected: str) -> str:
    place = f" ({phrase.where})" if phrase.where.line else ""
    return f"{phrase.kind!r}: expected {expected}{place}"
