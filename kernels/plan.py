"""The plan: what a bidding table becomes for the kernels. Plain arrays, no text.

    features   packing tables: hand -> lane words + flag words          (layout.py)
    boxes      one row per distinct criteria list: lo.. hi.. need.. forbid.. words
    nodes      the trie: first_child, child_count, call, flags, and per node its box

A disjunction becomes several boxes, any of which will do. A hand passes a box when every lane lies
in [lo, hi], all ``required`` flags are set and all ``forbid`` flags are clear. Eight lanes are
compared at once: with H = 0x8080808080808080 and lanes below 128,
``((f | H) - lo) & ((hi | H) - f) & H == H``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .number_ranges import blocks, parents_of
from .packing.alternatives import Alternatives, alternatives_of, conjunction_of
from .packing.layout import (
    FLAGS_PER_WORD,
    LANE_LIMIT,
    LANES_PER_WORD,
    FlagTest,
    LayoutBuilder,
    Packing,
)
from .packing.layout import Test as LayoutTest
from .packing.literals import term_names_in, to_tree
from .terms import terms
from .types import U8, U16, U32, U64, Postfix

ALWAYS = 0
"""Box that every hand passes."""
NEVER = 1
"""Box that no hand passes."""
MULTIPLE = 1 << 31
"""Bit of a node's box number that says: not a box but a set of boxes (variants, any of them)."""

COMPLETED = 1
"""Node flag: the auction that ends with this call is complete."""
CAN_COMPLETE = 2
"""Node flag: this node or one below it is completed."""

UNDESCRIBED_POLICIES = ("allow", "pass", "reject")
LANE_HIGH_BITS = 0x8080808080808080


@dataclass(frozen=True)
class Plan:
    """Everything a backend needs; made by :func:`build_plan`.

    Parameters
    ----------
    profile, undescribed : str
        Term definitions, and the policy for entries without criteria.
    expressions : tuple of Postfix
        Distinct expressions, in the order given.
    criteria : tuple of tuple of int
        Distinct criteria lists (numbers of expressions, joined by AND).
    variant_sets : tuple of tuple of int
        Sets of criteria lists (joined by OR); set 0 means undescribed.
    packing : Packing
        Tables that turn hands into words.
    boxes : uint64 [boxes, 2 * lane_words + 2 * flag_words]
        lo lane words, hi lane words, need flag words, forbid flag words.
    derived_flags, derived_offsets, derived_boxes : uint32
        Flags that are set where any of some boxes is passed (CSR), in the order in which they
        are to be worked out: a box names only derived flags that come before.
    expression_boxes : uint32 [expressions]
        What each expression asks for on its own; see ``node_box``.
    set_offsets, set_boxes : uint32
        Sets of several boxes, any of which will do (CSR).
    first_child : uint32 [nodes]
    child_count : uint16 [nodes]
    call, flags : uint8 [nodes]
    variant_set, node_box : uint32 [nodes]
        ``node_box`` is a box number, or ``MULTIPLE | number of a set``.
    root_count : int
        The opening calls are nodes ``0 … root_count - 1``.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.zeros(0, np.uint32)
    >>> plan = build_plan(
    ...     expressions=[("HCP", 15, ">="), ("Stopper_S", "not")], criteria=[], variant_sets=[[]],
    ...     first_child=none, child_count=none.astype(np.uint16), call=none.astype(np.uint8),
    ...     flags=none.astype(np.uint8), variant_set=none, root_count=0)
    >>> plan.packing.lane_forms, plan.node_count
    (((('HCP', 1),),), 0)
    """

    profile: str
    undescribed: str
    expressions: tuple[Postfix, ...]
    criteria: tuple[tuple[int, ...], ...]
    variant_sets: tuple[tuple[int, ...], ...]
    packing: Packing
    boxes: U64
    derived_flags: U32
    derived_offsets: U32
    derived_boxes: U32
    expression_boxes: U32
    set_offsets: U32
    set_boxes: U32
    first_child: U32
    child_count: U16
    call: U8
    flags: U8
    variant_set: U32
    node_box: U32
    root_count: int
    cache: dict[str, object] = field(default_factory=dict, repr=False, compare=False)
    """Backends keep what they derive from the plan here, under their own name."""

    @property
    def node_count(self) -> int:
        """Number of entries of the table."""
        return len(self.node_box)

    @cached_property
    def parent(self) -> U32:
        """Parent of each node; ``node_count`` for the opening calls (uint32 [nodes])."""
        return parents_of(self.first_child, self.child_count, self.node_count)


