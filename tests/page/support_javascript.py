"""The strings of a JavaScript module and where they stand, for tests about what the page says."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

HOLE = "\0"
"""Stands in a template for what is filled in."""


@dataclass
class _Place:
    """What is inside a bracket: argument of a call, value of a property."""

    callee: str = ""
    argument: int = 0
    key: str = ""
    is_call: bool = False


class Literal(NamedTuple):
    """A string or template of a module."""

    text: str
    line: int
    callee: str
    """Function of whose argument it is part."""
    argument: int
    key: str
    """Property of whose value it is part."""
    compared: bool
    """Whether something is only compared with it."""


def literals(source: str) -> list[Literal]:
    """All strings of a module outside comments and regular expressions."""
    return list(_Scanner(source).scan(_Place(), ""))


class _Scanner:
    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def scan(self, outer: _Place, end: str) -> Iterator[Literal]:
        """Strings up to the bracket that closes a template's hole, or to the end of the module."""
        stack = [replace(outer, is_call=False)]
        while self.at < len(self.source):
            sign = self.source[self.at]
            if sign == end and len(stack) == 1:
                break
            before = self.source[max(0, self.at - 80) : self.at]
            two = self.source[self.at : self.at + 2]
            if two in {"//", "/*"}:
                close = "\n" if two == "//" else "*/"
                self.at = self.source.index(close, self.at) + len(close)
            elif sign == "/" and re.search(r"(?:[(,=:\[!&|?{};>\n]|\breturn)\s*$", before):
                form = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\[\n])+/\w*")
                found = form.match(self.source, self.at)
                assert found, self.source[self.at : self.at + 80]
                self.at = found.end()
            elif sign in "\"'`":
                yield from self._string(stack[-1], before, sign)
            else:
                self._step(stack, before, sign)

    def _step(self, stack: list[_Place], before: str, sign: str) -> None:
        if sign in "([{":
            callee = re.search(r"(\w+)\s*$", before) if sign == "(" else None
            stack.append(
                _Place(callee[1], is_call=True) if callee else replace(stack[-1], is_call=False)
            )
        elif sign in ")]}":
            stack.pop()
        elif sign in ",;":
            stack[-1].argument += stack[-1].is_call
            if len(stack) > 1 and not stack[-1].is_call:
                stack[-1].key = stack[-2].key
        elif sign == ":":
            name = re.search(r"[{,]\s*\"?([\w-]+)\"?\s*$", before)
            if name:
                stack[-1].key = name[1]
        self.at += 1

    def _string(self, place: _Place, before: str, quote: str) -> Iterator[Literal]:
        line = self.source.count("\n", 0, self.at) + 1
        text = ""
        self.at += 1
        while self.source[self.at] != quote:
            if quote == "`" and self.source.startswith("${", self.at):
                self.at += 2
                yield from self.scan(place, "}")
                text += HOLE
            else:
                self.at += self.source[self.at] == "\\"
                text += self.source[self.at]
            self.at += 1
        self.at += 1
        compared = re.search(r"[!=]==\s*$", before) is not None
        yield Literal(text, line, place.callee, place.argument, place.key, compared)
