"""What an auction has shown and agreed, read call by call.

The entries of a place give the next call its meaning, the meaning gives the next state. Where
entries come from is left open: :class:`CoreReader` has them from the core,
:class:`~.reference.place_entries.Expander` from the definition.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

from bidcascade.bridge import PASS, Seat, Vulnerability, is_vulnerable
from bidcascade.kernels import Context
from bidcascade.kernels.machine.caches import LruCache
from bidcascade.kernels.packing.intervals import Ends, both, spanned
from bidcascade.systems.language.auctions.patterns import Bindings
from bidcascade.systems.language.tree.syntax_tree import Agreement, Condition
from bidcascade.systems.places.places import CONTEXT_TERMS, Place, PlaceEntry, Rules
from bidcascade.systems.places.state import Alternative, Knowledge, LineUse, Meaning, State
from bidcascade.table.language.expression_tree import (
    And,
    Comparison,
    Expression,
    Not,
    Number,
    Or,
    TermName,
)

if TYPE_CHECKING:
    from .bidder import Bidder

Cached = TypeVar("Cached")


class AuctionReader(ABC):
    """Places and states of two systems against each other; several threads may ask.

    Parameters
    ----------
    dealer_side, other_side
        Systems of the players at positions 0 and 2, and at 1 and 3.
    most_cached
        States and places that are remembered at most.
    """

    def __init__(self, dealer_side: Rules, other_side: Rules, *, most_cached: int) -> None:
        self.sides = (dealer_side, other_side)
        self._lock = threading.RLock()
        self._most_cached = most_cached
        self._at: dict[int, AuctionReader] = {}
        self._states = LruCache[tuple[int, ...], State](most_cached)
        self._places = LruCache[tuple[int, ...], Place](most_cached)

    @abstractmethod
    def _place(self, calls: tuple[int, ...]) -> Place:
        """Entries after a legal auction that goes on."""

    @abstractmethod
    def lowered(self, condition: Condition, calls: Sequence[int], bindings: Bindings) -> Expression:
        """Find what a condition becomes behind calls, of the text of the player to call.

        Raises
        ------
        InvalidSystem
            If it asks for what does not exist there.
        """

    def at(self, dealer: Seat, vulnerability: Vulnerability) -> "AuctionReader":
        """Reader of the same places by what calls mean where this side deals, so vulnerable.

        Lines that hold at another vulnerability alone say nothing there.
        """
        first = int(is_vulnerable(vulnerability, dealer))
        other = int(is_vulnerable(vulnerability, Seat((dealer + 1) % 4)))
        key = first + 2 * other
        if key not in self._at:
            self._at[key] = _ReaderAt(self, (first, other), most_cached=self._most_cached)
        return self._at[key]

    def _context(self, depth: int) -> int | None:
        """Seat and vulnerability of the player to call, None for any."""
        return None

    def state(self, calls: Sequence[int]) -> State:
        """State after a legal auction."""
        calls = tuple(calls)
        # one after the other: a state asks for the one before it
        for length in range(0, len(calls), 64):
            self._cached(self._states, calls[:length], self._state)
        return self._cached(self._states, calls, self._state)

    def place(self, calls: Sequence[int]) -> Place:
        """Entries after a legal auction that goes on."""
        return self._cached(self._places, tuple(calls), self._place)

    def _cached(
        self,
        cache: LruCache[tuple[int, ...], Cached],
        calls: tuple[int, ...],
        work_out: Callable[[tuple[int, ...]], Cached],
    ) -> Cached:
        with self._lock:
            found = cache.find(calls)
            if found is None:
                found = work_out(calls)
                cache.store(calls, found)
            return found

    def _state(self, calls: tuple[int, ...]) -> State:
        if not calls:
            return State()
        before = self.state(calls[:-1])
        return before.after(*self.meaning(before, self.place(calls[:-1]).entries, calls[-1]))

    def meaning(
        self, state: State, entries: Sequence[PlaceEntry], call: int
    ) -> tuple[Meaning, Knowledge]:
        """Meaning of a call at a place, and what the caller has then shown altogether."""
        before = state.knowledge[state.position]
        possible = before.cells
        taken = 0  # hands that an earlier line certainly takes
        alternatives: list[Alternative] = []
        uses: list[LineUse] = []
        agreements: list[Agreement] = []
        terms: list[dict[str, Ends]] = []
        shown = loose = 0
        context = self._context(len(state.calls))
        # behind the last entry of the call nothing is taken from it
        last = max((number for number, one in enumerate(entries) if one.call == call), default=None)
        for entry in entries if last is None else entries[: last + 1]:
            reach = entry.constraint.reach_at(context)
            if entry.call != call:
                taken |= reach.must
                continue
            cells = reach.can & possible & ~taken
            loose |= reach.can
            if not uses or uses[-1].place != entry.place:
                uses.append(LineUse(entry.place, entry.line, entry.bindings))
            agreements += [item for item in entry.agreements if item not in agreements]
            terms.append(_narrowed(term_bounds(entry.expression), self._promise(entry, state)))
            if cells:
                shown |= cells
                alternatives.append(
                    Alternative(
                        entry.name, entry.kind, entry.where, cells, entry.expression, context
                    )
                )
        if not uses:
            # a pass by default denies every line; of another unknown call nothing is known
            left = possible & ~taken if call == PASS else possible
            return Meaning(call, known=call == PASS), Knowledge(left or possible, before.terms)
        if not shown:
            # nobody who keeps to the system makes this call: take it at face value
            shown = loose & possible or loose or possible
        return (
            Meaning(call, tuple(uses), tuple(agreements), tuple(alternatives)),
            Knowledge(shown, _narrowed(before.terms, _hull_of(terms))),
        )

    def _promise(self, entry: PlaceEntry, state: State) -> dict[str, Ends]:
        """Bounds that ``shows 12+ points`` puts on terms, whatever the hand needs for the call."""
        # a hand of ten points that opens by the rule of 20 is worth what it promises: partner adds
        # his points to twelve
        found: dict[str, Ends] = {}
        for agreement in entry.agreements:
            if agreement.kind == "shows" and agreement.condition is not None:
                shown = self.lowered(agreement.condition, state.calls, entry.bindings)
                found = _narrowed(found, term_bounds(shown, promised=True))
        return found


class CoreReader(AuctionReader):
    """Reads auctions by the entries that the core finds.

    Parameters
    ----------
    bidder
        Places of the two systems.
    most_cached
        States and places that are remembered at most; both of an auction take some 30 kB.
    """

    def __init__(self, bidder: "Bidder", *, most_cached: int = 128) -> None:
        super().__init__(*(side.rules for side in bidder.sides), most_cached=most_cached)
        self._bidder = bidder
        # the bidder's own, so that nobody waits for the one and holds the other
        self._lock = bidder.lock

    def _place(self, calls: tuple[int, ...]) -> Place:
        return self._bidder.place(calls)

    def lowered(self, condition: Condition, calls: Sequence[int], bindings: Bindings) -> Expression:
        """Ask the core."""
        return self._bidder.lowered(condition, calls, bindings)


class _ReaderAt(AuctionReader):
    """Reads the auctions of another reader at one vulnerability, by side of the dealer first."""

    def __init__(
        self, reader: AuctionReader, vulnerable: tuple[int, int], *, most_cached: int
    ) -> None:
        super().__init__(*reader.sides, most_cached=most_cached)
        self._reader, self._vulnerable = reader, vulnerable
        self._lock = reader._lock

    def _context(self, depth: int) -> int:
        side = depth % 2
        return Context(depth % 4 + 1, self._vulnerable[side], self._vulnerable[1 - side]).number

    def _place(self, calls: tuple[int, ...]) -> Place:
        place, context = self._reader.place(calls), self._context(len(calls))
        held = tuple(one for one in place.entries if one.constraint.reach_at(context).can)
        return replace(place, entries=held)

    def lowered(self, condition: Condition, calls: Sequence[int], bindings: Bindings) -> Expression:
        return self._reader.lowered(condition, calls, bindings)


_HIGH: Final = 127
_IN_CELLS: Final = frozenset({"HCP", "SL_C", "SL_D", "SL_H", "SL_S", "Balanced"})


def term_bounds(expression: Expression, *, promised: bool = False) -> dict[str, Ends]:
    """Bounds that an expression puts on single terms, those in cells only if promised."""
    bound: Ends | None
    match expression:
        case And(operands):
            found: dict[str, Ends] = {}
            for operand in operands:
                found = _narrowed(found, term_bounds(operand, promised=promised))
            return found
        case Or(operands):
            return _hull_of([term_bounds(operand, promised=promised) for operand in operands])
        case TermName(name):
            bound = (1, _HIGH)
        case Not(TermName(name)):
            bound = (0, 0)
        case Comparison(TermName(name), ((sign, Number(halves)),)):
            value = halves // 2
            bound = {
                ">=": (value, _HIGH), ">": (value + 1, _HIGH), "<=": (0, value),
                "<": (0, value - 1), "==": (value, value),
            }.get(sign)  # fmt: skip
        case _:
            return {}
    is_tracked = name not in CONTEXT_TERMS and (promised or name not in _IN_CELLS)
    return {name: bound} if bound is not None and is_tracked else {}


def _narrowed(first: Mapping[str, Ends], second: Mapping[str, Ends]) -> dict[str, Ends]:
    """Both bounds hold; where they exclude each other the later one counts."""
    found = dict(first)
    for name, later in second.items():
        low, high = both(found.get(name, later), later)
        found[name] = (low, high) if low <= high else later
    return found


def _hull_of(alternatives: Sequence[Mapping[str, Ends]]) -> dict[str, Ends]:
    """Bounds that hold whichever alternative it is."""
    return {
        name: spanned(one[name] for one in alternatives)
        for name in (alternatives[0] if alternatives else ())
        if all(name in one for one in alternatives)
    }
