"""What is known of a hand: cards it holds, cards it does not, lengths, spots written ``x``."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from bidcascade.bridge import (
    FULL_DECK,
    SUITS,
    InvalidCard,
    InvalidDeal,
    InvalidHand,
    Seat,
    cards_of,
    format_card,
    parse_hand,
    parse_holding,
    parse_seat,
)
from bidcascade.bridge.hands import suit_parts

Range = tuple[int, int]

ANY_LENGTH: Final[tuple[Range, ...]] = ((0, 13),) * 4
_UNKNOWN: Final = ("-", "...")
"""What stands in a deal for a hand that is not known."""
SPOT_CARDS: Final = 0xFF
"""What an ``x`` stands for: the cards of a suit below the ten."""
_PART = re.compile(r"(?P<cards>(?:10|[2-9TJQKA])*)(?P<spots>x*)(?P<open>\+?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class KnownCards:
    """What is known of one hand.

    Parameters
    ----------
    cards
        Mask of cards that the hand holds (the whole hand, or a part: cards played).
    forbidden
        Mask of cards that it does not hold.
    lengths
        Least and most cards of clubs, diamonds, hearts and spades in the whole hand.

    Raises
    ------
    InvalidHand
        If it is no hand: more than 13 cards, a card both held and not held, or lengths that no
        13 cards have.

    Examples
    --------
    >>> KnownCards.parse("AKxx.Qx.xxx.K432").lengths
    ((4, 4), (3, 3), (2, 2), (4, 4))
    """

    cards: int = 0
    forbidden: int = 0
    lengths: tuple[Range, ...] = ANY_LENGTH

    def __post_init__(self) -> None:
        for name, mask in (("cards", self.cards), ("forbidden", self.forbidden)):
            if not 0 <= mask <= FULL_DECK:
                raise InvalidHand(f"expected {name} as a mask of 52 cards, got {mask!r}")
        if self.cards.bit_count() > 13:
            raise InvalidHand(f"expected at most 13 cards, got {self.cards.bit_count()}")
        if both := self.cards & self.forbidden:
            raise InvalidHand(f"expected no card both held and not held, got {_names(both)}")
        if (allowed := (FULL_DECK & ~self.forbidden).bit_count()) < 13:
            raise InvalidHand(f"expected 13 cards that the hand may hold, got {allowed}")
        if len(self.lengths) != 4:
            raise InvalidHand(f"expected lengths of four suits, got {self.lengths!r}")
        least = most = 0
        for suit, (low, high) in enumerate(self.lengths):
            held = (self.cards >> 13 * suit & 0x1FFF).bit_count()
            open_cards = (~self.forbidden >> 13 * suit & 0x1FFF).bit_count()
            if not 0 <= low <= high <= 13 or held > high or open_cards < low:
                raise InvalidHand(
                    f"expected a length of {SUITS[suit]} that the known cards allow, "
                    f"got {low}-{high} with {held} known and {open_cards} possible"
                )
            least += max(low, held)
            most += min(high, open_cards)
        if not least <= 13 <= most:
            found = f"at least {least}" if least > 13 else f"at most {most}"
            raise InvalidHand(f"expected lengths that 13 cards have, got {found} cards")

    @classmethod
    def parse(cls, text: str) -> "KnownCards":
        """Read a hand that may be known in part.

        Four suits, spades first, separated by dots or blanks. ``x`` is a card below the ten; a
        suit that ends with ``+`` may hold more cards, and there ``x`` is any further card.
        ``AKxx.Qx.xxx.K432`` is a whole hand but for its spots; ``AK+.+.+.-`` holds the ace and king
        of spades and no club.
        """
        parts = suit_parts(text)
        if parts is None or len(parts) != 4:
            return cls(parse_hand(text))
        cards = forbidden = written = 0
        lengths: list[Range] = [(0, 13)] * 4
        for part, suit in zip(parts, (3, 2, 1, 0), strict=True):
            found = _PART.fullmatch("" if part == "-" else part)
            if found is None:
                raise InvalidHand(
                    f"expected ranks, x and + in a suit such as 'AKxx' or 'Q+', got {part!r} "
                    f"in {text!r}"
                )
            try:
                holding = parse_holding(found["cards"])
            except InvalidCard as error:
                raise InvalidHand(f"{error}, in hand {text!r}") from None
            size = holding.bit_count() + len(found["spots"])
            if size > 13:
                raise InvalidHand(f"expected at most 13 cards of a suit, got {part!r} in {text!r}")
            written += size
            cards |= holding << 13 * suit
            if found["open"]:
                lengths[suit] = size, 13
            else:
                lengths[suit] = size, size
                spots = SPOT_CARDS if found["spots"] else 0
                forbidden |= (0x1FFF & ~spots & ~holding) << 13 * suit
        is_open = any(low < high for low, high in lengths)
        if written > 13 or (written < 13 and not is_open):
            most = "at most " if is_open else ""
            raise InvalidHand(f"expected {most}13 cards, got {written} in hand {text!r}")
        try:
            return cls(cards, forbidden, tuple(lengths))
        except InvalidHand as error:
            raise InvalidHand(f"{error}, in hand {text!r}") from None

    @property
    def is_whole(self) -> bool:
        """Whether all 13 cards are known."""
        return self.cards.bit_count() == 13


def known_by_seat(
    known: Mapping[Seat, "KnownCards | str | int"],
) -> tuple[KnownCards, KnownCards, KnownCards, KnownCards]:
    """Tell what is known of the four hands, from texts, masks or :class:`KnownCards`.

    Raises
    ------
    InvalidHand, InvalidDeal
        If a hand is none, or a card is known to be in two hands or in none.
    """
    found = [KnownCards()] * 4
    for seat, value in known.items():
        if isinstance(value, str):
            value = KnownCards.parse(value)
        found[seat] = KnownCards(value) if isinstance(value, int) else value
    seen = 0
    for number, one in enumerate(found):
        if both := seen & one.cards:
            raise InvalidDeal(
                f"expected every card in one hand, got {_names(both)} in {Seat(number).letter} and "
                "in another hand"
            )
        seen |= one.cards
    nowhere = FULL_DECK & ~seen
    for one in found:
        nowhere &= FULL_DECK if one.is_whole else one.forbidden
    if nowhere:
        raise InvalidDeal(f"expected a hand that may hold {_names(nowhere)}, got none")
    return found[0], found[1], found[2], found[3]


def _names(mask: int) -> str:
    names = [format_card(card) for card in cards_of(mask)]
    return " ".join(names[:6]) + (" …" if len(names) > 6 else "")


def known_texts(texts: Iterable[str]) -> dict[str, str]:
    """Tell hands by seat in ``N:AKxx.Qx.xxx.Kxxx`` and the like, each seat at most once.

    A text may be a whole deal, in which ``-`` is an unknown hand: ``N:AKxx.Qx.xxx.Kxxx - … -``.

    Raises
    ------
    InvalidHand, InvalidDeal
        If a text has no seat, or a seat comes twice.

    Examples
    --------
    >>> known_texts(["e:AK+.+.+.+"])
    {'E': 'AK+.+.+.+'}
    >>> list(known_texts(["E:AKQ2.732.9854.T6 - J5.KQ93.K72.QJ43 -"]))
    ['E', 'W']
    """
    found: dict[str, str] = {}
    for text in texts:
        letter, colon, hand = text.partition(":")
        if not colon:
            raise InvalidHand(
                f"expected a seat and a hand such as 'N:AKxx.Qx.xxx.Kxxx', got {text!r}"
            )
        first = parse_seat(letter.strip())
        hands = hand.split()
        for offset, part in enumerate(hands if len(hands) == 4 else [hand]):
            seat = Seat((first + offset) % 4)
            if len(hands) == 4 and part in _UNKNOWN:
                continue
            if seat.letter in found:
                raise InvalidDeal(f"expected each seat once, got {seat.letter!r} again")
            found[seat.letter] = part
    return found


def parse_known(texts: Iterable[str]) -> dict[Seat, KnownCards]:
    """Read the hands that :func:`known_texts` tells.

    Examples
    --------
    >>> list(parse_known(["e:AK+.+.+.+"]))
    [<Seat.EAST: 1>]
    """
    return {
        parse_seat(letter): KnownCards.parse(text) for letter, text in known_texts(texts).items()
    }
