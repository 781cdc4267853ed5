"""What is known at a place of an auction: who has shown what, and what is agreed.

A :class:`State` belongs to an auction, not to hands: it is what all four players may know who
know both sides' systems. It is built call by call and never changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from bidcascade.bridge import FIRST_BID, PASS, Auction, bid_level
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.system_text.syntax_tree import Agreement, Where

from .contexts import PlacedLine
from .hand_space import EVERYTHING, Hull, hull
from .patterns import Bindings, bid_code, game_level, letter_of, strain_of

Interval = tuple[int, int]
_SUITS: Final = "CDHS"
NATURAL_LENGTH: Final = 4
"""Cards of a suit that a player must have shown for it to count as shown without being named."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What one hand has shown.

    Parameters
    ----------
    cells
        Shapes and points that are possible (bits of :mod:`.hand_space`).
    terms
        Bounds of terms beyond shape and points, such as ``Aces`` or ``Stopper_H``.
    """

    cells: int = field(default=EVERYTHING, repr=False)
    terms: Mapping[str, Interval] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Alternative:
    """One hand type of a call: a variant of a line, with the hands that it leaves possible.

    ``expression`` is all that the hand must meet.
    """

    name: str
    where: Where
    cells: int = field(repr=False)
    expression: Expression = field(repr=False)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a call meant where it was made.

    Parameters
    ----------
    call
        Its code.
    uses
        Lines that make the call there, with the bindings of each; empty for a call of which the
        system knows nothing, and for a pass by default.
    agreements
        Of those lines, in order.
    alternatives
        Hand types, by line and variant.
    known
        Whether the system has a line for the call (a pass by default counts as known).
    """

    call: int
    uses: tuple[tuple[PlacedLine, Bindings], ...] = ()
    agreements: tuple[Agreement, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    known: bool = True

    def says(self, kind: str) -> bool:
        """Whether an agreement of that kind was made: ``forcing``, ``artificial`` …."""
        return any(agreement.kind == kind for agreement in self.agreements)

    @property
    def is_artificial(self) -> bool:
        """Whether the call says nothing about the strain it names."""
        return any(agreement.kind in _ARTIFICIAL for agreement in self.agreements)

    @property
    def tags(self) -> frozenset[str]:
        """Tags of its lines, without ``#``."""
        return frozenset(a.text for a in self.agreements if a.kind == "tag")


_ARTIFICIAL: Final = frozenset({"artificial", "relay", "transfer", "puppet"})


@dataclass(frozen=True, slots=True)
class Deed:
    """How a call stood to the calls before it; see :func:`describe_call`."""

    raise_: bool = False
    jump: int = 0
    """Levels above the cheapest bid of the strain."""
    new_suit: bool = False
    cue_bid: bool = False
    reverse: bool = False


@dataclass(frozen=True)
class State:
    """Everything that is known before a call.

    Parameters
    ----------
    auction
        Calls so far, as if North had dealt; position p is the player p places behind the dealer.
    knowledge
        By position.
    meanings, deeds
        By call.
    suits
        By position, the suits that the player has named or otherwise shown, in order.
    agreed
        By side (position mod 2), the suit that was agreed last, or None.
    game_forced
        By side.
    """

    auction: Auction = field(default_factory=Auction)
    knowledge: tuple[Knowledge, ...] = (Knowledge(),) * 4
    meanings: tuple[Meaning, ...] = ()
    deeds: tuple[Deed, ...] = ()
    suits: tuple[str, ...] = ("",) * 4
    agreed: tuple[str | None, str | None] = (None, None)
    game_forced: tuple[bool, bool] = (False, False)

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
        for number, call in enumerate(self.calls):
            if call != PASS:
                return number
        return None

    @cached_property
    def contested(self) -> tuple[bool, bool]:
        """By side, whether it has bid, doubled or redoubled."""
        acted = [False, False]
        for number, call in enumerate(self.calls):
            if call != PASS:
                acted[number % 2] = True
        return acted[0], acted[1]

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
        """Whether the player to call may not pass: partner's call was forcing and RHO passed."""
        calls = self.calls
        if len(calls) < 2 or calls[-1] != PASS:
            return False
        side = self.position % 2
        last = self.meanings[-2]
        if last.says("forcing"):
            return True
        if self.game_reached:
            return False
        return last.says("forcing to game") or (self.game_forced[side] and self.contested[side])

    @cached_property
    def game_reached(self) -> bool:
        """Whether the last bid is game or higher."""
        last = self.auction.last_bid
        return last >= FIRST_BID and bid_level(last) >= game_level(strain_of(last))

    def after(self, meaning: Meaning, knowledge: Knowledge) -> "State":
        """Return the state behind a call of the player to act."""
        call, position = meaning.call, self.position
        side = position % 2
        deed = describe_call(self, call)
        known = (*self.knowledge[:position], knowledge, *self.knowledge[position + 1 :])
        suits = list(self.suits)
        suits[position] = _suits_shown(self.suits[position], meaning, knowledge)
        agreed = list(self.agreed)
        suit = _agreed_suit(self, meaning, deed)
        if suit is not None:
            agreed[side] = suit
        forced = list(self.game_forced)
        if meaning.says("forcing to game"):
            forced[side] = True
        return State(
            self.auction.add(call), known, (*self.meanings, meaning), (*self.deeds, deed),
            tuple(suits), (agreed[0], agreed[1]), (forced[0], forced[1]),
        )  # fmt: skip


def describe_call(state: State, call: int) -> Deed:
    """How a call stands to the calls before it: raise, jump, new suit, cue-bid, reverse.

    A reverse is a second suit, bid without a jump at the two level, that ranks above the player's
    first one, so that a preference goes to the three level.

    Examples
    --------
    >>> describe_call(State(), 10).jump
    1
    """
    if call < FIRST_BID:
        return Deed()
    position, strain, level = state.position, strain_of(call), bid_level(call)
    jump = level - cheapest_level(state.auction.last_bid, strain)
    if strain == "N":
        return Deed(jump=jump)
    partner = (position + 2) % 4
    theirs = state.suits[(position + 1) % 4] + state.suits[(position + 3) % 4]
    own = state.suits[position]
    raised = strain in state.suits[partner]
    cue = strain in theirs and not raised
    new = not (raised or cue or strain in own)
    reverse = (
        new and jump == 0 and level == 2 and bool(own)
        and _SUITS.index(strain) > max(_SUITS.index(suit) for suit in own)
    )  # fmt: skip
    return Deed(raised, jump, new, cue, reverse)


def cheapest_level(last_bid: int, strain: str) -> int:
    """Lowest level at which a strain may be bid over the last bid (0 for none); 8 if there is none.

    Examples
    --------
    >>> cheapest_level(5, "C")
    2
    """
    if last_bid < FIRST_BID:
        return 1
    level = bid_level(last_bid)
    return level if bid_code(level, strain) > last_bid else level + 1


def _suits_shown(before: str, meaning: Meaning, knowledge: Knowledge) -> str:
    shown = before
    call = meaning.call
    if call >= FIRST_BID and not meaning.is_artificial:
        strain = strain_of(call)
        if strain != "N" and strain not in shown:
            shown += strain
    if meaning.uses and call != PASS:
        lengths = hull(knowledge.cells).lengths
        for index, suit in enumerate(_SUITS):
            if lengths[index][0] >= NATURAL_LENGTH and suit not in shown:
                shown += suit
    return shown


def _agreed_suit(state: State, meaning: Meaning, deed: Deed) -> str | None:
    for agreement in reversed(meaning.agreements):
        if agreement.kind == "agrees" and agreement.suit is not None:
            for _, bindings in meaning.uses:
                letter = letter_of(agreement.suit, bindings)
                if letter is not None:
                    return letter
    if deed.raise_ and not meaning.is_artificial:
        return strain_of(meaning.call)
    return None
