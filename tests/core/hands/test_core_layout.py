"""The core's tests, tables and packed hands equal those of Python's program and layout."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_int64
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidExpression
from bidcascade.kernels import DealArrays
from bidcascade.kernels.core import rows as arrays
from bidcascade.kernels.packing.layout import CONTEXTS, HOLDINGS, SHAPES
from bidcascade.kernels.packing.literals import LinearForm
from bidcascade.kernels.reference import evaluate_tree
from bidcascade.kernels.terms import Context
from bidcascade.systems.language.tree.syntax_tree import CallPattern, Phrase
from bidcascade.systems.reference.conditions import DOUBLING_PAYS, PAYS
from bidcascade.table.language.expression_tree import Expression, Or, Product, TermName, Truth
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.lowering import tree_of
from bidcascade.table.language.vocabulary import Vocabulary
from tests.core.hands.criteria import SYSTEMS, criteria_of
from tests.core.hands.definition_of_tests import DefinitionOfTests, packed_by_tables
from tests.core.hands.rows_of_expressions import RowsOfExpressions
from tests.core.hands.rows_of_trees import NAMES, pointer, words
from tests.core.probes import build_probe
from tests.core.text.core_texts import Definition
from tests.support.deals import mixed_deals
from tests.support.examples import examples, sized, some_in_check
from tests.support.expressions import expressions

parsed = cache(parse_expression)


class Sizes(NamedTuple):
    lane_words: int
    flag_words: int
    lanes: int
    flags: int
    tests: int
    derived: int
    programs: int
    instructions: int
    stack: int
    program_terms: int
    version: int
    stride: int


class Layout:
    """The core's layout beside Python's program."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.rows = RowsOfExpressions(build_probe("layout"), vocabulary)
        self.program = DefinitionOfTests(vocabulary)
        self._probe, self._state = self.rows.probe, self.rows.state

    @property
    def sizes(self) -> Sizes:
        found = np.zeros(len(Sizes._fields), np.int64)
        self._probe.sizes(self._state, pointer(found))
        return Sizes(*found.tolist())

    def tests_of(self, criteria: Sequence[Expression]) -> int:
        """First test of some criteria, which both sides give the same number."""
        row = words([self.rows.number(criterion) for criterion in criteria])
        found = int(self._probe.tests_of(self._state, pointer(row), len(row)))
        assert found == self.program.tests_of(tuple(criteria))
        return found

    def assert_equal(self) -> None:
        """Compare all that was learned."""
        size, packing, program = self.sizes, self.program.packing, self.program
        assert size[:4] == (
            packing.lane_words,
            packing.flag_words,
            len(packing.lane_forms),
            len(packing.flag_trees),
        )
        assert size.version == size.lanes + size.flags
        lanes, flags = np.zeros((size.lanes, 2), np.int32), np.zeros(size.flags, np.int32)
        tests = np.zeros(size.tests, arrays.Program.fields["tests"][0])
        derived = np.zeros((2, size.derived), np.int32)
        code = np.zeros((size.instructions, 2), np.int32)
        programs = np.zeros((2, size.programs), np.int32)
        self._probe.arrays(
            self._state, *map(pointer, (lanes, flags, tests, *derived, code, *programs))
        )
        assert tuple(map(self.rows.form, lanes[:, 0].tolist())) == packing.lane_forms
        assert tuple(lanes[:, 1].tolist()) == packing.lane_offsets
        assert tuple(map(self.rows.tree, flags.tolist())) == packing.flag_trees
        expected = program.tests
        for field in tests.dtype.names:
            assert np.array_equal(tests[field], expected[field])
        assert derived.tolist() == [program.derived_tests, program.derived_flags]
        assert np.array_equal(code, packing.programs)
        assert np.array_equal(programs[0], packing.program_starts)
        assert np.array_equal(programs[1], packing.program_flags)
        assert size.stack == packing.program_stack
        for found, table in zip(self.tables(), packed_tables(packing), strict=True):
            assert np.array_equal(found, table)

    def tables(self) -> tuple[Any, ...]:
        size = self.sizes
        shapes = ((4, HOLDINGS), (SHAPES,), (CONTEXTS,))
        count = size.lane_words + size.flag_words
        found = (
            *(np.zeros((*shape, count), np.uint64) for shape in shapes),
            *(np.zeros((size.program_terms, *shape), np.int32) for shape in shapes),
        )
        self._probe.tables(self._state, *map(pointer, found))
        return found

    def pack(
        self, deals: DealArrays, start: int, stop: int, *, rotate: bool = True, room: int = 0
    ) -> Any:
        """Hands packed by the core, [4, deals, words]; with room behind each hand's words."""
        count = self.sizes.lane_words + self.sizes.flag_words
        found = np.full((4, stop - start, count + room), 0xABCDEF, np.uint64)
        self.pack_into(found, deals, start, stop, 0, rotate=rotate)
        assert (found[:, :, count:] == 0xABCDEF).all()
        return found[:, :, :count]

    def pack_into(
        self,
        found: Any,
        deals: DealArrays,
        start: int,
        stop: int,
        first: int,
        *,
        rotate: bool = True,
    ) -> None:
        """Pack hands from a word on."""
        hands = np.ascontiguousarray(deals.hands)
        self._probe.pack(
            self._state,
            pointer(hands),
            pointer(deals.dealer),
            pointer(deals.vulnerability),
            c_int64(len(deals)),
            c_int64(start),
            c_int64(stop),
            int(rotate),
            pointer(found),
            c_int64(found.shape[2]),
            first,
        )

    def first_changed(self, lanes: int, flags: int) -> int:
        return int(self._probe.first_changed(self._state, c_int64(lanes), c_int64(flags)))

    def passing(self, test: int, found: Any) -> Any:
        """Which packed hands [n, words] pass a chain of tests."""
        hands, passing = np.ascontiguousarray(found), np.zeros(len(found), np.uint8)
        self._probe.passing(
            self._state,
            test,
            pointer(hands),
            c_int64(len(hands)),
            c_int64(hands.shape[1]),
            pointer(passing),
        )
        return passing.astype(bool)


