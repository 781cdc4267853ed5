// Bit columns: one bit a deal for each distinct test, and what is put together from them.
//
//   columns   [deal block][row][column][BLOCK_WORDS] 32-bit words; a deal block has
//             32 * BLOCK_WORDS deals, so that all columns of a block of deals lie together
//   column    one lane in an interval, or one flag set or clear: a byte or a bit of a 32-bit half
//             of a packed word, see column_test
#include "../device.cuh"

constexpr u32 TILE_WARPS = 8;
constexpr u32 TILE_THREADS = TILE_WARPS * WARP;
constexpr u32 TILE_WORDS = 32;
constexpr u32 WORDS_A_WARP = TILE_WORDS / TILE_WARPS;
constexpr u32 TILE_DEALS = 32 * TILE_WORDS;
constexpr u32 BLOCK_DEALS = 32 * BLOCK_WORDS;
constexpr u32 LANE_BITS = 7;
static_assert(BLOCK_WORDS % TILE_WORDS == 0, "a tile lies in one block of deals");

// Place of a thread's deal in one of its warp's words.
__device__ __forceinline__ u32 place_of(u32 tile, u32 word, u32 warp, u32 lane) {
    return tile * TILE_DEALS + (word * TILE_WARPS + warp) * 32 + lane;
}

// Bits of a word of deals that exist.
__device__ __forceinline__ u32 existing(u32 word, u32 count) {
    const u32 start = word * 32;
    if (start + 32 <= count) return ALL_LANES;
    return start < count ? (1u << (count - start)) - 1u : 0u;
}

// Works out all columns of TILE_DEALS deals for one row, WORDS_A_WARP words of them a warp.
//
// 32 columns at once, a lane each. The bits of a value become words by ballot, and every lane compares
// these with the two bounds of its own column, from the lowest bit up: where a bound has a one,
// "at least so far" needs the value's bit too, where it has a zero the bit alone is enough.
//
//   halves       [4][words][count][2]: packed words by row, as two halves each
//   column_half  [columns] which half holds the lane or flag; ascending
//   column_test  [columns] shift (5 bits), mask, low and span (8 bits each, span lowest): the column
//                holds where the value under the mask lies in low .. low + span; ascending, too
extern "C" __global__ void __launch_bounds__(TILE_THREADS) bit_columns(
    const u32* __restrict__ halves, u32 words, u32 count, const u32* __restrict__ column_half,
    const u32* __restrict__ column_test, u32 columns, u32* __restrict__ out) {
    // one word more a row, so that lanes that write a column each meet no bank twice
    __shared__ u32 stage[WARP][TILE_WORDS + 1];
    const u32 deal_blocks = (count + BLOCK_DEALS - 1) / BLOCK_DEALS;
    const u32 tiles = deal_blocks * (BLOCK_DEALS / TILE_DEALS);
    const u32 row = blockIdx.x / tiles, tile = blockIdx.x % tiles;
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const u32 deal_block = tile * TILE_DEALS / BLOCK_DEALS;
    const u32 first_word = (tile * TILE_DEALS - deal_block * BLOCK_DEALS) / 32;
    u32* const target =
        out + (static_cast<u64>(deal_block) * 4 + row) * columns * BLOCK_WORDS + first_word + lane;

    u32 half[WORDS_A_WARP];
    u32 loaded_half = ~0u;
    for (u32 start = 0; start < columns; start += WARP) {
        const u32 size = min(WARP, columns - start);
        const u32 own_half = lane < size ? __ldg(column_half + start + lane) : 0;
        const u32 test = lane < size ? __ldg(column_test + start + lane) : 0;
        const u32 low = test >> 8 & 255u, high = low + (test & 255u);
        u32 mine[WORDS_A_WARP] = {};
        u32 waiting = size == WARP ? ALL_LANES : lanes_below(size);
        while (waiting != 0) {
            // all columns of the first value that waits
            const u32 first = __ffs(waiting) - 1;
            const u32 wanted = __shfl_sync(ALL_LANES, own_half, first);
            const u32 value = __shfl_sync(ALL_LANES, test >> 16, first);
            const bool is_mine = own_half == wanted && test >> 16 == value;
            waiting &= ~__ballot_sync(ALL_LANES, is_mine);
            if (wanted != loaded_half) {
                loaded_half = wanted;
                const u64 from = (static_cast<u64>(row) * words + wanted / 2) * count;
#pragma unroll
                for (u32 word = 0; word < WORDS_A_WARP; ++word) {
                    const u32 place = place_of(tile, word, warp, lane);
                    half[word] =
                        place < count ? __ldg(halves + (from + place) * 2 + wanted % 2) : 0;
                }
            }
            if ((value & 255u) == 1) {
#pragma unroll
                for (u32 word = 0; word < WORDS_A_WARP; ++word) {
                    const u32 ones = __ballot_sync(ALL_LANES, half[word] >> (value >> 8) & 1u);
                    if (is_mine) mine[word] = low ? ones : ~ones;
                }
                continue;
            }
            u32 at_least[WORDS_A_WARP], above[WORDS_A_WARP];
#pragma unroll
            for (u32 word = 0; word < WORDS_A_WARP; ++word)
                at_least[word] = ALL_LANES, above[word] = 0;
#pragma unroll
            for (u32 bit = 0; bit < LANE_BITS; ++bit) {
                const u32 in_low = 0u - (low >> bit & 1u), in_high = 0u - (high >> bit & 1u);
                const u32 place = 1u << ((value >> 8) + bit);
#pragma unroll
                for (u32 word = 0; word < WORDS_A_WARP; ++word) {
                    const u32 ones = __ballot_sync(ALL_LANES, (half[word] & place) != 0);
                    at_least[word] = (ones & (at_least[word] | ~in_low)) | (at_least[word] & ~in_low);
                    above[word] = (ones & (above[word] | ~in_high)) | (above[word] & ~in_high);
                }
            }
#pragma unroll
            for (u32 word = 0; word < WORDS_A_WARP; ++word)
                if (is_mine) mine[word] = at_least[word] & ~above[word];
        }
        // through shared memory: a warp writes 32 words of a column side by side
#pragma unroll
        for (u32 word = 0; word < WORDS_A_WARP; ++word)
            stage[lane][word * TILE_WARPS + warp] =
                mine[word] & existing(tile * TILE_WORDS + word * TILE_WARPS + warp, count);
        __syncthreads();
        for (u32 number = warp; number < size; number += TILE_WARPS)
            target[static_cast<u64>(start + number) * BLOCK_WORDS] = stage[number][lane];
        __syncthreads();
    }
}

