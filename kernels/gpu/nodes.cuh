// The trie as the cascades take it: nodes that hold always are left out (they hold where the node
// above does), the others stand depth first, so a walk needs no more than where to go on.
//
//   node k: x  test (see TEST_* in box.cuh)
//           y  fail: the next node that is not below k; k + 1 is its first child if that is not fail
//           z  first, w  count: columns of its box in `tests`; for a set of boxes, its spans
//
// Nodes come in windows: `nodes` holds first_node .. of them. A warp's share of a window is an item, a
// run of nodes whose ancestors outside the run are the same ones, its path.
#pragma once
#include "device.cuh"

constexpr u32 NODE_SEAT_SHIFT = 28;
constexpr u32 NODE_MULTIPLE = 1u << 30;

__device__ __forceinline__ u32 node_seat(const uint4& node) {
    return node.x >> NODE_SEAT_SHIFT & 3u;
}

__device__ __forceinline__ u32 warp_sum(u32 value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, value);
#else
#pragma unroll
    for (u32 step = WARP / 2; step > 0; step /= 2) value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
#endif
}

// Sum of the values of the lanes below.
__device__ __forceinline__ u32 sum_below(u32 value, u32 lane) {
    u32 sum = value;
#pragma unroll
    for (u32 step = 1; step < WARP; step *= 2) {
        const u32 below = __shfl_up_sync(ALL_LANES, sum, step);
        if (lane >= step) sum += below;
    }
    return sum - value;
}

// Gives the warps of a block one number after the other, each to one warp.
__device__ __forceinline__ u32 next_number(u32* cursor, u32 lane) {
    u32 number = 0;
    if (lane == 0) number = atomicAdd(cursor, 1u);
    return __shfl_sync(ALL_LANES, number, 0);
}
