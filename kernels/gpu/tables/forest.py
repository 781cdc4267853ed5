"""The trie as the cascades on a device take it: only the nodes that ask something, depth first.

A node that holds always (undescribed entries, most of a published table) holds exactly where the
node above it does, so it is left out and *represented* by that one; a node that never holds goes
with all below it. What is left stands depth first, and each node knows ``fail``, the next node
that is not below it. So a walk needs no stack:

    k = 0
    while k < nodes:  k = k + 1 if node k holds else fail[k]

All entries of the table that a walk passes between one node and the next hold too, so a walk also
lists entries, in runs (``listed_from``, ``listed_behind``).
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.number_ranges import numbers_of_ranges
from bidcascade.kernels.plan import ALWAYS, CAN_COMPLETE, COMPLETED, MULTIPLE, NEVER, Plan
from bidcascade.kernels.types import I64, U32

TEST_SEAT_SHIFT = 28
TEST_MULTIPLE = 1 << 30
TEST_LIMIT = 1 << TEST_SEAT_SHIFT
"""Boxes and sets are numbered below this."""

NODES_AT_ONCE = 1 << 26
"""Tables of more nodes are put together from one opening's subtree after the other."""


@dataclass(frozen=True, slots=True)
class Forest:
    """Nodes that ask something, depth first.

    Parameters
    ----------
    test : uint32 [nodes]
        Number of a box (or, with ``TEST_MULTIPLE``, of a set), and the dealer-relative seat whose
        hand is tested from bit ``TEST_SEAT_SHIFT`` on.
    fail : uint32 [nodes]
    parent : uint32 [nodes]
        The node above, the number of nodes for none.
    listed_from, listed_behind : uint32 [nodes]
        Where in ``listed`` the entries of a node, and those behind all below it, start.
    listed : uint32 [entries]
        Entries (nodes of the plan) in depth-first order.
    representative : uint32 [nodes of the plan]
        The node that each entry holds with; the number of nodes if it always holds, one more if it
        never does.
    levels : int
        Nodes on the longest path.
    """

    test: U32
    fail: U32
    parent: U32
    listed_from: U32
    listed_behind: U32
    listed: U32
    representative: U32
    levels: int

    def __len__(self) -> int:
        return len(self.test)


@dataclass(slots=True)
class _Level:
    """Entries of one depth; ``above`` counts within the level above, ascending."""

    entries: I64
    above: I64
    has_test: NDArray[np.bool_]
    is_listed: NDArray[np.bool_]
    asking_below: I64  # nodes that ask something, in the subtree with its root
    listed_below: I64


def build_forest(
    plan: Plan, *, completed_only: bool = False, max_depth: int | None = None
) -> Forest:
    """Contract a plan's trie.

    Parameters
    ----------
    completed_only : bool
        List completed auctions only; what cannot complete is left out.
    max_depth : int, optional
        Leave out what lies deeper.
    """
    if max(len(plan.boxes), len(plan.set_offsets)) >= TEST_LIMIT:
        raise ValueError(f"expected fewer than 2**28 boxes, got {len(plan.boxes)}")
    representative = np.full(plan.node_count, _NEVER, np.uint32)
    groups: Sequence[range] = [range(plan.root_count)]
    if plan.node_count > NODES_AT_ONCE:
        groups = [range(root, root + 1) for root in range(plan.root_count)]
    if max_depth is not None and max_depth <= 0:
        groups = []

    def one_group(group: range) -> _Part:
        levels = _levels_of(
            plan,
            np.arange(group.start, group.stop),
            completed_only=completed_only,
            max_depth=max_depth,
        )
        return _numbered(plan, levels, representative)

    # the arrays are long, and NumPy lets go of the interpreter's lock while it works on them
    with ThreadPoolExecutor(min(THREADS, max(1, len(groups)))) as pool:
        parts = list(pool.map(one_group, groups))
    nodes = sum(len(part.test) for part in parts)
    forest = Forest(
        test=_joined(parts, "test"),
        fail=_joined(parts, "fail", by_nodes=True),
        parent=_joined(parts, "parent", by_nodes=True, none=nodes),
        listed_from=_joined(parts, "listed_from", by_listed=True),
        listed_behind=_joined(parts, "listed_behind", by_listed=True),
        listed=_joined(parts, "listed"),
        representative=representative,
        levels=max((part.levels for part in parts), default=0),
    )
    if len(parts) > 1 and not completed_only:
        before = 0
        for part in parts:
            # what is listed is all that holds at all
            own = representative[part.listed]
            representative[part.listed] = np.where(own == _ALWAYS, own, own + np.uint32(before))
            before += len(part.test)
    # the marks of "always" and "never" are known only now
    representative[representative == _ALWAYS] = nodes
    representative[representative == _NEVER] = nodes + 1
    return forest


