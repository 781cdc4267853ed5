"""Endings made by hypothesis, and what they come to by the rules alone."""

from functools import cache

from hypothesis import strategies as st

Hands = tuple[tuple[int, ...], ...]


def minimax(hands: Hands, strain: int, first: int, trick: tuple[int, ...]) -> dict[int, int]:
    """Tricks of the side to move by card, from the rules alone."""

    def beats(card: int, top: int) -> bool:
        return card > top if card // 13 == top // 13 else card // 13 == strain

    def choices(hand: tuple[int, ...], trick: tuple[int, ...]) -> tuple[int, ...]:
        following = tuple(card for card in hand if trick and card // 13 == trick[0] // 13)
        return following or hand

    def without(hands: Hands, seat: int, card: int) -> Hands:
        return tuple(
            tuple(one for one in hand if one != card) if place == seat else hand
            for place, hand in enumerate(hands)
        )

    @cache
    def north_south(hands: Hands, first: int, trick: tuple[int, ...]) -> int:
        """Tricks of North-South from the trick on."""
        if len(trick) == 4:
            best = 0
            for place in (1, 2, 3):
                best = place if beats(trick[place], trick[best]) else best
            winner = (first + best) % 4
            return (winner % 2 == 0) + north_south(hands, winner, ())
        seat = (first + len(trick)) % 4
        if not hands[seat]:
            return 0
        values = [
            north_south(without(hands, seat, card), first, (*trick, card))
            for card in choices(hands[seat], trick)
        ]
        return max(values) if seat % 2 == 0 else min(values)

    seat = (first + len(trick)) % 4
    found = {}
    for card in choices(hands[seat], trick):
        value = north_south(without(hands, seat, card), first, (*trick, card))
        found[card] = value if seat % 2 == 0 else len(hands[seat]) - value
    return found


@st.composite
def endings(draw: st.DrawFn, most: int) -> tuple[Hands, int, int, tuple[int, ...]]:
    """Hands of a few cards, perhaps in the middle of a trick; suits are short or long."""
    size = draw(st.integers(1, most))
    # few different cards make long suits and touching cards likely
    deck = draw(st.sampled_from([list(range(4 * size)), list(range(0, 52, 2)), list(range(52))]))
    cards = draw(st.permutations(deck if len(deck) >= 4 * size else list(range(52))))
    hands = [list(cards[seat * size : (seat + 1) * size]) for seat in range(4)]
    strain, first = draw(st.integers(0, 4)), draw(st.integers(0, 3))
    trick: list[int] = []
    for place in range(draw(st.integers(0, 3))):
        hand = hands[(first + place) % 4]
        following = [card for card in hand if trick and card // 13 == trick[0] // 13]
        card = draw(st.sampled_from(following or hand))
        hand.remove(card)
        trick.append(card)
    return tuple(map(tuple, hands)), strain, first, tuple(trick)