def box_rows(plan: Plan) -> U64:
    """Boxes as backends test them: lo.. | hi with high bits.. | mask.. | need.. words."""
    lanes, flags = plan.packing.lane_words, plan.packing.flag_words
    rows = plan.boxes.copy()
    required = plan.boxes[:, 2 * lanes : 2 * lanes + flags]
    rows[:, lanes : 2 * lanes] |= np.uint64(LANE_HIGH_BITS)
    rows[:, 2 * lanes : 2 * lanes + flags] |= plan.boxes[:, 2 * lanes + flags :]
    rows[:, 2 * lanes + flags :] = required
    return rows


class SingleTests(NamedTuple):
    """What boxes ask of lanes and flags, one by one; ranges that every hand fits are left out.

    Parameters
    ----------
    range_boxes, lanes : int64 [ranges]
        Number of the box and of the lane, in this order.
    low, high : int64 [ranges]
        What the lane is at least and at most.
    set_boxes, set_flags : int64 [flags]
        Box and flag that it wants set, in this order.
    clear_boxes, clear_flags : int64 [flags]
        Box and flag that it wants clear.
    """

    range_boxes: NDArray[np.int64]
    lanes: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    set_boxes: NDArray[np.int64]
    set_flags: NDArray[np.int64]
    clear_boxes: NDArray[np.int64]
    clear_flags: NDArray[np.int64]

    @classmethod
    def of(cls, plan: Plan, boxes: "NDArray[np.int64] | slice" = slice(None)) -> "SingleTests":
        """Take boxes apart; they are numbered as they are given."""
        lanes, flags = plan.packing.lane_words, plan.packing.flag_words
        parts = np.split(plan.boxes[boxes], np.cumsum((lanes, lanes, flags)), axis=1)
        low, high, required, forbid = (np.ascontiguousarray(part).view(np.uint8) for part in parts)
        box, lane = np.nonzero((low > 0) | (high < LANE_LIMIT))
        least, most = (limit[box, lane].astype(np.int64) for limit in (low, high))
        return cls(box, lane, least, most, *_set_bits(required), *_set_bits(forbid))


