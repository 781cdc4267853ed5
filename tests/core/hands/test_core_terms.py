"""The core's terms equal those of :mod:`bidcascade.kernels.terms`."""

import ctypes

import numpy as np
import pytest

from bidcascade.kernels import term_names, terms
from bidcascade.kernels.packing.layout import HOLDINGS, Separable, shape_indices
from bidcascade.kernels.terms import PROFILES, Term, length
from bidcascade.table.language.vocabulary import Vocabulary
from tests.core.probes import build_probe

NAMES = sorted(term_names())


@pytest.fixture(scope="module")
def probe() -> ctypes.CDLL:
    return build_probe("terms")


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def facts_of(term: Term, profile: str) -> list[int]:
    suits = sum(1 << suit for suit, one in enumerate(term.by_suit) if one is not None)
    plain = sum(1 << suit for suit, one in enumerate(term.by_suit) if one is length)
    halves = term.name == "Playing_Tricks" or term.name == "QT"
    assert halves == (Vocabulary(profile)._lowered[term.name].scale == 2)
    return [
        term.low, term.high, term.boolean, halves, suits, plain,
        term.by_lengths is not None, term.by_context is not None,
    ]  # fmt: skip


def test_terms_are_numbered_by_name(probe: ctypes.CDLL) -> None:
    found = []
    for number in range(probe.term_count()):
        name = ctypes.create_string_buffer(32)
        probe.name_of(number, name)
        found.append(name.value.decode())
    assert found == NAMES


def test_shapes_are_in_order(probe: ctypes.CDLL) -> None:
    lengths, positions = np.zeros((560, 4), np.uint8), np.zeros(560, np.uint16)
    probe.shapes(pointer(lengths), pointer(positions))
    expected_lengths, expected_positions = shape_indices()
    assert np.array_equal(lengths, expected_lengths)
    assert np.array_equal(positions, expected_positions)


@pytest.mark.parametrize("profile", PROFILES)
def test_tables_are_equal(probe: ctypes.CDLL, profile: str) -> None:
    for number, name in enumerate(NAMES):
        suits, lengths = np.full((4, HOLDINGS), 99, np.int32), np.full(560, 99, np.int32)
        contexts, facts = np.full(16, 99, np.int32), np.full(8, 99, np.int32)
        tables = map(pointer, (suits, lengths, contexts, facts))
        probe.tabulate(PROFILES.index(profile), number, *tables)
        term = terms(profile)[name]
        expected = Separable.of_term(term)
        assert np.array_equal(suits, expected.suits), name
        assert np.array_equal(lengths, expected.lengths[shape_indices()[1]]), name
        assert np.array_equal(contexts, expected.contexts), name
        assert facts.tolist() == facts_of(term, profile), name
