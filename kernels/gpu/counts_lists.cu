// Counts, variant "lists": a warp walks a run of nodes for a block of deals, on lists of deals.
//
// The block's packed words lie in shared memory. A node's list is what its parent's list has left
// after the box, kept in order by ballot. Lists of a path stand one behind the other: in the warp's
// part of shared memory as long as there is room, behind that in its part of `spill`.
#include "box.cuh"
#include "nodes.cuh"

constexpr u32 BLOCK_DEALS = DEALS_A_BLOCK;
constexpr u32 LIST_ROOM = LIST_PLACES;
constexpr u32 SPILLED = 1u << 31;  // of a list's place: it lies in global memory

struct Lists {
    u16* near;  // LIST_ROOM deals of the warp in shared memory
    u16* far;   // LEVELS * BLOCK_DEALS deals of the warp in global memory

    __device__ __forceinline__ u16* at(u32 place) const {
        return place & SPILLED ? far + (place & ~SPILLED) : near + place;
    }
};

// Writes the deals of a list that pass a node's test behind one another; returns how many.
__device__ __forceinline__ u32 filter(
    const u16* source, u32 size, u16* target, const u64* words, const uint4& node,
    const Boxes& boxes, u32 lane) {
    const u64* const row = words + node_seat(node) * WORDS * BLOCK_DEALS;
    u32 kept = 0;
    for (u32 start = 0; start < size; start += WARP) {
        const bool exists = start + lane < size;
        const u32 deal = exists ? source[start + lane] : 0;
        const bool holds = exists && passes_test(row + deal, BLOCK_DEALS, node.x, boxes);
        const u32 holding = __ballot_sync(ALL_LANES, holds);
        __syncwarp();  // all have read, should the list be written in place
        if (holds) target[kept + __popc(holding & lanes_below(lane))] = static_cast<u16>(deal);
        kept += __popc(holding);
    }
    __syncwarp();
    return kept;
}

// Raises counts[k - first_node] by the number of deals that reach node k.
//
//   features  [4][WORDS][deal_count]
//   spill     [blocks of threads][warps][LEVELS * BLOCK_DEALS]
//
// Shared memory: words [4][WORDS][BLOCK_DEALS], then LIST_ROOM deals for each warp.
extern "C" __global__ void count_lists(
    const u64* __restrict__ features, const u64* __restrict__ box_rows,
    const u32* __restrict__ set_offsets, const u32* __restrict__ set_boxes,
    const uint4* __restrict__ nodes, u32 first_node, const uint2* __restrict__ runs,
    const u32* __restrict__ path_offsets, const uint4* __restrict__ path, u32 item_count,
    u32 deal_count, u32 splits, u16* spill, u64* __restrict__ counts) {
    DYNAMIC_SHARED(shared);
    __shared__ u32 cursor;
    u64* const words = reinterpret_cast<u64*>(shared);
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const Boxes boxes = {box_rows, set_offsets, set_boxes};
    const Lists lists = {
        reinterpret_cast<u16*>(words + 4 * WORDS * BLOCK_DEALS) + warp * LIST_ROOM,
        spill + (static_cast<u64>(blockIdx.x) * warps + warp) * LEVELS * BLOCK_DEALS};
    const u32 shares = (deal_count + BLOCK_DEALS - 1) / BLOCK_DEALS * splits;

    // lists that the walk comes back to, and where the next one could stand, by level
    u32 place_at[LEVELS], size_at[LEVELS], end_at[LEVELS], near_at[LEVELS], far_at[LEVELS];

    for (u32 share = blockIdx.x; share < shares; share += gridDim.x) {
        const u32 first_deal = share / splits * BLOCK_DEALS, split = share % splits;
        const u32 deals = min(BLOCK_DEALS, deal_count - first_deal);
        const u32 end_item = static_cast<u32>(static_cast<u64>(item_count) * (split + 1) / splits);
        __syncthreads();  // the share before is done with
        if (threadIdx.x == 0)
            cursor = static_cast<u32>(static_cast<u64>(item_count) * split / splits);
        for (u32 row = 0; row < 4 * WORDS; ++row)
            for (u32 deal = threadIdx.x; deal < deals; deal += blockDim.x)
                words[row * BLOCK_DEALS + deal] =
                    __ldg(features + static_cast<u64>(row) * deal_count + first_deal + deal);
        __syncthreads();

        for (;;) {
            const u32 item = next_number(&cursor, lane);
            if (item >= end_item) break;
            // a list takes its parent's size at most, so there is room for it near or far
            u32 place = LIST_ROOM >= BLOCK_DEALS ? 0 : SPILLED;
            u32 size = deals;
            for (u32 deal = lane; deal < deals; deal += WARP)
                lists.at(place)[deal] = static_cast<u16>(deal);
            __syncwarp();
            const u32 path_end = __ldg(path_offsets + item + 1);
            for (u32 step = __ldg(path_offsets + item); step < path_end && size != 0; ++step) {
                // in place: what is written stands before what is read next
                const uint4 node = __ldg(path + step);
                size = filter(lists.at(place), size, lists.at(place), words, node, boxes, lane);
            }
            if (size == 0) continue;

            const uint2 run = __ldg(runs + item);
            u32 k = run.x, end = run.y, level = 0;
            u32 near_end = place & SPILLED ? 0 : size;
            u32 far_end = place & SPILLED ? size : 0;
            for (;;) {
                while (k == end && level > 0) {
                    --level;
                    place = place_at[level];
                    size = size_at[level];
                    end = end_at[level];
                    near_end = near_at[level];
                    far_end = far_at[level];
                }
                if (k == end) break;
                const uint4 node = __ldg(nodes + (k - first_node));
                const u32 target = near_end + size <= LIST_ROOM ? near_end : SPILLED | far_end;
                const u32 left =
                    filter(lists.at(place), size, lists.at(target), words, node, boxes, lane);
                if (left == 0) {
                    k = min(node.y, end);
                    continue;
                }
                if (lane == 0) atomicAdd(counts + (k - first_node), static_cast<u64>(left));
                ++k;
                const u32 below = min(node.y, end);
                if (k == below) continue;
                place_at[level] = place;
                size_at[level] = size;
                end_at[level] = end;
                near_at[level] = near_end;
                far_at[level] = far_end;
                place = target;
                size = left;
                end = below;
                ++level;
                if (place & SPILLED) far_end += size;
                else near_end += size;
            }
        }
    }
}
