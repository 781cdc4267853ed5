// Real calls found in a trie, and bits of expressions by hand: kernels/core/tables/real_calls.py says what
// each array holds.
#pragma once
#include "../memory.hpp"

namespace core {

constexpr i64 MOST_SIBLINGS = 64;  // calls at a place; there are 38
constexpr u32 NO_NODE = 0xFFFFFFFFu;

// A trie, as a bidding table has it: opening calls are the nodes from 0.
struct CallTrie {
    const u32* first_child;
    const u16* child_count;
    const u8* call;
    i64 nodes, roots;
};

// Calls found along auctions: `count` of them.
struct FoundCalls {
    u32* deal;
    u16* depth;
    u32 *place, *entry;
    i64 count, beyond;

    // Walks an auction down a trie until it ends or leaves it; false for children that there are not.
    bool follow(const CallTrie& trie, const u8* calls, i64 length, u32 number) {
        u32 above = NO_NODE;
        i64 first = 0, siblings = trie.roots;
        for (i64 position = 0; position < length; ++position) {
            if (first + siblings > trie.nodes) return false;
            i64 found = first;
            while (found < first + siblings && trie.call[found] != calls[position]) ++found;
            const bool is_known = found < first + siblings;
            deal[count] = number;
            depth[count] = static_cast<u16>(position);
            place[count] = above;
            above = entry[count++] = is_known ? static_cast<u32>(found) : NO_NODE;
            if (!is_known) {
                beyond += length - position - 1;
                break;
            }
            first = trie.first_child[found];
            siblings = trie.child_count[found];
        }
        return true;
    }
};

// Transposes 64 words of 64 bits: bit j of word i becomes bit i of word j. Recursive block swap,
// after Warren, "Hacker's Delight", section 7-3.
inline void transpose_64(u64* square) {
    u64 mask = 0x00000000FFFFFFFFull;
    for (i32 width = 32; width > 0; width /= 2, mask ^= mask << width)
        for (i32 row = 0; row < 64; row = (row + width + 1) & ~width) {
            const u64 swap = (square[row] >> width ^ square[row + width]) & mask;
            square[row] ^= swap << width;
            square[row + width] ^= swap;
        }
}

// Bit columns [expressions][4][deal words] to rows of bits [4 * deals][words].
inline void turn_bits(
    const u64* columns, i64 expressions, i64 deal_words, i64 deals, i64 words, u64* rows) {
    u64 block[64];
    for (i64 word = 0; word < words; ++word)
        for (i64 seat = 0; seat < 4; ++seat)
            for (i64 deal_word = 0; deal_word < deal_words; ++deal_word) {
                for (i64 number = 0; number < 64; ++number) {
                    const i64 expression = 64 * word + number;
                    block[number] = expression < expressions
                                        ? columns[(4 * expression + seat) * deal_words + deal_word]
                                        : 0;
                }
                transpose_64(block);
                const i64 first = 64 * deal_word, count = least<i64>(64, deals - first);
                for (i64 number = 0; number < count; ++number)
                    rows[(4 * (first + number) + seat) * words + word] = block[number];
            }
}

// Criteria of a plan for rows of bits: lists of each variant set, words and masks of each list.
struct Conditions {
    Array<const i64> set_offsets, set_lists, list_offsets, list_words;
    Array<const u64> list_masks;
    Array<const u8> holds_undescribed;

    i64 sets() const { return static_cast<i64>(set_offsets.length) - 1; }
    i64 lists() const { return static_cast<i64>(list_offsets.length) - 1; }

    bool list_holds(i64 list, const u64* row) const {
        for (i64 at = list_offsets.data[list]; at < list_offsets.data[list + 1]; ++at)
            if (list_masks.data[at] & ~row[list_words.data[at]]) return false;
        return true;
    }
    bool set_holds(i64 set, const u64* row) const {
        for (i64 at = set_offsets.data[set]; at < set_offsets.data[set + 1]; ++at)
            if (list_holds(set_lists.data[at], row)) return true;
        return false;
    }
    i64 missing(i64 list, const u64* row) const {
        i64 count = 0;
        for (i64 at = list_offsets.data[list]; at < list_offsets.data[list + 1]; ++at)
            count += bit_count(list_masks.data[at] & ~row[list_words.data[at]]);
        return count;
    }
};

// The nodes of a table, with the conditions under which each holds.
struct ConditionedNodes {
    const Conditions& conditions;
    const u32* variant_set;
    const u8* call;
    i64 count;

    // Whether nodes are there, and have variant sets that are.
    bool are_nodes(i64 first, i64 size) const {
        if (first < 0 || size < 0 || first > count - size) return false;
        for (i64 node = first; node < first + size; ++node)
            if (variant_set[node] >= conditions.sets()) return false;
        return true;
    }
    bool holds(i64 node, const u64* row) const {
        const i64 set = variant_set[node];
        if (set == 0) return conditions.holds_undescribed.data[call[node] == 0];
        return conditions.set_holds(set, row);
    }
};

// Counters of a place's nodes: how often each holds, is the first, and both of a pair hold. Pairs
// (one, later) stand behind those of all earlier ones.
struct SiblingCounters {
    u32 *held, *first, *pairs;

    void add(const i64* found, i64 count, i64 size) const {
        if (count > 0) ++first[found[0]];
        for (i64 one = 0; one < count; ++one) {
            const i64 place = found[one];
            ++held[place];
            u32* const begin = pairs + (place * size - place * (place + 1) / 2);
            for (i64 other = one + 1; other < count; ++other) ++begin[found[other] - place - 1];
        }
    }
};

}  // namespace core
