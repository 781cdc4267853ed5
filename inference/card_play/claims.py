"""Claims: when a player has all tricks that are left, and whether another's claim is right.

Whoever claims shows his hand (Laws of Duplicate Bridge 2017, Law 68), so that each of the others
but dummy knows all hands, and can judge the claim double dummy.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import FULL_DECK, Contract, InvalidInput, Seat, cards_of
from bidcascade.inference.double_dummy.abstract_solver import NO_CARD, SolvesPlays
from bidcascade.inference.single_dummy import EndingSolver

from .sight import Sight, give_to_seats

_SUIT: Final = 13
_FEWEST: Final = 2
"""Tricks that are worth a claim."""
_CORE: Final = EndingSolver()


class Claim(NamedTuple):
    """A claim when a card is due.

    Parameters
    ----------
    seat : Seat
        Who claims: declarer, or a defender.
    cards : int
        Mask of the cards that he has left, which he shows.
    tricks : int
        How many of those left, the one under way among them, his side is to have.
    """

    seat: Seat
    cards: int
    tricks: int


def has_the_rest(sight: Sight) -> bool:
    """Whether the hand on lead takes every trick that is left, wherever the hidden cards are.

    Nobody else has a trump, and each suit is high from the top, for as many rounds as it has cards
    or others can follow.

    Examples
    --------
    >>> from bidcascade.bridge import Auction, Vulnerability, parse_calls, parse_hand
    >>> auction = Auction.of(parse_calls("P P P 3N P P P"))
    >>> for hand in ("AKQJ.AKQ.AKQ.AKQ", "AKQJ.AKQ.AKQ.AKJ"):
    ...     print(has_the_rest(Sight(auction, Vulnerability.NONE, Seat.NORTH, parse_hand(hand))))
    True
    False
    """
    if sight.state.trick:
        return False
    own = sight.seen[sight.actor] & ~sight.gone
    others = FULL_DECK & ~sight.gone & ~own
    strain = sight.contract.strain
    if own.bit_count() < _FEWEST or (strain < 4 and _held(others, strain)):
        return False
    return all(_is_high(_held(own, suit), _held(others, suit)) for suit in range(4))


def _held(cards: int, suit: int) -> int:
    return cards >> _SUIT * suit & (1 << _SUIT) - 1


def _is_high(own: int, others: int) -> bool:
    """Whether a suit takes a trick with each of its cards."""
    high = sum(1 for card in cards_of(own) if not others >> card)
    return high >= min(own.bit_count(), others.bit_count())


def accepts_claim(
    contract: Contract,
    played: Sequence[int],
    seen: Mapping[Seat, int],
    judge: Seat,
    claim: "Claim",
    *,
    solver: SolvesPlays = _CORE,
) -> bool:
    """Judge another's claim.

    Parameters
    ----------
    contract : Contract
    played : sequence of int
        Card numbers in the order played, the opening lead first.
    seen : mapping of Seat to int
        Masks of the 13 cards that the judge and dummy were dealt.
    judge : Seat
    claim : Claim
    solver : SolvesPlays

    Returns
    -------
    bool
        Opponents accept what the side can take double dummy, or less; the claimer's partner, what
        it can take, or more.

    Raises
    ------
    InvalidInput
        If the cards that were shown are none that the claimer can have.

    Examples
    --------
    >>> from bidcascade.bridge import parse_card, parse_contract, parse_hand
    >>> dealt = [parse_hand(text) for text in (
    ...     "AKQJ.AKQ.AKQ.AKQ", "T987.J98.J98.J98", "6543.765.765.765", "2.T432.T432.T432")]
    >>> played = [parse_card("ST")]
    >>> seen = {Seat.WEST: dealt[3], Seat.SOUTH: dealt[2]}
    >>> [accepts_claim(parse_contract("7NN"), played, seen, Seat.WEST,
    ...                Claim(Seat.NORTH, dealt[0], tricks)) for tricks in (13, 14)]
    [True, False]
    """
    state = give_to_seats(played, contract)
    gone = sum(1 << card for card in played)
    hands = [seen.get(seat, 0) & ~gone for seat in Seat]
    hands[claim.seat] = claim.cards
    left = FULL_DECK & ~gone
    # the last hand has what is left over
    for seat in Seat:
        if seat not in (*seen, claim.seat):
            hands[seat] = left & ~(hands[0] | hands[1] | hands[2] | hands[3])
    fits = all(
        hand.bit_count() + own.bit_count() == _SUIT and not hand & (denied | ~left)
        for hand, own, denied in zip(hands, state.hands, state.voids, strict=True)
    )
    if sum(hands) != left or not fits:
        raise InvalidInput(
            f"expected the cards that {claim.seat.letter} has left with a claim, got others"
        )
    on_table = np.full((1, 3), NO_CARD, np.uint8)
    on_table[0, : len(state.trick)] = state.trick
    masks = np.array(hands, np.uint64)[:, np.newaxis]
    best = int(solver.plays(masks, contract.strain, state.leader, on_table).max())
    if state.turn % 2 != claim.seat % 2:
        best = 13 - len(played) // 4 - best
    return claim.tricks >= best if judge % 2 == claim.seat % 2 else claim.tricks <= best
