// All auctions that systems allow for a deal: the walk that lists them, for the core and for devices.
//
// What a hand may call at a place: the calls of all entries that hold, in the order of the first that
// does; a pass behind them where the place has none; and a pass where nothing holds. So the first
// is always what mode `first` makes, and its auction is the leftmost one of the walk.
//
// A side has `entries` and `tests.data`; places have `parent`, `call`, `chosen`, `list_first` and
// `list_items`. The words of a hand lie `stride` apart.
#pragma once
#include "places.hpp"

namespace core {

constexpr i32 LIST_FULL = 3;  // why the walk came back: an auction may have no room

enum Bound : i32 { LIMIT, DEPTH, VISITS, COMPLETED_ONLY };
enum Cut : u8 { WHOLE, CUT_LIMIT, CUT_DEPTH, CUT_PLACES };

// Where the walk stands, which goes on there when it was left for a place to be worked out.
struct Walk {
    i32 deal, here, level, visited;
    // the auction that is bid, and how many of those that lead to it come before it if it is cut
    i32 own, own_level, before;
    u8 is_own, is_new, is_lost, cut_depth, cut_places;
};

// The calls that are allowed at a place of the way, and which comes next.
struct Level {
    u8 count, next;
    u8 calls[CALLS];
};

// Puts the walk at the root, for a deal.
__device__ inline Walk walk_from_root(i32 deal) {
    Walk at = {};
    at.deal = deal;
    at.is_own = at.is_new = 1;
    return at;
}

// Calls that a hand may make at a place, a bit each; and in order, where there is room for that.
template <class Side, class Places>
__device__ inline u64 allowed_calls(
    const Side& side, const Places& places, i32 place, const u64* words, u64 stride, Level* level) {
    const i32 list = places.chosen[place];
    const i64 end = places.list_first[list + 1];
    u64 seen = 0;
    bool has_pass = false;
    u8 found = 0;
    for (i64 item = places.list_first[list]; item < end; ++item) {
        const Entry& entry = side.entries[places.list_items[item] >> 1];
        has_pass |= entry.call == 0;
        if (has_bit(seen, entry.call) || !passes_chain(side.tests.data, entry.test, words, stride))
            continue;
        seen |= 1ull << entry.call;
        if (level != nullptr) level->calls[found++] = static_cast<u8>(entry.call);
    }
    if (seen == 0 || !has_pass) {
        seen |= 1;
        if (level != nullptr) level->calls[found++] = 0;
    }
    if (level != nullptr) level->count = found, level->next = 0;
    return seen;
}

// How many entries hold for a call of a hand at a place; written where there is room for them.
template <class Side, class Places>
__device__ inline i64 held_entries(
    const Side& side, const Places& places, i32 place, i32 call, const u64* words, u64 stride,
    i32* held) {
    const i32 list = places.chosen[place];
    const i64 end = places.list_first[list + 1];
    i64 found = 0;
    for (i64 item = places.list_first[list]; item < end; ++item) {
        const i32 which = places.list_items[item] >> 1;
        const Entry& entry = side.entries[which];
        if (entry.call != call || !passes_chain(side.tests.data, entry.test, words, stride)) continue;
        if (held != nullptr) held[found] = which;
        ++found;
    }
    return found;
}

// Goes back to the root from the end of the auction that the systems bid, which came first.
__device__ inline void begin_list(const i64* bounds, Walk& at) {
    const bool every = bounds[COMPLETED_ONLY] == 0;
    at.is_own = 0;
    at.own = at.here, at.own_level = at.level;
    // a bound that would lose it leaves so many of the auctions that lead to it before it
    i64 before = least(bounds[DEPTH], bounds[VISITS]);
    if (every)
        before = least(before, at.level < bounds[LIMIT] ? bounds[LIMIT] : bounds[LIMIT] - 1);
    at.is_lost = at.level >= before;
    at.before = every ? static_cast<i32>(before) : 0;
    at.here = at.level = at.visited = 0;
    at.is_new = 1;
}

// Lists the auctions of a deal from where its walk stands: first down the system's own auction, then
// all from the root on. DONE, or why it came back, to go on from there. `way` has `places`, and
//
//   make_ready(place)           DONE when the place is worked out
//   child_of(place, call, at)   DONE when `at` is the place behind a call
//   allow(level, place, calls)  writes the calls that are allowed
//   has_room(place)             whether an auction fits that ends there
//   put(level, place, call)     takes an auction; count() says how many it has
template <class Way>
__device__ inline i32 list_auctions(
    Way& way, const i64* bounds, Walk& at, Level* levels, u8& cut) {
    const bool every = bounds[COMPLETED_ONLY] == 0;
    while (at.level >= 0) {
        const i32 here = at.here, level = at.level;
        i32 why = way.make_ready(here);
        if (why != DONE) return why;
        if (at.is_new) {
            way.allow(level, here, levels[level]);
            at.is_new = 0;
            ++at.visited;
        }
        if (at.is_own) {
            const i32 call = levels[level].calls[0];
            if (ends(way.places, here, call)) {
                begin_list(bounds, at);
                continue;
            }
            i32 child = -1;
            why = way.child_of(here, call, child);
            if (why != DONE) return why;
            at.here = child;
            ++at.level;
            at.is_new = 1;
            continue;
        }
        if (!way.has_room(here) || !way.has_room(at.own)) return LIST_FULL;
        if (at.is_lost && way.count() == at.before) {
            at.is_lost = 0;
            way.put(at.own_level, at.own, 0);
            continue;
        }
        if (levels[level].next == levels[level].count) {
            --at.level;
            at.here = way.places.parent[here];
            continue;
        }
        const i32 call = levels[level].calls[levels[level].next];
        const bool is_over = ends(way.places, here, call);
        const bool is_listed = every || is_over;
        if (is_listed && way.count() == bounds[LIMIT]) {
            cut = CUT_LIMIT;
            return DONE;
        }
        const bool is_deep = level + 1 >= bounds[DEPTH];
        const bool goes_down = !is_over && !is_deep && at.visited < bounds[VISITS];
        // before the auction is put, which is done once
        i32 child = -1;
        if (goes_down) {
            why = way.child_of(here, call, child);
            if (why != DONE) return why;
        }
        if (is_listed) way.put(level, here, call);
        ++levels[level].next;
        if (goes_down) {
            at.here = child;
            ++at.level;
            at.is_new = 1;
        } else if (!is_over) {
            (is_deep ? at.cut_depth : at.cut_places) = 1;
        }
    }
    cut = at.cut_places ? CUT_PLACES : at.cut_depth ? CUT_DEPTH : WHOLE;
    return DONE;
}

}  // namespace core
