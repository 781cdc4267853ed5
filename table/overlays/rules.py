"""Rules of an overlay as plain frozen objects, and the overlay itself."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from .place_pattern import PlacePattern

RuleKind: TypeAlias = Literal["add", "replace", "remove"]
RULE_KINDS: Final[tuple[RuleKind, ...]] = ("add", "replace", "remove")

COLUMNS: Final = (
    "rule",
    "at",
    "name",
    "description",
    "criteria",
    "expressions",
    "rank",
    "tags",
    "comment",
)
"""Keys of a rule in JSON Lines, columns in CSV; ``rule`` and ``at`` must be there."""

LABELS: Final = ("name", "description", "criteria", "rank", "tags")
"""What an entry can be given."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. What is None was not written.

    Parameters
    ----------
    kind : {"add", "replace", "remove"}
    at : PlacePattern
        The entries (for an entry to be added: the call behind its prior auction).
    line : int
        In the overlay's file, from 1.
    expressions : tuple of str, optional
        Canonical texts that are added to, or taken from, the criteria of entries.
    name, description, criteria, rank, tags
        Of an entry that is added or replaced.
    """

    kind: RuleKind
    at: PlacePattern
    line: int
    expressions: tuple[str, ...] | None = None
    name: str | None = None
    description: str | None = None
    criteria: tuple[str, ...] | None = None
    rank: int | None = None
    tags: tuple[str, ...] | None = None

    @property
    def adds_entry(self) -> bool:
        """Whether it adds an entry, not expressions."""
        return self.kind == "add" and self.expressions is None

    def __str__(self) -> str:
        what = f" {', '.join(self.expressions)}" if self.expressions else ""
        return f"{self.kind} {self.at.text}{what}"


@dataclass(frozen=True, slots=True)
class OverlayMark:
    """Name and SHA-256 of an overlay's file, as answers state them."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """A file of rules."""

    mark: OverlayMark
    rules: tuple[Rule, ...]
