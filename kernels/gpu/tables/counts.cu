// Counts: a warp walks a run of nodes for a block of deals, all on bit columns.
//
//   while many deals are left   a set is BLOCK_WORDS words, WORDS_A_LANE in each lane's registers;
//                               a child's set is the AND of its parent's and its box's columns
//   when 32 or fewer are left   every lane takes one deal and stays with it; a set is one word, a
//                               lane tests its deal's bit in each column
//
// Sets that the walk comes back to lie in local memory, lane beside lane; leaves store nothing.
//
// Nodes that hold always are left out (they hold where the node above does), the others stand depth
// first, so a walk needs no more than where to go on.
//
//   node k: x  seat whose hand is tested (NODE_SEAT_SHIFT), NODE_MULTIPLE, NODE_NEAR
//           y  fail: the next node that is not below k; k + 1 is its first child if that is not fail
//           near       up to five columns of 16 bits, the first in x, and how many in x from bit 16
//           otherwise  z first, w count: columns of its box in `tests`; for a set of boxes, its spans
//
// Nodes come in windows: `nodes` holds first_node .. of them. The top of a window are the nodes with
// many below them, and what is above the window; `walk_top` walks them once for a block of deals. A
// warp's share of the rest is an item, a run of nodes with the same top node right above.
//
//   sets       [deal blocks][1 + top_count][BLOCK_WORDS] all deals, then those that reach each top node
//   sizes      [deal blocks][1 + top_count]              how many these are
//   item_sets  [item_count]                              the set that each item starts from
//   live       [deal blocks][item_count]                 items whose set is not empty, in any order
//   live_counts [deal blocks]                            how many these are
#include "../device.cuh"

constexpr u32 NODE_SEAT_SHIFT = 28;
constexpr u32 NODE_MULTIPLE = 1u << 30;
constexpr u32 NODE_NEAR = 1u << 31;
constexpr u32 BLOCK_WORDS = WARP * WORDS_A_LANE;
constexpr u32 BLOCK_DEALS = 32 * BLOCK_WORDS;
constexpr u32 WARPS = 8;
constexpr u32 TOP_WARPS = 16;
constexpr u32 NOT_COUNTED = 0xFFFFFFFFu;

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

// The words that a lane keeps of a set stand side by side, so that one load brings them.
struct alignas(4 * WORDS_A_LANE) LaneWords {
    u32 word[WORDS_A_LANE];
};

// The columns of a block of deals: [row][column][BLOCK_WORDS].
struct BlockColumns {
    const u32* __restrict__ words;
    u64 row_words;
    const u32* __restrict__ tests;      // column numbers, box after box
    const uint2* __restrict__ spans;    // of the boxes in sets: first, count in `tests`

    __device__ __forceinline__ const u32* row(const uint4& node) const {
        return words + (node.x >> NODE_SEAT_SHIFT & 3u) * row_words;
    }
};

// Hands on the numbers tests [first, first + count); the whole warp asks at once.
template <class Use>
__device__ __forceinline__ void each_of(
    const u32* __restrict__ tests, u32 first, u32 count, u32 lane, Use use) {
    for (u32 start = 0; start < count; start += WARP) {
        const u32 size = min(WARP, count - start);
        // all numbers with one load; what follows does not wait for each of them in turn
        const u32 mine = lane < size ? __ldg(tests + first + start + lane) : 0;
#pragma unroll 4
        for (u32 number = 0; number < size; ++number)
            use(__shfl_sync(ALL_LANES, mine, number));
    }
}

// Hands on the columns of a node's only box.
template <class Use>
__device__ __forceinline__ void each_column(
    const uint4& node, const BlockColumns& columns, u32 lane, Use use) {
    if (!(node.x & NODE_NEAR)) {
        each_of(columns.tests, node.z, node.w, lane, use);
        return;
    }
    const u32 count = node.x >> 16 & 7u;
    use(node.x & 0xFFFFu);
    if (count > 1) use(node.z & 0xFFFFu);
    if (count > 2) use(node.z >> 16);
    if (count > 3) use(node.w & 0xFFFFu);
    if (count > 4) use(node.w >> 16);
}

