"""All auctions that systems allow for a deal, and all deals for which they allow a call.

What a hand may call at a place: the calls of all entries that hold, in the order of the first that
does; a pass behind them where the place has none; and a pass where nothing holds. So the first of
them is always what mode ``first`` makes, and its auction is the leftmost one of the walk.
"""

from typing import Any, ClassVar, Final

import numpy as np

from bidcascade.kernels.types import U8, U64

from .arrays import CALLS, I32, I64, UNKNOWN, Block, Program, Store
from .native import Field, Group, native
from .walk import DONE, ROOM, child_of, ends, has_room, holds, ready

LIMIT, DEPTH, VISITS, COMPLETED_ONLY = range(4)
"""Places in the array of bounds."""
WHOLE, CUT_LIMIT, CUT_DEPTH, CUT_PLACES = range(4)
"""What kept a list from being whole."""
LEVELS: Final = 324


class Listed(Group):
    """Auctions that were found, one behind the other, and room for the walk."""

    fields: ClassVar[dict[str, Field]] = {
        "end": ("i8",),  # [deals + 1] where each deal's auctions end
        "cut": ("u1",),  # [deals]
        "place": ("i4",),  # where the last call of each auction is made
        "call": ("u1",),
        "completed": ("u1",),
        "held_end": (
            "i8",
        ),  # [auctions + 1] where the entries end that hold and make its last call
        "held": ("i4",),
        "calls": ("u1", CALLS),  # [LEVELS] calls that are allowed at each place of the way
        "count": ("i4",),  # [LEVELS]
        "next": ("i4",),  # [LEVELS]
    }


@native
def allowed_calls(prog: Program, store: Store, place: int, words: U64, calls: U8) -> int:
    """Write the calls that a hand may make at a place, in order; how many there are."""
    chosen = store.chosen[place]
    seen = np.uint64(0)
    has_pass = False
    count = 0
    for item in range(store.list_first[chosen], store.list_first[chosen + 1]):
        entry = prog.entries[store.list_items[item] >> 1]
        if entry.call == 0:
            has_pass = True
        bit = np.uint64(1) << np.uint64(entry.call)
        if seen & bit == 0 and holds(prog, entry.needs, words):
            seen |= bit
            calls[count] = entry.call
            count += 1
    if count == 0 or not has_pass:
        calls[count] = 0
        count += 1
    return count


@native
def _put(
    first_side: Program, other_side: Program, store: Store, out: Listed, number: int, place: int,
    depth: int, call: int, words: U64,
) -> bool:  # fmt: skip
    """Write an auction with the entries that hold for its last call; False if there is no room."""
    prog = other_side if depth & 1 else first_side
    chosen = store.chosen[place]
    first, last = store.list_first[chosen], store.list_first[chosen + 1]
    end = out.held_end[number]
    if number >= len(out.place) or end + last - first > len(out.held):
        return False
    out.place[number] = place
    out.call[number] = call
    out.completed[number] = ends(store, place, call)
    for item in range(first, last):
        which = store.list_items[item] >> 1
        entry = prog.entries[which]
        if entry.call == call and holds(prog, entry.needs, words):
            out.held[end] = which
            end += 1
    out.held_end[number + 1] = end
    return True


