"""Deals of the themes for practice, for the page that has no service to deal them."""

import base64
from collections.abc import Sequence
from functools import cache
from typing import Final, TypedDict

from bidcascade.bridge import Seat, Vulnerability, cards_of, parse_seat, parse_vulnerability
from bidcascade.inference.scenarios.deal_sets import DealSet, make_set, parts_of_script
from bidcascade.inference.scenarios.themes import themes
from bidcascade.loaders.frames.frame import HAND_COLUMNS

DEALS: Final = 40
"""Deals a theme: half of a handout, of which the other half is near misses."""
_SEED: Final = 1
_VERSION: Final = "1"
_SIDES: Final = ("None", "NS", "EW", "Both")
_RANKS: Final = 13


class ThemeDeals(TypedDict):
    """A theme with deals, each as the page's module ``board_code.js`` writes it."""

    name: str
    title: str
    practises: str
    deals: list[str]


@cache
def theme_deals(count: int = DEALS) -> tuple[ThemeDeals, ...]:
    """Deal every theme; always the same deals.

    Parameters
    ----------
    count
        How many deals of each, of its kinds in their shares.

    Examples
    --------
    >>> first = theme_deals(2)[0]
    >>> first["name"], len(first["deals"])
    ('answers-to-overcalls', 2)
    """
    return tuple(
        ThemeDeals(
            name=one.name,
            title=one.title,
            practises=one.practises,
            deals=_deals(make_set(parts_of_script(one.script, one.name), count, seed=_SEED)),
        )
        for one in themes().values()
    )


def _deals(made: DealSet) -> list[str]:
    rows = made.frame("page").iter_rows(named=True)
    return [
        _code(
            [row[name] for name in HAND_COLUMNS],
            parse_seat(row["dealer"]),
            parse_vulnerability(row["vulnerability"]),
        )
        for row in rows
    ]


def _code(hands: Sequence[int], dealer: Seat, sides: Vulnerability) -> str:
    """Two bits a card for its owner, spades first from the ace down; dealer, sides, South."""
    packed = bytearray(14)
    for owner, hand in enumerate(hands):
        for card in cards_of(hand):
            place = _RANKS * (3 - card // _RANKS) + _RANKS - 1 - card % _RANKS
            packed[place >> 2] |= owner << 2 * (place & 3)
    packed[-1] = int(dealer) | _SIDES.index(sides.text) << 2 | int(Seat.SOUTH) << 4
    return _VERSION + base64.urlsafe_b64encode(packed).rstrip(b"=").decode()
