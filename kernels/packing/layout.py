"""How a hand is packed: which literals are 8-bit lanes, which are flag bits, and their tables.

Every term is separable (see ``terms``), so a packed word of a hand is one sum of look-ups:

    word = Σ_s suit_words[s][holding of suit s] + length_words[shape] + context_words[context]

with ``shape = C + 14 * D + 196 * H`` (the lengths of three suits) and
``context = (seat - 1) + 4 * vul_we + 8 * vul_they``. A *lane word* carries eight lanes of
values 0-127, a *flag word* 64 truth values; neither ever carries over into its neighbour. The few
truth values that are not separable (an ``or`` over two suits) are small programs run once a hand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, reduce

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.terms import Context, HoldingFunction, Term, all_lengths, length, terms
from bidcascade.kernels.types import I32, I64, U64

from .literals import COMPARE, Interval, LinearForm, Literal, Tree, term_names_in

HOLDINGS = 1 << 13
SHAPES = 14 * 14 * 14
CONTEXTS = 16
LANES_PER_WORD = 8
FLAGS_PER_WORD = 64
LANE_LIMIT = 127
CORE_LANES = ("HCP", "Total_Points", "SL_C", "SL_D", "SL_H", "SL_S")
"""Terms that always become lanes; they share the first word."""

CORE_FORMS = tuple(((name, 1),) for name in CORE_LANES)

PROGRAM_LIMIT = 1 << 31
"""Largest absolute value a program may compute on the way."""


# Program opcodes; cpu and cuda read the same numbers.
OPCODES = {
    "term": 0, "int": 1, "<": 2, "<=": 3, "==": 4, "!=": 5, ">=": 6, ">": 7,
    "+": 8, "-": 9, "*": 10, "neg": 11, "not": 12, "and": 13, "or": 14, "end": 15,
}  # fmt: skip


@lru_cache(maxsize=256)
def _holding_values(function: HoldingFunction) -> I32:
    values = np.fromiter(
        (function(holding) for holding in range(HOLDINGS)),
        np.int32,
        HOLDINGS,
    )
    values.setflags(write=False)
    return values


@lru_cache(maxsize=8)
def shape_indices() -> tuple[I64, I64]:
    """Lengths of the 560 shapes (560 × 4) and their positions among the 2,744."""
    lengths = np.array(all_lengths(), dtype=np.int64)
    return lengths, lengths[:, 0] + 14 * lengths[:, 1] + 196 * lengths[:, 2]


@cache
def holdings_by_cards() -> tuple[I64, I64]:
    """Sort the 8,192 holdings by number of cards; tell where each number from 0 to 13 begins."""
    cards = np.bitwise_count(np.arange(HOLDINGS))
    by_cards = np.argsort(cards, kind="stable")
    return by_cards, np.searchsorted(cards[by_cards], np.arange(14))


def contexts() -> list[Context]:
    """All 16 contexts in the order of their numbers.

    Examples
    --------
    >>> contexts()[6]
    Context(seat=3, vul_we=1, vul_they=0)
    """
    return [
        Context(seat=index % 4 + 1, vul_we=index >> 2 & 1, vul_they=index >> 3 & 1)
        for index in range(CONTEXTS)
    ]


@dataclass(frozen=True, slots=True)
class Separable:
    """Values of a term or linear form, taken apart.

    Parameters
    ----------
    suits : int32 [4, 8192]
    lengths : int32 [2744]
        Zero where no hand has that shape.
    contexts : int32 [16]
    """

    suits: I32
    lengths: I32
    contexts: I32

    @classmethod
    def of_term(cls, term: Term) -> "Separable":
        """Tabulate a term."""
        suits = np.zeros((4, HOLDINGS), np.int32)
        for suit, function in enumerate(term.by_suit):
            if function is not None:
                suits[suit] = _holding_values(function)
        lengths = np.zeros(SHAPES, np.int32)
        if term.by_lengths is not None:
            shapes, positions = shape_indices()
            values = [term.by_lengths((int(c), int(d), int(h), int(s))) for c, d, h, s in shapes]
            lengths[positions] = values
        by_context = np.zeros(CONTEXTS, np.int32)
        if term.by_context is not None:
            by_context[:] = [term.by_context(context) for context in contexts()]
        return cls(suits, lengths, by_context)

    def bounds(self) -> tuple[int, int]:
        """Smallest and largest value over all hands of 13 cards and all contexts."""
        shapes, positions = shape_indices()
        by_cards, begins = holdings_by_cards()
        ordered = self.suits[:, by_cards]
        # of each suit, the least and the most with 0, 1, … 13 cards
        least = np.minimum.reduceat(ordered, begins, axis=1).astype(np.int64)
        most = np.maximum.reduceat(ordered, begins, axis=1).astype(np.int64)
        suits = np.arange(4)
        lengths = self.lengths[positions].astype(np.int64)
        lowest = lengths + least[suits, shapes].sum(axis=1)
        highest = lengths + most[suits, shapes].sum(axis=1)
        return (
            int(lowest.min()) + int(self.contexts.min()),
            int(highest.max()) + int(self.contexts.max()),
        )


@cache
def term_tables(name: str, profile: str) -> Separable:
    """Values of a term by suit, lengths and context, made once; nobody may write to them."""
    return _read_only(Separable.of_term(terms(profile)[name]))


@lru_cache(maxsize=512)
def form_tables(form: LinearForm, profile: str) -> Separable:
    """Values of a linear form by suit, lengths and context, as :func:`term_tables`."""
    if len(form) == 1 and form[0][1] == 1:
        return term_tables(form[0][0], profile)
    suits = np.zeros((4, HOLDINGS), np.int32)
    lengths = np.zeros(SHAPES, np.int32)
    by_context = np.zeros(CONTEXTS, np.int32)
    for name, factor in form:
        part = term_tables(name, profile)
        suits += factor * part.suits
        lengths += factor * part.lengths
        by_context += factor * part.contexts
    return _read_only(Separable(suits, lengths, by_context))


def _read_only(tables: Separable) -> Separable:
    for table in (tables.suits, tables.lengths, tables.contexts):
        table.setflags(write=False)
    return tables


@lru_cache(maxsize=256)
def _tabulated(form: LinearForm, profile: str) -> tuple[Separable, int, int]:
    """Tables and bounds of a linear form, made once: many plans ask for the same ones."""
    values = form_tables(form, profile)
    return (values, *values.bounds())


@dataclass(frozen=True, slots=True)
class LaneTest:
    """The byte of a lane lies in [low, high] (0-127)."""

    lane: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class FlagTest:
    """A flag is set (``positive``) or clear."""

    flag: int
    positive: bool


Test = LaneTest | FlagTest


@dataclass(slots=True)
class _Lane:
    values: Separable
    offset: int  # value = stored byte + offset


@dataclass(slots=True)
class Packing:
    """The finished tables, as the backends take them.

    Parameters
    ----------
    lane_words, flag_words : int
        How many 64-bit words of either kind a hand has (at least one each); lane words first.
    suit_words : uint64 [4, 8192, words]
    length_words : uint64 [2744, words]
    context_words : uint64 [16, words]
    lane_forms : tuple of LinearForm
        What each lane holds.
    lane_offsets : tuple of int
        True value = stored byte + offset, per lane.
    flag_trees : tuple of Tree
        What each flag says.
    programs : int32 [instructions, 2]
        (opcode, operand) of all programs, each closed by ``end``.
    program_starts, program_flags : int32 [programs]
        First instruction, and the flag that takes the result.
    program_stack : int
        Deepest stack that any program needs.
    term_suits, term_lengths, term_contexts : int32
        Tables [terms, 4, 8192], [terms, 2744], [terms, 16] of the terms that programs use.
    """

    lane_words: int
    flag_words: int
    suit_words: U64
    length_words: U64
    context_words: U64
    lane_forms: tuple[LinearForm, ...]
    lane_offsets: tuple[int, ...]
    flag_trees: tuple[Tree, ...]
    programs: I32
    program_starts: I32
    program_flags: I32
    program_stack: int
    term_suits: I32
    term_lengths: I32
    term_contexts: I32

    @property
    def bytes(self) -> int:
        """Memory of the tables."""
        return sum(
            table.nbytes
            for table in (
                self.suit_words, self.length_words, self.context_words, self.programs,
                self.program_starts, self.program_flags, self.term_suits, self.term_lengths,
                self.term_contexts,
            )
        )  # fmt: skip


@dataclass
class LayoutBuilder:
    """Gives lanes and flags to literals as they come, then builds the tables."""

    profile: str
    _catalogue: dict[str, Term] = field(init=False)
    _forms: dict[LinearForm, tuple[Separable, int, int]] = field(default_factory=dict)
    _lanes: dict[LinearForm, tuple[int, _Lane]] = field(default_factory=dict)
    _flags: dict[Tree, int] = field(default_factory=dict)
    derived: dict[int, "list[list[Test]]"] = field(default_factory=dict)
    """Alternatives of each derived flag; a flag names only flags that come before it here."""

    def __post_init__(self) -> None:
        self._catalogue = terms(self.profile)

    @property
    def size(self) -> tuple[int, int]:
        """Lanes and flags so far."""
        return len(self._lanes), len(self._flags)

    def restore(self, packing: "Packing", derived: Sequence[int]) -> None:
        """Take the lanes and flags that a packing has, and which flags are derived."""
        for form in packing.lane_forms:
            self._lane(form, self._form(form)[0])
        self._flags = {tree: number for number, tree in enumerate(packing.flag_trees)}
        self.derived = {flag: [] for flag in derived}

    def test(self, literal: Literal) -> Test | bool:
        """Test that decides a literal; a bool if no hand, or every hand, passes it."""
        if isinstance(literal, Interval):
            return self._interval_test(literal.form, literal.low, literal.high, positive=True)
        if literal.tree[0] == "interval":
            _, form, low, high = literal.tree
            return self._interval_test(form, low, high, positive=literal.positive)
        self._check_size(literal.tree)
        return self._flag(literal.tree, positive=literal.positive)

    def derived_flag(
        self, tree: Tree, alternatives: "list[list[Test]]", *, positive: bool
    ) -> FlagTest:
        """Test of a flag that is set where any of some conjunctions of tests holds."""
        test = self._flag(tree, positive=positive)
        self.derived.setdefault(test.flag, alternatives)
        return test

    def is_tabulated(self, tree: Tree) -> bool:
        """Whether a truth value is read off a table: one suit, the lengths, or the context."""
        names = term_names_in(tree)
        return (
            self._only_suit(names) is not None
            or self._only_lengths(names)
            or self._only_context(names)
        )

    def _interval_test(
        self, form: LinearForm, low: int, high: int, *, positive: bool
    ) -> Test | bool:
        values, smallest, largest = self._form(form)
        low, high = max(low, smallest), min(high, largest)
        if low > high:
            return not positive
        if low == smallest and high == largest:
            return positive
        if not positive and (low == smallest or high == largest):
            # the complement is an interval too
            low, high = (high + 1, largest) if low == smallest else (smallest, low - 1)
            positive = True
        if positive and self._wants_lane(form, values):
            number, lane = self._lane(form, values)
            # an open end stays open, so that fewer distinct intervals arise
            return LaneTest(
                number,
                0 if low == smallest else low - lane.offset,
                LANE_LIMIT if high == largest else high - lane.offset,
            )
        if low == smallest:
            # one flag serves "at least k" and "less than k"
            return self._flag(("interval", form, high + 1, largest), positive=not positive)
        return self._flag(("interval", form, low, high), positive=positive)

    def _form(self, form: LinearForm) -> tuple[Separable, int, int]:
        if form not in self._forms:
            self._forms[form] = _tabulated(form, self.profile)
        return self._forms[form]

    def _wants_lane(self, form: LinearForm, values: Separable) -> bool:
        """Lanes are for what needs several suits' cards; the rest is cheaper as flags."""
        if form in self._lanes or form in CORE_FORMS:
            return True
        names = {name for name, _ in form}
        if self._only_lengths(names) or self._only_suit(names) is not None:
            return False
        spread = int(np.ptp(values.suits, axis=1).sum() + np.ptp(values.lengths))
        return spread + int(np.ptp(values.contexts)) <= LANE_LIMIT and bool(values.suits.any())

    def _lane(self, form: LinearForm, values: Separable) -> tuple[int, _Lane]:
        if form not in self._lanes:
            number = len(self._lanes)
            offset = int(values.suits.min(axis=1).sum() + values.lengths.min())
            self._lanes[form] = (number, _Lane(values, offset + int(values.contexts.min())))
        return self._lanes[form]

    def _flag(self, tree: Tree, *, positive: bool) -> FlagTest:
        return FlagTest(self._flags.setdefault(tree, len(self._flags)), positive)

    def _check_size(self, tree: Tree) -> tuple[int, int]:
        """Bounds of a tree's value; refuses trees whose values need more than 32 bits."""
        operator = tree[0]
        if operator == "int":
            bounds = (tree[1], tree[1])
        elif operator == "term":
            term = self._catalogue[tree[1]]
            bounds = (term.low, term.high)
        elif operator not in ("+", "-", "*", "neg"):
            for operand in tree[1:]:
                if isinstance(operand, tuple) and operator != "interval":
                    self._check_size(operand)
            bounds = (0, 1)
        else:
            ranges = [self._check_size(operand) for operand in tree[1:]]
            (a, b), (c, d) = ranges[0], ranges[-1]
            corners = {
                "+": [a + c, b + d],
                "-": [a - d, b - c],
                "neg": [-b, -a],
                "*": [a * c, a * d, b * c, b * d],
            }[operator]
            bounds = (min(corners), max(corners))
        if max(-bounds[0], bounds[1]) >= PROGRAM_LIMIT:
            raise ValueError(f"an expression reaches {max(bounds, key=abs)}, beyond 32 bits")
        return bounds

    def _only_lengths(self, names: set[str] | frozenset[str]) -> bool:
        return all(
            self._catalogue[name].by_context is None
            and all(function in (None, length) for function in self._catalogue[name].by_suit)
            for name in names
        )

    def _only_suit(self, names: set[str] | frozenset[str]) -> int | None:
        suits: set[int] = set()
        for name in names:
            term = self._catalogue[name]
            if term.by_lengths is not None or term.by_context is not None:
                return None
            suits |= {suit for suit, function in enumerate(term.by_suit) if function is not None}
        return suits.pop() if len(suits) == 1 else None

    def _only_context(self, names: set[str] | frozenset[str]) -> bool:
        return all(
            self._catalogue[name].by_lengths is None
            and self._catalogue[name].by_suit == (None,) * 4
            for name in names
        )

    def pack(self) -> Packing:
        """Build the tables for all tests handed out so far."""
        lane_words = max(1, -(-len(self._lanes) // LANES_PER_WORD))
        flag_words = max(1, -(-len(self._flags) // FLAGS_PER_WORD))
        words = lane_words + flag_words
        suits = np.zeros((4, HOLDINGS, words), np.uint64)
        by_lengths = np.zeros((SHAPES, words), np.uint64)
        by_context = np.zeros((CONTEXTS, words), np.uint64)
        for number, lane in self._lanes.values():
            word, shift = number // LANES_PER_WORD, np.uint64(8 * (number % LANES_PER_WORD))
            values = lane.values
            lowest = values.suits.min(axis=1, keepdims=True)
            suits[:, :, word] += (values.suits - lowest).astype(np.uint64) << shift
            by_lengths[:, word] += (values.lengths - values.lengths.min()).astype(
                np.uint64
            ) << shift
            by_context[:, word] += (values.contexts - values.contexts.min()).astype(
                np.uint64
            ) << shift
        programs = _Programs(self.profile)
        for tree, number in self._flags.items():
            if number in self.derived:
                continue
            word = lane_words + number // FLAGS_PER_WORD
            shift = np.uint64(number % FLAGS_PER_WORD)
            names = term_names_in(tree)
            suit = self._only_suit(names)
            if suit is not None:
                suits[suit, :, word] |= self._truth(tree, "suits", suit) << shift
            elif self._only_lengths(names):
                by_lengths[:, word] |= self._truth(tree, "lengths", 0) << shift
            elif self._only_context(names):
                by_context[:, word] |= self._truth(tree, "contexts", 0) << shift
            else:
                programs.add(tree, number)
        return Packing(
            lane_words=lane_words,
            flag_words=flag_words,
            suit_words=suits,
            length_words=by_lengths,
            context_words=by_context,
            lane_forms=tuple(self._lanes),
            flag_trees=tuple(self._flags),
            lane_offsets=tuple(lane.offset for _, lane in self._lanes.values()),
            programs=np.array(programs.code, np.int32).reshape(-1, 2),
            program_starts=np.array(programs.starts, np.int32),
            program_flags=np.array(programs.flags, np.int32),
            program_stack=programs.stack,
            term_suits=_stack([table.suits for table in programs.tables()], (4, HOLDINGS)),
            term_lengths=_stack([table.lengths for table in programs.tables()], (SHAPES,)),
            term_contexts=_stack([table.contexts for table in programs.tables()], (CONTEXTS,)),
        )

    def _truth(self, tree: Tree, part: str, suit: int) -> U64:
        """0/1 for each holding of a suit, each shape, or each context."""
        values: dict[str, NDArray[np.int64]] = {}
        for name in term_names_in(tree):
            table = term_tables(name, self.profile)
            if part == "suits":
                values[name] = table.suits[suit].astype(np.int64)
            elif part == "contexts":
                values[name] = table.contexts.astype(np.int64)
            else:
                values[name] = table.lengths.astype(np.int64)
                shapes, positions = shape_indices()
                for number, function in enumerate(self._catalogue[name].by_suit):
                    if function is not None:
                        values[name][positions] += shapes[:, number]
        size = {"suits": HOLDINGS, "lengths": SHAPES, "contexts": CONTEXTS}[part]
        truth = np.broadcast_to(evaluate_tree(tree, values), size)
        return np.asarray(truth != 0).astype(np.uint64)


def evaluate_tree(
    tree: Tree, values: Mapping[str, NDArray[np.int64]]
) -> NDArray[np.int64] | np.int64:
    """Value of a tree for arrays of its terms' values; comparisons and logic give 0 or 1.

    ``and`` and ``or`` may have any number of operands.
    """
    operator = tree[0]
    if operator == "int":
        return np.int64(tree[1])
    if operator == "term":
        return values[tree[1]]
    if operator == "interval":
        total: NDArray[np.int64] | np.int64 = np.int64(0)
        for name, factor in tree[1]:
            total = total + factor * values[name]
        return np.asarray((total >= tree[2]) & (total <= tree[3]), np.int64)
    operands = [evaluate_tree(operand, values) for operand in tree[1:]]
    left, right = operands[0], operands[-1]
    match operator:
        case "neg":
            return np.int64(0) - left
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "not":
            truth = left == 0
        case "and":
            truth = reduce(np.logical_and, operands)
        case "or":
            truth = reduce(np.logical_or, operands)
        case _ if operator in COMPARE:
            truth = COMPARE[operator](left, right)
        case _:
            raise ValueError(f"expected an operator, got {operator!r}")
    result: NDArray[np.int64] = np.asarray(truth, np.int64)
    return result


class _Programs:
    """Collects the programs of flags that are not separable."""

    def __init__(self, profile: str) -> None:
        self._profile = profile
        self._terms: dict[str, int] = {}
        self.code: list[tuple[int, int]] = []
        self.starts: list[int] = []
        self.flags: list[int] = []
        self.stack = 1

    def add(self, tree: Tree, flag: int) -> None:
        """Append the program that computes a tree into a flag."""
        self.starts.append(len(self.code))
        self.flags.append(flag)
        self.stack = max(self.stack, self._emit(tree))
        self.code.append((OPCODES["end"], 0))

    def _emit(self, tree: Tree) -> int:
        """Emit code for a tree; return the stack depth it needs."""
        operator = tree[0]
        if operator == "int":
            self.code.append((OPCODES["int"], tree[1]))
            return 1
        if operator == "term":
            self.code.append((OPCODES["term"], self._terms.setdefault(tree[1], len(self._terms))))
            return 1
        if operator == "interval":
            return self._emit(_interval_tree(tree))
        depth = 0
        for pushed, operand in enumerate(tree[1:]):
            depth = max(depth, pushed + self._emit(operand))
        self.code.append((OPCODES[operator], 0))
        return depth

    def tables(self) -> list[Separable]:
        """Tables of the terms that the programs name, in the order of their numbers."""
        return [term_tables(name, self._profile) for name in self._terms]


def _stack(tables: Sequence[I32], shape: tuple[int, ...]) -> I32:
    return np.stack(tables) if tables else np.zeros((0, *shape), np.int32)


def _interval_tree(tree: Tree) -> Tree:
    """Spell out an interval of a linear form in plain operators."""
    _, form, low, high = tree
    total: Tree = ("int", 0)
    for name, factor in form:
        total = ("+", total, ("*", ("int", factor), ("term", name)))
    return ("and", (">=", total, ("int", low)), ("<=", total, ("int", high)))
