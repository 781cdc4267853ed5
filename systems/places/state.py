"""What is known at a place of an auction: who has shown what, and what is agreed.

A :class:`State` belongs to an auction, not to hands: it is what all four players may know who
know both sides' systems. It is built call by call and never changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple, TypeVar

from bidcascade.bridge import DOUBLE, FIRST_BID, PASS, Auction, bid_level
from bidcascade.kernels.packing.intervals import Ends, both
from bidcascade.systems.language.auctions.patterns import (
    Bindings,
    cheapest_level,
    game_level,
    letter_of,
    strain_of,
)
from bidcascade.systems.language.tree.syntax_tree import Agreement, Line, Where
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.language.vocabulary import Vocabulary

from .knowledge import EVERYTHING, Hull, hull, term_range

Item = TypeVar("Item")
_SUITS: Final = "CDHS"
_VOCABULARY: Final = Vocabulary()
WHO: Final[dict[str, tuple[int, ...]]] = {
    "me": (0,),
    "I": (0,),
    "LHO": (1,),
    "partner": (2,),
    "RHO": (3,),
    "we": (0, 2),
    "they": (1, 3),
}
"""Positions that words for players mean, seen from the player to call."""
NATURAL_LENGTH: Final = 4
"""Cards of a suit that a player must have shown for it to count as shown without being named."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What one hand has shown: possible cells, and bounds of terms such as ``Aces`` beyond them."""

    cells: int = field(default=EVERYTHING, repr=False)
    terms: Mapping[str, Ends] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Alternative:
    """One hand type of a call: a variant of a line, with the hands that it leaves possible.

    ``name`` is that of the call, ``kind`` that of the variant; ``expression`` is all that the hand
    must meet.
    """

    name: str
    kind: str
    where: Where
    cells: int = field(repr=False)
    expression: Expression = field(repr=False)
    context: int | None = None
    """Seat and vulnerability that it was read for (:attr:`.Context.number`), if it was for one."""


class LineUse(NamedTuple):
    """A line that makes a call.

    Parameters
    ----------
    place
        Number of the line at its place, among :attr:`.Places.lines`.
    line
        As the text has it.
    bindings
        Of its variables.
    """

    place: int
    line: Line
    bindings: Bindings


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a call meant where it was made: agreements and hand types of its lines."""

    call: int
    uses: tuple[LineUse, ...] = ()
    """Lines that make the call there; empty for a call of which the
    system knows nothing, and for a pass by default."""
    agreements: tuple[Agreement, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    known: bool = True
    """Whether the system has a line for the call (a pass by default counts as known)."""

    def has_agreement(self, *kinds: str) -> bool:
        """Whether an agreement of one of these kinds was made: ``forcing``, ``artificial`` …."""
        return any(agreement.kind in kinds for agreement in self.agreements)

    @property
    def is_artificial(self) -> bool:
        """Whether the call says nothing about the strain it names."""
        return self.has_agreement("artificial", "relay", "transfer", "puppet")

    @property
    def tags(self) -> frozenset[str]:
        """Tags of its lines, without ``#``."""
        return frozenset(a.text for a in self.agreements if a.kind == "tag")


@dataclass(frozen=True)
class State:
    """Everything that is known before a call, by position or by side (position mod 2)."""

    auction: Auction = field(default_factory=Auction)
    """Calls so far, as if North had dealt; position p is the player p places behind the dealer."""
    knowledge: tuple[Knowledge, ...] = (Knowledge(),) * 4
    meanings: tuple[Meaning, ...] = ()
    call_kinds: tuple[frozenset[str], ...] = ()
    """Of each call, the words of :func:`describe_call`."""
    suits: tuple[str, ...] = ("",) * 4
    """Suits that each player has named or otherwise shown, in order."""
    agreed: tuple[str | None, ...] = (None, None)
    """The suit that a side agreed last."""
    game_forced: tuple[bool, ...] = (False, False)

    @property
    def calls(self) -> tuple[int, ...]:
        """Call codes so far."""
        return self.auction.calls

    @cached_property
    def position(self) -> int:
        """Position of the player to call, 0 the dealer."""
        return len(self.auction.calls) % 4

    @cached_property
    def opening(self) -> int | None:
        """Number of the call that opened, None before."""
        return next((number for number, call in enumerate(self.calls) if call != PASS), None)

    @cached_property
    def contested(self) -> tuple[bool, bool]:
        """By side, whether it has bid, doubled or redoubled."""
        return any(self.calls[0::2]), any(self.calls[1::2])

    @cached_property
    def hulls(self) -> tuple[Hull, ...]:
        """Bounds of points and lengths by position."""
        return tuple(hull(known.cells) for known in self.knowledge)

    def last_call_of(self, position: int) -> int | None:
        """Find the number of a position's last call, None if it has not called."""
        count = len(self.calls)
        number = count - 1 - (count - 1 - position) % 4
        return number if number >= 0 else None

    def named_by(self, position: int, strain: str) -> bool:
        """Whether the player has bid the strain naturally, or is known to hold it."""
        if strain in self.suits[position]:
            return True
        return strain == "N" and any(
            call >= FIRST_BID and strain_of(call) == "N" and not self.meanings[number].is_artificial
            for number, call in enumerate(self.calls)
            if number % 4 == position
        )

    def fit(self, side: int, suit: str) -> int:
        """Cards of a suit that a side is known to hold together."""
        index = _SUITS.index(suit)
        return self.hulls[side].lengths[index][0] + self.hulls[side + 2].lengths[index][0]

    @cached_property
    def forced(self) -> bool:
        """Whether the player to call may not pass: partner's call was forcing and RHO passed.

        What only forces to game may be passed in game, if it names a suit to play in; and a double
        for penalties may be left in.
        """
        calls = self.calls
        if len(calls) < 2 or calls[-1] != PASS:
            return False
        side = self.position % 2
        last = self.meanings[-2]
        to_game = last.has_agreement("forcing to game")
        if last.has_agreement("forcing") or (
            to_game and last.is_artificial and last.call >= FIRST_BID
        ):
            return True
        if self.game_reached or (last.call == DOUBLE and last.has_agreement("penalty")):
            return False
        return to_game or (self.game_forced[side] and self.contested[side])

    @cached_property
    def game_reached(self) -> bool:
        """Whether the last bid is game or higher."""
        last = self.auction.last_bid
        return last >= FIRST_BID and bid_level(last) >= game_level(strain_of(last))

    def after(self, meaning: Meaning, knowledge: Knowledge) -> "State":
        """Return the state behind a call of the player to act."""
        position, side = self.position, self.position % 2
        call_kind = describe_call(self, meaning)
        suits = _suits_shown(self.suits[position], meaning, knowledge, call_kind)
        agreed = _agreed_suit(meaning, call_kind) or self.agreed[side]
        forced = self.game_forced[side] or meaning.has_agreement("forcing to game")
        return State(
            self.auction.add(meaning.call),
            _put(self.knowledge, position, knowledge),
            (*self.meanings, meaning),
            (*self.call_kinds, call_kind),
            _put(self.suits, position, suits),
            _put(self.agreed, side, agreed),
            _put(self.game_forced, side, forced),
        )


