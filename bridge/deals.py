"""A deal: four hands, who deals and who is vulnerable; read from and written as PBN or LIN text."""

from dataclasses import dataclass

from .cards import FULL_DECK, cards_of, format_card
from .errors import InvalidDeal, InvalidHand
from .hands import check_hand, format_hand, format_hand_bbo, parse_hand
from .seats import Seat, Vulnerability, parse_seat

_LIN_DEALER = {"1": Seat.SOUTH, "2": Seat.WEST, "3": Seat.NORTH, "4": Seat.EAST}
_LIN_DIGIT = {seat: digit for digit, seat in _LIN_DEALER.items()}
_LIN_SEATS = (Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST)


@dataclass(frozen=True, slots=True)
class Deal:
    """Four hands of 13 cards with dealer and vulnerability.

    Parameters
    ----------
    hands : tuple of four int
        Hand masks of North, East, South and West; disjoint, 13 cards each.
    dealer : Seat
    vulnerability : Vulnerability

    Raises
    ------
    InvalidHand, InvalidDeal
        If a hand has not 13 cards, or a card is held twice.

    Examples
    --------
    >>> from bidcascade.bridge import parse_deal
    >>> deal = parse_deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    >>> deal.dealer.letter, deal.hands[2].bit_count()
    ('N', 13)
    """

    hands: tuple[int, int, int, int]
    dealer: Seat = Seat.NORTH
    vulnerability: Vulnerability = Vulnerability.NONE

    def __post_init__(self) -> None:
        if len(self.hands) != 4:
            raise InvalidDeal(f"expected four hands, got {len(self.hands)}")
        try:
            object.__setattr__(self, "dealer", Seat(self.dealer))
        except ValueError:
            raise InvalidDeal(f"expected a dealer 0-3, got {self.dealer!r}") from None
        try:
            object.__setattr__(self, "vulnerability", Vulnerability(self.vulnerability))
        except ValueError:
            raise InvalidDeal(f"expected a vulnerability 0-3, got {self.vulnerability!r}") from None
        seen = 0
        for seat, hand in zip(Seat, self.hands, strict=True):
            try:
                check_hand(hand)
            except InvalidHand as error:
                raise InvalidHand(f"{error} for {seat.name.capitalize()}") from None
            if seen & hand:
                card = format_card(next(cards_of(seen & hand)))
                raise InvalidDeal(f"duplicate card: {card} is in two hands")
            seen |= hand

    def hand(self, seat: Seat | int) -> int:
        """Hand mask of a compass seat."""
        return self.hands[seat]


def _complete(hands: list[int | None], text: str) -> tuple[int, int, int, int]:
    """Fill in the one hand that is not given; complain if that is not possible."""
    missing = [seat for seat, hand in enumerate(hands) if hand is None]
    if len(missing) > 1:
        raise InvalidDeal(f"expected four hands, or three of 13 cards, got {text!r}")
    if missing:
        rest = FULL_DECK
        for hand in hands:
            if hand is not None:
                if hand & ~rest:
                    card = format_card(next(cards_of(hand & ~rest)))
                    raise InvalidDeal(f"duplicate card: {card} is in two hands")
                rest &= ~hand
        hands[missing[0]] = rest
    north, east, south, west = (hand or 0 for hand in hands)
    return north, east, south, west


def parse_known_hands(text: str) -> tuple[list[int | None], Seat]:
    """Read the hands of a deal, of which any may be left out; spelled as for :func:`parse_deal`.

    Returns
    -------
    list of four int or None, and Seat
        Hand masks of North, East, South and West, ``None`` for a hand that is left out, and the
        seat or dealer named before them, North if there is none.

    Raises
    ------
    InvalidDeal, InvalidHand

    Examples
    --------
    >>> hands, first = parse_known_hands("E:AKQJT98765432... - - -")
    >>> [hand is None for hand in hands], first.letter
    ([True, False, True, True], 'E')
    """
    if not isinstance(text, str):
        raise InvalidDeal(f"expected a deal such as 'N:hand hand hand hand', got {text!r}")
    text = text.strip()
    named, colon, written = text.partition(":")
    hands: list[int | None] = [None] * 4
    if colon and len(named.strip()) == 1:
        first = parse_seat(named)
        parts = written.split()
        if len(parts) != 4:
            raise InvalidDeal(f"expected four hands after {named + colon!r}, got {len(parts)}")
        for offset, part in enumerate(parts):
            hands[(first + offset) % 4] = None if part == "-" else parse_hand(part)
        return hands, first
    if "," in text:
        parts = text.split(",")
        first = Seat.NORTH
        # in a hand with dots a digit is a card
        if text[0].isdigit() and "." not in parts[0]:
            if text[0] not in _LIN_DEALER:
                raise InvalidDeal(f"expected a dealer digit 1-4, got {text[0]!r}")
            first = _LIN_DEALER[text[0]]
            parts[0] = parts[0][1:]
        if (len(parts) > 4 and any(parts[4:])) or len(parts) < 3:
            raise InvalidDeal(f"expected three or four hands, got {len(parts)} in {text!r}")
        for seat, part in zip(_LIN_SEATS, parts, strict=False):
            hands[seat] = parse_hand(part) if part.strip() else None
        return hands, first
    raise InvalidDeal(f"expected a deal such as 'N:hand hand hand hand', got {text!r}")


def parse_deal(
    text: str,
    *,
    dealer: Seat | None = None,
    vulnerability: Vulnerability = Vulnerability.NONE,
) -> Deal:
    """Read a deal in PBN (``N:hand hand hand hand``) or LIN ``md`` (``3S…,…,…,``) spelling.

    One of the four hands may be left out (``-`` in PBN, empty in LIN): it gets the other cards.

    Parameters
    ----------
    text : str
    dealer : Seat, optional
        If not given: the seat or digit before the hands.
    vulnerability : Vulnerability

    Raises
    ------
    InvalidDeal, InvalidHand

    Examples
    --------
    >>> deal = parse_deal("3SAKQJT98765432,HAKQJT98765432,DAKQJT98765432,")
    >>> deal.dealer.letter, format_deal(deal)[:20]
    ('N', 'N:..AKQJT98765432. .')
    """
    hands, first = parse_known_hands(text)
    whole = _complete(hands, text.strip())
    return Deal(whole, first if dealer is None else dealer, vulnerability)


def format_deal(deal: Deal, *, first: Seat = Seat.NORTH) -> str:
    """PBN text of a deal, clockwise from ``first``.

    The prefix says which hand comes first, not who dealt.

    Examples
    --------
    >>> deal = parse_deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -")
    >>> format_deal(deal, first=Seat.WEST)[:23]
    'W:...AKQJT98765432 AKQJ'
    """
    hands = (format_hand(deal.hand((first + offset) % 4)) for offset in range(4))
    return f"{first.letter}:{' '.join(hands)}"


def format_deal_lin(deal: Deal) -> str:
    """LIN ``md`` value of a deal: dealer digit, then South, West, North and East.

    Examples
    --------
    >>> text = "3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,SHDCAKQJT98765432"
    >>> format_deal_lin(parse_deal(text)) == text
    True
    """
    hands = ",".join(format_hand_bbo(deal.hand(seat)) for seat in _LIN_SEATS)
    return _LIN_DIGIT[deal.dealer] + hands
