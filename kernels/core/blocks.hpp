// A block of deals as a bidding table's walk takes it: packed hands and, of each seat, a bit column
// for each single test of the boxes.
#pragma once
#include "boxes.hpp"
#include "packing.hpp"
#include "rows.hpp"

namespace core {

// Numbers of boxes that kernels/plan.py gives.
constexpr u32 ALWAYS_BOX = 0, NEVER_BOX = 1, SEVERAL_BOXES = 1u << 31;

// Boxes as rows of words and as lists of bit columns, sets of boxes, and flags that are set where
// any of some boxes is passed. kernels/core/tables.py says what each array has.
struct TableTests {
    Array<u64> rows;
    Array<i32> column_offsets, box_columns;
    Array<u32> set_offsets, set_boxes;
    Array<i32> column_kind, column_low, column_high, lane_highest;
    Array<u32> derived_flags, derived_offsets, derived_boxes;
    Array<i32> sizes;  // lane words, flag words

    u64 lane_words() const { return static_cast<u64>(sizes.data[0]); }
    u64 flag_words() const { return static_cast<u64>(sizes.data[1]); }
    u64 words() const { return lane_words() + flag_words(); }
    u64 boxes() const { return column_offsets.length - 1; }
    u64 columns() const { return column_kind.length; }
    const u64* row(u64 box) const { return rows.data + box * 2 * words(); }
    Span<i32> columns_of(u64 box) const {
        const i32* const offsets = column_offsets.data + box;
        return {box_columns.data + offsets[0], static_cast<u64>(offsets[1] - offsets[0])};
    }
    // Boxes of the set that a number with the bit SEVERAL_BOXES names.
    Span<u32> members(u32 number) const {
        const u32* const offsets = set_offsets.data + (number & ~SEVERAL_BOXES);
        return {set_boxes.data + offsets[0], offsets[1] - offsets[0]};
    }
    Span<u32> boxes_of_derived(u64 number) const {
        const u32* const offsets = derived_offsets.data + number;
        return {derived_boxes.data + offsets[0], offsets[1] - offsets[0]};
    }
};

template <class T>
bool are_offsets_into(const Array<T>& offsets, u64 end) {
    if (offsets.length == 0 || offsets.data[0] != 0) return false;
    for (u64 at = 1; at < offsets.length; ++at)
        if (offsets.data[at] < offsets.data[at - 1]) return false;
    return static_cast<u64>(offsets.data[offsets.length - 1]) <= end;
}

template <class T>
bool all_below(const Array<T>& numbers, u64 end) {
    for (u64 at = 0; at < numbers.length; ++at)
        if (static_cast<u64>(numbers.data[at]) >= end) return false;
    return true;
}

// Whether every number stays within the arrays. A caller looks once: the arrays do not change.
inline bool are_tests(const TableTests& tests) {
    constexpr i32 MOST_WORDS = 1 << 20;
    if (tests.sizes.length != 2 || tests.sizes.data[0] < 1 || tests.sizes.data[1] < 1 ||
        tests.sizes.data[0] > MOST_WORDS || tests.sizes.data[1] > MOST_WORDS)
        return false;
    const u64 lanes = 8 * tests.lane_words(), flags = 64 * tests.flag_words();
    if (tests.column_offsets.length < 3 || tests.rows.length != tests.boxes() * 2 * tests.words() ||
        tests.column_low.length != tests.columns() || tests.column_high.length != tests.columns() ||
        tests.lane_highest.length != lanes ||
        tests.derived_offsets.length != tests.derived_flags.length + 1 ||
        !are_offsets_into(tests.column_offsets, tests.box_columns.length) ||
        !are_offsets_into(tests.set_offsets, tests.set_boxes.length) ||
        !are_offsets_into(tests.derived_offsets, tests.derived_boxes.length) ||
        !all_below(tests.box_columns, tests.columns()) ||
        !all_below(tests.set_boxes, tests.boxes()) || !all_below(tests.derived_flags, flags) ||
        !all_below(tests.derived_boxes, tests.boxes()) || !all_below(tests.lane_highest, 129))
        return false;
    for (u64 column = 0; column < tests.columns(); ++column) {
        const i32 kind = tests.column_kind.data[column], low = tests.column_low.data[column];
        if (kind < -2 || kind >= static_cast<i32>(lanes) || low < 0) return false;
        if (kind < 0 && static_cast<u64>(low) >= flags) return false;
        if (kind >= 0) {
            const i32 highest = tests.lane_highest.data[kind], above = tests.column_high.data[column] + 1;
            if (low > highest || above < 0) return false;
        }
    }
    return true;
}

// Whether a number is of a box or of a set of boxes.
inline bool is_test(const TableTests& tests, u64 number) {
    if (number & SEVERAL_BOXES)
        return number <= 0xFFFFFFFFull && (number & ~SEVERAL_BOXES) + 1 < tests.set_offsets.length;
    return number < tests.boxes();
}

// Whether a hand passes a box. LANES and FLAGS are its words, or 0 where a compiler does not know.
template <u32 LANES, u32 FLAGS>
__attribute__((always_inline)) inline bool passes_box(
    const TableTests& tests, const u64* words, const u64* row) {
    const u64 lanes = LANES ? LANES : tests.lane_words(), flags = FLAGS ? FLAGS : tests.flag_words();
    bool passes = true;
    for (u64 word = 0; word < lanes; ++word) {
        passes &= lanes_inside(words[word], row[word], row[lanes + word]);
        if (!LANES && !passes) return false;
    }
    for (u64 word = 0; word < flags; ++word) {
        passes &= (words[lanes + word] & row[2 * lanes + word]) == row[2 * lanes + flags + word];
        if (!FLAGS && !passes) return false;
    }
    return passes;
}

// Whether a hand passes a box, or any box of a set.
inline bool passes_any(const TableTests& tests, const u64* words, u32 number) {
    if (!(number & SEVERAL_BOXES)) return passes_box<0, 0>(tests, words, tests.row(number));
    for (const u32 box : tests.members(number))
        if (passes_box<0, 0>(tests, words, tests.row(box))) return true;
    return false;
}

// Sets the derived flags of packed hands [count][words], hand by hand.
inline void derive_flags(const TableTests& tests, u64* words, u64 count) {
    const u64 lanes = tests.lane_words();
    for (u64 deal = 0; deal < count; ++deal, words += tests.words())
        for (u64 number = 0; number < tests.derived_flags.length; ++number)
            for (const u32 box : tests.boxes_of_derived(number))
                if (passes_box<0, 0>(tests, words, tests.row(box))) {
                    const u32 flag = tests.derived_flags.data[number];
                    words[lanes + flag / 64] |= 1ull << flag % 64;
                    break;
                }
}

// ANDs columns, each `stride` words, into a set of bits; returns how many bits are left. Up to four
// columns in one pass. At least one column.
inline u64 and_columns(
    const u64* source, u64* target, const u64* columns, u64 stride, Span<i32> numbers, u64 first,
    u64 end) {
    const auto column = [&](u64 at) {
        return columns + static_cast<u64>(numbers.data[at]) * stride;
    };
    const u64 count = numbers.count;
    u64 total = 0;
    const u64* const one = column(0);
    if (count == 1) {
        for (u64 word = first; word < end; ++word) {
            const u64 bits = source[word] & one[word];
            target[word] = bits;
            total += static_cast<u64>(bit_count(bits));
        }
        return total;
    }
    const u64* const two = column(1);
    if (count == 2) {
        for (u64 word = first; word < end; ++word) {
            const u64 bits = source[word] & one[word] & two[word];
            target[word] = bits;
            total += static_cast<u64>(bit_count(bits));
        }
        return total;
    }
    // of three columns the last one counts twice
    const u64 *const three = column(2), *const four = column(least<u64>(3, count - 1));
    for (u64 word = first; word < end; ++word) {
        const u64 bits = source[word] & one[word] & two[word] & three[word] & four[word];
        target[word] = bits;
        total += static_cast<u64>(bit_count(bits));
    }
    for (u64 at = 4; at < count; ++at) {
        const u64* const more = column(at);
        total = 0;
        for (u64 word = first; word < end; ++word) {
            const u64 bits = target[word] & more[word];
            target[word] = bits;
            total += static_cast<u64>(bit_count(bits));
        }
    }
    return total;
}

// `target = source` AND the columns of a box, or of any box of a set, between two words; returns
// the bits left. `scratch` has room for a set.
inline u64 and_box(
    const TableTests& tests, const u64* source, u64* target, u64* scratch, const u64* columns,
    u64 stride, u32 number, u64 first, u64 end) {
    if (!(number & SEVERAL_BOXES)) {
        const Span<i32> numbers = tests.columns_of(number);
        if (numbers.count)
            return and_columns(source, target, columns, stride, numbers, first, end);
        // one that no hand passes, or every hand
        for (u64 word = first; word < end; ++word)
            target[word] = number == NEVER_BOX ? 0 : source[word];
    } else {
        for (u64 word = first; word < end; ++word) target[word] = 0;
        for (const u32 box : tests.members(number)) {
            and_box(tests, source, scratch, nullptr, columns, stride, box, first, end);
            for (u64 word = first; word < end; ++word) target[word] |= scratch[word];
        }
    }
    u64 total = 0;
    for (u64 word = first; word < end; ++word)
        total += static_cast<u64>(bit_count(target[word]));
    return total;
}

// Bits of a whole block.
inline void fill_everyone(u64* bits, u64 count) {
    const u64 words = (count + 63) / 64;
    for (u64 word = 0; word < words; ++word) bits[word] = ~0ull;
    if (count % 64) bits[words - 1] = (1ull << count % 64) - 1;
}

// Transposes 64 words of 64 bits in place: bit j of word i becomes bit i of word j. Recursive swap
// of blocks, after Warren, "Hacker's Delight", section 7-3.
inline void transpose(u64* square) {
    u64 mask = 0x00000000FFFFFFFFull;
    for (u32 width = 32; width; width /= 2, mask ^= mask << width)
        for (u32 row = 0; row < 64; row = (row + width + 1) & ~width) {
            const u64 swap = ((square[row] >> width) ^ square[row + width]) & mask;
            square[row] ^= swap << width;
            square[row + width] ^= swap;
        }
}

// Columns of the tests of lanes, from one pass over the hands for each lane: a hand sets one bit
// in the row of its value, then rows are ORed downwards into "at least v". `unary` has room for
// 130 rows.
inline void lane_columns(
    const TableTests& tests, const u64* hands, u64 count, u64* unary, u64* out) {
    const u64 bit_words = (count + 63) / 64, words = tests.words();
    for (u64 lane = 0; lane < tests.lane_highest.length; ++lane) {
        const u64 highest = static_cast<u64>(tests.lane_highest.data[lane]);
        if (highest == 0) continue;
        for (u64 at = 0; at < (highest + 1) * bit_words; ++at) unary[at] = 0;
        const u64* const place = hands + lane / 8;
        const u64 shift = 8 * (lane % 8);
        for (u64 deal = 0; deal < count; ++deal) {
            const u64 value = least(place[deal * words] >> shift & 0xFF, highest);
            unary[value * bit_words + deal / 64] |= 1ull << deal % 64;
        }
        for (u64 value = highest; value-- > 0;)
            for (u64 word = 0; word < bit_words; ++word)
                unary[value * bit_words + word] |= unary[(value + 1) * bit_words + word];
        for (u64 column = 0; column < tests.columns(); ++column) {
            if (tests.column_kind.data[column] != static_cast<i32>(lane)) continue;
            const u64 above = static_cast<u64>(tests.column_high.data[column]) + 1;
            const u64* const from = unary + static_cast<u64>(tests.column_low.data[column]) * bit_words;
            u64* const to = out + column * bit_words;
            if (above > highest) {
                copy_bytes(to, from, 8 * bit_words);
                continue;
            }
            const u64* const beyond = unary + above * bit_words;
            for (u64 word = 0; word < bit_words; ++word) to[word] = from[word] & ~beyond[word];
        }
    }
}

// Columns of the tests of flags: squares of 64 hands by 64 flags are transposed.
inline void flag_columns(const TableTests& tests, const u64* hands, u64 count, u64* out) {
    const u64 bit_words = (count + 63) / 64, words = tests.words();
    for (u64 flag_word = 0; flag_word < tests.flag_words(); ++flag_word) {
        const i32 base = static_cast<i32>(64 * flag_word);
        const auto is_here = [&](u64 column) {
            const i32 flag = tests.column_low.data[column] - base;
            return tests.column_kind.data[column] < 0 && 0 <= flag && flag < 64;
        };
        bool is_used = false;
        for (u64 column = 0; column < tests.columns(); ++column) is_used |= is_here(column);
        if (!is_used) continue;
        const u64* const place = hands + tests.lane_words() + flag_word;
        for (u64 word = 0; word < bit_words; ++word) {
            u64 square[64];
            for (u64 row = 0; row < 64; ++row) {
                const u64 deal = 64 * word + row;
                square[row] = deal < count ? place[deal * words] : 0;
            }
            transpose(square);
            const u64 tail = word + 1 == bit_words && count % 64 ? (1ull << count % 64) - 1 : ~0ull;
            for (u64 column = 0; column < tests.columns(); ++column) {
                if (!is_here(column)) continue;
                const u64 bits = square[tests.column_low.data[column] - base];
                out[column * bit_words + word] =
                    (tests.column_kind.data[column] == -1 ? bits : ~bits) & tail;
            }
        }
    }
}

// Works the derived flags out on the bit columns of one seat, 64 hands at once: fills their columns
// and sets them in the packed hands, where both were still zero. `room` has three sets.
inline void derive_columns(
    const TableTests& tests, u64* hands, u64 count, u64* columns, u64* room) {
    const u64 bit_words = (count + 63) / 64, words = tests.words();
    u64 *const everyone = room, *const holds = room + bit_words, *const one = holds + bit_words;
    fill_everyone(everyone, count);
    for (u64 number = 0; number < tests.derived_flags.length; ++number) {
        const u32 flag = tests.derived_flags.data[number];
        for (u64 word = 0; word < bit_words; ++word) holds[word] = 0;
        for (const u32 box : tests.boxes_of_derived(number)) {
            and_box(tests, everyone, one, nullptr, columns, bit_words, box, 0, bit_words);
            for (u64 word = 0; word < bit_words; ++word) holds[word] |= one[word];
        }
        for (u64 column = 0; column < tests.columns(); ++column) {
            const i32 kind = tests.column_kind.data[column];
            if (kind >= 0 || static_cast<u32>(tests.column_low.data[column]) != flag) continue;
            for (u64 word = 0; word < bit_words; ++word)
                columns[column * bit_words + word] =
                    kind == -1 ? holds[word] : everyone[word] & ~holds[word];
        }
        u64* const place = hands + tests.lane_words() + flag / 64;
        for (u64 deal = 0; deal < count; ++deal)
            place[deal * words] |= (holds[deal / 64] >> deal % 64 & 1) << flag % 64;
    }
}

// Arena of a caller, given out in words from its begin.
struct Arena {
    u64* next;

