// Running sums; and what counts of nodes say of all entries: their counts, or the list of them.
#include "device.cuh"

constexpr u32 THREADS = 256;
constexpr u32 SCAN_ITEMS = 4;
constexpr u32 SCAN_TILE = THREADS * SCAN_ITEMS;

// Running sums (of the values before) within tiles of SCAN_TILE, in place; sums [tiles] of each.
extern "C" __global__ void __launch_bounds__(THREADS) scan_tiles(
    u64* __restrict__ values, u64 count, u64* __restrict__ sums) {
    __shared__ u64 totals[THREADS];
    const u64 first = static_cast<u64>(blockIdx.x) * SCAN_TILE + threadIdx.x * SCAN_ITEMS;
    u64 own[SCAN_ITEMS];
    u64 total = 0;
#pragma unroll
    for (u32 item = 0; item < SCAN_ITEMS; ++item) {
        own[item] = first + item < count ? values[first + item] : 0;
        total += own[item];
    }
    totals[threadIdx.x] = total;
    __syncthreads();
    for (u32 step = 1; step < THREADS; step *= 2) {
        const u64 before = threadIdx.x >= step ? totals[threadIdx.x - step] : 0;
        __syncthreads();
        totals[threadIdx.x] += before;
        __syncthreads();
    }
    u64 running = totals[threadIdx.x] - total;
#pragma unroll
    for (u32 item = 0; item < SCAN_ITEMS; ++item) {
        if (first + item < count) values[first + item] = running;
        running += own[item];
    }
    if (threadIdx.x == THREADS - 1) sums[blockIdx.x] = totals[threadIdx.x];
}

// Adds each tile's start to its values.
extern "C" __global__ void __launch_bounds__(THREADS) scan_add(
    u64* __restrict__ values, u64 count, const u64* __restrict__ starts) {
    const u64 number = thread_number();
    if (number < count) values[number] += __ldg(starts + number / SCAN_TILE);
}

// Whether an entry's node was reached: `nodes` stands for always, what is behind it for never.
__device__ __forceinline__ bool is_reached(
    u32 entry, const u32* __restrict__ representative, const u64* __restrict__ counts, u32 nodes) {
    const u32 node = __ldg(representative + entry);
    return node == nodes || (node < nodes && __ldg(counts + node) != 0);
}

// An entry of a list; without a list all entries are listed, in order.
__device__ __forceinline__ u32 listed_entry(const u32* __restrict__ listed, u32 number) {
    return listed == nullptr ? number : __ldg(listed + number);
}

// Marks the listed entries that some counts reach: marks [listed_count] of 0 and 1.
extern "C" __global__ void __launch_bounds__(THREADS) mark_listed(
    const u32* __restrict__ listed, u32 listed_count, const u32* __restrict__ representative,
    const u64* __restrict__ counts, u32 nodes, u64* __restrict__ marks) {
    const u64 number = thread_number();
    if (number < listed_count)
        marks[number] = is_reached(
            listed_entry(listed, static_cast<u32>(number)), representative, counts, nodes);
}

// Writes the marked ones of them side by side; places [listed_count] are the marks' running sums,
// and what is at `room` or behind is left out.
extern "C" __global__ void __launch_bounds__(THREADS) write_listed(
    const u32* __restrict__ listed, u32 listed_count, const u32* __restrict__ representative,
    const u64* __restrict__ counts, u32 nodes, const u64* __restrict__ places, u64 room,
    u32* __restrict__ entries) {
    const u64 number = thread_number();
    if (number >= listed_count) return;
    const u32 entry = listed_entry(listed, static_cast<u32>(number));
    const u64 place = __ldg(places + number);
    if (place < room && is_reached(entry, representative, counts, nodes)) entries[place] = entry;
}

// Counts of listed entries: those of the nodes that stand for them; node `nodes` stands for all
// deals, and the one behind it for none.
extern "C" __global__ void __launch_bounds__(THREADS) spread_counts(
    const u32* __restrict__ listed, u32 listed_count, const u32* __restrict__ representative,
    const u64* __restrict__ counts, u32 nodes, u64 deals, u64* __restrict__ out) {
    const u64 number = thread_number();
    if (number >= listed_count) return;
    const u32 node = __ldg(representative + listed_entry(listed, static_cast<u32>(number)));
    out[number] = node < nodes ? __ldg(counts + node) : node == nodes ? deals : 0;
}
