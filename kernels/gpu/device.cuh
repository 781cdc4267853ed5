// What every kernel file includes: the word types of the core, and small helpers.
//
// Numbers that Python owns (opcodes, bits of a node, words a hand) come as -D defines, see
// cuda_plan.py. Plain C++17 with the CUDA keywords and a few warp intrinsics, so that the same text
// also compiles for the processor behind a header that stands in for them.
#pragma once

#include "../core/base.hpp"

using namespace core;

// Dynamic shared memory of the block, as bytes. A stand-in for CUDA defines it first.
#ifndef DYNAMIC_SHARED
#define DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#endif

constexpr u32 ALL_LANES = 0xFFFFFFFFu;

// Number of this thread in the grid.
__device__ __forceinline__ u64 thread_number() {
    return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// Bits of the lanes below this one.
__device__ __forceinline__ u32 lanes_below(u32 lane) { return (1u << lane) - 1u; }
