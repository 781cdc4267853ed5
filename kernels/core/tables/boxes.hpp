// Boxes of a bidding table against packed hands, for CPU and GPU.
//
//   words of a hand   lane words of eight 8-bit lanes (values 0-127), then flag words of 64 flags
//   row of a box      lo .. | hi .. with every lane's high bit set | mask .. | need ..
//
// A hand passes when every lane lies in [lo, hi] and the flags under the mask are those needed.
#pragma once
#include "../base.hpp"

namespace core {

constexpr u64 LANE_HIGH_BITS = 0x8080808080808080ull;

__device__ __forceinline__ bool lanes_inside(u64 f, u64 low, u64 high) {
    return (((f | LANE_HIGH_BITS) - low) & (high - f) & LANE_HIGH_BITS) == LANE_HIGH_BITS;
}

}  // namespace core
