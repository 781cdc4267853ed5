"""From a place and a call to the place behind it: what the call has shown, and all that follows.

Knowledge is exact: the set of cells (shape, points) that a hand may lie in. A call leaves the hands
that can meet one of its entries and that no entry of another call before it certainly takes.
"""

from typing import Any

import numpy as np

from bidcascade.kernels.types import U8, U64

from .arrays import (
    DEED_CUE_BID,
    DEED_NEW_SUIT,
    DEED_RAISE,
    DEED_REVERSE,
    HULL_TERMS,
    I32,
    NEVER,
    POINTS,
    RANGES,
    SET_WORDS,
    SHAPES,
    STAMP,
    TAG_WORDS,
    TERMS,
    WIDEST,
    Block,
    Program,
    Store,
)
from .expand import MISS_MOVE, MISSING, needs_of, note
from .hashing import find, mixed
from .native import native, native_inline
from .questions import ARTIFICIAL, FORCING_TO_GAME, NOTRUMP, cheapest_level, set_of

_TERMS = len(TERMS)
NATURAL_LENGTH = 4
"""Cards of a suit that a player must have shown for it to count as shown without being named."""


@native
def digest_of(words: U64) -> Any:
    """Key of a set of cells; other sets may have the same."""
    key = np.uint64(0x9E3779B97F4A7C15)
    for number in range(len(words)):
        key = (key ^ words[number]) * np.uint64(0x100000001B3)
        key ^= key >> np.uint64(29)
    return mixed(key) >> np.uint64(1)


@native
def find_set(store: Store, words: U64, digest: Any) -> int:
    """Find the number of a set of cells in the store, -1 where it is not there."""
    mask = np.uint64(len(store.set_numbers) - 1)
    slot = mixed(digest) & mask
    while True:
        row = store.set_numbers[slot]
        if row.value < 0:
            return -1
        if row.key == digest:
            other = store.sets[row.value]
            number = 0
            while number < SET_WORDS and other[number] == words[number]:
                number += 1
            if number == SET_WORDS:
                return row.value
        slot = (slot + np.uint64(1)) & mask


@native
def hull_of(words: U64, lengths: U8, hull: U8) -> None:
    """Least and most HCP and cards of each suit in a set of cells that is not empty."""
    points = np.uint64(0)
    for term in range(HULL_TERMS):
        hull[term, 0], hull[term, 1] = 255, 0
    mask = np.uint64((1 << POINTS) - 1)
    for shape in range(SHAPES):
        bit = shape * POINTS
        word, shift = bit >> 6, np.uint64(bit & 63)
        cells = words[word] >> shift
        if (bit & 63) + POINTS > 64:
            cells |= words[word + 1] << (np.uint64(64) - shift)
        cells &= mask
        if cells:
            points |= cells
            for suit in range(4):
                cards = lengths[shape, suit]
                hull[1 + suit, 0] = min(hull[1 + suit, 0], cards)
                hull[1 + suit, 1] = max(hull[1 + suit, 1], cards)
    number = 0
    while points:
        if points & np.uint64(1):
            hull[0, 0] = min(hull[0, 0], number)
            hull[0, 1] = number
        points >>= np.uint64(1)
        number += 1


@native_inline
def _narrow(bounds: Any, term: int, low: int, high: int) -> None:
    """Both bounds hold; where they exclude each other the later one counts."""
    both_low = max(bounds[term, 0], low)
    both_high = min(bounds[term, 1], high)
    if both_low <= both_high:
        bounds[term, 0], bounds[term, 1] = both_low, both_high
    else:
        bounds[term, 0], bounds[term, 1] = low, high


@native
def _add_bounds(
    prog: Program, store: Store, block: Block, before: Any, item: int, entry: Any, hull: Any
) -> bool:
    """Widen ``hull`` by what an entry and its promises say of terms; False if something is missing.

    ``shows 12+ points`` promises whatever the hand needs for the call: partner counts on it.
    """
    bounds, promise = block.terms[0], block.terms[1]
    own = prog.needs[entry.needs].terms
    for term in range(_TERMS):
        bounds[term, 0], bounds[term, 1] = own[term, 0], own[term, 1]
        promise[term, 0], promise[term, 1] = -WIDEST, WIDEST
    variant = prog.variants[entry.variant]
    for place in range(variant.first_promise, variant.end_promise):
        needs = needs_of(
            prog, store, block, before, -1 - item, prog.promises[place], entry.bindings
        )
        if needs == MISSING:
            return False
        if needs != NEVER:
            promised = prog.needs[needs].promised
            for term in range(_TERMS):
                _narrow(promise, term, promised[term, 0], promised[term, 1])
    for term in range(_TERMS):
        _narrow(bounds, term, promise[term, 0], promise[term, 1])
        hull[term, 0] = min(hull[term, 0], bounds[term, 0])
        hull[term, 1] = max(hull[term, 1], bounds[term, 1])
    return True


