// The cascade over one block of deals: depth first, with the *set of deals* that reach a node.
//
// Near the root a set is a row of bits, one for each deal of the block, and a child's set is the
// AND of its parent's with the bit columns of its box. Where few deals are left (`threshold`) the
// set becomes a list of deal numbers, ascending, and a child's list is what passes its box, tested
// on packed words. A set that a child shares with its parent (no criteria) is referred to, never
// copied.
//
// Mode "first" is the same walk with one difference: a call takes its deals away from the calls
// behind it. So a level's set is the *rest*, the deals that no sibling has taken yet; what is left
// after the last one passes by default.
#pragma once
#include "blocks.hpp"

namespace core {

constexpr u8 COMPLETED = 1, CAN_COMPLETE = 2;  // flags of a node, as kernels/plan.py has them
constexpr u32 NO_TABLE_ENTRY = 0xFFFFFFFFu;

// Nodes of a table, parents first; see Plan.
struct Trie {
    Array<u32> first_child;
    Array<u16> child_count;
    Array<u32> box;
    Array<u8> call, flags;
    Array<i64> sizes;  // opening calls, calls of the longest auction

    u64 count() const { return box.length; }
    u64 roots() const { return static_cast<u64>(sizes.data[0]); }
    u64 levels() const { return static_cast<u64>(sizes.data[1]); }
};

// Whether children lie behind their parents, within the table, and no auction is longer than the
// trie says. Looked at once, as tests are.
inline bool is_trie(const Trie& trie, const TableTests& tests) {
    const u64 nodes = trie.count();
    if (trie.first_child.length != nodes || trie.child_count.length != nodes ||
        trie.call.length != nodes || trie.flags.length != nodes || trie.sizes.length != 2 ||
        trie.sizes.data[0] < 0 || trie.sizes.data[1] < 0 || trie.roots() > nodes ||
        trie.levels() > 0xFFFF)
        return false;
    Vec<u16> depths;
    depths.resize(nodes);
    for (u64 node = 0; node < nodes; ++node) {
        const u64 below = static_cast<u64>(depths[node]) + 1;
        if (!is_test(tests, trie.box.data[node]) || below > trie.levels()) return false;
        const u64 first = trie.first_child.data[node], children = trie.child_count.data[node];
        if (children == 0) continue;
        if (first <= node || first + children > nodes) return false;
        for (u64 child = first; child < first + children; ++child)
            depths[child] = static_cast<u16>(below);
    }
    return true;
}

// Numbers of the set bits, ascending.
template <class Number>
inline void bits_to_list(const u64* bits, u64 first_word, u64 end_word, Number* target) {
    constexpr u64 TOGETHER = 4;
    u64 size = 0;
    const auto write = [&](u64 word) {
        for (u64 rest = bits[word]; rest; rest &= rest - 1)
            target[size++] = static_cast<Number>(64 * word + static_cast<u64>(lowest_bit(rest)));
    };
    u64 word = first_word;
    // most words have none where few bits are left
    for (; word + TOGETHER <= end_word; word += TOGETHER)
        if (bits[word] | bits[word + 1] | bits[word + 2] | bits[word + 3])
            for (u64 at = word; at < word + TOGETHER; ++at) write(at);
    for (; word < end_word; ++word) write(word);
}

// Keeps the deals whose packed hands pass one box; returns how many. `target` may be `source`.
template <u32 LANES, u32 FLAGS, class Number>
inline u64 filter_by_box(
    const TableTests& tests, const Number* source, u64 size, Number* target, const u64* hands,
    const u64* row) {
    const u64 words = LANES ? LANES + FLAGS : tests.words();
    u64 kept = 0;
    for (u64 at = 0; at < size; ++at) {
        const Number deal = source[at];
        target[kept] = deal;
        kept += passes_box<LANES, FLAGS>(tests, hands + deal * words, row);
    }
    return kept;
}

// Keeps the deals whose packed hands pass a box, or any of a set.
template <class Number>
inline u64 filter_list(
    const TableTests& tests, const Number* source, u64 size, Number* target, const u64* hands,
    u32 number) {
    const u64 words = tests.words();
    if (number & SEVERAL_BOXES) {
        u64 kept = 0;
        for (u64 at = 0; at < size; ++at) {
            const Number deal = source[at];
            target[kept] = deal;
            kept += passes_any(tests, hands + deal * words, number);
        }
        return kept;
    }
    const u64* const row = tests.row(number);
    if (tests.flag_words() == 1 && tests.lane_words() == 1)
        return filter_by_box<1, 1>(tests, source, size, target, hands, row);
    if (tests.flag_words() == 1 && tests.lane_words() == 2)
        return filter_by_box<2, 1>(tests, source, size, target, hands, row);
    return filter_by_box<0, 0>(tests, source, size, target, hands, row);
}

// Takes the deals of a list out of another, where they all are.
inline void remove_from(u16* rest, u64 size, const u16* taken, u64 count) {
    u64 left = 0, place = 0;
    for (u64 at = 0; at < size; ++at)
        if (place < count && taken[place] == rest[at])
            ++place;
        else
            rest[left++] = rest[at];
}

// What a walk is asked for. Counts are raised for each node; pairs (node, deal) come in depth-first
// order of nodes; `entry`, `passes` and `defaults` are those of FirstAuctions.
struct WalkRequest {
    u64 threshold, max_depth;
    bool completed_only, is_first;
    u32* counts;  // null: not wanted
    u32* pair_nodes;
    u16* pair_deals;
    u64 pairs;  // room for them; 0: not wanted
    u32* entry;
    u8* passes;
    u16* defaults;
};

constexpr i64 PAIRS_FULL = -2;

class TrieWalk {
  public:
    TrieWalk(
        const TableTests& tests, const Trie& trie, const DealBlock& block,
        const WalkRequest& request, Arena& arena)
        : tests(tests), trie(trie), block(block), request(request),
          bits(arena.take(rows(trie) * block.bit_words)),
          scratch(arena.take(block.bit_words)),
          lists(arena.take<u16>(rows(trie) * request.threshold)),
          places(arena.take<u16>(block.count)),
          levels(arena.take<Level>(rows(trie))) {}