def packed_tables(packing: Any) -> tuple[Any, ...]:
    return (
        packing.suit_words, packing.length_words, packing.context_words,
        packing.term_suits, packing.term_lengths, packing.term_contexts,
    )  # fmt: skip


@contextmanager
def layout_with(vocabulary: Vocabulary) -> Iterator[Layout]:
    found = Layout(vocabulary)
    yield found
    found.rows.close()


@pytest.fixture(scope="module", params=["gib", "mlbridge"])
def layout(request: pytest.FixtureRequest) -> Iterator[Layout]:
    """A layout that all examples of a test teach more."""
    with layout_with(Vocabulary(request.param)) as found:
        yield found


FEW = mixed_deals(40, seed=1)


def assert_packed(layout: Layout, deals: DealArrays) -> None:
    expected = layout.program.packed(deals)
    assert np.array_equal(layout.pack(deals, 0, len(deals), room=1), expected)


def assert_passing(layout: Layout, first: int, criteria: Sequence[Expression]) -> None:
    """A hand passes the tests where all criteria hold for it, by the definition."""
    packed = layout.pack(FEW, 0, len(FEW))
    vocabulary = layout.rows.vocabulary
    trees = [tree_of(criterion, vocabulary) for criterion in criteria]
    for position in range(4):
        expected = []
        for deal in range(len(FEW)):
            seat = (int(FEW.dealer[deal]) + position) % 4
            sides = int(FEW.vulnerability[deal])
            context = Context(position + 1, sides >> seat % 2 & 1, sides >> (seat + 1) % 2 & 1)
            hand = int(FEW.hands[seat, deal])
            expected.append(
                all(evaluate_tree(tree, hand, context, vocabulary.profile) for tree in trees)
            )
        assert layout.passing(first, packed[position]).tolist() == expected


wide_names = st.sampled_from(NAMES).map(TermName)
many_tests = st.lists(expressions, min_size=2, max_size=5).map(tuple).map(Or)


