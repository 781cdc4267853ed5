// From trees to literals, of which all must hold: intervals of linear forms, and other truth values
// (an `or`, a product, HCP != 12). kernels/packing/literals.py is the definition.
#pragma once
#include "trees.hpp"

namespace core {

enum Verdict : i32 { NEVER_HOLDS, ALWAYS_HOLDS, OPEN };

// An interval, low <= value of the form <= high; or a tree whose value is not zero (`positive`),
// or is zero.
struct Literal {
    bool is_interval, positive;
    i32 form, tree;  // one of them
    i64 low, high;

    static Literal interval(i32 form, i64 low, i64 high) {
        return {true, true, form, -1, low, high};
    }
    static Literal opaque(i32 tree, bool positive) { return {false, positive, -1, tree, 0, 0}; }
};

// --- operators of comparison ---------------------------------------------------------------------

inline bool is_comparison(i32 op) { return LESS <= op && op <= MORE; }

// The comparison with its sides exchanged, and the one that holds where this one does not.
inline i32 mirrored(i32 op) { return op == EQUAL || op == UNEQUAL ? op : LESS + MORE - op; }
inline i32 opposite(i32 op) {
    return op == EQUAL ? UNEQUAL : op == UNEQUAL ? EQUAL : op <= AT_MOST ? op + 4 : op - 4;
}

inline bool compares(i32 op, i64 left, i64 right) {
    switch (op) {
        case LESS: return left < right;
        case AT_MOST: return left <= right;
        case EQUAL: return left == right;
        case UNEQUAL: return left != right;
        case AT_LEAST: return left >= right;
        default: return left > right;
    }
}

// --- arithmetic that stays within 64 bits --------------------------------------------------------

constexpr i64 LARGEST_WORD = 0x7FFFFFFFFFFFFFFFll;

inline i64 added(i64 one, i64 other) {
    i64 found;
    if (__builtin_add_overflow(one, other, &found)) return one < 0 ? -LARGEST_WORD : LARGEST_WORD;
    return found;
}
inline i64 multiplied(i64 one, i64 other) {
    i64 found;
    if (__builtin_mul_overflow(one, other, &found))
        return (one < 0) == (other < 0) ? LARGEST_WORD : -LARGEST_WORD;
    return found;
}
inline i64 divided_down(i64 value, i64 divisor) {
    return value / divisor - (value % divisor < 0);
}
inline i64 divided_up(i64 value, i64 divisor) { return value / divisor + (value % divisor > 0); }

inline i64 common_divisor(i64 one, i64 other) {
    while (other != 0) {
        const i64 rest = one % other;
        one = other, other = rest;
    }
    return one < 0 ? -one : one;
}

// --- linear values -------------------------------------------------------------------------------

struct Coefficient {
    i64 factor;  // not zero
    i32 term;
};

// Sums of terms and constants; many share one row of coefficients, each appended by ascending term.
class LinearValues {
  public:
    Vec<Coefficient> parts;

    explicit LinearValues(const Trees& trees) : trees_(trees) {}

    // Appends the coefficients of a tree's value; false if it is not linear.
    bool linear(i32 tree, i64& constant) {
        const Span<i32> row = trees_.trees[static_cast<u64>(tree)];
        const u64 start = parts.count;
        constant = 0;
        switch (row[0]) {
            case T_INT: constant = row[1]; return true;
            case T_TERM: parts.push({1, row[1]}); return true;
            case NEGATED:
                if (!linear(row[1], constant)) return false;
                constant = scaled(start, constant, -1);
                return true;
            case PLUS: case MINUS: case TIMES: break;
            default: return false;
        }
        i64 other;
        if (!linear(row[1], constant)) return false;
        const u64 middle = parts.count;
        if (!linear(row[2], other)) return false;
        if (row[0] != TIMES) {
            constant = combined(start, constant, middle, other, row[0] == PLUS ? 1 : -1);
        } else {
            // one side must be a constant
            if (middle > start && parts.count > middle) return false;
            constant = middle > start ? scaled(start, constant, other)
                                      : scaled(start, other, constant);
        }
        return true;
    }

    // Adds the values from `middle` on, times a factor, to those from `start` on; the constant.
    i64 combined(u64 start, i64 constant, u64 middle, i64 other, i64 factor) {
        const u64 end = parts.count;
        parts.reserve(end + (end - start));
        u64 one = start, two = middle;
        while (one < middle || two < end) {
            const i32 first = one < middle ? parts[one].term : AFTER_ALL;
            const i32 second = two < end ? parts[two].term : AFTER_ALL;
            const bool takes_one = first <= second, takes_two = second <= first;
            Coefficient sum = {0, least(first, second)};
            if (takes_one) sum.factor = parts[one++].factor;
            if (takes_two) sum.factor = added(sum.factor, multiplied(factor, parts[two++].factor));
            if (sum.factor != 0) parts.push(sum);
        }
        drop(start, end);
        return added(constant, multiplied(factor, other));
    }

  private:
    static constexpr i32 AFTER_ALL = 0x7FFFFFFF;  // beyond the numbers of terms
    const Trees& trees_;

    i64 scaled(u64 start, i64 constant, i64 factor) {
        if (factor == 0) parts.resize(start);
        for (u64 at = start; at < parts.count; ++at)
            parts[at].factor = multiplied(parts[at].factor, factor);
        return multiplied(constant, factor);
    }
    // Takes out the items from `start` to `end`.
    void drop(u64 start, u64 end) {
        for (u64 at = end; at < parts.count; ++at) parts[start + at - end] = parts[at];
        parts.resize(parts.count - (end - start));
    }
};

// --- lowering ------------------------------------------------------------------------------------

class LiteralLowering {
  public:
    LiteralLowering(Trees& trees, Vec<Literal>& found) : trees_(trees), found_(found) {}

