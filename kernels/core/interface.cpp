// The core as a shared library: what library.py calls through ctypes, and memory from the C library.
// The one translation unit; build.py says how it is compiled.
#include "facts.hpp"
#include "memory.hpp"
#include "rows.hpp"
#include "trees.hpp"

#ifndef CORE_VERSION
#error "expected CORE_VERSION, a digest of the sources (build.py)"
#endif

#ifdef _WIN32
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

extern "C" {
void* calloc(decltype(sizeof(0)) count, decltype(sizeof(0)) bytes);
void free(void* memory);
}

namespace core {

void* allocate(u64 bytes) {
    void* const memory = calloc(1, bytes ? bytes : 1);
    if (memory == nullptr) __builtin_trap();
    return memory;
}

void release(void* memory, u64) { free(memory); }

#ifdef __x86_64__
namespace {

struct Registers {
    u32 a, b, c, d;
};

Registers cpuid(u32 leaf) {
    Registers found;
    __asm__ volatile("cpuid" : "=a"(found.a), "=b"(found.b), "=c"(found.c), "=d"(found.d)
                     : "a"(leaf), "c"(0));
    return found;
}

u32 saved_states() {
    u32 low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

bool has_all(u32 word, u32 bits) { return (word & bits) == bits; }

}  // namespace
#endif

}  // namespace core

EXPORT u64 core_version() { return CORE_VERSION; }

// Whether this processor and its operating system run the build x86-64-v3. By the instruction
// itself: __builtin_cpu_supports says no to everything in what zig links.
EXPORT i32 core_runs_v3() {
#ifdef __x86_64__
    using namespace core;
    constexpr u32 FMA = 1u << 12, MOVBE = 1u << 22, XGETBV = 1u << 27, AVX = 1u << 28, F16C = 1u << 29;
    constexpr u32 BMI1 = 1u << 3, AVX2 = 1u << 5, BMI2 = 1u << 8, LZCNT = 1u << 5;
    constexpr u32 SSE42_AND_POPCNT = 1u << 20 | 1u << 23, VECTOR_STATES = 6;
    if (cpuid(0).a < 7 || cpuid(0x80000000u).a < 0x80000001u) return 0;
    return has_all(cpuid(1).c, FMA | MOVBE | XGETBV | AVX | F16C | SSE42_AND_POPCNT) &&
           has_all(saved_states(), VECTOR_STATES) && has_all(cpuid(7).b, BMI1 | AVX2 | BMI2) &&
           has_all(cpuid(0x80000001u).c, LZCNT);
#else
    return 0;
#endif
}

// Sizes of the rows of rows.hpp, in its order; how many there are. Python has the same rows.
EXPORT i32 core_layout(i32* sizes) {
    using namespace core;
    const u64 all[] = {sizeof(Place), sizeof(Question), sizeof(Decision), sizeof(Tree),
                       sizeof(Group), sizeof(Line), sizeof(Variant), sizeof(Entry),
                       sizeof(Needs), sizeof(Test), sizeof(Slot)};
    i32 count = 0;
    for (const u64 size : all) sizes[count++] = static_cast<i32>(size);
    return count;
}
