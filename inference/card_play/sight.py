"""What the player who chooses a card has seen: auction, hands in sight, cards played so far.

The hidden hands are none of it, so nothing that is worked out from it can look at them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from bidcascade.bridge import (
    FULL_DECK,
    Auction,
    Contract,
    InvalidDeal,
    InvalidHand,
    InvalidInput,
    Seat,
    Vulnerability,
    cards_of,
    format_card,
)
from bidcascade.inference.layouts.known import ANY_LENGTH, KnownCards, known_by_seat
from bidcascade.inference.single_dummy import View
from bidcascade.loaders.frames.play import trick_winner

from .rules_of_thumb import legal_cards

_SUIT: Final = 13
_SUIT_CARDS: Final = 0x1FFF
_HAND: Final = 13


class Played(NamedTuple):
    """Cards played, as the laws give them to seats.

    Parameters
    ----------
    hands : tuple of four int
        Masks of the cards that each seat has played, those on the table too.
    voids : tuple of four int
        Masks of the suits that each seat has shown out of.
    leader : Seat
        Who has led to the trick under way, or is to lead.
    trick : tuple of int
        Cards on the table, the first one led.
    declarer_tricks : int
        Tricks that declarer's side has won.
    """

    hands: tuple[int, ...]
    voids: tuple[int, ...]
    leader: Seat
    trick: tuple[int, ...]
    declarer_tricks: int

    @property
    def turn(self) -> Seat:
        """Seat whose card is due."""
        return Seat((self.leader + len(self.trick)) % 4)


def give_to_seats(cards: Sequence[int], contract: Contract) -> Played:
    """Tell who played which card, and what became of it.

    Parameters
    ----------
    cards : sequence of int
        Card numbers in the order played, the opening lead first.
    contract : Contract

    Raises
    ------
    InvalidInput
        If a card comes twice, or somebody plays a suit that he has shown out of.

    Examples
    --------
    >>> from bidcascade.bridge import parse_card, parse_contract
    >>> cards = [parse_card(text) for text in ("HK", "HA", "C2", "H3", "D4")]
    >>> played = give_to_seats(cards, parse_contract("4HN"))
    >>> played.leader.letter, played.turn.letter, played.declarer_tricks
    ('S', 'W', 1)
    """
    return _given(tuple(cards), contract)


@lru_cache(maxsize=1024)
def _given(cards: tuple[int, ...], contract: Contract) -> Played:
    declarer, strain = contract.declarer, contract.strain
    hands, voids = [0] * 4, [0] * 4
    leader, tricks, trick = Seat((declarer + 1) % 4), 0, list[int]()
    for number, card in enumerate(cards):
        seat = (leader + len(trick)) % 4
        bit, suit = 1 << card, card // _SUIT
        if any(bit & hand for hand in hands):
            raise InvalidInput(
                f"expected each card once, got {format_card(card)} again as card {number + 1}"
            )
        if voids[seat] & bit:
            raise InvalidInput(
                f"expected no card of a suit that {Seat(seat).letter} has shown out of, got "
                f"{format_card(card)} as card {number + 1}"
            )
        if trick and suit != trick[0] // _SUIT:
            voids[seat] |= _SUIT_CARDS << _SUIT * (trick[0] // _SUIT)
        hands[seat] |= bit
        trick.append(card)
        if len(trick) == 4:
            leader = Seat((leader + trick_winner(trick, strain)) % 4)
            tricks += (leader - declarer) % 2 == 0
            trick = []
    return Played(tuple(hands), tuple(voids), leader, tuple(trick), tricks)


@dataclass(frozen=True, slots=True)
class Sight:
    """What a player has seen who is to choose a card.

    Parameters
    ----------
    auction : Auction
        Over, with a contract.
    vulnerability : Vulnerability
    seat : Seat
        Who chooses: declarer for dummy too.
    hand : int
        Mask of the 13 cards that the seat was dealt.
    dummy : int or None
        Mask of the 13 cards that dummy was dealt; none before the opening lead.
    played : tuple of int
        Card numbers in the order played, the opening lead first.

    Raises
    ------
    InvalidInput
        If it is not this player's turn, or the cards contradict each other or the laws.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls, parse_card, parse_hand
    >>> sight = Sight(
    ...     Auction.of(parse_calls("1N P 3N P P P")), Vulnerability.NONE, Seat.NORTH,
    ...     parse_hand("AQ4.KJ3.K876.Q52"), parse_hand("K2.AQ8.QJ53.K743"),
    ...     (parse_card("SJ"),))
    >>> sight.actor.letter, sight.known()[Seat.EAST].cards == 1 << parse_card("SJ")
    ('S', True)
    """

    auction: Auction
    vulnerability: Vulnerability
    seat: Seat
    hand: int
    dummy: int | None = None
    played: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.auction.is_complete or self.auction.contract is None:
            raise InvalidInput("expected an auction that ended in a contract")
        if (self.dummy is None) != (not self.played):
            raise InvalidInput("expected dummy behind the opening lead, and not before")
        dummy_seat = self.dummy_seat
        if self.seat == dummy_seat:
            raise InvalidInput(
                f"expected declarer or a defender to choose, got dummy, {self.seat.letter}"
            )
        seen = self.seen
        for seat, cards in seen.items():
            if not 0 <= cards <= FULL_DECK or cards.bit_count() != _HAND:
                raise InvalidInput(
                    f"expected 13 cards that {seat.letter} was dealt, got {cards.bit_count()}"
                )
        if self.dummy is not None and self.hand & self.dummy:
            raise InvalidInput(
                "expected different cards in hand and dummy, got "
                f"{format_card(next(cards_of(self.hand & self.dummy)))} in both"
            )
        if len(self.played) >= 4 * _HAND:
            raise InvalidInput("expected a card that is still to play, got all 52 played")
        if self.actor not in ((self.seat, dummy_seat) if self.declares else (self.seat,)):
            raise InvalidInput(
                f"expected a question of {self.actor.letter}, who is to play, got one of "
                f"{self.seat.letter}"
            )
        state = self.state
        for seat in Seat:
            self._check(seat, state)
        try:
            known_by_seat(self.known())
        except (InvalidHand, InvalidDeal) as error:
            # suits that somebody has shown out of leave too few cards
            raise InvalidInput(f"expected cards that the laws allow: {error}") from None

    def _check(self, seat: Seat, state: Played) -> None:
        """Refuse cards that a seat cannot have played."""
        played = state.hands[seat]
        if seat in self.seen:
            wrong = played & ~self.seen[seat]
            revoked = state.voids[seat] & self.seen[seat] & ~played
        else:
            wrong = played & (self.hand | (self.dummy or 0))
            revoked = 0
        if wrong:
            raise InvalidInput(
                f"expected cards of {seat.letter}'s hand, got {format_card(next(cards_of(wrong)))} "
                f"played by {seat.letter}"
            )
        if revoked:
            raise InvalidInput(
                f"expected {seat.letter} to follow suit, got a revoke with "
                f"{format_card(next(cards_of(revoked)))} in hand"
            )

    @property
    def contract(self) -> Contract:
        """What is played."""
        contract = self.auction.contract
        assert contract is not None
        return contract

    @property
    def dummy_seat(self) -> Seat:
        """Declarer's partner."""
        return Seat((self.contract.declarer + 2) % 4)

    @property
    def declares(self) -> bool:
        """Whether the player is declarer."""
        return self.seat == self.contract.declarer

    @property
    def state(self) -> Played:
        """Who played what."""
        return give_to_seats(self.played, self.contract)

    @property
    def actor(self) -> Seat:
        """Whose card is due: the player's, or dummy's."""
        return self.state.turn

    @property
    def seen(self) -> dict[Seat, int]:
        """Hands in sight as they were dealt."""
        found = {self.seat: self.hand}
        if self.dummy is not None:
            found[self.dummy_seat] = self.dummy
        return found

    @property
    def gone(self) -> int:
        """Mask of cards that were played."""
        return sum(1 << card for card in self.played)

    @property
    def legal(self) -> tuple[int, ...]:
        """Cards that may be played, lowest first."""
        return tuple(legal_cards(self.seen[self.actor] & ~self.gone, self.state.trick))

    def known(self) -> dict[Seat, KnownCards]:
        """Tell what is known of each hand as it was dealt.

        Of a hidden hand these are the cards that it played and, of a suit that it has shown out
        of, how many there were.
        """
        state = self.state
        found = {}
        for seat in Seat:
            if seat in self.seen:
                found[seat] = KnownCards(self.seen[seat])
                continue
            cards, lengths = state.hands[seat], list(ANY_LENGTH)
            for suit in range(4):
                if state.voids[seat] >> _SUIT * suit & _SUIT_CARDS:
                    length = (cards >> _SUIT * suit & _SUIT_CARDS).bit_count()
                    lengths[suit] = (length, length)
            found[seat] = KnownCards(cards, self.hand | (self.dummy or 0), tuple(lengths))
        return found

    def view(self) -> View:
        """Tell which of the cards that are left the player knows."""
        state = self.state
        known = [self.seen.get(seat, 0) & ~self.gone for seat in Seat]
        lacking = [
            0 if seat in self.seen else _HAND - state.hands[seat].bit_count() for seat in Seat
        ]
        unseen = FULL_DECK & ~self.gone & ~sum(known)
        north, east, south, west = (mask & unseen for mask in state.voids)
        return View(
            (known[0], known[1], known[2], known[3]),
            (lacking[0], lacking[1], lacking[2], lacking[3]),
            unseen,
            (north, east, south, west),
        )
