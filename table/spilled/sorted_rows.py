"""Rows in the order of their auctions, compiled by numba: sorting, searching, and their trie.

Auctions stand as in :mod:`bidcascade.table.trie`, calls behind one another and offsets. In order a
shorter one comes before those that go on from it, so that all rows below an auction are one run of
rows.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import DOUBLE, FIRST_BID, PASS, REDOUBLE
from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.types import U8, U16, U32, U64
from bidcascade.table.columns import CAN_COMPLETE, COMPLETED, INSERTED
from bidcascade.table.row import LONGEST_AUCTION
from bidcascade.table.trie import Dropped

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

KEPT_ROW, REJECTED_ROW, LEADING_ROW = 0, 1, 2
"""Kinds of rows: an entry, one that must not become an entry, one that only leads somewhere."""

_CALLS_PER_WORD = 10
_FEW = 16
_BEHIND = np.uint64(1 << 63)
"""Inserted entries come behind their siblings."""
_INSUFFICIENT_BID = int(Dropped.INSUFFICIENT_BID)
_WRONG_DOUBLE = int(Dropped.WRONG_DOUBLE)
_WRONG_REDOUBLE = int(Dropped.WRONG_REDOUBLE)
_BELOW_COMPLETED = int(Dropped.BELOW_COMPLETED)
_REJECTED = int(Dropped.REJECTED)
_BELOW_REJECTED = int(Dropped.BELOW_REJECTED)


@compiled
def _word(auctions: U8, begin: Any, end: Any) -> Any:
    """Ten calls as one number, six bits each; 0 behind the end of the auction."""
    word = np.uint64(0)
    for place in range(begin, begin + _CALLS_PER_WORD):
        word <<= np.uint64(6)
        if place < end:
            word |= np.uint64(auctions[place]) + np.uint64(1)
    return word


@compiled
def _first_words(auctions: U8, offsets: I64, words: U64) -> None:
    for row in range(len(words)):
        words[row] = _word(auctions, offsets[row], offsets[row + 1])


@compiled
def _mark_ties(words: U64, order: I64, tied: U8) -> int:
    """Mark rows like the one before: 1 if only so far, 2 if both auctions end; count the former."""
    left = 0
    for place in range(1, len(order)):
        word = words[order[place]]
        if word == words[order[place - 1]]:
            tied[place] = 2 if word & np.uint64(63) == 0 else 1
            left += tied[place] == 1
    return left


@compiled
def _break_ties(auctions: U8, offsets: I64, order: I64, tied: U8, first_call: int) -> int:
    """Order rows that are tied by the calls from ``first_call`` on; how many are still tied."""
    left = 0
    place = 1
    while place < len(order):
        if tied[place] != 1:
            place += 1
            continue
        begin = place - 1
        while place < len(order) and tied[place] == 1:
            place += 1
        rows = order[begin:place]
        words = np.empty(len(rows), np.uint64)
        for one in range(len(rows)):
            row = rows[one]
            words[one] = _word(auctions, offsets[row] + first_call, offsets[row + 1])
        if len(rows) <= _FEW:
            for one in range(1, len(rows)):
                word, row, at = words[one], rows[one], one
                while at and words[at - 1] > word:
                    words[at], rows[at] = words[at - 1], rows[at - 1]
                    at -= 1
                words[at], rows[at] = word, row
        else:
            by_word = np.argsort(words)
            words, rows[:] = words[by_word], rows[by_word]
        for one in range(1, len(rows)):
            tied[begin + one] = 0
            if words[one] == words[one - 1]:
                tied[begin + one] = 2 if words[one] & np.uint64(63) == 0 else 1
                left += tied[begin + one] == 1
    return left


@compiled
def _order_equals(order: I64, tied: U8) -> None:
    """Put rows of one auction in the order of their numbers."""
    place = 1
    while place < len(order):
        if tied[place] != 2:
            place += 1
            continue
        begin = place - 1
        while place < len(order) and tied[place] == 2:
            place += 1
        order[begin:place] = np.sort(order[begin:place])


def sorted_order(auctions: U8, offsets: I64) -> I64:
    """Order rows by their auctions, equal ones by their numbers.

    Examples
    --------
    >>> sorted_order(np.array([3, 0, 3, 0], np.uint8), np.array([0, 2, 3, 4])).tolist()
    [2, 1, 0]
    """
    if is_sorted(auctions, offsets):
        return np.arange(len(offsets) - 1)
    words = np.empty(len(offsets) - 1, np.uint64)
    _first_words(auctions, offsets, words)
    order: I64 = np.argsort(words)
    tied = np.zeros(len(order), np.uint8)
    left = _mark_ties(words, order, tied)
    del words
    first_call = _CALLS_PER_WORD
    while left:
        left = _break_ties(auctions, offsets, order, tied, first_call)
        first_call += _CALLS_PER_WORD
    _order_equals(order, tied)
    return order


@compiled
def is_sorted(auctions: U8, offsets: I64) -> bool:
    """Whether rows stand in the order of their auctions."""
    for row in range(1, len(offsets) - 1):
        begin, end, before = offsets[row], offsets[row + 1], offsets[row - 1]
        place = 0
        while (
            before + place < begin
            and begin + place < end
            and auctions[before + place] == auctions[begin + place]
        ):
            place += 1
        if before + place < begin and (
            begin + place == end or auctions[before + place] > auctions[begin + place]
        ):
            return False
    return True


@compiled
def in_order(auctions: U8, offsets: I64, order: I64, sorted_auctions: U8) -> None:
    """Copy auctions in an order."""
    out = 0
    for row in order:
        for place in range(offsets[row], offsets[row + 1]):
            sorted_auctions[out] = auctions[place]
            out += 1


@compiled
def children_in(auctions: U8, offsets: U32, begin: int, end: int, depth: int, bounds: I64) -> None:
    """Find where rows by their next call begin, of sorted rows below one auction.

    Parameters
    ----------
    auctions : uint8 [calls], offsets : uint32 [rows + 1]
    begin, end : int
        The rows, all of which go on from the same ``depth`` calls or end there.
    bounds : int64 [calls + 1]
        Filled: rows with call ``c`` behind the auction are ``bounds[c]`` to ``bounds[c + 1]``;
        from ``begin`` to ``bounds[0]`` are those of the auction itself.
    """
    low = begin
    for call in range(len(bounds)):
        high = end
        while low < high:
            middle = (low + high) // 2
            place = np.int64(offsets[middle]) + depth
            if place < np.int64(offsets[middle + 1]) and auctions[place] >= call:
                high = middle
            else:
                low = middle + 1
        bounds[call] = low


class Nodes(NamedTuple):
    """Nodes of a trie, each before those below it and siblings by call."""

    parent: I32
    """-1 for opening calls."""
    call: U8
    flags: U8
    priority: U64
    """Order among siblings."""
    first_row: I64
    """Number of the first row that leads to it."""
    first_kept: I64
    """Number of the first row that is the entry; above all numbers where there is none."""


NO_ROW = 1 << 62


@compiled
def _count_nodes(auctions: U8, offsets: I64, order: I64) -> int:
    nodes = 0
    for place in range(len(order)):
        begin, end = offsets[order[place]], offsets[order[place] + 1]
        nodes += end - begin
        if place:
            before, its_end = offsets[order[place - 1]], offsets[order[place - 1] + 1]
            while begin < end and before < its_end and auctions[begin] == auctions[before]:
                begin, before = begin + 1, before + 1
                nodes -= 1
    return nodes


@compiled
def _grow(
    auctions: U8, offsets: I64, order: I64, kinds: U8, numbers: I64, priorities: U64, dropped: U8,
    row_node: I32, parent: I32, call: U8, flags: U8, priority: U64, first_row: I64,
    first_kept: I64,
) -> int:  # fmt: skip
    """Make the nodes of sorted rows; fill what :func:`trie_of_sorted` returns."""
    # the state before each call of the auction at hand, as the laws need it
    node = np.full(LONGEST_AUCTION + 2, -1, np.int32)
    reason, last_bid, doubling, passes, ours = np.zeros((5, LONGEST_AUCTION + 2), np.int64)
    nodes = 0
    place = 0
    while place < len(order):
        begin, end = offsets[order[place]], offsets[order[place] + 1]
        length = end - begin
        depth = 0
        if place:
            before, its_end = offsets[order[place - 1]], offsets[order[place - 1] + 1]
            while (
                depth < length
                and before + depth < its_end
                and auctions[begin + depth] == auctions[before + depth]
            ):
                depth += 1
        while depth < length:
            made = np.int64(auctions[begin + depth])
            below = depth + 1
            why = reason[depth]
            if why == 0:
                if passes[depth] == 4 or (passes[depth] == 3 and last_bid[depth] > 0):
                    why = _BELOW_COMPLETED
                elif made >= FIRST_BID:
                    if made <= last_bid[depth]:
                        why = _INSUFFICIENT_BID
                elif made == DOUBLE:
                    if last_bid[depth] == 0 or ours[depth] or doubling[depth]:
                        why = _WRONG_DOUBLE
                elif made == REDOUBLE and not (doubling[depth] == 1 and ours[depth]):
                    why = _WRONG_REDOUBLE
            reason[below] = why
            node[below] = node[depth]
            if why == 0:
                is_bid = made >= FIRST_BID
                last_bid[below] = made if is_bid else last_bid[depth]
                doubling[below] = doubling[depth]
                if made != PASS:
                    doubling[below] = 0 if is_bid else made
                passes[below] = passes[depth] + 1 if made == PASS else 0
                # whose turn it is changes side with every call
                ours[below] = 0 if is_bid else 1 - ours[depth]
                parent[nodes] = node[depth]
                call[nodes] = made
                is_over = passes[below] == 4 or (passes[below] == 3 and last_bid[below] > 0)
                flags[nodes] = INSERTED | (COMPLETED if is_over else 0)
                priority[nodes] = _BEHIND
                first_row[nodes] = first_kept[nodes] = NO_ROW
                node[below] = nodes
                nodes += 1
            depth = below
        # the rows of one auction
        behind = place + 1
        while behind < len(order):
            other = offsets[order[behind]]
            if offsets[order[behind] + 1] - other != length:
                break
            same = 0
            while same < length and auctions[begin + same] == auctions[other + same]:
                same += 1
            if same < length:
                break
            behind += 1
        is_kept, is_rejected = False, False
        for row in order[place:behind]:
            is_kept |= kinds[row] == KEPT_ROW
            is_rejected |= kinds[row] == REJECTED_ROW
        was_legal = reason[length] == 0
        if was_legal and is_rejected and not is_kept:
            # made just now: what goes on from here comes behind
            nodes -= 1
            node[length] = node[length - 1]
            reason[length] = _BELOW_REJECTED
        ends_at = node[length]
        for row in order[place:behind]:
            number = numbers[row]
            if ends_at >= 0:
                first_row[ends_at] = min(first_row[ends_at], number)
            row_node[row] = ends_at
            dropped[row] = reason[length]
            if was_legal and kinds[row] == REJECTED_ROW:
                dropped[row] = _REJECTED
            elif was_legal and kinds[row] == KEPT_ROW:
                flags[ends_at] &= 255 - INSERTED
                priority[ends_at] = min(priority[ends_at], priorities[row])
                first_kept[ends_at] = min(first_kept[ends_at], number)
        place = behind
    for one in range(nodes - 1, -1, -1):
        if parent[one] >= 0:
            first_row[parent[one]] = min(first_row[parent[one]], first_row[one])
        if flags[one] & INSERTED:
            priority[one] = _BEHIND | np.uint64(first_row[one])
    return nodes


def trie_of_sorted(
    auctions: U8, offsets: I64, order: I64, kinds: U8, numbers: I64, priorities: U64
) -> tuple[Nodes, I32, U8]:
    """Nodes of rows that an order sorts, and by row its node and a :class:`Dropped`.

    Inserted nodes are there though every row below was dropped. The node of a row that was
    dropped is the last one on its way.
    """
    dropped = np.zeros(len(order), np.uint8)
    row_node = np.full(len(order), -1, np.int32)
    count = _count_nodes(auctions, offsets, order)
    nodes = Nodes(
        np.empty(count, np.int32), np.empty(count, np.uint8), np.empty(count, np.uint8),
        np.empty(count, np.uint64), np.empty(count, np.int64), np.empty(count, np.int64),
    )  # fmt: skip
    made = _grow(auctions, offsets, order, kinds, numbers, priorities, dropped, row_node, *nodes)
    parent, call, flags, priority, first_row, first_kept = nodes
    found = Nodes(
        parent[:made], call[:made], flags[:made], priority[:made], first_row[:made],
        first_kept[:made],
    )  # fmt: skip
    return found, row_node, dropped


@compiled
def measure(parent: I32, flags: U8, below: I64, child_count: I64, there: U8) -> None:
    """Work out from the last node on what is below each, and set :data:`CAN_COMPLETE`.

    Parameters
    ----------
    below, child_count : int64 [nodes]
        Raised by the entries below each node, and by its children.
    there : uint8 [nodes]
        Becomes 1 for nodes that rows stand for or below.
    """
    for node in range(len(parent) - 1, -1, -1):
        if flags[node] & COMPLETED:
            flags[node] |= CAN_COMPLETE
        if not flags[node] & INSERTED:
            there[node] = 1
        above = parent[node]
        if there[node] and above >= 0:
            there[above] = 1
            below[above] += below[node] + 1
            child_count[above] += 1
            flags[above] |= flags[node] & CAN_COMPLETE


@compiled
def children_by_priority(parent: I32, priority: U64, there: U8, starts: I64, children: I32) -> None:
    """List the children of each node in the order of priority.

    ``starts`` [nodes + 2] is filled with where those of each node, plus 1, begin in ``children``;
    those at 0 are the opening calls.
    """
    starts[:] = 0
    for node in range(len(parent)):
        if there[node]:
            starts[parent[node] + 2] += 1
    for place in range(1, len(starts)):
        starts[place] += starts[place - 1]
    free = starts[:-1].copy()
    for node in range(len(parent)):
        if there[node]:
            above = parent[node] + 1
            at = free[above]
            free[above] += 1
            while at > starts[above] and priority[children[at - 1]] > priority[node]:
                children[at] = children[at - 1]
                at -= 1
            children[at] = node


@compiled
def number_below(
    starts: I64, children: I32, below: I64, child_count: I64, call: U8, flags: U8, base: I64,
    entry: I64, columns: tuple[U8, U8, U16, U32],
) -> None:  # fmt: skip
    """Give numbers to what is below some nodes, and write the columns of these entries.

    Parameters
    ----------
    base : int64 [nodes]
        Where the entries below a node begin; -1 where they are not wanted. Nodes below those are
        filled in.
    entry : int64 [nodes]
        Filled for nodes below the wanted ones.
    columns : tuple of arrays
        Filled: call, flags, number of children, first child.
    """
    for node in range(len(base)):
        if base[node] < 0:
            continue
        first = base[node]
        free = first + child_count[node]
        for place in range(starts[node + 1], starts[node + 2]):
            child = children[place]
            number = first + place - starts[node + 1]
            entry[child] = number
            base[child] = free
            columns[0][number] = call[child]
            columns[1][number] = flags[child]
            columns[2][number] = child_count[child]
            columns[3][number] = free
            free += below[child]


@compiled
def rows_of_entries(dropped: U8, row_entry: I64, priorities: U64, first: I64, further: U8) -> None:
    """Find the row that comes first of each entry, and mark the others.

    ``first`` [entries] must be filled with -1 and ``further`` [rows] with 0.
    """
    for row in range(len(dropped)):
        if dropped[row]:
            continue
        entry = row_entry[row]
        other = first[entry]
        if other < 0:
            first[entry] = row
        elif priorities[row] < priorities[other]:
            first[entry] = row
            further[other] = 1
        else:
            further[row] = 1
