// Deals in an order that brings like hands together, as kernels/gpu/tables/features.cu has it on a device.
#pragma once
#include "../hands/hand_keys.hpp"
#include "../hands/packing.hpp"

namespace core {

// Where sorted deals go: hands [4][stop - start], and which deal, from `start`, is at each place.
struct SortedDeals {
    u64* hands;
    u8* dealer;
    u8* vulnerability;
    u32* order;
};

// Sorts the deals `start` to `stop` by the dealer's hand. A counting sort that moves the hands
// themselves: it reads in sequence and writes to at most HAND_KEYS places at a time, where a gather
// would miss the cache at every deal. Like hands keep their order.
inline void sort_by_dealer(const Deals& deals, u64 start, u64 stop, const SortedDeals& sorted) {
    const u64 count = stop - start;
    Vec<u16> keys;
    keys.resize(count);
    u64 places[HAND_KEYS + 1] = {};
    for (u64 deal = 0; deal < count; ++deal) {
        const u64 from = start + deal, seat = deals.dealer[from] & 3;
        const u32 key = hand_key(deals.hands[seat * deals.count + from]);
        keys[deal] = static_cast<u16>(key);
        ++places[key + 1];
    }
    for (u32 key = 0; key < HAND_KEYS; ++key) places[key + 1] += places[key];
    for (u64 deal = 0; deal < count; ++deal) {
        const u64 from = start + deal, place = places[keys[deal]]++;
        sorted.order[place] = static_cast<u32>(deal);
        for (u64 seat = 0; seat < 4; ++seat)
            sorted.hands[seat * count + place] = deals.hands[seat * deals.count + from];
        sorted.dealer[place] = deals.dealer[from];
        sorted.vulnerability[place] = deals.vulnerability[from];
    }
}

}  // namespace core
