"""Hands of a PBN deal, fast where they are written in the usual way."""

from bidcascade.bridge import (
    FULL_DECK,
    BidcascadeError,
    InvalidDeal,
    format_holding,
    parse_deal,
)

Hands = tuple[int, int, int, int]

_HOLDING = {format_holding(holding): holding for holding in range(1 << 13)}
_UNKNOWN_DEALS = ("", "?", "-")


def read_hands(text: str) -> Hands | str:
    """Read the hands of a PBN deal; one unknown hand is derived from the other three.

    Parameters
    ----------
    text : str
        ``N:hand hand hand hand`` from any seat; ``-`` or ``...`` stands for an unknown hand.

    Returns
    -------
    tuple of four int, or str
        Hand masks of North, East, South and West, or the reason why the text is no deal.

    Examples
    --------
    >>> read_hands("N:AKQ.AKQ.AKQ.AKQ2 - - -")
    'expected at most one unknown hand, got 3'
    """
    if text[1:2] == ":":
        parts = text[2:].split()
        seat = "NESW".find(text[0])
        if seat >= 0 and len(parts) == 4:
            masks = [0, 0, 0, 0]
            try:
                for part in parts:
                    spades, hearts, diamonds, clubs = part.split(".")
                    masks[seat & 3] = (
                        _HOLDING[spades] << 39
                        | _HOLDING[hearts] << 26
                        | _HOLDING[diamonds] << 13
                        | _HOLDING[clubs]
                    )
                    seat += 1
            except (KeyError, ValueError):
                return _read_odd_hands(text)
            north, east, south, west = masks
            if (
                north + east + south + west == FULL_DECK == north | east | south | west
                and north.bit_count() == east.bit_count() == south.bit_count() == 13
            ):
                return north, east, south, west
    return _read_odd_hands(text)


def _read_odd_hands(text: str) -> Hands | str:
    if text.strip() in _UNKNOWN_DEALS:
        return "expected a [Deal] tag with four hands, got none"
    first, colon, hands = text.partition(":")
    # an unknown hand is written "-" or, by some programs, as four empty suits
    parts = ["-" if part == "..." else part for part in hands.split()]
    try:
        if colon and len(parts) == 4 and parts.count("-") > 1:
            raise InvalidDeal(f"expected at most one unknown hand, got {parts.count('-')}")
        return parse_deal(f"{first}{colon}{' '.join(parts)}" if colon else text).hands
    except BidcascadeError as error:
        return str(error)
