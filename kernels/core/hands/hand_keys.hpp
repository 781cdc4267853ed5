// Hands that are alike have keys that are near each other, for CPU and GPU.
#pragma once
#include "../base.hpp"

namespace core {

constexpr u32 HAND_KEYS = 1024;

// Key of a hand: its HCP, then its longest suit and the length of that. Wrong cards (a hand of
// none, say) have a key too.
__device__ __forceinline__ u32 hand_key(u64 cards) {
    u32 points = 0, longest = 0, suit = 0;
    CORE_UNROLL
    for (u32 number = 0; number < 4; ++number) {
        const u32 holding = static_cast<u32>(cards >> 13 * number) & 0x1FFFu;
        const u32 length = static_cast<u32>(bit_count(holding));
        points += 4 * (holding >> 12 & 1u) + 3 * (holding >> 11 & 1u) + 2 * (holding >> 10 & 1u) +
                  (holding >> 9 & 1u);
        if (length > longest) {
            longest = length;
            suit = number;
        }
    }
    const u32 more = longest > 4 ? longest - 4 : 0;
    return least(points, 31u) * 32 + suit * 8 + least(more, 7u);
}

}  // namespace core
