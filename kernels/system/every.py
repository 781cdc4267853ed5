"""All auctions that systems allow for a deal, and all deals for which they allow a call.

What a hand may call at a place: the calls of all entries that hold, in the order of the first that
does; a pass behind them where the place has none; and a pass where nothing holds. So the first of
them is always what mode ``first`` makes, and its auction is the leftmost one of the walk.
"""

from typing import Any, ClassVar, Final

import numpy as np

from bidcascade.kernels.types import U8, U64

from .arrays import CALLS, I32, I64, UNKNOWN, Program, Store
from .native import Field, Group, native
from .walk import DONE, EXPAND, ROOM, child_of, ends, has_room, passes

LIMIT, DEPTH, VISITS, COMPLETED_ONLY = range(4)
"""Places in the array of bounds."""
WHOLE, CUT_LIMIT, CUT_DEPTH, CUT_PLACES = range(4)
"""What kept a list from being whole."""
LEVELS: Final = 324

WALK: Final = np.dtype(
    [
        ("deal", "i4"), ("here", "i4"), ("level", "i4"), ("visited", "i4"),
        # the auction that is bid, and how many of those that lead to it come before it if it is cut
        ("own", "i4"), ("own_level", "i4"), ("before", "i4"),
        ("is_own", "u1"), ("is_new", "u1"), ("is_lost", "u1"),
        ("cut_depth", "u1"), ("cut_places", "u1"),
    ], align=True,
)  # fmt: skip
"""Where the walk stands, which goes on there when it was left for a place to be worked out."""


