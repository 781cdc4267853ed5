// Hands to packed words, which tests look at: one sum of table rows a hand, then the flags that
// take more than that. kernels/packing/layout.py says how; `features` in kernels/reference.py is the
// definition.
#pragma once
#include "terms.hpp"
#include "trees.hpp"

namespace core {

constexpr i32 DEEPEST_PROGRAM = 1024;  // values on a program's stack

// Tables that somebody else owns (Layout, or a caller's arrays). Rows of tables are `stride` words
// apart; of each the first `words` count: lane words, then flag words.
struct Packing {
    i32 words, lane_words, stride;
    const u64* suit_words;     // [4][HOLDINGS][stride], or [4][kind_count][stride]
    const u64* length_words;   // [TABLE_SHAPES][stride], by clubs + 14 * diamonds + 196 * hearts
    const u64* context_words;  // [CONTEXTS][stride], by position + 4 * we + 8 * they vulnerable
    const u8* cards;           // [HOLDINGS], or [kind_count]
    // flags that follow from several suits at once: postfix code of (opcode, operand)
    i32 programs;
    const i32* code;
    const i32* program_starts;
    const i32* program_flags;
    const i32* term_suits;     // [terms of programs][4][HOLDINGS]
    const i32* term_lengths;   // [terms of programs][TABLE_SHAPES]
    const i32* term_contexts;  // [terms of programs][CONTEXTS]
    // flags that follow from lanes and other flags
    i32 derived;
    const i32* derived_tests;
    const i32* derived_flags;
    const Test* tests;
    // number of each holding's row, where holdings that no term tells apart share one; else null
    const u16* kinds = nullptr;  // [HOLDINGS]
    u64 kind_count = HOLDINGS;
};

struct Deals {
    const u64* hands;  // [4][count], by seat: North, East ...
    const u8* dealer;
    const u8* vulnerability;
    u64 count;
};

// Whether the hand whose words lie `stride` apart passes a chain of tests from one on.
__device__ __forceinline__ bool passes_chain(
    const Test* tests, i32 number, const u64* words, u64 stride);

// Where a hand stands in the tables.
struct HandRows {
    u64 holding[4], lengths, context;
};

// Whether the program that begins at an instruction gives anything but zero.
inline bool run_program(const Packing& packing, i32 pointer, const HandRows& hand) {
    i64 stack[DEEPEST_PROGRAM];
    i32 top = -1;
    for (;; ++pointer) {
        const i32 code = packing.code[2 * pointer], operand = packing.code[2 * pointer + 1];
        if (code == T_END) return stack[top] != 0;
        if (code == T_TERM) {
            const i64 term = operand;
            i64 value = packing.term_lengths[term * TABLE_SHAPES + hand.lengths] +
                        packing.term_contexts[term * CONTEXTS + hand.context];
            for (i32 suit = 0; suit < 4; ++suit)
                value += packing.term_suits[(term * 4 + suit) * HOLDINGS + hand.holding[suit]];
            stack[++top] = value;
            continue;
        }
        if (code == T_INT) {
            stack[++top] = operand;
            continue;
        }
        const i64 right = stack[top];
        if (code == NEGATED || code == T_NOT) {
            stack[top] = code == NEGATED ? -right : right == 0;
            continue;
        }
        i64& left = stack[--top];
        switch (code) {
            case LESS: left = left < right; break;
            case AT_MOST: left = left <= right; break;
            case EQUAL: left = left == right; break;
            case UNEQUAL: left = left != right; break;
            case AT_LEAST: left = left >= right; break;
            case MORE: left = left > right; break;
            case PLUS: left = left + right; break;
            case MINUS: left = left - right; break;
            case TIMES: left = left * right; break;
            case T_AND: left = left != 0 && right != 0; break;
            default: left = left != 0 || right != 0; break;
        }
    }
}

// Whether the code from an instruction on is a program: one that ends, leaves one value, and asks
// for terms and room that are there.
inline bool is_program(Span<i32> code, i64 pointer, i64 terms) {
    i64 depth = 0;
    for (; 0 <= pointer && pointer < static_cast<i64>(code.count / 2); ++pointer) {
        const i32 op = code[2 * static_cast<u64>(pointer)];
        const i32 operand = code[2 * static_cast<u64>(pointer) + 1];
        if (op == T_END) return depth == 1;
        if (op < 0 || op > T_END) return false;
        if (op == T_TERM && (operand < 0 || operand >= terms)) return false;
        if (op == T_TERM || op == T_INT)
            ++depth;
        else if (op != NEGATED && op != T_NOT)
            --depth;
        if (depth < 1 || depth > DEEPEST_PROGRAM) return false;
    }
    return false;
}

typedef u64 TwoWords __attribute__((vector_size(16)));

// Rows of tables that are added up, two words at a time: any CPU has vectors as long.
struct TableRows {
    const u64 *clubs, *diamonds, *hearts, *spades, *lengths, *context;

