// Random deals, numbered: the work is that of the core; a thread deals one deal.
#include "device.cuh"
#include "../core/deals/dealing.hpp"

constexpr u32 THREADS = 128;

// The places of a thread's deck, a row of the block's threads for each.
struct Places {
    u8* first;

    __device__ __forceinline__ u8& operator[](u32 place) const { return first[place * THREADS]; }
};

// Fills hands [4][count] with the deals from number `first` of a seed on; `start` is the mixed seed.
extern "C" __global__ void __launch_bounds__(THREADS) deal_hands(
    u64 start, u64 first, u64 count, u64* __restrict__ hands) {
    __shared__ u8 decks[DECK * THREADS];
    const u64 deal = thread_number();
    if (deal >= count) return;
    deal_one(start, first + deal, Places{decks + threadIdx.x}, hands + deal, count);
}
