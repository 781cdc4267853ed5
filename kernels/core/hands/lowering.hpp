// From expressions to trees of kernel terms: names resolved, chained comparisons split, constants
// folded and put on the right, quick tricks counted in halves. table/language/lowering.py is the
// definition.
#pragma once
#include "literals.hpp"
#include "terms.hpp"

namespace core {

constexpr i32 LONGEST_POSTFIX = 500;        // terms, constants and operators of one tree
constexpr i64 LARGEST_VALUE = 0x7FFFFFFF;   // of any part, either sign: kernels compute in 32 bits
constexpr i32 DEEPEST_LOWERING = 600;       // expressions within each other, formulas written out

enum LoweringErrors : i32 {
    NO_ERROR, UNKNOWN_TERM, TAG_WITHIN, PATTERN_ALONE, SHAPE_ALONE, PATTERN_COMPARED,
    HALF_ALONE, HALF_MULTIPLIED, TOO_LONG, TOO_LARGE, CIRCLE, TOO_DEEP, MALFORMED, BEYOND_32_BITS
};

// What is wrong, at which expression; the size of one that is too long, the bounds of a part.
struct LoweringError {
    i32 kind = NO_ERROR, expression = -1;
    i64 low = 0, high = 0;
};

// What names mean that are no terms of the kernels; name TERM_COUNT is the first of them.
struct Vocabulary {
    enum Kind : i32 { UNKNOWN_NAME, TAG, FORMULA };
    struct Meaning {
        i32 kind, formula;
    };
    Vec<Meaning> meanings;

    // Number of a new name; what it means may be said later, in any order.
    i32 add() { return TERM_COUNT + static_cast<i32>(meanings.push({UNKNOWN_NAME, -1})); }
    void set_formula(i32 name, i32 expression) { at(name) = {FORMULA, expression}; }
    void set_tag(i32 name) { at(name) = {TAG, -1}; }
    Meaning meaning(i32 name) const {
        const i64 number = static_cast<i64>(name) - TERM_COUNT;
        if (number < 0 || number >= static_cast<i64>(meanings.count)) return {UNKNOWN_NAME, -1};
        return meanings[static_cast<u64>(number)];
    }

  private:
    Meaning& at(i32 name) { return meanings[static_cast<u64>(name - TERM_COUNT)]; }
};

// A tree with what is known about its value; no tree (-1) where there is an error.
struct Lowered {
    i32 tree = -1, size = 0;
    i32 scale = 1;  // 2 where the value counts halves
    bool boolean = false;
    bool names_halves = false;  // a term that counts halves is named in the expression
    i64 low = 0, high = 0;

    bool failed() const { return tree < 0; }
};

struct Lowering {
    Trees& trees;
    Terms& terms;
    const Vocabulary& vocabulary;
    LoweringError error;  // of the last call that returned none

    Lowering(Trees& all, Terms& known, const Vocabulary& names)
        : trees(all), terms(known), vocabulary(names) {}

    // Tree of an expression's truth value, with `and` and `or` of two operands; -1 on error.
    i32 tree_of(i32 expression) {
        if (i32 known = cached(trees_, expression); known >= 0) return known;
        depth_ = 0;
        error = {};
        expression_ = expression;
        const Lowered found = is_tag(expression) ? truth_value(true) : truth(lower(expression));
        return cache(trees_, expression, found.tree);
    }

    // The same with `and` and `or` as they are written, which sets of cells are worked out from.
    i32 cells_tree(i32 expression) {
        if (i32 known = cached(cells_trees_, expression); known >= 0) return known;
        if (!is_well_formed(expression)) return failed(MALFORMED, expression).tree;
        const i32 form = word(expression, 0);
        if (form != AND && form != OR && form != NOT) {
            return cache(cells_trees_, expression, tree_of(expression));
        }
        if (cells_depth_ == DEEPEST_LOWERING) return failed(TOO_DEEP, expression).tree;
        ++cells_depth_;
        Vec<i32> operands;
        for (u64 at = 1; at < length(expression); ++at) {
            const i32 operand = cells_tree(word(expression, at));
            if (operand < 0) break;
            operands.push(operand);
        }
        --cells_depth_;
        if (operands.count + 1 < length(expression)) return -1;
        const i32 op = form == AND ? T_AND : form == OR ? T_OR : T_NOT;
        return cache(cells_trees_, expression, trees.tree(op, operands.data, operands.count));
    }

