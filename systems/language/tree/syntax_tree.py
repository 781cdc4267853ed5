"""What a system's text says, as plain frozen objects: the tree that the parser makes.

Nothing here knows hands or auctions in progress. Suits are still words (``"M"``, ``"their suit"``),
calls still patterns (``2M``, ``nX``, ``cheapest X``); the expansion gives them values at a place.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

SUIT_WORDS: Final = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}
SUIT_OF_SIGN: Final = {"♣": "clubs", "♦": "diamonds", "♥": "hearts", "♠": "spades"}
"""Suit words by the signs that texts may have in their place, in calls too."""
VARIABLES: Final = ("M", "oM", "m", "om", "X", "Y", "Z", "W")
"""Suit variables. M and m are any major and minor, oM and om the other one of the same rank;
X, Y, Z and W are any suits, each different from the others that are bound."""
OTHER: Final = {"M": "oM", "oM": "M", "m": "om", "om": "m"}
"""Variable of the other suit of the same rank."""

ROLES: Final = (
    "their suit", "their suits", "RHO's suit", "LHO's suit", "partner's suit", "my suit",
    "our suit", "trumps", "every unbid suit", "every unbid major", "every unbid minor",
    "an unbid suit", "an unbid major", "an unbid minor", "a suit", "a major", "a minor",
    "every suit", "both majors", "both minors",
)  # fmt: skip
"""Suits named by what they are in the auction. ``every``, ``both`` and plurals mean all of them,
``a`` and ``an`` at least one. ``our suit`` and ``trumps`` are the agreed one, else the last bid."""

Who = Literal["me", "partner", "LHO", "RHO", "we", "they"]


@dataclass(frozen=True, slots=True, order=True)
class Where:
    """A place in a file: its name as written in messages, the line and column from 1."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


NOWHERE: Final = Where("", 0, 0)


@dataclass(frozen=True, slots=True)
class Range:
    """``4`` is 4-4, ``4+`` has no upper bound, ``at most 3`` no lower one (0).

    ``also`` are further values: ``0 or 4 aces`` is ``Range(0, 0, also=(4,))``. Quick tricks and
    playing tricks have halves, which are no ints; all other numbers are.
    """

    low: float = 0
    high: float | None = None
    also: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class CallPattern:
    """A call as a system's text writes it.

    Parameters
    ----------
    kind
        ``bid`` (``2M``, ``1NT``, ``nX``), ``pass``, ``double``, ``redouble``; ``any`` (any call),
        ``any bid``; ``transfer`` (``transfer to 2M``: the bid just below level and strain);
        ``cheapest`` / ``jump`` / ``double jump`` (``cheapest X``: the lowest sufficient level,
        one and two levels above it; the strain may be ``NT``); ``game`` (``game in X``: 3NT, four
        of a major, five of a minor).
    level
        1-7, ``0`` for the level variable ``n`` (any level), None where the kind has no level.
    strain
        ``C D H S NT``, a variable, or a role (``cheapest their suit`` is a cue-bid).
    """

    kind: str
    level: int | None = None
    strain: str | None = None
    where: Where = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Phrase:
    """One test in words, of the bidder's hand or of the auction.

    ``kind`` says which (``phrases.md`` of the documentation lists them all); the other fields are
    its parts, where it has them.
    """

    kind: str
    range: Range | None = None
    suits: tuple[str, ...] = ()
    count: int | None = None
    of: int | None = None
    who: str | None = None
    call: CallPattern | None = None
    text: str = ""
    where: Where = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class AllOf:
    """Conditions joined by commas or ``and``."""

    parts: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Conditions joined by ``or``."""

    parts: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class NotThis:
    """``not`` before a condition."""

    part: "Condition"


Condition = Phrase | AllOf | AnyOf | NotThis


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a line says after the semicolon: no test of the hand.

    ``kind`` is one of AGREEMENTS or ``tag`` (``text`` without the ``#``); ``call`` is there for
    ``puppet to 2S``, ``suit`` for ``agrees M``, ``condition`` for ``shows 4+ hearts``, if it reads
    as one (else ``text`` alone).
    """

    kind: str
    text: str = ""
    call: CallPattern | None = None
    suit: str | None = None
    condition: Condition | None = None
    where: Where = field(default=NOWHERE, compare=False)


