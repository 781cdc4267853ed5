"""Deals with columns of what their hands are worth: terms, expressions, entries that they reach.

Columns say whose hand they are about: ``HCP_N``, ``SL_N_S``, ``Stopper_N_C``, ``SL_N_S >= 5`` (see
``table.language.seat_terms``). Columns of entries are named by the auction: ``1N P 3N``.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from bidcascade.bridge import SEATS, InvalidExpression, InvalidInput
from bidcascade.engine.engine import Engine
from bidcascade.loaders import deal_arrays
from bidcascade.table import Vocabulary, parse_expression, to_postfix
from bidcascade.table.language.seat_terms import seat_term
from bidcascade.table.term_values import term_values

from .wide_columns import term_type

DEFAULT_TERMS = ("HCP", "SL_C", "SL_D", "SL_H", "SL_S", "Balanced")
"""Terms of which there are columns unless others are asked for."""


def augment(
    engine: Engine,
    frame: pl.DataFrame,
    *,
    terms: Sequence[str] = (),
    expressions: Sequence[str] = (),
    auctions: Sequence[str] = (),
) -> pl.DataFrame:
    """Deal frame with further columns.

    Parameters
    ----------
    engine : Engine
        Gives the vocabulary and the entries or auctions; its backend computes.
    frame : polars.DataFrame
        Deal frame.
    terms : sequence of str
        Terms; four columns each. Numbers in the smallest fitting integer type (quick tricks as
        Float32), truth values as Boolean, Pattern as text (``5332``).
    expressions : sequence of str
        Expressions about one hand; four Boolean columns each, the bits of the kernel as they are.
    auctions : sequence of str
        Auctions of the table, or any legal ones of a system; a Boolean column each: whether the
        deal reaches that entry, or may be bid so.

    Raises
    ------
    UnknownTerm, InvalidExpression, InvalidTable
        If a term, expression or auction is none.

    Examples
    --------
    >>> from bidcascade.loaders import random_deals
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}])
    >>> deals = random_deals(5, seed=1)
    >>> wide = augment(Engine(table), deals, terms=["SL_S"], expressions=["HCP >= 15"])
    >>> wide.columns[-8:]
    ['SL_N_S', 'SL_E_S', 'SL_S_S', 'SL_W_S', 'HCP_N >= 15', 'HCP_E >= 15', 'HCP_S >= 15', \
'HCP_W >= 15']
    """
    vocabulary = engine.vocabulary
    for text in terms:
        vocabulary.lowered_term(text)
    truths = [text for text in terms if vocabulary.is_boolean(text)]
    evaluated = engine.evaluate(frame, [*truths, *expressions]) if truths or expressions else None
    columns: dict[str, pl.Series] = {}
    if any(text not in truths for text in terms):
        deals = deal_arrays(frame)
    for text in terms:
        for seat, letter in enumerate(SEATS):
            name = seat_term(text, letter)
            if text in truths and evaluated is not None:
                columns[name] = evaluated[name]
                continue
            values = term_values(text, seat, deals, vocabulary)
            columns[name] = _typed(text, values, engine)
    if evaluated is not None:
        columns |= {name: evaluated[name] for name in evaluated.columns if name not in columns}
    if auctions:
        columns |= engine.members(frame, auctions).to_dict()
    taken = [name for name in columns if name in frame.columns]
    if taken:
        raise InvalidExpression(f"expected new columns, got {taken[0]!r}, which is there already")
    return frame.with_columns(**columns)


def _typed(
    term: str, values: "np.ndarray[tuple[int], np.dtype[np.int64]]", engine: Engine
) -> pl.Series:
    vocabulary = engine.vocabulary
    if term == "Pattern":
        found, place = np.unique(values, return_inverse=True)
        texts = pl.Series([f"{value:X}" for value in found.tolist()], dtype=pl.String)
        return texts.gather(place.astype(np.uint32))
    scale = vocabulary.scale(term)
    scaled = values if scale == 1 else (values / scale).astype(np.float32)
    return pl.Series(scaled).cast(term_type(term, vocabulary))


def read_expressions(text: str, source: str, vocabulary: Vocabulary) -> list[str]:
    r"""Read expressions, one a line; empty lines and lines that begin with ``#`` are skipped.

    Raises
    ------
    InvalidInput
        If a line is no expression of the vocabulary; names the file and line.
    """
    expressions = []
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        try:
            to_postfix(parse_expression(content), vocabulary)
        except InvalidExpression as error:
            first = str(error).partition("\n")[0]
            raise InvalidInput(f"{source}, line {number}: {first}") from None
        expressions.append(content)
    return expressions