// AND of some columns of a row, for one word of deals.
__device__ __forceinline__ u32 all_of(
    const u32* __restrict__ row_columns, u32 word, const u32* __restrict__ box_columns, u32 start,
    u32 end, u32 bits) {
    for (u32 at = start; at < end; ++at)
        bits &= __ldg(row_columns + static_cast<u64>(__ldg(box_columns + at)) * BLOCK_WORDS + word);
    return bits;
}

__device__ __forceinline__ const u32* row_of(
    const u32* columns_of_all, u32 columns, u32 row, u32 word) {
    return columns_of_all +
           (static_cast<u64>(word / BLOCK_WORDS) * 4 + row) * columns * BLOCK_WORDS;
}

// Bit columns of sets of boxes on all four rows: out [sets][4][out_words].
//
//   set_offsets  [sets + 1] into box numbers; a set without a box holds never
//   box_offsets  [boxes + 1] into box_columns; a box without a column holds always
extern "C" __global__ void __launch_bounds__(256) combine_boxes(
    const u32* __restrict__ columns_of_all, u32 columns, u32 count,
    const u32* __restrict__ set_offsets, u32 sets, const u32* __restrict__ box_offsets,
    const u32* __restrict__ box_columns, u32 out_words, u32* __restrict__ out) {
    const u64 number = thread_number();
    if (number >= 4ull * sets * out_words) return;
    const u32 word = static_cast<u32>(number % out_words);
    const u32 row = static_cast<u32>(number / out_words % 4);
    const u32 set = static_cast<u32>(number / out_words / 4);
    const u32 exist = existing(word, count);
    u32 bits = 0;
    if (exist != 0) {
        const u32* const from = row_of(columns_of_all, columns, row, word);
        const u32 end = __ldg(set_offsets + set + 1);
        for (u32 box = __ldg(set_offsets + set); box < end; ++box)
            bits |= all_of(from, word % BLOCK_WORDS, box_columns, __ldg(box_offsets + box),
                           __ldg(box_offsets + box + 1), exist);
    }
    out[number] = bits;
}

// The deals that reach some nodes: out [nodes][out_words]. Parents stand before their children; a
// thread works one word out for all of them.
//
//   parents  [nodes] row of the parent, -1 for all deals
extern "C" __global__ void __launch_bounds__(256, 4) member_bits(
    const u32* __restrict__ columns_of_all, u32 columns, u32 count, u32 nodes,
    const i32* __restrict__ parents, const u8* __restrict__ seats,
    const u32* __restrict__ set_offsets, const u32* __restrict__ box_offsets,
    const u32* __restrict__ box_columns, u32 out_words, u32* out) {
    const u64 word = thread_number();
    if (word >= out_words) return;
    const u32 place = static_cast<u32>(word);
    const u32 exist = existing(place, count);
    for (u32 node = 0; node < nodes; ++node) {
        const i32 parent = __ldg(parents + node);
        const u32 above = parent < 0 ? exist : out[static_cast<u64>(parent) * out_words + word];
        u32 bits = 0;
        if (above != 0) {
            const u32* const from = row_of(columns_of_all, columns, __ldg(seats + node), place);
            const u32 end = __ldg(set_offsets + node + 1);
            for (u32 box = __ldg(set_offsets + node); box < end; ++box)
                bits |= all_of(from, place % BLOCK_WORDS, box_columns, __ldg(box_offsets + box),
                               __ldg(box_offsets + box + 1), above);
        }
        out[static_cast<u64>(node) * out_words + word] = bits;
    }
}

// Copies rows: target [rows][words].
extern "C" __global__ void __launch_bounds__(256) gather_rows(
    const u32* __restrict__ source, const u32* __restrict__ rows, u32 row_count, u32 words,
    u32* __restrict__ target) {
    const u64 number = thread_number();
    if (number >= static_cast<u64>(row_count) * words) return;
    const u64 row = __ldg(rows + number / words);
    target[number] = source[row * words + number % words];
}
