"""Cards as bits: a hand mask is a 52-bit integer, bit ``13 * suit + rank``.

Suits run clubs, diamonds, hearts, spades (0-3), ranks two to ace (0-12), so the cards of one
suit are one 13-bit *holding* and a higher bit is a higher card.
"""

from collections.abc import Iterator

from .errors import InvalidCard

SUITS = "CDHS"
RANKS = "23456789TJQKA"
HOLDING_MASK = 0x1FFF
FULL_DECK = (1 << 52) - 1

_RANK_CODE = {letter: rank for rank, letter in enumerate(RANKS)}
_RANK_CODE |= {letter.lower(): rank for letter, rank in _RANK_CODE.items()}
_SUIT_CODE = {letter: suit for suit, letter in enumerate(SUITS)}
_SUIT_CODE |= {letter.lower(): suit for letter, suit in _SUIT_CODE.items()}
_SUIT_CODE |= {"♣": 0, "♦": 1, "♥": 2, "♠": 3}


def _holding_texts() -> tuple[str, ...]:
    """Text of each holding: those with a rank follow those of lower ranks alone."""
    texts = [""]
    for rank in RANKS:
        texts += [rank + lower for lower in texts]
    return tuple(texts)


_HOLDING_TEXT = _holding_texts()


def parse_suit(text: str) -> int:
    """Suit code of a letter or suit sign.

    Examples
    --------
    >>> parse_suit("♠"), parse_suit("c")
    (3, 0)
    """
    try:
        return _SUIT_CODE[text]
    except (KeyError, TypeError):
        raise InvalidCard(f"expected a suit (C, D, H or S), got {text!r}") from None


def parse_card(text: str) -> int:
    """Bit number of a card written suit first (``SA``, ``h10``).

    Examples
    --------
    >>> parse_card("SA"), parse_card("C2"), parse_card("d10")
    (51, 0, 21)
    """
    is_text = isinstance(text, str)
    rank = _RANK_CODE.get("T" if text[1:] == "10" else text[1:]) if is_text else None
    if rank is None or text[0] not in _SUIT_CODE:
        raise InvalidCard(f"expected a card such as 'SA', got {text!r}")
    return 13 * _SUIT_CODE[text[0]] + rank


def format_card(card: int) -> str:
    """Text of a card from its bit number, suit first.

    Examples
    --------
    >>> format_card(51)
    'SA'
    """
    if not 0 <= card < 52:
        raise InvalidCard(f"expected a card number 0-51, got {card!r}")
    return SUITS[card // 13] + RANKS[card % 13]


def parse_holding(text: str) -> int:
    """13-bit holding of the ranks of one suit, in any order or case; ``10`` is ``T``.

    Raises
    ------
    InvalidCard
        If a letter is no rank or a rank comes twice.

    Examples
    --------
    >>> parse_holding("AK2") == (1 << 12) | (1 << 11) | 1
    True
    >>> parse_holding("10") == parse_holding("T")
    True
    """
    if not isinstance(text, str):
        raise InvalidCard(f"expected ranks of {RANKS}, got {text!r}")
    holding = 0
    for letter in text.replace("10", "T") if "10" in text else text:
        rank = _RANK_CODE.get(letter)
        if rank is None:
            raise InvalidCard(f"expected a rank of {RANKS}, got {letter!r} in {text!r}")
        bit = 1 << rank
        if holding & bit:
            raise InvalidCard(f"duplicate card: rank {RANKS[rank]} comes twice in {text!r}")
        holding |= bit
    return holding


def format_holding(holding: int) -> str:
    """Ranks of a 13-bit holding, highest first; empty for a void.

    Examples
    --------
    >>> format_holding(parse_holding("2AT"))
    'AT2'
    """
    return _HOLDING_TEXT[holding]


def suit_holding(hand: int, suit: int) -> int:
    """13-bit holding of one suit of a hand mask.

    Examples
    --------
    >>> suit_holding(FULL_DECK, 2) == HOLDING_MASK
    True
    """
    return hand >> 13 * suit & HOLDING_MASK


def cards_of(hand: int) -> Iterator[int]:
    """Bit numbers of the cards of a mask, lowest first.

    Examples
    --------
    >>> [format_card(card) for card in cards_of(0b101)]
    ['C2', 'C4']
    """
    while hand:
        low = hand & -hand
        yield low.bit_length() - 1
        hand ^= low