@native
def _learn_call(
    prog: Program, store: Store, block: Block, before: Any, row: Any, item: int,
    entry_list: int, call: int,
) -> bool:  # fmt: skip
    """Work out what a call has shown; False if something is missing. ``row`` is the copied row."""
    me = before.length & 3
    first, last = store.list_first[entry_list], store.list_first[entry_list + 1]
    end = first
    for place in range(first, last):
        if prog.entries[store.list_items[place] >> 1].call == call:
            end = place + 1
    is_known = end > first
    possible = store.sets[before.known[me]]
    shown = block.sets[item]
    taken, loose = block.words[0], block.words[1]
    for word in range(SET_WORDS):
        taken[word] = loose[word] = shown[word] = 0
    kinds = np.uint32(0)
    terms = block.terms[2]
    for term in range(_TERMS):
        terms[term, 0], terms[term, 1] = WIDEST, -WIDEST
    tags = row.tags[me]
    for word in range(TAG_WORDS):
        tags[word] = 0
    block.sizes[STAMP] += 1
    missing = False
    for place in range(first, end if is_known else last):
        entry = prog.entries[store.list_items[place] >> 1]
        needs = prog.needs[entry.needs]
        if entry.call != call:
            if needs.certain:
                must = prog.cells[needs.must]
                for word in range(SET_WORDS):
                    taken[word] |= must[word]
            continue
        can = prog.cells[needs.can]
        for word in range(SET_WORDS):
            cells = can[word]
            loose[word] |= cells
            shown[word] |= cells & possible[word] & ~taken[word]
        variant = prog.variants[entry.variant]
        kinds |= variant.kinds
        for word in range(TAG_WORDS):
            tags[word] |= variant.tags[word]
        if not _add_bounds(prog, store, block, before, item, entry, terms):
            missing = True
    if missing:
        return False
    some = np.uint64(0)
    if is_known:
        for word in range(SET_WORDS):
            some |= shown[word]
        if not some:
            # nobody who keeps to the system makes this call: take it at face value
            both = np.uint64(0)
            for word in range(SET_WORDS):
                both |= loose[word] & possible[word]
                some |= loose[word]
            for word in range(SET_WORDS):
                if both:
                    shown[word] = loose[word] & possible[word]
                else:
                    shown[word] = loose[word] if some else possible[word]
        for term in range(_TERMS):
            _narrow(row.terms[me], term, terms[term, 0], terms[term, 1])
    else:
        # a pass by default denies every line; of another unknown call nothing is known
        if call == 0:
            for word in range(SET_WORDS):
                shown[word] = possible[word] & ~taken[word]
                some |= shown[word]
        if not some:
            for word in range(SET_WORDS):
                shown[word] = possible[word]
    row.kinds[me] = kinds
    number = find_set(store, shown, digest_of(shown))
    hull = row.hull[me]
    if number >= 0:
        for term in range(HULL_TERMS):
            hull[term, 0], hull[term, 1] = (
                store.hulls[number, term, 0],
                store.hulls[number, term, 1],
            )
    else:
        number = -1 - item
        own = block.hulls[item]
        hull_of(shown, store.lengths, own)
        for term in range(HULL_TERMS):
            hull[term, 0], hull[term, 1] = own[term, 0], own[term, 1]
        for term in range(RANGES):
            block.ranges[item, term, 0] = -1
    row.known[me] = number
    return True


@native
def _describe_call(row: Any, call: int, me: int) -> None:
    """How a call stands to the calls before it: raise, jump, new suit, cue-bid, reverse."""
    row.deed[me] = 0
    row.jump[me] = 0
    if call < 3:
        return
    suit, level = (call - 3) % 5 + 1, (call - 3) // 5 + 1
    jump = level - cheapest_level(np.int64(row.last_bid), suit)
    row.jump[me] = jump
    if suit == NOTRUMP:
        return
    bit = 1 << (suit - 1)
    own = set_of(np.int64(row.suits[me]))
    theirs = set_of(np.int64(row.suits[(me + 1) & 3])) | set_of(np.int64(row.suits[(me + 3) & 3]))
    raised = set_of(np.int64(row.suits[me ^ 2])) & bit != 0
    cue = theirs & bit != 0 and not raised
    new = not raised and not cue and own & bit == 0
    reverse = new and jump == 0 and level == 2 and own != 0 and bit > own
    row.deed[me] = (
        DEED_RAISE * raised + DEED_NEW_SUIT * new + DEED_CUE_BID * cue + DEED_REVERSE * reverse
    )


