// A block of deals as a bidding table's walk takes it: packed hands and, of each seat, a bit column
// for each single test of the boxes.
#pragma once
#include "boxes.hpp"
#include "byte_tests.hpp"
#include "../hands/packing.hpp"
#include "../rows.hpp"

namespace core {

// Numbers of boxes that kernels/plan.py gives.
constexpr u32 ALWAYS_BOX = 0, NEVER_BOX = 1, SEVERAL_BOXES = 1u << 31;

// Boxes as rows of words and as lists of bit columns, sets of boxes, and flags that are set where
// any of some boxes is passed. kernels/core/tables/tables.py says what each array has.
struct TableTests {
    Array<u64> rows;
    Array<i32> column_offsets, box_columns;
    Array<u32> set_offsets, set_boxes;
    Array<u32> column_bytes, column_tests;
    Array<u32> derived_flags, derived_offsets, derived_boxes;
    Array<i32> sizes;  // lane words, flag words

    u64 lane_words() const { return static_cast<u64>(sizes.data[0]); }
    u64 flag_words() const { return static_cast<u64>(sizes.data[1]); }
    u64 words() const { return lane_words() + flag_words(); }
    u64 boxes() const { return column_offsets.length - 1; }
    u64 columns() const { return column_bytes.length; }
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
    const u64 flags = 64 * tests.flag_words();
    return tests.column_offsets.length >= 3 &&
           tests.rows.length == tests.boxes() * 2 * tests.words() &&
           tests.column_tests.length == tests.columns() &&
           tests.derived_offsets.length == tests.derived_flags.length + 1 &&
           are_offsets_into(tests.column_offsets, tests.box_columns.length) &&
           are_offsets_into(tests.set_offsets, tests.set_boxes.length) &&
           are_offsets_into(tests.derived_offsets, tests.derived_boxes.length) &&
           all_below(tests.column_bytes, 8 * tests.words()) &&
           all_below(tests.box_columns, tests.columns()) &&
           all_below(tests.set_boxes, tests.boxes()) && all_below(tests.derived_flags, flags) &&
           all_below(tests.derived_boxes, tests.boxes());
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

// Sets of deals and bit columns are rows of whole cache lines: no loop over them has a rest, and
// several rows at once lie alike in memory. Bits of a set behind the last deal are clear.
constexpr u64 LINE_WORDS = 8, LINE_DEALS = 64 * LINE_WORDS;

inline u64 row_words(u64 deals) { return (deals + LINE_DEALS - 1) / LINE_DEALS * LINE_WORDS; }

// ANDs columns, each `stride` words, into a set of bits; returns how many bits are left. Up to four
// columns in one pass. At least one column; `first` and `end` are of whole lines.
inline u64 and_columns(
    const u64* source, u64* target, const u64* columns, u64 stride, Span<i32> numbers, u64 first,
    u64 end) {
    const auto column = [&](u64 at) {
        return columns + static_cast<u64>(numbers.data[at]) * stride + first;
    };
    // a compiler sees that there is no rest
    const u64 count = numbers.count, words = (end - first) & ~(LINE_WORDS - 1);
    source += first;
    target += first;
    u64 total = 0;
    const u64* const one = column(0);
    if (count == 1) {
        for (u64 word = 0; word < words; ++word) {
            const u64 bits = source[word] & one[word];
            target[word] = bits;
            total += static_cast<u64>(bit_count(bits));
        }
        return total;
    }
    const u64* const two = column(1);
    if (count == 2) {
        for (u64 word = 0; word < words; ++word) {
            const u64 bits = source[word] & one[word] & two[word];
            target[word] = bits;
            total += static_cast<u64>(bit_count(bits));
        }
        return total;
    }
    // of three columns the last one counts twice
    const u64 *const three = column(2), *const four = column(least<u64>(3, count - 1));
    for (u64 word = 0; word < words; ++word) {
        const u64 bits = source[word] & one[word] & two[word] & three[word] & four[word];
        target[word] = bits;
        total += static_cast<u64>(bit_count(bits));
    }
    for (u64 at = 4; at < count; ++at) {
        const u64* const more = column(at);
        total = 0;
        for (u64 word = 0; word < words; ++word) {
            const u64 bits = target[word] & more[word];
            target[word] = bits;
            total += static_cast<u64>(bit_count(bits));
        }
    }
    return total;
}

// `target = source` AND a box, or any box of a set, between two words; returns the bits left.
// `and_tests(row, columns)` writes the AND of `source` with some tests, one at least. `scratch` has
// room for a set.
template <class AndTests>
inline u64 and_box(
    const TableTests& tests, const u64* source, u64* target, u64* scratch, u32 number, u64 first,
    u64 end, const AndTests& and_tests) {
    const auto and_one = [&](u32 box, u64* row) -> u64 {
        const Span<i32> numbers = tests.columns_of(box);
        if (numbers.count) return and_tests(row, numbers);
        // one that no hand passes, or every hand
        u64 total = 0;
        for (u64 word = first; word < end; ++word) {
            row[word] = box == NEVER_BOX ? 0 : source[word];
            total += static_cast<u64>(bit_count(row[word]));
        }
        return total;
    };
    if (!(number & SEVERAL_BOXES)) return and_one(number, target);
    for (u64 word = first; word < end; ++word) target[word] = 0;
    for (const u32 box : tests.members(number)) {
        and_one(box, scratch);
        for (u64 word = first; word < end; ++word) target[word] |= scratch[word];
    }
    u64 total = 0;
    for (u64 word = first; word < end; ++word)
        total += static_cast<u64>(bit_count(target[word]));
    return total;
}

// The same on bit columns.
inline u64 and_box_columns(
    const TableTests& tests, const u64* source, u64* target, u64* scratch, const u64* columns,
    u64 stride, u32 number) {
    return and_box(tests, source, target, scratch, number, 0, stride,
                   [&](u64* row, Span<i32> numbers) {
                       return and_columns(source, row, columns, stride, numbers, 0, stride);
                   });
}

// Bits of so many deals.
inline void fill_everyone(u64* bits, u64 count) {
    const u64 words = row_words(count);
    for (u64 word = 0; word < words; ++word) bits[word] = word < count / 64 ? ~0ull : 0;
    if (count % 64) bits[count / 64] = (1ull << count % 64) - 1;
}

// Sorts the bytes of a word of some hands out, 64 hands a square: of the deals `deals`, or of the
// first `count` where that is null. The hands' words lie `stride` apart.
inline void fill_squares(
    const u64* hands, u64 stride, const u16* deals, u64 count, ByteSquare* squares) {
    // eight words that follow one another go to eight lines
    const u64 whole = count & ~(LINE_WORDS - 1);
    const auto fill = [&](const auto& word) {
        for (u64 at = 0; at < whole; at += LINE_WORDS) {
            u64* const to = squares[at / 64].column(at / LINE_WORDS % LINE_WORDS);
            for (u64 row = 0; row < LINE_WORDS; ++row) to[LINE_WORDS * row] = word(at + row);
        }
        if (whole == count) return;
        u64* const to = squares[whole / 64].column(whole / LINE_WORDS % LINE_WORDS);
        for (u64 row = 0; row < count - whole; ++row) to[LINE_WORDS * row] = word(whole + row);
    };
    if (deals)
        fill([&](u64 at) { return hands[deals[at] * stride]; });
    else
        fill([&](u64 at) { return hands[at * stride]; });
    for (u64 first = 0; first < count; first += 64) squares[first / 64].transpose();
}

// Bit columns of the tests on the packed hands of one seat, of a line's deals at most: a line of each
// column, `row` words apart. The bits behind the last deal are anything. Tests of one word stand
// together (tables.py), since its bytes are sorted out anew for each run of them.
inline void fill_column_lines(
    const TableTests& tests, const u64* hands, u64 stride, u64 count, u64 row, u64* out) {
    const auto word_of = [&](u64 column) { return tests.column_bytes.data[column] / 8; };
    ByteSquare squares[LINE_WORDS];
    const u64 some = (count + 63) / 64;
    for (u64 column = 0; column < tests.columns();) {
        const u64 word = word_of(column);
        fill_squares(hands + word, stride, nullptr, count, squares);
        for (; column < tests.columns() && word_of(column) == word; ++column) {
            const u64 byte = tests.column_bytes.data[column] % 8;
            const ByteTest test(tests.column_tests.data[column]);
            u64* const to = out + column * row;
            for (u64 square = 0; square < some; ++square)
                to[square] = test.bits(squares[square].row(byte));
        }
    }
}

// Works the derived flags out on the bit columns of one seat, 64 hands at once: fills their columns
// and sets them in the packed hands, where both were still zero. `room` has three sets.
inline void derive_columns(
    const TableTests& tests, u64* hands, u64 stride, u64 count, u64* columns, u64* room) {
    const u64 bit_words = row_words(count);
    u64 *const everyone = room, *const holds = room + bit_words, *const one = holds + bit_words;
    fill_everyone(everyone, count);
    for (u64 number = 0; number < tests.derived_flags.length; ++number) {
        const u32 flag = tests.derived_flags.data[number];
        const u64 byte = 8 * tests.lane_words() + flag / 8;
        for (u64 word = 0; word < bit_words; ++word) holds[word] = 0;
        for (const u32 box : tests.boxes_of_derived(number)) {
            and_box_columns(tests, everyone, one, nullptr, columns, bit_words, box);
            for (u64 word = 0; word < bit_words; ++word) holds[word] |= one[word];
        }
        for (u64 column = 0; column < tests.columns(); ++column) {
            const u32 test = tests.column_tests.data[column], bit = 1u << flag % 8;
            if (tests.column_bytes.data[column] != byte || (test & 0xFF) != bit) continue;
            for (u64 word = 0; word < bit_words; ++word)
                columns[column * bit_words + word] =
                    test >> 8 & bit ? holds[word] : everyone[word] & ~holds[word];
        }
        u64* const place = hands + tests.lane_words() + flag / 64;
        for (u64 deal = 0; deal < count; ++deal)
            place[deal * stride] |= (holds[deal / 64] >> deal % 64 & 1) << flag % 64;
    }
}

// Arena of a caller, given out in whole lines from its begin.
struct Arena {
    u64* next;