    // Words that it takes beside the block.
    static u64 words(const Trie& trie, u64 count, u64 threshold) {
        return (rows(trie) + 1) * ((count + 63) / 64) + rows(trie) * threshold / 4 + count / 4 +
               rows(trie) * sizeof(Level) / 8 + 8;
    }

    // Pairs that were written, or PAIRS_FULL.
    i64 run() {
        if (request.is_first) return walk<true>();
        return walk<false>();
    }

  private:
    // A set of deals, the calls that are still to be tried on it, and how the auction stands.
    struct Level {
        i64 next, end;        // nodes
        i64 node, pass_node;  // the one whose set this is, and its pass; -1: none
        u64 source;           // number of the row that has the set
        u64 size, first_word, end_word;
        u32 trailing;  // passes at the end
        bool is_list, has_bid;
    };

    const TableTests& tests;
    const Trie& trie;
    const DealBlock& block;
    const WalkRequest& request;
    u64 *bits, *scratch;
    u16 *lists, *places;
    Level* levels;

    // Rows of sets: one for the block and each call, and one behind a default pass.
    static u64 rows(const Trie& trie) { return trie.levels() + 2; }
    u64* bits_of(u64 row) const { return bits + row * block.bit_words; }
    u16* list_of(u64 row) const { return lists + row * request.threshold; }

    // Numbers of the deals of a set.
    const u16* deals_of(bool is_list, u64 source, u64 first_word, u64 end_word) const {
        if (is_list) return list_of(source);
        bits_to_list(bits_of(source), first_word, end_word, places);
        return places;
    }

    // Has the processor fetch the hands that the calls behind a list are tested on.
    void fetch_hands(const u16* deals, u64 count, u64 level) const {
        const u64* const hands = block.seat_hands(tests, level);
        const u64 words = tests.words();
        for (u64 at = 0; at < count; ++at) __builtin_prefetch(hands + deals[at] * words);
    }

    void start() {
        const u64 count = block.count;
        fill_everyone(bits, count);
        const bool is_list = count < request.threshold;
        if (is_list)
            for (u64 deal = 0; deal < count; ++deal) lists[deal] = static_cast<u16>(deal);
        levels[0] = {0, static_cast<i64>(trie.roots()), -1, -1, 0, count, 0, block.bit_words, 0,
                     is_list, false};
        if (request.is_first)
            for (u64 deal = 0; deal < count; ++deal) request.defaults[deal] = 0;
    }

    // Ends the auctions of the deals of a level for which no call holds.
    void end_auctions(const Level& here, const u16* deals) const {
        const u32 left = (here.has_bid ? 3u : 4u) - here.trailing;
        for (u64 at = 0; at < here.size; ++at) {
            request.entry[deals[at]] =
                here.node < 0 ? NO_TABLE_ENTRY : static_cast<u32>(here.node);
            request.passes[deals[at]] = static_cast<u8>(left);
            request.defaults[deals[at]] = static_cast<u16>(request.defaults[deals[at]] + left);
        }
    }

