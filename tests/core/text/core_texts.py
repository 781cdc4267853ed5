"""A text's rows in the core, and the definition that asks the same arrays."""

import ctypes
from collections.abc import Callable, Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from bidcascade.bridge import InvalidSystem
from bidcascade.kernels.core import rows as arrays
from bidcascade.systems.language.auctions.patterns import Bindings, pattern_calls
from bidcascade.systems.language.tree.syntax_tree import (
    VARIABLES,
    CallPattern,
    Condition,
    Define,
    SystemText,
)
from bidcascade.systems.places.places import Rules
from bidcascade.systems.reference.conditions import DOUBLING_PAYS, PAYS, lower
from bidcascade.systems.rows.expression_rows import expression_of
from bidcascade.systems.rows.text_rows import TextRows
from bidcascade.table.language.expression_tree import Expression
from tests.core.probes import build_probe
from tests.core.text.asking import TAGS, Asking, shown_by

NAMES = (*VARIABLES, "n")
STRAINS = "CDHSN"

AnswerTo = Callable[[Any], int]
"""Answer to a question's row."""
_LHO, _PARTNER, _RHO = 2, 4, 8
_DOUBLED = 2
_ASK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)


class _Asker(ctypes.Structure):
    _fields_ = (("ask", _ASK), ("context", ctypes.c_void_p))


class Failure(ctypes.Structure):
    """Why a condition means nothing."""

    _fields_ = (("reason", ctypes.c_int32), ("phrase", ctypes.c_int32), ("word", ctypes.c_int32))


@cache
def probe() -> ctypes.CDLL:
    """The core's functions for texts."""
    library = build_probe("conditions")
    library.open_text.restype = ctypes.c_void_p
    library.expression_words.restype = ctypes.POINTER(ctypes.c_int32)
    assert library.question_size() == arrays.QUESTION.itemsize
    return library


def pointer(array: Any) -> ctypes.c_void_p:
    """Address of an array."""
    return ctypes.c_void_p(array.ctypes.data)


def packed(bindings: Bindings) -> int:
    """Bindings as the core has them."""
    return sum(
        (int(value) if name == "n" else STRAINS.index(value) + 1) << 3 * NAMES.index(name)
        for name, value in bindings.items()
    )


def unpacked(code: int) -> dict[str, str]:
    """Bindings as the definition has them."""
    found = {}
    for place, name in enumerate(NAMES):
        value = code >> 3 * place & 7
        if value:
            found[name] = str(value) if name == "n" else STRAINS[value - 1]
    return found


def text_of(defines: Mapping[str, Define]) -> Rules:
    """Rules of a text that has nothing but definitions."""
    return Rules(SystemText("Test", "", dict(defines), ()))


