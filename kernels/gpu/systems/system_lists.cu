// All auctions that systems allow for deals, a deal a thread: how many first, then the auctions where
// they belong. A walk that comes to a place that nobody has worked out yet waits there for the host.
// And which calls deals may make at places, for counts and members.
#include "system_walk.cuh"
#include "../../core/places/listing.hpp"

static_assert(sizeof(Walk) == WALK_BYTES && sizeof(Level) == LEVEL_BYTES, "rows");

// What one side chooses by.
struct Side {
    const Entry* entries;
    struct {
        const Test* data;
    } tests;
};

// Both sides, and hands whose words lie `packed` apart.
struct Sides {
    Side first, other;
    const u64 *first_words, *other_words;
    u32 first_width, other_width, packed, at;

    __device__ __forceinline__ Side side(i32 level) const { return (level & 1) == 0 ? first : other; }
    __device__ __forceinline__ const u64* hand(i32 level) const {
        const bool is_first = (level & 1) == 0;
        const u64 width = is_first ? first_width : other_width;
        return (is_first ? first_words : other_words) + static_cast<u64>(level & 3) * width * packed + at;
    }
};

// Where auctions are written, null while they are counted: rows.Listed.
struct Written {
    i32* place;
    u8 *call, *completed;
    i64* held_end;
    i32* held;
};

// The way of a deal's walk, see list_auctions.
struct DealWay {
    const Places& places;
    const Sides& sides;
    const Written& out;
    const u64 begin;
    u64 number, held;
    u64 missing;  // key of the place that the walk waits for

    __device__ __forceinline__ i32 make_ready(i32) const { return DONE; }
    __device__ __forceinline__ i32 child_of(i32 place, i32 call, i32& child) {
        child = places.behind(place, call);
        if (child >= 0) return DONE;
        missing = key_behind(place, call);
        return LEARN;
    }
    __device__ __forceinline__ void allow(i32 level, i32 place, Level& calls) const {
        allowed_calls(sides.side(level), places, place, sides.hand(level), sides.packed, &calls);
    }
    __device__ __forceinline__ bool has_room(i32) const { return true; }
    __device__ __forceinline__ i64 count() const { return static_cast<i64>(number - begin); }
    __device__ __forceinline__ void put(i32 level, i32 place, i32 call) {
        i32* const to = out.held == nullptr ? nullptr : out.held + held;
        held += static_cast<u64>(held_entries(
            sides.side(level), places, place, call, sides.hand(level), sides.packed, to));
        if (out.place != nullptr) {
            out.place[number] = place;
            out.call[number] = static_cast<u8>(call);
            out.completed[number] = ends(places, place, call);
            out.held_end[number + 1] = static_cast<i64>(held);
        }
        ++number;
    }
};

// The lists that places choose from.
struct Lists {
    Fixed<i32> chosen;
    Fixed<i64> list_first;
    Fixed<i32> list_items;
};

// Finds the calls that each deal may make at a place, a bit each, for pairs of the two; the words are
// those of the players to call.
extern "C" __global__ void __launch_bounds__(256) mask_pairs(
    const Entry* __restrict__ entries, const Test* __restrict__ tests,
    const u64* __restrict__ words, u32 packed, const i32* __restrict__ chosen,
    const i64* __restrict__ list_first, const i32* __restrict__ list_items,
    const i32* __restrict__ place, const i32* __restrict__ deals, u32 count,
    u64* __restrict__ found) {
    const u64 pair = thread_number();
    if (pair >= count) return;
    const Side side = {entries, {tests}};
    const Lists lists = {{chosen}, {list_first}, {list_items}};
    found[pair] = allowed_calls(side, lists, place[pair], words + deals[pair], packed, nullptr);
}

// Puts walks at the root.
extern "C" __global__ void __launch_bounds__(256) begin_walks(u32 count, Walk* __restrict__ walks) {
    const u64 at = thread_number();
    if (at < count) walks[at] = walk_from_root(static_cast<i32>(at));
}

// Lists the auctions of each deal on, as far as places are known; the beginning is as of bid_on.
//
//   bounds     by Bound
//   walks      [packed] where walks stand, and levels of the way there
//   found      auctions of a deal so far, by its number, held the entries that make their last calls
//              and cut a Cut; where they are written, where those of the deal begin
//   place ...  rows.Listed, null while they are counted
extern "C" __global__ void __launch_bounds__(128, 6) list_on(
    const Entry* __restrict__ first_entries, const Test* __restrict__ first_tests,
    const u64* __restrict__ first_words, u32 first_width, const Entry* __restrict__ other_entries,
    const Test* __restrict__ other_tests, const u64* __restrict__ other_words, u32 other_width,
    const u64* __restrict__ keys, const i32* __restrict__ values, u32 slots,
    const i32* __restrict__ parent, const u8* __restrict__ call, const i32* __restrict__ chosen,
    const i64* __restrict__ list_first, const i32* __restrict__ list_items,
    const u32* __restrict__ waiting, u32 count, const u32* __restrict__ order, u32 packed,
    const i64* __restrict__ bounds, Walk* __restrict__ walks, Level (*__restrict__ levels)[LEVELS],
    u64* __restrict__ found, u64* __restrict__ held, u8* __restrict__ cut,
    i32* __restrict__ out_place, u8* __restrict__ out_call, u8* __restrict__ out_completed,
    i64* __restrict__ out_held_end, i32* __restrict__ out_held, u64* __restrict__ wanted,
    u32 wanted_slots, u64* __restrict__ wanted_keys, u32* __restrict__ counters,
    u32* __restrict__ still_waiting) {
    const u64 thread = thread_number();
    if (thread >= count) return;
    const u32 at = waiting == nullptr ? static_cast<u32>(thread) : waiting[thread];
    const u32 deal = order[at];
    const Places places = {
        keys, values, slots, {parent}, {call}, {chosen}, {list_first}, {list_items}};
    const Sides sides = {
        {first_entries, {first_tests}}, {other_entries, {other_tests}}, first_words, other_words,
        first_width, other_width, packed, at};
    const Written out = {out_place, out_call, out_completed, out_held_end, out_held};
    const bool is_counted = out_place == nullptr;
    DealWay way = {places, sides, out, is_counted ? 0 : found[deal], found[deal],
                   held[deal], 0};
    Walk walk = walks[at];
    const i32 why = list_auctions(way, bounds, walk, levels[at], cut[deal]);
    if (is_counted) {
        found[deal] = way.number;
        held[deal] = way.held;
    }
    if (why == DONE) return;
    walks[at] = walk;
    still_waiting[atomicAdd(counters + 1, 1u)] = at;
    want(way.missing, wanted, wanted_slots, wanted_keys, counters);
}
