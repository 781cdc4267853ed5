"""The columns of a wide frame of deals: names, types, what they hold.

For each of the four hands every term of the vocabulary, every card among them, the exact shape,
and the truth of every expression of a table; for each deal double-dummy tricks and par where the
source has them. The page ``docs/augmented-columns.md`` is written from this file.
"""

from typing import Final

import numpy as np
import polars as pl

from bidcascade.bridge import SEATS
from bidcascade.kernels import DealArrays
from bidcascade.kernels.terms import all_lengths
from bidcascade.loaders.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS, PAR_COLUMN
from bidcascade.table import Vocabulary
from bidcascade.table.compass import compass_name
from bidcascade.table.language.term_catalogue import FAMILIES, TermFamily

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
        found[compass_name(SHAPE, letter)] = texts.gather(numbers[key])
    return found


_SHAPES: Final = {
    clubs + 16 * diamonds + 256 * hearts: f"{spades}={hearts}={diamonds}={clubs}"
    for clubs, diamonds, hearts, spades in all_lengths()
}
"""Text of each shape by its lengths of clubs, diamonds and hearts, four bits each."""


# --- the page ------------------------------------------------------------------------------------

_HEAD = """\
# Columns of augmented deals

`augment --wide` writes one row a deal: the columns of the deal frame
([deal-frame.md](deal-frame.md)) and behind them the columns of this page. `p` stands for the hand's
compass seat, N, E, S or W; `x` for a suit, C, D, H or S; `R` for a rank, 2 to 9, T, J, Q, K, A. In
the meanings L is the length of the suit, h the high card points in it. A name is that of the term
with the seat before the suit: `SL_S` of North is `SL_N_S`.

```sh
bidcascade deals 1000 --seed 1 --out deals.parquet
bidcascade augment deals.parquet --wide --table sayc --out wide.parquet
```

```text
bidcascade: wrote 1,000 deals to deals.parquet (Parquet)
bidcascade: 1,000 boards, 0 rejects
bidcascade: wrote 1,000 deals to wide.parquet (Parquet)
```

```pycon
>>> import polars as pl
>>> wide = pl.scan_parquet("wide.parquet")
>>> wide.select("HCP_N", "SL_N_S", "C_N_SA", "Shape_N").head(1).collect().row(0)
(8, 5, True, '5=2=4=2')
```

Without `--wide` only what is asked for is added ([command-line.md](command-line.md#augment)).
Rows are written in chunks; the file is there when all of it is, or not at all.

This page is written by `augmented_columns_markdown()` in `service/jobs/wide_columns.py`.

## Terms

Four columns each, or sixteen with a suit. Meanings are those of the profile `gib`; where `mlbridge`
differs, [terms.md](terms.md) says how.

| columns | type | meaning |
| --- | --- | --- |
"""

_TAIL = f"""
## Expressions

Each expression of the table that is no such term, once for each seat, as Boolean columns named by
its canonical text with the seat in its terms: `HCP_N >= 15`, `SL_E_S >= SL_E_H`. Tags are left out.
`--expressions FILE` adds others, `--auctions` whether deals reach entries of the table (`1N P 3N`).

## Results

There if one of the sources has them: a PBN file with the tags `DoubleDummyTricks`,
`OptimumResultTable` or `OptimumScore`, or a Parquet file with these columns. Null where a deal has
none.

| columns | type | meaning |
| --- | --- | --- |
| `DD_p_z` | UInt8 | tricks of declarer p, double dummy; z is the strain, C, D, H, S or N |
| `{PAR_COLUMN}` | Int16 | par score from the view of North-South |
| `{PAR_CONTRACTS_COLUMN}` | List(String) | the contracts that reach par: `4SX-EW-1` |

`--dd` solves what is missing.
"""


def augmented_columns_markdown() -> str:
    """Text of the page of augmented columns.

    Examples
    --------
    >>> augmented_columns_markdown().splitlines()[0]
    '# Columns of augmented deals'
    """
    vocabulary = Vocabulary()
    rows = [_row(_pattern(family), term_type(family.names[0], vocabulary), _meaning(family))
            for family in FAMILIES]  # fmt: skip
    points = "distribution points: what `Total_Points` has beyond `HCP`"
    rows.append(_row("DP_p", term_type(DISTRIBUTION_POINTS, vocabulary), points))
    lengths = "lengths of spades, hearts, diamonds and clubs: `5=3=3=2`"
    rows.append(_row("Shape_p", pl.String(), lengths))
    rows.append("| a term of the table's own | by its values | its formula |\n")
    return _HEAD + "".join(rows) + _TAIL


def _pattern(family: TermFamily) -> str:
    if family.stem == "C":
        return "C_p_xR"
    return f"{family.stem}_p" if family.names == (family.stem,) else f"{family.stem}_p_x"


def _meaning(family: TermFamily) -> str:
    if family.stem == "Pattern":
        return "the four lengths, longest first: `5332` (A to D for 10 to 13)"
    return family.meaning.replace("{suit}", "x")


def _row(pattern: str, dtype: pl.DataType, meaning: str) -> str:
    return f"| `{pattern}` | {dtype} | {meaning} |\n"
