"""Hands by shape and high card points: 560 exact shapes × 0-37 points, and sets of such cells.

A *cell* is all hands with the same four lengths (clubs, diamonds, hearts, spades) and the same HCP.
A set of cells is a Python int: bit ``shape * 38 + points``, so that union, intersection and
difference are ``|``, ``&`` and ``& ~``. This module holds the layout, the exact number of hands in
each cell, and the convolutions over the four suits that carry a function of single suits to cells.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels import terms
from bidcascade.kernels.layout import Separable
from bidcascade.kernels.lowering import LinearForm
from bidcascade.kernels.terms import all_lengths, high_card_points

SHAPES: Final = 560
POINTS: Final = 38
CELLS: Final = SHAPES * POINTS

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
Flags = NDArray[np.bool_]

_SUIT_POINTS: Final = 11
_HOLDINGS: Final = 1 << 13
_ROWS: Final = 14 * _SUIT_POINTS
_FAR: Final = np.int64(1 << 40)
"""Beyond every value of a linear form (expressions stay within 32 bits), or a sum of such."""
_WIDEST: Final = 64
"""Values apart that a form may take for its distribution to be worked out."""

LENGTHS: Final = np.array(all_lengths(), dtype=np.int64)
"""Lengths of the shapes, [560, 4]: clubs, diamonds, hearts, spades."""

_SHAPE_POSITIONS: Final = LENGTHS[:, 0] + 14 * LENGTHS[:, 1] + 196 * LENGTHS[:, 2]
"""Where each shape stands in the kernels' tables of 2,744 entries."""

_CARDS: Final = np.bitwise_count(np.arange(_HOLDINGS)).astype(np.int64)
_HIGH_CARDS: Final = np.array([high_card_points(holding) for holding in range(_HOLDINGS)])
_ROW: Final = _CARDS * _SUIT_POINTS + _HIGH_CARDS
_BY_ROW: Final = np.argsort(_ROW, kind="stable")
_ROWS_USED, _ROW_STARTS = np.unique(_ROW[_BY_ROW], return_index=True)

_TWO_LENGTHS: Final = [(one, two) for one in range(14) for two in range(14 - one)]
_ONE: Final = np.array([one for one, _ in _TWO_LENGTHS])
_TWO: Final = np.array([two for _, two in _TWO_LENGTHS])
_PAIR_NUMBER: Final = {pair: number for number, pair in enumerate(_TWO_LENGTHS)}
_MINORS: Final = np.array([_PAIR_NUMBER[int(c), int(d)] for c, d, _, _ in LENGTHS])
_MAJORS: Final = np.array([_PAIR_NUMBER[int(h), int(s)] for _, _, h, s in LENGTHS])


# --- convolutions over the four suits ------------------------------------------------------------


def _row_counts(allowed: Flags) -> F64:
    """How many allowed holdings a suit has, [points, length]."""
    counts = np.bincount(_ROW[allowed], minlength=_ROWS).reshape(14, _SUIT_POINTS)
    return counts.T.astype(np.float64)


def count_hands(allowed: Flags) -> F64:
    """Count the hands of each cell whose four holdings are all allowed.

    Parameters
    ----------
    allowed : bool [4, 8192]
        For clubs, diamonds, hearts, spades.

    Returns
    -------
    float64 [560, 38]
        Whole numbers, exact.
    """
    suits = [_row_counts(flags) for flags in allowed]
    halves = []
    for first, second in ((0, 1), (2, 3)):
        one, two = suits[first][:, _ONE], suits[second][:, _TWO]
        half = np.zeros((2 * _SUIT_POINTS - 1, len(_TWO_LENGTHS)))
        for points in range(_SUIT_POINTS):
            half[points : points + _SUIT_POINTS] += one[points] * two
        halves.append(half)
    minors, majors = halves[0][:, _MINORS], halves[1][:, _MAJORS]
    total = np.zeros((2 * len(minors) - 1, SHAPES))
    for points in range(len(minors)):
        total[points : points + len(minors)] += minors[points] * majors
    return np.ascontiguousarray(total[:POINTS].T)


HANDS: Final = count_hands(np.ones((4, _HOLDINGS), np.bool_))
"""Number of hands in each cell, float64 [560, 38]; they add up to 635,013,559,600."""

POSSIBLE: Final = HANDS > 0


def _least(tables: list[I64]) -> I64:
    """Least sum per cell of one value per suit, given the least of each length and points."""
    halves = []
    for first, second in ((0, 1), (2, 3)):
        one, two = tables[first][:, _ONE], tables[second][:, _TWO]
        half = np.full((2 * _SUIT_POINTS - 1, len(_TWO_LENGTHS)), _FAR, np.int64)
        for points in range(_SUIT_POINTS):
            part = half[points : points + _SUIT_POINTS]
            np.minimum(part, one[points] + two, out=part)
        halves.append(half)
    minors, majors = halves[0][:, _MINORS], halves[1][:, _MAJORS]
    total = np.full((2 * len(minors) - 1, SHAPES), _FAR, np.int64)
    for points in range(len(minors)):
        part = total[points : points + len(minors)]
        np.minimum(part, minors[points] + majors, out=part)
    return np.ascontiguousarray(total[:POINTS].T)


