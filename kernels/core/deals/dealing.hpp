// Random deals, numbered, for CPU and GPU: kernels/dealing.py is the definition, card for card, and
// its docstring names the sources.
#pragma once
#include "../base.hpp"

namespace core {

constexpr u64 GAMMA = 0x9E3779B97F4A7C15ull;
constexpr u64 MIX_1 = 0xBF58476D1CE4E5B9ull;
constexpr u64 MIX_2 = 0x94D049BB133111EBull;
constexpr u64 WORDS_A_DEAL = 32;
constexpr u32 DECK = 52, DRAWN = 39, HAND = 13, DRAWS_TOGETHER = 4;
constexpr u64 WHOLE_DECK = (1ull << DECK) - 1ull;

// The mixing of SplitMix64, of words of its stream and of seeds.
__device__ __forceinline__ u64 split_mixed(u64 word) {
    word = (word ^ word >> 30) * MIX_1;
    word = (word ^ word >> 27) * MIX_2;
    return word ^ word >> 31;
}

// The stream of SplitMix64 by halves of its words, the low one first.
struct RandomHalves {
    u64 state;
    u64 word = 0;
    bool has_half = false;

    __device__ __forceinline__ explicit RandomHalves(u64 start) : state(start) {}

    __device__ __forceinline__ u32 next() {
        has_half = !has_half;
        if (!has_half) return static_cast<u32>(word >> 32);
        state += GAMMA;
        word = split_mixed(state);
        return static_cast<u32>(word);
    }
};

// How many draws one half gives from a place on, and how many outcomes these have.
__device__ constexpr u32 draws_from(u32 place) {
    return DRAWS_TOGETHER < DRAWN - place ? DRAWS_TOGETHER : DRAWN - place;
}
__device__ constexpr u32 outcomes_from(u32 place) {
    u32 product = 1;
    for (u32 step = 0; step < draws_from(place); ++step) product *= DECK - place - step;
    return product;
}

// Draws the cards of the places from FIRST on, which is known when this is compiled, as all is that
// follows from it.
template <u32 FIRST, class Places>
__device__ __forceinline__ void draw_from(
    RandomHalves& random, Places places, u64 hand, u64 dealt, u64* hands, u64 stride) {
    constexpr u32 DRAWS = draws_from(FIRST);
    constexpr u32 REFUSED = static_cast<u32>((1ull << 32) % outcomes_from(FIRST));
    u32 draws[DRAWS], bits;
    do {
        bits = random.next();
        CORE_UNROLL
        for (u32 step = 0; step < DRAWS; ++step) {
            const u64 scaled = static_cast<u64>(bits) * (DECK - FIRST - step);
            draws[step] = static_cast<u32>(scaled >> 32);
            bits = static_cast<u32>(scaled);
        }
    } while (bits < REFUSED);
    CORE_UNROLL
    for (u32 step = 0; step < DRAWS; ++step) {
        const u32 place = FIRST + step, chosen = place + draws[step];
        const u8 card = places[chosen];
        places[chosen] = places[place];
        hand |= 1ull << card;
        if (place % HAND == HAND - 1) {
            hands[place / HAND * stride] = hand;
            dealt |= hand;
            hand = 0;
        }
    }
    if constexpr (FIRST + DRAWS < DRAWN)
        draw_from<FIRST + DRAWS>(random, places, hand, dealt, hands, stride);
    else
        hands[3 * stride] = WHOLE_DECK ^ dealt;
}

// Deals deal `number` of a seed, which `start` is when it is mixed: four hands, `stride` apart.
// `places` gives room for a byte at each of the 52 places.
template <class Places>
__device__ __forceinline__ void deal_one(
    u64 start, u64 number, Places places, u64* hands, u64 stride) {
    for (u32 card = 0; card < DECK; ++card) places[card] = static_cast<u8>(card);
    RandomHalves random(start + number * WORDS_A_DEAL * GAMMA);
    draw_from<0>(random, places, 0, 0, hands, stride);
}

}  // namespace core
