"""Expressions over the four hands of deals: what a backend evaluates, and columns of its bits."""

from collections.abc import Sequence
from functools import lru_cache

import polars as pl

from bidcascade.bridge import SEATS
from bidcascade.kernels import BitColumns, Plan
from bidcascade.kernels.plan import expressions_plan
from bidcascade.table import Vocabulary, parse_expression, to_postfix
from bidcascade.table.language.seat_terms import seat_expression


def evaluation_plan(
    expressions: Sequence[str] | str, vocabulary: Vocabulary
) -> tuple[Plan, list[list[str]]]:
    """Plan that only evaluates expressions, and for each the names of its four columns.

    One alone may be a text; its letters would else be taken for expressions.
    """
    return _planned((expressions,) if isinstance(expressions, str) else (*expressions,), vocabulary)


# a run asks for every chunk; the expressions of a system are some ten thousand
@lru_cache(maxsize=2)
def _planned(expressions: tuple[str, ...], vocabulary: Vocabulary) -> tuple[Plan, list[list[str]]]:
    trees = list(dict.fromkeys(parse_expression(text) for text in expressions))
    codes = tuple(to_postfix(tree, vocabulary) for tree in trees)
    names = [[seat_expression(tree, letter) for letter in SEATS] for tree in trees]
    return expressions_plan(codes, vocabulary.profile), names


def expression_columns(bits: BitColumns, names: Sequence[Sequence[str]]) -> pl.DataFrame:
    """Bit columns of expressions as a frame, four columns each; nothing is copied."""
    return pl.DataFrame(
        {
            name: pl.Series(bits.arrow(number, seat))
            for number, row in enumerate(names)
            for seat, name in enumerate(row)
        }
    )