THREADS = 8
_ALWAYS = np.uint32(0xFFFFFFFE)
"""Above this there is no node that asks something; so it holds always."""
_NEVER = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class _Part:
    """Arrays of a :class:`Forest` of some openings, numbered from 0."""

    test: U32
    fail: U32
    parent: U32
    listed_from: U32
    listed_behind: U32
    listed: U32
    levels: int


def _joined(
    parts: list[_Part],
    name: str,
    *,
    by_nodes: bool = False,
    by_listed: bool = False,
    none: int | None = None,
) -> U32:
    """Join an array of the parts; numbers of nodes or places in lists go on from part to part."""
    arrays: list[U32] = [getattr(part, name) for part in parts]
    out = np.empty(sum(map(len, arrays)), np.uint32)
    start = nodes = listed = 0
    for part, array in zip(parts, arrays, strict=True):
        target = out[start : start + len(array)]
        np.add(array, np.uint32(by_nodes * nodes + by_listed * listed), out=target)
        if none is not None:
            target[array == _ALWAYS] = none
        start += len(array)
        nodes += len(part.test)
        listed += len(part.listed)
    return out


def _levels_of(
    plan: Plan, roots: I64, *, completed_only: bool, max_depth: int | None
) -> list[_Level]:
    """Entries by depth, without those that never hold or are not asked for."""
    levels: list[_Level] = []
    entries, above = roots, np.zeros(len(roots), np.int64)
    while len(entries):
        box = plan.node_box[entries]
        flags = plan.flags[entries]
        staying = box != NEVER
        if completed_only:
            staying &= (flags & CAN_COMPLETE) > 0
        entries, above, box, flags = entries[staying], above[staying], box[staying], flags[staying]
        is_listed = (flags & COMPLETED) > 0 if completed_only else np.ones(len(entries), np.bool_)
        has_test = box != ALWAYS
        levels.append(
            _Level(
                entries,
                above,
                has_test,
                is_listed,
                has_test.astype(np.int64),
                is_listed.astype(np.int64),
            )
        )
        if max_depth is not None and len(levels) >= max_depth:
            break
        counts = plan.child_count[entries]
        above = np.repeat(np.arange(len(entries)), counts)
        entries = numbers_of_ranges(plan.first_child[entries], counts)
    for level, upper in zip(levels[:0:-1], levels[-2::-1], strict=True):
        firsts = _first_children(level.above)
        if len(firsts):
            parents = level.above[firsts]
            upper.asking_below[parents] += np.add.reduceat(level.asking_below, firsts)
            upper.listed_below[parents] += np.add.reduceat(level.listed_below, firsts)
    return levels


def _first_children(above: I64) -> I64:
    """Where the children of one entry after the other begin."""
    is_first = np.ones(len(above), np.bool_)
    is_first[1:] = above[1:] != above[:-1]
    return np.flatnonzero(is_first)


def _numbered(plan: Plan, levels: list[_Level], representative: U32) -> _Part:
    """Give numbers from 0 on; fill in ``representative`` with them."""
    node_total = int(levels[0].asking_below.sum()) if levels else 0
    listed_total = int(levels[0].listed_below.sum()) if levels else 0
    test, fail, parent, listed_from, listed_behind = np.empty((5, node_total), np.uint32)
    listed = np.empty(listed_total, np.uint32)
    # of the level above: first number inside the subtree, of nodes and of listed entries;
    # and who stands for it, how deep
    inside_nodes = np.zeros(1, np.int64)
    inside_listed = np.zeros(1, np.int64)
    stands = np.array([_ALWAYS], np.uint32)
    asking_depth = np.zeros(1, np.int16)
    deepest = 0
    for depth, level in enumerate(levels):
        above = level.above
        node = inside_nodes[above] + _running(level.asking_below, above)
        place = inside_listed[above] + _running(level.listed_below, above)
        asking_depth = asking_depth[above] + level.has_test
        deepest = max(deepest, int(asking_depth.max(initial=0)))
        asking = level.has_test
        at = node[asking]
        box = plan.node_box[level.entries[asking]]
        mark = np.where(box & MULTIPLE, np.uint32(TEST_MULTIPLE), np.uint32(0))
        seat = np.uint32((depth & 3) << TEST_SEAT_SHIFT)
        test[at] = box & np.uint32(MULTIPLE - 1) | mark | seat
        fail[at] = at + level.asking_below[asking]
        parent[at] = stands[above[asking]]
        listed_from[at] = place[asking]
        listed_behind[at] = (place + level.listed_below)[asking]
        listed[place[level.is_listed]] = level.entries[level.is_listed]
        stands = stands[above]
        stands[asking] = at
        representative[level.entries] = stands
        inside_nodes = node + asking
        inside_listed = place + level.is_listed
    return _Part(test, fail, parent, listed_from, listed_behind, listed, deepest)


