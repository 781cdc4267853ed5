// The core as a shared library: functions over arrays that Python owns, called through ctypes, and
// memory from the C library. The one translation unit; build.py says how it is compiled.
//
// Numbers that come with a call are looked at here, before anything follows them: what is out of
// range is refused with REFUSED, and nothing has been changed then.
#include "bidding.hpp"

#ifndef CORE_VERSION
#error "expected CORE_VERSION, a digest of the sources (build.py)"
#endif

#ifdef _WIN32
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

extern "C" {
void* calloc(decltype(sizeof(0)) count, decltype(sizeof(0)) bytes);
void free(void* memory);
}

namespace core {

void* allocate(u64 bytes) {
    void* const memory = calloc(1, bytes ? bytes : 1);
    if (memory == nullptr) __builtin_trap();
    return memory;
}

void release(void* memory, u64) { free(memory); }

namespace {

constexpr i64 REFUSED = -1;

bool are_below(const i32* numbers, i64 count, i64 end) {
    for (i64 at = 0; at < count; ++at)
        if (numbers[at] < 0 || numbers[at] >= end) return false;
    return true;
}

bool are_below(const i64* numbers, i64 count, i64 end) {
    for (i64 at = 0; at < count; ++at)
        if (numbers[at] < 0 || numbers[at] >= end) return false;
    return true;
}

bool are_calls(const u8* calls, i64 count) {
    for (i64 at = 0; at < count; ++at)
        if (calls[at] >= CALLS) return false;
    return true;
}

// Whether numbers go up and stay within `end`.
bool are_offsets(const i64* offsets, i64 count, i64 end) {
    for (i64 at = 0; at < count; ++at)
        if (offsets[at] < 0 || offsets[at] > offsets[at + 1]) return false;
    return count < 0 || (offsets[0] >= 0 && offsets[count] <= end);
}

bool are_places(const Store& store, const i32* places, i64 count) {
    return are_below(places, count, store.counts[PLACES]);
}

// Whether places were worked out, so that hands may choose there.
bool are_chosen(const Store& store, const i32* places, i64 count) {
    if (!are_places(store, places, count)) return false;
    for (i64 at = 0; at < count; ++at)
        if (store.chosen[places[at]] < 0) return false;
    return true;
}

}  // namespace

#ifdef __x86_64__
namespace {

struct Registers {
    u32 a, b, c, d;
};

Registers cpuid(u32 leaf) {
    Registers found;
    __asm__ volatile("cpuid" : "=a"(found.a), "=b"(found.b), "=c"(found.c), "=d"(found.d)
                     : "a"(leaf), "c"(0));
    return found;
}

u32 saved_states() {
    u32 low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

bool has_all(u32 word, u32 bits) { return (word & bits) == bits; }

}  // namespace
#endif

}  // namespace core

using namespace core;

EXPORT u64 core_version() { return CORE_VERSION; }

// Whether this processor and its operating system run the build x86-64-v3. By the instruction
// itself: __builtin_cpu_supports says no to everything in what zig links.
EXPORT i32 core_runs_v3() {
#ifdef __x86_64__
    constexpr u32 FMA = 1u << 12, MOVBE = 1u << 22, XGETBV = 1u << 27, AVX = 1u << 28, F16C = 1u << 29;
    constexpr u32 BMI1 = 1u << 3, AVX2 = 1u << 5, BMI2 = 1u << 8, LZCNT = 1u << 5;
    constexpr u32 SSE42_AND_POPCNT = 1u << 20 | 1u << 23, VECTOR_STATES = 6;
    if (cpuid(0).a < 7 || cpuid(0x80000000u).a < 0x80000001u) return 0;
    return has_all(cpuid(1).c, FMA | MOVBE | XGETBV | AVX | F16C | SSE42_AND_POPCNT) &&
           has_all(saved_states(), VECTOR_STATES) && has_all(cpuid(7).b, BMI1 | AVX2 | BMI2) &&
           has_all(cpuid(0x80000001u).c, LZCNT);
#else
    return 0;
#endif
}

// Sizes of the rows of rows.hpp, in its order; how many there are. Python has the same rows.
EXPORT i32 core_layout(i32* sizes) {
    const u64 all[] = {sizeof(Place), sizeof(Question), sizeof(Decision), sizeof(Tree),
                       sizeof(core::Group), sizeof(Line), sizeof(Variant), sizeof(Entry),
                       sizeof(Needs), sizeof(Test), sizeof(Slot), sizeof(Walk)};
    i32 count = 0;
    for (const u64 size : all) sizes[count++] = static_cast<i32>(size);
    return count;
}

// --- places --------------------------------------------------------------------------------------

EXPORT i64 core_work_out(
    const Program* first, const Program* other, const Store* store, const Block* block,
    const i32* places, i64 start, i64 stop) {
    const i64 count = stop - start;
    if (start < 0 || count < 0 || !are_places(*store, places + start, count)) return REFUSED;
    if (static_cast<u64>(count) > block->status.length || static_cast<u64>(count) > block->rows.length)
        return REFUSED;
    const Program* const sides[2] = {first, other};
    return work_out(sides, *store, *block, places, start, stop);
}

EXPORT i64 core_take_in(
    const Store* store, const Block* block, const i32* places, i64 start, i64 stop) {
    if (start < 0 || stop < start || !are_places(*store, places + start, stop - start)) return REFUSED;
    take_in(*store, *block, places, start, stop);
    return 0;
}

EXPORT i64 core_take_lists(
    const Store* store, const Block* block, const i32* places, i64 count) {
    if (!are_places(*store, places, count)) return REFUSED;
    take_lists(*store, *block, places, count);
    return 0;
}

EXPORT i64 core_set_number(const Store* store, const Block* block, i64 item) {
    if (item < 0 || static_cast<u64>(item) >= block->sets.length) return REFUSED;
    return set_number(*store, *block, item);
}

EXPORT i64 core_list_number(const Store* store, const i32* items, i64 count) {
    return list_number(*store, items, count);
}

EXPORT i64 core_child_of(const Store* store, i64 place, i64 call) {
    if (place < 0 || place >= store->counts[PLACES] || call < 0 || call >= CALLS) return REFUSED;
    return child_of(*store, static_cast<i32>(place), static_cast<i32>(call));
}

EXPORT i64 core_places_behind(const Store* store, const u64* keys, i64 count, i32* places) {
    for (i64 at = 0; at < count; ++at)
        if (static_cast<i64>(keys[at] >> 6) >= store->counts[PLACES] || (keys[at] & 63) >= CALLS)
            return REFUSED;
    places_behind(*store, keys, count, places);
    return 0;
}

EXPORT i64 core_has_room(
    const Store* store, i64 places, i64 worked_out, i64 lists, i64 items) {
    return has_room(*store, places, worked_out, lists, items);
}

EXPORT i64 core_number_sets(
    Slot* table, i64 slots, const u64* keys, i64 count, i64 first, i32* numbers, i32* added) {
    if (slots <= 0 || (slots & (slots - 1)) != 0 || 2 * count > slots) return REFUSED;
    return number_sets(
        {table, static_cast<u64>(slots)}, keys, count, static_cast<i32>(first), numbers, added);
}

EXPORT i64 core_refill(Slot* from, i64 slots, Slot* to, i64 more_slots) {
    if (slots > more_slots || (more_slots & (more_slots - 1)) != 0) return REFUSED;
    refill({from, static_cast<u64>(slots)}, {to, static_cast<u64>(more_slots)});
    return 0;
}

EXPORT void core_hull_of(const Store* store, const u64* cells, u8* hull) {
    hull_of<1>(store->lengths, cells, 0, *reinterpret_cast<Hull*>(hull));
}

EXPORT i64 core_forced(const Place* row) { return forced(*row); }

EXPORT i64 core_ask(
    const Program* prog, const Store* store, const Block* block, const Place* row, i64 first,
    i64 count, i64* out) {
    if (first < 0 || static_cast<u64>(first + count) > prog->questions.length) return REFUSED;
    const Asked at = {row, store, block->ranges.data, block->sets.data};
    for (i64 number = 0; number < count; ++number) out[number] = answer(at, prog->questions[first + number]);
    return 0;
}

// --- deals ---------------------------------------------------------------------------------------

EXPORT i64 core_choose_all(
    const Program* prog, const Store* store, const u64* words, i64 width, i64 hands,
    const i64* deals, i64 start, i64 stop, const i32* place, u8* call, i32* entry, u16* defaults) {
    if (!are_below(deals + start, stop - start, hands)) return REFUSED;
    for (i64 at = start; at < stop; ++at)
        if (!are_chosen(*store, place + deals[at], 1)) return REFUSED;
    choose_all(
        *prog, *store, {words, static_cast<u64>(width)}, deals, start, stop, place, call, entry,
        defaults);
    return 0;
}

EXPORT i64 core_follow(
    const Store* store, const i64* deals, i64 count, i64 all, i32* place, const u8* call,
    i64* going_on, i32* added, i64* added_count) {
    if (!are_below(deals, count, all) || !has_room(*store, count, 0, 0, 0)) return REFUSED;
    for (i64 at = 0; at < count; ++at)
        if (!are_places(*store, place + deals[at], 1) || call[deals[at]] >= CALLS) return REFUSED;
    return follow(*store, deals, count, place, call, going_on, added, added_count);
}

EXPORT i64 core_auction_lengths(
    const Store* store, const i32* places, i64 count, i64* lengths) {
    if (!are_places(*store, places, count)) return REFUSED;
    auction_lengths(*store, places, count, lengths);
    return 0;
}

EXPORT i64 core_auctions_of(
    const Store* store, const i32* places, const i64* offsets, i64 start, i64 stop, i64 room,
    u8* calls, u8* contract, u8* declarer) {
    if (!are_places(*store, places + start, stop - start)) return REFUSED;
    if (!are_offsets(offsets + start, stop - start, room)) return REFUSED;
    auctions_of(*store, places, offsets, start, stop, calls, contract, declarer);
    return 0;
}

EXPORT i64 core_write_calls(
    const Store* store, const i32* places, const u8* last, const i64* offsets, i64 count, i64 room,
    u8* calls) {
    if (!are_places(*store, places, count) || !are_calls(last, count)) return REFUSED;
    if (!are_offsets(offsets, count, room)) return REFUSED;
    write_calls(*store, places, last, offsets, 0, count, calls);
    return 0;
}

EXPORT i64 core_going_on(
    const Store* store, const i32* places, const u8* calls, i64 count, u8* found) {
    if (!are_places(*store, places, count) || !are_calls(calls, count)) return REFUSED;
    for (i64 at = 0; at < count; ++at) found[at] = !ends(*store, places[at], calls[at]);
    return 0;
}

// Sets the flags of packed hands [count][width] that follow from other flags and lanes.
EXPORT void core_derive(
    const Program* prog, u64* words, i64 count, i64 width, const i32* first_tests, const i32* flags,
    i64 flag_count, i64 lane_words) {
    for (i64 hand = 0; hand < count; ++hand) {
        u64* const own = words + hand * width;
        for (i64 at = 0; at < flag_count; ++at)
            if (passes_chain(prog->tests.data, first_tests[at], own, 1))
                own[lane_words + (flags[at] >> 6)] |= 1ull << (flags[at] & 63);
    }
}

// --- all auctions --------------------------------------------------------------------------------

EXPORT i64 core_list_deals(
    const Program* first, const Program* other, const Store* store, const Listed* out,
    const u64* words, i64 count, i64 width, const i64* bounds) {
    if (out->end.length < static_cast<u64>(count) + 1 || out->cut.length < static_cast<u64>(count))
        return REFUSED;
    const Program* const sides[2] = {first, other};
    return list_deals(
        sides, *store, *out, {words, static_cast<u64>(count), static_cast<u64>(width)}, bounds);
}

EXPORT i64 core_masks(
    const Program* prog, const Store* store, const u64* words, i64 width, i64 hands,
    const i32* place, const i32* deals, i64 start, i64 stop, u64* found) {
    if (!are_chosen(*store, place + start, stop - start)) return REFUSED;
    if (!are_below(deals + start, stop - start, hands)) return REFUSED;
    masks(*prog, *store, {words, static_cast<u64>(width)}, place, deals, start, stop, found);
    return 0;
}

EXPORT i64 core_may_call(
    const Program* prog, const Store* store, const u64* words, i64 width, i64 hands, i64 place,
    i64 call, const i32* deals, i64 start, i64 stop, u8* found) {
    const i32 here = static_cast<i32>(place);
    if (!are_chosen(*store, &here, 1) || !are_below(deals + start, stop - start, hands)) return REFUSED;
    for (i64 at = start; at < stop; ++at)
        found[at] = may_call(
            *prog, *store, here, static_cast<i32>(call), words + static_cast<i64>(deals[at]) * width);
    return 0;
}

EXPORT i64 core_count_calls(
    const i64* first, i64 groups, const u64* found, i64 pairs, i64* counts) {
    if (!are_offsets(first, groups, pairs)) return REFUSED;
    count_calls(first, groups, found, reinterpret_cast<i64(*)[CALLS]>(counts));
    return 0;
}

EXPORT void core_deals_by_call(
    const u64* found, const i32* deals, i64 count, i64* end, i32* out) {
    deals_by_call(found, deals, count, end, out);
}

EXPORT i64 core_deals_behind(
    const Store* store, const i64* first, const u64* found, const i32* deals, const i64* groups,
    const i64* calls, i64 count, i64 place_count, const i32* places, const i64* next_first,
    i32* next_place, i32* next_deals) {
    if (!are_below(groups, count, place_count) || !are_below(calls, count, CALLS)) return REFUSED;
    if (!are_places(*store, places, place_count) || !has_room(*store, count, 0, 0, 0)) return REFUSED;
    deals_behind(
        *store, first, found, deals, groups, calls, count, places, next_first, next_place,
        next_deals);
    return 0;
}
