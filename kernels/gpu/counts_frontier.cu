// Counts, variant "frontier": all pairs (node, place of a deal) of a level at once.
//
// A level's pairs are expanded to tests, one for each child of the pair's node; a thread finds its
// test's pair by search in the running sums of the children's numbers. What holds is counted, and
// appended to the next level's pairs if there is anything below it, with one atomic a block.
#include "box.cuh"
#include "nodes.cuh"

constexpr u32 THREADS = 256;
constexpr u32 TESTS_A_THREAD = 4;
constexpr u32 TILE_TESTS = THREADS * TESTS_A_THREAD;

// The first level: the node above all (its number is `root`) with every deal.
extern "C" __global__ void __launch_bounds__(THREADS) frontier_start(
    u32 root, u32 count, u32* __restrict__ pair_nodes, u32* __restrict__ pair_places) {
    const u64 number = thread_number();
    if (number >= count) return;
    pair_nodes[number] = root;
    pair_places[number] = static_cast<u32>(number);
}

// How many children each pair has: sizes [pairs].
extern "C" __global__ void __launch_bounds__(THREADS) frontier_sizes(
    const u32* __restrict__ pair_nodes, u64 pairs, const u32* __restrict__ child_offsets,
    u64* __restrict__ sizes) {
    const u64 number = thread_number();
    if (number >= pairs) return;
    const u32 node = pair_nodes[number];
    sizes[number] = __ldg(child_offsets + node + 1) - __ldg(child_offsets + node);
}

// Last pair of [low, high) whose start is not behind `test`.
__device__ __forceinline__ u64 pair_of(const u64* __restrict__ starts, u64 low, u64 high, u64 test) {
    while (high - low > 1) {
        const u64 middle = low + (high - low) / 2;
        if (__ldg(starts + middle) <= test) low = middle;
        else high = middle;
    }
    return low;
}

// Makes the tests of a level.
//
//   starts   [pairs] number of each pair's first test; tests of them in all
//   found    how many pairs the next level has, zero before; pairs beyond `room` are counted, not
//            written
extern "C" __global__ void __launch_bounds__(THREADS) frontier_expand(
    const u32* __restrict__ pair_nodes, const u32* __restrict__ pair_places, u64 pairs,
    const u64* __restrict__ starts, u64 tests, const u32* __restrict__ child_offsets,
    const u32* __restrict__ children, const uint4* __restrict__ nodes,
    const u64* __restrict__ features, u32 deal_count, const u64* __restrict__ box_rows,
    const u32* __restrict__ set_offsets, const u32* __restrict__ set_boxes,
    u32* __restrict__ next_nodes, u32* __restrict__ next_places, u64 room,
    u64* __restrict__ found, u64* __restrict__ counts) {
    __shared__ u32 warp_found[THREADS / WARP];
    __shared__ u64 block_start;
    __shared__ u64 reach[2];
    const Boxes boxes = {box_rows, set_offsets, set_boxes};
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const u64 first_test = static_cast<u64>(blockIdx.x) * TILE_TESTS;
    // the pairs of this block's tests, once for all its threads
    if (threadIdx.x < 2) {
        const u64 last_test = min(first_test + TILE_TESTS, tests) - 1;
        reach[threadIdx.x] = pair_of(starts, 0, pairs, threadIdx.x == 0 ? first_test : last_test);
    }
    __syncthreads();
    const u64 low = reach[0], high = reach[1] + 1;

    for (u32 round = 0; round < TESTS_A_THREAD; ++round) {
        const u64 test = first_test + round * THREADS + threadIdx.x;
        bool holds = false, goes_on = false;
        u32 node = 0, place = 0;
        if (test < tests) {
            const u64 pair = pair_of(starts, low, high, test);
            const u32 step = static_cast<u32>(test - __ldg(starts + pair));
            node = __ldg(children + __ldg(child_offsets + pair_nodes[pair]) + step);
            place = pair_places[pair];
            const u32 wanted = __ldg(&nodes[node].x);
            const u64* const words =
                features + static_cast<u64>(node_seat({wanted, 0, 0, 0})) * WORDS * deal_count;
            holds = passes_test(words + place, deal_count, wanted, boxes);
            goes_on = holds && __ldg(child_offsets + node + 1) != __ldg(child_offsets + node);
        }
        // neighbours often hold the same node: one addition for all of them
        const u32 like = __match_any_sync(ALL_LANES, holds ? node : ALL_LANES);
        if (holds && (like & lanes_below(lane)) == 0)
            atomicAdd(counts + node, static_cast<u64>(__popc(like)));

        const u32 going = __ballot_sync(ALL_LANES, goes_on);
        if (lane == 0) warp_found[warp] = __popc(going);
        __syncthreads();
        if (threadIdx.x == 0) {
            u32 sum = 0;
            for (u32 other = 0; other < THREADS / WARP; ++other) {
                const u32 own = warp_found[other];
                warp_found[other] = sum;
                sum += own;
            }
            block_start = sum == 0 ? 0 : atomicAdd(found, static_cast<u64>(sum));
        }
        __syncthreads();
        if (goes_on) {
            const u64 at = block_start + warp_found[warp] + __popc(going & lanes_below(lane));
            if (at < room) {
                next_nodes[at] = node;
                next_places[at] = place;
            }
        }
        __syncthreads();  // before the next round writes its numbers
    }
}
