"""What a script of ``dealer`` says, as a tree: its condition, what is done with each deal, bounds.

A tree shares the parts that the script gave a name.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from bidcascade.bridge import Seat, Vulnerability

NOTRUMP: Final = 4
POINTS: Final = (4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
"""High card points by rank, the ace first."""
COUNTS: Final = (
    (0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
    (0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0),
    (6, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
)
"""The ten other counts: tens, jacks, queens, kings, aces, the top two to five cards, ``c13``."""


class ScriptPosition(NamedTuple):
    """Where something stands in a script; both from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


# --- expressions ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScriptNumber:
    """A number, whole or with a point."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Measure:
    """What is counted in a hand, or in one suit of it (0-3 = clubs to spades).

    ``kind`` is ``length``, ``hcp``, ``losers``, ``controls``, ``quality``, ``cccc``, or ``pt0`` to
    ``pt9``.
    """

    kind: str
    seat: Seat
    suit: int | None = None


@dataclass(frozen=True, slots=True)
class HasCard:
    """Whether a hand holds a card (0-51, the two of clubs first)."""

    seat: Seat
    card: int


class ShapePart(NamedTuple):
    """Lengths of spades, hearts, diamonds and clubs, None for any; taken away or added."""

    lengths: tuple[int | None, ...]
    in_any_order: bool
    is_taken_away: bool


@dataclass(frozen=True, slots=True)
class ShapeOf:
    """Whether a hand has one of some shapes; the parts count in their order."""

    seat: Seat
    parts: tuple[ShapePart, ...]


@dataclass(frozen=True, slots=True)
class Tricks:
    """Tricks that a declarer takes, double dummy; strain 4 is notrump."""

    seat: Seat
    strain: int


@dataclass(frozen=True, slots=True)
class Score:
    """What a contract is worth with so many tricks."""

    vulnerable: bool
    level: int
    strain: int
    tricks: "Node"
    doubled: int = 0


@dataclass(frozen=True, slots=True)
class Imps:
    """A difference of scores as IMPs."""

    points: "Node"


@dataclass(frozen=True, slots=True)
class Random:
    """A random number from 0 to below another; ``number`` tells it from others of the script."""

    below: "Node"
    number: int


@dataclass(frozen=True, slots=True)
class Not:
    """1 for 0, else 0."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class Negative:
    """A number with the other sign."""

    operand: "Node"


@dataclass(frozen=True, slots=True)
class And:
    """1 if no operand is 0."""

    operands: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """1 if some operand is not 0."""

    operands: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Binary:
    """A comparison, which is 0 or 1, or arithmetic as in C."""

    operator: str
    left: "Node"
    right: "Node"
    place: ScriptPosition = field(compare=False)


@dataclass(frozen=True, slots=True)
class Conditional:
    """One number where a condition holds, else another."""

    condition: "Node"
    one: "Node"
    other: "Node"


Node: TypeAlias = (
    ScriptNumber
    | Measure
    | HasCard
    | ShapeOf
    | Tricks
    | Score
    | Imps
    | Random
    | Not
    | Negative
    | And
    | Or
    | Binary
    | Conditional
)

ALWAYS: Final = ScriptNumber(1)


def parts_of(node: Node) -> tuple[Node, ...]:
    """Give the expressions that an expression is made of."""
    match node:
        case Not(one) | Negative(one) | Imps(one) | Random(one, _) | Score(_, _, _, one, _):
            return (one,)
        case And(operands) | Or(operands):
            return operands
        case Binary(_, left, right):
            return left, right
        case Conditional(condition, one, other):
            return condition, one, other
    return ()


def nodes_of(*nodes: Node) -> Iterator[Node]:
    """Give all parts of expressions, each once."""
    seen: set[int] = set()
    left = list(nodes)
    while left:
        node = left.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            left += parts_of(node)


# --- actions --------------------------------------------------------------------------------------


class Print(NamedTuple):
    """Deals one by one; ``form`` is the word for it, such as ``printall``.

    ``value`` stands behind each deal of ``printcompact`` and ``printoneline``.
    """

    form: str
    value: Node | None = None


class PrintHands(NamedTuple):
    """Hands of each seat on a sheet of its own."""

    seats: tuple[Seat, ...]


class PrintValues(NamedTuple):
    """Texts and values of each deal."""

    items: tuple[str | Node, ...]


class Average(NamedTuple):
    """The mean of a value."""

    title: str
    value: Node


class Axis(NamedTuple):
    """Values that are counted, from ``low`` to ``high``; those beyond are counted together."""

    value: Node
    low: int
    high: int


class Frequency(NamedTuple):
    """How often a value comes, or each pair of two."""

    title: str
    axes: tuple[Axis, ...]


class EvaluateContracts(NamedTuple):
    """What every contract of North and of South scores on the average, double dummy."""


class EvaluateContract(NamedTuple):
    """What one contract scores on the average, double dummy, by each of some declarers.

    Without ``vulnerable`` they are what the script says of its deals.
    """

    title: str
    seats: tuple[Seat, ...]
    level: int
    strain: int
    doubled: int
    vulnerable: bool | None


Action: TypeAlias = (
    Print | PrintHands | PrintValues | Average | Frequency | EvaluateContracts | EvaluateContract
)


def nodes_of_action(action: Action) -> tuple[Node, ...]:
    """Give the expressions of an action."""
    match action:
        case Print(_, value):
            return () if value is None else (value,)
        case PrintValues(items):
            return tuple(one for one in items if not isinstance(one, str))
        case Average(_, value):
            return (value,)
        case Frequency(_, axes):
            return tuple(one.value for one in axes)
    return ()


# --- the script -----------------------------------------------------------------------------------


class Share(NamedTuple):
    """So many per cent of the deals are of a kind that the script gave a name."""

    percent: float
    name: str


@dataclass(frozen=True)
class Script:
    """A script as it was read.

    Attributes
    ----------
    condition
        What deals must meet.
    actions
        What is done with them.
    produce, generate
        How many deals are wanted and looked at, as far as the script says so.
    dealer, vulnerability
        Of all deals, as far as the script says so.
    cards
        Masks of the cards that are dealt before, by seat.
    lengths
        Lengths of clubs, diamonds, hearts and spades that are dealt before, by seat.
    points, counts
        What cards count, the ace first.
    names
        Expressions that were given a name.
    shares
        Kinds of deals and how many per cent are of each, from comments ``# share 40 game``.
    remarks
        The lines of comment that it begins with.
    """

    condition: Node = ALWAYS
    actions: tuple[Action, ...] = (Print("printall"),)
    produce: int | None = None
    generate: int | None = None
    dealer: Seat | None = None
    vulnerability: Vulnerability | None = None
    cards: tuple[int, ...] = (0, 0, 0, 0)
    lengths: tuple[tuple[int | None, ...], ...] = ((None,) * 4,) * 4
    points: tuple[int | float, ...] = POINTS
    counts: tuple[tuple[int | float, ...], ...] = COUNTS
    names: Mapping[str, Node] = field(default_factory=dict)
    shares: tuple[Share, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def prints(self) -> bool:
        """Whether deals are printed one by one; else they are only counted."""
        counted = Average | Frequency
        return any(not isinstance(one, counted) for one in self.actions)

    @property
    def needs_solver(self) -> bool:
        """Whether some value is double dummy."""
        if any(isinstance(one, EvaluateContracts | EvaluateContract) for one in self.actions):
            return True
        nodes = [self.condition, *(node for one in self.actions for node in nodes_of_action(one))]
        return any(isinstance(one, Tricks) for one in nodes_of(*nodes))