def _set_bits(rows: U8) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and number of each bit that is set; few are."""
    row, byte = np.nonzero(rows)
    which, bit = np.nonzero(np.unpackbits(rows[row, byte][:, None], axis=1, bitorder="little"))
    return row[which], 8 * byte[which] + bit


class Family(NamedTuple):
    """Some nodes with all above them, parents first.

    Parameters
    ----------
    parents : int32 [nodes]
        Place of the parent, -1 for the opening calls.
    seats : uint8 [nodes]
        Dealer-relative seat of the caller.
    boxes : int64 [nodes]
        See ``Plan.node_box``.
    wanted : uint32
        Places of the nodes that were asked for.
    """

    parents: NDArray[np.int32]
    seats: U8
    boxes: NDArray[np.int64]
    wanted: U32


def family(plan: Plan, entries: Sequence[int]) -> Family:
    """Collect the nodes above some nodes; each shared prefix once."""
    depth_of: dict[int, int] = {plan.node_count: -1}
    for entry in entries:
        path = []
        node = int(entry)
        while node not in depth_of:
            path.append(node)
            node = int(plan.parent[node])
        for depth, above in enumerate(reversed(path), start=depth_of[node] + 1):
            depth_of[above] = depth
    del depth_of[plan.node_count]
    nodes = sorted(depth_of)  # parents precede their children
    place = {node: number for number, node in enumerate(nodes)} | {plan.node_count: -1}
    return Family(
        np.array([place[int(plan.parent[node])] for node in nodes], np.int32),
        np.array([depth_of[node] & 3 for node in nodes], np.uint8),
        plan.node_box[np.array(nodes, np.int64)].astype(np.int64),
        np.array([place[int(entry)] for entry in entries], np.uint32),
    )


class _BoxInterner:
    """Turns conjunctions of tests into box rows, equal rows into one number."""

    # a row is put together as four whole numbers of Python, a lane being one of their bytes: tables
    # have tens of thousands of lists, and one array for each of them takes long

    def __init__(self, lane_words: int, flag_words: int) -> None:
        self._lane_bytes = lane_words * LANES_PER_WORD
        self._flag_bytes = flag_words * FLAGS_PER_WORD // 8
        self._any_high = int.from_bytes(bytes([LANE_LIMIT]) * self._lane_bytes, "little")
        self._numbers: dict[bytes, int] = {}
        self.add([])  # ALWAYS
        # NEVER: lo above hi in every lane
        self._intern(self._any_high, 0, 0, 0)

    def _intern(self, low: int, high: int, required: int, forbid: int) -> int:
        row = b"".join(
            (
                low.to_bytes(self._lane_bytes, "little"),
                high.to_bytes(self._lane_bytes, "little"),
                required.to_bytes(self._flag_bytes, "little"),
                forbid.to_bytes(self._flag_bytes, "little"),
            )
        )
        return self._numbers.setdefault(row, len(self._numbers))

    def add(self, tests: Sequence[LayoutTest]) -> int:
        """Box number of a conjunction."""
        bounds: dict[int, tuple[int, int]] = {}
        required = forbid = 0
        for test in tests:
            if isinstance(test, FlagTest):
                if test.positive:
                    required |= 1 << test.flag
                else:
                    forbid |= 1 << test.flag
            else:
                low, high = bounds.get(test.lane, (0, LANE_LIMIT))
                bounds[test.lane] = max(low, test.low), min(high, test.high)
        if required & forbid:
            return NEVER
        lows, highs = 0, self._any_high
        for lane, (low, high) in bounds.items():
            if low > high:
                return NEVER
            lows |= low << 8 * lane
            highs ^= (high ^ LANE_LIMIT) << 8 * lane
        return self._intern(lows, highs, required, forbid)

    def rows(self) -> U64:
        """All rows (uint64 [boxes, 2 * lane_words + 2 * flag_words])."""
        words = np.frombuffer(b"".join(self._numbers), "<u8")
        return words.reshape(len(self._numbers), -1).astype(np.uint64)


class _SetInterner:
    """Gives a box, or ``MULTIPLE |`` the number of a set of boxes, to boxes joined by OR."""

    def __init__(self) -> None:
        self.offsets = [0]
        self.members: list[int] = []
        self._numbers: dict[tuple[int, ...], int] = {}

    def add(self, boxes: Iterable[int]) -> int:
        """Return the number of the set of some boxes."""
        distinct = tuple(sorted(set(boxes) - {NEVER}))
        if not distinct:
            return NEVER
        if len(distinct) == 1 or distinct[0] == ALWAYS:
            return distinct[0]
        if distinct not in self._numbers:
            self._numbers[distinct] = len(self._numbers)
            self.members += distinct
            self.offsets.append(len(self.members))
        return MULTIPLE | self._numbers[distinct]


def build_plan(
    *,
    expressions: Sequence[Postfix],
    criteria: Sequence[Sequence[int]],
    variant_sets: Sequence[Sequence[int]],
    first_child: U32,
    child_count: U16,
    call: U8,
    flags: U8,
    variant_set: U32,
    root_count: int,
    profile: str = "gib",
    undescribed: str = "allow",
) -> Plan:
    """Lower a table's interned criteria to boxes and tie them to the nodes of its trie.

    Parameters
    ----------
    expressions : sequence of Postfix
        Distinct expressions.
    criteria : sequence of sequences of int
        Distinct lists of expression numbers, each joined by AND; an empty list holds always.
    variant_sets : sequence of sequences of int
        Sets of criteria numbers, each joined by OR. Set 0 stands for undescribed entries and
        must be empty; any other empty set holds never.
    first_child, child_count, call, flags, variant_set : arrays [nodes]
        The trie (see :class:`Plan`); used as they are, not copied.
    root_count : int
        Number of opening calls.
    profile : {"gib", "mlbridge"}
    undescribed : {"allow", "pass", "reject"}
        Whether undescribed entries hold: all, passes only, none.

    Raises
    ------
    ValueError
        If arrays do not fit each other, a number is out of range, or a term is unknown.

    Examples
    --------
    One opening, 1N, with 15-17 HCP, answered by a pass that is undescribed:

    >>> import numpy as np
    >>> plan = build_plan(
    ...     expressions=[("HCP", 15, ">="), ("HCP", 17, "<=")],
    ...     criteria=[[0, 1]], variant_sets=[[], [0]],
    ...     first_child=np.array([1, 0], np.uint32), child_count=np.array([1, 0], np.uint16),
    ...     call=np.array([7, 0], np.uint8), flags=np.zeros(2, np.uint8),
    ...     variant_set=np.array([1, 0], np.uint32), root_count=1)
    >>> plan.boxes.shape, plan.node_box.tolist()
    ((5, 4), [4, 0])
    """
    if undescribed not in UNDESCRIBED_POLICIES:
        raise ValueError(
            f"expected a policy of {', '.join(UNDESCRIBED_POLICIES)}, got {undescribed!r}"
        )
    if not variant_sets or variant_sets[0]:
        raise ValueError("expected variant set 0 to be empty: it stands for undescribed entries")
    _check_trie(first_child, child_count, call, flags, variant_set, root_count, len(variant_sets))
    catalogue = terms(profile)
    trees = [to_tree(postfix) for postfix in expressions]
    layout = LayoutBuilder(profile)
    alternatives: list[Alternatives] = []
    for postfix, tree in zip(expressions, trees, strict=True):
        unknown = sorted(term_names_in(tree) - catalogue.keys())
        if unknown:
            raise ValueError(f"unknown term {unknown[0]!r} in {postfix!r}")
        alternatives.append(alternatives_of(layout, tree))
    lists = [
        conjunction_of(
            layout,
            [(trees[number], alternatives[number]) for number in row],
        )
        for row in criteria
    ]
    packing = layout.pack()

    boxes = _BoxInterner(packing.lane_words, packing.flag_words)
    sets = _SetInterner()
    derived_offsets, derived_boxes = [0], []
    for any_of in layout.derived.values():
        derived_boxes += [boxes.add(tests) for tests in any_of]
        derived_offsets.append(len(derived_boxes))
    expression_boxes = [sets.add(boxes.add(tests) for tests in any_of) for any_of in alternatives]
    criteria_boxes = [[boxes.add(tests) for tests in any_of] for any_of in lists]
    set_box = np.array(
        [
            sets.add(box for criterion in row for box in criteria_boxes[criterion])
            for row in variant_sets
        ],
        np.uint32,
    )
    set_box[0] = ALWAYS
    node_box = np.empty(len(variant_set), np.uint32)
    for block in blocks(len(variant_set)):
        boxes_here = set_box[variant_set[block]]
        is_undescribed = variant_set[block] == 0
        if undescribed != "allow":
            boxes_here[is_undescribed] = NEVER
        if undescribed == "pass":
            boxes_here[is_undescribed & (call[block] == 0)] = ALWAYS
        node_box[block] = boxes_here
    return Plan(
        profile=profile,
        undescribed=undescribed,
        expressions=tuple(expressions),
        criteria=tuple(tuple(row) for row in criteria),
        variant_sets=tuple(tuple(row) for row in variant_sets),
        packing=packing,
        boxes=boxes.rows(),
        derived_flags=np.array([*layout.derived], np.uint32),
        derived_offsets=np.array(derived_offsets, np.uint32),
        derived_boxes=np.array(derived_boxes, np.uint32),
        expression_boxes=np.array(expression_boxes, np.uint32),
        set_offsets=np.array(sets.offsets, np.uint32),
        set_boxes=np.array(sets.members, np.uint32),
        first_child=first_child,
        child_count=child_count,
        call=call,
        flags=flags,
        variant_set=variant_set,
        node_box=node_box,
        root_count=root_count,
    )


def _check_trie(
    first_child: U32,
    child_count: U16,
    call: U8,
    flags: U8,
    variant_set: U32,
    root_count: int,
    set_count: int,
) -> None:
    nodes = len(first_child)
    for name, array, dtype in (
        ("first_child", first_child, np.uint32), ("child_count", child_count, np.uint16),
        ("call", call, np.uint8), ("flags", flags, np.uint8),
        ("variant_set", variant_set, np.uint32),
    ):  # fmt: skip
        if array.dtype != dtype or array.shape != (nodes,):
            raise ValueError(
                f"expected {name} as {np.dtype(dtype)}[{nodes}], got {array.dtype}{array.shape}"
            )
    if not 0 <= root_count <= nodes:
        raise ValueError(f"expected root_count of 0 to {nodes}, got {root_count!r}")
    if int(child_count.sum(dtype=np.int64)) + root_count != nodes:
        raise ValueError(
            f"expected every node to be an opening call or one node's child: {nodes} nodes, "
            f"{root_count} opening calls, {int(child_count.sum(dtype=np.int64))} children"
        )
    for block in blocks(nodes):
        inner = np.flatnonzero(child_count[block])
        first = first_child[block][inner].astype(np.int64)
        if not (first > inner + block.start).all():
            raise ValueError("expected parents to precede their children")
        if (first + child_count[block][inner] > nodes).any():
            raise ValueError("expected children within the table, got a first_child beyond it")
    if nodes and int(variant_set.max()) >= set_count:
        raise ValueError(f"expected variant sets below {set_count}, got {int(variant_set.max())}")


@lru_cache(maxsize=16)
def expressions_plan(expressions: tuple[Postfix, ...], profile: str) -> Plan:
    """Plan without a table, which only evaluates expressions; the latest are kept."""
    nothing = np.zeros(0, np.uint32)
    return build_plan(
        expressions=expressions,
        criteria=[],
        variant_sets=[()],
        first_child=nothing,
        child_count=np.zeros(0, np.uint16),
        call=np.zeros(0, np.uint8),
        flags=np.zeros(0, np.uint8),
        variant_set=nothing,
        root_count=0,
        profile=profile,
    )
