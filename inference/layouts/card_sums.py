"""Sums over cards: forms of terms such as ``HCP_N + HCP_S`` to which each card adds its own."""

from functools import lru_cache

import numpy as np

from bidcascade.kernels import terms
from bidcascade.kernels.layout import Separable
from bidcascade.kernels.lowering import LinearForm
from bidcascade.table import Vocabulary
from bidcascade.table.compass import compass_vocabulary

from .drawing import I64


def weights_of(form: LinearForm, vocabulary: Vocabulary) -> I64 | None:
    """Tell what each card adds to a form in each seat, int64[52, 4]; None if it is no such sum."""
    names = compass_vocabulary(vocabulary)
    found = np.zeros((52, 4), np.int64)
    for name, factor in form:
        term, seat = names.origin[name]
        weights = _weights_of_term(term, vocabulary.profile)
        if weights is None:
            return None
        found[:, seat] += factor * weights
    return found


@lru_cache(maxsize=256)
def term_tables(term: str, profile: str) -> Separable:
    """Values of a term taken apart, kept."""
    return Separable.of_term(terms(profile)[term])


@lru_cache(maxsize=256)
def _weights_of_term(term: str, profile: str) -> I64 | None:
    tables = term_tables(term, profile)
    if tables.lengths.any() or tables.contexts.any():
        return None
    cards = tables.suits[:, 1 << np.arange(13)].astype(np.int64)
    holds = np.arange(tables.suits.shape[1])[:, np.newaxis] >> np.arange(13) & 1
    return cards.reshape(52) if (cards @ holds.T == tables.suits).all() else None
