"""Deals go from place to place: choose a call, find the place behind it, work out what is new.

Many deals go level by level: all choose, new places are given numbers, threads work them out in
blocks, and what they found is taken in. A few deals go one by one with the same functions.
"""

from typing import Final

import numpy as np

from bidcascade.kernels.types import U8, U16, U64

from .advance import advance, digest_of, find_set
from .arrays import (
    HOLDS,
    HULL_TERMS,
    I32,
    I64,
    ITEMS,
    LISTS,
    PLACES,
    RANGES,
    ROWS,
    SET_WORDS,
    SETS,
    UNKNOWN,
    Block,
    Program,
    Rows,
    Store,
)
from .expand import MISSING, expand
from .hashing import find, mixed, put, put_also
from .native import native
from .questions import answer

DONE, LEARN, ROOM, EXPAND = 0, 1, 2, 3
"""Why a native function returned: all is done; something has to be learned; arrays are full; a
place has to be worked out first."""
NO_ENTRY: Final = -1
NOTED: Final = -2
"""In the place of UNKNOWN while a place is on the list of those to be worked out."""


@native
def passes(prog: Program, test: int, words: U64) -> bool:
    """Whether a packed hand passes a chain of tests from one on."""
    while test >= 0:
        row = prog.tests[test]
        value = np.uint8(words[row.word] >> np.uint64(row.shift)) & row.mask
        test = row.yes if row.low <= value <= row.high else row.no
    return test == HOLDS


@native
def choose(prog: Program, store: Store, place: int, words: U64) -> tuple[int, int, bool]:
    """Entry that a hand takes at a place (NO_ENTRY for none), its call, whether a pass was passed.

    The last says that the pass is made by default, though the place has a pass with conditions.
    """
    chosen = store.chosen[place]
    has_pass = False
    for item in range(store.list_first[chosen], store.list_first[chosen + 1]):
        number = store.list_items[item] >> 1
        entry = prog.entries[number]
        if passes(prog, entry.test, words):
            return number, entry.call, False
        if entry.call == 0:
            has_pass = True
    return NO_ENTRY, 0, has_pass


@native
def ends(store: Store, place: int, call: int) -> bool:
    """Whether a call at a place is the last of the auction."""
    if call != 0:
        return False
    passes = 1
    while place > 0 and store.call[place] == 0:
        passes += 1
        place = store.parent[place]
    return passes >= (4 if place == 0 else 3)


@native
def child_of(store: Store, place: int, call: int) -> int:
    """Place behind a call; it gets a number if it has none."""
    key = np.uint64(place) << np.uint64(6) | np.uint64(call)
    child = find(store.children, key)
    if child < 0:
        child = store.counts[PLACES]
        store.counts[PLACES] = child + 1
        store.parent[child] = place
        store.call[child] = call
        store.list[child] = store.chosen[child] = UNKNOWN
        store.row[child] = -1
        put(store.children, key, child)
    return child


@native
def work_out(
    first_side: Program, other_side: Program, store: Store, block: Block, places: I32,
    start: int, stop: int,
) -> int:  # fmt: skip
    """Work out rows and entries of places from ``start`` on; where it stopped.

    The place before each must have its row. Places whose entries are known get rows only. A place
    for which something is missing has status LEARN. It stops early where the block is full; at
    ``start`` if the block is too small for a single place.
    """
    end = 0
    for number in range(start, stop):
        item = number - start
        place = places[number]
        parent = store.parent[place]
        block.first[item] = block.first[item + 1] = end
        block.status[item] = LEARN
        if parent < 0:
            block.rows[item] = store.rows[0]
        else:
            before = store.rows[store.row[parent]]
            if before.length & 1:
                ok = advance(
                    other_side, first_side, store, block, before, item, parent,
                    store.list[parent], np.int64(store.call[place]),
                )  # fmt: skip
            else:
                ok = advance(
                    first_side, other_side, store, block, before, item, parent,
                    store.list[parent], np.int64(store.call[place]),
                )  # fmt: skip
            if not ok:
                continue
        if store.list[place] == UNKNOWN:
            row = block.rows[item]
            partners = -1
            if parent > 0:
                partners = store.list[store.parent[parent]]
            if row.length & 1:
                more = expand(other_side, store, block, row, item, partners, end)
            else:
                more = expand(first_side, store, block, row, item, partners, end)
            if more == MISSING:
                continue
            if more > len(block.items):
                return number
            end = more
        block.first[item + 1] = end
        block.status[item] = DONE
    return stop


