// The cascade over one block of deals: depth first, with the *set of deals* that reach a node.
//
// Near the root a set is a row of bits, one for each deal of the block, and a child's set is the
// AND of its parent's with the bit columns of its box. Where few deals are left (`threshold`) the
// set becomes a list of deal numbers, ascending, and a child's list is what passes its box, tested
// on packed words. A set that a child shares with its parent (no criteria) is referred to, never
// copied.
//
// A row of bits is as long where a hundredth of the deals are left. So a level that has spent many
// words on a small set goes on with a selection of its deals: new rows, a bit for each of them, and
// tests on the bytes of their hands. Columns for each selection would cost more than they save.
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

// Numbers of the set bits of whole lines, ascending.
inline void bits_to_list(const u64* bits, u64 first_word, u64 end_word, u16* target) {
    // most words have none where few bits are left
    for (u64 line = first_word; line < end_word; line += LINE_WORDS)
        for (u32 words = words_with_bits(bits + line); words; words &= words - 1) {
            const u64 word = line + static_cast<u64>(lowest_bit(words));
            for (u64 rest = bits[word]; rest; rest &= rest - 1)
                *target++ = static_cast<u16>(64 * word + static_cast<u64>(lowest_bit(rest)));
        }
}

// Keeps the deals whose packed hands pass one box; returns how many. `target` may be `source`.
template <u32 LANES, u32 FLAGS, class Number>
inline u64 filter_by_box(
    const TableTests& tests, const Number* source, u64 size, Number* target, const u64* hands,
    u64 stride, const u64* row) {
    u64 kept = 0;
    for (u64 at = 0; at < size; ++at) {
        const Number deal = source[at];
        target[kept] = deal;
        kept += passes_box<LANES, FLAGS>(tests, hands + deal * stride, row);
    }
    return kept;
}

