// Expressions put together: comparisons whose outcome is known fold away at once, `and` and `or`
// are flat. systems/places/formulas.py is the definition.
#pragma once
#include "../hands/literals.hpp"
#include "text.hpp"

namespace core {

// Whether a number is one that a range names.
inline bool in_range(i32 value, const Range& wanted) {
    for (const i32 other : wanted.also)
        if (value == other) return true;
    return wanted.low <= value && (wanted.high == NO_BOUND || value <= wanted.high);
}

struct Formulas {
    Trees& trees;
    Span<Limits> limits;  // by number of a term; names behind them have none
    Vec<i32> operands;    // of the joins that are being made, the innermost last
    i32 no, yes;          // the two truths

    Formulas(Trees& to, Span<Limits> terms)
        : trees(to), limits(terms), no(to.truth(false)), yes(to.truth(true)) {}

    i32 truth(bool value) const { return value ? yes : no; }
    i32 form_of(i32 expression) const { return trees.expressions[expression][0]; }
    i32 term(i32 name) { return trees.expression(TERM, name); }

    // Comparison of a term with a whole number; a truth where all hands agree on it.
    i32 compared(i32 name, i32 comparison, i32 value) {
        const i32 halves = 2 * value;
        if (static_cast<u64>(name) < limits.count) {
            const Limits& limit = limits[name];
            const bool at_low = compares(comparison, limit.low, halves);
            const bool depends = (comparison == EQUAL || comparison == UNEQUAL) &&
                                 limit.low < halves && halves < limit.high;
            if (at_low == compares(comparison, limit.high, halves) && !depends) return truth(at_low);
        }
        return trees.compared_with(name, comparison, halves);
    }

    // Comparison of two terms.
    i32 terms(i32 first, i32 comparison, i32 second) {
        const i32 words[3] = {term(first), comparison, term(second)};
        return trees.expression(COMPARISON, words, 3);
    }

    // Term in a range from which `shift`, what partner has already, is taken off.
    i32 within(i32 name, const Range& wanted, i32 shift = 0);
    i32 negation(i32 expression);
    i32 conjunction(i32 first, i32 second);
    i32 disjunction(i32 first, i32 second);
};

// Parts that must all hold (AND), or of which one must (OR): flat, without what changes nothing and
// without repetitions. Joins within one another end in the order of a stack.
class Join {
  public:
    Join(Formulas& formulas, i32 form)
        : formulas_(formulas), form_(form), first_(formulas.operands.count) {}
    Join(const Join&) = delete;
    Join& operator=(const Join&) = delete;
    ~Join() { formulas_.operands.resize(first_); }

    // Adds a part; false once the outcome does not depend on others.
    bool add(i32 part) {
        if (is_decided_) return false;
        const Span<i32> row = formulas_.trees.expressions[part];
        if (row[0] == TRUTH) {
            is_decided_ = row[1] == (form_ == OR);
        } else if (row[0] == form_) {
            for (u64 at = 1; at < row.count; ++at) put(row[at]);
        } else {
            put(part);
        }
        return !is_decided_;
    }
    i32 result() const {
        if (is_decided_) return formulas_.truth(form_ == OR);
        const i32* const parts = formulas_.operands.data + first_;
        const u64 count = formulas_.operands.count - first_;
        if (count == 0) return formulas_.truth(form_ == AND);
        return count == 1 ? parts[0] : formulas_.trees.expression(form_, parts, count);
    }

  private:
    static constexpr u64 FEW = 32;
    Formulas& formulas_;
    i32 form_;
    u64 first_;
    bool is_decided_ = false;
    Map seen_;  // once there are more than a few

