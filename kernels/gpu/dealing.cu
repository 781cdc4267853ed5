// Random deals, numbered: the deals of dealing.py, card for card (its docstring names the sources).
#include "device.cuh"

constexpr u64 GAMMA = 0x9E3779B97F4A7C15ull;
constexpr u64 MIX_1 = 0xBF58476D1CE4E5B9ull;
constexpr u64 MIX_2 = 0x94D049BB133111EBull;
constexpr u64 WORDS_A_DEAL = 32;
constexpr u64 FULL_DECK = (1ull << 52) - 1ull;
constexpr u32 CARDS = 52, DRAWN = 39, BATCH = 4;
constexpr u32 THREADS = 128;

__device__ __forceinline__ u64 mix(u64 word) {
    word = (word ^ word >> 30) * MIX_1;
    word = (word ^ word >> 27) * MIX_2;
    return word ^ word >> 31;
}

// Fills hands [4][count] with the deals from number `first` of a seed on; `start` is the mixed seed.
extern "C" __global__ void __launch_bounds__(THREADS) deal_hands(
    u64 start, u64 first, u64 count, u64* __restrict__ hands) {
    __shared__ u8 cards[CARDS][THREADS];
    const u64 deal = thread_number();
    if (deal >= count) return;
    u64 state = start + (first + deal) * WORDS_A_DEAL * GAMMA;
    u64 word = 0;
    bool has_half = false;
    for (u32 card = 0; card < CARDS; ++card) cards[card][threadIdx.x] = static_cast<u8>(card);

    u64 dealt = 0;
    u64 hand = 0;
    u32 in_hand = 0, seat = 0;
    for (u32 place = 0; place < DRAWN;) {
        const u32 size = min(BATCH, DRAWN - place);
        u32 product = 1;
        for (u32 step = 0; step < size; ++step) product *= CARDS - place - step;
        const u32 threshold = static_cast<u32>((1ull << 32) % product);
        // one half word gives all draws of a batch, unless it is refused
        u32 draws[BATCH];
        for (;;) {
            u32 bits;
            if (has_half) {
                bits = static_cast<u32>(word >> 32);
            } else {
                state += GAMMA;
                word = mix(state);
                bits = static_cast<u32>(word);
            }
            has_half = !has_half;
#pragma unroll
            for (u32 step = 0; step < BATCH; ++step) {
                if (step < size) {
                    const u64 scaled = static_cast<u64>(bits) * (CARDS - place - step);
                    draws[step] = static_cast<u32>(scaled >> 32);
                    bits = static_cast<u32>(scaled);
                }
            }
            if (bits >= threshold) break;
        }
#pragma unroll
        for (u32 step = 0; step < BATCH; ++step) {
            if (step < size) {
                const u32 chosen = place + draws[step];
                const u8 card = cards[chosen][threadIdx.x];
                cards[chosen][threadIdx.x] = cards[place][threadIdx.x];
                ++place;
                hand |= 1ull << card;
                if (++in_hand == 13) {
                    hands[seat * count + deal] = hand;
                    dealt |= hand;
                    hand = 0;
                    in_hand = 0;
                    ++seat;
                }
            }
        }
    }
    hands[3 * count + deal] = FULL_DECK ^ dealt;
}