    explicit Arena(u64* words) {
        const u64 line = 8 * LINE_WORDS, address = reinterpret_cast<u64>(words);
        next = words + (line - address % line) % line / 8;
    }

    // Words that so many items take.
    template <class T = u64>
    static u64 words(u64 count) {
        return (count * sizeof(T) + 8 * LINE_WORDS - 1) / (8 * LINE_WORDS) * LINE_WORDS;
    }
    template <class T = u64>
    T* take(u64 count) {
        T* const taken = reinterpret_cast<T*>(next);
        next += words<T>(count);
        return taken;
    }
};

// A block of deals: packed hands [count][4][words], so that those of a deal share a cache line or
// few, and bit columns where `with_columns` said so.
struct DealBlock {
    u64 *hands, *columns;
    u64 count, bit_words;

    u64* seat_columns(const TableTests& tests, u64 seat) const {
        return columns + (seat & 3) * tests.columns() * bit_words;
    }
    u64* seat_hands(const TableTests& tests, u64 seat) const {
        return hands + (seat & 3) * tests.words();
    }
    // Words from a deal's hand to that of the next.
    static u64 hand_stride(const TableTests& tests) { return 4 * tests.words(); }
};

// Words of an arena that a block of so many deals takes, with what its begin may lose.
inline u64 block_words(const TableTests& tests, u64 count) {
    return LINE_WORDS + Arena::words(4 * count * tests.words()) +
           (4 * tests.columns() + 3) * row_words(count);
}

inline DealBlock fill_block(
    const TableTests& tests, const Packing& packing, const Deals& deals, u64 start, u64 stop,
    bool rotate, bool with_columns, Arena& arena) {
    const u64 count = stop - start, bit_words = row_words(count);
    u64* const hands = arena.take(4 * count * tests.words());
    u64* const columns = arena.take(4 * tests.columns() * bit_words);
    u64* const sets = arena.take(3 * bit_words);
    const DealBlock block = {hands, columns, count, bit_words};
    const u64 stride = block.hand_stride(tests);
    // line by line: what was packed is still in the first cache when its bits are looked at
    for (u64 first = 0; first < count; first += LINE_DEALS) {
        const u64 here = least(LINE_DEALS, count - first);
        pack_hands(packing, deals, start + first, start + first + here, rotate,
                   hands + first * stride, tests.words(), stride);
        if (!with_columns) continue;
        for (u64 seat = 0; seat < 4; ++seat)
            fill_column_lines(tests, block.seat_hands(tests, seat) + first * stride, stride, here,
                              bit_words, block.seat_columns(tests, seat) + first / 64);
    }
    if (!with_columns) {
        derive_flags(tests, hands, 4 * count);
        return block;
    }
    if (tests.derived_flags.length)
        for (u64 seat = 0; seat < 4; ++seat)
            derive_columns(tests, block.seat_hands(tests, seat), stride, count,
                           block.seat_columns(tests, seat), sets);
    return block;
}

}  // namespace core
