"""Priority among the calls that may follow one another in a mined table.

``specificity``: described calls first, those that fewest hands fit before the others; a call that
says more about its hand is then not taken away by one that says little. ``frequency``: described
calls first, the most frequent before the others. ``file``: as the published tables stand, by the
text of the call as their files spell it (``1C 1D 1H 1N 1S 2C … 7S d p r``).

How many hands fit is counted on the hands of fixed random deals, the same for every table.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidInput
from bidcascade.kernels import DealArrays, get_backend
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.plan import expressions_plan
from bidcascade.kernels.types import U8, U32
from bidcascade.table.formats.literal import FILE_CALLS
from bidcascade.table.language.expressions import parse_expression, to_postfix
from bidcascade.table.language.vocabulary import Vocabulary

I64 = NDArray[np.int64]

Rank: TypeAlias = Literal["file", "frequency", "specificity"]
RANKS: Final[tuple[Rank, ...]] = ("file", "frequency", "specificity")

SAMPLE_DEALS: Final = 1 << 14
"""Random deals whose hands are counted."""
SAMPLE_SEED: Final = 2026
_AT_ONCE: Final = 256


def sibling_order(rank: Rank, parent: U32, call: U8, count: U32, criteria: I64, hands: I64) -> I64:
    """Sort the nodes of a trie by parent, and those of one parent by priority.

    Parameters
    ----------
    rank : {"file", "frequency", "specificity"}
    parent, call, count : arrays [nodes]
    criteria : int64 [nodes]
        Number of the criteria list; 0 where there is none.
    hands : int64 [lists]
        How many hands of a sample fit each list.

    Examples
    --------
    >>> zeros = np.zeros(3, np.uint32)
    >>> call, count = np.array([0, 3, 7], np.uint8), np.array([90, 20, 15], np.uint32)
    >>> criteria, hands = np.array([0, 1, 2]), np.array([1000, 170, 55])
    >>> [sibling_order(rank, zeros, call, count, criteria, hands).tolist() for rank in RANKS]
    [[1, 2, 0], [1, 2, 0], [2, 1, 0]]
    """
    if rank not in RANKS:
        raise InvalidInput(f"expected a rank of {', '.join(RANKS)}, got {rank!r}")
    text_place = np.argsort(np.argsort(np.array(FILE_CALLS)))[call]
    if rank == "file":
        order: I64 = np.lexsort((text_place, parent))
        return order
    undescribed = criteria == 0
    fitting = np.where(undescribed, 0, hands[criteria])
    rarer = -count.astype(np.int64)
    keys = (rarer, fitting) if rank == "specificity" else (fitting, rarer)
    return np.lexsort((text_place, *keys, undescribed, parent))


def fitting_hands(
    lists: Sequence[Sequence[int]], expressions: Sequence[str], vocabulary: Vocabulary
) -> I64:
    """Count the hands of the sample that fit each list of expressions.

    Parameters
    ----------
    lists : sequence of sequences of int
        Numbers of expressions that must all hold.
    expressions : sequence of str

    Examples
    --------
    >>> hands = fitting_hands([[], [0], [0, 1]], ["HCP >= 12", "HCP >= 37"], Vocabulary())
    >>> hands[0], 0.3 < hands[1] / hands[0] < 0.4, hands[2]
    (np.int64(65536), np.True_, np.int64(0))
    """
    words = SAMPLE_DEALS // 64 * 4
    columns = np.empty((len(expressions), words), np.uint64)
    codes = [to_postfix(parse_expression(text), vocabulary) for text in expressions]
    backend = get_backend()
    for first in range(0, len(codes), _AT_ONCE):
        some = codes[first : first + _AT_ONCE]
        # different texts may mean the same test, which a plan has once
        distinct = list(dict.fromkeys(some))
        bits = backend.evaluate(expressions_plan(distinct, vocabulary.profile), _sample()).words
        places = [distinct.index(code) for code in some]
        columns[first : first + len(some)] = bits.reshape(len(distinct), words)[places]
    counts = np.empty(len(lists), np.int64)
    for number, numbers in enumerate(lists):
        if not numbers:
            counts[number] = SAMPLE_DEALS * 4
            continue
        both = columns[numbers[0]]
        for expression in numbers[1:]:
            both = both & columns[expression]
        counts[number] = int(np.bitwise_count(both).sum(dtype=np.int64))
    return counts


@lru_cache(maxsize=1)
def _sample() -> DealArrays:
    hands = deal_hands(SAMPLE_SEED, 0, SAMPLE_DEALS)
    nobody = np.zeros(SAMPLE_DEALS, np.uint8)
    return DealArrays(hands, nobody, nobody)
