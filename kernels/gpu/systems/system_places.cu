// New places of a system: what a call has shown (advance), and the entries behind it (expand).
//
// The work is that of the core; kernels hand it out. Two kinds: sets of cells are a warp's, a word
// a lane in turns; rows and entries are one thread's, with much branching. What is not known yet is
// noted for the host to learn, and the place is tried again then.
#include "system.cuh"

constexpr i32 STACK = 64;
constexpr u32 PLACE_WORDS = sizeof(Place) / 4;
constexpr u32 LENGTH_WORD = LENGTH_BYTE / 4;
constexpr u32 KNOWN_WORD = KNOWN_BYTE / 4;

// The cells that the call of each job has shown: sets, hulls, ranges and digests.
extern "C" __global__ void __launch_bounds__(128) show_cells(
    const Program* __restrict__ programs, const Known* __restrict__ known,
    const Job* __restrict__ jobs, u32 count, u64 (*__restrict__ sets)[core::SET_WORDS],
    Hull* __restrict__ hulls, TermRanges* __restrict__ ranges, u64* __restrict__ digests) {
    const u64 item = thread_number() / WARP;
    if (item >= count) return;
    const u32 lane = threadIdx.x % WARP;
    const Job& job = jobs[item];
    const Program& prog = programs[known->rows[job.row].length & 1];
    u64 shown[WORDS_A_LANE<WARP>];
    const u64 digest = core::show_cells<WARP>(*known, prog, job, lane, shown, sets[item]);
    hull_of<WARP>(known->lengths, sets[item], lane, hulls[item]);
    ranges_of<WARP>(*known, shown, lane, ranges[item]);
    if (lane == 0) digests[item] = digest;
}

// Keeps the sets of some items under new numbers, a warp each.
extern "C" __global__ void __launch_bounds__(128) keep_sets(
    const u64 (*__restrict__ sets)[core::SET_WORDS], const TermRanges* __restrict__ ranges,
    const i32* __restrict__ items, const i32* __restrict__ numbers, u32 count,
    u64 (*__restrict__ kept_sets)[core::SET_WORDS], i8 (*__restrict__ kept_ranges)[RANGES][2]) {
    const u64 which = thread_number() / WARP;
    if (which >= count) return;
    const i32 item = items[which], number = numbers[which];
    const u32 lane = threadIdx.x % WARP;
    for (u32 word = lane; word < core::SET_WORDS; word += WARP) kept_sets[number][word] = sets[item][word];
    for (u32 term = lane; term < RANGES; term += WARP)
        for (u32 end = 0; end < 2; ++end) kept_ranges[number][term][end] = ranges[item][term][end];
}

// Keeps the rows of some items one behind the other, a warp each, with the numbers of their sets.
//
//   different  items whose set is not the one that is kept under its number, and how many, the first
extern "C" __global__ void __launch_bounds__(128) keep_rows(
    const u32 (*__restrict__ rows)[PLACE_WORDS], const u64 (*__restrict__ sets)[core::SET_WORDS],
    const i32* __restrict__ items, const i32* __restrict__ numbers, u32 count,
    const u64 (*__restrict__ kept_sets)[core::SET_WORDS], u32 (*__restrict__ kept_rows)[PLACE_WORDS],
    i32* __restrict__ different) {
    const u64 which = thread_number() / WARP;
    if (which >= count) return;
    const i32 item = items[which], number = numbers[which];
    const u32 lane = threadIdx.x % WARP;
    bool is_other = false;
    for (u32 word = lane; word < core::SET_WORDS; word += WARP)
        is_other |= kept_sets[number][word] != sets[item][word];
    if (__any_sync(ALL_LANES, is_other) && lane == 0)
        different[1 + atomicAdd(different, 1)] = static_cast<i32>(which);
    const u32 named = KNOWN_WORD + ((rows[item][LENGTH_WORD] - 1u) & 3u);
    for (u32 word = lane; word < PLACE_WORDS; word += WARP)
        kept_rows[which][word] = word == named ? static_cast<u32>(number) : rows[item][word];
}

