// Rows of a system as kernels/system/arrays.py defines them, and the walk down their tests.
//
// A structure here has the members of a row there, in order; how many bytes that makes comes as a
// define, so that a row which changes on one side alone does not compile.
#pragma once
#include "device.cuh"

constexpr u32 TERMS = TERM_COUNT, HULL = HULL_COUNT, RANGES = TERMS - HULL;
constexpr u32 TAG_WORDS = TAG_WORD_COUNT, SET_WORDS = SET_WORD_COUNT;

struct Place {
    i32 parent, length, opening;
    i32 pattern[2];
    i32 known[4];
    u32 kinds[4];
    u64 made[4];
    u64 tags[4][TAG_WORDS], tags_ever[4][TAG_WORDS], last_bid_tags[TAG_WORDS];
    i16 terms[4][TERMS][2];
    u8 hull[4][HULL][2];
    u16 suits[4];
    u8 call[4], deed[4];
    i8 jump[4];
    u8 notrump[4], agreed[2], game_forced[2], acted[2];
    u8 opening_call, last_bid, last_bidder, doubled, passes;
};
static_assert(sizeof(Place) == PLACE_BYTES, "row of a place");

struct Question {
    i32 kind, who, suits[2], count, low, high;
    u64 also, calls;
    i32 number;
    u8 negated;
};
static_assert(sizeof(Question) == QUESTION_BYTES, "row of a question");

struct Decision {
    i32 question, no, yes;
};
static_assert(sizeof(Decision) == DECISION_BYTES, "row of a decision");

struct Tree {
    i32 root, child, sibling, group, bindings;
};
static_assert(sizeof(Tree) == TREE_BYTES, "row of a tree");

struct Group {
    i32 turn, specificity, first, end;
};
static_assert(sizeof(Group) == GROUP_BYTES, "row of a group");

struct Line {
    i32 call, pattern, condition, first, end;
};
static_assert(sizeof(Line) == LINE_BYTES, "row of a line");

struct Variant {
    i32 line, condition;
    u32 kinds;
    i32 first_promise, end_promise, first_agreed, end_agreed;
    u64 tags[TAG_WORDS];
};
static_assert(sizeof(Variant) == VARIANT_BYTES, "row of a variant");

struct Entry {
    i32 call, needs, variant, bindings, test;
};
static_assert(sizeof(Entry) == ENTRY_BYTES, "row of an entry");

struct Needs {
    i32 test, can, must;
    u8 certain;
    i16 terms[TERMS][2], promised[TERMS][2];
};
static_assert(sizeof(Needs) == NEEDS_BYTES, "row of needs");

struct alignas(16) Test {
    i32 word;
    u8 shift, mask, low, high;
    i32 yes, no;
};
static_assert(sizeof(Test) == TEST_BYTES, "row of a test");

struct Slot {
    u64 key;
    i32 value;
};
static_assert(sizeof(Slot) == SLOT_BYTES, "slot of a hash table");

// Address and length, as native.Group writes them.
template <class T>
struct Array {
    const T* data;
    u64 length;

    __device__ __forceinline__ const T& operator[](i64 number) const { return data[number]; }
};

struct Program {
    Array<Question> questions;
    Array<Decision> decisions;
    Array<Slot> answers;
    Array<i32> roots;
    Array<Slot> root_numbers;
    Array<i32> calls_first, calls_code, calls_bindings;
    Array<Tree> forest;
    Array<i32> anywhere, heads;
    Array<Slot> moves, below;
    Array<Group> groups;
    Array<i32> group_lines;
    Array<Line> lines;
    Array<Variant> variants;
    Array<i32> promises;
    Array<i32[2]> agreed;
    Array<Slot> joined, entry_numbers;
    Array<Entry> entries;
    Array<Needs> needs;
    Array<u64[SET_WORDS]> cells;
    Array<Test> tests;
    Array<u32> bindings;
};
static_assert(sizeof(Program) == PROGRAM_BYTES, "arrays of a program");

// The finalizer of MurmurHash3 (A. Appleby).
__device__ __forceinline__ u64 mixed(u64 key) {
    key ^= key >> 33;
    key *= 0xFF51AFD7ED558CCDull;
    key ^= key >> 33;
    key *= 0xC4CEB9FE1A85EC53ull;
    return key ^ key >> 33;
}

// Value of a key, -1 where it is not there.
__device__ __forceinline__ i32 find(const Array<Slot>& table, u64 key) {
    const u64 mask = table.length - 1;
    for (u64 slot = mixed(key) & mask;; slot = (slot + 1) & mask) {
        const Slot& row = table.data[slot];
        if (row.key == key) return row.value;
        if (row.key == ~0ull) return -1;
    }
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
