"""From the row of a place to its entries, in the order in which they are tried.

Headers form a forest: below a chain of conditions that hold, groups of lines apply. The groups that
apply are put in order, most specific first; their lines make calls; a line's conditions become
needs. What nobody has asked before (a decision, a result) is noted as *missing* and the place is
expanded again when it has been learned.
"""

from typing import Any, Final

import numpy as np

from .arrays import (
    ANY_HAND,
    CALLS,
    LEAF,
    MISSES,
    NEVER,
    STAMP,
    UNKNOWN,
    Block,
    Program,
    Store,
)
from .hashing import find
from .native import native
from .questions import MANY_ANSWERS, answer

MISS_ROOT, MISS_DECISION, MISS_JOIN, MISS_ENTRY, MISS_MOVE, MISS_BELOW = range(6)
"""Kinds of what is missing: (subject, bindings); a root; (needs, needs); (variant, bindings, call
and needs); (side, state, call); (line, bindings, their call)."""
MISSING: Final = -1
SUBJECT_SHIFT: Final = 16
"""Bindings take so many bits of a key."""


@native
def note(block: Block, item: int, kind: int, a: int, b: int, c: int) -> None:
    """Note what is missing, as long as there is room: the rest comes up again."""
    number = block.sizes[MISSES]
    if number < len(block.misses):
        row = block.misses[number]
        row[0], row[1], row[2], row[3], row[4] = kind, item, a, b, c
        block.sizes[MISSES] = number + 1


@native
def decide(prog: Program, store: Store, block: Block, row: Any, item: int, root: int) -> int:
    """Find the result of a decision at a place, or MISSING."""
    edge = prog.roots[root]
    while edge >= 0:
        decision = prog.decisions[edge]
        number = decision.question
        q = prog.questions[number]
        if block.stamps[number] == block.sizes[STAMP]:
            found = block.values[number]
        else:
            found = answer(store, block, row, q)
            block.stamps[number] = block.sizes[STAMP]
            block.values[number] = found
        if q.kind >= MANY_ANSWERS:
            edge = decision.yes if found else decision.no
        else:
            key = np.uint64(edge) << np.uint64(32) | np.uint64(found & 0xFFFFFFFF)
            edge = find(prog.answers, key)
    if edge == UNKNOWN:
        note(block, item, MISS_DECISION, root, 0, 0)
        return MISSING
    return LEAF - edge


@native
def root_of(prog: Program, block: Block, item: int, subject: int, bindings: int) -> int:
    """Find the root of a subject under bindings, or MISSING."""
    root = find(prog.root_numbers, np.uint64(subject << SUBJECT_SHIFT | bindings))
    if root < 0:
        note(block, item, MISS_ROOT, subject, bindings, 0)
    return root


@native
def needs_of(
    prog: Program, store: Store, block: Block, row: Any, item: int, subject: int, bindings: int
) -> int:
    """Constraint of a condition under bindings, NEVER or MISSING; -1 as subject is any hand."""
    if subject < 0:
        return ANY_HAND
    root = root_of(prog, block, item, subject, bindings)
    return MISSING if root < 0 else decide(prog, store, block, row, item, root)


@native
def _joined(prog: Program, block: Block, item: int, first: int, second: int) -> int:
    if first == ANY_HAND or second == ANY_HAND:
        return first + second  # ANY_HAND is 0
    found = find(prog.joined, np.uint64(first) << np.uint64(32) | np.uint64(second))
    if found < 0:
        note(block, item, MISS_JOIN, first, second, 0)
    return found


@native
def _climb(
    prog: Program, store: Store, block: Block, row: Any, item: int, first: int, count: int
) -> int:
    """Add the groups that apply below a tree and its siblings; MISSING if something is.

    ``stack`` holds, for each open tree, its number and the needs of the way to it.
    """
    if first < 0:
        return count
    missing = False
    stack = block.stack
    stack[0] = first
    stack[1] = ANY_HAND
    depth = 1
    while depth:
        depth -= 1
        number, needs = stack[2 * depth], stack[2 * depth + 1]
        tree = prog.forest[number]
        if tree.sibling >= 0:
            stack[2 * depth], stack[2 * depth + 1] = tree.sibling, needs
            depth += 1
        if tree.root >= 0:
            own = decide(prog, store, block, row, item, tree.root)
            if own == NEVER:
                continue
            if own != MISSING:
                own = _joined(prog, block, item, needs, own)
            if own == MISSING:
                missing = True
                continue
            needs = own
        if tree.group >= 0:
            group = block.found[count]
            group[0] = prog.groups[tree.group].turn
            group[1], group[2], group[3] = tree.group, tree.bindings, needs
            count += 1
        if tree.child >= 0:
            stack[2 * depth], stack[2 * depth + 1] = tree.child, needs
            depth += 1
    return MISSING if missing else count


@native
def _put_in_order(found: Any, count: int) -> None:
    """Sort groups by turn; those of one group stay as they were found."""
    for number in range(1, count):
        turn, group, bindings, needs = (
            found[number, 0], found[number, 1], found[number, 2], found[number, 3]
        )  # fmt: skip
        place = number
        while place and found[place - 1, 0] > turn:
            for part in range(4):
                found[place, part] = found[place - 1, part]
            place -= 1
        found[place, 0], found[place, 1] = turn, group
        found[place, 2], found[place, 3] = bindings, needs


