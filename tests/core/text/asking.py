"""What the definition asks of a place, as the rows of questions that the core asks.

A scope for the definition's :func:`bidcascade.systems.reference.conditions.lower` that puts each
question as a row, so that both can be compared question by question.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final

import numpy as np

from bidcascade.bridge import InvalidSystem
from bidcascade.kernels.core import rows
from bidcascade.systems.language.auctions.patterns import (
    Bindings,
    letter_of,
    match_call,
    variables_of,
)
from bidcascade.systems.language.tree.syntax_tree import CallPattern, Define, Phrase, Range
from bidcascade.systems.language.words.phrases import KINDS
from bidcascade.systems.places.places import Rules
from bidcascade.systems.places.state import WHO
from bidcascade.systems.rows.structure_rows import StructureRows
from bidcascade.systems.rows.text_rows import TextRows

_STRAINS: Final = "CDHSN"
TAGS: dict[str, int] = {}
"""Numbers of tags, those of all texts of a test run."""
Ask = Callable[[int], int]
"""What a place answers to a question by number."""


@cache
def number_tags(rules: Rules) -> None:
    """Give the tags of a text their numbers."""
    StructureRows(rules, TextRows(rules, TAGS))


class Asking:
    """Scope of the definition's ``lower`` that puts its questions to a place, and notes them."""

    __slots__ = ("_ask", "_extra", "_program", "bindings")

    def __init__(
        self,
        program: Any,
        bindings: Bindings,
        extra: Mapping[str, tuple[str, ...]],
        ask: Ask,
    ) -> None:
        self._program = program
        self.bindings = bindings
        self._extra = extra
        self._ask = ask

    def _operand(self, word: str) -> int:
        """Packed suits of a word, or ``-1 - role``."""
        letters = self._extra.get(word)
        if letters is None:
            letter = letter_of(word, self.bindings)
            letters = None if letter is None else (letter,)
        if letters is None:
            letters = _STATIC.get(word)
        if letters is not None:
            return packed(letters)
        role = _ROLES.get(word)
        if role is None:
            raise InvalidSystem(f"expected a suit or a variable that a call binds, got {word!r}")
        return -1 - role

    def _strain(self, word: str) -> int:
        """Operand of a call's strain: what a line binds comes before a definition's suits."""
        letter = letter_of(word, self.bindings)
        return self._operand(word) if letter is None else packed(letter)

    def suits(self, word: str) -> tuple[str, ...]:
        operand = self._operand(word)
        if operand >= 0:
            return unpacked(operand)
        return unpacked(
            self._ask(
                self._program.question(
                    ("suits", operand), lambda: _row("suits", number=-1 - operand)
                )
            )
        )

    def shown(self, who: str, term: str) -> tuple[int, int]:
        def asked(row: Any) -> int:
            return self._ask(self._program.question(("shown", who, term), lambda: row))

        return shown_by(asked, _who(who), rows.TERMS.index(term))

    def fact(self, phrase: Phrase) -> bool:
        operands = tuple(0 if _is_notrump(word) else self._operand(word) for word in phrase.suits)
        operand = 0
        if phrase.kind == "available" and phrase.call is not None and phrase.call.strain:
            operand = self._strain(phrase.call.strain)
        bound = self._program.bindings_of(self._bound(phrase))
        key = ("fact", self._program.phrase_number(phrase), bound, operands, operand)

        def row() -> Any:
            return fact_row(phrase, self.bindings, operands, operand)

        return bool(self._ask(self._program.question(key, row)))

    def _bound(self, phrase: Phrase) -> Bindings:
        """Bindings that a phrase depends on: its variables, or all if one of them is free."""
        names = variables_of(phrase)
        if not names:
            return {}
        if any(name != "n" and letter_of(name, self.bindings) is None for name in names):
            return self.bindings
        pairs = {name: self.bindings.get(name) or letter_of(name, self.bindings) for name in names}
        return {name: value for name, value in pairs.items() if value is not None}

    def bid(self, call: CallPattern) -> tuple[int, str] | None:
        if call.strain is None:
            return None
        operand = self._strain(call.strain)
        level = int(self.bindings.get("n", 0)) if call.level == 0 else call.level or 0
        if call.level == 0 and not level and call.kind in ("bid", "transfer"):
            return None
        kind = call.kind if call.kind in rows.BID_KINDS else "bid"

        def row() -> Any:
            return _row(
                "level of bid", number=rows.BID_KINDS.index(kind), suits=(operand, 0), count=level
            )

        found = self._ask(self._program.question(("bid", kind, level, operand), row))
        return (found >> 3, _STRAINS[(found & 7) - 1]) if found else None

    def last_bid(self) -> int:
        """Code of the last bid, 0 before."""
        return self._ask(self._program.question(("last bid",), lambda: _row("last bid's code")))

    def define(self, name: str) -> Define | None:
        return self._program.rules.defines.get(name)

    def with_suits(self, bound: Mapping[str, tuple[str, ...]]) -> "Asking":
        return Asking(self._program, self.bindings, {**self._extra, **bound}, self._ask)