@examples(15, 40)
@given(criteria=st.lists(st.one_of(expressions, many_tests), max_size=4))
def test_random_criteria(layout: Layout, criteria: list[Expression]) -> None:
    try:
        for criterion in criteria:
            tree_of(criterion, layout.rows.vocabulary)
    except InvalidExpression:
        return
    first = layout.tests_of(criteria)
    layout.assert_equal()
    assert_packed(layout, FEW)
    assert_passing(layout, first, criteria)


BY_HAND = [
    # a derived flag, and one of those; more lanes than words
    "HCP != 12 and Losers != 7 and Controls != 4 and QT != 3",
    "(HCP != 12 and Losers != 7 and Controls != 4 and QT != 3) or (HCP == 3 and Kings == 1)",
    "not ((HCP == 8 or Losers == 4 or Aces == 3 or Kings == 1) and (HCP == 9 or Losers == 5 "
    "or Aces == 2 or Kings == 0) and (HCP == 9 or Losers == 2 or Aces == 2 or Kings == 0))",
    *(f"HCP + {first} > {second} + Losers" for first in NAMES[:20] for second in ("Kings", "Aces")),
    # programs of several suits and contexts
    "HCP * Losers > 77", "Vul_We * HCP > Seat * 7", "HCP_S * HCP_H >= 6 or HCP_S * SL_H == 9",
    "14 * HCP <= 20 * Losers", "HCP * 1000 - Losers * 3 > 5000",
    # one suit, the lengths, the context
    "SL_S * SL_H > 20", "Pattern == '5332'", "Pattern != '4333'", "SL_S - SL_H >= 2",
    "Longest_Suit * 2 - SL_C == 8", "HCP_S + SL_S == 9", "Seat >= 3", "Seat * 2 + Vul_We == 7",
    "Stopper_S and not Top2_S == 2", "Vul_We or Vul_They", "Support_Points_H >= 10",
    "True", "False", "HCP >= 0", "HCP < 0", "HCP > 40", "not (HCP > 3 and HCP < 3)", "2 * HCP == 3",
    "Forcing_One_Round", "QT >= 2.5", "SL_S >= 5", "SL_S < 5", "SL_S != 5", "HCP_H != 4",
]  # fmt: skip


@pytest.mark.parametrize("profile", ["gib", "mlbridge"])
def test_by_hand_with_hands_packed_in_between(profile: str) -> None:
    """Tables that grow are those that are built at once, and packing what changed is enough."""
    with layout_with(Vocabulary(profile)) as layout:
        packed = np.zeros((4, len(FEW), 40), np.uint64)
        assert_packed(layout, FEW)
        lanes = flags = 0
        for text in BY_HAND:
            criteria = [parsed(text)]
            first = layout.tests_of(criteria)
            assert_passing(layout, first, criteria)
            size = layout.sizes
            if (size.lanes, size.flags) != (lanes, flags):
                changed = layout.first_changed(lanes, flags)
                layout.pack_into(packed, FEW, 0, len(FEW), changed)
                lanes, flags = size.lanes, size.flags
            count = size.lane_words + size.flag_words
            assert np.array_equal(packed[:, :, :count], layout.pack(FEW, 0, len(FEW)))
            assert_packed(layout, FEW)
        layout.assert_equal()
        assert layout.sizes.lane_words > 4
        assert layout.sizes.derived > 1
        assert layout.sizes.programs > 3


def test_many_words() -> None:
    """Tables whose rows are widened several times."""
    with layout_with(Vocabulary()) as layout:
        for suit in "CDHS":
            for factor in range(1, 5):
                for value in range(2, 25):
                    layout.tests_of([parsed(f"SL_{suit} + {factor} * HCP_{suit} != {value}")])
        assert layout.sizes.flag_words > 4
        names = [name for name in NAMES if name.startswith(("SL_", "HCP_", "Top"))]
        for one in names:
            for two in names:
                layout.tests_of([parsed(f"HCP + {one} + 2 * {two} >= 20")])
        assert layout.sizes.stride > 32
        layout.assert_equal()
        assert_packed(layout, FEW)


