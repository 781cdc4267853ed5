"""Conditions in which a reader loses the thread: too long, or of too many alternatives."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from bidcascade.systems.language.tree.syntax_tree import (
    AllOf,
    AnyOf,
    Block,
    Condition,
    Define,
    Line,
    NotThis,
    Phrase,
    SystemText,
    Where,
)
from bidcascade.systems.language.words.wording import condition_text

LONGEST_CONDITION: Final = 160
"""Characters that a condition may have."""
MOST_ORS: Final = 2
"""How often it may say ``or``."""


class LongCondition(NamedTuple):
    """A condition that is better said in parts.

    Parameters
    ----------
    where : Where
        Of its line, header or definition.
    name : str
        Of the line or the hand type, of what is defined; ``header`` of a header.
    characters : int
        Written with single blanks; names that it uses are not written out.
    ors : int
    """

    where: Where
    name: str
    characters: int
    ors: int

    def __str__(self) -> str:
        """Say where it is, how long, and what may be done."""
        ors = f', {self.ors} "or"' if self.ors else ""
        return (
            f"{self.where} {self.name}: a condition of {self.characters} characters{ors} "
            "(define a name for a part of it, or split it into either/or lines or nested headers)"
        )


def long_conditions(text: SystemText) -> list[LongCondition]:
    """Find conditions of more than 160 characters, or with three ``or``, by file and line.

    A definition may be a list: each of its alternatives, or of the parts that its commas join, is
    taken by itself.

    Examples
    --------
    >>> from bidcascade.systems.language.reader import read_text
    >>> line = "2C = Any: 5+ clubs or 5+ diamonds or 5+ hearts or 5+ spades"
    >>> text = read_text("opening:" + chr(10) + f"  {line}", "mine.bidding")
    >>> [(str(one.where), one.name, one.characters, one.ors) for one in long_conditions(text)]
    [('mine.bidding:2', 'Any', 49, 3)]
    """
    asked = (*_of_body(text.blocks), *chain.from_iterable(map(parts_of, text.defines.values())))
    found = (long_condition(*one) for one in asked)
    return sorted({one for one in found if one is not None})


Asked = tuple[Condition | None, Where, str]


def long_condition(condition: Condition | None, where: Where, name: str) -> LongCondition | None:
    """Tell whether a condition is too long, or has too many alternatives; None if it has not.

    Examples
    --------
    >>> from bidcascade.systems.language.reader import parse_condition
    >>> from bidcascade.systems.language.tree.syntax_tree import NOWHERE
    >>> long_condition(parse_condition("5+ clubs or 5+ hearts, 8+ points"), NOWHERE, "Two")
    """
    if condition is None:
        return None
    characters, ors = len(condition_text(condition)), _count_ors(condition)
    is_long = characters > LONGEST_CONDITION or ors > MOST_ORS
    return LongCondition(where, name, characters, ors) if is_long else None


def parts_of(define: Define) -> list[Asked]:
    """Take the alternatives of a definition, or the parts that its commas join, one by one."""
    condition = define.condition
    parts = condition.parts if isinstance(condition, AllOf | AnyOf) else (condition,)
    return [(part, define.where, define.name) for part in parts]


def _of_body(body: "Iterable[Line | Block]") -> Iterator[Asked]:
    for one in body:
        if isinstance(one, Block):
            yield one.header.condition, one.header.where, "header"
            yield from _of_body(one.body)
            continue
        yield one.condition, one.where, one.name or "a line without a name"
        for variant in one.variants:
            yield variant.condition, variant.where, variant.name or one.name
        yield from _of_body(one.below)


def _count_ors(condition: Condition) -> int:
    if isinstance(condition, Phrase):
        return 0
    if isinstance(condition, NotThis):
        return _count_ors(condition.part)
    own = len(condition.parts) - 1 if isinstance(condition, AnyOf) else 0
    return own + sum(map(_count_ors, condition.parts))
