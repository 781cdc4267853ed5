// Two systems with places that make their own room, for who has no arrays to lend: the browser.
// systems/auctions/bidder.py does the same over arrays of numpy, which devices share.
#pragma once
#include "bidding.hpp"

namespace core {

constexpr i64 MOST_ROWS = 1 << 13;     // what is known at so many places: 28 MB
constexpr i64 MOST_PLACES = 1 << 20;   // places themselves take 100 bytes
constexpr u64 MOST_ITEMS = 1 << 24;    // entries of one place

enum Outcome : i32 { FINE, FAULTY_FIRST, FAULTY_OTHER, TOO_MANY_ENTRIES, ILLEGAL };

template <class T>
void enlarge(Array<T>& array, u64 length) {
    if (length <= array.length) return;
    length = most(length, 2 * array.length);
    T* const moved = static_cast<T*>(allocate(length * sizeof(T)));
    copy_bytes(moved, array.data, array.length * sizeof(T));
    if (array.data) release(array.data, array.length * sizeof(T));
    array = {moved, length};
}

template <class T>
void drop(Array<T>& array) {
    if (array.data) release(array.data, array.length * sizeof(T));
    array = {nullptr, 0};
}

inline Array<Slot> empty_table(u64 slots) {
    Array<Slot> table = {};
    enlarge(table, slots);
    for (u64 at = 0; at < slots; ++at) table.data[at] = {EMPTY, -1};
    return table;
}

// Makes a table large enough for so many keys.
inline void make_roomy(Array<Slot>& table, i64 keys) {
    u64 slots = most<u64>(table.length, 64);
    while (slots < 2 * static_cast<u64>(keys)) slots *= 2;
    if (slots == table.length) return;
    Array<Slot> larger = empty_table(slots);
    if (table.length) refill(table, larger);
    drop(table);
    table = larger;
}

// What every store knows of cells.
struct CellTables {
    Trees trees;
    Terms terms{GIB};
    Knowledge knowledge{trees, terms};
    TermReach found{knowledge};
    Place root;
    Hull all;

    CellTables() : root() {
        hull_of<1>(lengths(), everything(), 0, all);
        root.parent = root.opening = -1;
        for (i32 position = 0; position < 4; ++position) {
            root.call[position] = NO_CALL;
            for (u32 term = 0; term < TERMS; ++term) {
                root.terms[position][term][0] = -WIDEST;
                root.terms[position][term][1] = WIDEST;
            }
            copy_bytes(root.hull[position], all, sizeof all);
        }
    }
    const u64* everything() const { return knowledge.cells(knowledge.everything()); }
    Array<CellSet> reach() { return {reinterpret_cast<CellSet*>(found.reach.data), found.reach.count / SET_WORDS}; }
    Array<i32> first() { return {found.first, RANGES + 1}; }
    static Array<u8[4]> lengths() {
        return {const_cast<u8(*)[4]>(ALL_SHAPES.lengths), SHAPES};
    }
};

// Auctions of one deal, and room for the walk that finds them.
struct Auctions : Listed {
    Auctions() : Listed() {
        constexpr u64 LEVELS = LONGEST_AUCTION + 4;
        enlarge(end, 2);
        enlarge(cut, 1);
        enlarge(levels, LEVELS);
        enlarge(at, 1);
        grow(1 << 8);
        at[0] = walk_from_root(0);
    }
    ~Auctions() {
        drop(end), drop(cut), drop(place), drop(call), drop(completed), drop(held_end), drop(held);
        drop(levels), drop(at);
    }
    Auctions(const Auctions&) = delete;
    void grow(u64 auctions) {
        enlarge(place, auctions);
        enlarge(call, auctions);
        enlarge(completed, auctions);
        enlarge(held_end, auctions + 1);
        enlarge(held, 16 * auctions);
    }
};

class Bidder {
  public:
    System* const systems[2];
    Store store;

    Bidder(System* first, System* other, CellTables& cells)
        : systems{first, other}, store(), cells_(cells), block_() {
        store.reach = cells.reach();
        store.reach_first = cells.first();
        store.lengths = cells.lengths();
        enlarge(store.counts, 5);
        enlarge(block_.status, 1);
        enlarge(block_.rows, 1);
        enlarge(block_.sets, 1);
        enlarge(block_.hulls, 1);
        enlarge(block_.ranges, 1);
        enlarge(block_.first, 2);
        enlarge(block_.items, 1 << 12);
        enlarge(block_.misses, 1 << 12);
        enlarge(block_.owners, CALLS);
        enlarge(block_.sizes, 1);
        make_room_for_trees();
        start_over();
    }
    ~Bidder() {
        drop_places();
        drop(store.counts);
        drop(block_.status), drop(block_.rows), drop(block_.sets), drop(block_.hulls);
        drop(block_.ranges), drop(block_.first), drop(block_.items), drop(block_.misses);
        drop(block_.found), drop(block_.stack), drop(block_.owners), drop(block_.sizes);
    }
    Bidder(const Bidder&) = delete;

    // Does something, again and again until there is room for it; FINE or why that cannot be.
    template <class Work>
    i32 run(const Work& work) {
        Bidding bidding(systems[0], systems[1], store, block_);
        for (;;) {
            const i32 why = work(bidding);
            if (why == DONE || why == LIST_FULL) return FINE;
            if (why == STORE_FULL) {
                make_room();
            } else if (why != BLOCK_FULL) {
                return bidding.sides.faulty == systems[1] && systems[1] != systems[0] ? FAULTY_OTHER
                                                                                      : FAULTY_FIRST;
            } else if (!make_room_for_trees()) {
                if (block_.items.length >= MOST_ITEMS) return TOO_MANY_ENTRIES;
                enlarge(block_.items, 2 * block_.items.length);
            }
        }
    }