def shown(state: State, position: int, term: str) -> tuple[int, int]:
    """Bounds of a term that a player has shown."""
    bounds = state.hulls[position]
    if term == "HCP":
        low, high = bounds.points
    elif term.startswith("SL_"):
        low, high = bounds.lengths[_SUITS.index(term[3:])]
    else:
        low, high = term_range(state.knowledge[position].cells, term, _VOCABULARY)
    known = state.knowledge[position].terms.get(term)
    narrowed = both((low, high), known or (low, high))
    return narrowed if narrowed[0] <= narrowed[1] else (low, high)


def _put(items: tuple[Item, ...], place: int, item: Item) -> tuple[Item, ...]:
    return (*items[:place], item, *items[place + 1 :])


def describe_call(state: State, meaning: Meaning) -> frozenset[str]:
    """Words that may follow ``last call was``: what the call is, said and was beside those before.

    A reverse is a second suit, bid without a jump at the two level, that ranks above the player's
    first one, so that a preference goes to the three level.
    """
    call = meaning.call
    words = {one.kind for one in meaning.agreements if one.kind != "natural"}
    if "forcing to game" in words:
        words.add("forcing")
    if meaning.is_artificial:
        words.add("artificial")
    if call < FIRST_BID:
        return frozenset((*words, ("pass", "double", "redouble")[call]))
    words |= {"bid"} if meaning.is_artificial else {"bid", "natural"}
    strain = strain_of(call)
    jump = bid_level(call) - cheapest_level(state.auction.last_bid, strain)
    words |= {word for word, levels in (("jump", 1), ("double jump", 2)) if jump >= levels}
    if strain == "N":
        return frozenset((*words, "notrump"))
    words.add("suit")
    own, lho, partner, rho = (state.suits[(state.position + step) % 4] for step in range(4))
    if strain in partner:
        words |= {"raise", "jump raise"} if jump else {"raise"}
    elif strain in lho + rho:
        words.add("cue-bid")
    elif strain not in own:
        words |= {"new suit", "jump shift"} if jump else {"new suit"}
        # letters of suits rank as in the alphabet
        if not jump and bid_level(call) == 2 and own and strain > max(own):
            words.add("reverse")
    return frozenset(words)


def _suits_shown(
    before: str, meaning: Meaning, knowledge: Knowledge, call_kind: frozenset[str]
) -> str:
    shown, call = before, meaning.call
    long = "".join(
        suit
        for suit, (least, _) in zip(_SUITS, hull(knowledge.cells).lengths, strict=True)
        if least >= NATURAL_LENGTH
    )
    if call >= FIRST_BID and not meaning.is_artificial:
        suit = strain_of(call)
        # a bid of the other side's suit is a cue-bid, unless it shows cards there
        if suit not in shown + "N" and ("cue-bid" not in call_kind or suit in long):
            shown += suit
    if meaning.uses and call != PASS:
        shown += "".join(suit for suit in long if suit not in shown)
    return shown


def _agreed_suit(meaning: Meaning, call_kind: frozenset[str]) -> str | None:
    for agreement in reversed(meaning.agreements):
        if agreement.kind == "agrees" and agreement.suit is not None:
            for use in meaning.uses:
                letter = letter_of(agreement.suit, use.bindings)
                if letter is not None:
                    return letter
    return strain_of(meaning.call) if "raise" in call_kind and not meaning.is_artificial else None
