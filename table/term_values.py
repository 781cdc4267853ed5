"""Values of terms over deals, by tables of holdings, shapes and contexts: no Python per deal."""

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels import DealArrays
from bidcascade.kernels.packing.layout import evaluate_tree, term_tables
from bidcascade.kernels.packing.literals import term_names_in

from .language.vocabulary import Vocabulary


def term_values(
    name: str, seat: int, deals: DealArrays, vocabulary: Vocabulary
) -> NDArray[np.int64]:
    """Values of a term for one seat (0-3) of each deal, int64[n], in the kernels' unit.

    Raises
    ------
    UnknownTerm, InvalidExpression
        If the vocabulary lacks the term, or it is a tag.

    Examples
    --------
    >>> hands = np.array([[0x1FFF], [0x1FFF << 13], [0x1FFF << 26], [0x1FFF << 39]], np.uint64)
    >>> deals = DealArrays(hands, np.zeros(1, np.uint8), np.zeros(1, np.uint8))
    >>> term_values("SL_H", 2, deals, Vocabulary())
    array([13])
    """
    tree = vocabulary.lowered_term(name).tree
    values = {
        part: _kernel_term_values(part, seat, deals, vocabulary.profile)
        for part in term_names_in(tree)
    }
    return np.broadcast_to(evaluate_tree(tree, values), len(deals)).astype(np.int64)


def _kernel_term_values(name: str, seat: int, deals: DealArrays, profile: str) -> NDArray[np.int64]:
    tables = term_tables(name, profile)
    holdings = [
        (deals.hands[seat] >> np.uint64(13 * suit)) & np.uint64(0x1FFF) for suit in range(4)
    ]
    total = np.zeros(len(deals), np.int64)
    for suit, holding in enumerate(holdings):
        if tables.suits[suit].any():
            total += tables.suits[suit][holding]
    if tables.lengths.any():
        clubs, diamonds, hearts = (np.bitwise_count(one).astype(np.int64) for one in holdings[:3])
        total += tables.lengths[clubs + 14 * diamonds + 196 * hearts]
    if tables.contexts.any():
        ours = deals.vulnerability >> np.uint8(seat & 1) & 1
        theirs = deals.vulnerability >> np.uint8(1 - (seat & 1)) & 1
        total += tables.contexts[((seat - deals.dealer) & 3) + 4 * ours + 8 * theirs]
    return total