    // Tree of an expression together with the bounds of its value.
    Lowered lower(i32 expression) {
        if (!is_well_formed(expression)) return failed(MALFORMED, expression);
        if (depth_ == DEEPEST_LOWERING) return failed(TOO_DEEP, expression);
        if (static_cast<u64>(expression) < lowered_.count) {
            const Cached& known = lowered_[static_cast<u64>(expression)];
            if (known.state == DONE) return known.found;
            if (known.state == BEGUN) return failed(CIRCLE, expression);
        }
        lowered_.resize(most(lowered_.count, static_cast<u64>(expression) + 1));
        lowered_[static_cast<u64>(expression)].state = BEGUN;
        ++depth_;
        const i32 outer = expression_;
        expression_ = expression;
        const Lowered found = lower_form(expression);
        expression_ = outer;
        --depth_;
        Cached& known = lowered_[static_cast<u64>(expression)];
        known = {found, found.failed() ? NEW : DONE};
        return found;
    }
    u64 bytes() const { return lowered_.bytes() + trees_.bytes() + cells_trees_.bytes(); }

  private:
    enum State : i32 { NEW, BEGUN, DONE };
    struct Cached {
        Lowered found;
        State state;
    };
    Vec<Cached> lowered_;            // by expression
    Vec<i32> trees_, cells_trees_;   // by expression: tree + 1, 0 for unknown
    i32 depth_ = 0, cells_depth_ = 0;
    i32 expression_ = -1;  // that is being lowered

    // Words are read one by one, since rows move when others are added.
    i32 word(i32 expression, u64 at) const { return row(expression)[at]; }
    u64 length(i32 expression) const { return row(expression).count; }
    Span<i32> row(i32 expression) const {
        return trees.expressions[static_cast<u64>(expression)];
    }

    static i32 cached(const Vec<i32>& found, i32 expression) {
        const u64 number = static_cast<u64>(expression);
        return number < found.count ? found[number] - 1 : -1;
    }
    static i32 cache(Vec<i32>& found, i32 expression, i32 tree) {
        if (tree < 0) return tree;
        found.resize(most(found.count, static_cast<u64>(expression) + 1));
        found[static_cast<u64>(expression)] = tree + 1;
        return tree;
    }

    Lowered failed(i32 kind, i32 expression, i64 low = 0, i64 high = 0) {
        error = {kind, expression, low, high};
        return {};
    }

    // Whether a row has the words that its form needs, and operands that came before it.
    bool is_well_formed(i32 expression) const {
        if (expression < 0) return false;
        if (static_cast<u64>(expression) >= trees.expressions.count()) return false;
        const Span<i32> row = trees.expressions[static_cast<u64>(expression)];
        if (row.count < 2) return false;
        u64 step = 1;
        switch (row[0]) {
            case TRUTH: case TERM: case NUMBER: case SHAPE: return row.count == 2;
            case NEGATIVE: case NOT:
                if (row.count != 2) return false;
                break;
            case PRODUCT: case AND: case OR: break;
            case SUM: case COMPARISON:
                if (row.count % 2 != 0 || row.count < 4) return false;
                step = 2;
                break;
            default: return false;
        }
        for (u64 at = 1; at < row.count; at += step)
            if (row[at] < 0 || row[at] >= expression) return false;
        for (u64 at = 2; step == 2 && at < row.count; at += 2) {
            const bool is_sign = row[at] == PLUS || row[at] == MINUS;
            if (row[0] == SUM ? !is_sign : !is_comparison(row[at])) return false;
        }
        return true;
    }

    bool is_tag(i32 expression) const {
        return is_well_formed(expression) && word(expression, 0) == TERM &&
               vocabulary.meaning(word(expression, 1)).kind == Vocabulary::TAG;
    }

    Lowered lower_form(i32 expression) {
        const i32 form = word(expression, 0), value = word(expression, 1);
        switch (form) {
            case TERM:
                return value == TERM_PATTERN ? failed(PATTERN_ALONE, expression) : term(value);
            case NUMBER:
                return value % 2 != 0 ? constant(value, 2) : constant(value / 2);
            case TRUTH: return truth_value(value != 0);
            case SHAPE: return failed(SHAPE_ALONE, expression);
            case COMPARISON: return comparison(expression);
            default: break;
        }
        const u64 step = form == SUM ? 2 : 1;
        if (form == PRODUCT) return product(expression);
        if (form == AND || form == OR)
            for (u64 at = 1; at < length(expression); ++at)
                if (const Lowered part = lower(word(expression, at)); part.failed()) return part;
        Lowered found = lower(value);
        if (form == NEGATIVE) return named(negative(found), found);
        if (form == NOT) return named(negation(found), found);
        if (form != SUM) found = truth(found);
        for (u64 at = 1 + step; at < length(expression) && !found.failed(); at += step) {
            const Lowered operand = lower(word(expression, at));
            if (operand.failed()) return operand;
            found = named(form == SUM ? sum(found, word(expression, at - 1), operand)
                                      : test(form == AND ? T_AND : T_OR, found, truth(operand)),
                          found, operand);
        }
        return found;
    }

