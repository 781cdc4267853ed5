"""An LALR(1) parser with a contextual lexer over tables that :mod:`.grammar_tables` writes.

To load tables takes a hundredth of the time of making them of a grammar. What it reads, and where
it stops, is what lark does; a lexer looks only for words that can stand in their place.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

_Match = Callable[[str, int], "re.Match[str] | None"]
_Build = Callable[[list[Any]], Any]


class Token(str):
    """A word of a text.

    Parameters
    ----------
    type
        Name of its terminal.
    text
        Its letters.
    start
        Where it begins.

    Examples
    --------
    >>> word = Token("SUIT", "hearts", 4)
    >>> word, word.type, word.start
    ('hearts', 'SUIT', 4)
    """

    __slots__ = ("start", "type")
    type: str
    start: int

    def __new__(cls, type: str, text: str, start: int) -> "Token":  # noqa: D102
        token = super().__new__(cls, text)
        token.type = type
        token.start = start
        return token


class UnexpectedInput(Exception):
    """A text that does not read.

    Parameters
    ----------
    position
        Where it stops; None where the text ends too early.
    expected
        Terminals that could stand there.
    token
        The word that stands there; None where none begins.
    """

    def __init__(
        self, position: int | None, expected: Iterable[str], token: Token | None = None
    ) -> None:
        super().__init__(position, expected, token)
        self.position = position
        self.expected = frozenset(expected)
        self.token = token


class _Rule(NamedTuple):
    """What is reduced: a symbol, made of so many parts."""

    symbol: int
    size: int
    build: _Build | None
    """Makes the value of the parts; None if the one part is the value."""


class _State:
    __slots__ = ("before", "lexer", "next", "rule")

    def __init__(self) -> None:
        self.next: dict[int, _State] = {}
        self.rule = _Rule(0, 0, None)
        self.before: frozenset[int] = frozenset()
        """Terminals before which the rule is reduced."""
        self.lexer: _Lexer | None = None


class _Lexer:
    """Reads the terminals of one place: of those that fit, the first in the grammar's order."""

    def __init__(self, parser: "Parser", numbers: Iterable[int]) -> None:
        there = set(numbers)
        self.keywords: dict[int, dict[str, int]] = {}
        for number, words in parser.keywords.items():
            here = {text: word for text, word in words.items() if word in there}
            if number in there and here:
                self.keywords[number] = here
        read = {word for words in self.keywords.values() for word in words.values()}
        self.numbers = sorted(there - read)
        self._parser = parser
        self._beginning: dict[str, list[tuple[int, _Match]]] = {}

    def read(self, text: str, index: int) -> tuple[int, int] | None:
        """Find the terminal that begins at an index: its number, and where it ends."""
        letter = text[index]
        beginning = self._beginning.get(letter)
        if beginning is None:
            beginning = self._beginning[letter] = self._parser.beginning(letter, self.numbers)
        for number, match in beginning:
            found = match(text, index)
            if found is not None:
                if number in self.keywords:
                    number = self.keywords[number].get(found[0], number)
                return number, found.end()
        return None