    template <bool FIRST>
    i64 walk() {
        start();
        u64 written = 0;
        for (i64 level = 0; level >= 0;) {
            Level& here = levels[level];
            const bool is_behind = here.next == here.end;
            if (here.size == 0 || (is_behind && !FIRST)) {
                --level;
                continue;
            }
            i64 node = here.next;
            u32 box = ALWAYS_BOX;
            if (FIRST && is_behind) {
                // no call holds for the rest
                const u16* const ended =
                    deals_of(here.is_list, here.source, here.first_word, here.end_word);
                node = here.pass_node;
                if (node < 0) {
                    end_auctions(here, ended);
                    --level;
                    continue;
                }
                for (u64 at = 0; at < here.size; ++at) ++request.defaults[ended[at]];
            } else {
                here.next = node + 1;
                if (FIRST && trie.call.data[node] == 0 && here.pass_node < 0) here.pass_node = node;
                box = trie.box.data[node];
                if (node + 1 < here.end) {
                    const u32 next = trie.box.data[node + 1];
                    if (here.is_list)
                        __builtin_prefetch(tests.row(next & ~SEVERAL_BOXES));
                    else
                        __builtin_prefetch(tests.column_offsets.data + (next & ~SEVERAL_BOXES));
                }
                if (box == NEVER_BOX ||
                    (request.completed_only && !(trie.flags.data[node] & CAN_COMPLETE)))
                    continue;
            }
            const u64 below = static_cast<u64>(level) + 1;
            const u64 source = here.source, size = here.size;
            u64 target = below, kept = size, first_word = here.first_word, end_word = here.end_word;
            bool is_list = here.is_list;
            if (box == ALWAYS_BOX)
                target = source;
            else if (is_list)
                kept = filter_list(tests, list_of(source), size, list_of(below),
                                   block.seat_hands(tests, static_cast<u64>(level)), box);
            else
                kept = and_box(tests, bits_of(source), bits_of(below), scratch,
                               block.seat_columns(tests, static_cast<u64>(level)), block.bit_words,
                               box, first_word, end_word);
            if (kept == 0) continue;
            if (FIRST) take_away(here, static_cast<u64>(level), kept);
            if (!is_list) {
                const u64* const set = bits_of(target);
                while (set[first_word] == 0) ++first_word;
                while (set[end_word - 1] == 0) --end_word;
            }
            if (request.counts) request.counts[node] += static_cast<u32>(kept);
            const u64 children = trie.child_count.data[node];
            const bool descends = below < request.max_depth && (children > 0 || FIRST);
            if (!is_list && kept < request.threshold && (descends || request.pairs)) {
                // few are left: go on with a list, at this level's own place
                bits_to_list(bits_of(target), first_word, end_word, list_of(below));
                target = below;
                is_list = true;
            }
            if (request.pairs &&
                (!request.completed_only || trie.flags.data[node] & COMPLETED)) {
                if (written + kept > request.pairs) return PAIRS_FULL;
                for (u64 at = 0; at < kept; ++at)
                    request.pair_nodes[written + at] = static_cast<u32>(node);
                u16* const deals = request.pair_deals + written;
                if (is_list)
                    copy_bytes(deals, list_of(target), kept * sizeof(u16));
                else
                    bits_to_list(bits_of(target), first_word, end_word, deals);
                written += kept;
            }
            if (FIRST && trie.flags.data[node] & COMPLETED) {
                const u16* const ended = deals_of(is_list, target, first_word, end_word);
                for (u64 at = 0; at < kept; ++at) {
                    request.entry[ended[at]] = static_cast<u32>(node);
                    request.passes[ended[at]] = 0;
                }
                continue;
            }
            if (!descends) continue;
            const bool is_pass = trie.call.data[node] == 0;
            const i64 first_child = static_cast<i64>(trie.first_child.data[node]);
            if (is_list && target == below) fetch_hands(list_of(below), kept, below);
            levels[below] = {first_child, first_child + static_cast<i64>(children), node, -1, target,
                             kept, first_word, end_word, is_pass ? here.trailing + 1 : 0u, is_list,
                             here.has_bid || !is_pass};
            ++level;
        }
        return static_cast<i64>(written);
    }

    // Takes the deals that a call has, in the row below, away from the rest of its level.
    void take_away(Level& here, u64 level, u64 kept) {
        const u64 size = here.size, rest = size - kept;
        here.size = rest;
        if (rest == 0) return;
        if (here.is_list) {
            remove_from(list_of(here.source), size, list_of(level + 1), kept);
            return;
        }
        u64* const left = bits_of(here.source);
        const u64* const taken = bits_of(level + 1);
        for (u64 word = here.first_word; word < here.end_word; ++word) left[word] &= ~taken[word];
        if (rest < request.threshold) {
            bits_to_list(left, here.first_word, here.end_word, list_of(level));
            here.source = level;
            here.is_list = true;
        }
    }
};

// Sorts (node, place) pairs by deal, keeping their order. `order` [count] is the deal at each place
// of the block; `totals` [count] becomes the number of entries of each deal; the first `limit` of
// each go to `entries`, whose filled length is returned.
inline u64 group_pairs(
    const u32* nodes, const u16* places, u64 pairs, const u32* order, u64 count, u64 limit,
    u64* totals, u32* entries) {
    for (u64 deal = 0; deal < count; ++deal) totals[deal] = 0;
    for (u64 pair = 0; pair < pairs; ++pair) ++totals[order[places[pair]]];
    Vec<u64> next, end;
    next.resize(count);
    end.resize(count);
    u64 filled = 0;
    for (u64 deal = 0; deal < count; ++deal) {
        next[deal] = filled;
        filled += least(totals[deal], limit);
        end[deal] = filled;
    }
    for (u64 pair = 0; pair < pairs; ++pair) {
        const u64 deal = order[places[pair]];
        if (next[deal] < end[deal]) entries[next[deal]++] = nodes[pair];
    }
    return filled;
}

}  // namespace core
