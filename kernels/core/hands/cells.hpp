// What a call has shown, as a set of cells (shape, points): the hands that meet one of its entries
// and that no entry of another call before it certainly takes. systems/reference/ is the definition.
//
// A set is shared by some lanes, a word a lane in turns: one lane on a host, a warp on a GPU.
#pragma once
#include "../rows.hpp"

namespace core {

template <u32 LANES>
constexpr u32 WORDS_A_LANE = (SET_WORDS + LANES - 1) / LANES;

// Entries of a list up to and with the last one for a call, 0 for none.
__device__ __forceinline__ u32 behind_last(
    const Known& known, const Program& prog, i32 list, i32 call) {
    u32 end = 0;
    const i64 first = known.list_first[list], stop = known.list_first[list + 1];
    for (i64 at = first; at < stop; ++at)
        if (prog.entries[known.list_items[at] >> 1].call == call)
            end = static_cast<u32>(at - first) + 1;
    return end;
}

template <u32 LANES>
__device__ __forceinline__ bool meet_in(const u64* own, const u64* others, u32 lane) {
    lane = Lanes<LANES>::own(lane);
    u64 both = 0;
CORE_UNROLL
    for (u32 k = 0; k < WORDS_A_LANE<LANES>; ++k)
        if (k * LANES + lane < SET_WORDS) both |= own[k] & others[k * LANES + lane];
    return Lanes<LANES>::any(both != 0);
}

// Least and most of each term beyond the hull in a set; `own` are this lane's words of it.
template <u32 LANES>
__device__ inline void ranges_of(const Known& known, const u64* own, u32 lane, TermRanges& ranges) {
    lane = Lanes<LANES>::own(lane);
    const i32 all_values = known.reach_first[RANGES];
    for (u32 term = 0; term < RANGES; ++term) {
        const i32 first = known.reach_first[term], count = known.reach_first[term + 1] - first;
        i32 low = 0, high = count - 1;
        while (low < count - 1 && !meet_in<LANES>(own, known.reach[first + low], lane)) ++low;
        while (high > low && !meet_in<LANES>(own, known.reach[all_values + first + high], lane))
            --high;
        if (lane == 0) {
            ranges[term][0] = static_cast<i8>(low);
            ranges[term][1] = static_cast<i8>(high);
        }
    }
}

// Least and most HCP and cards of each suit in a set that the lanes have written.
template <u32 LANES>
__device__ inline void hull_of(
    const Array<u8[4]>& lengths, const u64* cells, u32 lane, Hull& hull) {
    lane = Lanes<LANES>::own(lane);
    u64 points = 0;
    u32 low[4] = {255, 255, 255, 255}, high[4] = {0, 0, 0, 0};
    for (i32 shape = static_cast<i32>(lane); shape < SHAPES; shape += LANES) {
        const u32 bit = static_cast<u32>(shape) * POINTS, word = bit >> 6, shift = bit & 63;
        u64 found = cells[word] >> shift;
        if (shift + POINTS > 64) found |= cells[word + 1] << (64 - shift);
        found &= (1ull << POINTS) - 1;
        if (found == 0) continue;
        points |= found;
CORE_UNROLL
        for (u32 suit = 0; suit < 4; ++suit) {
            const u32 cards = lengths[shape][suit];
            low[suit] = least(low[suit], cards);
            high[suit] = most(high[suit], cards);
        }
    }
    points = Lanes<LANES>::either(points);
CORE_UNROLL
    for (u32 suit = 0; suit < 4; ++suit) {
        low[suit] = Lanes<LANES>::lowest(low[suit]);
        high[suit] = Lanes<LANES>::highest(high[suit]);
    }
    if (lane != 0) return;
    hull[0][0] = points == 0 ? 255 : static_cast<u8>(lowest_bit(points));
    hull[0][1] = points == 0 ? 0 : static_cast<u8>(highest_bit(points));
    for (u32 suit = 0; suit < 4; ++suit) {
        hull[1 + suit][0] = static_cast<u8>(low[suit]);
        hull[1 + suit][1] = static_cast<u8>(high[suit]);
    }
}

// Whether no hand can be in two sets with these hulls.
__device__ __forceinline__ bool are_apart(const u8 (*one)[2], const u8 (*other)[2]) {
    bool found = false;
CORE_UNROLL
    for (u32 term = 0; term < HULL; ++term)
        found |= most(one[term][0], other[term][0]) > least(one[term][1], other[term][1]);
    return found;
}

// Key of a set of cells, of which these words are its part; other sets may have the same.
template <u32 LANES>
__device__ __forceinline__ u64 key_of_words(const u64* words, u32 lane) {
    u64 key = 0;
CORE_UNROLL
    for (u32 k = 0; k < WORDS_A_LANE<LANES>; ++k)
        if (k * LANES + lane < SET_WORDS)
            key += mixed(words[k] + (k * LANES + lane + 1) * 0x9E3779B97F4A7C15ull);
    return Lanes<LANES>::sum(key) >> 1;
}

// Joins what the entries of a job's call allow by themselves, whatever lines stand before them.
template <u32 LANES>
__device__ inline void join_loose(
    const Known& known, const Program& prog, const Job& job, i64 stop, u32 lane, u64* loose) {
    for (i64 at = known.list_first[job.list]; at < stop; ++at) {
        const Entry& entry = prog.entries[known.list_items[at] >> 1];
        if (entry.call != job.call) continue;
        const u64* const words = prog.cells[prog.needs[entry.needs].can];
CORE_UNROLL
        for (u32 k = 0; k < WORDS_A_LANE<LANES>; ++k)
            if (k * LANES + lane < SET_WORDS) loose[k] |= words[k * LANES + lane];
    }
}

// Writes the cells that the call of a job has shown; `shown` are this lane's words of them, and
// what comes back is the key of the set (other sets may have the same).
template <u32 LANES>
__device__ inline u64 show_cells(
    const Known& known, const Program& prog, const Job& job, u32 lane, u64* shown, u64* cells) {
    lane = Lanes<LANES>::own(lane);
    constexpr u32 WORDS = WORDS_A_LANE<LANES>;
    const Place& before = known.rows[job.row];
    const i32 me = before.length & 3;
    const u8(*const hull)[2] = before.hull[me];
    const u64* const possible_cells = known.sets[before.known[me]];
    u64 taken[WORDS] = {}, possible[WORDS] = {};
CORE_UNROLL
    for (u32 k = 0; k < WORDS; ++k) {
        shown[k] = 0;
        if (k * LANES + lane < SET_WORDS) possible[k] = possible_cells[k * LANES + lane];
    }
    const u32 end = behind_last(known, prog, job.list, job.call);
    const i64 first = known.list_first[job.list];
    const i64 stop = end != 0 ? first + end : known.list_first[job.list + 1];
    for (i64 at = first; at < stop; ++at) {
        const Entry& entry = prog.entries[known.list_items[at] >> 1];
        const Needs& needs = prog.needs[entry.needs];
        const bool is_other = entry.call != job.call;
        // half of all sets have nothing in common with what the hand may be: they are not read
        if ((is_other && !needs.certain) || are_apart(is_other ? needs.must_hull : needs.can_hull, hull))
            continue;
        const u64* const words = prog.cells[is_other ? needs.must : needs.can];
        if (is_other) {
CORE_UNROLL
            for (u32 k = 0; k < WORDS; ++k)
                if (k * LANES + lane < SET_WORDS) taken[k] |= words[k * LANES + lane];
        } else {
CORE_UNROLL
            for (u32 k = 0; k < WORDS; ++k)
                if (k * LANES + lane < SET_WORDS)
                    shown[k] |= words[k * LANES + lane] & possible[k] & ~taken[k];
        }
    }
    u64 some = 0;
CORE_UNROLL
    for (u32 k = 0; k < WORDS; ++k) {
        // a pass by default denies every line; of another unknown call nothing is known
        if (end == 0 && job.call == 0) shown[k] = possible[k] & ~taken[k];
        some |= shown[k];
    }
    if (!Lanes<LANES>::any(some != 0)) {
        // nobody who keeps to the system makes this call: take it at face value
        u64* const loose = taken;
        u64 both = 0, any_loose = 0;
CORE_UNROLL
        for (u32 k = 0; k < WORDS; ++k) loose[k] = 0;
        join_loose<LANES>(known, prog, job, stop, lane, loose);
CORE_UNROLL
        for (u32 k = 0; k < WORDS; ++k) both |= loose[k] & possible[k], any_loose |= loose[k];
        const bool is_possible = Lanes<LANES>::any(both != 0);
        const bool is_some = Lanes<LANES>::any(any_loose != 0);
CORE_UNROLL
        for (u32 k = 0; k < WORDS; ++k)
            shown[k] = is_possible ? loose[k] & possible[k] : is_some ? loose[k] : possible[k];
    }
CORE_UNROLL
    for (u32 k = 0; k < WORDS; ++k)
        if (k * LANES + lane < SET_WORDS) cells[k * LANES + lane] = shown[k];
    const u64 key = key_of_words<LANES>(shown, lane);
    Lanes<LANES>::meet();
    return key;
}

}  // namespace core