class Parser:
    """Parser of one grammar.

    Parameters
    ----------
    tables
        As :func:`.grammar_tables.tables_of` makes them.
    builder
        Has a method for each rule.
    """

    def __init__(self, tables: Mapping[str, Any], builder: object) -> None:
        self.names = [name for name, *_ in tables["terminals"]]
        self._patterns = [pattern for _, pattern, _ in tables["terminals"]]
        self._first = [frozenset(letters) for *_, letters in tables["terminals"]]
        self._matches: dict[int, _Match] = {}
        self._end = len(self.names) - 1
        self._ignored = frozenset(tables["ignored"])
        numbers = {name: number for number, name in enumerate(self.names)}
        self.keywords = {
            numbers[name]: {text: numbers[word] for text, word in words.items()}
            for name, words in tables["keywords"].items()
        }
        rules = [_rule(row, tables["layouts"], builder) for row in tables["rules"]]
        sets = [frozenset(one) for one in tables["sets"]]
        states = [_State() for _ in tables["states"]]
        for state, (shifts, *reduced) in zip(states, tables["states"], strict=True):
            state.next = {
                symbol: states[number]
                for symbol, number in zip(shifts[::2], shifts[1::2], strict=True)
            }
            if reduced:
                state.rule, state.before = rules[reduced[0]], sets[reduced[1]]
        self._starts = {
            name: (states[first], states[last]) for name, (first, last) in tables["starts"].items()
        }
        self._lexers: dict[tuple[int, ...], _Lexer] = {}

    @classmethod
    def of_file(cls, path: Path, builder: object) -> "Parser":
        """Parser of the tables in a file."""
        return cls(json.loads(path.read_bytes()), builder)

    def parse(self, text: str, start: str = "start") -> Any:
        """Read a text: what the builder makes of it.

        Raises
        ------
        UnexpectedInput
            If it does not read.
        """
        state, last = self._starts[start]
        states, names, ignored = [state], self.names, self._ignored
        values: list[Any] = []
        index, length = 0, len(text)
        while index < length:
            found = (state.lexer or self._lexer_of(state)).read(text, index)
            if found is None:
                raise self._no_word(text, index, states, last)
            number, end = found
            if number in ignored:
                index = end
                continue
            token = Token(names[number], text[index:end], index)
            while number in state.before:
                state = _reduced(state.rule, states, values)
            following = state.next.get(number)
            if following is None:
                raise self._unexpected(token, _terminals(state, self._end), states, last)
            state = following
            states.append(state)
            values.append(token)
            index = end
        while self._end in state.before:
            state = _reduced(state.rule, states, values)
            if state is last:
                return values[0]
        end_of_text = Token(names[self._end], "", length)
        raise self._unexpected(end_of_text, _terminals(state, self._end), states, last)

    def following(self, text: str, start: str = "start") -> frozenset[str]:
        """Terminals that may come behind the beginning of a text; none where it does not read."""
        first, last = self._starts[start]
        states, index = [first], 0
        while index < len(text):
            found = (states[-1].lexer or self._lexer_of(states[-1])).read(text, index)
            if found is None:
                return frozenset()
            number, index = found
            if number in self._ignored:
                continue
            while number in states[-1].before:
                _left(states)
            following = states[-1].next.get(number)
            if following is None:
                return frozenset()
            states.append(following)
        return frozenset(
            self.names[number]
            for number in _terminals(states[-1], self._end)
            if self._goes_on(number, states.copy(), last)
        )

    def beginning(self, letter: str, numbers: Iterable[int]) -> list[tuple[int, _Match]]:
        """Of some terminals those that may begin with a letter."""
        return [
            (number, self._match(number))
            for number in numbers
            if letter in self._first[number] or not " " <= letter <= "~"
        ]

    def _match(self, number: int) -> _Match:
        # one by one when needed: all of a place as one pattern take ten times as long to compile
        found = self._matches.get(number)
        if found is None:
            found = self._matches[number] = re.compile(self._patterns[number]).match
        return found

    def _lexer_of(self, state: _State) -> _Lexer:
        state.lexer = self._lexer(_terminals(state, self._end))
        return state.lexer

    def _lexer(self, terminals: Iterable[int]) -> _Lexer:
        numbers = tuple(sorted({*terminals, *self._ignored} - {self._end}))
        if numbers not in self._lexers:
            self._lexers[numbers] = _Lexer(self, numbers)
        return self._lexers[numbers]

    # --- what does not read -----------------------------------------------------------------------

    def _no_word(
        self, text: str, index: int, states: list[_State], last: _State
    ) -> UnexpectedInput:
        lexer = states[-1].lexer
        assert lexer is not None
        allowed = [number for number in lexer.numbers if number not in self._ignored]
        # a word that could stand elsewhere
        other = self._lexer(range(self._end)).read(text, index)
        if other is None:
            return UnexpectedInput(index, map(self.names.__getitem__, allowed))
        token = Token(self.names[other[0]], text[index : other[1]], index)
        return self._unexpected(token, allowed, states, last)

    def _unexpected(
        self, token: Token, expected: Iterable[int], states: list[_State], last: _State
    ) -> UnexpectedInput:
        # what truly goes on from here: the table alone allows some words a step longer
        accepted = [
            number
            for number in _terminals(states[-1], self._end)
            if self._goes_on(number, states.copy(), last)
        ]
        position = None if token.type == self.names[self._end] else token.start
        names = map(self.names.__getitem__, accepted or expected)
        return UnexpectedInput(position, names, token)

    def _goes_on(self, number: int, states: list[_State], last: _State) -> bool:
        while number in states[-1].before:
            _left(states)
            if number == self._end and states[-1] is last:
                return True
        return number in states[-1].next


def _reduced(rule: _Rule, states: list[_State], values: list[Any]) -> _State:
    """Reduce by a rule; the state behind it."""
    symbol, size, build = rule
    if size == 1:
        if build is not None:
            values[-1] = build(values[-1:])
        state = states[-1] = states[-2].next[symbol]
        return state
    if build is not None:
        values[-size:] = (build(values[-size:]),)
    del states[-size:]
    state = states[-1].next[symbol]
    states.append(state)
    return state


def _left(states: list[_State]) -> None:
    """Reduce by the rule of the last state, without values."""
    rule = states[-1].rule
    del states[-rule.size :]
    states.append(states[-1].next[rule.symbol])


def _terminals(state: _State, end: int) -> list[int]:
    return [number for number in (*state.next, *state.before) if number <= end]


def _rule(row: list[Any], layouts: list[list[Any]], builder: object) -> _Rule:
    symbol, size, name, *more = row
    layout = layouts[more[0]] if more else None
    is_single = len(more) == 2
    if is_single and size == 1 and layout == [0]:
        return _Rule(symbol, size, None)
    method = None
    if name:
        # where a single part always takes its place there is no method
        method = getattr(builder, name, None) if is_single else getattr(builder, name)
    return _Rule(symbol, size, _build_of(method, layout, is_single=is_single))


def _build_of(
    method: Callable[..., Any] | None, layout: list[Any] | None, *, is_single: bool
) -> _Build:
    """Arrange the parts as a layout says, and call the method with them."""
    if layout is None:
        return _itself if method is None else lambda parts: method(*parts)
    spread = any(isinstance(part, list) for part in layout)

    def arranged(parts: list[Any]) -> list[Any]:
        if not spread:
            return [None if part is None else parts[part] for part in layout]
        given: list[Any] = []
        for part in layout:
            if isinstance(part, list):
                given += parts[part[0]]
            else:
                given.append(None if part is None else parts[part])
        return given

    def single(parts: list[Any]) -> Any:
        given = arranged(parts)
        return given[0] if method is None or len(given) == 1 else method(*given)

    if is_single:
        return single
    return arranged if method is None else lambda parts: method(*arranged(parts))


def _itself(parts: list[Any]) -> list[Any]:
    return parts
