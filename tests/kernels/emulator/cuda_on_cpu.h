// CUDA C++ as the kernels use it, for a host compiler: included before every kernel file.
//
//   __global__, __device__ ...   ordinary functions
//   __shared__                   thread_local: one copy for each system thread that runs blocks
//   threadIdx and its kin        asked of the runtime
//   barriers, votes, shuffles    handed to the runtime, with the line they stand on
//
// Left out on purpose: __activemask (what it returns is up to the hardware), cooperative groups,
// inline PTX. A kernel that needs more than what is here does not compile, which is the point.
#pragma once
#pragma GCC system_header  // warnings are for the kernels

#include "runtime.h"

#define __CUDACC__ 1
#define __device__
#define __host__
#define __constant__ static
#define __global__ __attribute__((visibility("default")))
#define __shared__ static thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
#define __builtin_align__(bytes) alignas(bytes)

// Dynamic shared memory cannot be declared for a host compiler: device.cuh takes this instead.
#define DYNAMIC_SHARED(name) \
  unsigned char* const name = static_cast<unsigned char*>(emulator::dynamic_shared())

#define EMULATOR_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

using size_t = decltype(sizeof(0));

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

#define threadIdx (emulator::thread_index())
#define blockIdx (emulator::block_index())
#define blockDim (emulator::block_size())
#define gridDim (emulator::grid_size())
#define warpSize 32

#define EMULATED_VECTOR(type, name, bytes)                                          \
  struct alignas(bytes / 2 > 16 ? 16 : bytes / 2) name##2 { type x, y; };           \
  struct name##3 { type x, y, z; };                                                 \
  struct alignas(bytes > 16 ? 16 : bytes) name##4 { type x, y, z, w; };             \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }                  \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }       \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
EMULATED_VECTOR(signed char, char, 4)
EMULATED_VECTOR(unsigned char, uchar, 4)
EMULATED_VECTOR(short, short, 8)
EMULATED_VECTOR(unsigned short, ushort, 8)
EMULATED_VECTOR(int, int, 16)
EMULATED_VECTOR(unsigned, uint, 16)
EMULATED_VECTOR(long long, longlong, 32)
EMULATED_VECTOR(unsigned long long, ulonglong, 32)
#undef EMULATED_VECTOR

// Barriers and warp operations.
inline void __syncthreads(EMULATOR_SITE) { emulator::meet(emulator::barrier, 0, 0, 0, file, line); }
inline int __syncthreads_count(int predicate, EMULATOR_SITE) {
  return int(emulator::meet(emulator::barrier_count, 0, predicate != 0, 0, file, line));
}
inline int __syncthreads_and(int predicate, EMULATOR_SITE) {
  return int(emulator::meet(emulator::barrier_and, 0, predicate != 0, 0, file, line));
}
inline int __syncthreads_or(int predicate, EMULATOR_SITE) {
  return int(emulator::meet(emulator::barrier_or, 0, predicate != 0, 0, file, line));
}
inline void __syncwarp(unsigned mask = 0xffffffffu, EMULATOR_SITE) {
  emulator::meet(emulator::warp_barrier, mask, 0, 0, file, line);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, EMULATOR_SITE) {
  return unsigned(emulator::meet(emulator::ballot, mask, predicate != 0, 0, file, line));
}
inline int __any_sync(unsigned mask, int predicate, EMULATOR_SITE) {
  return int(emulator::meet(emulator::any, mask, predicate != 0, 0, file, line));
}
inline int __all_sync(unsigned mask, int predicate, EMULATOR_SITE) {
  return int(emulator::meet(emulator::all, mask, predicate != 0, 0, file, line));
}

namespace emulator {
template <class T>
T shuffle_from(unsigned mask, T value, unsigned source, const char* file, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 4 or 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = meet(shuffle, mask, bits, source, file, line);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
inline unsigned segment_start(int width) { return lane_number() & ~(unsigned(width) - 1u); }
}  // namespace emulator

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, EMULATOR_SITE) {
  const unsigned lane = emulator::segment_start(width) + (unsigned(source) & (unsigned(width) - 1u));
  return emulator::shuffle_from(mask, value, lane, file, line);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATOR_SITE) {
  const unsigned lane = emulator::lane_number();
  const bool inside = lane >= emulator::segment_start(width) + delta;
  return emulator::shuffle_from(mask, value, inside ? lane - delta : lane, file, line);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATOR_SITE) {
  const unsigned lane = emulator::lane_number();
  const bool inside = lane + delta < emulator::segment_start(width) + unsigned(width);
  return emulator::shuffle_from(mask, value, inside ? lane + delta : lane, file, line);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, EMULATOR_SITE) {
  const unsigned lane = emulator::lane_number(), other = lane ^ unsigned(bits);
  const bool inside = other < emulator::segment_start(width) + unsigned(width);
  return emulator::shuffle_from(mask, value, inside ? other : lane, file, line);
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value, EMULATOR_SITE) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a match compares 4 or 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return unsigned(emulator::meet(emulator::match, mask, bits, 0, file, line));
}

