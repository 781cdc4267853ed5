// What every file of the core includes: word types and small helpers, for CPU, GPU and browser.
//
// C++17 without exceptions, without a library. Functions that run on a GPU too carry CUDA's
// keywords, which mean nothing elsewhere; what only a host does (learning, stores) carries none.
#pragma once

#ifndef __CUDACC__
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#endif

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

static_assert(sizeof(u64) == 8 && sizeof(u32) == 4 && sizeof(u16) == 2, "word sizes");

namespace core {

template <class T>
__device__ __forceinline__ T least(T one, T other) { return one < other ? one : other; }

template <class T>
__device__ __forceinline__ T most(T one, T other) { return one < other ? other : one; }

__device__ __forceinline__ i32 bit_count(u64 bits) {
#ifdef __CUDA_ARCH__
    return __popcll(bits);
#else
    return __builtin_popcountll(bits);
#endif
}

// Number of the lowest, and of the highest, bit that is set; there must be one.
__device__ __forceinline__ i32 lowest_bit(u64 bits) {
#ifdef __CUDA_ARCH__
    return __ffsll(static_cast<i64>(bits)) - 1;
#else
    return __builtin_ctzll(bits);
#endif
}
__device__ __forceinline__ i32 highest_bit(u64 bits) {
#ifdef __CUDA_ARCH__
    return 63 - __clzll(static_cast<i64>(bits));
#else
    return 63 - __builtin_clzll(bits);
#endif
}

// The finalizer of MurmurHash3 (A. Appleby).
__device__ __forceinline__ u64 mixed(u64 key) {
    key ^= key >> 33;
    key *= 0xFF51AFD7ED558CCDull;
    key ^= key >> 33;
    key *= 0xC4CEB9FE1A85EC53ull;
    return key ^ key >> 33;
}

}  // namespace core