# --- questions as rows --------------------------------------------------------------------------


def shown_by(answer: Callable[[Any], int], who: int, term: int) -> tuple[int, int]:
    """Bounds that somebody has shown, of one answer: low << 16 | high & 0xFFFF.

    The definition asks for both, the core for one of them, or for a sum of several.
    """
    found = answer(_row("shown", who=who, number=term))
    low, high = found >> 16, found & 0xFFFF
    return low, high - (high >> 15 << 16)


_STATIC: Final[dict[str, tuple[str, ...]]] = {
    "a suit": tuple("CDHS"), "every suit": tuple("CDHS"), "a major": ("H", "S"),
    "both majors": ("H", "S"), "a minor": ("C", "D"), "both minors": ("C", "D"),
}  # fmt: skip
_ROLES: Final = {name: number for number, name in enumerate(rows.ROLES)} | {
    "their suit": 0, "trumps": 5, "every unbid suit": 6, "an unbid suit": 6,
    "every unbid major": 7, "an unbid major": 7, "every unbid minor": 8, "an unbid minor": 8,
}  # fmt: skip
_EVERY_CALL: Final = (1 << rows.CALLS) - 1
_EVERY_BID: Final = _EVERY_CALL & ~7
_JUMPS: Final = {"jump": 1, "double jump": 2}


def packed(letters: Iterable[str]) -> int:
    """Suits as the kernels pack them."""
    return sum((_STRAINS.index(one) + 1) << 3 * place for place, one in enumerate(letters))


def unpacked(suits: int) -> tuple[str, ...]:
    """Letters of packed suits."""
    found = []
    while suits:
        found.append(_STRAINS[(suits & 7) - 1])
        suits >>= 3
    return tuple(found)


def _is_notrump(word: str) -> bool:
    return word in ("NT", "notrump")


def _who(word: str | None) -> int:
    """Bits of positions relative to the player to call; all of them for nobody in particular."""
    return 15 if word is None else sum(1 << step for step in WHO[word])


def _row(kind: str, **fields: Any) -> Any:
    row = np.zeros((), rows.QUESTION)
    row["kind"] = rows.KINDS.index(kind)
    for name, value in fields.items():
        row[name] = value
    return row


def _bounds(wanted: Range | None) -> dict[str, int]:
    wanted = wanted or Range()
    return {
        "low": wanted.low,
        "high": rows.WIDEST if wanted.high is None else wanted.high,
        "also": sum(1 << value for value in set(wanted.also)),
    }