    // Appends literals whose conjunction is the truth value of a tree (or of its negation); none
    // where it does not depend on the hand.
    Verdict lower(i32 tree, bool positive) {
        const i32 op = word(tree, 0);
        switch (op) {
            case T_INTERVAL:
                return push(positive ? interval_of(tree) : Literal::opaque(tree, false));
            case T_NOT: return lower(word(tree, 1), !positive);
            case T_AND: case T_OR:
                return (op == T_AND) == positive ? conjunction(tree, positive)
                                                 : disjunction(tree, positive);
            default: break;
        }
        const i32 wanted = positive ? op : opposite(op);
        // a number as a truth value: whether it differs from zero
        return is_comparison(op) ? comparison(tree, positive, wanted, word(tree, 1), word(tree, 2))
                                 : comparison(tree, positive, positive ? UNEQUAL : EQUAL, tree, -1);
    }

  private:
    Trees& trees_;
    Vec<Literal>& found_;

    // Words are read one by one, since rows move when others are added.
    i32 word(i32 tree, u64 at) const { return trees_.trees[static_cast<u64>(tree)][at]; }
    u64 operands_end(i32 tree) const { return trees_.trees[static_cast<u64>(tree)].count; }

    Verdict push(const Literal& literal) {
        found_.push(literal);
        return OPEN;
    }
    Literal interval_of(i32 tree) const {
        const Span<i32> row = trees_.trees[static_cast<u64>(tree)];
        const i64 low = joined_words(row[2], row[3]), high = joined_words(row[4], row[5]);
        return Literal::interval(row[1], low, high);
    }

    Verdict conjunction(i32 tree, bool positive) {
        const u64 start = found_.count;
        for (u64 at = 1; at < operands_end(tree); ++at)
            if (lower(word(tree, at), positive) == NEVER_HOLDS) {
                found_.resize(start);
                return NEVER_HOLDS;
            }
        return found_.count > start ? OPEN : ALWAYS_HOLDS;
    }

    Verdict disjunction(i32 tree, bool positive) {
        const u64 start = found_.count;
        i32 open = 0;
        for (u64 at = 1; at < operands_end(tree); ++at) {
            const u64 before = found_.count;
            const Verdict part = lower(word(tree, at), positive);
            if (part == ALWAYS_HOLDS) {
                found_.resize(start);
                return ALWAYS_HOLDS;
            }
            // what the first one came to is left, in case that it is the only one
            if (part == OPEN && open++ > 0) found_.resize(before);
        }
        if (open == 0) return NEVER_HOLDS;
        if (open == 1) return OPEN;
        found_.resize(start);
        return push(Literal::opaque(tree, positive));
    }

    // Compares two trees; the right one is zero where it is -1.
    Verdict comparison(i32 tree, bool positive, i32 op, i32 left, i32 right) {
        LinearValues values(trees_);
        i64 constant = 0, other = 0;
        if (!values.linear(left, constant)) return push(Literal::opaque(tree, positive));
        const u64 middle = values.parts.count;
        if (right >= 0 && !values.linear(right, other))
            return push(Literal::opaque(tree, positive));
        const i64 bound = multiplied(values.combined(0, constant, middle, other, -1), -1);
        if (values.parts.count == 0) return compares(op, 0, bound) ? ALWAYS_HOLDS : NEVER_HOLDS;
        return bounded(tree, positive, op, values.parts, bound);
    }

    Verdict bounded(i32 tree, bool positive, i32 op, const Vec<Coefficient>& parts, i64 bound) {
        const i64 sign = parts[0].factor < 0 ? -1 : 1;
        if (sign < 0) op = mirrored(op), bound = multiplied(bound, -1);
        // 14 * HCP <= 10 is HCP <= 0: one form for all multiples
        i64 divisor = 0;
        for (const Coefficient& part : parts) divisor = common_divisor(divisor, part.factor);
        Vec<i32> form;
        for (const Coefficient& part : parts) {
            const i64 factor = sign * part.factor / divisor;
            // a form has words of 32 bits; what goes beyond them is not understood
            if (factor != static_cast<i32>(factor)) return push(Literal::opaque(tree, positive));
            form.push(part.term);
            form.push(static_cast<i32>(factor));
        }
        const bool has_low = op == MORE || op == AT_LEAST || op == EQUAL || op == UNEQUAL;
        const bool has_high = op == LESS || op == AT_MOST || op == EQUAL || op == UNEQUAL;
        const i64 low = divided_up(has_low ? added(bound, op == MORE) : -UNBOUNDED, divisor);
        const i64 high = divided_down(has_high ? added(bound, -(op == LESS)) : UNBOUNDED, divisor);
        if (low > high) return op == UNEQUAL ? ALWAYS_HOLDS : NEVER_HOLDS;
        const i32 number = trees_.forms.number_of(form.data, form.count);
        if (op == UNEQUAL) return push(Literal::opaque(trees_.interval(number, low, high), false));
        return push(Literal::interval(number, low, high));
    }
};

inline Verdict lower(Trees& trees, i32 tree, bool positive, Vec<Literal>& found) {
    return LiteralLowering(trees, found).lower(tree, positive);
}

}  // namespace core
