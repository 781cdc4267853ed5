"""Suits that were bid: what a bid without an agreement shows, and which suits a partner has shown.

A bid that no line of the system makes still names a suit, and who makes it does not bid it with a
singleton. For an opening lead that decides much: the suits that declarer's side has named are not
those to lead, and the one that partner has named is.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from bidcascade.bridge import FIRST_BID, SUITS, Seat, bid_strain, format_call
from bidcascade.table.language.seat_terms import seat_term

from .layouts.meanings import Meanings
from .layouts.steps import Step

_NOTRUMP: Final = 4
_LONG: Final = 4
"""Cards with which a suit is bid without an agreement, unless it is stopped."""
_SHOWN: Final = 3
"""Least cards that make a suit one that was shown, such as an opening of a better minor."""


class NaturalBid(NamedTuple):
    """A bid without an agreement, and what it is taken for."""

    number: int
    call: str
    seat: Seat
    suit: str

    @property
    def condition(self) -> str:
        """The condition on the deal: four cards, or a stopper.

        Examples
        --------
        >>> NaturalBid(6, "3D", Seat.SOUTH, "D").condition
        'SL_S_D >= 4 or Stopper_S_D'
        """
        length, stopper = (
            seat_term(f"{stem}_{self.suit}", self.seat.letter) for stem in ("SL", "Stopper")
        )
        return f"{length} >= {_LONG} or {stopper}"

    def __str__(self) -> str:
        return f"call {self.number + 1}, {self.call} by {self.seat.letter}: {self.condition}"


def natural_bids(steps: Sequence[Step]) -> tuple[NaturalBid, ...]:
    """Bids of a suit that no line makes and that nobody has bid before.

    What was bid before is a raise, a rebid or a bid of the other side's suit: each says something
    else.
    """
    found = []
    named: set[int] = set()
    for step in steps:
        suit = _suit(step.call)
        if suit is None:
            continue
        if suit not in named and not step.is_known:
            bid = NaturalBid(step.number, format_call(step.call), step.seat, SUITS[suit])
            found.append(bid)
        named.add(suit)
    return tuple(found)


def partner_suits(
    meanings: Meanings, calls: Sequence[int], position: int, natural: Sequence[NaturalBid] = ()
) -> tuple[int, ...]:
    """Suits that the partner of a player has bid and shown, clubs 0 to spades 3, the longest first.

    Parameters
    ----------
    meanings
        Of the system, by which a bid shows the suit that it names, or another one.
    calls
        The whole auction.
    position
        Of the player, counted from the dealer.
    natural
        Bids without an agreement, which show what they name.
    """
    partner = (position + 2) % 4
    bid = {suit for suit in map(_suit, calls[partner::4]) if suit is not None}
    if not bid:
        return ()
    lengths = meanings.shown(calls)[1][partner].lengths
    plain = {SUITS.index(one.suit) for one in natural if one.number % 4 == partner}
    shown = (one for one in bid if lengths[one][0] >= _SHOWN or one in plain)
    return tuple(sorted(shown, key=lambda one: (-lengths[one][0], -one)))


def _suit(call: int) -> int | None:
    strain = bid_strain(call) if call >= FIRST_BID else _NOTRUMP
    return None if strain == _NOTRUMP else strain
