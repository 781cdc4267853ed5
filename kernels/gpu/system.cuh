// Rows of a system as kernels/system/arrays.py defines them, and the walk down their tests.
//
// A structure here has the members of a row there, in order; how many bytes that makes comes as a
// define, so that a row which changes on one side alone does not compile.
#pragma once
#include "device.cuh"

struct Entry {
    i32 call, needs, variant, bindings, test;
};
static_assert(sizeof(Entry) == ENTRY_BYTES, "row of an entry");

struct alignas(16) Test {
    i32 word;
    u8 shift, mask, low, high;
    i32 yes, no;
};
static_assert(sizeof(Test) == TEST_BYTES, "row of a test");

// The finalizer of MurmurHash3 (A. Appleby).
__device__ __forceinline__ u64 mixed(u64 key) {
    key ^= key >> 33;
    key *= 0xFF51AFD7ED558CCDull;
    key ^= key >> 33;
    key *= 0xC4CEB9FE1A85EC53ull;
    return key ^ key >> 33;
}

// Whether the hand whose words lie `stride` apart passes a chain of tests from one on.
__device__ __forceinline__ bool passes_chain(
    const Test* __restrict__ tests, i32 number, const u64* words, u64 stride) {
    while (number >= 0) {
        const uint4 row = __ldg(reinterpret_cast<const uint4*>(tests + number));
        const u32 value =
            static_cast<u32>(words[row.x * stride] >> (row.y & 255u)) & (row.y >> 8 & 255u);
        const bool inside = (row.y >> 16 & 255u) <= value && value <= row.y >> 24;
        number = static_cast<i32>(inside ? row.z : row.w);
    }
    return number == TEST_HOLDS;
}
