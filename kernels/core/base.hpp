// What every file of the core includes: word types and small helpers, for CPU, GPU and browser.
//
// C++17 without exceptions, without a library. Functions that run on a GPU too carry CUDA's
// keywords, which mean nothing elsewhere; what only a host does (learning, stores) carries none.
#pragma once

#ifndef __CUDACC__
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define CORE_UNROLL
#define CORE_ROLLED
#else
#define CORE_UNROLL _Pragma("unroll")
#define CORE_ROLLED _Pragma("unroll 1")
#endif

// What a module for browsers has once, as all of it has to come first; elsewhere the compiler decides.
#ifdef __wasm__
#define CORE_ONCE __attribute__((noinline))
#else
#define CORE_ONCE
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

// A build for tests looks at every number before it follows it.
#ifdef CORE_CHECKED
#define CORE_CHECK(holds) ((holds) ? static_cast<void>(0) : __builtin_trap())
#else
#define CORE_CHECK(holds) static_cast<void>(0)
#endif

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

// Two words by one multiplication: lists of entries are long.
__device__ inline u64 hash_of_words(const i32* words, u64 count) {
    u64 hash = count, at = 0;
    for (; at + 1 < count; at += 2) {
        const u64 high = static_cast<u32>(words[at + 1]);
        hash = (hash ^ (static_cast<u32>(words[at]) | high << 32)) * 0x9E3779B97F4A7C15ull;
        hash ^= hash >> 32;
    }
    if (at < count) hash ^= static_cast<u32>(words[at]);
    return mixed(hash);
}

// An array that somebody else owns: address and length, as Python's Group writes them.
template <class T>
struct Array {
    T* data;
    u64 length;

    __device__ __forceinline__ T& operator[](i64 number) const {
        CORE_CHECK(static_cast<u64>(number) < length);
        return data[number];
    }
};

constexpr u32 WARP = 32;

// What lanes do together. A host has one lane, for which all of it is nothing.
template <u32 LANES>
struct Lanes {
    // Number of this lane, which a compiler knows where there is one.
    __device__ __forceinline__ static u32 own(u32) { return 0; }
    __device__ __forceinline__ static bool any(bool value) { return value; }
    __device__ __forceinline__ static u64 sum(u64 value) { return value; }
    __device__ __forceinline__ static u64 either(u64 bits) { return bits; }
    __device__ __forceinline__ static u32 lowest(u32 value) { return value; }
    __device__ __forceinline__ static u32 highest(u32 value) { return value; }
    __device__ __forceinline__ static void meet() {}
};

#ifdef __CUDACC__
template <>
struct Lanes<WARP> {
    static constexpr u32 ALL = 0xFFFFFFFFu;

    __device__ __forceinline__ static u32 own(u32 lane) { return lane; }
    __device__ __forceinline__ static bool any(bool value) { return __any_sync(ALL, value); }
    __device__ __forceinline__ static u64 sum(u64 value) {
        for (i32 step = WARP / 2; step > 0; step /= 2) value += __shfl_xor_sync(ALL, value, step);
        return value;
    }
    __device__ __forceinline__ static u64 either(u64 bits) {
        for (i32 step = WARP / 2; step > 0; step /= 2) bits |= __shfl_xor_sync(ALL, bits, step);
        return bits;
    }
    __device__ __forceinline__ static u32 lowest(u32 value) {
        for (i32 step = WARP / 2; step > 0; step /= 2)
            value = least(value, __shfl_xor_sync(ALL, value, step));
        return value;
    }
    __device__ __forceinline__ static u32 highest(u32 value) {
        for (i32 step = WARP / 2; step > 0; step /= 2)
            value = most(value, __shfl_xor_sync(ALL, value, step));
        return value;
    }
    __device__ __forceinline__ static void meet() { __syncwarp(); }
};
#endif

}  // namespace core