// Keeps the deals whose packed hands pass a box, or any of a set.
template <class Number>
inline u64 filter_list(
    const TableTests& tests, const Number* source, u64 size, Number* target, const u64* hands,
    u64 stride, u32 number) {
    if (number & SEVERAL_BOXES) {
        u64 kept = 0;
        for (u64 at = 0; at < size; ++at) {
            const Number deal = source[at];
            target[kept] = deal;
            kept += passes_any(tests, hands + deal * stride, number);
        }
        return kept;
    }
    const u64* const row = tests.row(number);
    if (tests.flag_words() == 1 && tests.lane_words() == 1)
        return filter_by_box<1, 1>(tests, source, size, target, hands, stride, row);
    if (tests.flag_words() == 1 && tests.lane_words() == 2)
        return filter_by_box<2, 1>(tests, source, size, target, hands, stride, row);
    return filter_by_box<0, 0>(tests, source, size, target, hands, stride, row);
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
          levels(arena.take<Level>(rows(trie))) {
        const u64 deals = block.count / NARROWING;
        selection.deals = arena.take<u16>(deals);
        selection.is_filled = arena.take<u8>(4 * tests.words());
        selection.squares = arena.take<ByteSquare>(4 * tests.words() * row_words(deals));
    }

    // Words that it takes beside the block.
    static u64 words(const TableTests& tests, const Trie& trie, u64 count, u64 threshold) {
        const u64 deals = count / NARROWING;
        return (rows(trie) + 1) * row_words(count) + Arena::words<u16>(rows(trie) * threshold) +
               Arena::words<u16>(count) + Arena::words<Level>(rows(trie)) +
               Arena::words<u16>(deals) + Arena::words<u8>(4 * tests.words()) +
               Arena::words<ByteSquare>(4 * tests.words() * row_words(deals));
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
        bool is_selected;  // whether bits and words are of the selection, not of the block
        u64 spent;         // words of the block that were ANDed on this level and below it
    };

    // Some deals of the block, on which a subtree is walked. Instead of bit columns it has the bytes of
    // their hands sorted out: `squares` [4][words of a hand][words of a row], each row of them filled
    // when a test asks for it first.
    struct Selection {
        u16* deals;
        ByteSquare* squares;
        u8* is_filled;  // [4][words of a hand]
        u64 count, words;
    };

    // A selection has a sixteenth of the block's deals or fewer, and lists where fewer than FEW are
    // left.
    static constexpr u64 NARROWING = 16, FEW = 8;
    // What a selection costs, in words that are ANDed; measured, and not a narrow optimum.
    static constexpr u64 WORDS_A_DEAL = 12, WORDS_A_SELECTION = 500;

    const TableTests& tests;
    const Trie& trie;
    const DealBlock& block;
    const WalkRequest& request;
    u64 *bits, *scratch;
    u16 *lists, *places;
    Level* levels;
    Selection selection;  // that of the last level that was narrowed

    // Rows of sets: one for the block and each call, and one behind a default pass.
    static u64 rows(const Trie& trie) { return trie.levels() + 2; }
    u64* bits_of(u64 row) const { return bits + row * block.bit_words; }
    u16* list_of(u64 row) const { return lists + row * request.threshold; }

    // Writes the deals of a set of bits.
    void write_deals(
        bool is_selected, const u64* set, u64 first_word, u64 end_word, u64 size,
        u16* target) const {
        bits_to_list(set, first_word, end_word, target);
        if (is_selected)
            for (u64 at = 0; at < size; ++at) target[at] = selection.deals[target[at]];
    }

    // The deals of a set, as a list.
    const u16* deals_of(
        bool is_selected, bool is_list, u64 source, u64 first_word, u64 end_word,
        u64 size) const {
        if (is_list) return list_of(source);
        write_deals(is_selected, bits_of(source), first_word, end_word, size, places);
        return places;
    }

    // Squares of a word of a seat's hands, filled when they are asked for first.
    const ByteSquare* squares_of(u64 seat, u64 word) const {
        const u64 number = seat * tests.words() + word;
        ByteSquare* const squares = selection.squares + number * selection.words;
        if (!selection.is_filled[number]) {
            selection.is_filled[number] = 1;
            fill_squares(block.seat_hands(tests, seat) + word, block.hand_stride(tests),
                         selection.deals, selection.count, squares);
        }
        return squares;
    }

    // As and_columns, on the bytes of the selection's hands.
    u64 and_bytes(
        const u64* source, u64* target, u64 seat, Span<i32> numbers, u64 first, u64 end) const {
        constexpr u64 TOGETHER = 4;
        u64 total = 0;
        for (u64 at = 0; at < numbers.count; at += TOGETHER) {
            // where there are fewer the last one counts several times
            const auto number = [&](u64 test) {
                return static_cast<u64>(numbers.data[least(at + test, numbers.count - 1)]);
            };
            const auto bytes = [&](u64 column) {
                const u64 byte = tests.column_bytes.data[column];
                return squares_of(seat, byte / 8)->row(byte % 8);
            };
            const auto test = [&](u64 column) { return ByteTest(tests.column_tests.data[column]); };
            const u64 a = number(0), b = number(1), c = number(2), d = number(3);
            const u8 *const one = bytes(a), *const two = bytes(b), *const three = bytes(c),
                     *const four = bytes(d);
            const ByteTest test_one = test(a), test_two = test(b), test_three = test(c),
                           test_four = test(d);
            total = 0;
            for (u64 word = first; word < end; ++word) {
                const u64 place = word * sizeof(ByteSquare);
                const u64 bits = source[word] & test_one.bits(one + place) &
                                 test_two.bits(two + place) & test_three.bits(three + place) &
                                 test_four.bits(four + place);
                target[word] = bits;
                total += static_cast<u64>(bit_count(bits));
            }
            source = target;
        }
        return total;
    }

    // Whether the words that a level has spent would have paid for a selection.
    bool is_worth_narrowing(const Level& here) const {
        return !here.is_list && !here.is_selected && here.size <= block.count / NARROWING &&
               2 * row_words(here.size) <= here.end_word - here.first_word &&
               here.spent >= WORDS_A_DEAL * here.size + WORDS_A_SELECTION;
    }

    // Goes on with the deals of a level alone: their bits stand in fewer words, and what is tested
    // lies near the processor, where the columns of a block are larger than its second cache.
    void narrow(Level& here, u64 level) {
        write_deals(false, bits_of(here.source), here.first_word, here.end_word, here.size,
                    selection.deals);
        selection.count = here.size;
        selection.words = row_words(here.size);
        for (u64 number = 0; number < 4 * tests.words(); ++number) selection.is_filled[number] = 0;
        fill_everyone(bits_of(level), here.size);
        here.source = level;
        here.first_word = 0;
        here.end_word = selection.words;
        here.is_selected = true;
    }

    // Fewer deals than this are a list.
    u64 threshold_of(bool is_selected) const {
        return is_selected ? least(request.threshold, FEW) : request.threshold;
    }

    // Has the processor fetch the hands that the calls behind a list are tested on.
    void fetch_hands(const u16* deals, u64 count, u64 level) const {
        const u64* const hands = block.seat_hands(tests, level);
        const u64 stride = block.hand_stride(tests);
        for (u64 at = 0; at < count; ++at) __builtin_prefetch(hands + deals[at] * stride);
    }

    void start() {
        const u64 count = block.count;
        fill_everyone(bits, count);
        const bool is_list = count < request.threshold;
        if (is_list)
            for (u64 deal = 0; deal < count; ++deal) lists[deal] = static_cast<u16>(deal);
        levels[0] = {0, static_cast<i64>(trie.roots()), -1, -1, 0, count, 0, block.bit_words, 0,
                     is_list, false, false, 0};
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
                if (level >= 0) levels[level].spent += here.spent;
                continue;
            }
            if (!is_behind && is_worth_narrowing(here)) narrow(here, static_cast<u64>(level));
            i64 node = here.next;
            u32 box = ALWAYS_BOX;
            if (FIRST && is_behind) {
                // no call holds for the rest
                const u16* const ended =
                    deals_of(here.is_selected, here.is_list, here.source, here.first_word,
                             here.end_word, here.size);
                node = here.pass_node;
                if (node < 0) {
                    end_auctions(here, ended);
                    here.size = 0;
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
            if (box == ALWAYS_BOX) {
                target = source;
            } else if (is_list) {
                kept = filter_list(tests, list_of(source), size, list_of(below),
                                   block.seat_hands(tests, static_cast<u64>(level)),
                                   block.hand_stride(tests), box);
            } else {
                const auto and_tests = [&](u64* row, Span<i32> numbers) {
                    if (here.is_selected)
                        return and_bytes(bits_of(source), row, static_cast<u64>(level) & 3, numbers,
                                         first_word, end_word);
                    return and_columns(bits_of(source), row,
                                       block.seat_columns(tests, static_cast<u64>(level)),
                                       block.bit_words, numbers, first_word, end_word);
                };
                kept = and_box(tests, bits_of(source), bits_of(below), scratch, box, first_word,
                               end_word, and_tests);
                if (!here.is_selected) here.spent += end_word - first_word;
            }
            if (kept == 0) continue;
            if (FIRST) take_away(here, static_cast<u64>(level), kept);
            if (!is_list && (FIRST || box != ALWAYS_BOX)) {
                const u64* const set = bits_of(target);
                while (!words_with_bits(set + first_word)) first_word += LINE_WORDS;
                while (!words_with_bits(set + end_word - LINE_WORDS)) end_word -= LINE_WORDS;
            }
            if (request.counts) request.counts[node] += static_cast<u32>(kept);
            const u64 children = trie.child_count.data[node];
            const bool descends = below < request.max_depth && (children > 0 || FIRST);
            if (!is_list && kept < threshold_of(here.is_selected) && (descends || request.pairs)) {
                // few are left: go on with a list, at this level's own place
                write_deals(here.is_selected, bits_of(target), first_word, end_word, kept,
                            list_of(below));
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
                    write_deals(here.is_selected, bits_of(target), first_word, end_word, kept,
                                deals);
                written += kept;
            }
            if (FIRST && trie.flags.data[node] & COMPLETED) {
                const u16* const ended =
                    deals_of(here.is_selected, is_list, target, first_word, end_word, kept);
                for (u64 at = 0; at < kept; ++at) {
                    request.entry[ended[at]] = static_cast<u32>(node);
                    request.passes[ended[at]] = 0;
                }
                continue;
            }
            if (!descends) continue;
            const bool is_pass = trie.call.data[node] == 0;
            const i64 first_child = static_cast<i64>(trie.first_child.data[node]);
            if (children) {
                // each lies elsewhere: all are fetched at once
                __builtin_prefetch(trie.box.data + first_child);
                __builtin_prefetch(trie.child_count.data + first_child);
                __builtin_prefetch(trie.first_child.data + first_child);
                __builtin_prefetch(trie.flags.data + first_child);
                if (request.counts) __builtin_prefetch(request.counts + first_child, 1);
            }
            if (is_list && target == below) fetch_hands(list_of(below), kept, below);
            levels[below] = {first_child, first_child + static_cast<i64>(children), node, -1, target,
                             kept, first_word, end_word, is_pass ? here.trailing + 1 : 0u, is_list,
                             here.has_bid || !is_pass, here.is_selected, 0};
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
        if (rest < threshold_of(here.is_selected)) {
            write_deals(here.is_selected, left, here.first_word, here.end_word, rest,
                        list_of(level));
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
