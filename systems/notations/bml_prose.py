"""What a row of notes says in prose, as a line: a name, conditions, agreements, a remark."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

from bidcascade.kernels.machine.caches import bounded_cache
from bidcascade.systems.language.grammar.grammar import parse_conditions, parse_statement
from bidcascade.systems.language.reader import built_in_defines
from bidcascade.systems.language.tree.joining import phrases_of
from bidcascade.systems.language.tree.syntax_tree import Line
from bidcascade.systems.language.words.rewordings import agreement_of, reworded

SUITS: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
_SIGN: Final = re.compile(r" ?!([cdhs])\b", re.IGNORECASE)
_DASHES: Final = re.compile(r"(?<=\d) ?(?:--|–|—) ?(?=\d)")
_LETTERED: Final = re.compile(r"[a-z]\)\s+(.*)")
_ABOUT: Final = re.compile(r"\b(?:about|ca\.?|circa|approximately|roughly) (?=\d)", re.IGNORECASE)
_TRANSFER: Final = re.compile(r"\btransfer\b", re.IGNORECASE)
_ABOVE: Final = {"clubs": "diamonds", "diamonds": "hearts", "hearts": "spades"}
_ANY_MAJOR: Final = re.compile(r"\b(\d+\+?)(?:-card)? major\b")
_RANGE_ALONE: Final = re.compile(r"\d{1,2}(?:\+| ?- ?\d{1,2})?")
_PIECES: Final = re.compile(r"\s*(?:[,;]|\.(?=\s|$))\s*")
_IN_BRACKETS: Final = re.compile(r"([^()]+?)\s*\(([^()]+)\)")
_WITH: Final = re.compile(r"(.+?) with (.+)")
_NAMED: Final = re.compile(r"([A-Z][^:;,.\d=\"{}]+):\s+(.*)")
_NAME: Final = re.compile(r"[A-Z][A-Za-z][^\d:;,.=\"{}#]*")
_STRENGTH: Final = re.compile(r"(?:Very )?(?:Weak|Strong|Minimum|Maximum|Intermediate)", re.ASCII)
"""Names that mean something only beside points."""
_POINTS: Final = re.compile(r"\b(?:points?|hcp)\b")
_ASKING: Final = re.compile(r"^(?:asks?|asking) (for .+)")
_REMARK: Final = re.compile(r"[^\d\"{}#;:=]+")
_OWN_SUIT: Final = re.compile(r"\b(\d+\+?|\d+-\d+)(?:[- ]card)? suit\b")
_OF_HANDS: Final = re.compile(
    r"\b(?:suits?|majors?|minors?|clubs?|diamonds?|hearts?|spades?|(?:un)?bal\w*|hcp|points?|card\w*"
    r"|shape\w*|dist\w*|long\w*|short\w*|void|singleton|stop\w*|values?|weak\w*|strong\w*|min\w*"
    r"|max\w*|good|bad|or|if|unless|except|usually|normally|often|not|no|without|any|two|three|four"
    r"|five|six|seven|AKQ|AK|KQ)\b",
    re.IGNORECASE,
)
"""Words that ask something of a hand: what has one and does not read is no mere remark."""


@dataclass(frozen=True, slots=True)
class ReadProse:
    """A description as it stands behind the equals sign of a line, with hand types below it.

    ``words`` is None where something in it was not understood, and ``reason`` says what.
    """

    words: str | None
    types: tuple[str, ...] = ()
    reason: str = ""


def read_prose(lines: Sequence[str], suit: str, names: Set[str] = frozenset()) -> ReadProse:
    """Read a description.

    Parameters
    ----------
    lines
        As they stand in the row, its first line first.
    suit
        Of the row's bid, as conditions call it, or ``NT``; empty for what is no bid.
    names
        Conditions that the notes define.

    Examples
    --------
    >>> read_prose(["Natural. 11--15 hcp, 5+ suit"], "M").words
    '11-15 hcp, 5+ M; natural'
    >>> read_prose(["One of", "a) 12--14 bal", "b) 15+ hcp and 5+!c"], "clubs").types
    ('either 12-14 points, balanced', 'or 15+ hcp and 5+ clubs')
    >>> read_prose(["5+!c, suggestion to play"], "").words
    '5+ clubs, "suggestion to play"'
    >>> read_prose(["Stayman"], "").reason
    'no condition was read'
    """
    types = [_LETTERED.fullmatch(one) for one in lines[1:]]
    if types and all(types):
        head = clean(lines[0]).rstrip(":,.")
        parsed = parse_statement(f"1C = {head}")
        own = None if parsed.faults else parsed.statement
        name = head if isinstance(own, Line) else ""
        if isinstance(own, Line) and own.condition is not None:
            return ReadProse(None, reason="its hand types stand beside conditions")
        parts = [_Read(clean(one[1]), suit, names).said() for one in types if one is not None]
        for part in parts:
            if part.words is None:
                return part
        if len(parts) > 1:
            words = ["either", *["or"] * (len(parts) - 1)]
            told = tuple(f"{word} {one.words}" for word, one in zip(words, parts, strict=True))
            return ReadProse(name or f'"{head}"' if head else "", told)
    return _Read(clean(" ".join(lines)), suit, names).said()


def clean(text: str) -> str:
    """Write suits and ranges as the language does.

    Examples
    --------
    >>> clean("5+!c, 12--14 hcp")
    '5+ clubs, 12-14 hcp'
    """
    text = _SIGN.sub(lambda found: f" {SUITS[found[1].upper()]}", text)
    text = _ABOUT.sub("", _DASHES.sub("-", text.replace("\u00a0", " ")))
    return " ".join(text.split())


class _Read:
    """Reads a description piece by piece."""

    def __init__(self, text: str, suit: str, names: Set[str]) -> None:
        self._text = text
        # a transfer speaks of the suit that it shows
        shows_above = suit in _ABOVE and _TRANSFER.search(text)
        self._suit = _ABOVE[suit] if shows_above else suit if suit != "NT" else ""
        if suit == "NT" and _RANGE_ALONE.fullmatch(text):
            # a range of notrump is one of balanced hands
            self._text = f"{text} points, balanced"
        elif shows_above and self._suit in ("hearts", "spades"):
            self._text = _ANY_MAJOR.sub(rf"\1 {self._suit}", text)
        self._names = names | built_in_defines().keys()
        self._name = ""
        self._conditions: list[str] = []
        self._agreements: list[str] = []
        self._remarks: list[str] = []

    def said(self) -> ReadProse:
        if not self._text:
            return ReadProse(None, reason="nothing is said of it")
        if self._reads_as_it_is():
            return ReadProse(self._text)
        text = self._text
        named = _NAMED.fullmatch(text)
        if named is not None:
            self._name, text = named[1].strip(), named[2]
        for piece in filter(None, _PIECES.split(text)):
            extra = _IN_BRACKETS.fullmatch(piece) or _WITH.fullmatch(piece)
            if not self._take(piece) and not (
                extra and self._take(extra[1]) and self._take(extra[2])
            ):
                return ReadProse(None, reason=f'"{piece}" was not read')
        if _STRENGTH.fullmatch(self._name) and not _POINTS.search(" ".join(self._conditions)):
            return ReadProse(None, reason=f'"{self._name}" was not read')
        if not self._conditions:
            return ReadProse(None, reason="no condition was read")
        words = ", ".join([*self._conditions, *(f'"{one}"' for one in self._remarks)])
        words = f"{self._name}: {words}" if self._name else words
        if self._agreements:
            words += f"; {', '.join(self._agreements)}"
        return (
            ReadProse(words)
            if self._is_line(words)
            else ReadProse(None, reason="it is no line together")
        )

    def _take(self, piece: str) -> bool:
        """Take a piece as a condition, an agreement, the name or a remark."""
        if self._suit:
            piece = _OWN_SUIT.sub(rf"\1 {self._suit}", piece)
        # conditions begin with a small letter, names with a capital
        small = f"{piece[:1].lower()}{piece[1:]}"
        for written in (piece, small, reworded(small, self._is_condition)):
            if written is not None and self._is_condition(written):
                self._conditions.append(written)
                return True
        low = _ASKING.sub(r"asks \1", piece.lower())
        for agreed in (low, agreement_of(low, _is_agreement)):
            if agreed is not None and _is_agreement(agreed):
                self._agreements.append(agreed)
                return True
        if not self._name and not self._conditions and _NAME.fullmatch(piece):
            if _OF_HANDS.search(piece) and not _STRENGTH.fullmatch(piece):
                return False
            self._name = piece.strip()
            return True
        if _REMARK.fullmatch(piece) and not _OF_HANDS.search(piece):
            self._remarks.append(piece)
            return True
        return False

    def _is_condition(self, text: str) -> bool:
        return _is_condition(text, frozenset(self._names))

    def _reads_as_it_is(self) -> bool:
        return self._is_line(self._text)

    def _is_line(self, words: str) -> bool:
        parsed = parse_statement(f"1C = {words}")
        line = parsed.statement
        if parsed.faults or not isinstance(line, Line) or line.condition is None:
            return False
        return all(
            one.text in self._names for one in phrases_of(line.condition) if one.kind == "named"
        )


@bounded_cache(1 << 12)
def _is_condition(text: str, names: frozenset[str]) -> bool:
    parsed = parse_conditions(text)
    if parsed.faults or parsed.condition is None:
        return False
    return all(one.text in names for one in phrases_of(parsed.condition) if one.kind == "named")


def _is_agreement(text: str) -> bool:
    parsed = parse_statement(f"1C = 1+ points; {text}")
    line = parsed.statement
    if parsed.faults or not isinstance(line, Line):
        return False
    # free words behind "shows" may be conditions: those are read as such, or not at all
    return all(one.kind not in ("shows", "denies", "tag") for one in line.agreements)
