"""Sums over cards: forms of terms such as ``HCP_N + HCP_S`` to which each card adds its own.

Other forms, such as ``Losers_N``, are sums over holdings: of what a suit's high cards and its
length say.
"""

from functools import lru_cache

import numpy as np

from bidcascade.kernels.packing.layout import term_tables
from bidcascade.kernels.packing.literals import LinearForm
from bidcascade.kernels.types import I64
from bidcascade.table import Vocabulary
from bidcascade.table.language.seat_terms import seat_vocabulary

from .deal_constraints import OfHolding


def weights_of(form: LinearForm, vocabulary: Vocabulary) -> I64 | None:
    """Tell what each card adds to a form in each seat, int64[52, 4]; None if it is no such sum."""
    names = seat_vocabulary(vocabulary)
    found = np.zeros((52, 4), np.int64)
    for name, factor in form:
        term, seat = names.origin[name]
        weights = _weights_of_term(term, vocabulary.profile)
        if weights is None:
            return None
        found[:, seat] += factor * weights
    return found


@lru_cache(maxsize=256)
def _weights_of_term(term: str, profile: str) -> I64 | None:
    tables = term_tables(term, profile)
    if tables.lengths.any() or tables.contexts.any():
        return None
    cards = tables.suits[:, 1 << np.arange(13)].astype(np.int64)
    holds = np.arange(tables.suits.shape[1])[:, np.newaxis] >> np.arange(13) & 1
    return cards.reshape(52) if (cards @ holds.T == tables.suits).all() else None


def is_of_holdings(form: LinearForm, vocabulary: Vocabulary) -> bool:
    """Tell whether a form is a sum of what the holdings of its hands say, each by itself."""
    names = seat_vocabulary(vocabulary)
    for name, _ in form:
        term, _ = names.origin[name]
        tables = term_tables(term, vocabulary.profile)
        if tables.lengths.any() or tables.contexts.any():
            return False
    return True


def holdings_of(form: LinearForm, vocabulary: Vocabulary) -> list[OfHolding]:
    """Take a form apart that :func:`is_of_holdings`."""
    names = seat_vocabulary(vocabulary)
    suits = np.zeros((4, 4, 1 << 13), np.int64)
    for name, factor in form:
        term, seat = names.origin[name]
        suits[seat] += factor * term_tables(term, vocabulary.profile).suits
    return [
        _of_holding(seat, suit, suits[seat, suit])
        for seat in range(4)
        for suit in range(4)
        if suits[seat, suit].any()
    ]


def _of_holding(seat: int, suit: int, by_holding: I64) -> OfHolding:
    """Tell a suit's holdings apart by as few high cards as decide, and by length."""
    holds = np.arange(1 << 13)[:, np.newaxis] >> np.arange(13) & 1
    for high in range(14):
        own = np.full(13, 1 << high, np.int64)
        own[13 - high :] += 1 << np.arange(high)
        places = holds @ own
        values = np.full((14 << high) + (1 << high), by_holding[0], np.int64)
        values[places] = by_holding
        if (values[places] == by_holding).all():
            break
    codes = np.zeros(52, np.int64)
    codes[13 * suit : 13 * suit + 13] = own
    return OfHolding(seat, suit, codes, values)
