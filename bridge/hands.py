"""Hands as text: PBN (``K52.AQ3.9876.KJ2``), BBO (``SK52HAQ3D9876CKJ2``), LIN pieces.

Spellings without suit letters name spades first, with dots or blanks between the suits; ``10`` and
``T`` are the same card; ``-`` stands for a void.
"""

import re
from operator import index

from .cards import FULL_DECK, format_holding, parse_holding, parse_suit, suit_holding
from .errors import InvalidCard, InvalidHand

_SUIT_LETTER = re.compile("[SHDCshdc♠♥♦♣]")
_SUIT_PARTS = re.compile(r"([SHDCshdc♠♥♦♣])[.:]?([^SHDCshdc♠♥♦♣.,:;]*)[.,:;]*")
_VOIDS = ("", "-", "–", "—")


def parse_hand(text: str, *, cards: int | None = 13) -> int:
    """Hand mask of a hand in PBN or BBO spelling.

    Parameters
    ----------
    text : str
        Four holdings spades first, separated by dots, or where there is none by blanks; or each
        behind its suit letter, in any order, with or without a dot. Other blanks do not count.
    cards : int, optional
        How many cards the hand must have; ``None`` for any number.

    Raises
    ------
    InvalidHand
        If the text is no hand, holds a card twice or not ``cards`` cards.

    Examples
    --------
    >>> format_hand(parse_hand("SAK2HQ3D9876CKJ105"))
    'AK2.Q3.9876.KJT5'
    >>> parse_hand("AK2 Q3 9876 KJ105") == parse_hand("AK2.Q3.9876.KJT5")
    True
    >>> parse_hand("SAK2.HQ3.D9876.CKJ105") == parse_hand("AK2.Q3.9876.KJT5")
    True
    """
    if not isinstance(text, str):
        raise InvalidHand(f"expected a hand such as 'K52.AQ3.9876.KJ2', got {text!r}")
    text = text.strip()
    try:
        parts = suit_parts(text)
        mask = _parse_lettered(text) if parts is None else _parse_parts(parts, text)
    except InvalidCard as error:
        raise InvalidHand(f"{error}, in hand {text!r}") from None
    if cards is not None and mask.bit_count() != cards:
        raise InvalidHand(f"expected {cards} cards, got {mask.bit_count()} in hand {text!r}")
    return mask


def suit_parts(text: str) -> list[str] | None:
    """Parts of a hand without suit letters, by dots or blanks; None for any other text.

    Examples
    --------
    >>> suit_parts("K52. AQ3. 9876. KJ2") == suit_parts("K52 AQ3 9876 KJ2")
    True
    """
    if _SUIT_LETTER.search(text) is not None:
        return None
    if "." in text:
        return ["".join(part.split()) for part in text.split(".")]
    parts = text.split()
    return parts if len(parts) == 4 else None


def _parse_parts(parts: list[str], text: str) -> int:
    if len(parts) != 4:
        raise InvalidHand(f"expected four suits separated by dots (S.H.D.C), got {text!r}")
    mask = 0
    for part, suit in zip(parts, (3, 2, 1, 0), strict=True):
        if part not in _VOIDS:
            mask |= parse_holding(part) << 13 * suit
    return mask


def _parse_lettered(text: str) -> int:
    mask = 0
    end = 0
    seen: set[int] = set()
    plain = "".join(text.split())
    for match in _SUIT_PARTS.finditer(plain):
        if match.start() != end:
            break
        suit = parse_suit(match[1])
        if suit in seen:
            raise InvalidHand(f"suit {match[1]!r} comes twice in hand {text!r}")
        seen.add(suit)
        if match[2] not in _VOIDS:
            mask |= parse_holding(match[2]) << 13 * suit
        end = match.end()
    if end != len(plain) or not seen:
        raise InvalidHand(f"expected a hand such as 'K52.AQ3.9876.KJ2', got {text!r}")
    return mask


def format_hand(hand: int) -> str:
    """PBN text of a hand mask: spades, hearts, diamonds, clubs separated by dots.

    Examples
    --------
    >>> format_hand(parse_hand("AKQJT98765432..."))
    'AKQJT98765432...'
    """
    return ".".join(format_holding(suit_holding(hand, suit)) for suit in (3, 2, 1, 0))


def format_hand_bbo(hand: int) -> str:
    """Text of a hand mask as LIN and BBO write it: ``SAK2HQ3D9876CKJT5``.

    Examples
    --------
    >>> format_hand_bbo(parse_hand("AK2.Q3.9876.KJT5"))
    'SAK2HQ3D9876CKJT5'
    """
    return "".join(
        letter + format_holding(suit_holding(hand, suit))
        for letter, suit in (("S", 3), ("H", 2), ("D", 1), ("C", 0))
    )


def check_hand(hand: int) -> int:
    """Return ``hand`` if it is a mask of 13 cards, else raise :class:`InvalidHand`.

    Examples
    --------
    >>> check_hand(0x1FFF)
    8191
    """
    try:
        mask = index(hand)
    except TypeError:
        mask = 0
    if not 0 <= mask <= FULL_DECK or mask.bit_count() != 13:
        raise InvalidHand(f"expected a mask of 13 of 52 cards, got {hand!r}")
    return hand
