// Boxes against packed words; ../core/boxes.hpp says what these are.
#pragma once
#include "../../core/tables/boxes.hpp"
#include "../device.cuh"

constexpr u32 WORDS = LANE_WORDS + FLAG_WORDS;
constexpr u32 BOX_WORDS = 2 * WORDS;

// A node's test, as cuda's host code packs it: number of a box or of a set of boxes, the seat whose
// hand is tested (dealer = 0), and whether the number is of a set.
constexpr u32 TEST_NUMBER = (1u << 28) - 1u;
constexpr u32 TEST_SEAT_SHIFT = 28;
constexpr u32 TEST_MULTIPLE = 1u << 30;

__device__ __forceinline__ u32 test_seat(u32 test) { return test >> TEST_SEAT_SHIFT & 3u; }

// Whether words that lie `stride` apart pass the box at `row`.
__device__ __forceinline__ bool passes(const u64* words, u32 stride, const u64* __restrict__ row) {
#pragma unroll
    for (u32 word = 0; word < LANE_WORDS; ++word) {
        const u64 low = __ldg(row + word);
        const u64 high = __ldg(row + LANE_WORDS + word);
        if (!lanes_inside(words[word * stride], low, high)) return false;
    }
#pragma unroll
    for (u32 word = 0; word < FLAG_WORDS; ++word) {
        const u64 mask = __ldg(row + 2 * LANE_WORDS + word);
        const u64 need = __ldg(row + 2 * LANE_WORDS + FLAG_WORDS + word);
        if ((words[(LANE_WORDS + word) * stride] & mask) != need) return false;
    }
    return true;
}

// The tables that tests are looked up in.
struct Boxes {
    const u64* __restrict__ rows;         // [boxes][BOX_WORDS]
    const u32* __restrict__ set_offsets;  // [sets + 1] into set_boxes
    const u32* __restrict__ set_boxes;
};

// Words of a thread's deal, all four rows of them.
struct DealWords {
    const u64* words;
    u32 stride;  // from word to word

    __device__ __forceinline__ const u64* row(u32 seat) const {
        return words + seat * WORDS * stride;
    }
};

// Takes the words of the deal at a place from features [4][WORDS][count]. With `staged` they go to
// shared memory, a column for each thread: a row is chosen by number, which registers cannot be.
// Hands of very many words stay where they are.
__device__ __forceinline__ DealWords words_of_deal(
    u64* shared, const u64* __restrict__ features, u32 count, u32 place, u32 staged) {
    if (!staged) return {features + place, count};
    u64* const own = shared + threadIdx.x;
#pragma unroll
    for (u32 word = 0; word < 4 * WORDS; ++word)
        own[word * blockDim.x] = __ldg(features + static_cast<u64>(word) * count + place);
    return {own, blockDim.x};
}

// Whether words pass a test: its box, or any box of its set.
__device__ __forceinline__ bool passes_test(
    const u64* words, u32 stride, u32 test, const Boxes& boxes) {
    const u32 number = test & TEST_NUMBER;
    if (!(test & TEST_MULTIPLE))
        return passes(words, stride, boxes.rows + static_cast<u64>(number) * BOX_WORDS);
    const u32 end = __ldg(boxes.set_offsets + number + 1);
    for (u32 place = __ldg(boxes.set_offsets + number); place < end; ++place) {
        const u64 box = __ldg(boxes.set_boxes + place);
        if (passes(words, stride, boxes.rows + box * BOX_WORDS)) return true;
    }
    return false;
}