// Copies what is kept to a larger array, two bytes a thread.
extern "C" __global__ void __launch_bounds__(256) copy_kept(
    const u16* __restrict__ from, u64 count, u16* __restrict__ to) {
    const u64 number = thread_number();
    if (number < count) to[number] = from[number];
}

// Works out the ranges of some sets, by their numbers, a warp each.
extern "C" __global__ void __launch_bounds__(128) fill_ranges(
    const Known* __restrict__ known, const i32* __restrict__ numbers, u32 count,
    TermRanges* __restrict__ ranges) {
    const u64 item = thread_number() / WARP;
    if (item >= count) return;
    const u32 lane = threadIdx.x % WARP;
    const u64* const cells = known->sets[numbers[item]];
    u64 own[WORDS_A_LANE<WARP>] = {};
CORE_UNROLL
    for (u32 k = 0; k < WORDS_A_LANE<WARP>; ++k)
        if (k * WARP + lane < core::SET_WORDS) own[k] = cells[k * WARP + lane];
    ranges_of<WARP>(*known, own, lane, ranges[numbers[item]]);
}

// Rows of each job, once show_cells has said what the calls have shown.
//
//   missed  notes of what is missing, as far as there was room
extern "C" __global__ void __launch_bounds__(64, 4) advance_rows(
    const Program* __restrict__ programs, const Known* __restrict__ known,
    const Job* __restrict__ jobs, u32 count, const Hull* __restrict__ hulls,
    Place* __restrict__ rows, i32* __restrict__ status, i32* __restrict__ missed,
    i64 (*__restrict__ misses)[MOST_MISSES][5]) {
    const u64 item = thread_number();
    if (item >= count) return;
    const Place& before = known->rows[jobs[item].row];
    const Program& prog = programs[before.length & 1];
    // the row before is blamed for what is missing
    Worker worker(
        prog, *known, -1 - static_cast<i64>(item), {&before, known, nullptr, nullptr},
        misses[item], MOST_MISSES, 0);
    const bool is_done = worker.advance(
        programs[0], programs[1], jobs[item], -1 - static_cast<i32>(item), hulls[item],
        rows[item]);
    status[item] = is_done ? DONE : LEARN;
    missed[item] = worker.missed;
}

// Entries of each job whose row is there; counts say how many.
extern "C" __global__ void __launch_bounds__(64, 4) expand_places(
    const Program* __restrict__ programs, const Known* __restrict__ known,
    const Job* __restrict__ jobs, u32 count, TermRanges* __restrict__ ranges,
    const Place* __restrict__ rows, i32* __restrict__ status, i32* __restrict__ counts,
    i32 (*__restrict__ items)[MOST_ITEMS], i32* __restrict__ missed,
    i64 (*__restrict__ misses)[MOST_MISSES][5], Found (*__restrict__ found)[MOST_GROUPS],
    i32 (*__restrict__ owners)[CALLS]) {
    const u64 item = thread_number();
    if (item >= count) return;
    counts[item] = 0;
    if (status[item] != DONE || jobs[item].only_row) return;
    const Place& row = rows[item];
    Worker worker(
        programs[row.length & 1], *known, static_cast<i64>(item), {&row, known, ranges, nullptr},
        misses[item], MOST_MISSES, missed[item]);
    i32 stack[STACK][2];
    const i32 end = worker.expand(
        jobs[item].partners,
        {items[item], MOST_ITEMS, found[item], MOST_GROUPS, owners[item], stack, STACK});
    missed[item] = worker.missed;
    // the host works out what has no room here
    if (worker.too_much || end > MOST_ITEMS) status[item] = TOO_MUCH;
    else if (end == MISSING) status[item] = LEARN;
    else counts[item] = end;
}

// Puts the entries of all places one behind the other.
extern "C" __global__ void __launch_bounds__(128) gather_items(
    const i32* __restrict__ counts, const i32 (*__restrict__ items)[MOST_ITEMS],
    const u32* __restrict__ first, u32 count, i32* __restrict__ out) {
    const u64 item = thread_number() / WARP;
    if (item >= count) return;
    for (i32 at = static_cast<i32>(threadIdx.x % WARP); at < counts[item]; at += WARP)
        out[first[item] + static_cast<u32>(at)] = items[item][at];
}