def fact_row(phrase: Phrase, bindings: Bindings, operands: tuple[int, ...], operand: int) -> Any:
    """Row of a fact; what each kind asks is defined in :mod:`bidcascade.systems.reference.facts`.

    Parameters
    ----------
    phrase
        Of a kind in the definition's ``FACTS``.
    bindings
        For call patterns within it.
    operands
        Packed suits or ``-1 - role`` of its suit words.
    operand
        The same of the strain of its call, where the kind asks for that.

    Raises
    ------
    InvalidSystem
        If the kernels cannot put the question.
    """
    kind, text = phrase.kind, phrase.text
    calls = _EVERY_CALL
    if phrase.call is not None:
        calls = sum(
            1 << code
            for code in range(rows.CALLS)
            if match_call(phrase.call, code, bindings) is not None
        )
    suits = (*operands, 0, 0)[:2]
    match kind:
        case "passed hand":
            return _row(kind, who=_who(phrase.who or "me"))
        case "opened":
            return _row(kind, who=_who(phrase.who or "we"), calls=calls)
        case "only passed":
            return _row(kind, who=_who(phrase.who or "partner"))
        case "bid" | "not bid":
            who, negated = _who(phrase.who or "we"), kind == "not bid"
            if phrase.call is None and phrase.suits:
                named = tuple(
                    rows.NOTRUMP if _is_notrump(word) else one
                    for word, one in zip(phrase.suits, operands, strict=True)
                )
                _one_suit(phrase)
                return _row("named", who=who, suits=(named[0], 0), negated=negated)
            bid = calls if phrase.call is not None else _EVERY_BID
            return _row("made", who=who, calls=bid, negated=negated)
        case "last call":
            return _last_call_row(phrase, calls)
        case "has called":
            tag = TAGS.get(text.removeprefix("#"), -1)
            return _row(kind, who=_who(phrase.who or "partner"), number=tag)
        case "unbid" | "fourth suit":
            _one_suit(phrase)
            return _row(kind, suits=suits)
        case "fit":
            return _row(kind, suits=suits, count=phrase.count or 8)
        case "contested" | "uncontested":
            return _row("contested", negated=kind == "uncontested")
        case "level" | "seat":
            return _row(kind, **_bounds(phrase.range))
        case "last bid":
            name = text.removeprefix("#")
            return _row(
                kind,
                who=_who(phrase.who),
                calls=calls,
                count=bool(name),
                number=TAGS.get(name, -1),
            )
        case "has shown" | "may have":
            who, bounds = _who(phrase.who or "partner"), _bounds(phrase.range)
            term = KINDS[text or "points"].term.rstrip("_")
            if phrase.suits:
                _one_suit(phrase)
                number = rows.TERMS.index(f"{term}_C")
                return _row(kind, who=who, suits=suits, count=1, number=number, **bounds)
            return _row(kind, who=who, number=rows.TERMS.index(term), **bounds)
        case "ranks above" | "same suit":
            return _row(kind, suits=suits)
        case "available":
            call = phrase.call
            if call is None or call.strain is None:
                return _row(kind)
            bounds = _bounds(phrase.range or Range(0, call.level))
            return _row(kind, suits=(operand, 0), number=_JUMPS.get(call.kind, 0), **bounds)
        case "nth call":
            return _row(kind, count=phrase.count)
        case _:
            return _row(kind)


def _one_suit(phrase: Phrase) -> None:
    if len(phrase.suits) != 1:
        raise InvalidSystem(f"{phrase.kind!r}: expected one suit, got {phrase.suits!r}")


def _last_call_row(phrase: Phrase, calls: int) -> Any:
    who, text = _who(phrase.who or "partner"), phrase.text
    if phrase.call is not None:
        return _row("last call", who=who, calls=calls)
    if text in ("pass", "double", "redouble"):
        return _row("last call", who=who, calls=1 << ("pass", "double", "redouble").index(text))
    if text.startswith("#"):
        return _row("last call's tag", who=who, number=TAGS.get(text[1:], -1))
    if text in rows.WORDS:
        return _row("last call in words", who=who, number=rows.WORDS.index(text))
    names = ("forcing", "forcing to game") if text == "forcing" else (text,)
    kinds = sum(
        1 << rows.AGREEMENT_KINDS.index(name) for name in names if name in rows.AGREEMENT_KINDS
    )
    return _row("last call's kinds", who=who, number=kinds)