@native
def list_number(store: Store, items: I32) -> int:
    """Find the number of a list of entries in the store; it is added if it is new."""
    digest = np.uint64(len(items))
    for item in range(len(items)):
        digest = mixed(digest ^ np.uint64(items[item]))
    digest >>= np.uint64(1)
    mask = np.uint64(len(store.list_numbers) - 1)
    slot = mixed(digest) & mask
    while True:
        row = store.list_numbers[slot]
        if row.value < 0:
            break
        if row.key == digest:
            first = store.list_first[row.value]
            if store.list_first[row.value + 1] - first == len(items):
                item = 0
                while item < len(items) and store.list_items[first + item] == items[item]:
                    item += 1
                if item == len(items):
                    return row.value
        slot = (slot + np.uint64(1)) & mask
    number = store.counts[LISTS]
    first = store.list_first[number]
    for item in range(len(items)):
        store.list_items[first + item] = items[item]
    store.list_first[number + 1] = first + len(items)
    store.counts[LISTS] = number + 1
    store.counts[ITEMS] = first + len(items)
    put_also(store.list_numbers, digest, number)
    return number


@native
def index(store: Store) -> None:
    """Enter all places and lists of a store into its hash tables, which hold none yet."""
    for place in range(1, store.counts[PLACES]):
        key = np.uint64(store.parent[place]) << np.uint64(6) | np.uint64(store.call[place])
        put(store.children, key, place)
    for number in range(store.counts[LISTS]):
        first, end = store.list_first[number], store.list_first[number + 1]
        digest = np.uint64(end - first)
        for item in range(first, end):
            digest = mixed(digest ^ np.uint64(store.list_items[item]))
        put_also(store.list_numbers, digest >> np.uint64(1), number)


@native
def set_number(store: Store, block: Block, item: int) -> int:
    """Find the number of a block's set of cells in the store; it is added if it is new."""
    words = block.sets[item]
    digest = digest_of(words)
    number = find_set(store, words, digest)
    if number < 0:
        number = store.counts[SETS]
        store.counts[SETS] = number + 1
        for word in range(SET_WORDS):
            store.sets[number, word] = words[word]
        for term in range(HULL_TERMS):
            for end in range(2):
                store.hulls[number, term, end] = block.hulls[item, term, end]
        for term in range(RANGES):
            for end in range(2):
                store.ranges[number, term, end] = block.ranges[item, term, end]
        put_also(store.set_numbers, digest, number)
    return number


@native
def take_in(store: Store, block: Block, places: I32, start: int, stop: int) -> None:
    """Put what a block worked out into the store, which has room for all of it."""
    for number in range(start, stop):
        item = number - start
        if block.status[item] != DONE:
            continue
        place = places[number]
        row = block.rows[item]
        if store.parent[place] >= 0:
            caller = (row.length - 1) & 3
            if row.known[caller] < 0:
                row.known[caller] = set_number(store, block, item)
            if store.row[place] < 0:
                store.row[place] = store.counts[ROWS]
                store.counts[ROWS] += 1
            store.rows[store.row[place]] = row
        take_list(store, block, place, item)


@native
def take_list(store: Store, block: Block, place: int, item: int) -> None:
    """Put the entries of a place into the store, if it has none yet."""
    if store.list[place] == UNKNOWN:
        found = list_number(store, block.items[block.first[item] : block.first[item + 1]])
        store.list[place] = found
        if store.chosen[place] == UNKNOWN:
            store.chosen[place] = found


@native
def take_lists(store: Store, block: Block, places: I32) -> None:
    """Put the entries of places into the store, and nothing else of what a block worked out."""
    for item in range(len(places)):
        if block.status[item] == DONE:
            take_list(store, block, places[item], item)


@native
def number_sets(table: Rows, digests: U64, first: int, numbers: I32, new: I32) -> int:
    """Find the numbers of sets by their digests; how many are new, and which ones.

    New ones are numbered from ``first`` on; the table must have room for them.
    """
    count = 0
    for item in range(len(digests)):
        numbers[item] = find(table, digests[item])
        if numbers[item] < 0:
            numbers[item] = first + count
            put(table, digests[item], numbers[item])
            new[count] = item
            count += 1
    return count


@native
def choose_all(
    prog: Program, store: Store, words: U64, deals: I64, start: int, stop: int,
    place: I32, call: U8, entry: I32, defaults: U16,
) -> None:  # fmt: skip
    """Choose for deals ``deals[start:stop]``, whose hands to call are ``words[deal]``."""
    for number in range(start, stop):
        deal = deals[number]
        entry[deal], made, passed = choose(prog, store, place[deal], words[deal])
        call[deal] = made
        defaults[deal] += passed