@native
def _letter(word: int, bindings: int) -> int:
    """Strain (1-5) of a word: 0-4 a strain, then a variable ``M oM m om X Y Z W``; 0 for none."""
    if word < 5:
        return word + 1
    variable = word - 5
    found = bindings >> 3 * variable & 7
    if found or variable > 3:
        return found
    other = bindings >> 3 * (variable ^ 1) & 7
    return ((other - 1) ^ 1) + 1 if other else 0


@native
def _agreed(prog: Program, store: Store, seen: I32, entry_list: int, call: int) -> int:
    """Suit of the last agreement of a call that names one, 0 for none.

    Agreements count in the order of the entries, each where it came first; the suit is that of the
    first line of the call that has one for the word.
    """
    first, last = store.list_first[entry_list], store.list_first[entry_list + 1]
    found = 0
    count = 0
    for place in range(first, last):
        entry = prog.entries[store.list_items[place] >> 1]
        if entry.call != call:
            continue
        variant = prog.variants[entry.variant]
        for number in range(variant.first_agreed, variant.end_agreed):
            agreement, word = prog.agreed[number, 0], prog.agreed[number, 1]
            old = 0
            while old < count and seen[old] != agreement:
                old += 1
            if old < count:
                continue
            if count < len(seen):
                seen[count] = agreement
                count += 1
            line = -1
            for use in range(first, last):
                user = prog.entries[store.list_items[use] >> 1]
                users_line = prog.variants[user.variant].line
                if user.call != call or users_line == line:
                    continue
                line = users_line
                letter = _letter(word, np.int64(prog.bindings[user.bindings]))
                if letter:
                    found = letter
                    break
    return found


@native
def _add_suit(row: Any, me: int, suit: int) -> None:
    suits = np.int64(row.suits[me])
    if not set_of(suits) & 1 << (suit - 1):
        shift = 0
        while suits >> shift:
            shift += 3
        row.suits[me] = suits | suit << shift


@native
def _make_call(row: Any, call: int, me: int) -> None:
    """Note the call itself; what it says of suits and agreements has been noted before."""
    row.call[me] = call
    row.made[me] |= np.uint64(1) << np.uint64(call)
    for word in range(TAG_WORDS):
        row.tags_ever[me, word] |= row.tags[me, word]
    if call == 0:
        row.passes += 1
    else:
        row.passes = 0
        row.acted[me & 1] = 1
        if row.opening < 0:
            row.opening = row.length
            row.opening_call = call
    if call >= 3:
        row.last_bid = call
        row.last_bidder = me
        row.doubled = 0
        for word in range(TAG_WORDS):
            row.last_bid_tags[word] = row.tags[me, word]
    elif call > 0:
        row.doubled = call
    row.length += 1


@native
def advance(
    prog: Program, other: Program, store: Store, block: Block, before: Any, item: int,
    parent: int, entry_list: int, call: int,
) -> bool:  # fmt: skip
    """Write the row behind a call to the block; False if something is missing.

    ``prog`` is the system of the player who calls, ``other`` that of the next one; ``before`` is
    the row of the place, ``entry_list`` what the system has there.
    """
    me = before.length & 3
    side = me & 1
    block.rows[item] = before
    row = block.rows[item]
    row.parent = parent
    missing = False
    for either in range(2):
        system = prog if either == side else other
        key = np.uint64(before.pattern[either]) << np.uint64(6) | np.uint64(call)
        state = find(system.moves, key)
        if state < 0:
            note(block, item, MISS_MOVE, either, before.pattern[either], call)
            missing = True
        row.pattern[either] = state
    if not _learn_call(prog, store, block, before, row, item, entry_list, call) or missing:
        return False
    artificial = row.kinds[me] & ARTIFICIAL != 0
    agreed = _agreed(prog, store, block.agreements, entry_list, call)
    suit = (call - 3) % 5 + 1 if call >= 3 else 0
    _describe_call(row, call, me)
    if agreed == 0 and row.deed[me] & DEED_RAISE and not artificial:
        agreed = suit
    if suit and not artificial:
        if suit == NOTRUMP:
            row.notrump[me] = 1
        else:
            _add_suit(row, me, suit)
    if call != 0 and _has_entry(prog, store, entry_list, call):
        for other_suit in range(4):
            if row.hull[me, 1 + other_suit, 0] >= NATURAL_LENGTH:
                _add_suit(row, me, other_suit + 1)
    if agreed:
        row.agreed[side] = agreed
    if row.kinds[me] & FORCING_TO_GAME:
        row.game_forced[side] = 1
    _make_call(row, call, me)
    return True


@native
def _has_entry(prog: Program, store: Store, entry_list: int, call: int) -> bool:
    for place in range(store.list_first[entry_list], store.list_first[entry_list + 1]):
        if prog.entries[store.list_items[place] >> 1].call == call:
            return True
    return False
