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

// Writes the cells that the call of a job has shown; `shown` are this lane's words of them, and
// what comes back is the key of the set (other sets may have the same).
template <u32 LANES>
__device__ inline u64 show_cells(
    const Known& known, const Program& prog, const Job& job, u32 lane, u64* shown, u64* cells) {
    lane = Lanes<LANES>::own(lane);
    constexpr u32 WORDS = WORDS_A_LANE<LANES>;
    const Place& before = known.rows[job.row];
    const u64* const possible_cells = known.sets[before.known[before.length & 3]];
    u64 taken[WORDS] = {}, loose[WORDS] = {}, possible[WORDS] = {};
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
        if (is_other && !needs.certain) continue;
        const u64* const words = prog.cells[is_other ? needs.must : needs.can];
        if (is_other) {
CORE_UNROLL
            for (u32 k = 0; k < WORDS; ++k)
                if (k * LANES + lane < SET_WORDS) taken[k] |= words[k * LANES + lane];
        } else {
CORE_UNROLL
            for (u32 k = 0; k < WORDS; ++k) {
                if (k * LANES + lane >= SET_WORDS) continue;
                const u64 word = words[k * LANES + lane];
                loose[k] |= word;
                shown[k] |= word & possible[k] & ~taken[k];
            }
        }
    }
    u64 some = 0, both = 0, any_loose = 0;
CORE_UNROLL
    for (u32 k = 0; k < WORDS; ++k) {
        // a pass by default denies every line; of another unknown call nothing is known
        if (end == 0 && job.call == 0) shown[k] = possible[k] & ~taken[k];
        some |= shown[k];
        both |= loose[k] & possible[k];
        any_loose |= loose[k];
    }
    if (!Lanes<LANES>::any(some != 0)) {
        // nobody who keeps to the system makes this call: take it at face value
        const bool is_possible = Lanes<LANES>::any(both != 0);
        const bool is_some = Lanes<LANES>::any(any_loose != 0);
CORE_UNROLL
        for (u32 k = 0; k < WORDS; ++k)
            shown[k] = is_possible ? loose[k] & possible[k] : is_some ? loose[k] : possible[k];
    }
    u64 key = 0;
CORE_UNROLL
    for (u32 k = 0; k < WORDS; ++k) {
        if (k * LANES + lane >= SET_WORDS) continue;
        cells[k * LANES + lane] = shown[k];
        key += mixed(shown[k] + mixed(k * LANES + lane + 1));
    }
    Lanes<LANES>::meet();
    return Lanes<LANES>::sum(key) >> 1;
}

}  // namespace core
