"""Where a study begins: the cards still held, whose turn it is, and who sees what.

Who sees what is part of the position. A player sees the own hand and, once it is on the table,
dummy; the cards of the current trick are nobody's secret. Declarer plays dummy's cards and looks at
both hands. Beyond that everybody may know of cards that must be in a hand (``shown``: a card that
was led back, picked up or exposed) and of cards that cannot be (``denied``: a suit that a player
has shown out of).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bidcascade.bridge import (
    STRAINS,
    InvalidDeal,
    InvalidHand,
    Seat,
    cards_of,
    format_card,
    format_hand,
    parse_hand,
    parse_seat,
)

Masks = tuple[int, int, int, int]
NOTHING: Final[Masks] = (0, 0, 0, 0)
_SUIT: Final = 0x1FFF
_NOTRUMP: Final = 4


@dataclass(frozen=True, slots=True)
class View:
    """What one player knows of the cards: which hand each is in, and how many each hand lacks.

    Parameters
    ----------
    known : tuple of four int
        Cards that the player knows to be in a hand, by compass seat.
    lacking : tuple of four int
        How many cards of each hand the player does not know.
    unseen : int
        The cards that these are.
    denied : tuple of four int
        Unseen cards that a hand cannot have.
    """

    known: Masks
    lacking: Masks
    unseen: int
    denied: Masks = NOTHING


@dataclass(frozen=True, slots=True)
class Position:
    """An ending, or a whole deal before the opening lead.

    Parameters
    ----------
    hands : tuple of four int
        Cards still held, by compass seat; those of the current trick are not among them.
    strain : int
        0-4 = clubs, diamonds, hearts, spades, notrump.
    declarer : Seat
        Tricks are counted for declarer's side; dummy is declarer's partner.
    leader : Seat
        Who leads to the current trick, or has led to it.
    trick : tuple of int
        Card numbers played to it so far, at most three.
    dummy_visible : bool
        Whether dummy's hand is on the table: not before the opening lead. Then it is put down
        after the next card.
    shown, denied : tuple of four int
        Cards that everybody knows to be in a hand, and not to be in it, by compass seat.

    Raises
    ------
    InvalidDeal
        If hands overlap or have not as many cards as their turn wants, or a card is shown where it
        is not, or denied where it is.

    Examples
    --------
    >>> position = Position.parse(
    ...     "N:KJ.Q.A. Q..K.QJ A.K.J.K .AJ.Q.A", "N", declarer="S", leader="S")
    >>> position.turn.letter, position.view(Seat.SOUTH).lacking
    ('S', (0, 4, 0, 4))
    """

    hands: Masks
    strain: int
    declarer: Seat
    leader: Seat
    trick: tuple[int, ...] = ()
    dummy_visible: bool = True
    shown: Masks = NOTHING
    denied: Masks = NOTHING

    def __post_init__(self) -> None:
        if len(self.hands) != 4:
            raise InvalidDeal(f"expected four hands, got {len(self.hands)}")
        if not 0 <= self.strain <= _NOTRUMP:
            raise InvalidDeal(f"expected a strain 0-4, got {self.strain!r}")
        object.__setattr__(self, "declarer", Seat(self.declarer))
        object.__setattr__(self, "leader", Seat(self.leader))
        if len(self.trick) > 3:
            raise InvalidDeal(f"expected at most three cards in a trick, got {len(self.trick)}")
        if not self.dummy_visible and (self.trick or self.leader != (self.declarer + 1) % 4):
            raise InvalidDeal(
                "expected dummy to be hidden only before the opening lead, by the player behind "
                f"declarer, got {self.leader.letter} to lead and {len(self.trick)} cards played"
            )
        seen = 0
        for mask in (*self.hands, *(1 << card for card in self.trick)):
            if seen & mask:
                raise InvalidDeal(
                    f"duplicate card: {format_card(next(cards_of(seen & mask)))} comes twice"
                )
            seen |= mask
        counts = self.counts
        wanted = [counts[self.turn] - ((seat - self.leader) % 4 < len(self.trick)) for seat in Seat]
        if not counts[self.turn]:
            raise InvalidDeal(
                f"expected a card for {self.turn.name.capitalize()}, who is to play, got none"
            )
        if list(counts) != wanted:
            raise InvalidDeal(
                f"expected hands of {' '.join(map(str, wanted))} cards (N E S W), "
                f"got {' '.join(map(str, counts))}"
            )
        for seat in Seat:
            mismatched = (self.shown[seat] & ~self.hands[seat]) | (
                self.denied[seat] & self.hands[seat]
            )
            if mismatched:
                raise InvalidDeal(
                    f"expected what is shown and denied to agree with {seat.name.capitalize()}'s "
                    f"hand, got {format_card(next(cards_of(mismatched)))}"
                )

    @classmethod
    def parse(
        cls,
        text: str,
        strain: str,
        *,
        declarer: str,
        leader: str | None = None,
        trick: Iterable[int] = (),
        dummy_visible: bool = True,
        void: Iterable[str] = (),
    ) -> "Position":
        """Read an ending as PBN: ``N:hand hand hand hand`` with hands of any length.

        Parameters
        ----------
        text : str
            Clockwise from the seat before the colon.
        strain : str
            ``C``, ``D``, ``H``, ``S`` or ``N``.
        declarer, leader : str
            Seats; without a leader it is the player before whom declarer sits.
        trick : iterable of int
            Cards of the current trick, from the leader on.
        dummy_visible : bool
        void : iterable of str
            Seat and suits that the player has shown out of: ``WC``, ``EHS``.

        Raises
        ------
        InvalidHand, InvalidDeal
            If the text is no ending.

        Examples
        --------
        >>> Position.parse("W:2... 3... 4... 5...", "NT", declarer="s", void=["WH"]).leader.letter
        'W'
        """
        text = text.strip()
        parts = text[2:].split()
        if text[1:2] != ":" or len(parts) != 4:
            raise InvalidDeal(f"expected an ending such as 'N:K... A... Q... J...', got {text!r}")
        first = parse_seat(text[0])
        hands = [0] * 4
        for offset, part in enumerate(parts):
            hands[(first + offset) % 4] = parse_hand(part, cards=None)
        suit = strain.strip().upper().removesuffix("T")
        if len(suit) != 1 or suit not in STRAINS:
            raise InvalidDeal(f"expected a strain (C, D, H, S or N), got {strain!r}")
        who = parse_seat(declarer)
        denied = [0] * 4
        for word in void:
            if not word or not set(word[1:].upper()) <= set(STRAINS[:4]):
                raise InvalidDeal(f"expected a seat and suits such as 'WC', got {word!r}")
            for letter in word[1:].upper():
                denied[parse_seat(word[0])] |= _SUIT << 13 * STRAINS.index(letter)
        return cls(
            four(hands),
            STRAINS.index(suit),
            who,
            Seat((who + 1) % 4) if leader is None else parse_seat(leader),
            tuple(trick),
            dummy_visible,
            NOTHING,
            four(denied),
        )

    @property
    def turn(self) -> Seat:
        """Seat whose card is due."""
        return Seat((self.leader + len(self.trick)) % 4)

    @property
    def dummy(self) -> Seat:
        """Declarer's partner."""
        return Seat((self.declarer + 2) % 4)

    @property
    def counts(self) -> Masks:
        """How many cards each hand has."""
        return four([hand.bit_count() for hand in self.hands])

    def decider(self, seat: Seat) -> Seat:
        """Who chooses the cards of a seat: declarer for dummy, every other player for himself."""
        return self.declarer if seat == self.dummy and self.dummy_visible else seat

    def maximises(self, seat: Seat) -> bool:
        """Whether a seat plays for many tricks of declarer's side."""
        return (seat - self.declarer) % 2 == 0

    def legal_cards(self, seat: Seat | None = None) -> int:
        """Mask of the cards that the player to act may play.

        Parameters
        ----------
        seat : Seat, optional
            Only the one whose turn it is; for checks.
        """
        who = self.turn if seat is None else seat
        hand = self.hands[who]
        if not self.trick:
            return hand
        following = hand & (_SUIT << 13 * (self.trick[0] // 13))
        return following or hand

    def view(self, seat: Seat) -> View:
        """Tell what the player who chooses for a seat knows of the cards."""
        eyes = {seat, self.decider(seat)}
        if self.dummy_visible:
            eyes.add(self.dummy)
        known = [
            self.hands[one] if one in eyes else self.shown[one] & self.hands[one] for one in Seat
        ]
        lacking = [self.counts[one] - known[one].bit_count() for one in Seat]
        unseen = 0
        for one in Seat:
            unseen |= self.hands[one] & ~known[one]
        return View(
            four(known), four(lacking), unseen, four([mask & unseen for mask in self.denied])
        )

    def with_hands(self, hands: Iterable[int]) -> "Position":
        """Return the same position with other hands, as a player may imagine them."""
        return Position(
            four(list(hands)),
            self.strain,
            self.declarer,
            self.leader,
            self.trick,
            self.dummy_visible,
            self.shown,
            self.denied,
        )

    def after(self, card: int) -> "Position":
        """Return the position after a card of the player to act.

        A player who does not follow suit is from then on known to be void.

        Raises
        ------
        InvalidHand
            If the player does not hold the card, or would revoke with it.
        """
        if not 0 <= card < 52 or not self.legal_cards() >> card & 1:
            raise InvalidHand(
                f"expected a card that {self.turn.name.capitalize()} may play from "
                f"{format_hand(self.hands[self.turn])}, got {_card_text(card)}"
            )
        seat = self.turn
        hands, shown, denied = list(self.hands), list(self.shown), list(self.denied)
        hands[seat] &= ~(1 << card)
        shown[seat] &= ~(1 << card)
        if self.trick and card // 13 != self.trick[0] // 13:
            denied[seat] |= _SUIT << 13 * (self.trick[0] // 13)
        trick = (*self.trick, card)
        leader = self.leader
        if len(trick) == 4:
            leader, trick = self._winner(trick), ()
        if not any(hands):
            raise InvalidHand("expected a card before the last one of a deal")
        return Position(
            four(hands),
            self.strain,
            self.declarer,
            leader,
            trick,
            shown=four(shown),
            denied=four(denied),
        )

    def _winner(self, trick: tuple[int, ...]) -> Seat:
        best = 0
        for place in range(1, 4):
            card, top = trick[place], trick[best]
            higher = card > top if card // 13 == top // 13 else card // 13 == self.strain
            best = place if higher else best
        return Seat((self.leader + best) % 4)


def _card_text(card: int) -> str:
    return repr(format_card(card)) if 0 <= card < 52 else repr(card)


def four(values: list[int]) -> Masks:
    """Give one number a hand."""
    north, east, south, west = values
    return north, east, south, west
