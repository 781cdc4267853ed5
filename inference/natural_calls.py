"""Calls that any player would think of, whatever the system: to be tried beside its lines."""

from collections.abc import Iterator, Sequence
from typing import Final

from bidcascade.bridge import (
    DOUBLE,
    FIRST_BID,
    LAST_BID,
    PASS,
    Auction,
    bid_level,
    bid_strain,
    make_bid,
)

_NOTRUMP: Final = 4
_FIRST_MAJOR: Final = 2
_OWN_SUIT: Final = 5
"""Cards of a suit that is bid without partner's help."""
_SUPPORT: Final = 3
_LONGEST_FOR_NOTRUMP: Final = 6
_MOST_OF_OWN: Final = 4
"""Level up to which a suit that partner has not bid is tried."""


def natural_calls(hand: int, calls: Sequence[int]) -> tuple[int, ...]:
    """Natural calls of a hand after an auction that goes on: legal, each once.

    Pass; the cheapest raise of a suit of partner's with three cards, and game in it; the cheapest
    bid of an own suit of five cards, and game with six; the cheapest notrump up to 3NT, and 3NT;
    double.
    """
    auction = Auction.of(calls)
    found = [PASS]
    lengths = [(hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4)]
    partners = _suits(calls, len(calls) - 2)
    theirs = _suits(calls, len(calls) - 1) | _suits(calls, len(calls) - 3)
    for suit in (3, 2, 1, 0):
        if suit in partners and lengths[suit] >= _SUPPORT:
            found += _cheapest_and_game(auction, suit, game=True)
    for suit in sorted(range(4), key=lambda one: (-lengths[one], -one)):
        if suit in partners or suit in theirs or lengths[suit] < _OWN_SUIT:
            continue
        bids = _cheapest_and_game(auction, suit, game=lengths[suit] > _OWN_SUIT)
        found += (bid for bid in bids if bid_level(bid) <= max(_MOST_OF_OWN, _game_level(suit)))
    if max(lengths) <= _LONGEST_FOR_NOTRUMP:
        bids = _cheapest_and_game(auction, _NOTRUMP, game=True)
        found += (bid for bid in bids if bid_level(bid) <= _game_level(_NOTRUMP))
    if auction.is_legal(DOUBLE):
        found.append(DOUBLE)
    return tuple(dict.fromkeys(found))


def _suits(calls: Sequence[int], last: int) -> set[int]:
    """Suits bid by the player whose latest call is number ``last``."""
    bids = (calls[number] for number in range(last, -1, -4))
    return {bid_strain(bid) for bid in bids if bid >= FIRST_BID} - {_NOTRUMP}


def _game_level(strain: int) -> int:
    return 3 if strain == _NOTRUMP else 4 if strain >= _FIRST_MAJOR else 5


def _cheapest_and_game(auction: Auction, strain: int, *, game: bool) -> Iterator[int]:
    cheapest = next(
        (
            bid
            for bid in range(max(FIRST_BID, auction.last_bid + 1), LAST_BID + 1)
            if bid_strain(bid) == strain
        ),
        None,
    )
    if cheapest is None:
        return
    yield cheapest
    if game and bid_level(cheapest) < _game_level(strain):
        yield make_bid(_game_level(strain), strain)