    Lowered term(i32 name) {
        Lowered found;
        if (0 <= name && name < TERM_COUNT) {
            const TermTables& tables = terms[name];
            found.tree = trees.tree(T_TERM, name);
            found.size = 1;
            found.scale = tables.halves ? 2 : 1;
            found.low = tables.low;
            found.high = tables.high;
            found.boolean = tables.boolean;
        } else {
            const Vocabulary::Meaning meaning = vocabulary.meaning(name);
            if (meaning.kind == Vocabulary::TAG) return failed(TAG_WITHIN, expression_);
            if (meaning.kind != Vocabulary::FORMULA) return failed(UNKNOWN_TERM, expression_);
            found = lower(meaning.formula);
        }
        // only the name counts: not what a formula behind it is made of
        found.names_halves = found.scale == 2;
        return found;
    }

    static Lowered named(Lowered found, const Lowered& one) {
        found.names_halves = one.names_halves;
        return found;
    }
    static Lowered named(Lowered found, const Lowered& one, const Lowered& other) {
        found.names_halves = one.names_halves || other.names_halves;
        return found;
    }

    // --- values that are known -------------------------------------------------------------------

    Lowered constant(i64 value, i32 scale = 1) {
        Lowered found;
        found.size = 1;
        found.scale = scale;
        found.low = found.high = value;
        found.tree = 0;
        found = checked(found);
        if (!found.failed()) found.tree = trees.tree(T_INT, static_cast<i32>(value));
        return found;
    }
    Lowered truth_value(bool value) {
        Lowered found = constant(value);
        found.boolean = true;
        return found;
    }
    bool is_constant(const Lowered& lowered) const {
        return trees.trees[static_cast<u64>(lowered.tree)][0] == T_INT;
    }

    Lowered checked(const Lowered& found) {
        if (found.size > LONGEST_POSTFIX) return failed(TOO_LONG, expression_, found.size);
        if (found.low < -LARGEST_VALUE || found.high > LARGEST_VALUE)
            return failed(TOO_LARGE, expression_, found.low, found.high);
        return found;
    }

    // --- operators -------------------------------------------------------------------------------

    // The operand's tree under an operator; that it has not failed is up to the caller.
    Lowered of(i32 op, const Lowered& operand, i64 low, i64 high) {
        Lowered found = operand;
        found.size = operand.size + 1;
        found.low = low;
        found.high = high;
        found.boolean = false;
        found = checked(found);
        if (!found.failed()) found.tree = trees.tree(op, operand.tree);
        return found;
    }
    Lowered of(i32 op, const Lowered& left, const Lowered& right, i64 low, i64 high) {
        Lowered found = left;
        found.size = left.size + right.size + 1;
        found.low = low;
        found.high = high;
        found.boolean = false;
        found = checked(found);
        if (!found.failed()) found.tree = trees.tree(op, left.tree, right.tree);
        return found;
    }
    Lowered test(i32 op, const Lowered& left, const Lowered& right) {
        if (left.failed() || right.failed()) return {};
        Lowered found = of(op, left, right, 0, 1);
        found.scale = 1;
        found.boolean = true;
        return found;
    }

    Lowered scaled(const Lowered& lowered, i32 scale) {
        if (lowered.failed() || lowered.scale == scale) return lowered;
        if (is_constant(lowered)) return constant(2 * lowered.low, 2);
        Lowered found = of(TIMES, lowered, constant(2), 2 * lowered.low, 2 * lowered.high);
        found.scale = 2;
        return found;
    }

    Lowered negative(const Lowered& operand) {
        if (operand.failed()) return {};
        if (is_constant(operand)) return constant(-operand.low, operand.scale);
        return of(NEGATED, operand, -operand.high, -operand.low);
    }

    Lowered sum(const Lowered& first, i32 sign, const Lowered& second) {
        const i32 scale = most(first.scale, second.scale);
        const Lowered left = scaled(first, scale), right = scaled(second, scale);
        if (left.failed() || right.failed()) return {};
        const i64 low = left.low + (sign == PLUS ? right.low : -right.high);
        const i64 high = left.high + (sign == PLUS ? right.high : -right.low);
        if (is_constant(left) && is_constant(right)) return constant(low, scale);
        return of(sign, left, right, low, high);
    }