@native
def _list_deal(
    first_side: Program, other_side: Program, store: Store, block: Block, way: I32, out: Listed,
    words: U64, deal: int, bounds: I64,
) -> int:  # fmt: skip
    """List the auctions of one deal; it begins anew where something has to be learned."""
    begin = number = int(out.end[deal])
    limit, most_calls, most_places = int(bounds[LIMIT]), int(bounds[DEPTH]), int(bounds[VISITS])
    every = bounds[COMPLETED_ONLY] == 0
    # first the system's own auction, which leads the way down; then all from the root on
    is_own = is_new = True
    is_lost = cut_depth = cut_places = False
    here = level = visited = before = own = own_level = 0
    while level >= 0:
        if is_new:
            # in one place of the code: what works places out is large
            if store.list[here] == UNKNOWN:
                why = ready(first_side, other_side, store, block, way, here)
                if why != DONE:
                    return why
            if not has_room(store, block):
                return ROOM
            out.count[level] = allowed_calls(
                other_side if level & 1 else first_side, store, here, words[level & 3, deal],
                out.calls[level],
            )  # fmt: skip
            out.next[level] = 0
            is_new = False
            visited += 1
        if is_own:
            call = int(out.calls[level, 0])
            is_new = True
            if not ends(store, here, call):
                here = child_of(store, here, call)
                level += 1
                continue
            is_own = False
            own, own_level = here, level
            # a bound that would lose it leaves so many of the auctions that lead to it before it
            before = min(most_calls, most_places)
            if every:
                before = min(before, limit if own_level < limit else limit - 1)
            is_lost = own_level >= before
            if not every:
                before = 0
            here = level = visited = 0
            continue
        call = -1
        is_over = False
        if is_lost and number - begin == before:
            is_lost = False
            place, depth, made = own, own_level, 0
        else:
            if out.next[level] == out.count[level]:
                level -= 1
                here = int(store.parent[here])
                continue
            call = int(out.calls[level, out.next[level]])
            out.next[level] += 1
            is_over = ends(store, here, call)
            place, depth, made = here, level, call
        if every or is_over or call < 0:
            if number - begin == limit:
                out.cut[deal] = CUT_LIMIT
                out.end[deal + 1] = number
                return DONE
            if not _put(
                first_side, other_side, store, out, number, place, depth, made,
                words[depth & 3, deal],
            ):  # fmt: skip
                return ROOM
            number += 1
        if call < 0 or is_over:
            continue
        if level + 1 >= most_calls:
            cut_depth = True
        elif visited >= most_places:
            cut_places = True
        else:
            here = child_of(store, here, call)
            level += 1
            is_new = True
    out.cut[deal] = CUT_PLACES if cut_places else CUT_DEPTH if cut_depth else WHOLE
    out.end[deal + 1] = number
    return DONE


@native
def list_deals(
    first_side: Program, other_side: Program, store: Store, block: Block, way: I32, out: Listed,
    words: U64, start: int, bounds: I64,
) -> tuple[int, int]:  # fmt: skip
    """List the auctions of deals from ``start`` on; why it returned, and at which deal.

    ``words[position, deal]`` is a packed hand.
    """
    for deal in range(start, words.shape[1]):
        why = _list_deal(first_side, other_side, store, block, way, out, words, deal, bounds)
        if why != DONE:
            return why, deal
    return DONE, words.shape[1]


@native
def write_calls(store: Store, places: I32, last: U8, offsets: I64, calls: U8) -> None:
    """Write the auctions that end with a call at each place."""
    for number in range(len(places)):
        end = offsets[number + 1] - 1
        calls[end] = last[number]
        here = places[number]
        while here > 0:
            end -= 1
            calls[end] = store.call[here]
            here = store.parent[here]


@native
def going_on(store: Store, places: I32, calls: U8, found: U8) -> None:
    """Set 1 where the auction goes on behind a call at a place."""
    for number in range(len(places)):
        found[number] = not ends(store, places[number], np.int64(calls[number]))


@native
def masks(
    prog: Program, store: Store, words: U64, place: I32, deals: I32, start: int, stop: int,
    found: U64,
) -> None:  # fmt: skip
    """Find the calls that each deal may make at a place, a bit each, for pairs of the two."""
    for pair in range(start, stop):
        chosen = store.chosen[place[pair]]
        hand = words[deals[pair]]
        seen = np.uint64(0)
        has_pass = False
        for item in range(store.list_first[chosen], store.list_first[chosen + 1]):
            entry = prog.entries[store.list_items[item] >> 1]
            if entry.call == 0:
                has_pass = True
            bit = np.uint64(1) << np.uint64(entry.call)
            if seen & bit == 0 and holds(prog, entry.needs, hand):
                seen |= bit
        if seen == 0 or not has_pass:
            seen |= np.uint64(1)
        found[pair] = seen


@native
def count_calls(first: I64, found: U64, counts: Any) -> None:
    """How many of the pairs of each place, from ``first`` on, allow each call."""
    for group in range(len(first) - 1):
        for pair in range(first[group], first[group + 1]):
            for call in range(CALLS):
                counts[group, call] += found[pair] >> np.uint64(call) & np.uint64(1)


@native
def deals_behind(
    store: Store, first: I64, found: U64, deals: I32, groups: I64, calls: I64, places: I32,
    next_first: I64, next_place: I32, next_deals: I32,
) -> None:  # fmt: skip
    """Pairs of the places behind calls that were chosen; each gets a number if it has none."""
    for number in range(len(groups)):
        group = groups[number]
        place = child_of(store, places[group], calls[number])
        end = next_first[number]
        for pair in range(first[group], first[group + 1]):
            if found[pair] >> np.uint64(calls[number]) & np.uint64(1):
                next_place[end] = place
                next_deals[end] = deals[pair]
                end += 1
