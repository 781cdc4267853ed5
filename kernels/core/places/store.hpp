// The places that were worked out, and what a thread works out before it is taken in. Arrays belong
// to the caller, who makes room before a call and hears when there was too little.
#pragma once
#include "places.hpp"

namespace core {

enum Counter : i32 { PLACES, LISTS, ITEMS, ROWS, SETS };

// Fields of rows.Store in kernels/core/rows.py, in order.
struct Store : Known {
    Array<Slot> children;  // (place, call) -> place
    Array<i32> parent;
    Array<u8> call;
    Array<i32> list;    // its entries, UNKNOWN until the place is expanded
    Array<i32> chosen;  // what is chosen from: its entries, or what overlays make of them
    Array<i32> row;     // number of its row, -1 where it has none (any more)
    Array<Slot> list_numbers, set_numbers;
    Array<Hull> hulls;
    Array<i64> counts;  // by Counter
};

// Fields of rows.Block, in order.
struct Block {
    Array<i32> status;
    Array<Place> rows;  // a new set in `known` is -1 - its item
    Array<CellSet> sets;
    Array<Hull> hulls;
    Array<TermRanges> ranges;
    Array<i64> first;
    Array<i32> items;
    Array<Misses> misses;
    Array<Found> found;
    Array<i32[2]> stack;
    Array<i32> owners;
    Array<i64> sizes;  // misses so far
};

inline u64 child_key(i32 place, i32 call) {
    return static_cast<u64>(place) << 6 | static_cast<u64>(call);
}

// Adds a value beside others that may have the same key (a digest). There must be room.
inline void put(const Array<Slot>& table, u64 key, i32 value) {
    const u64 mask = table.length - 1;
    u64 slot = mixed(key) & mask;
    while (table.data[slot].key != EMPTY) slot = (slot + 1) & mask;
    table.data[slot].key = key;
    table.data[slot].value = value;
}

// Puts all that a table holds into a larger, empty one.
inline void refill(const Array<Slot>& from, const Array<Slot>& to) {
    for (u64 slot = 0; slot < from.length; ++slot)
        if (from.data[slot].key != EMPTY) put(to, from.data[slot].key, from.data[slot].value);
}

// Whether so many places, rows with their sets, lists, and items of lists fit.
inline bool has_room(const Store& store, i64 places, i64 worked_out, i64 lists, i64 items) {
    const Array<i64>& counts = store.counts;
    const auto fits = [](i64 number, u64 length) { return static_cast<u64>(number) <= length; };
    places += counts[PLACES] + 1;
    lists += counts[LISTS] + 1;
    const i64 sets = counts[SETS] + worked_out + 1;
    return fits(places, store.parent.length) && fits(2 * places, store.children.length) &&
           fits(counts[ROWS] + worked_out + 1, store.rows.length) &&
           fits(sets, store.sets.length) && fits(2 * sets, store.set_numbers.length) &&
           fits(lists + 1, store.list_first.length) &&
           fits(2 * lists, store.list_numbers.length) &&
           fits(counts[ITEMS] + items, store.list_items.length);
}

// Number of a set of cells in the store, -1 where it is not there.
inline i32 find_set(const Store& store, const u64* cells, u64 key) {
    const u64 mask = store.set_numbers.length - 1;
    for (u64 slot = mixed(key) & mask;; slot = (slot + 1) & mask) {
        const Slot& row = store.set_numbers.data[slot];
        if (row.key == EMPTY) return -1;
        if (row.key == key &&
            __builtin_memcmp(store.sets[row.value], cells, sizeof(CellSet)) == 0)
            return row.value;
    }
}

inline u64 key_of_set(const u64* cells) { return key_of_words<1>(cells, 0); }

// Number of a block's set of cells in the store; it is added if it is new.
inline i32 set_number(const Store& store, const Block& block, i64 item) {
    const u64* const cells = block.sets[item];
    const u64 key = key_of_set(cells);
    const i32 found = find_set(store, cells, key);
    if (found >= 0) return found;
    const i32 number = static_cast<i32>(store.counts[SETS]++);
    __builtin_memcpy(store.sets[number], cells, sizeof(CellSet));
    __builtin_memcpy(store.hulls[number], block.hulls[item], sizeof(Hull));
    __builtin_memcpy(store.ranges[number], block.ranges[item], sizeof(TermRanges));
    put(store.set_numbers, key, number);
    return number;
}

// Number of a list of entries in the store; it is added if it is new.
inline i32 list_number(const Store& store, const i32* items, i64 count) {
    const u64 key = hash_of_words(items, static_cast<u64>(count)) >> 1;
    const u64 mask = store.list_numbers.length - 1;
    for (u64 slot = mixed(key) & mask;; slot = (slot + 1) & mask) {
        const Slot& row = store.list_numbers.data[slot];
        if (row.key == EMPTY) break;
        if (row.key != key) continue;
        const i64 first = store.list_first[row.value];
        if (store.list_first[row.value + 1] - first == count &&
            __builtin_memcmp(&store.list_items[first], items, 4 * static_cast<u64>(count)) == 0)
            return row.value;
    }
    const i32 number = static_cast<i32>(store.counts[LISTS]++);
    const i64 first = store.list_first[number];
    __builtin_memcpy(&store.list_items[first], items, 4 * static_cast<u64>(count));
    store.list_first[number + 1] = store.counts[ITEMS] = first + count;
    put(store.list_numbers, key, number);
    return number;
}

// Place behind a call; it gets a number if it has none.
inline i32 child_of(const Store& store, i32 place, i32 call) {
    const u64 key = child_key(place, call);
    const i32 found = find(store.children, key);
    if (found >= 0) return found;
    const i32 child = static_cast<i32>(store.counts[PLACES]++);
    store.parent[child] = place;
    store.call[child] = static_cast<u8>(call);
    store.list[child] = store.chosen[child] = UNKNOWN;
    store.row[child] = -1;
    put(store.children, key, child);
    return child;
}

inline i32 calls_to(const Store& store, i32 place) {
    i32 count = 0;
    for (; place > 0; place = store.parent[place]) ++count;
    return count;
}

// Works out the row of a place behind its parent, which has its own; false if something is missing.
inline bool work_out_row(
    const Program& first_side, const Program& other_side, const Store& store, const Block& block,
    Worker& worker, const Job& job, i64 item) {
    u64* const cells = block.sets[item];
    CellSet shown;
    const u64 key = show_cells<1>(store, worker.prog, job, 0, shown, cells);
    i32 set = find_set(store, cells, key);
    const Hull* hull = &block.hulls[item];
    if (set >= 0) {
        hull = &store.hulls[set];
    } else {
        set = static_cast<i32>(-1 - item);
        hull_of<1>(store.lengths, cells, 0, block.hulls[item]);
        for (u32 term = 0; term < RANGES; ++term) block.ranges[item][term][0] = -1;
    }
    return worker.advance(first_side, other_side, job, set, *hull, block.rows[item]);
}

inline Room room_of(const Block& block, i64 end) {
    return {
        block.items.data + end, static_cast<i32>(static_cast<i64>(block.items.length) - end),
        block.found.data, static_cast<i32>(block.found.length), block.owners.data,
        block.stack.data, static_cast<i32>(block.stack.length)};
}

// Works out row and entries of one place as item of a block, whose entries begin at `end`; status.
// TOO_MUCH if the block has no room for it. Learners learn what is missing; else it is noted.
inline i32 work_out_place(
    const Program* const* sides, const Store& store, const Block& block, i32 place, i64 item,
    i64& end, Learner* learner) {
    const i32 parent = store.parent[place];
    const auto finish = [&](Worker& worker) { block.sizes[0] = worker.missed; };
    const i32 most_misses = static_cast<i32>(block.misses.length);
    if (parent < 0) {
        block.rows[item] = store.rows[0];
    } else {
        const Place& before = store.rows[store.row[parent]];
        Worker worker(
            *sides[before.length & 1], store, -1 - item,
            {&before, &store, block.ranges.data, block.sets.data}, block.misses.data, most_misses,
            static_cast<i32>(block.sizes[0]));
        worker.learner = learner;
        const Job job = {parent, store.row[parent], store.list[parent], -1, store.call[place], 0};
        const bool is_done = work_out_row(*sides[0], *sides[1], store, block, worker, job, item);
        finish(worker);
        if (!is_done) return LEARN;
    }
    if (store.list[place] != UNKNOWN) return DONE;
    const Place& row = block.rows[item];
    Worker worker(
        *sides[row.length & 1], store, item, {&row, &store, block.ranges.data, block.sets.data},
        block.misses.data, most_misses, static_cast<i32>(block.sizes[0]));
    worker.learner = learner;
    const i32 partners = parent > 0 ? store.list[store.parent[parent]] : -1;
    const i32 count = worker.expand(partners, room_of(block, end));
    finish(worker);
    if (worker.too_much) return TOO_MUCH;
    if (count == MISSING) return LEARN;
    if (end + count > static_cast<i64>(block.items.length)) return TOO_MUCH;
    end += count;
    return DONE;
}

// Works out rows and entries of places from `start` on; where it stopped.
//
// The place before each must have its row. Places whose entries are known get rows only. It stops
// early where the block is full; at `start` if the block is too small for a single place.
inline i64 work_out(
    const Program* const* sides, const Store& store, const Block& block, const i32* places,
    i64 start, i64 stop, Learner* learner) {
    i64 end = 0;
    for (i64 number = start; number < stop; ++number) {
        const i64 item = number - start;
        block.first[item] = block.first[item + 1] = end;
        block.status[item] = LEARN;
        const i32 status = work_out_place(sides, store, block, places[number], item, end, learner);
        if (status == TOO_MUCH) return number;
        if (status == DONE) block.first[item + 1] = end;
        block.status[item] = status;
    }
    return stop;
}

// Puts the entries of a place into the store, if it has none yet.
inline void take_list(const Store& store, const Block& block, i32 place, i64 item) {
    if (store.list[place] != UNKNOWN) return;
    const i64 first = block.first[item];
    const i32 number = list_number(store, block.items.data + first, block.first[item + 1] - first);
    store.list[place] = number;
    if (store.chosen[place] == UNKNOWN) store.chosen[place] = number;
}

// Puts what a block worked out of one place into the store, which has room for it.
inline void take_place(const Store& store, const Block& block, i32 place, i64 item) {
    Place& row = block.rows[item];
    if (store.parent[place] >= 0) {
        const i32 caller = (row.length - 1) & 3;
        if (row.known[caller] < 0) row.known[caller] = set_number(store, block, item);
        if (store.row[place] < 0) store.row[place] = static_cast<i32>(store.counts[ROWS]++);
        store.rows[store.row[place]] = row;
    }
    take_list(store, block, place, item);
}

inline void take_in(
    const Store& store, const Block& block, const i32* places, i64 start, i64 stop) {
    for (i64 number = start; number < stop; ++number)
        if (block.status[number - start] == DONE)
            take_place(store, block, places[number], number - start);
}

// Puts the entries of places into the store, and nothing else of what a block worked out.
inline void take_lists(const Store& store, const Block& block, const i32* places, i64 count) {
    for (i64 item = 0; item < count; ++item)
        if (block.status[item] == DONE) take_list(store, block, places[item], item);
}

// Numbers of sets by their keys; how many are new, and which. New ones are numbered from `first`
// on; the table must have room for them.
inline i64 number_sets(
    const Array<Slot>& table, const u64* keys, i64 count, i32 first, i32* numbers, i32* added) {
    i64 found = 0;
    for (i64 item = 0; item < count; ++item) {
        numbers[item] = find(table, keys[item]);
        if (numbers[item] >= 0) continue;
        numbers[item] = first + static_cast<i32>(found);
        put(table, keys[item], numbers[item]);
        added[found++] = static_cast<i32>(item);
    }
    return found;
}

// Finds the places behind `place << 6 | call`; each gets a number if it has none.
inline void places_behind(const Store& store, const u64* keys, i64 count, i32* places) {
    for (i64 number = 0; number < count; ++number)
        places[number] = child_of(
            store, static_cast<i32>(keys[number] >> 6), static_cast<i32>(keys[number] & 63));
}

}  // namespace core
