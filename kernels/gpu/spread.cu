// Counts of the nodes that ask something, to counts of all entries.
#include "device.cuh"

// out[entry] = the count of the node that stands for it; node `nodes` stands for all deals, and
// the one behind it for none.
extern "C" __global__ void __launch_bounds__(256) spread_counts(
    const u32* __restrict__ representative, u64 entries, const u64* __restrict__ counts, u32 nodes,
    u64 deals, u64* __restrict__ out) {
    const u64 entry = thread_number();
    if (entry >= entries) return;
    const u32 node = __ldg(representative + entry);
    out[entry] = node < nodes ? __ldg(counts + node) : node == nodes ? deals : 0;
}

// target [count] += source.
extern "C" __global__ void __launch_bounds__(256) add_counts(
    const u64* __restrict__ source, u64 count, u64* __restrict__ target) {
    const u64 number = thread_number();
    if (number < count) target[number] += source[number];
}