// bits &= a column of a row.
struct AndColumn {
    u32 (&bits)[WORDS_A_LANE];
    const u32* row;
    u32 lane;

    __device__ __forceinline__ void operator()(u32 column) const {
        // 32 bits hold any place in a row; the host checks the number of columns
        const LaneWords found = *reinterpret_cast<const LaneWords*>(
            row + (column * BLOCK_WORDS + lane * WORDS_A_LANE));
#pragma unroll
        for (u32 word = 0; word < WORDS_A_LANE; ++word) bits[word] &= found.word[word];
    }
};

// The deals of `parent` for which a node's test holds.
__device__ __forceinline__ void test_bits(
    u32 (&bits)[WORDS_A_LANE], const u32 (&parent)[WORDS_A_LANE], const uint4& node,
    const BlockColumns& columns, u32 lane) {
    const u32* const row = columns.row(node);
    if (!(node.x & NODE_MULTIPLE)) {
#pragma unroll
        for (u32 word = 0; word < WORDS_A_LANE; ++word) bits[word] = parent[word];
        each_column(node, columns, lane, AndColumn{bits, row, lane});
        return;
    }
#pragma unroll
    for (u32 word = 0; word < WORDS_A_LANE; ++word) bits[word] = 0;
    for (u32 box = 0; box < node.w; ++box) {
        const uint2 span = __ldg(columns.spans + node.z + box);
        u32 some[WORDS_A_LANE];
#pragma unroll
        for (u32 word = 0; word < WORDS_A_LANE; ++word) some[word] = parent[word];
        each_of(columns.tests, span.x, span.y, lane, AndColumn{some, row, lane});
#pragma unroll
        for (u32 word = 0; word < WORDS_A_LANE; ++word) bits[word] |= some[word];
    }
}

// Lanes of `parent` for whose deal a node's test holds.
__device__ __forceinline__ u32 test_lanes(
    u32 parent, u32 deal, const uint4& node, const BlockColumns& columns, u32 lane) {
    const u32* const row = columns.row(node) + deal / 32;
    u32 holds = 0, bits = ALL_LANES;
    const auto and_word = [&](u32 column) { bits &= __ldg(row + column * BLOCK_WORDS); };
    if (!(node.x & NODE_MULTIPLE)) {
        each_column(node, columns, lane, and_word);
        holds = bits;
    } else {
        for (u32 box = 0; box < node.w; ++box) {
            const uint2 span = __ldg(columns.spans + node.z + box);
            bits = ALL_LANES;
            each_of(columns.tests, span.x, span.y, lane, and_word);
            holds |= bits;
        }
    }
    return __ballot_sync(ALL_LANES, holds >> (deal % 32) & 1u) & parent;
}

__device__ __forceinline__ u32 size_of(const u32 (&bits)[WORDS_A_LANE]) {
    u32 size = 0;
#pragma unroll
    for (u32 word = 0; word < WORDS_A_LANE; ++word) size += __popc(bits[word]);
    return warp_sum(size);
}

// Gives each of at most 32 deals of a set a lane; returns this lane's deal (0 for none).
__device__ __forceinline__ u32 deal_of_lane(
    const u32 (&bits)[WORDS_A_LANE], u32 size, u32* places, u32 lane) {
    u32 own = 0;
#pragma unroll
    for (u32 word = 0; word < WORDS_A_LANE; ++word) own += __popc(bits[word]);
    u32 rank = sum_below(own, lane);
#pragma unroll
    for (u32 word = 0; word < WORDS_A_LANE; ++word) {
        u32 rest = bits[word];
        while (rest != 0) {
            places[rank++] = (lane * WORDS_A_LANE + word) * 32 + __ffs(rest) - 1;
            rest &= rest - 1;
        }
    }
    __syncwarp();
    const u32 deal = lane < size ? places[lane] : 0;
    __syncwarp();
    return deal;
}