@native
def is_legal(row: Any, call: int) -> bool:
    """Whether a call may be made at a place where the auction goes on."""
    if call >= 3:
        return call > row.last_bid
    if call == 0:
        return True
    ours = (np.int64(row.last_bidder) - row.length) & 1 == 0
    if row.last_bid == 0:
        return False
    return (row.doubled == 0 and not ours) if call == 1 else (row.doubled == 1 and ours)


@native
def _line_entries(
    prog: Program, store: Store, block: Block, row: Any, item: int,
    line: Any, call: int, bindings: int, needs: int, begins: int, end: int,
) -> int:  # fmt: skip
    """Append the entries of a line for one call; the new end, or MISSING."""
    common = needs_of(prog, store, block, row, item, line.condition, bindings)
    if common == NEVER:
        return end
    if common == MISSING:
        return MISSING
    both = _joined(prog, block, item, needs, common)
    missing = both == MISSING
    for variant in range(line.first, line.end):
        own = needs_of(prog, store, block, row, item, prog.variants[variant].condition, bindings)
        if own == NEVER:
            continue
        if own != MISSING and both != MISSING:
            own = _joined(prog, block, item, both, own)
        if own == MISSING or both == MISSING:
            missing = True
            continue
        key = (
            np.uint64(variant) << np.uint64(44) | np.uint64(own) << np.uint64(22)
            | np.uint64(call) << np.uint64(16) | np.uint64(bindings)
        )  # fmt: skip
        entry = find(prog.entry_numbers, key)
        if entry < 0:
            note(block, item, MISS_ENTRY, variant, bindings, call << 32 | own)
            missing = True
            continue
        if end < len(block.items):
            block.items[end] = entry << 1 | begins
        begins = 0
        end += 1
    return MISSING if missing else end


@native
def _group_entries(
    prog: Program, store: Store, block: Block, row: Any, item: int, start: int, stop: int, end: int
) -> int:
    """Append the entries of one group, found under several bindings; the new end, or MISSING."""
    group = prog.groups[block.found[start, 1]]
    owners = block.owners
    missing = False
    for place in range(group.first, group.end):
        line = prog.lines[prog.group_lines[place]]
        for number in range(start, stop):
            bindings, needs = block.found[number, 2], block.found[number, 3]
            begins = 1
            if line.call >= 0:
                first, last = 0, 1
                if not is_legal(row, line.call):
                    continue
            else:
                found = needs_of(prog, store, block, row, item, line.pattern, bindings)
                if found == MISSING:
                    missing = True
                    continue
                first, last = prog.calls_first[found], prog.calls_first[found + 1]
            for which in range(first, last):
                call = line.call
                bound = bindings
                if call < 0:
                    call, bound = prog.calls_code[which], prog.calls_bindings[which]
                if owners[call] >= 0 and owners[call] != group.specificity:
                    continue
                more = _line_entries(
                    prog, store, block, row, item, line, call, bound, needs, begins, end
                )
                if more == MISSING:
                    # what it would have hidden is not known, so more may seem to be missing
                    missing = True
                elif more > end:
                    # a line that cannot hold here (its facts fail) hides nothing
                    owners[call] = group.specificity
                    begins = 0
                    end = more
    return MISSING if missing else end


@native
def _below(
    prog: Program, store: Store, block: Block, row: Any, item: int, entry_list: int, call: int,
    count: int,
) -> int:  # fmt: skip
    """Add the groups below the lines of partner's last call, which an entry list gave."""
    me = row.length & 3
    their_call = np.int64(row.call[(me + 3) & 3])
    last_line = -1
    missing = False
    for place in range(store.list_first[entry_list], store.list_first[entry_list + 1]):
        entry = prog.entries[store.list_items[place] >> 1]
        if entry.call != call:
            continue
        line = prog.variants[entry.variant].line
        if line == last_line:
            continue
        last_line = line
        key = (
            np.uint64(line) << np.uint64(32) | np.uint64(entry.bindings) << np.uint64(8)
            | np.uint64(their_call)
        )  # fmt: skip
        head = find(prog.below, key)
        if head == -1:
            note(block, item, MISS_BELOW, line, entry.bindings, their_call)
            missing = True
        elif head >= 0:
            more = _climb(prog, store, block, row, item, head, count)
            if more == MISSING:
                missing = True
            else:
                count = more
    return MISSING if missing else count


@native
def expand(
    prog: Program, store: Store, block: Block, row: Any, item: int, partners_list: int, end: int
) -> int:
    """Write the entries of a place behind ``end`` of the block's items; the new end, or MISSING.

    ``partners_list`` is the list of the place where partner made the last call, -1 for none.
    """
    block.sizes[STAMP] += 1
    me = row.length & 3
    count = _climb(prog, store, block, row, item, prog.heads[row.pattern[me & 1]], 0)
    if count != MISSING and partners_list >= 0:
        count = _below(
            prog, store, block, row, item, partners_list, np.int64(row.call[me ^ 2]), count
        )
    if count != MISSING:
        count = _climb(prog, store, block, row, item, prog.anywhere[0], count)
    if count == MISSING:
        return MISSING
    _put_in_order(block.found, count)
    for call in range(CALLS):
        block.owners[call] = -1
    missing = False
    start = 0
    while start < count:
        stop = start + 1
        while stop < count and block.found[stop, 0] == block.found[start, 0]:
            stop += 1
        more = _group_entries(prog, store, block, row, item, start, stop, end)
        if more == MISSING:
            missing = True
        else:
            end = more
        start = stop
    return MISSING if missing else end