    // Begins anew where places take too much. Numbers of places are then others.
    void keep_to_budget() {
        if (store.counts[PLACES] > MOST_PLACES) start_over();
    }

    // Place behind a legal auction. Where the auction is over its row alone is worked out.
    i32 reach(const u8* calls, i64 count, i32& place) {
        keep_to_budget();
        if (count == 0 || goes_on(calls, count))
            return run([&](Bidding& bidding) { return bidding.reach(calls, count, place); });
        if (!goes_on(calls, count - 1) || calls[count - 1] != 0) return ILLEGAL;
        const i32 found = reach(calls, count - 1, place);
        if (found != FINE) return found;
        const i32 before = place;
        return run([&](Bidding& bidding) {
            if (!core::has_room(store, 1, 0, 1, 0)) return STORE_FULL;
            place = child_of(store, before, 0);
            // nobody calls there
            store.list[place] = store.chosen[place] = list_number(store, block_.items.data, 0);
            return bidding.make_ready(place);
        });
    }

    // Bids one deal to the end: the place of the last call, and the entry that made it.
    i32 bid(const Deals& deal, i32& place, i32& entry) {
        keep_to_budget();
        place = 0;
        u16 defaults = 0;
        i64 done = 0;
        return run([&](Bidding& bidding) {
            return bid_few(bidding, deal, &place, &entry, &defaults, done);
        });
    }

    // Lists the auctions that are allowed for one deal.
    i32 list(const Deals& deal, const i64* bounds, Auctions& out) {
        keep_to_budget();
        for (;;) {
            const i32 found =
                run([&](Bidding& bidding) { return list_deals(bidding, out, deal, bounds); });
            if (found != FINE || out.at[0].deal > 0) return found;
            out.grow(2 * out.place.length);
        }
    }

    const Place& row(i32 place) const { return store.rows[store.row[place]]; }

  private:
    CellTables& cells_;
    Block block_;

    bool make_room_for_trees() {
        const u64 trees = most(systems[0]->program.forest.length, systems[1]->program.forest.length);
        if (trees <= block_.found.length && block_.found.length) return false;
        enlarge(block_.found, 2 * trees + 16);
        enlarge(block_.stack, 2 * trees + 18);
        return true;
    }

    // As much as a longest auction takes, with a list for each of its places.
    void make_room() {
        const i64 calls = LONGEST_AUCTION;
        const i64 items = most<i64>(1 << 14, static_cast<i64>(block_.items.length));
        if (!has_room(store, calls, 0, calls, items)) return grow(calls, 0, items);
        const bool is_full = store.counts[ROWS] + calls > MOST_ROWS;
        if (is_full) forget_rows();
        grow(calls, calls, items);
    }

    void grow(i64 places, i64 rows, i64 items) {
        const i64* const counts = store.counts.data;
        const u64 all = static_cast<u64>(counts[PLACES] + places + 1);
        enlarge(store.parent, all);
        enlarge(store.call, all);
        enlarge(store.list, all);
        enlarge(store.chosen, all);
        enlarge(store.row, all);
        enlarge(store.rows, static_cast<u64>(counts[ROWS] + rows + 1));
        const u64 sets = static_cast<u64>(counts[SETS] + rows + 1);
        enlarge(store.sets, sets);
        enlarge(store.hulls, sets);
        enlarge(store.ranges, sets);
        enlarge(store.list_first, static_cast<u64>(counts[LISTS] + places + 2));
        enlarge(store.list_items, static_cast<u64>(counts[ITEMS] + items));
        make_roomy(store.children, counts[PLACES] + places + 2);
        make_roomy(store.list_numbers, counts[LISTS] + places + 2);
        make_roomy(store.set_numbers, counts[SETS] + rows + 2);
    }

    void drop_places() {
        drop(store.children), drop(store.parent), drop(store.call), drop(store.list);
        drop(store.chosen), drop(store.row), drop(store.list_numbers), drop(store.list_first);
        drop(store.list_items), drop(store.rows), drop(store.set_numbers), drop(store.sets);
        drop(store.hulls), drop(store.ranges);
    }

    // Nothing but the root.
    void start_over() {
        drop_places();
        for (i32 counter = PLACES; counter <= SETS; ++counter) store.counts[counter] = 0;
        grow(LONGEST_AUCTION, LONGEST_AUCTION, 1 << 12);
        store.counts[PLACES] = 1;
        store.parent[0] = -1;
        store.list[0] = store.chosen[0] = UNKNOWN;
        put_root();
    }

    // Drops what is known at places; places and their entries stay.
    void forget_rows() {
        for (i64 place = 0; place < store.counts[PLACES]; ++place) store.row[place] = -1;
        for (u64 slot = 0; slot < store.set_numbers.length; ++slot)
            store.set_numbers.data[slot] = {EMPTY, -1};
        store.counts[ROWS] = store.counts[SETS] = 0;
        put_root();
    }

    void put_root() {
        copy_bytes(block_.sets[0], cells_.everything(), sizeof(CellSet));
        copy_bytes(block_.hulls[0], cells_.all, sizeof(Hull));
        __builtin_memset(block_.ranges[0], -1, sizeof(TermRanges));
        store.rows[0] = cells_.root;
        for (i32& known : store.rows[0].known) known = set_number(store, block_, 0);
        store.row[0] = 0;
        store.counts[ROWS] = 1;
    }
};

}  // namespace core
