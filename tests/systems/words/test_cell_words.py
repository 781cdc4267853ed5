"""What a set of cells tells: nothing that is not so, and "or" where bounds would lose it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.systems.places.knowledge import bounds
from bidcascade.systems.system import System
from bidcascade.systems.words.cell_words import cells_text
from bidcascade.systems.words.explanation import explain_auction
from bidcascade.table import Vocabulary, parse_expression
from tests.support.examples import examples

MULTI = System.parse("""
opening:
  2D = Multi; artificial, forcing
    either Weak two: 5-10 points, 6 hearts or 6 spades
    or Strong: 20-21 points, balanced
  2H = Muiderberg: 5-10 points, 5 hearts, 4+ in a minor
  2S = Two ways
    either Weak: 6-9 points, 6+ clubs
    or Strong: 15-18 points, 6+ clubs
  2NT = Minors or a strong major
    either Minors: 5-10 points, 5+ in both minors
    or Major: 15-19 points, 6+ hearts or 6+ spades
  3C = A preempt: 3-9 points, 7+ clubs or 7+ diamonds or 7+ hearts or 7+ spades
  1NT = Mini: 10-12 points, balanced, no 5-card major
  1S = Next to nothing: at most 1 point, 5 spades, 1 heart, 5+ diamonds
  1D = Either way: 11-13 points or 18-20 points, 4+ diamonds
after 2D:
  2H = To play opposite a weak two: at most 14 points
    2S = Spades: 6 spades
""")


@pytest.mark.parametrize(
    ("auction", "sentence"),
    [
        ("2D", "Multi: 5-10 points, 6 hearts or 6 spades; or 20-21 points, balanced; "
               "artificial, forcing"),
        ("2H", "Muiderberg: 5-10 points, 4+ clubs or 4+ diamonds, 5 hearts, at most 4 spades"),
        ("2S", "Two ways: 6-9 or 15-18 points, 6+ clubs"),
        ("2N", "Minors or a strong major: 5-10 points, 5+ clubs, 5+ diamonds; or 15-19 points, "
               "6+ hearts or 6+ spades"),
        ("3C", "A preempt: 3-9 points, 7+ clubs or 7+ diamonds or 7+ hearts or 7+ spades"),
        ("1N", "Mini: 10-12 points, balanced, at most 4 hearts, at most 4 spades"),
        ("1D", "Either way: 11-13 or 18-20 points, 4+ diamonds"),
        ("2D P 2H P 2S", "Spades: 5-10 points, 6 spades"),
        ("1S", "Next to nothing: at most 1 point, 5-7 diamonds, 5 spades, 1 heart"),
    ],
)  # fmt: skip
def test_calls_of_several_meanings_keep_or(auction, sentence):
    assert explain_auction(MULTI, auction).calls[-1].sentence == sentence


_SUIT = st.sampled_from("CDHS")
_LENGTH = st.builds("SL_{} {} {}".format, _SUIT, st.sampled_from(["==", ">="]), st.integers(4, 7))
_POINTS = st.tuples(st.integers(0, 20), st.integers(0, 9)).map(
    lambda pair: f"{pair[0]} <= HCP <= {sum(pair)}"
)
_TEST = st.one_of(_LENGTH, st.just("Balanced"), st.builds("not ({})".format, _LENGTH))
_HAND = st.builds("({} and ({} or {}) and {})".format, _POINTS, _TEST, _TEST, _TEST)


def cells_of(text):
    return bounds(parse_expression(text), Vocabulary()).can


def cells_of_words(words):
    """Cells of hands that meet a text, as the language reads it."""

    def points(found):
        ranges = found[2].removesuffix(" points").split(" or ")
        return f"{found[1]}({' or '.join(f'{one} points' for one in ranges)})"

    words = re.sub(r"(^|; or )([^,;]*? or [^,;]* points)", points, words)
    groups = " or ".join(f"({one})" for one in words.split("; or "))
    system = System.parse(f"opening:\n  1C = Test: {groups}\n")
    return cells_of(
        " and ".join(f"({one})" for one in system.expand("").entries[0].constraint.texts())
    )


@examples(25, 100)
@given(st.lists(_HAND, min_size=1, max_size=4))
def test_all_that_is_said_is_so(hands):
    types = [cells for hand in hands if (cells := cells_of(hand))]
    together = 0
    for one in types:
        together |= one
    if not together:
        return
    for words in (cells_text(together, (0, 37), types), cells_text(together, (0, 37))):
        assert not together & ~cells_of_words(words), words


def test_any_hand_says_nothing():
    assert cells_text(cells_of("HCP >= 0"), (0, 37)) == ""
