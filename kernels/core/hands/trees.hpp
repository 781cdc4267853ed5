// Expressions of a bidding table, and the trees of kernel terms that they become, as numbers.
//
// Both are rows of words (see Rows): what is written alike is the same row, so equality is that of
// two numbers. An expression is the tree that people read (table/language/expression_tree.py), a
// `tree` what it means for kernels (kernels/packing/literals.py).
#pragma once
#include "../memory.hpp"

namespace core {

// Forms of an expression, the first word of its row, and the words behind it:
//   TRUTH value | TERM name | NUMBER halves | SHAPE digits (0x5332) | NEGATIVE e | PRODUCT e e ...
//   SUM e (sign e)... | COMPARISON e (comparison e)... | NOT e | AND e e ... | OR e e ...
// A name is a number of the vocabulary; a sign is PLUS or MINUS; comparisons are operators below.
enum Form : i32 {
    TRUTH, TERM, NUMBER, SHAPE, NEGATIVE, PRODUCT, SUM, COMPARISON, NOT, AND, OR
};

// Operators of trees, and of the programs that some become, which T_END closes (packing.hpp); the
// numbers are those of `OPCODES` in kernels/packing/layout.py.
//   T_TERM term | T_INT value | T_INTERVAL form, low (2 words), high (2 words) | operator t t ...
// `and` and `or` may have any number of operands. A form is a row of (term, coefficient) pairs,
// terms ascending (terms are numbered in the order of their names), the first coefficient positive.
enum Operator : i32 {
    T_TERM, T_INT, LESS, AT_MOST, EQUAL, UNEQUAL, AT_LEAST, MORE, PLUS, MINUS, TIMES, NEGATED,
    T_NOT, T_AND, T_OR, T_END, T_INTERVAL
};

constexpr i64 UNBOUNDED = 1ll << 40;  // no bound; no value of a term comes near it

inline i32 low_word(i64 value) { return static_cast<i32>(static_cast<u64>(value)); }
inline i32 high_word(i64 value) { return static_cast<i32>(static_cast<u64>(value) >> 32); }
inline i64 joined_words(i32 low, i32 high) {
    return static_cast<i64>(static_cast<u64>(static_cast<u32>(low)) |
                            static_cast<u64>(static_cast<u32>(high)) << 32);
}

struct Trees {
    Rows expressions, trees, forms;

    i32 expression(i32 form, const i32* words, u64 count) { return row(expressions, form, words, count); }
    i32 expression(i32 form, i32 word) { return expression(form, &word, 1); }
    i32 truth(bool value) { return expression(TRUTH, value); }
    // A term compared with a number, which is written in halves.
    i32 compared_with(i32 name, i32 comparison, i32 halves) {
        const i32 words[3] = {expression(TERM, name), comparison, expression(NUMBER, halves)};
        return expression(COMPARISON, words, 3);
    }

    i32 tree(i32 op, const i32* words, u64 count) { return row(trees, op, words, count); }
    i32 tree(i32 op, i32 word) { return tree(op, &word, 1); }
    i32 tree(i32 op, i32 left, i32 right) {
        const i32 words[2] = {left, right};
        return tree(op, words, 2);
    }
    i32 interval(i32 form, i64 low, i64 high) {
        const i32 words[5] = {form, low_word(low), high_word(low), low_word(high), high_word(high)};
        return tree(T_INTERVAL, words, 5);
    }

  private:
    static i32 row(Rows& rows, i32 first, const i32* words, u64 count) {
        Vec<i32> whole;
        whole.reserve(count + 1);
        whole.push(first);
        whole.append(words, count);
        return rows.number_of(whole.data, whole.count);
    }
};

}  // namespace core
