"""From a system to a bidding table, grown where deals go.

A sample of deals is bid from the root on. A place is expanded when a deal reaches it; its entries
become rows of the table, also those that no deal of the sample chose. So the table is as wide as
the bidding is; places outside it are expanded when somebody asks.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import PASS
from bidcascade.kernels import Backend, DealArrays, get_backend
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.plan import expressions_plan
from bidcascade.kernels.types import U64
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.build import TableBuilder
from bidcascade.table.language.expression_tree import Expression, Not, Or, format_expression
from bidcascade.table.language.lowering import to_postfix
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.row import Row

from .describing import agreements_of, description_of
from .expansion import Expander, Place, PlaceEntry, Rules
from .hand_space import bounds
from .system import System

Indices = NDArray[np.int64]
Front = Mapping[tuple[int, ...], Indices]
"""Auctions with the deals of a sample that have come so far."""

DEFAULT_DEALS: Final = 20_000
_AUCTION_LENGTH: Final = 64
"""An expander that forgets by itself must not drop what the next depth needs."""
DEFAULT_SEED: Final = 2026
KEPT_BYTES: Final = 1 << 30
"""Bit columns that a sample remembers at most, apart from those of the depth at work."""
EVALUATED_BYTES: Final = 1 << 28
"""Bit columns that are worked out at once."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a compilation has come.

    Parameters
    ----------
    depth
        Calls of the auctions that are expanded now.
    places, entries
        So far.
    open_places
        Places of this depth.
    """

    depth: int
    places: int
    entries: int
    open_places: int


@dataclass(slots=True)
class Sample:
    """Deals that a system is grown by, dealt by position 0; vulnerabilities at random.

    Examples
    --------
    >>> len(Sample.random(100, seed=1).deals)
    100
    """

    deals: DealArrays
    _columns: dict[tuple[int, Expression], U64] = field(default_factory=dict)

    @classmethod
    def random(cls, count: int, *, seed: int = DEFAULT_SEED) -> "Sample":
        """Deals of a seed; the same for the same seed."""
        vulnerability = np.random.default_rng(seed).integers(0, 4, count, dtype=np.uint8)
        return cls(DealArrays(deal_hands(seed, 0, count), np.zeros(count, np.uint8), vulnerability))

    def evaluate(
        self,
        expressions: Iterable[Expression],
        position: int,
        vocabulary: Vocabulary,
        backend: Backend,
    ) -> None:
        """Work out bit columns of expressions for a position, where they are not known yet.

        What was worked out before is forgotten when it fills KEPT_BYTES.
        """
        size = (len(self.deals) + 63) // 64 * 8
        if len(self._columns) * size > KEPT_BYTES:
            self._columns.clear()
        new = [one for one in dict.fromkeys(expressions) if (position, one) not in self._columns]
        at_once = max(1, EVALUATED_BYTES // (4 * size))
        for start in range(0, len(new), at_once):
            part = new[start : start + at_once]
            plan = expressions_plan(
                [to_postfix(one, vocabulary) for one in part], vocabulary.profile
            )
            words = backend.evaluate(plan, self.deals).words
            for number, one in enumerate(part):
                # a copy: a view would keep the columns of all four seats
                self._columns[position, one] = words[number, position].copy()

    def holding(self, expression: Expression, position: int, deals: Indices) -> NDArray[np.bool_]:
        """Which of some deals hold an evaluated expression at a position."""
        words = self._columns[position, expression]
        picked: U64 = words[deals >> 6] >> (deals & 63).astype(np.uint64)
        return (picked & np.uint64(1)).astype(np.bool_)


class Places(Protocol):
    """Where places come from: an :class:`~.expansion.Expander`, or one behind a lock."""

    @property
    def sides(self) -> tuple[Rules, Rules]:
        """Systems of the dealer's side and of the other one."""
        ...

    def place(self, calls: Sequence[int]) -> Place:
        """Entries after a legal auction that goes on."""
        ...


