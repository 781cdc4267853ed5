"""Tests of packed hands made of criteria one after the other, from the kernels' own layout."""

from typing import Any

import numpy as np

from bidcascade.kernels import DealArrays
from bidcascade.kernels.core import rows
from bidcascade.kernels.packing.alternatives import Alternatives, alternatives_of
from bidcascade.kernels.packing.layout import (
    FLAGS_PER_WORD,
    LANES_PER_WORD,
    LaneTest,
    LayoutBuilder,
    Packing,
)
from bidcascade.kernels.reference import evaluate_tree
from bidcascade.kernels.terms import Context
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.language.lowering import tree_of
from bidcascade.table.language.vocabulary import Vocabulary

Row = tuple[int, int, int, int, int, int, int]
"""Word, shift, mask, low, high, and which test is next if it holds, and if not."""


class DefinitionOfTests:
    """Chains of tests, as they come of criteria in the order in which these are asked."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._layout = LayoutBuilder(vocabulary.profile)
        self._known: dict[str, Alternatives] = {}
        self._rows: list[Row] = []
        self._lane_words = 1
        self.derived_tests: list[int] = []
        self.derived_flags: list[int] = []

    def tests_of(self, criteria: tuple[Expression, ...]) -> int:
        """First of the tests that decide whether a hand meets all criteria."""
        options = [self._alternatives_of(one) for one in criteria]
        self._add_derived()
        then = rows.HOLDS
        for alternatives in reversed(options):
            then = self._any_of(alternatives, then)
        return then

    @property
    def tests(self) -> Any:
        """Tests so far, as rows of the core."""
        return np.array(self._rows, rows.TEST)

    @property
    def packing(self) -> Packing:
        """Tables that turn hands into the words that tests look at."""
        return self._layout.pack()

    def packed(self, deals: DealArrays) -> Any:
        """Words of hands by position, uint64 [4, deals, words], with the flags that are derived."""
        packing, tests = self.packing, self.tests
        words = packed_by_tables(packing, deals, self._vocabulary.profile)
        for hand in words.reshape(-1, words.shape[2]):
            for first, flag in zip(self.derived_tests, self.derived_flags, strict=True):
                if _passes(tests, first, hand):
                    hand[packing.lane_words + flag // 64] |= np.uint64(1 << flag % 64)
        return words

    def _alternatives_of(self, criterion: Expression) -> Alternatives:
        text = str(criterion)
        if text not in self._known:
            tree = tree_of(criterion, self._vocabulary)
            self._known[text] = alternatives_of(self._layout, tree)
        return self._known[text]

    def _add_derived(self) -> None:
        """Write the tests of flags that others are derived from, and make room for new lanes."""
        lane_words = max(1, -(-self._layout.size[0] // LANES_PER_WORD))
        more = lane_words - self._lane_words
        self._rows = [
            (word + more if mask == 1 else word, shift, mask, *rest)
            for word, shift, mask, *rest in self._rows
        ]  # type: ignore[misc]
        self._lane_words = lane_words
        for flag, alternatives in list(self._layout.derived.items())[len(self.derived_flags) :]:
            self.derived_tests.append(self._any_of(alternatives, rows.HOLDS))
            self.derived_flags.append(flag)

    def _any_of(self, alternatives: Alternatives, then: int) -> int:
        """First test of some conjunctions, any of which leads on to ``then``."""
        otherwise = rows.FAILS
        for conjunction in reversed(alternatives):
            first = then
            for test in reversed(conjunction):
                if isinstance(test, LaneTest):
                    word, lane = divmod(test.lane, LANES_PER_WORD)
                    row = (word, 8 * lane, 255, test.low, test.high, first, otherwise)
                else:
                    word, flag = divmod(test.flag, FLAGS_PER_WORD)
                    wanted = int(test.positive)
                    row = (self._lane_words + word, flag, 1, wanted, wanted, first, otherwise)
                first = len(self._rows)
                self._rows.append(row)
            otherwise = first
        return otherwise


def packed_by_tables(
    packing: Packing, deals: DealArrays, profile: str, *, rotate: bool = True
) -> Any:
    """Words of hands, uint64 [4, deals, words]: sums of tables, and what flags of programs say."""
    found = np.zeros((4, len(deals), packing.lane_words + packing.flag_words), np.uint64)
    for row in range(4):
        for deal in range(len(deals)):
            dealer, sides = int(deals.dealer[deal]), int(deals.vulnerability[deal])
            seat = (row + dealer) % 4 if rotate else row
            position = (seat - dealer) % 4
            we, they = sides >> seat % 2 & 1, sides >> (seat + 1) % 2 & 1
            hand = int(deals.hands[seat, deal])
            holdings = [hand >> 13 * suit & 0x1FFF for suit in range(4)]
            clubs, diamonds, hearts, _ = (one.bit_count() for one in holdings)
            words = found[row, deal]
            words += packing.length_words[clubs + 14 * diamonds + 196 * hearts]
            words += packing.context_words[position + 4 * we + 8 * they]
            for suit, holding in enumerate(holdings):
                words += packing.suit_words[suit, holding]
            for flag in packing.program_flags.tolist():
                context = Context(position + 1, we, they)
                if evaluate_tree(packing.flag_trees[flag], hand, context, profile):
                    words[packing.lane_words + flag // 64] |= np.uint64(1 << flag % 64)
    return found


def _passes(tests: Any, number: int, words: Any) -> bool:
    while number >= 0:
        row = tests[number]
        value = int(words[row["word"]]) >> int(row["shift"]) & int(row["mask"])
        number = int(row["yes"] if row["low"] <= value <= row["high"] else row["no"])
    return number == rows.HOLDS