    // As many words as the type has, wherever they lie.
    template <class Words>
    __attribute__((always_inline)) void add(i32 word, u64* out) const {
        Words one, two, three, four, five, six;
        __builtin_memcpy(&one, clubs + word, sizeof one);
        __builtin_memcpy(&two, diamonds + word, sizeof two);
        __builtin_memcpy(&three, hearts + word, sizeof three);
        __builtin_memcpy(&four, spades + word, sizeof four);
        __builtin_memcpy(&five, lengths + word, sizeof five);
        __builtin_memcpy(&six, context + word, sizeof six);
        const Words sum = (one + two) + (three + four) + (five + six);
        __builtin_memcpy(out + word, &sum, sizeof sum);
    }
};

// Flags of a packed hand that no table tells.
inline void pack_more(const Packing& packing, const HandRows& hand, i32 first_word, u64* out) {
    const auto set = [&](i32 flag) {
        out[packing.lane_words + (flag >> 6)] |= 1ull << (flag & 63);
    };
    const i32 first_flag = 64 * (first_word - packing.lane_words);
    for (i32 number = 0; number < packing.programs; ++number)
        if (packing.program_flags[number] >= first_flag &&
            run_program(packing, packing.program_starts[number], hand))
            set(packing.program_flags[number]);
    for (i32 number = 0; number < packing.derived; ++number)
        if (packing.derived_flags[number] >= first_flag &&
            passes_chain(packing.tests, packing.derived_tests[number], out, 1))
            set(packing.derived_flags[number]);
}

// Words of one hand from `first_word` on. WORDS is how many there are, or 0 where a compiler does not
// know; BY_KIND whether the packing has kinds.
template <i32 WORDS = 0, bool BY_KIND = false>
__attribute__((always_inline)) inline void pack_hand(
    const Packing& packing, u64 hand, u64 context, i32 first_word, u64* out) {
    const u64 stride = BY_KIND && WORDS ? WORDS : static_cast<u64>(packing.stride);
    const u64 suit = (BY_KIND ? packing.kind_count : HOLDINGS) * stride;
    const auto row_of = [&](u64 holding) -> u64 {
        return BY_KIND ? packing.kinds[holding] : holding;
    };
    const u64 clubs = hand & 0x1FFF, diamonds = hand >> 13 & 0x1FFF;
    const u64 hearts = hand >> 26 & 0x1FFF, spades = hand >> 39 & 0x1FFF;
    const u64 club_row = row_of(clubs), diamond_row = row_of(diamonds), heart_row = row_of(hearts);
    const u64 lengths = packing.cards[club_row] + 14u * packing.cards[diamond_row] +
                        196u * packing.cards[heart_row];
    const TableRows rows = {packing.suit_words + club_row * stride,
                            packing.suit_words + suit + diamond_row * stride,
                            packing.suit_words + 2 * suit + heart_row * stride,
                            packing.suit_words + 3 * suit + row_of(spades) * stride,
                            packing.length_words + lengths * stride,
                            packing.context_words + context * stride};
    const i32 words = WORDS ? WORDS : packing.words;
    i32 word = first_word;
    for (; word + 2 <= words; word += 2) rows.add<TwoWords>(word, out);
    if (word < words) rows.add<u64>(word, out);
    if (packing.programs | packing.derived)
        pack_more(packing, {{clubs, diamonds, hearts, spades}, lengths, context}, first_word, out);
}

template <i32 WORDS, bool BY_KIND>
inline void pack_some(
    const Packing& packing, const Deals& deals, u64 start, u64 stop, bool rotate, u64* out,
    u64 seat_stride, u64 deal_stride, i32 first_word) {
    const Packing own = packing;  // a copy that nothing else can write to
    for (u32 row = 0; row < 4; ++row) {
        u64* to = out + row * seat_stride;
        for (u64 deal = start; deal < stop; ++deal, to += deal_stride) {
            const u32 first = deals.dealer[deal], sides = deals.vulnerability[deal];
            const u32 seat = (rotate ? first + row : row) & 3;
            const u32 position = (rotate ? row : row - first) & 3;
            const u32 we = sides >> (seat & 1) & 1, they = sides >> (~seat & 1) & 1;
            pack_hand<WORDS, BY_KIND>(
                own, deals.hands[seat * deals.count + deal], position + 4 * we + 8 * they,
                WORDS ? 0 : first_word, to);
        }
    }
}

// Packs the hands of deals `start` to `stop` into `out`: those of a deal `seat_stride` words apart,
// those of a seat `deal_stride`. With `rotate` the first is the dealer's hand and so on, else
// North's. Only words from `first_word` on are written: those that changed (Layout::first_changed),
// where the others are there already.
inline void pack_hands(
    const Packing& packing, const Deals& deals, u64 start, u64 stop, bool rotate, u64* out,
    u64 seat_stride, u64 deal_stride, i32 first_word = 0) {
    const auto pack = !packing.kinds                          ? pack_some<0, false>
                      : packing.words == 2 && first_word == 0 ? pack_some<2, true>
                                                              : pack_some<0, true>;
    pack(packing, deals, start, stop, rotate, out, seat_stride, deal_stride, first_word);
}

}  // namespace core
