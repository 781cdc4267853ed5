"""The columns of a wide frame of deals: names, types, what they hold.

For each of the four hands every term of the vocabulary, every card among them, the exact shape,
and the truth of every expression of a table; for each deal double-dummy tricks and par where the
source has them. The page ``docs/augmented-columns.md`` tells of them all.
"""

from typing import Final

import numpy as np
import polars as pl

from bidcascade.bridge import SEATS
from bidcascade.kernels import DealArrays
from bidcascade.kernels.terms import all_lengths
from bidcascade.loaders.pbn.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS, PAR_COLUMN
from bidcascade.table import Vocabulary
from bidcascade.table.language.seat_terms import seat_term
from bidcascade.table.language.term_catalogue import FAMILIES

DISTRIBUTION_POINTS: Final = "DP"
"""The one name of the vocabulary for an expression of which there are columns, too."""

SHAPE: Final = "Shape"

PAR_CONTRACTS_COLUMN: Final = "Par_Contracts"

RESULT_SCHEMA: Final[dict[str, pl.DataType]] = {
    **{name: pl.UInt8() for name in DOUBLE_DUMMY_COLUMNS},
    PAR_COLUMN: pl.Int16(),
    PAR_CONTRACTS_COLUMN: pl.List(pl.String()),
}
"""Columns that are there if a source has them; null where a deal has none."""

_INTEGERS: Final[tuple[tuple[type[np.integer], pl.DataType], ...]] = (
    (np.uint8, pl.UInt8()), (np.int8, pl.Int8()), (np.uint16, pl.UInt16()),
    (np.int16, pl.Int16()), (np.int32, pl.Int32()),
)  # fmt: skip


def wide_terms(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Terms of which a wide frame has columns: all of the kernels', ``DP``, the user's own."""
    names = [name for family in FAMILIES for name in family.names]
    return (*names, DISTRIBUTION_POINTS, *vocabulary.user_terms)


def term_type(term: str, vocabulary: Vocabulary) -> pl.DataType:
    """Type of the columns of a term.

    Boolean, String for patterns, Float32 for what is counted in halves, else the smallest integer
    type that holds every value.
    """
    if term == "Pattern":
        return pl.String()
    if vocabulary.is_boolean(term):
        return pl.Boolean()
    if vocabulary.scale(term) != 1:
        return pl.Float32()
    low, high = vocabulary.range(term)
    for kind, dtype in _INTEGERS:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return dtype
    return pl.Int64()


def shape_columns(deals: DealArrays) -> dict[str, pl.Series]:
    """Columns ``Shape_N`` to ``Shape_W``: lengths of spades, hearts, diamonds, clubs."""
    texts = pl.Series(list(_SHAPES.values()), dtype=pl.String)
    numbers = np.zeros(1 << 12, np.uint32)
    numbers[list(_SHAPES)] = np.arange(len(_SHAPES))
    found = {}
    for seat, letter in enumerate(SEATS):
        key = np.zeros(len(deals), np.uint32)
        for suit in range(3):
            holding = (deals.hands[seat] >> np.uint64(13 * suit)) & np.uint64(0x1FFF)
            key += np.bitwise_count(holding).astype(np.uint32) << np.uint32(4 * suit)
        found[seat_term(SHAPE, letter)] = texts.gather(numbers[key])
    return found


_SHAPES: Final = {
    clubs + 16 * diamonds + 256 * hearts: f"{spades}={hearts}={diamonds}={clubs}"
    for clubs, diamonds, hearts, spades in all_lengths()
}
"""Text of each shape by its lengths of clubs, diamonds and hearts, four bits each."""