class Listed(Group):
    """Auctions that were found, one behind the other, and room for the walk."""

    fields: ClassVar[dict[str, Field]] = {
        "end": ("i8",),  # [deals + 1] where each deal's auctions end
        "cut": ("u1",),  # [deals]
        "place": ("i4",),  # where the last call of each auction is made
        "call": ("u1",),
        "completed": ("u1",),
        "held_end": ("i8",),  # [auctions + 1] where the entries end that make its last call
        "held": ("i4",),
        "calls": ("u1", CALLS),  # [LEVELS] calls that are allowed at each place of the way
        "count": ("i4",),  # [LEVELS]
        "next": ("i4",),  # [LEVELS]
        "at": (WALK,),  # [1]
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
        if seen & bit == 0 and passes(prog, entry.test, words):
            seen |= bit
            calls[count] = entry.call
            count += 1
    if count == 0 or not has_pass:
        calls[count] = 0
        count += 1
    return count


@native
def _has_room(store: Store, out: Listed, number: int, place: int) -> bool:
    """Whether an auction that ends at a place fits, with all entries of the place."""
    chosen = store.chosen[place]
    most = store.list_first[chosen + 1] - store.list_first[chosen]
    return number < len(out.place) and out.held_end[number] + most <= len(out.held)


@native
def _put(
    prog: Program, store: Store, out: Listed, number: int, place: int, call: int, words: U64
) -> None:
    """Write an auction with the entries that hold for its last call."""
    chosen = store.chosen[place]
    end = out.held_end[number]
    out.place[number] = place
    out.call[number] = call
    out.completed[number] = ends(store, place, call)
    for item in range(store.list_first[chosen], store.list_first[chosen + 1]):
        which = store.list_items[item] >> 1
        entry = prog.entries[which]
        if entry.call == call and passes(prog, entry.test, words):
            out.held[end] = which
            end += 1
    out.held_end[number + 1] = end


@native
def _list_deal(
    first_side: Program, other_side: Program, store: Store, out: Listed, words: U64, bounds: I64
) -> int:
    """List the auctions of the deal where the walk stands, and go on where it was left."""
    at = out.at[0]
    deal = at.deal
    begin = out.end[deal]
    number = out.end[deal + 1]
    limit, most_calls, most_places = bounds[LIMIT], bounds[DEPTH], bounds[VISITS]
    every = bounds[COMPLETED_ONLY] == 0
    # first the system's own auction, which leads the way down; then all from the root on
    while at.level >= 0:
        here, level = at.here, at.level
        prog = other_side if level & 1 else first_side
        if at.is_new:
            if store.list[here] == UNKNOWN:
                return EXPAND
            out.count[level] = allowed_calls(
                prog, store, here, words[level & 3, deal], out.calls[level]
            )
            out.next[level] = 0
            at.is_new = 0
            at.visited += 1
        if not has_room(store, 1, 0, 0, 0):
            return ROOM
        if at.is_own:
            call = np.int64(out.calls[level, 0])
            at.is_new = 1
            if not ends(store, here, call):
                at.here = child_of(store, here, call)
                at.level += 1
                continue
            at.is_own = 0
            at.own, at.own_level = here, level
            # a bound that would lose it leaves so many of the auctions that lead to it before it
            before = min(most_calls, most_places)
            if every:
                before = min(before, limit if level < limit else limit - 1)
            at.is_lost = level >= before
            at.before = before if every else 0
            at.here = at.level = at.visited = 0
            continue
        if not _has_room(store, out, number, here) or not _has_room(store, out, number, at.own):
            return ROOM
        if at.is_lost and number - begin == at.before:
            at.is_lost = 0
            prog = other_side if at.own_level & 1 else first_side
            _put(prog, store, out, number, at.own, 0, words[at.own_level & 3, deal])
            number += 1
            out.end[deal + 1] = number
            continue
        if out.next[level] == out.count[level]:
            at.level -= 1
            at.here = store.parent[here]
            continue
        call = np.int64(out.calls[level, out.next[level]])
        is_over = ends(store, here, call)
        if every or is_over:
            if number - begin == limit:
                out.cut[deal] = CUT_LIMIT
                return DONE
            _put(prog, store, out, number, here, call, words[level & 3, deal])
            number += 1
            out.end[deal + 1] = number
        out.next[level] += 1
        if is_over:
            continue
        if level + 1 >= most_calls:
            at.cut_depth = 1
        elif at.visited >= most_places:
            at.cut_places = 1
        else:
            at.here = child_of(store, here, call)
            at.level += 1
            at.is_new = 1
    out.cut[deal] = CUT_PLACES if at.cut_places else CUT_DEPTH if at.cut_depth else WHOLE
    return DONE


@native
def list_deals(
    first_side: Program, other_side: Program, store: Store, out: Listed, words: U64, bounds: I64
) -> int:
    """List the auctions of deals from where the walk stands; why it returned.

    ``words[position, deal]`` is a packed hand.
    """
    at = out.at[0]
    while at.deal < words.shape[1]:
        why = _list_deal(first_side, other_side, store, out, words, bounds)
        if why != DONE:
            return why
        at.deal += 1
        if at.deal < words.shape[1]:
            out.end[at.deal + 1] = out.end[at.deal]
            at.is_own = at.is_new = 1
            at.here = at.level = at.visited = 0
            at.is_lost = at.cut_depth = at.cut_places = 0
    return DONE


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
            if seen & bit == 0 and passes(prog, entry.test, hand):
                seen |= bit
        if seen == 0 or not has_pass:
            seen |= np.uint64(1)
        found[pair] = seen


@native
def may_call(
    prog: Program, store: Store, words: U64, place: int, call: int, deals: I32, start: int,
    stop: int, found: Any,
) -> None:  # fmt: skip
    """Tell which deals may make a call at a place: the bit of :func:`masks`, and no other."""
    chosen = store.chosen[place]
    first, end = store.list_first[chosen], store.list_first[chosen + 1]
    for number in range(start, stop):
        hand = words[deals[number]]
        allowed, has_call = False, False
        for item in range(first, end):
            entry = prog.entries[store.list_items[item] >> 1]
            if entry.call == call:
                has_call = True
                if passes(prog, entry.test, hand):
                    allowed = True
                    break
        if call == 0 and not allowed:
            # nobody says when to pass, or nothing holds
            allowed = True
            for item in range(first, end if has_call else first):
                if passes(prog, prog.entries[store.list_items[item] >> 1].test, hand):
                    allowed = False
                    break
        found[number] = allowed


@native
def count_calls(first: I64, found: U64, counts: Any) -> None:
    """How many of the pairs of each place, from ``first`` on, allow each call."""
    for group in range(len(first) - 1):
        for pair in range(first[group], first[group + 1]):
            for call in range(CALLS):
                counts[group, call] += found[pair] >> np.uint64(call) & np.uint64(1)


@native
def deals_by_call(found: U64, deals: I32, end: I64, out: I32) -> None:
    """Write the deals that may make each call, from ``end[call]`` on, which becomes their end."""
    for pair in range(len(found)):
        left = found[pair]
        call = 0
        while left:
            if left & np.uint64(1):
                out[end[call]] = deals[pair]
                end[call] += 1
            left >>= np.uint64(1)
            call += 1


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