def _least_of_rows(values: I64) -> I64:
    table = np.full(_ROWS, _FAR, np.int64)
    table[_ROWS_USED] = np.minimum.reduceat(values[_BY_ROW], _ROW_STARTS)
    return np.ascontiguousarray(table.reshape(14, _SUIT_POINTS).T)


# --- terms and linear forms ----------------------------------------------------------------------


@lru_cache(maxsize=1024)
def term_tables(name: str, profile: str) -> Separable:
    """Tables of a kernel term, kept."""
    return Separable.of_term(terms(profile)[name])


class FormTables(NamedTuple):
    """Values of a linear form taken apart, int64: [4, 8192], [560, 1] and [16]."""

    suits: I64
    lengths: I64
    contexts: I64


def form_tables(form: LinearForm, profile: str) -> FormTables:
    """Tables of a linear form of kernel terms."""
    suits = np.zeros((4, _HOLDINGS), np.int64)
    lengths = np.zeros((SHAPES, 1), np.int64)
    contexts = np.zeros(16, np.int64)
    for name, factor in form:
        tables = term_tables(name, profile)
        suits += np.int64(factor) * tables.suits
        lengths += np.int64(factor) * tables.lengths[_SHAPE_POSITIONS][:, np.newaxis]
        contexts += np.int64(factor) * tables.contexts
    return FormTables(suits, lengths, contexts)


@dataclass(frozen=True, slots=True)
class Reach:
    """Smallest and largest value of a linear form in each cell, int64 [560, 38]."""

    low: I64
    high: I64
    fixed: bool
    """Whether every possible cell has one value only."""


@lru_cache(maxsize=256)
def reach(form: LinearForm, profile: str) -> Reach:
    """Smallest and largest value of a linear form over the hands of each cell."""
    tables = form_tables(form, profile)
    low = _least([_least_of_rows(suit) for suit in tables.suits])
    high = -_least([_least_of_rows(-suit) for suit in tables.suits])
    low += tables.lengths + tables.contexts.min()
    high += tables.lengths + tables.contexts.max()
    low.setflags(write=False)
    high.setflags(write=False)
    return Reach(low, high, bool((low == high)[POSSIBLE].all()))


def proportion_between(form: LinearForm, low: int, high: int, profile: str) -> F64 | None:
    """Share of each cell's hands where a form lies in [low, high]; None if it varies too widely.

    Contexts (seat and vulnerability) count as equally frequent. The counts come from one Fourier
    transform over (points, value) and are rounded to whole hands.
    """
    tables = form_tables(form, profile)
    bases = [int(suit.min()) for suit in tables.suits]
    width = sum(int(suit.max()) - base for suit, base in zip(tables.suits, bases, strict=True)) + 1
    if width > _WIDEST:
        return None
    size = 1 << ((4 * (_SUIT_POINTS - 1) + 1) * width).bit_length()
    spectra = []
    for suit, base in zip(tables.suits, bases, strict=True):
        place = _CARDS * _SUIT_POINTS * width + _HIGH_CARDS * width + suit - base
        counts = np.bincount(place, minlength=_ROWS * width).reshape(14, _SUIT_POINTS * width)
        spectra.append(np.fft.rfft(counts, size))
    minors = spectra[0][_ONE] * spectra[1][_TWO]
    majors = spectra[2][_ONE] * spectra[3][_TWO]
    hands = np.fft.irfft(minors[_MINORS] * majors[_MAJORS], size)
    hands = np.rint(hands[:, : POINTS * width]).reshape(SHAPES, POINTS, width)
    start = tables.lengths + sum(bases) + np.arange(width)
    share = np.zeros((SHAPES, POINTS))
    shifts, weights = np.unique(tables.contexts, return_counts=True)
    for shift, weight in zip(shifts, weights, strict=True):
        inside = (start + shift >= low) & (start + shift <= high)
        share += weight / len(tables.contexts) * np.einsum("spv,sv->sp", hands, inside)
    return np.divide(share, HANDS, out=np.zeros_like(share), where=POSSIBLE)


# --- sets of cells -------------------------------------------------------------------------------


def to_cells(flags: Flags) -> int:
    """Set of the possible cells that are flagged, from bool [560, 38]."""
    return int.from_bytes(np.packbits(flags & POSSIBLE, bitorder="little").tobytes(), "little")


def to_flags(cells: int) -> Flags:
    """Turn a set of cells into flags, bool [560, 38]."""
    packed = np.frombuffer(cells.to_bytes(CELLS // 8, "little"), np.uint8)
    return np.unpackbits(packed, bitorder="little").view(np.bool_).reshape(SHAPES, POINTS)


EVERYTHING: Final = to_cells(POSSIBLE)
"""Every cell that some hand is in."""