// Where the sets of a block of deals start.
__device__ __forceinline__ u64 first_set(u32 deal_block, u32 top_count) {
    return static_cast<u64>(deal_block) * (1 + top_count);
}

// Walks the top for a block of deals, level by level, and raises counts by the deals that reach it.
//
//   tops        [top_count] by level: nodes as above, but y is the set of the node above
//   top_places  [top_count] which of `counts` is raised; none of them for what is above the window
//   level_ends  [levels]    in `tops`
extern "C" __global__ void __launch_bounds__(TOP_WARPS* WARP, 2) walk_top(
    const u32* __restrict__ columns_of_all, u32 column_count, const u32* __restrict__ tests,
    const uint2* __restrict__ spans, const uint4* __restrict__ tops,
    const u32* __restrict__ top_places, u32 top_count, const u32* __restrict__ level_ends,
    u32 levels, const u32* __restrict__ item_sets, u32 item_count, u32 deal_count, u32* sets,
    u32* sizes, u32* __restrict__ live, u32* __restrict__ live_counts, u64* __restrict__ counts) {
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const u32 deal_block = blockIdx.x;
    const u64 row_words = static_cast<u64>(column_count) * BLOCK_WORDS;
    const BlockColumns columns = {
        columns_of_all + deal_block * 4 * row_words, row_words, tests, spans};
    sizes += first_set(deal_block, top_count);
    LaneWords* const own =
        reinterpret_cast<LaneWords*>(sets) + first_set(deal_block, top_count) * WARP + lane;

    if (warp == 0) {
        const u32 deals = min(BLOCK_DEALS, deal_count - deal_block * BLOCK_DEALS);
        LaneWords all;
#pragma unroll
        for (u32 word = 0; word < WORDS_A_LANE; ++word) {
            const u32 start = (lane * WORDS_A_LANE + word) * 32;
            all.word[word] = start + 32 <= deals ? ALL_LANES
                             : start < deals     ? (1u << (deals - start)) - 1u
                                                 : 0u;
        }
        own[0] = all;
        if (lane == 0) {
            sizes[0] = deals;
            live_counts[deal_block] = 0;
        }
    }
    __syncthreads();

    u32 top = warp;
    for (u32 level = 0; level < levels; ++level) {
        const u32 end = __ldg(level_ends + level);
        for (; top < end; top += TOP_WARPS) {
            const uint4 node = __ldg(tops + top);
            u32 left = 0;
            if (sizes[node.y] != 0) {
                const LaneWords parent = own[node.y * WARP];
                LaneWords set;
                test_bits(set.word, parent.word, node, columns, lane);
                left = size_of(set.word);
                if (left != 0) own[(1 + top) * WARP] = set;
            }
            if (lane != 0) continue;
            sizes[1 + top] = left;
            const u32 place = __ldg(top_places + top);
            if (left != 0 && place != NOT_COUNTED)
                atomicAdd(counts + place, static_cast<u64>(left));
        }
        __syncthreads();
    }

    for (u32 first = warp * WARP; first < item_count; first += TOP_WARPS * WARP) {
        const u32 item = first + lane;
        const bool is_live = item < item_count && sizes[__ldg(item_sets + item)] != 0;
        const u32 lanes = __ballot_sync(ALL_LANES, is_live);
        u32 start = 0;
        if (lane == 0)
            start = atomicAdd(live_counts + deal_block, static_cast<u32>(__popc(lanes)));
        start = __shfl_sync(ALL_LANES, start, 0);
        if (is_live)
            live[static_cast<u64>(deal_block) * item_count + start +
                 __popc(lanes & lanes_below(lane))] = item;
    }
}

