// Rows that bidding by a system works on, for host, GPU and browser; kernels/core/rows.py has the same
// as types of numpy, and says what each field means. The library tells its sizes, and Python compares.
#pragma once
#include "base.hpp"

namespace core {

constexpr u32 TERMS = 18, HULL = 5, RANGES = TERMS - HULL;
constexpr i32 SHAPES = 560, POINTS = 38;
constexpr u32 SET_WORDS = (SHAPES * POINTS + 63) / 64;
constexpr u32 TAG_WORDS = 4;
constexpr i32 CALLS = 38;
constexpr u64 EVERY_CALL = (1ull << CALLS) - 1;
constexpr i32 UNKNOWN = -1, LEAF = -2, ANY_HAND = 0, NEVER = 1, MISSING = -1;
constexpr i32 HOLDS = -1, FAILS = -2;
constexpr i32 HIDDEN_BY_NONE = -1;
constexpr i32 WIDEST = 32767;
constexpr i32 NO_CALL = 255, NOTRUMP = 5;

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
    u8 call[4], call_kind[4];
    i8 jump[4];
    u8 notrump[4], agreed[2], game_forced[2], acted[2];
    u8 opening_call, last_bid, last_bidder, doubled, passes;
};

struct Question {
    i32 kind, who, suits[2], count, low, high;
    u64 also, calls;
    i32 number;
    u8 negated;
};

// Edges for no and yes; of a question with many answers the first one, and its edge.
struct Decision {
    i32 question, no, yes;
};

struct Tree {
    i32 root, child, sibling, group, bindings;
};

struct Group {
    i32 turn, specificity, first, end;
};

struct Line {
    i32 call, pattern, condition, first, end;
};

struct Variant {
    i32 line, condition;
    u32 kinds;
    i32 first_promise, end_promise, first_agreed, end_agreed;
    u64 tags[TAG_WORDS];
};

struct Entry {
    i32 call, needs, variant, bindings, test;
};

struct Needs {
    i32 test, can, must;
    u8 certain;
    u8 can_hull[HULL][2], must_hull[HULL][2];
    i16 terms[TERMS][2], promised[TERMS][2];
};

struct alignas(16) Test {
    i32 word;
    u8 shift, mask, low, high;
    i32 yes, no;
};

struct Slot {
    u64 key;  // EMPTY where there is none
    i32 value;
};
constexpr u64 EMPTY = ~0ull;

// A place that is to be worked out.
struct Job {
    i32 parent;    // place before
    i32 row;       // number of its row
    i32 list;      // its entries
    i32 partners;  // entries of the place where partner made the last call, -1 for none
    i32 call;      // that leads here
    i32 only_row;  // whether the entries are known
};

// A group that applies at a place, by its turn.
struct Found {
    i32 turn, group, bindings, needs;
};

using CellSet = u64[SET_WORDS];
using Hull = u8[HULL][2];
using TermRanges = i8[RANGES][2];

// One system: questions, decisions, forest, lines, entries, needs.
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
    Array<CellSet> cells;
    Array<Test> tests;
    Array<u32> bindings;
};

// What working out a place reads of the places before: entry lists, rows, sets of cells.
struct Known {
    Array<i64> list_first;
    Array<i32> list_items;  // entry << 1 | whether it begins a new rank
    Array<Place> rows;
    Array<CellSet> sets;
    Array<TermRanges> ranges;  // -1 low until worked out
    Array<CellSet> reach;
    Array<i32> reach_first;
    Array<u8[4]> lengths;
};

// A number that another thread may be writing: what it leads to was written before it. On a GPU
// nobody writes meanwhile.
template <class T>
__device__ __forceinline__ T published(const T& number) {
#ifdef __CUDACC__
    return number;
#else
    return __atomic_load_n(&number, __ATOMIC_ACQUIRE);
#endif
}

// Value of a key, -1 where it is not there.
__device__ __forceinline__ i32 find(const Array<Slot>& table, u64 key) {
    const u64 mask = table.length - 1;
    for (u64 slot = mixed(key) & mask;; slot = (slot + 1) & mask) {
        const Slot& row = table.data[slot];
        const u64 found = published(row.key);
        if (found == key) return row.value;
        if (found == EMPTY) return -1;
    }
}

}  // namespace core
