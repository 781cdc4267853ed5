// All auctions that systems allow for a deal, and all deals for which they allow a call.
//
// What a hand may call at a place: the calls of all entries that hold, in the order of the first that
// does; a pass behind them where the place has none; and a pass where nothing holds. So the first
// is always what mode `first` makes, and its auction is the leftmost one of the walk.
#pragma once
#include "walk.hpp"

namespace core {

enum Bound : i32 { LIMIT, DEPTH, VISITS, COMPLETED_ONLY };
enum Cut : u8 { WHOLE, CUT_LIMIT, CUT_DEPTH, CUT_PLACES };

// Where the walk stands, which goes on there when it was left for a place to be worked out.
struct Walk {
    i32 deal, here, level, visited;
    // the auction that is bid, and how many of those that lead to it come before it if it is cut
    i32 own, own_level, before;
    u8 is_own, is_new, is_lost, cut_depth, cut_places;
};

// Auctions that were found, one behind the other, and room for the walk: rows.Listed.
struct Listed {
    Array<i64> end;  // [deals + 1] where each deal's auctions end
    Array<u8> cut;   // [deals]
    Array<i32> place;
    Array<u8> call, completed;
    Array<i64> held_end;  // [auctions + 1] where the entries end that make its last call
    Array<i32> held;
    Array<u8[CALLS]> calls;  // [levels] calls that are allowed at each place of the way
    Array<i32> count, next;  // [levels]
    Array<Walk> at;          // [1]
};

// Calls that a hand may make at a place, a bit each; and in order, where there is room for that.
inline u64 allowed_calls(
    const Program& prog, const Store& store, i32 place, const u64* words, u8* calls, i32* count) {
    const i32 list = store.chosen[place];
    u64 seen = 0;
    bool has_pass = false;
    i32 found = 0;
    for (i64 item = store.list_first[list]; item < store.list_first[list + 1]; ++item) {
        const Entry& entry = prog.entries[store.list_items[item] >> 1];
        has_pass |= entry.call == 0;
        if (has_bit(seen, entry.call) || !passes_chain(prog.tests.data, entry.test, words, 1))
            continue;
        seen |= 1ull << entry.call;
        if (calls != nullptr) calls[found++] = static_cast<u8>(entry.call);
    }
    if (seen == 0 || !has_pass) {
        seen |= 1;
        if (calls != nullptr) calls[found++] = 0;
    }
    if (count != nullptr) *count = found;
    return seen;
}

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
    const i32 list = store.chosen[place];
    i64 end = out.held_end[number];
    out.place[number] = place;
    out.call[number] = static_cast<u8>(call);
    out.completed[number] = ends(store, place, call);
    for (i64 item = store.list_first[list]; item < store.list_first[list + 1]; ++item) {
        const i32 which = store.list_items[item] >> 1;
        const Entry& entry = prog.entries[which];
        if (entry.call == call && passes_chain(prog.tests.data, entry.test, words, 1))
            out.held[end++] = which;
    }
    out.held_end[number + 1] = end;
}

// Goes down the auction that the systems bid, which comes first.
inline void follow_own(
    const Store& store, const Listed& out, const i64* bounds, Walk& at) {
    const bool every = bounds[COMPLETED_ONLY] == 0;
    const i32 call = out.calls[at.level][0];
    at.is_new = 1;
    if (!ends(store, at.here, call)) {
        at.here = child_of(store, at.here, call);
        ++at.level;
        return;
    }
    at.is_own = 0;
    at.own = at.here, at.own_level = at.level;
    // a bound that would lose it leaves so many of the auctions that lead to it before it
    i64 before = least(bounds[DEPTH], bounds[VISITS]);
    if (every)
        before = least(before, at.level < bounds[LIMIT] ? bounds[LIMIT] : bounds[LIMIT] - 1);
    at.is_lost = at.level >= before;
    at.before = every ? static_cast<i32>(before) : 0;
    at.here = at.level = at.visited = 0;
}

// Finds the calls that each deal may make at a place, a bit each, for pairs of the two.
inline void masks(
    const Program& prog, const Store& store, const Hands& hands, const i32* place, const i32* deals,
    i64 start, i64 stop, u64* found) {
    for (i64 pair = start; pair < stop; ++pair)
        found[pair] = allowed_calls(prog, store, place[pair], hands[deals[pair]], nullptr, nullptr);
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
