"""Reads one logical line by the tables of ``bidding.lark``, which :mod:`.lark_parser` makes."""

import re
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final, cast

from bidcascade.kernels.machine.caches import bounded_cache
from bidcascade.systems.language.tree.joining import phrases_of
from bidcascade.systems.language.tree.statements import Fault, Parsed, ParsedCondition, Statement
from bidcascade.systems.language.tree.syntax_tree import Condition
from bidcascade.table.language.lalr import Parser, UnexpectedInput

from .suggestions import explain
from .tree_builder import TreeBuilder

_MOST_LINES: Final = 1 << 13
"""Lines kept as they were read: the systems that come with the package have 4,200 together."""
_MOST_CONDITIONS: Final = 1 << 10


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


def names_in(text: str, start: str) -> frozenset[str] | None:
    """Names in a text that reads; None if it does not."""
    found, faults, error = _read(text, start)
    if error is not None or faults or found is None:
        return None
    condition = cast("tuple[Condition | None, str]", found)[0] if start == "conditions" else None
    return frozenset(part.text for part in phrases_of(condition) if part.kind == "named")


def following(text: str) -> frozenset[str]:
    """Terminals that may come behind the beginning of a line; none where it does not read.

    Examples
    --------
    >>> sorted(following("use stayman"))
    ['$END', 'LPAR', 'REMARK']
    """
    with _LOCK:
        return parser().following(text, "statement")


@bounded_cache(_MOST_LINES)
def parse_statement(text: str) -> Parsed:
    """Read one logical line."""
    found, faults, error = _read(text, "statement")
    if error is not None:
        return Parsed(None, (*faults, explain(text, error, names_in)))
    return Parsed(cast(Statement | None, found), faults)


@bounded_cache(_MOST_CONDITIONS)
def parse_conditions(text: str) -> ParsedCondition:
    """Read conditions alone, as they stand behind a name."""
    found, faults, error = _read(text, "conditions")
    if error is not None:
        return ParsedCondition(None, (*faults, explain(text, error, names_in)))
    if found is None:
        return ParsedCondition(None, faults)
    return ParsedCondition(cast("tuple[Condition | None, str]", found)[0], faults)