@native
def follow(
    store: Store, deals: I64, place: I32, call: U8, going_on: I64, new: I32
) -> tuple[int, int]:
    """Move deals to the places behind their calls; there must be room for a place each.

    Returns how many go on (``going_on``), and how many places are not expanded yet (``new``).
    A deal whose auction is over stays at the place of its last call.
    """
    count = found = 0
    for number in range(len(deals)):
        deal = deals[number]
        here = place[deal]
        if ends(store, here, np.int64(call[deal])):
            continue
        child = child_of(store, here, np.int64(call[deal]))
        # those that were given a number before and left alone too, each once
        if store.list[child] == UNKNOWN:
            store.list[child] = NOTED
            new[found] = child
            found += 1
        place[deal] = child
        going_on[count] = deal
        count += 1
    for number in range(found):
        store.list[new[number]] = UNKNOWN
    return count, found


@native
def places_behind(store: Store, keys: U64, places: I32) -> None:
    """Find the places behind ``place << 6 | call``; each gets a number if it has none."""
    for number in range(len(keys)):
        key = np.int64(keys[number])
        places[number] = child_of(store, key >> 6, key & 63)


@native
def has_room(store: Store, places: int, worked_out: int, lists: int, items: int) -> bool:
    """Whether so many places, rows with their sets, lists, and items of lists fit."""
    counts = store.counts
    places += counts[PLACES] + 1
    lists += counts[LISTS] + 1
    sets = counts[SETS] + worked_out + 1
    return (
        places <= len(store.parent)
        and 2 * places <= len(store.children)
        and counts[ROWS] + worked_out + 1 <= len(store.rows)
        and sets <= len(store.sets)
        and 2 * sets <= len(store.set_numbers)
        and lists + 1 <= len(store.list_first)
        and 2 * lists <= len(store.list_numbers)
        and counts[ITEMS] + items <= len(store.list_items)
    )


@native
def bid_few(
    first_side: Program, other_side: Program, store: Store, words: U64,
    place: I32, entry: I32, defaults: U16, start: int,
) -> tuple[int, int]:  # fmt: skip
    """Bid deals to the end one by one, from deal ``start`` on; why it returned, and at which deal.

    ``words[position, deal]`` is a packed hand; ``place`` says where each deal is, and becomes the
    place of its last call, which ``entry`` made.
    """
    for deal in range(start, words.shape[1]):
        length = 0
        here = place[deal]
        while here > 0:
            length += 1
            here = store.parent[here]
        while True:
            here = place[deal]
            if store.list[here] == UNKNOWN:
                return EXPAND, deal
            if not has_room(store, 1, 0, 0, 0):
                return ROOM, deal
            hand = words[length & 3, deal]
            if length & 1:
                entry[deal], call, passed = choose(other_side, store, here, hand)
            else:
                entry[deal], call, passed = choose(first_side, store, here, hand)
            defaults[deal] += passed
            if ends(store, here, call):
                break
            place[deal] = child_of(store, here, call)
            length += 1
    return DONE, words.shape[1]


@native
def auction_lengths(store: Store, places: I32, lengths: I64) -> None:
    """Count the calls that lead to each place."""
    for number in range(len(places)):
        count = 0
        here = places[number]
        while here > 0:
            count += 1
            here = store.parent[here]
        lengths[number] = count


@native
def auctions_of(
    store: Store, places: I32, offsets: I64, start: int, stop: int,
    calls: U8, contract: U8, declarer: U8,
) -> None:  # fmt: skip
    """Write whole auctions that end with a pass at each place, and what they lead to.

    ``contract`` is 0 passed out, else ``1 + 3 * (bid - 3) + doubling``; ``declarer`` is counted
    from the dealer, 4 for none.
    """
    for number in range(start, stop):
        end = offsets[number + 1] - 1
        first = offsets[number]
        calls[end] = 0
        here = places[number]
        while here > 0:
            end -= 1
            calls[end] = store.call[here]
            here = store.parent[here]
        last = doubling = bidder = 0
        for place in range(first, offsets[number + 1]):
            call = np.int64(calls[place])
            if call >= 3:
                last, doubling, bidder = call, 0, place - first
            elif call > 0:
                doubling = call
        contract[number] = 0
        declarer[number] = 4
        if last:
            contract[number] = 1 + 3 * (last - 3) + doubling
            place = bidder & 1
            while calls[first + place] < 3 or (np.int64(calls[first + place]) - last) % 5:
                place += 2
            declarer[number] = place & 3


@native
def ask(
    prog: Program, store: Store, block: Block, rows: Rows, item: int, first: int, out: I64
) -> None:
    """Answers of a row to the questions from ``first`` on."""
    for number in range(len(out)):
        out[number] = answer(store, block, rows[item], prog.questions[first + number])


@native
def derive(prog: Program, words: U64, first_tests: I32, flags: I32, lane_words: int) -> None:
    """Set the flags of packed hands ``words`` [n, words] that follow from other flags and lanes."""
    for hand in range(len(words)):
        for number in range(len(flags)):
            if passes(prog, first_tests[number], words[hand]):
                flag = flags[number]
                words[hand, lane_words + (flag >> 6)] |= np.uint64(1) << np.uint64(flag & 63)
