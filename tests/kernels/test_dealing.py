"""Random deals: the kernel against its definition, and the deals against exact distributions."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import FULL_DECK
from bidcascade.kernels import dealing
from bidcascade.kernels.dealing import DEAL_LIMIT, SEED_LIMIT, deal_hands, deal_hands_reference

SEEDS = st.one_of(st.integers(0, 100), st.integers(0, SEED_LIMIT - 1))
NUMBERS = st.one_of(st.integers(0, 100), st.integers(0, DEAL_LIMIT - 8))
SAMPLE = 200_000
FIRST_DEAL = [80299427364867, 2397296411167776, 1443246519714248, 582757269123604]


@pytest.fixture(scope="module")
def sample() -> np.ndarray:
    return deal_hands(seed=20240229, first=0, count=SAMPLE)


@given(SEEDS, NUMBERS)
def test_kernel_equals_reference(seed, number):
    assert tuple(deal_hands(seed, number, 1)[:, 0].tolist()) == deal_hands_reference(seed, number)


@given(SEEDS, NUMBERS, st.integers(0, 7), st.integers(0, 7))
def test_chunks_do_not_matter(seed, first, left, right):
    first = min(first, DEAL_LIMIT - left - right)
    whole = deal_hands(seed, first, left + right)
    parts = [deal_hands(seed, first, left), deal_hands(seed, first + left, right)]
    assert np.array_equal(whole, np.concatenate(parts, axis=1))


def test_blocks_of_threads_do_not_matter(sample):
    for first in range(65_530, SAMPLE, 65_536):
        some = deal_hands(seed=20240229, first=first, count=12)
        assert np.array_equal(sample[:, first : first + 12], some)


@pytest.mark.parametrize("count", [0, 1, 20])
def test_without_the_core_the_definition_deals(monkeypatch, count):
    expected = deal_hands(5, 1 << 40, count)
    monkeypatch.setattr(dealing, "has_core", lambda: False)
    monkeypatch.delattr(dealing, "deal")
    found = deal_hands(5, 1 << 40, count)
    assert np.array_equal(found, expected)
    assert (found.dtype, found.shape) == (np.uint64, (4, count))
    assert found.flags.c_contiguous


def test_first_deals_stay_what_they_are():
    # a change here changes every seeded job of every user
    assert deal_hands_reference(0, 0) == tuple(deal_hands(0, 0, 1)[:, 0].tolist())
    assert deal_hands(0, 0, 1)[:, 0].tolist() == FIRST_DEAL


def test_every_deal_is_a_deck(sample):
    assert (np.bitwise_or.reduce(sample, axis=0) == FULL_DECK).all()
    assert (np.bitwise_count(sample) == 13).all()


def test_deals_and_seeds_differ(sample):
    assert len({tuple(deal) for deal in sample[:, :50_000].T.tolist()}) == 50_000
    other = deal_hands(seed=20240230, first=0, count=1000)
    assert not (other == sample[:, :1000]).all(axis=0).any()


def chi_square(observed: np.ndarray, expected: np.ndarray) -> float:
    return float((((observed - expected) ** 2) / expected).sum())


def limit(freedom: int) -> float:
    """Value that chi-square exceeds about once in a million (Wilson-Hilferty)."""
    return freedom * (1 - 2 / (9 * freedom) + 4.75 * (2 / (9 * freedom)) ** 0.5) ** 3


def test_each_card_is_equally_likely_at_each_seat(sample):
    counts = np.array(
        [
            [int((hand >> np.uint64(card) & np.uint64(1)).sum()) for card in range(52)]
            for hand in sample
        ]
    )
    assert chi_square(counts, np.full((4, 52), SAMPLE / 4)) < limit(3 * 51)


@pytest.mark.slow
def test_shapes_follow_their_exact_probabilities(sample):
    exact: dict[tuple[int, ...], Fraction] = {}
    for lengths in product(range(14), repeat=3):
        clubs = 13 - sum(lengths)
        if clubs >= 0:
            ways = comb(13, clubs)
            for length in lengths:
                ways *= comb(13, length)
            shape = tuple(sorted((*lengths, clubs)))
            exact[shape] = exact.get(shape, Fraction(0)) + Fraction(ways, comb(52, 13))
    assert sum(exact.values()) == 1
    common = [shape for shape, chance in exact.items() if chance * SAMPLE > 20]
    for hand in sample:
        lengths = np.stack(
            [
                np.bitwise_count(hand >> np.uint64(13 * suit) & np.uint64(0x1FFF))
                for suit in range(4)
            ]
        )
        shapes, counts = np.unique(np.sort(lengths, axis=0), axis=1, return_counts=True)
        seen = dict(zip(map(tuple, shapes.T.tolist()), counts.tolist(), strict=True))
        observed = np.array([seen.get(shape, 0) for shape in common])
        expected = np.array([float(exact[shape] * SAMPLE) for shape in common])
        observed = np.append(observed, SAMPLE - observed.sum())
        expected = np.append(expected, SAMPLE - expected.sum())
        assert chi_square(observed, expected) < limit(len(common))


def test_high_card_points_follow_their_exact_distribution(sample):
    exact = np.zeros(38)
    for aces, kings, queens, jacks in product(range(5), repeat=4):
        honours = aces + kings + queens + jacks
        if honours <= 13:
            ways = comb(36, 13 - honours)
            for count in (aces, kings, queens, jacks):
                ways *= comb(4, count)
            exact[4 * aces + 3 * kings + 2 * queens + jacks] += ways / comb(52, 13)
    for hand in sample:
        points = np.zeros(SAMPLE, np.int64)
        for suit in range(4):
            for rank, value in ((12, 4), (11, 3), (10, 2), (9, 1)):
                bit = np.uint64(13 * suit + rank)
                points += value * (hand >> bit & np.uint64(1)).astype(np.int64)
        observed = np.bincount(points, minlength=38)
        common = exact * SAMPLE > 20
        expected = np.append((exact * SAMPLE)[common], (exact * SAMPLE)[~common].sum())
        merged = np.append(observed[common], observed[~common].sum())
        assert chi_square(merged, expected) < limit(int(common.sum()))


@pytest.mark.parametrize("seed", [-1, SEED_LIMIT])
def test_seed_out_of_range(seed):
    with pytest.raises(ValueError, match=r"expected a seed from 0 to 2\*\*64 - 1, got"):
        deal_hands(seed, 0, 1)


@pytest.mark.parametrize(("first", "count"), [(-1, 1), (DEAL_LIMIT, 1), (0, -1)])
def test_numbers_out_of_range(first, count):
    with pytest.raises(ValueError, match="expected"):
        deal_hands(1, first, count)


def test_largest_seed_and_no_deals():
    assert deal_hands(SEED_LIMIT - 1, 0, 0).shape == (4, 0)
    assert deal_hands(SEED_LIMIT - 1, DEAL_LIMIT - 1, 1).shape == (4, 1)
