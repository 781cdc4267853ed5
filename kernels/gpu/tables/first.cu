// Mode "first": each deal bid to its one auction, a deal a thread.
//
//   node: x test (seat left out), y first child, z child count | call << 16 | flags << 24, w unused
//
// Nodes keep the table's numbers and come in windows. Children have higher numbers than their
// parents, so a deal that has come to a node behind the window waits for the next one.
#include "box.cuh"

constexpr u32 NONE = 0xFFFFFFFFu;
constexpr u32 STATE_WORDS = 8;

// Puts the table's arrays together: nodes [count].
extern "C" __global__ void __launch_bounds__(256) pack_nodes(
    const u32* __restrict__ node_box, const u32* __restrict__ first_child,
    const u16* __restrict__ child_count, const u8* __restrict__ call, const u8* __restrict__ flags,
    u32 count, uint4* __restrict__ nodes) {
    const u64 number = thread_number();
    if (number >= count) return;
    const u32 box = node_box[number];
    const u32 number_of_box = box & ~BOX_MULTIPLE;
    nodes[number] = make_uint4(
        number_of_box | (box & BOX_MULTIPLE ? TEST_MULTIPLE : 0u), first_child[number],
        child_count[number] | static_cast<u32>(call[number]) << 16 |
            static_cast<u32>(flags[number]) << 24,
        0u);
}

// What a deal has come to.
struct Auction {
    u32 next, end;  // children that are still to be tried
    u32 node;       // last call in the table
    u32 pass_node, pass_first_child, pass_about;  // the pass among the children tried, if any
    u32 depth, trailing_passes, defaults;
    bool has_bid;

    __device__ __forceinline__ void start(u32 roots) {
        next = 0, end = roots;
        node = pass_node = NONE;
        pass_first_child = pass_about = 0;
        depth = trailing_passes = defaults = 0;
        has_bid = false;
    }

    __device__ __forceinline__ void load(const u32* state, u64 count) {
        next = state[0], end = state[count], node = state[2 * count];
        pass_node = state[3 * count], pass_first_child = state[4 * count];
        pass_about = state[5 * count];
        defaults = state[6 * count];
        const u32 about = state[(STATE_WORDS - 1) * count];
        depth = about & 0xFFFFu, trailing_passes = about >> 16 & 7u, has_bid = about >> 19 & 1u;
    }

    __device__ __forceinline__ void save(u32* state, u64 count) const {
        state[0] = next, state[count] = end, state[2 * count] = node;
        state[3 * count] = pass_node, state[4 * count] = pass_first_child;
        state[5 * count] = pass_about;
        state[6 * count] = defaults;
        state[(STATE_WORDS - 1) * count] = depth | trailing_passes << 16 | static_cast<u32>(has_bid) << 19;
    }
};

// Bids each deal on, through the nodes of the window.
//
//   state  [STATE_WORDS][count] where deals wait between windows; null if there is one window only
extern "C" __global__ void first_auctions(
    const u64* __restrict__ features, u32 count, u32 staged, const u32* __restrict__ order,
    const u64* __restrict__ box_rows, const u32* __restrict__ set_offsets,
    const u32* __restrict__ set_boxes, const uint4* __restrict__ nodes, u32 first_node,
    u32 end_node, u32 roots, u32* __restrict__ state, u32* __restrict__ entry,
    u8* __restrict__ passes_behind, u16* __restrict__ defaults) {
    DYNAMIC_SHARED(shared);
    const u64 place = thread_number();
    if (place >= count) return;
    const Boxes boxes = {box_rows, set_offsets, set_boxes};
    const DealWords own = words_of_deal(
        reinterpret_cast<u64*>(shared), features, count, static_cast<u32>(place), staged);

    Auction auction;
    if (state == nullptr || first_node == 0) auction.start(roots);
    else auction.load(state + place, count);
    bool ended = auction.next == NONE;
    while (!ended) {
        u32 made, first_child, about;
        if (auction.next < auction.end) {
            if (auction.next >= end_node) break;
            made = auction.next++;
            const uint4 node = __ldg(nodes + (made - first_node));
            first_child = node.y;
            about = node.z;
            if ((about >> 16 & 255u) == 0 && auction.pass_node == NONE) {
                auction.pass_node = made;
                auction.pass_first_child = first_child;
                auction.pass_about = about;
            }
            const u64* const words = own.row(auction.depth & 3u);
            if (node.x != BOX_ALWAYS && !passes_test(words, own.stride, node.x, boxes)) continue;
        } else if (auction.pass_node != NONE) {
            // no call holds: a pass by default, on in the table
            ++auction.defaults;
            made = auction.pass_node;
            first_child = auction.pass_first_child;
            about = auction.pass_about;
        } else {
            made = NONE;
            first_child = about = 0;
        }
        const bool completed = made != NONE && about >> 24 & NODE_COMPLETED;
        if (made != NONE) {
            const bool is_pass = (about >> 16 & 255u) == 0;
            auction.node = made;
            auction.trailing_passes = is_pass ? auction.trailing_passes + 1 : 0;
            auction.has_bid |= !is_pass;
            ++auction.depth;
            auction.pass_node = NONE;
            auction.next = first_child;
            auction.end = first_child + (about & 0xFFFFu);
        }
        if (made == NONE || completed) {
            // passes follow to the end; a completed auction needs none
            const u32 deal = order[place];
            entry[deal] = auction.node;
            const u32 behind =
                completed ? 0 : (auction.has_bid ? 3 : 4) - auction.trailing_passes;
            passes_behind[deal] = static_cast<u8>(behind);
            defaults[deal] = static_cast<u16>(auction.defaults + behind);
            auction.next = NONE;
            auction.end = 0;
            ended = true;
        }
    }
    if (state != nullptr) auction.save(state + place, count);
}
