"""The default vocabulary as data for the page's engine: tables of its terms, and its aliases."""

from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.layout import HOLDINGS, Separable, shape_indices
from bidcascade.kernels.terms import Term, terms

from .term_catalogue import ALIASES
from .vocabulary import Vocabulary

_RANKS: Final = 13
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def vocabulary_data() -> dict[str, Any]:
    """Tables of ``engine/terms_data.js``.

    ``suits`` are the functions of one suit's holding, each as the cards that count one by one and
    the values, a digit of base 36 each, by those cards and how many others there are; ``lengths``
    are functions by the 560 shapes, ``contexts`` by the 16 contexts. A term names its functions by
    number: ``[name, low, high, boolean, [clubs, diamonds, hearts, spades], lengths, contexts]``.
    ``halves`` are the terms that count halves of what they are called.
    """
    vocabulary = Vocabulary()
    catalogue = terms(vocabulary.profile)
    _, positions = shape_indices()
    suits: dict[tuple[int, str], int] = {}
    shapes: dict[tuple[int, ...], int] = {}
    by_context: dict[tuple[int, ...], int] = {}

    def row(term: Term) -> list[Any]:
        tables = Separable.of_term(term)
        parts = [
            _number(suits, _by_cards(table)) if function else None
            for function, table in zip(term.by_suit, tables.suits, strict=True)
        ]
        lengths = _number(shapes, tuple(tables.lengths[positions].tolist()))
        context = _number(by_context, tuple(tables.contexts.tolist()))
        return [
            term.name, term.low, term.high, int(term.boolean), parts,
            lengths if term.by_lengths else None, context if term.by_context else None,
        ]  # fmt: skip

    return {
        "terms": [row(term) for term in catalogue.values()],
        "halves": [name for name in catalogue if vocabulary.scale(name) == 2],
        "suits": list(suits),
        "lengths": list(shapes),
        "contexts": list(by_context),
        "aliases": {name: text for one in ALIASES for name, text in one.spelled_out().items()},
    }


def _number(known: dict[Any, int], value: Any) -> int:
    return known.setdefault(value, len(known))


def _by_cards(values: NDArray[np.int32]) -> tuple[int, str]:
    """Write a function of a holding by the cards that are not as good as most, and the others."""
    holdings = np.arange(HOLDINGS)
    # cards that may change places without changing a value are of one class
    alike = {card: {card} for card in range(_RANKS)}
    for one, two in combinations(range(_RANKS), 2):
        flips = (holdings >> one ^ holdings >> two) & 1
        if (values[holdings ^ (flips << one | flips << two)] == values).all():
            alike[one].add(two)
            alike[two].add(one)
    others = max(alike.values(), key=len)
    single = [card for card in range(_RANKS) if card not in others]
    pool = sorted(others)
    digits = [
        _DIGITS[
            values[
                sum(1 << card for place, card in enumerate(single) if held >> place & 1)
                + sum(1 << card for card in pool[:count])
            ]
        ]
        for held in range(1 << len(single))
        for count in range(len(pool) + 1)
    ]
    return sum(1 << card for card in single), "".join(digits)
