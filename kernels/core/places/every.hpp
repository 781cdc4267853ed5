// All auctions that systems allow for deals, and all deals for which they allow a call.
#pragma once
#include "listing.hpp"
#include "walk.hpp"

namespace core {

// Auctions that were found, one behind the other, and room for the walk: rows.Listed.
struct Listed {
    Array<i64> end;  // [deals + 1] where each deal's auctions end
    Array<u8> cut;   // [deals]
    Array<i32> place;
    Array<u8> call, completed;
    Array<i64> held_end;  // [auctions + 1] where the entries end that make its last call
    Array<i32> held;
    Array<Level> levels;  // of the way
    Array<Walk> at;       // [1]
};

// Whether an auction that ends at a place fits, with all entries of the place.
inline bool has_room(const Store& store, const Listed& out, i64 number, i32 place) {
    const i32 list = store.chosen[place];
    const i64 most = store.list_first[list + 1] - store.list_first[list];
    return number < static_cast<i64>(out.place.length) &&
           out.held_end[number] + most <= static_cast<i64>(out.held.length);
}

// Writes an auction with the entries that hold for its last call.
inline void put_auction(
    const Program& prog, const Store& store, const Listed& out, i64 number, i32 place, i32 call,
    const u64* words) {
    const i64 end = out.held_end[number];
    out.place[number] = place;
    out.call[number] = static_cast<u8>(call);
    out.completed[number] = ends(store, place, call);
    out.held_end[number + 1] =
        end + held_entries(prog, store, place, call, words, 1, out.held.data + end);
}

// Finds the calls that each deal may make at a place, a bit each, for pairs of the two.
inline void masks(
    const Program& prog, const Store& store, const Hands& hands, const i32* place, const i32* deals,
    i64 start, i64 stop, u64* found) {
    for (i64 pair = start; pair < stop; ++pair)
        found[pair] = allowed_calls(prog, store, place[pair], hands[deals[pair]], 1, nullptr);
}

// Whether a hand may make a call at a place: the bit of `masks`, and no other.
inline bool may_call(
    const Program& prog, const Store& store, i32 place, i32 call, const u64* words) {
    const i32 list = store.chosen[place];
    const i64 first = store.list_first[list], end = store.list_first[list + 1];
    bool has_call = false;
    for (i64 item = first; item < end; ++item) {
        const Entry& entry = prog.entries[store.list_items[item] >> 1];
        if (entry.call != call) continue;
        has_call = true;
        if (passes_chain(prog.tests.data, entry.test, words, 1)) return true;
    }
    if (call != 0) return false;
    // nobody says when to pass, or nothing holds
    for (i64 item = first; item < (has_call ? end : first); ++item)
        if (passes_chain(
                prog.tests.data, prog.entries[store.list_items[item] >> 1].test, words, 1))
            return false;
    return true;
}

// How many of the pairs of each place, from `first` on, allow each call.
inline void count_calls(const i64* first, i64 groups, const u64* found, i64 (*counts)[CALLS]) {
    for (i64 group = 0; group < groups; ++group)
        for (i64 pair = first[group]; pair < first[group + 1]; ++pair)
            for (u64 left = found[pair]; left != 0; left &= left - 1)
                ++counts[group][lowest_bit(left)];
}

// Writes the deals that may make each call, from `end[call]` on, which becomes their end.
inline void deals_by_call(const u64* found, const i32* deals, i64 count, i64* end, i32* out) {
    for (i64 pair = 0; pair < count; ++pair)
        for (u64 left = found[pair]; left != 0; left &= left - 1)
            out[end[lowest_bit(left)]++] = deals[pair];
}

// Pairs of the places behind calls that were chosen; each place gets a number if it has none.
inline void deals_behind(
    const Store& store, const i64* first, const u64* found, const i32* deals, const i64* groups,
    const i64* calls, i64 count, const i32* places, const i64* next_first, i32* next_place,
    i32* next_deals) {
    for (i64 number = 0; number < count; ++number) {
        const i64 group = groups[number];
        const i32 place = child_of(store, places[group], static_cast<i32>(calls[number]));
        i64 end = next_first[number];
        for (i64 pair = first[group]; pair < first[group + 1]; ++pair)
            if (has_bit(found[pair], static_cast<i32>(calls[number]))) {
                next_place[end] = place;
                next_deals[end++] = deals[pair];
            }
    }
}

}  // namespace core