    template <class T = u64>
    T* take(u64 count) {
        T* const taken = reinterpret_cast<T*>(next);
        next += (count * sizeof(T) + 7) / 8;
        return taken;
    }
};

// Words that a block of so many deals takes: packed hands, bit columns, and what they come from.
inline u64 highest_of(const TableTests& tests) {
    i32 highest = 0;
    for (u64 lane = 0; lane < tests.lane_highest.length; ++lane)
        highest = most(highest, tests.lane_highest.data[lane]);
    return static_cast<u64>(highest);
}
inline u64 block_words(const TableTests& tests, u64 count) {
    const u64 bit_words = (count + 63) / 64;
    return 4 * count * tests.words() +
           (4 * tests.columns() + highest_of(tests) + 2 + 4) * bit_words;
}

// A block of deals: packed hands [4][count][words], and bit columns where `with_columns` says so.
struct DealBlock {
    u64 *hands, *columns;
    u64 count, bit_words;

    const u64* seat_columns(const TableTests& tests, u64 seat) const {
        return columns + (seat & 3) * tests.columns() * bit_words;
    }
    const u64* seat_hands(const TableTests& tests, u64 seat) const {
        return hands + (seat & 3) * count * tests.words();
    }
};

inline DealBlock fill_block(
    const TableTests& tests, const Packing& packing, const Deals& deals, u64 start, u64 stop,
    bool rotate, bool with_columns, Arena& arena) {
    const u64 count = stop - start, bit_words = (count + 63) / 64, words = tests.words();
    u64* const hands = arena.take(4 * count * words);
    u64* const columns = arena.take(4 * tests.columns() * bit_words);
    u64* const unary = arena.take((highest_of(tests) + 2) * bit_words);
    u64* const sets = arena.take(4 * bit_words);
    pack_hands(packing, deals, start, stop, rotate, hands, words);
    if (!with_columns) {
        derive_flags(tests, hands, 4 * count);
    } else {
        for (u64 seat = 0; seat < 4; ++seat) {
            u64* const own = hands + seat * count * words;
            u64* const out = columns + seat * tests.columns() * bit_words;
            lane_columns(tests, own, count, unary, out);
            flag_columns(tests, own, count, out);
            if (tests.derived_flags.length) derive_columns(tests, own, count, out, sets);
        }
    }
    return {hands, columns, count, bit_words};
}

}  // namespace core
