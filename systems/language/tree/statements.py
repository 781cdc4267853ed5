"""One logical line as a statement: what the tree builder makes of what ``bidding.lark`` reads.

Places in a statement are relative: column from 0 in the logical line, line 0. The reader moves them
to where the line stands in its file (``reading/placing.py``).
"""

from dataclasses import dataclass, field

from .syntax_tree import Condition, Define, Header, Line, Variant, Where


@dataclass(frozen=True, slots=True)
class HeaderStatement:
    """``after 1NT:``; ``over`` is kept for the check that it begins with their call."""

    header: Header
    remark: str = ""
    word: str = ""


@dataclass(frozen=True, slots=True)
class SystemStatement:
    """``system TITLE``."""

    title: str


@dataclass(frozen=True, slots=True)
class IncludeStatement:
    """``include "file"``."""

    file: str
    where: Where


@dataclass(frozen=True, slots=True)
class OpponentsStatement:
    """``opponents play "file"``."""

    file: str
    where: Where


@dataclass(frozen=True, slots=True)
class Parameter:
    """A convention's parameter, with a value where one is said."""

    name: str
    value: str | None
    where: Where


@dataclass(frozen=True, slots=True)
class ConventionStatement:
    """``convention stayman(opening 1NT, game 10):``; its body stands below."""

    name: str
    parameters: tuple[Parameter, ...]
    where: Where


@dataclass(frozen=True, slots=True)
class UseStatement:
    """``use stayman(game 11)``."""

    name: str
    parameters: tuple[Parameter, ...]
    where: Where


@dataclass(frozen=True, slots=True)
class OptionStatement:
    """``option weak-notrump "Weak notrump", on:  -- 12 to 14 points``.

    ``default`` is None where neither on nor off is said; ``title`` and ``remark`` may be empty.
    """

    name: str
    default: bool | None
    without: bool
    where: Where
    title: str = ""
    remark: str = ""


Statement = (
    Line
    | Variant
    | Define
    | HeaderStatement
    | SystemStatement
    | IncludeStatement
    | OpponentsStatement
    | ConventionStatement
    | UseStatement
    | OptionStatement
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in a line, before it is known where the line stands."""

    position: int
    message: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A logical line that was read: its statement, unless it does not parse, and what is wrong."""

    statement: Statement | None
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedCondition:
    """A condition that was read on its own."""

    condition: Condition | None
    faults: tuple[Fault, ...] = ()


@dataclass(slots=True)
class Item:
    """A statement with what is indented under it, convention bodies not yet put in place."""

    statement: Statement
    where: Where
    below: "list[Item]" = field(default_factory=list)
    had_below: bool = False
    """Whether lines stand below in the text, those included that do not parse."""