class Growth:
    """Bids a sample place by place, from the root on or from wherever its deals have come to.

    Parameters
    ----------
    expander
        Systems of both sides.
    sample
        Deals to bid.
    least
        Places that fewer deals reach are not expanded.
    front
        Auctions, none of them over, with the deals (by number) that go on from there; all deals
        from the root on if not given.
    private
        Whether the expander is used by nobody else: then places are forgotten once they are bid,
        which keeps the memory of a long compilation small.
    """

    def __init__(
        self,
        expander: Places,
        sample: Sample,
        *,
        least: int = 1,
        front: Front | None = None,
        progress: Callable[[Progress], None] | None = None,
        backend: Backend | None = None,
        private: bool = False,
    ) -> None:
        self._expander = expander
        self._sample = sample
        self._least = least
        self._front: Front = {(): np.arange(len(sample.deals))} if front is None else front
        self._progress = progress
        self._backend = backend or get_backend("cpu")
        self._private = private
        self.left_open = 0
        """Deals that reached a place which was not expanded."""

    def places(self) -> Iterator[tuple[Place, list[tuple[PlaceEntry | None, Indices]]]]:
        """Give expanded places, shorter auctions first, each with the deals every entry takes.

        The last item of a place has no entry: deals that pass by default.
        """
        waiting: dict[int, dict[tuple[int, ...], list[Indices]]] = {}
        for calls, deals in self._front.items():
            waiting.setdefault(len(calls), {})[calls] = [deals]
        places = entries = 0
        closed: list[tuple[int, ...]] = []
        while waiting:
            depth = min(waiting)
            front = self._wide_enough(waiting.pop(depth))
            if not front:
                continue
            if self._progress is not None:
                self._progress(Progress(depth, places, entries, len(front)))
            opened = [(self._expander.place(calls), deals) for calls, deals in front.items()]
            # the states of this depth are all that the next one needs
            self._forget(closed)
            closed = list(front) if self._private else []
            vocabulary = self._expander.sides[depth % 2].vocabulary
            self._sample.evaluate(
                (one for place, _ in opened for entry in place.entries for one in entry.criteria),
                depth % 4,
                vocabulary,
                self._backend,
            )
            for place, deals in opened:
                taken = list(self._bid(place, deals))
                yield place, taken
                places += 1
                entries += len(place.entries)
                for entry, took in taken:
                    call = PASS if entry is None else entry.call
                    if len(took) and not place.state.auction.add(call).is_complete:
                        below = waiting.setdefault(depth + 1, {})
                        below.setdefault((*place.calls, call), []).append(took)

    def _forget(self, places: Iterable[tuple[int, ...]]) -> None:
        if isinstance(self._expander, Expander):
            for calls in places:
                self._expander.forget(calls)

    def _wide_enough(
        self, found: Mapping[tuple[int, ...], Sequence[Indices]]
    ) -> dict[tuple[int, ...], Indices]:
        """Places that enough deals have reached; the others are left open."""
        front = {}
        for calls, parts in found.items():
            deals = parts[0] if len(parts) == 1 else np.concatenate(parts)
            if len(deals) < self._least:
                self.left_open += len(deals)
            else:
                front[calls] = deals
        return front

    def _bid(self, place: Place, deals: Indices) -> Iterator[tuple[PlaceEntry | None, Indices]]:
        position = place.state.position
        for entry in place.entries:
            chosen = np.arange(len(deals))
            for expression in entry.criteria:
                if not len(chosen):
                    break
                chosen = chosen[self._sample.holding(expression, position, deals[chosen])]
            yield entry, deals[chosen]
            if len(chosen):
                left = np.ones(len(deals), np.bool_)
                left[chosen] = False
                deals = deals[left]
        yield None, deals


