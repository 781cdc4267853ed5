// The walk of one deal a thread: depth first without a stack, as the nodes say where to go on.
//
//   node k: x test, y fail (as in counts.cu),
//           z listed_from, w listed_behind: where in `listed` the entries of k, and those behind
//             everything below k, start
//
// `listed` names entries depth first. On the way from one node to the next all entries between them
// hold: they always do where the entry above them does. So a walk lists runs.
#include "box.cuh"

__device__ __forceinline__ bool node_holds(const DealWords& own, u32 test, const Boxes& boxes) {
    return passes_test(own.row(test_seat(test)), own.stride, test, boxes);
}

// How many entries each deal lists: totals [deals], by place turned to deal by `order`.
//
//   position, behind  [count] what a place has come to: node, and first entry not looked at
//   all_listed        with the last window the number of entries listed; else 0
extern "C" __global__ void list_totals(
    const u64* __restrict__ features, u32 count, u32 staged, const u32* __restrict__ order,
    const u64* __restrict__ box_rows, const u32* __restrict__ set_offsets,
    const u32* __restrict__ set_boxes, const uint4* __restrict__ nodes, u32 first_node,
    u32 end_node, u32 is_last, u32 all_listed, u32* __restrict__ position,
    u32* __restrict__ behind, u64* __restrict__ totals) {
    DYNAMIC_SHARED(shared);
    const u64 place = thread_number();
    if (place >= count) return;
    const Boxes boxes = {box_rows, set_offsets, set_boxes};
    const DealWords own = words_of_deal(
        reinterpret_cast<u64*>(shared), features, count, static_cast<u32>(place), staged);
    u32 k = position[place];
    u32 from = behind[place];
    const u32 deal = order[place];
    u64 total = totals[deal];
    while (k < end_node) {
        const uint4 node = __ldg(nodes + (k - first_node));
        total += node.z - from;
        const bool holds = node_holds(own, node.x, boxes);
        from = holds ? node.z : node.w;
        k = holds ? k + 1 : node.y;
    }
    if (is_last) total += all_listed - from;
    position[place] = k;
    behind[place] = from;
    totals[deal] = total;
}

// Writes the entries of each deal: entries [next[deal] .. ends[deal]), cut off there.
//
//   listed  of the window, from entry first_listed on
//   next    [deals] where each deal's next entry goes; moved on
extern "C" __global__ void list_entries(
    const u64* __restrict__ features, u32 count, u32 staged, const u32* __restrict__ order,
    const u64* __restrict__ box_rows, const u32* __restrict__ set_offsets,
    const u32* __restrict__ set_boxes, const uint4* __restrict__ nodes, u32 first_node,
    u32 end_node, u32 is_last, u32 all_listed, const u32* __restrict__ listed, u32 first_listed,
    u32* __restrict__ position, u32* __restrict__ behind, u64* __restrict__ next,
    const u64* __restrict__ ends, u32* __restrict__ entries) {
    DYNAMIC_SHARED(shared);
    const u64 place = thread_number();
    if (place >= count) return;
    const Boxes boxes = {box_rows, set_offsets, set_boxes};
    const DealWords own = words_of_deal(
        reinterpret_cast<u64*>(shared), features, count, static_cast<u32>(place), staged);
    u32 k = position[place];
    u32 from = behind[place];
    const u32 deal = order[place];
    u64 at = next[deal];
    const u64 end = ends[deal];
    while (k < end_node && at < end) {
        const uint4 node = __ldg(nodes + (k - first_node));
        for (; from < node.z && at < end; ++from) entries[at++] = __ldg(listed + (from - first_listed));
        const bool holds = node_holds(own, node.x, boxes);
        from = holds ? node.z : node.w;
        k = holds ? k + 1 : node.y;
    }
    if (is_last)
        for (; from < all_listed && at < end; ++from)
            entries[at++] = __ldg(listed + (from - first_listed));
    position[place] = k;
    behind[place] = from;
    next[deal] = at;
}