@pytest.mark.parametrize(
    ("kind", "form", "flags", "fewest"),
    [
        (
            "pays over theirs",
            lambda suit: (
                ("HCP", 1),
                (f"SL_{suit}", -PAYS.own_trump),
                (f"Support_Points_{suit}", -PAYS.support_point),
            ),
            2,
            200,
        ),
        (
            "doubling pays",
            lambda suit: (
                ("Controls", DOUBLING_PAYS.control),
                ("HCP", -DOUBLING_PAYS.shortness),
                (f"HCP_{suit}", 1),
                (f"SL_{suit}", DOUBLING_PAYS.trump),
                ("Total_Points", DOUBLING_PAYS.shortness),
            ),
            1,
            20,
        ),
    ],
)
def test_what_pays_is_one_lane_a_suit(
    kind: str, form: Callable[[str], LinearForm], flags: int, fewest: int
) -> None:
    """Places differ in how much of a hand's own sum is enough: no program for each bound."""
    condition = Phrase(kind, call=CallPattern("bid", 2, "X"))
    tests, bounds = set(), set()
    with layout_with(Vocabulary()) as layout:
        for suit, level, game in product(range(1, 5), range(2, 7), (0, 1)):
            for low in range(14):
                shown = low << 16 | 13
                answers = {"level of bid": 8 * level + suit, "game reached": game, "shown": shown}
                found = Definition({}).lower(
                    condition,
                    {"X": "CDHS"[suit - 1]},
                    lambda row, answers=answers: answers[arrays.KINDS[row["kind"]]],
                )
                if not isinstance(found, Truth):
                    tests.add(layout.tests_of([found]))
                    bounds |= {str(operand.operands[-1]) for operand in found.operands}
        layout.assert_equal()
        packing, size = layout.program.packing, layout.sizes
        assert packing.lane_forms == tuple(form(suit) for suit in "CDHS")
        # the other flags are the vulnerability of either side
        assert (size.lanes, size.flags, size.programs) == (4, flags, 0)
        assert len(tests) > fewest
        assert len(bounds) > fewest
        assert_packed(layout, FEW)


@pytest.mark.parametrize("rotate", [True, False])
def test_some_deals_of_many(rotate: bool) -> None:
    with layout_with(Vocabulary()) as layout:
        for text in BY_HAND:
            layout.tests_of([parsed(text)])
        deals, packing = mixed_deals(70, seed=9), layout.program.packing
        whole = packed_by_tables(packing, deals, "gib", rotate=rotate)
        for start, stop in ((0, 70), (3, 3), (69, 70), (5, 66)):
            found = layout.pack(deals, start, stop, rotate=rotate)
            expected = whole[:, start:stop]
            derived = np.zeros(found.shape[2] * 64, bool)
            derived[[64 * packing.lane_words + flag for flag in layout.program.derived_flags]] = 1
            others = ~np.packbits(derived, bitorder="little").view(np.uint64)
            assert np.array_equal(found & others, expected)


def test_what_needs_more_than_32_bits_is_refused() -> None:
    with layout_with(Vocabulary()) as layout:
        rows, large = layout.rows, "999999 * 50 * HCP > 0 - 999999 * 50 * Total_Points + Losers"
        row = words([rows.number(parsed("HCP >= 12")), rows.number(parsed(large))])
        for count, found in ((2, -3), (1, 0), (2, -3)):
            assert rows.probe.tests_of(rows.state, pointer(row), count) == found
        kind = np.zeros(4, np.int64)
        rows.probe.error_of(rows.state, pointer(kind))
        assert kind[:2].tolist() == [13, row[1]]
        assert layout.sizes.lanes == 1
        product = Product((TermName("HCP"), TermName("HCP_S"), TermName("HCP_H")))
        assert (
            layout.rows.probe.tests_of(rows.state, pointer(words([rows.number(product)])), 1)
            == layout.sizes.tests - 1
        )


@pytest.mark.parametrize("system", some_in_check(1, *SYSTEMS))
def test_criteria_of_systems(system: str) -> None:
    with layout_with(Vocabulary()) as layout:
        for texts in criteria_of(system)[:: sized(4, 1)]:
            layout.tests_of(list(map(parsed, texts)))
        layout.assert_equal()
        assert_packed(layout, mixed_deals(1000, seed=3))