    void put(i32 part) {
        Vec<i32>& parts = formulas_.operands;
        if (parts.count - first_ < FEW) {
            for (u64 at = first_; at < parts.count; ++at)
                if (parts[at] == part) return;
        } else {
            if (seen_.count == 0)
                for (u64 at = first_; at < parts.count; ++at)
                    seen_.add(static_cast<u64>(parts[at]), 0);
            if (seen_.has(static_cast<u64>(part))) return;
            seen_.add(static_cast<u64>(part), 0);
        }
        parts.push(part);
    }
};

inline i32 Formulas::conjunction(i32 first, i32 second) {
    Join join(*this, AND);
    if (join.add(first)) join.add(second);
    return join.result();
}

inline i32 Formulas::disjunction(i32 first, i32 second) {
    Join join(*this, OR);
    if (join.add(first)) join.add(second);
    return join.result();
}

inline i32 Formulas::within(i32 name, const Range& wanted, i32 shift) {
    i32 inside;
    if (wanted.high == wanted.low) {
        inside = compared(name, EQUAL, wanted.low - shift);
    } else {
        inside = wanted.low <= 0 ? yes : compared(name, AT_LEAST, wanted.low - shift);
        if (wanted.high != NO_BOUND)
            inside = conjunction(inside, compared(name, AT_MOST, wanted.high - shift));
    }
    Join join(*this, OR);
    join.add(inside);
    for (const i32 value : wanted.also) join.add(compared(name, EQUAL, value - shift));
    return join.result();
}

// Opposite of an expression: comparisons turned round, `and` and `or` exchanged.
inline i32 Formulas::negation(i32 expression) {
    // rows move when others are added, so each word is looked up again
    const auto word = [&](u64 at) { return trees.expressions[expression][at]; };
    const u64 count = trees.expressions[expression].count;
    const i32 form = word(0);
    switch (form) {
        case TRUTH: return truth(!word(1));
        case NOT: return word(1);
        case AND:
        case OR: {
            Join join(*this, form == AND ? OR : AND);
            for (u64 at = 1; at < count; ++at)
                if (!join.add(negation(word(at)))) break;
            return join.result();
        }
        case COMPARISON: {
            Join join(*this, OR);
            for (u64 at = 1; at + 2 < count; at += 2) {
                const i32 turned[3] = {word(at), opposite(word(at + 1)), word(at + 2)};
                join.add(trees.expression(COMPARISON, turned, 3));
            }
            return join.result();
        }
        default: return trees.expression(NOT, &expression, 1);
    }
}

// Criteria that must all hold, of an expression; false where it cannot hold.
inline bool criteria_of(const Formulas& formulas, i32 expression, Vec<i32>& criteria) {
    if (expression == formulas.no) return false;
    if (expression == formulas.yes) return true;
    const Span<i32> row = formulas.trees.expressions[expression];
    if (row[0] == AND) criteria.append(row.data + 1, row.count - 1);
    else criteria.push(expression);
    return true;
}

// Bounds that an expression puts on the terms of which players show bounds; those that sets of
// cells tell too (the hull) only if promised. `term_bounds` of systems/auctions/auction_reader.py.
struct TermBounds {
    i32 bounds[TERMS][2];
    u32 known = 0;  // a bit for each term that has bounds

    void put(i32 term, i32 low, i32 high) {
        bounds[term][0] = low;
        bounds[term][1] = high;
        known |= 1u << term;
    }
    // Both bounds hold; where they exclude each other the later one counts.
    void narrow(const TermBounds& later) {
        for (u32 rest = later.known; rest != 0; rest &= rest - 1) {
            const i32 term = lowest_bit(rest);
            i32 low = later.bounds[term][0], high = later.bounds[term][1];
            if (known >> term & 1) {
                low = most(low, bounds[term][0]);
                high = least(high, bounds[term][1]);
            }
            if (low <= high) put(term, low, high);
            else put(term, later.bounds[term][0], later.bounds[term][1]);
        }
    }
    // Bounds that hold whichever of the two it is.
    void widen(const TermBounds& other) {
        known &= other.known;
        for (u32 rest = known; rest != 0; rest &= rest - 1) {
            const i32 term = lowest_bit(rest);
            put(term, least(bounds[term][0], other.bounds[term][0]),
                most(bounds[term][1], other.bounds[term][1]));
        }
    }
    // As rows of needs hold them: the widest where nothing is known.
    void write(i16 (*row)[2]) const {
        for (u32 term = 0; term < TERMS; ++term) {
            const bool is_known = known >> term & 1;
            for (i32 end = 0; end < 2; ++end) {
                const i32 bound = is_known ? bounds[term][end] : end ? WIDEST : -WIDEST;
                row[term][end] = static_cast<i16>(least(most(bound, -WIDEST), WIDEST));
            }
        }
    }
};

inline TermBounds term_bounds(const Text& text, const Trees& trees, i32 expression, bool promised) {
    constexpr i32 HIGH = 127;
    const Span<i32> row = trees.expressions[expression];
    TermBounds found;
    if (row[0] == AND || row[0] == OR) {
        for (u64 at = 1; at < row.count; ++at) {
            const TermBounds part = term_bounds(text, trees, row[at], promised);
            if (at == 1) found = part;
            else if (row[0] == AND) found.narrow(part);
            else found.widen(part);
        }
        return found;
    }
    const bool is_not = row[0] == NOT, is_compared = row[0] == COMPARISON && row.count == 4;
    const Span<i32> term = is_not || is_compared ? trees.expressions[row[1]] : row;
    if (term[0] != TERM) return found;
    const i32 number = text.tracked_number(term[1]);
    if (number < (promised ? 0 : static_cast<i32>(HULL))) return found;
    if (!is_compared) {
        found.put(number, !is_not, is_not ? 0 : HIGH);
        return found;
    }
    const Span<i32> right = trees.expressions[row[3]];
    if (right[0] != NUMBER) return found;
    const i32 value = right[1] >> 1;
    switch (row[2]) {
        case AT_LEAST: found.put(number, value, HIGH); break;
        case MORE: found.put(number, value + 1, HIGH); break;
        case AT_MOST: found.put(number, 0, value); break;
        case LESS: found.put(number, 0, value - 1); break;
        case EQUAL: found.put(number, value, value); break;
        default: break;
    }
    return found;
}

}  // namespace core