#if __CUDA_ARCH__ >= 800
#define EMULATED_REDUCTION(name)                                                          \
  inline unsigned __##name##_sync(unsigned mask, unsigned value, EMULATOR_SITE) {          \
    return unsigned(emulator::meet(emulator::name, mask, value, 0, file, line));           \
  }
EMULATED_REDUCTION(reduce_add)
EMULATED_REDUCTION(reduce_min)
EMULATED_REDUCTION(reduce_max)
EMULATED_REDUCTION(reduce_and)
EMULATED_REDUCTION(reduce_or)
EMULATED_REDUCTION(reduce_xor)
#undef EMULATED_REDUCTION
#endif

// No access moves over a fence, nor does anything here: accesses happen in program order.
inline void __threadfence() {}
inline void __threadfence_block() {}

// Atomic operations: fibers change over only where they meet, so plain arithmetic is atomic. The
// runtime is told of the access beforehand; the compiler does not report it a second time.
#define EMULATED_ATOMIC_ACCESS(address) \
  emulator::atomic_access(address, sizeof *address, __builtin_return_address(0))
#define EMULATED_ATOMIC(name, type, result)                               \
  __attribute__((no_sanitize("thread"), noinline)) inline type name(                \
      type* address, [[maybe_unused]] type value) {                       \
    EMULATED_ATOMIC_ACCESS(address);                                       \
    const type old = *address;                                            \
    *address = result;                                                    \
    return old;                                                           \
  }
#define EMULATED_ATOMICS(type)                                            \
  EMULATED_ATOMIC(atomicAdd, type, old + value)                           \
  EMULATED_ATOMIC(atomicAnd, type, old & value)                           \
  EMULATED_ATOMIC(atomicOr, type, old | value)                            \
  EMULATED_ATOMIC(atomicXor, type, old ^ value)                           \
  EMULATED_ATOMIC(atomicMin, type, value < old ? value : old)             \
  EMULATED_ATOMIC(atomicMax, type, value > old ? value : old)             \
  EMULATED_ATOMIC(atomicExch, type, value)                                \
  __attribute__((no_sanitize("thread"), noinline)) inline type atomicCAS(           \
      type* address, type expected, type value) {                         \
    EMULATED_ATOMIC_ACCESS(address);                                       \
    const type old = *address;                                            \
    if (old == expected) *address = value;                                \
    return old;                                                           \
  }
EMULATED_ATOMICS(int)
EMULATED_ATOMICS(unsigned)
EMULATED_ATOMICS(unsigned long long)
EMULATED_ATOMIC(atomicSub, int, old - value)
EMULATED_ATOMIC(atomicSub, unsigned, old - value)
#undef EMULATED_ATOMICS
#undef EMULATED_ATOMIC
#undef EMULATED_ATOMIC_ACCESS

// Integer intrinsics.
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(unsigned(bits)); }
inline int __clzll(long long bits) {
  return bits == 0 ? 64 : __builtin_clzll((unsigned long long)(bits));
}
inline unsigned __brev(unsigned bits) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (bits >> bit & 1u) << (31 - bit);
  return reversed;
}
inline unsigned long long __brevll(unsigned long long bits) {
  return (unsigned long long)(__brev(unsigned(bits))) << 32 | __brev(unsigned(bits >> 32));
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return unsigned((unsigned long long)(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ typedef unsigned __int128 wide;
  return (unsigned long long)(wide(a) * b >> 64);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((unsigned long long)(high) << 32 | low) << (shift & 31u) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((unsigned long long)(high) << 32 | low) >> (shift & 31u));
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)(b) << 32 | a;
  unsigned result = 0;
  for (int place = 0; place < 4; ++place) {
    const unsigned choice = selector >> 4 * place & 15u;
    unsigned byte = unsigned(bytes >> 8 * (choice & 7u)) & 0xffu;
    if (choice & 8u) byte = byte & 0x80u ? 0xffu : 0u;
    result |= byte << 8 * place;
  }
  return result;
}

template <class T>
T __ldg(const T* address) { return *address; }
template <class T>
T __ldcg(const T* address) { return *address; }
template <class T>
T __ldcs(const T* address) { return *address; }
template <class T>
void __stcs(T* address, T value) { *address = value; }
template <class T>
void __stcg(T* address, T value) { *address = value; }

// Two types meet as they do in arithmetic.
template <class A, class B>
auto min(A a, B b) -> decltype(a + b) {
  const decltype(a + b) left = a, right = b;
  return right < left ? right : left;
}
template <class A, class B>
auto max(A a, B b) -> decltype(a + b) {
  const decltype(a + b) left = a, right = b;
  return left < right ? right : left;
}

[[noreturn]] inline void __trap(EMULATOR_SITE) { emulator::fail("__trap()", file, line); }
#undef assert
#define assert(condition) \
  ((condition) ? void(0) : emulator::fail("assert(" #condition ")", __FILE__, __LINE__))
#define __builtin_assume(condition) assert(condition)