class CoreText:
    """A text that the core has read."""

    def __init__(self, rows: TextRows) -> None:
        self.rows = rows
        words = rows.words()
        self._text = ctypes.c_void_p(probe().open_text(pointer(words), ctypes.c_uint64(len(words))))
        assert self._text.value, "the core refuses the rows of a text"

    def __enter__(self) -> "CoreText":
        return self

    def __exit__(self, *error: object) -> None:
        probe().close_text(self._text)

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the probe."""
        return getattr(probe(), name)(self._text, *arguments)

    def lower(self, condition: int, bindings: Bindings, answer: AnswerTo) -> int:
        """Number of the expression that a condition becomes; InvalidSystem as the core says."""
        failure = Failure()
        asker = _Asker(_ASK(_asked(answer)), None)
        found = self.call("lower", condition, packed(bindings), asker, ctypes.byref(failure))
        if found < 0:
            raise self.rows.error(failure.reason, failure.phrase, failure.word)
        return int(found)

    def pattern_calls(
        self, pattern: int, bindings: Bindings, answer: AnswerTo
    ) -> list[tuple[int, Bindings]]:
        """Calls of a pattern with their bindings."""
        failure, found = Failure(), np.zeros((38, 2), np.int32)
        asker = _Asker(_ASK(_asked(answer)), None)
        count = self.call(
            "calls_of_pattern",
            pattern,
            packed(bindings),
            asker,
            pointer(found),
            ctypes.byref(failure),
        )
        if count < 0:
            raise self.rows.error(failure.reason, failure.phrase, failure.word)
        return [(call, unpacked(code)) for call, code in found[:count].tolist()]

    def expression(self, number: int) -> Expression:
        """Expression by its number in the core."""
        words = self.call("expression_words", number)[: self.call("expression_length", number)]
        return expression_of(words[0], words[1:], self.rows.names, self.expression)

    def term_bounds(self, number: int, *, promised: bool) -> Any:
        """Bounds that an expression puts on terms, int16 [TERMS, 2]."""
        found = np.zeros((len(arrays.TERMS), 2), np.int16)
        self.call("bounds_of", number, int(promised), pointer(found))
        return found


def _asked(answer: AnswerTo) -> Callable[[Any, int], int]:
    def asked(_: Any, row: int) -> int:
        whole = ctypes.string_at(row, arrays.QUESTION.itemsize)
        question = np.frombuffer(whole, arrays.QUESTION)[0]
        match arrays.KINDS[question["kind"]]:
            case "shown":
                return shown_by(answer, int(question["who"]), int(question["number"]))[
                    question["count"]
                ]
            case "weighed":
                return _weighed(answer, int(question["count"]), int(question["number"]))
            case _:
                return answer(question)

    return asked


def _weighed(answer: AnswerTo, venture: int, suit: int) -> int:
    """Sum that the core asks for at once, of the bounds that the definition asks for."""
    points = {who: shown_by(answer, who, 0) for who in (_PARTNER, _LHO, _RHO)}
    low, high = points.pop(_PARTNER)
    if venture < _DOUBLED:
        over = (PAYS.part_score, PAYS.game)[venture]
        return (
            PAYS.partners_trump * shown_by(answer, _PARTNER, suit)[0]
            + PAYS.partners_point * min(high, low + PAYS.widest)
            + over.their_point * sum(least for least, _ in points.values())
        )
    table = DOUBLING_PAYS
    trumps = sum(shown_by(answer, who, suit)[0] for who in points)
    return (
        table.partners_least * low
        + table.partners_most * min(high, table.highest)
        + table.their_most * sum(min(most, table.highest) for _, most in points.values())
        + table.their_trump * max(trumps, table.fewest_trumps)
    )


class Noted:
    """Answers that are given once for each row of a question, and the rows in their order."""

    def __init__(self, answer: AnswerTo) -> None:
        self._answer = answer
        self.asked: dict[bytes, int] = {}

    def __call__(self, row: Any) -> int:
        key = row.tobytes()
        if key not in self.asked:
            self.asked[key] = self._answer(row)
        return self.asked[key]


class Definition:
    """Conditions and patterns lowered by the definition, with the questions of a program."""

    def __init__(self, defines: Mapping[str, Define]) -> None:
        self.rules = SimpleNamespace(defines=defines)
        self._rows: list[Any] = []
        self._numbers: dict[Any, int] = {}
        self._phrases: dict[Any, int] = {}

    def question(self, key: Any, make: Callable[[], Any]) -> int:
        if key not in self._numbers:
            self._rows.append(make())
            self._numbers[key] = len(self._rows) - 1
        return self._numbers[key]

    def phrase_number(self, phrase: Any) -> int:
        return self._phrases.setdefault(phrase, len(self._phrases))

    def bindings_of(self, bindings: Bindings) -> int:
        return packed(bindings)

    def _asking(self, bindings: Bindings, answer: AnswerTo) -> Any:
        return Asking(self, bindings, {}, lambda number: answer(self._rows[number]))

    def lower(self, condition: Condition, bindings: Bindings, answer: AnswerTo) -> Expression:
        return lower(condition, self._asking(bindings, answer))

    def pattern_calls(
        self, pattern: CallPattern, bindings: Bindings, answer: AnswerTo
    ) -> list[tuple[int, Bindings]]:
        scope = self._asking(bindings, answer)
        found = pattern_calls(pattern, bindings, scope.last_bid(), scope.suits)
        return [(call, dict(bound)) for call, bound in found]


def outcome(work: Callable[[], Any]) -> Any:
    """What something gives, or the words of its error."""
    try:
        return work()
    except InvalidSystem as error:
        return f"InvalidSystem: {error}"


def answer_by(draw: Callable[[int, int], int]) -> AnswerTo:
    """Answers that could be a place's, from numbers that are drawn between bounds."""

    def answer(row: Any) -> int:
        match arrays.KINDS[row["kind"]]:
            case "suits":
                some = [suit for suit in (1, 2, 3, 4) if draw(0, 1)]
                return sum(suit << 3 * place for place, suit in enumerate(some))
            case "shown":
                low = draw(-2, 14)
                high = max(low, draw(0, 37))
                return low << 16 | high & 0xFFFF
            case "level of bid":
                return 0 if draw(0, 4) == 0 else 8 * draw(1, 7) + draw(1, 5)
            case "last bid's code":
                return 0 if draw(0, 4) == 0 else draw(3, 37)
            case _:
                return draw(0, 1)

    return answer


def tags() -> dict[str, int]:
    """Numbers that this process has for tags."""
    return TAGS
