"""Hypothesis strategies for cards, hands, deals and calls."""

from hypothesis import strategies as st

from bidcascade.bridge import CALL_COUNT, Deal, Seat, Vulnerability

MASKS = st.integers(0, (1 << 52) - 1)
HANDS = st.sets(st.integers(0, 51), min_size=13, max_size=13).map(
    lambda cards: sum(1 << card for card in cards)
)
SEATS_DRAWN = st.sampled_from(Seat)
CALLS = st.integers(0, CALL_COUNT - 1)


@st.composite
def _deals(draw: st.DrawFn) -> Deal:
    deck = draw(st.permutations(range(52)))
    north, east, south, west = (
        sum(1 << card for card in deck[13 * seat : 13 * seat + 13]) for seat in range(4)
    )
    return Deal((north, east, south, west), draw(SEATS_DRAWN), draw(st.sampled_from(Vulnerability)))


DEALS = _deals()