def compile_system(
    system: System,
    *,
    deals: int = DEFAULT_DEALS,
    seed: int = DEFAULT_SEED,
    least: int = 1,
    opponents: System | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> BiddingTable:
    """Compile a system to a bidding table that is grown by random deals.

    Parameters
    ----------
    system
        Played by both sides, or by the dealer's where ``opponents`` are given.
    deals, seed
        How many deals it is grown by, and which.
    least
        A place is expanded when at least so many deals reach it.
    progress
        Called before each depth.

    Returns
    -------
    BiddingTable
        With policy ``allow``. Rows carry name, file and line, rank and agreements; where a call
        stands at two places of the order, its later rows exclude what the lines between take, so
        that mode ``first`` makes the call that the system makes.

    Examples
    --------
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... after 1NT:
    ...   3NT = To play: 10+ points
    ... ''')
    >>> table = compile_system(system, deals=500)
    >>> table.find([7, 0, 17]) is not None
    True
    """
    other = opponents or system.opponents
    expander = Expander(system.rules, other.rules, keep=deals * _AUCTION_LENGTH)
    growth = Growth(
        expander, Sample.random(deals, seed=seed), least=least, progress=progress, private=True
    )
    builder = TableBuilder(undescribed="allow", source=source_of(system, opponents, deals, seed))
    for place, _ in growth.places():
        builder.add(rows_of(place, expander.sides[place.state.position % 2].vocabulary))
    table, _ = builder.finish()
    return table


def source_of(system: System, opponents: System | None, deals: int, seed: int) -> str:
    r"""Say what a table was compiled from, for people and digests.

    Examples
    --------
    >>> source_of(System.parse("opening:\n  1C = Any: 0+ points", name="tiny"), None, 10, 1)[:24]
    'system tiny (grown by 10'
    """
    against = f" against {opponents.name}" if opponents else ""
    return f"system {system.name}{against} (grown by {deals} deals, seed {seed}), {digest(system)}"


def digest(system: System) -> str:
    """First 16 hex digits of a SHA-256 over a system's files and options."""
    text = system.text
    parts = [repr(sorted(text.options.items()))]
    parts += [sha for _, sha in text.files]
    if not text.files:
        parts.append(repr(text.blocks))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def rows_of(place: Place, vocabulary: Vocabulary) -> Iterator[Row]:
    r"""Rows of a place in order; a pass by default is written out, so that deals can go on.

    Examples
    --------
    >>> system = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced")
    >>> [(row.call, row.name) for row in rows_of(system.expand(), system.vocabulary)]
    [(7, 'Strong'), (0, 'Pass')]
    """
    prior = bytes(place.calls)
    first_rank: dict[int, int] = {}
    before: list[PlaceEntry] = []
    own = place.state.knowledge[place.state.position].cells
    for number, entry in enumerate(place.entries):
        criteria = entry.criteria
        start = first_rank.setdefault(entry.call, number)
        between = [one for one in before[start:] if one.call != entry.call]
        before.append(entry)
        if any(not one.criteria for one in between):
            continue  # a line for any hand stands before: this one makes no call
        if between:
            criteria = (*criteria, *_excluded(entry, between, own, vocabulary))
        yield Row(
            prior, entry.call, description_of(entry), tuple(map(format_expression, criteria)), None,
            entry.name, number, agreements_of(entry), str(entry.where),
        )  # fmt: skip
    if not any(entry.call == PASS for entry in place.entries):
        yield Row(prior, PASS, "", (), None, "Pass", len(place.entries), (), "")


def _excluded(
    entry: PlaceEntry, between: Sequence[PlaceEntry], own: int, vocabulary: Vocabulary
) -> Iterator[Expression]:
    """Deny the lines between two of one call, which the later one must leave alone."""
    mine = bounds(entry.expression, vocabulary).can & own
    for other in between:
        if bounds(other.expression, vocabulary).can & mine:
            denied = tuple(Not(one) for one in other.criteria)
            yield denied[0] if len(denied) == 1 else Or(denied)