    Lowered product(i32 expression) {
        Lowered found;
        // what a factor is comes before whether the product is allowed
        bool has_half = false;
        for (u64 at = 1; at < length(expression); ++at) {
            const Lowered factor = lower(word(expression, at));
            if (factor.failed()) return factor;
            has_half |= factor.scale == 2;
        }
        if (has_half) return failed(HALF_MULTIPLIED, expression);
        for (u64 at = 1; at < length(expression); ++at) {
            const Lowered factor = lower(word(expression, at));
            found = at == 1 ? factor : named(times(found, factor), found, factor);
            if (found.failed()) return found;
        }
        return found;
    }
    Lowered times(const Lowered& left, const Lowered& right) {
        // both within 32 bits, so nothing is lost in 64
        const i64 one = left.low * right.low, two = left.low * right.high;
        const i64 three = left.high * right.low, four = left.high * right.high;
        if (is_constant(left) && is_constant(right)) return constant(one);
        return of(TIMES, left, right, least(least(one, two), least(three, four)),
                  most(most(one, two), most(three, four)));
    }

    // A number as a truth value: whether it differs from zero.
    Lowered truth(const Lowered& lowered) {
        if (lowered.failed()) return {};
        if (is_constant(lowered)) return named(truth_value(lowered.low != 0), lowered);
        return lowered.boolean ? lowered : test(UNEQUAL, lowered, constant(0));
    }

    Lowered negation(const Lowered& lowered) {
        Lowered found = truth(lowered);
        if (found.failed()) return {};
        if (is_constant(found)) return truth_value(found.low == 0);
        const Span<i32> row = trees.trees[static_cast<u64>(found.tree)];
        const i32 op = row[0], first = row[1];
        if (is_comparison(op)) {
            found.tree = trees.tree(opposite(op), first, row[2]);
            return found;
        }
        if (op == T_NOT) {  // its operand is a truth value already
            found.tree = first;
            --found.size;
            return found;
        }
        found = of(T_NOT, found, 0, 1);
        found.boolean = true;
        return found;
    }

    // --- comparisons -----------------------------------------------------------------------------

    bool is_form(i32 expression, i32 form) const { return word(expression, 0) == form; }
    bool is_pattern(i32 expression) const {
        return is_form(expression, TERM) && word(expression, 1) == TERM_PATTERN;
    }

    Lowered comparison(i32 expression) {
        const u64 count = length(expression);
        bool has_half = false, names_halves = false, has_pattern = false;
        for (u64 at = 1; at < count; at += 2) {
            const i32 operand = word(expression, at);
            has_pattern |= is_form(operand, SHAPE) || is_pattern(operand);
        }
        if (has_pattern) return pattern_comparison(expression);
        for (u64 at = 1; at < count; at += 2) {
            const Lowered part = lower(word(expression, at));
            if (part.failed()) return part;
            has_half |= part.scale == 2;
            names_halves |= part.names_halves;
        }
        if (has_half && !names_halves) return failed(HALF_ALONE, expression);
        Lowered found;
        for (u64 at = 3; at < count; at += 2) {
            const Lowered left = lower(word(expression, at - 2));
            const Lowered right = lower(word(expression, at));
            Lowered step = compare(left, word(expression, at - 1), right);
            if (step.failed()) return step;
            step = truth(step);
            found = at == 3 ? step : test(T_AND, found, step);
            if (found.failed()) return found;
        }
        found.names_halves = names_halves;
        return found;
    }

    Lowered pattern_comparison(i32 expression) {
        if (length(expression) == 4) {
            const i32 op = word(expression, 2);
            i32 one = word(expression, 1), other = word(expression, 3);
            if (is_form(one, SHAPE)) {
                const i32 shape = one;
                one = other;
                other = shape;
            }
            if (is_pattern(one) && is_form(other, SHAPE) && (op == EQUAL || op == UNEQUAL))
                return test(op, term(TERM_PATTERN), constant(word(other, 1)));
        }
        return failed(PATTERN_COMPARED, expression);
    }

    Lowered compare(Lowered left, i32 op, Lowered right) {
        if (is_constant(left) && !is_constant(right)) {
            const Lowered first = left;
            left = right;
            right = first;
            op = mirrored(op);
        }
        const bool by_constant = is_constant(right);
        if (left.boolean && right.boolean && by_constant && (op == EQUAL || op == UNEQUAL))
            return (op == EQUAL) == (right.low != 0) ? left : negation(left);
        const i32 scale = most(left.scale, right.scale);
        left = scaled(left, scale);
        right = scaled(right, scale);
        if (left.failed() || right.failed()) return {};
        if (by_constant && is_constant(left)) return truth_value(compares(op, left.low, right.low));
        return test(op, left, right);
    }
};

}  // namespace core
