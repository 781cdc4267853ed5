// Places of a system as deals go through them on a device, and what deals wait for.
//
//   hash tables of (place, call)   a slot is 0, or the key: (place << 6 | call) + 1
#pragma once
#include "system.cuh"

__device__ __forceinline__ u64 key_behind(i32 place, i32 call) {
    return (static_cast<u64>(place) << 6 | static_cast<u64>(call)) + 1;
}

// Numbers that no kernel writes to while it reads them.
template <class T>
struct Fixed {
    const T* data;

    __device__ __forceinline__ T operator[](i64 number) const { return __ldg(data + number); }
};

struct Places {
    const u64* keys;    // [slots]
    const i32* values;  // [slots] the place behind
    u32 slots;
    Fixed<i32> parent;
    Fixed<u8> call;
    Fixed<i32> chosen;  // list that is chosen from, negative until the place is worked out
    Fixed<i64> list_first;
    Fixed<i32> list_items;

    // Place behind a call if it was worked out, else -1.
    __device__ __forceinline__ i32 behind(i32 place, i32 made) const {
        const u64 key = key_behind(place, made);
        u32 slot = static_cast<u32>(mixed(key)) & (slots - 1);
        for (;; slot = (slot + 1) & (slots - 1)) {
            const u64 found = __ldg(keys + slot);
            if (found == 0) return -1;
            if (found == key) break;
        }
        const i32 child = __ldg(values + slot);
        return chosen[child] < 0 ? -1 : child;
    }
};

// Enters a key into the table of what has to be worked out, and lists it if it is new there.
__device__ __forceinline__ void want(
    u64 key, u64* wanted, u32 wanted_slots, u64* wanted_keys, u32* counters) {
    u32 slot = static_cast<u32>(mixed(key)) & (wanted_slots - 1);
    for (;; slot = (slot + 1) & (wanted_slots - 1)) {
        const u64 found = atomicCAS(wanted + slot, 0ull, key);
        if (found == 0) wanted_keys[atomicAdd(counters, 1u)] = key - 1;
        if (found == 0 || found == key) return;
    }
}
