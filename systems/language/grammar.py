"""Reads one logical line by the tables of ``bidding.lark``, which :mod:`.lark_parser` makes."""

import re
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import Final, cast

from bidcascade.table.language.lalr import Parser, UnexpectedInput

from .statements import Fault, Parsed, ParsedCondition, Statement
from .syntax_tree import Condition
from .tree_builder import TreeBuilder
from .wrong_words import explain


@cache
def builder() -> TreeBuilder:
    """Return the one tree builder; it notes what is wrong while :func:`parse_statement` runs."""
    return TreeBuilder()


@cache
def parser() -> Parser:
    """Return the parser; its tables are read once."""
    return Parser.of_file(Path(__file__).with_name("bidding.json"), builder())


DEEPEST_NESTING: Final = 40
"""Parentheses and ``not`` that a line may have."""

_NESTING: Final = re.compile(r"\(|\bnot\b")
_LOCK: Final = Lock()


def _read(text: str, start: str) -> tuple[object, tuple[Fault, ...], UnexpectedInput | None]:
    """Parse a text; the builder's faults are those of this text alone, so one at a time."""
    for nested, match in enumerate(_NESTING.finditer(text), 1):
        if nested > DEEPEST_NESTING:
            message = f'a line has at most {DEEPEST_NESTING} parentheses and "not"'
            return None, (Fault(match.start(), message, "use define or either/or lines"),), None
    with _LOCK:
        building = builder()
        building.faults = []
        try:
            found = parser().parse(text, start=start)
            return found, tuple(building.faults), None
        except UnexpectedInput as error:
            return None, tuple(building.faults), error


def _reads(text: str) -> bool:
    found, faults, error = _read(text, "conditions")
    return error is None and not faults and found is not None


@lru_cache(maxsize=1 << 14)
def parse_statement(text: str) -> Parsed:
    """Read one logical line."""
    found, faults, error = _read(text, "statement")
    if error is not None:
        return Parsed(None, (*faults, explain(text, error, _reads)))
    return Parsed(cast(Statement | None, found), faults)


@lru_cache(maxsize=1 << 14)
def parse_conditions(text: str) -> ParsedCondition:
    """Read conditions alone, as they stand behind a name."""
    found, faults, error = _read(text, "conditions")
    if error is not None:
        return ParsedCondition(None, (*faults, explain(text, error, _reads)))
    if found is None:
        return ParsedCondition(None, faults)
    return ParsedCondition(cast("tuple[Condition | None, str]", found)[0], faults)
