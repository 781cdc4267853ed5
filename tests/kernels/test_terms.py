"""Terms: declared ranges are exact, profiles differ where they should, profiles are checked."""

import numpy as np
import pytest

from bidcascade.bridge import parse_hand
from bidcascade.kernels import Context, term_is_boolean, term_names, term_value, terms
from bidcascade.kernels.packing.layout import Separable
from bidcascade.kernels.terms import all_lengths


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["gib", "mlbridge"])
def test_declared_ranges_are_the_ranges_of_all_hands(profile):
    wrong = {
        name: ((term.low, term.high), Separable.of_term(term).bounds())
        for name, term in terms(profile).items()
        if (term.low, term.high) != Separable.of_term(term).bounds()
    }
    assert wrong == {}


@pytest.mark.parametrize("profile", ["gib", "mlbridge"])
def test_tables_add_up_to_the_values(profile):
    rng = np.random.default_rng(4)
    for _ in range(20):
        hand = sum(1 << int(card) for card in rng.permutation(52)[:13])
        holdings = [hand >> 13 * suit & 0x1FFF for suit in range(4)]
        shape = sum(step * holdings[suit].bit_count() for suit, step in enumerate((1, 14, 196)))
        for name, term in terms(profile).items():
            tables = Separable.of_term(term)
            for number, context in ((0, Context(1, 0, 0)), (6, Context(3, 1, 0))):
                total = sum(int(tables.suits[suit, holdings[suit]]) for suit in range(4))
                total += int(tables.lengths[shape] + tables.contexts[number])
                assert total == term_value(name, hand, context, profile), name


def test_every_shape_once():
    shapes = all_lengths()
    assert len(set(shapes)) == 560
    assert all(sum(shape) == 13 and min(shape) >= 0 for shape in shapes)


@pytest.mark.parametrize(
    ("hand", "name", "gib", "mlbridge"),
    [
        ("K.AQ32.K9876.QJ2", "Total_Points", 16, 17),
        ("K.AQ32.98765.QJ2", "QT", 3, 4),
        ("AK432.K2.Q8.J932", "Balanced", 0, 0),
        ("AK4.K2.Q8.J98432", "Balanced", 0, 0),
        ("A4.K2.Q842.J9843", "Balanced", 0, 1),
        ("QJ32.A2.Q8.J9843", "Biddable_S", 0, 1),
        ("AKQ.432.432.5432", "Solid_S", 0, 1),
        ("Q32.A432.432.543", "At_Best_Partial_Stopper_S", 0, 0),
        ("J32.A432.432.543", "At_Best_Partial_Stopper_S", 1, 0),
        ("32.A432.432.AK43", "At_Best_Stopper_S", 1, 0),
        ("K32.A432.432.543", "Stopper_S", 0, 1),
    ],
)
def test_profiles(hand, name, gib, mlbridge):
    mask = parse_hand(hand)
    assert term_value(name, mask, profile="gib") == gib
    assert term_value(name, mask, profile="mlbridge") == mlbridge


def test_unknown_profile():
    with pytest.raises(ValueError, match="expected a profile of gib, mlbridge, got 'acol'"):
        term_names("acol")


def test_boolean_terms_are_zero_or_one():
    for name in term_names():
        if term_is_boolean(name):
            assert (terms("gib")[name].low, terms("gib")[name].high) == (0, 1)