// Raises counts[k - first_node] by the number of deals that reach node k.
//
//   columns     [deal blocks][4][column_count][BLOCK_WORDS]
//   splits      blocks of threads that share a block of deals; each takes a part of the live items
extern "C" __global__ void __launch_bounds__(WARPS* WARP, 4) count_nodes(
    const u32* __restrict__ columns_of_all, u32 column_count, const u32* __restrict__ tests,
    const uint2* __restrict__ spans, const uint4* __restrict__ nodes, u32 first_node,
    const uint2* __restrict__ runs, const u32* __restrict__ item_sets, u32 item_count,
    const u32* __restrict__ sets, const u32* __restrict__ sizes, u32 top_count,
    const u32* __restrict__ live, const u32* __restrict__ live_counts, u32 splits,
    u64* __restrict__ counts) {
    __shared__ u32 cursor;
    __shared__ u32 places[WARPS][WARP];
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const u32 deal_block = blockIdx.x / splits, split = blockIdx.x % splits;
    const u64 live_count = __ldg(live_counts + deal_block);
    const u32 end_live = static_cast<u32>(live_count * (split + 1) / splits);
    if (threadIdx.x == 0) cursor = static_cast<u32>(live_count * split / splits);
    __syncthreads();

    const u64 row_words = static_cast<u64>(column_count) * BLOCK_WORDS;
    const BlockColumns columns = {
        columns_of_all + deal_block * 4 * row_words, row_words, tests, spans};

    // what the walk comes back to, by level
    u32 set_at[LEVELS][WORDS_A_LANE];
    u32 end_at[LEVELS];

    for (;;) {
        const u32 number = next_number(&cursor, lane);
        if (number >= end_live) return;
        const u32 item = __ldg(live + (static_cast<u64>(deal_block) * item_count + number));
        const u64 place = first_set(deal_block, top_count) + __ldg(item_sets + item);
        const u32 size = __ldg(sizes + place);
        const LaneWords start =
            reinterpret_cast<const LaneWords*>(sets)[place * WARP + lane];
        u32 set[WORDS_A_LANE];  // the parent's; in lanes only set[0] counts
#pragma unroll
        for (u32 word = 0; word < WORDS_A_LANE; ++word) set[word] = start.word[word];
        u32 deal = 0;
        u32 level = 0;
        u32 lanes_from = LEVELS;  // levels from here on are sets of lanes
        const uint2 run = __ldg(runs + item);
        u32 k = run.x, end = run.y;
        if (size <= WARP) {
            deal = deal_of_lane(set, size, places[warp], lane);
            set[0] = size == WARP ? ALL_LANES : lanes_below(size);
            lanes_from = 0;
        }
        for (;;) {
            while (k == end && level > 0) {
                --level;
                end = end_at[level];
                if (level < lanes_from) lanes_from = LEVELS;
#pragma unroll
                for (u32 word = 0; word < WORDS_A_LANE; ++word) set[word] = set_at[level][word];
            }
            if (k == end) break;
            const uint4 node = __ldg(nodes + (k - first_node));
            u32 bits[WORDS_A_LANE];
            u32 left;
            if (level >= lanes_from) {
                bits[0] = test_lanes(set[0], deal, node, columns, lane);
#pragma unroll
                for (u32 word = 1; word < WORDS_A_LANE; ++word) bits[word] = 0;
                left = __popc(bits[0]);
            } else {
                test_bits(bits, set, node, columns, lane);
                left = size_of(bits);
            }
            if (left == 0) {
                k = node.y;
                continue;
            }
            if (lane == 0) atomicAdd(counts + (k - first_node), static_cast<u64>(left));
            ++k;
            if (k == node.y) continue;
#pragma unroll
            for (u32 word = 0; word < WORDS_A_LANE; ++word) {
                set_at[level][word] = set[word];
                set[word] = bits[word];
            }
            end_at[level] = end;
            end = node.y;
            ++level;
            if (level < lanes_from && left <= WARP) {
                deal = deal_of_lane(set, left, places[warp], lane);
                set[0] = left == WARP ? ALL_LANES : lanes_below(left);
                lanes_from = level;
            }
        }
    }
}