AGREEMENTS: Final = (
    "forcing", "forcing to game", "not forcing", "invitational", "sign-off", "limited", "natural",
    "artificial", "alert", "announce", "relay", "transfer", "puppet", "preemptive", "penalty",
    "takeout", "asks", "shows", "denies", "agrees", "tag",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Variant:
    """One ``either`` / ``or`` line: a hand type of the call above."""

    name: str
    condition: Condition | None
    quoted: str = ""
    remark: str = ""
    agreements: tuple[Agreement, ...] = ()
    where: Where = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Line:
    """One call at one place: ``CALL = Name: conditions; agreements  -- remark`` and what is below.

    ``below`` are the lines and blocks that are indented under it: the answers of partner, with
    ``(Double):`` blocks for what the opponents do in between. ``condition`` is None where the
    variants say it, or where nothing is said (any hand).
    """

    call: CallPattern
    name: str = ""
    condition: Condition | None = None
    quoted: str = ""
    agreements: tuple[Agreement, ...] = ()
    variants: tuple[Variant, ...] = ()
    below: "tuple[Line | Block, ...]" = ()
    remark: str = ""
    where: Where = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class AuctionStep:
    """One call of an auction pattern, or ``…`` (any calls, none too).

    ``theirs`` is whether it stands in parentheses. ``calls`` are the alternatives (``1C/1D``).
    """

    calls: tuple[CallPattern, ...] = ()
    theirs: bool = False
    any_calls: bool = False


@dataclass(frozen=True, slots=True)
class Header:
    """What opens a block.

    Parameters
    ----------
    kind
        ``opening`` (nobody has bid; conditions may name seats and vulnerability), ``after`` (also
        written ``over``), ``their call`` (``(Double):`` below a line), ``when``, ``general``
        (behind all other places), ``foremost`` (before all others), ``last resort`` (behind even
        ``general``, and no other line hides its calls).
    auctions
        Of ``after``: alternatives joined by ``or``; of ``their call``: one step each.
    condition
        Facts that must hold: all of ``when``, the qualifiers behind a comma of the others.
    """

    kind: str
    auctions: tuple[tuple[AuctionStep, ...], ...] = ()
    condition: Condition | None = None
    where: Where = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Block:
    """A header and the lines and blocks that are indented under it, in file order."""

    header: Header
    body: "tuple[Line | Block, ...]" = ()
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Define:
    """``define good X = two of the top three in X``: a name for a condition, with its suits."""

    name: str
    suits: tuple[str, ...]
    condition: Condition
    where: Where = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class OptionWords:
    """What players call an option of a text.

    Parameters
    ----------
    title
        The quoted words behind its name, else the name with blanks.
    about
        A line of what it is: the remark behind the title. May be empty.
    within
        Options that its lines stand in, and whether each has to be on for them to count; empty if
        some of its lines stand by themselves.
    where
        Where the text first names it.
    """

    title: str
    about: str = ""
    within: dict[str, bool] = field(default_factory=dict)
    where: Where = NOWHERE


class TreeRows(Protocol):
    """Rows that a tree is cached as; an object is made of its row when it is first asked for."""

    @property
    def key(self) -> str:
        """What tells these rows from those of all other texts."""
        ...

    def part(self, name: str) -> Any:
        """Give what a field of the text holds."""
        ...

    def block_files(self) -> set[str] | None:
        """Give the files that the headers of top-level blocks stand in; None of made blocks."""
        ...

    def line(self, number: int) -> Line | None:
        """Give the line of a row; None where the rows are not there, as of a text just parsed."""
        ...

    def number_of(self, part: object) -> int:
        """Give the number of the row that an object was made of; 0 if it was made of none."""
        ...


@dataclass(frozen=True, slots=True)
class SystemText:
    """A whole system: includes read, options chosen, conventions put in place.

    Parameters
    ----------
    title
        Behind ``system``.
    prose
        The comment page at the top, as written.
    defines
        By name; later ones replace earlier ones.
    blocks
        Top-level blocks in order: the text of an ``include`` stands where the include stood.
    options
        Every option that the text has, and whether it holds: it is on, and those that its lines
        stand in are as these lines want them.
    files
        All files read, in order, with the SHA-256 of their bytes.
    opponents
        File that the opponents play (``opponents play "acol.bidding"``), if the text says so.
    option_words
        What players call each option.
    chosen
        Options that whoever opened the text set.
    rows
        What the tree is cached as. ``defines`` and ``blocks``, which are nearly all of it, are
        made of them when they are first asked for.
    """

    title: str
    prose: str
    defines: dict[str, Define]
    blocks: tuple[Block, ...]
    options: dict[str, bool] = field(default_factory=dict)
    files: tuple[tuple[Path, str], ...] = ()
    opponents: Path | None = None
    option_words: dict[str, OptionWords] = field(default_factory=dict)
    chosen: dict[str, bool] = field(default_factory=dict)
    rows: TreeRows | None = field(default=None, init=False, compare=False, repr=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # asked for what is not there yet
            if name not in MADE_LATER or self.rows is None:
                raise AttributeError(f"{type(self).__name__!r} has no {name!r}")
            found = self.rows.part(name)
            object.__setattr__(self, name, found)
            return found


MADE_LATER: Final = ("defines", "blocks")
"""Fields of a cached text that are made when they are first asked for."""