def _running(sizes: I64, above: I64) -> I64:
    """Sum of the sizes of the siblings before each."""
    before = np.cumsum(sizes) - sizes
    firsts = _first_children(above)
    return before - np.repeat(before[firsts], np.diff(firsts, append=len(above)))


@dataclass(frozen=True, slots=True)
class Items:
    """Runs of a forest's nodes for warps to walk, below the top of it.

    Parameters
    ----------
    runs : uint32 [items, 2]
        First node and end; together they cover all nodes, in order. All nodes of a run that have
        none of the run above them are below the same node.
    is_top : bool [items]
        Runs of a single node with many below it; what is above any run are such nodes.
    """

    runs: U32
    is_top: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.runs)

    def windows(self, most_nodes: int) -> Iterator[range]:
        """Consecutive items whose nodes are at most ``most_nodes``, as long runs as can be."""
        first, ends = 0, self.runs[:, 1].astype(np.int64)
        while first < len(self.runs):
            start = int(self.runs[first, 0])
            end = int(np.searchsorted(ends, start + most_nodes, side="right"))
            end = max(end, first + 1)
            yield range(first, end)
            first = end


def split(forest: Forest, most_nodes: int) -> Items:
    """Cut a forest into runs of about ``most_nodes`` nodes (fewer than twice as many).

    A subtree of at most so many stays whole, small neighbours below one node stay together, and a
    node whose subtree is too large is a run of its own, at the top.

    Raises
    ------
    ValueError
        If runs may not have a single node.
    """
    if most_nodes < 1:
        raise ValueError(f"expected runs of at least a node, got {most_nodes!r}")
    count = len(forest.fail)
    size = forest.fail.astype(np.int64) - np.arange(count)
    is_large = np.zeros(count + 1, np.bool_)
    is_large[:count] = size > most_nodes
    is_large[count] = True  # what is above all
    starts_unit = is_large[:count] | is_large[forest.parent]
    units = np.flatnonzero(starts_unit)
    unit_size = np.where(is_large[units], 1, size[units])
    # neighbours go together: same node above, none of them large, and not too many nodes
    is_alone = is_large[units]
    above = forest.parent[units].astype(np.int64)
    begins = np.ones(len(units), np.bool_)
    begins[1:] = is_alone[1:] | is_alone[:-1] | (above[1:] != above[:-1])
    family = np.cumsum(begins) - 1
    family_start = units[begins]
    # a family is cut where the last node of a unit passes a multiple of most_nodes
    behind = units + unit_size - 1 - family_start[family] if len(units) else units
    bucket = behind // most_nodes
    cut = begins.copy()
    cut[1:] |= bucket[1:] != bucket[:-1]
    runs = np.empty((int(cut.sum()), 2), np.uint32)
    runs[:, 0] = units[cut]
    runs[:, 1] = np.append(units[cut][1:], count) if len(units) else 0
    return Items(runs, is_alone[cut])


@dataclass(frozen=True, slots=True)
class Top:
    """Nodes with many below them and what is above these, and the runs below, of a window.

    A set of deals is numbered 0 for all deals, or one more than the node's place.

    Parameters
    ----------
    nodes : int64 [nodes]
        By level.
    parent_sets : uint32 [nodes]
        The set of the node above.
    level_ends : uint32 [levels]
        Where in ``nodes`` each level ends.
    items : int64 [runs]
        Which of all runs are below.
    item_sets : uint32 [runs]
        The set of the node above.
    """

    nodes: I64
    parent_sets: U32
    level_ends: U32
    items: I64
    item_sets: U32

    @classmethod
    def of(cls, forest: Forest, items: Items, numbers: range) -> "Top":
        """Take what some consecutive items have."""
        none = len(forest)
        runs = items.runs[numbers.start : numbers.stop].astype(np.int64)
        is_top = items.is_top[numbers.start : numbers.stop]
        # what is above the window is above its first node
        above = [int(runs[0, 0])]
        while (parent := int(forest.parent[above[-1]])) != none:
            above.append(parent)
        nodes = np.concatenate([np.array(above[:0:-1], np.int64), runs[is_top, 0]])

        def sets_above(some: I64) -> I64:
            parents = forest.parent[some].astype(np.int64)
            return np.where(parents == none, 0, np.searchsorted(nodes, parents) + 1)

        parent_sets = sets_above(nodes)
        level, higher = np.zeros(len(nodes), np.int64), parent_sets
        while higher.any():
            level += higher > 0
            higher = np.append(0, parent_sets)[higher]
        order = np.argsort(level, kind="stable")
        renumbered = np.zeros(len(nodes) + 1, np.uint32)
        renumbered[order + 1] = np.arange(1, len(nodes) + 1)
        return cls(
            nodes[order],
            renumbered[parent_sets[order]],
            np.cumsum(np.bincount(level)).astype(np.uint32),
            np.flatnonzero(~is_top) + numbers.start,
            renumbered[sets_above(runs[~is_top, 0])],
        )
