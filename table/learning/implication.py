"""Which expression follows from which: ``HCP >= 15`` does from ``HCP >= 17``.

Four ways, the cheap ones first. Ranges of one lane are compared. A sample of hands has every shape
and every holding of each suit, so it settles all pairs that ask for lengths alone or for one suit
alone; of the others it rules out almost all. What is left is asked of the analysis of criteria,
which says of "the one without the other" whether some hand fits. It proves what it says; what it
cannot prove does not follow.
"""

from collections.abc import Sequence
from functools import cache, cached_property
from typing import Final

import numpy as np

from bidcascade.kernels import DealArrays, terms
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.lowering import term_names_in, to_tree
from bidcascade.kernels.terms import all_lengths, length
from bidcascade.kernels.types import U64
from bidcascade.table.decisions import expression_rows
from bidcascade.table.language.criteria import is_satisfiable
from bidcascade.table.language.expressions import Not, parse_expression, to_postfix
from bidcascade.table.language.vocabulary import Vocabulary

from .measures import LaneRange, Measures

_SAMPLE: Final = 8192
_SEED: Final = 41
_LENGTHS: Final = "lengths"


class Implications:
    """Says of the expressions of some measures which ones follow from which.

    Examples
    --------
    >>> from bidcascade.table.language.vocabulary import Vocabulary
    >>> from .measures import make_measures
    >>> texts = ["HCP >= 15", "HCP >= 12", "Balanced", "SL_C >= 2"]
    >>> implications = Implications(make_measures(Vocabulary(), expressions=texts))
    >>> implications.follows(0, 1), implications.follows(1, 0), implications.follows(2, 3)
    (True, False, True)
    """

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._proved: dict[tuple[int, int], bool] = {}
        self._reads: dict[int, frozenset[str]] = {}

    @cached_property
    def _sample(self) -> U64:
        """Bits of all expressions on a sample of hands, uint64[expressions, words]."""
        hands = sample_hands()
        every = np.arange(hands.shape[1])
        deals = DealArrays(hands, (every % 4).astype(np.uint8), (every // 4 % 4).astype(np.uint8))
        texts = self._measures.expressions
        rows = expression_rows(texts, deals, self._measures.vocabulary)
        bits = np.unpackbits(rows.view(np.uint8), axis=1, count=len(texts), bitorder="little")
        packed = np.packbits(bits.T, axis=1, bitorder="little")
        padded = np.zeros((len(texts), -(-packed.shape[1] // 8) * 8), np.uint8)
        padded[:, : packed.shape[1]] = packed
        return padded.view(np.uint64)

    def follows(self, one: int, other: int) -> bool:
        """Whether every hand with expression ``one`` has expression ``other``, as far as proved."""
        pair = one, other
        if pair not in self._proved:
            self._proved[pair] = self._follows(one, other)
        return self._proved[pair]

    def _follows(self, one: int, other: int) -> bool:
        left, right = self._measures.sources[one], self._measures.sources[other]
        if isinstance(left, LaneRange) and isinstance(right, LaneRange) and left[0] == right[0]:
            return right.low <= left.low and left.high <= right.high
        if (self._sample[one] & ~self._sample[other]).any():
            return False
        if self._what_is_read(one) & self._what_is_read(other):
            return True
        texts = self._measures.expressions
        only = [parse_expression(texts[one]), Not(parse_expression(texts[other]))]
        return is_satisfiable(only, self._measures.vocabulary) is not None

    def some_hand_fits(self, numbers: Sequence[int]) -> bool:
        """Whether a hand of the sample has all of some expressions."""
        return bool(np.bitwise_and.reduce(self._sample[list(numbers)], axis=0).any())

    def _what_is_read(self, number: int) -> frozenset[str]:
        if number not in self._reads:
            text = self._measures.expressions[number]
            self._reads[number] = read_alone(text, self._measures.vocabulary)
        return self._reads[number]

    def comparable(self, one: int, other: int) -> bool:
        """Whether one of two expressions follows from the other."""
        return self.follows(one, other) or self.follows(other, one)


def read_alone(text: str, vocabulary: Vocabulary) -> frozenset[str]:
    """Name what alone decides an expression: ``lengths``, one suit's letter, both, or nothing.

    Examples
    --------
    >>> sorted(read_alone("SL_S >= 5", Vocabulary())), sorted(read_alone("Balanced", Vocabulary()))
    (['S', 'lengths'], ['lengths'])
    >>> read_alone("HCP >= 15", Vocabulary())
    frozenset()
    """
    names = term_names_in(to_tree(to_postfix(parse_expression(text), vocabulary)))
    found = {_LENGTHS, *"CDHS"}
    for name in names:
        term = terms(vocabulary.profile)[name]
        suits = {
            letter for letter, part in zip("CDHS", term.by_suit, strict=True) if part is not None
        }
        only_lengths = all(part in (None, length) for part in term.by_suit)
        if term.by_context is not None:
            return frozenset()
        if not only_lengths:
            found.discard(_LENGTHS)
        if term.by_lengths is not None or len(suits) != 1:
            found -= set("CDHS")
        else:
            found &= suits | {_LENGTHS}
    return frozenset(found)


@cache
def sample_hands() -> U64:
    """Hands with every shape and every holding of each suit, and random ones, uint64[4, n]."""
    every = 1 << 13
    chance = np.random.default_rng(_SEED)
    held = np.zeros((4 * every + 560, 52), np.bool_)
    places = chance.random((4 * every, 52))
    suits, ranks = np.divmod(np.arange(52), 13)
    for suit in range(4):
        rows = slice(suit * every, (suit + 1) * every)
        holding = (np.arange(every)[:, None] >> ranks & 1).astype(np.bool_)
        own = holding & (suits == suit)
        # the holding comes first, the suit's other cards last, the rest is chance between
        places[rows] += np.where(suits == suit, np.where(own, -2, 2), 0)
    chosen = np.argsort(places, axis=1)[:, :13]
    held[np.arange(4 * every)[:, None], chosen] = True
    for number, lengths in enumerate(all_lengths()):
        for suit, cards in enumerate(lengths):
            held[4 * every + number, 13 * suit : 13 * suit + cards] = True
    packed: U64 = (held.astype(np.uint64) << np.arange(52, dtype=np.uint64)).sum(
        axis=1, dtype=np.uint64
    )
    whole = packed.reshape(4, -1)
    return np.concatenate([whole, deal_hands(_SEED, 0, _SAMPLE)], axis=1)
