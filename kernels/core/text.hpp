// The conditions, phrases and call patterns of a system's text, as rows of words that
// systems/text_rows.py writes and describes. They are checked once, when they are read, and
// trusted from then on.
//
//   FORMAT | first word of each section, and the end | sections, each some records of one type
//
// Whatever has several parts (operands, suits, parameters) names a part of the section `lists`.
#pragma once
#include "facts.hpp"
#include "terms.hpp"
#include "trees.hpp"

namespace core {

constexpr i32 TEXT_FORMAT = 0x42435431;
constexpr i32 NO_BOUND = 1 << 30;      // of a range
constexpr i32 LARGEST_NUMBER = 1 << 28;  // numbers of a text lie between this and its negative
constexpr i32 DEEPEST_EXPRESSION = 256, DEEPEST_CONDITION = 256;
constexpr u64 VARIABLES = 8, ROLES = 9;

// What a phrase is lowered by: functions of conditions.hpp, which have the names of those of
// systems/reference/conditions.py. REFUSED is a phrase that makes no sense anywhere.
enum class Operation : i32 {
    REFUSED, ALWAYS, FACT, NAMED, MEASURE, IN_SUIT, FLAG, STOPPER, FIRST_ROUND_CONTROL,
    SECOND_ROUND_CONTROL, LENGTH_BESIDE, LENGTH_AGAINST, LONGEST_OUTSIDE_THEIRS, COMBINED,
    COMBINED_CARDS, IN_TRUMPS, LAW, ENOUGH_POINTS, REMOTE, OPERATIONS
};

enum class Joining : i32 { ALL_OF, ANY_OF, NOT_THIS, PHRASE, JOININGS };

// What a suit word is. FIXED has a strain (1-5 = C D H S N), VARIABLE its number, SUITS packed
// letters whatever the auction, ROLE the number of a role, OTHER nothing: it is no suit.
enum class WordKind : i32 { FIXED, VARIABLE, SUITS, ROLE, OTHER, WORD_KINDS };

// What several suits of a word mean: a test of all, which holds for no suit at all or does not,
// or of one of them.
enum class SuitsJoin : i32 { ALL, ALL_OR_NONE, ANY, SUITS_JOINS };

// The first six are the numbers that questions of kind BID have.
enum class CallKind : i32 {
    BID, CHEAPEST, JUMP, DOUBLE_JUMP, GAME, TRANSFER, PASS, DOUBLE, REDOUBLE, ANY, ANY_BID,
    CALL_KINDS
};

enum class NameKind : i32 { FORMULA, TAG, UNKNOWN, NAME_KINDS };

// Which operands a question takes from its phrase.
enum class Operands : i32 { NONE, OF_SUITS, OF_STRAIN, OPERANDS };

struct Limits {
    i32 low, high;  // of a term, in halves
};

struct Name {
    i32 kind, formula;  // formula: an expression, -1 for none
};

struct Written {  // an expression (forms of trees.hpp) or a condition (Joining)
    i32 form, first, count;
};

// A term of each suit.
struct SuitTerms {
    i32 terms[4];  // C D H S
};

struct Word {
    i32 kind, value, join, notrump;
};

struct CallPattern {
    i32 kind, level, strain;  // level 0 is n, -1 none; strain a word, -1 for none
};

struct QuestionForm {
    i32 kind, who, count, low, high, also[2], calls[2], number, negated, operands, of_pattern;
};

struct Phrase {
    i32 operation;
    i32 fault;  // whether it makes no sense once it comes to its numbers
    i32 first_suit, suits;
    i32 low, high, first_also, also;
    i32 term, stem, second_stem, comparison;
    i32 shown_term, is_combined, at_best, without_term;  // shown_term -1: the term itself
    i32 first_role, roles;
    i32 pattern, points;
    i32 target;  // expression, question or definition
};

struct Definition {
    i32 condition, first, count;  // parameters
};

// A range that a phrase asks for.
struct Range {
    i32 low, high;
    Span<i32> also;
};

struct Text {
    Span<Limits> limits;      // by number of a term
    Span<i32> tracked;        // [TERMS] terms of which players show bounds
    Span<Name> names;         // those behind the terms
    Span<Written> expressions;
    Span<SuitTerms> stems;
    Span<Word> words;
    Span<CallPattern> patterns;
    Span<QuestionForm> questions;
    Span<Phrase> phrases;
    Span<Written> conditions;
    Span<Definition> defines;
    Span<i32> lists;

    // Takes rows; false, and nothing is to be used then, if they are not what an encoder writes.
    bool read(const i32* rows, u64 count) {
        rows_.clear();
        rows_.append(rows, count);
        return take_sections() && numbers_fit() && expressions_fit() && names_fit() &&
               calls_fit() && questions_fit() && phrases_fit() && conditions_fit();
    }

    Span<i32> list(i32 first, i32 count) const {
        return {lists.data + first, static_cast<u64>(count)};
    }
    Span<i32> suits_of(const Phrase& phrase) const { return list(phrase.first_suit, phrase.suits); }
    Range range_of(const Phrase& phrase) const {
        return {phrase.low, phrase.high, list(phrase.first_also, phrase.also)};
    }
    // Number that players' bounds of a term are kept by, -1 for a term that is not tracked.
    i32 tracked_number(i32 term) const {
        for (u64 number = 0; number < tracked.count; ++number)
            if (tracked[number] == term) return static_cast<i32>(number);
        return -1;
    }

  private:
    static constexpr u64 SECTIONS = 12, HEADER = SECTIONS + 2;
    Vec<i32> rows_;

    static bool is_below(i32 number, u64 count) {
        return number >= 0 && static_cast<u64>(number) < count;
    }
    static bool is_none_or_below(i32 number, u64 count) {
        return number == -1 || is_below(number, count);
    }
    static bool is_small(i32 number) {
        return -LARGEST_NUMBER <= number && number <= LARGEST_NUMBER;
    }
    static bool is_flag(i32 value) { return value == 0 || value == 1; }
    template <class T>
    static bool is_one_of(i32 value, T end) { return 0 <= value && value < static_cast<i32>(end); }
    bool is_list(i32 first, i32 count) const {
        return first >= 0 && count >= 0 &&
               static_cast<u64>(first) + static_cast<u64>(count) <= lists.count;
    }

    template <class T>
    bool take(Span<T>& section, u64 number) const {
        const u64 first = static_cast<u64>(rows_[1 + number]);
        const u64 end = static_cast<u64>(rows_[2 + number]);
        section = {reinterpret_cast<const T*>(rows_.data + first), (end - first) * 4 / sizeof(T)};
        return (end - first) * 4 % sizeof(T) == 0;
    }
    bool take_sections() {
        if (rows_.count < HEADER || rows_.count >= 1ull << 30) return false;
        if (rows_[0] != TEXT_FORMAT) return false;
        if (rows_[1] != HEADER || static_cast<u64>(rows_[HEADER - 1]) != rows_.count) return false;
        for (u64 number = 2; number < HEADER; ++number)
            if (rows_[number] < rows_[number - 1]) return false;
        return take(limits, 0) && take(tracked, 1) && take(names, 2) && take(expressions, 3) &&
               take(stems, 4) && take(words, 5) && take(patterns, 6) && take(questions, 7) &&
               take(phrases, 8) && take(conditions, 9) && take(defines, 10) && take(lists, 11);
    }
    bool numbers_fit() const {
        for (const Limits& one : limits)
            if (!is_small(one.low) || !is_small(one.high) || one.low > one.high) return false;
        for (const i32 term : tracked)
            if (!is_below(term, limits.count)) return false;
        for (const SuitTerms& stem : stems)
            for (const i32 term : stem.terms)
                if (!is_below(term, limits.count)) return false;
        return limits.count == TERM_COUNT && tracked.count == TERMS;
    }

    // Operands stand before what they are operands of, so there are no circles.
    bool expressions_fit() const {
        Vec<i32> depths;
        for (u64 number = 0; number < expressions.count; ++number) {
            const Written& row = expressions[number];
            if (!is_list(row.first, row.count) || !form_fits(row)) return false;
            i32 depth = 0;
            for (const i32 operand : operands(row)) {
                if (!is_below(operand, number)) return false;
                depth = most(depth, depths[operand]);
            }
            if (depth >= DEEPEST_EXPRESSION) return false;
            depths.push(depth + 1);
        }
        return true;
    }
    bool form_fits(const Written& row) const {
        const i32 count = row.count;
        const i32* const parts = lists.data + row.first;
        switch (row.form) {
            case TRUTH: return count == 1 && is_flag(parts[0]);
            case TERM: return count == 1 && is_below(parts[0], limits.count + names.count);
            case NUMBER: return count == 1 && is_small(parts[0]);
            case SHAPE: return count == 1 && is_below(parts[0], 1 << 16);
            case NEGATIVE:
            case NOT: return count == 1;
            case PRODUCT:
            case AND:
            case OR: return count >= 2;
            case SUM:
            case COMPARISON: break;
            default: return false;
        }
        const bool compares = row.form == COMPARISON;
        const i32 lowest = compares ? LESS : PLUS, highest = compares ? MORE : MINUS;
        for (i32 at = 1; at < count; at += 2)
            if (parts[at] < lowest || parts[at] > highest) return false;
        return count >= 3 && count % 2 == 1;
    }
    // Operands of an expression; signs between them are left out.
    struct OperandList {
        const i32 *data, *stop;
        i32 step;
        struct At {
            const i32* at;
            i32 step;
            bool operator!=(const At& other) const { return at < other.at; }
            const i32& operator*() const { return *at; }
            void operator++() { at += step; }
        };
        At begin() const { return {data, step}; }
        At end() const { return {stop, step}; }
    };
    OperandList operands(const Written& row) const {
        const i32* const first = lists.data + row.first;
        if (row.form <= SHAPE) return {first, first, 1};
        return {first, first + row.count, row.form == SUM || row.form == COMPARISON ? 2 : 1};
    }

    // A formula names only what stands before it.
    bool names_fit() const {
        Vec<i32> highest;
        for (const Written& row : expressions) {
            i32 name = row.form == TERM ? lists[row.first] : -1;
            for (const i32 operand : operands(row)) name = most(name, highest[operand]);
            highest.push(name);
        }
        for (u64 number = 0; number < names.count; ++number) {
            const Name& name = names[number];
            if (!is_one_of(name.kind, NameKind::NAME_KINDS)) return false;
            const bool has_formula = name.kind == static_cast<i32>(NameKind::FORMULA);
            if (!has_formula) {
                if (name.formula != -1) return false;
                continue;
            }
            const i32 own = static_cast<i32>(limits.count + number);
            if (!is_below(name.formula, expressions.count)) return false;
            if (highest[name.formula] >= own) return false;
        }
        return true;
    }

    bool calls_fit() const {
        for (const Word& word : words)
            if (!word_fits(word)) return false;
        for (const CallPattern& pattern : patterns)
            if (!is_one_of(pattern.kind, CallKind::CALL_KINDS) || pattern.level < -1 ||
                pattern.level > 7 || !is_none_or_below(pattern.strain, words.count))
                return false;
        return true;
    }
    static bool word_fits(const Word& word) {
        if (!is_one_of(word.join, SuitsJoin::SUITS_JOINS) || !is_flag(word.notrump)) return false;
        switch (static_cast<WordKind>(word.kind)) {
            case WordKind::FIXED: return 1 <= word.value && word.value <= NOTRUMP;
            case WordKind::VARIABLE: return is_below(word.value, VARIABLES);
            case WordKind::ROLE: return is_below(word.value, ROLES);
            case WordKind::OTHER: return word.value == 0;
            case WordKind::SUITS: break;
            default: return false;
        }
        if (!is_below(word.value, 1 << 12)) return false;
        for (i32 rest = word.value; rest != 0; rest >>= 3)
            if ((rest & 7) < 1 || (rest & 7) > 4) return false;
        return true;
    }

    bool questions_fit() const {
        for (const QuestionForm& form : questions) {
            const bool fits = PASSED_HAND <= form.kind && form.kind < KINDS &&
                              is_below(form.who, 16) && is_small(form.count) &&
                              is_small(form.low) && is_small(form.high) &&
                              is_flag(form.negated) && is_flag(form.of_pattern) &&
                              is_one_of(form.operands, Operands::OPERANDS) && number_fits(form);
            if (!fits) return false;
        }
        return true;
    }
    static bool number_fits(const QuestionForm& form) {
        switch (form.kind) {
            case HAS_SHOWN:
            case MAY_HAVE: return is_below(form.number, form.count == 0 ? TERMS : TERMS - 3);
            case HAS_CALLED:
            case LAST_CALLS_TAG:
            case LAST_BID: return is_none_or_below(form.number, 64 * TAG_WORDS);
            case AVAILABLE: return is_below(form.number, 3);
            default: return is_small(form.number);
        }
    }

    bool phrases_fit() const {
        for (const Phrase& phrase : phrases)
            if (!parts_fit(phrase) || !operation_fits(phrase)) return false;
        return true;
    }
    bool parts_fit(const Phrase& phrase) const {
        if (!is_list(phrase.first_suit, phrase.suits) ||
            !is_list(phrase.first_role, phrase.roles) || !is_list(phrase.first_also, phrase.also))
            return false;
        for (const i32 word : suits_of(phrase))
            if (!is_below(word, words.count)) return false;
        for (const i32 word : list(phrase.first_role, phrase.roles))
            if (!is_below(word, words.count)) return false;
        for (const i32 value : list(phrase.first_also, phrase.also))
            if (!is_small(value)) return false;
        const bool compares = phrase.comparison == -1 ||
                              (LESS <= phrase.comparison && phrase.comparison <= MORE);
        return is_flag(phrase.fault) && is_flag(phrase.is_combined) && is_flag(phrase.at_best) &&
               is_small(phrase.low) && (is_small(phrase.high) || phrase.high == NO_BOUND) &&
               is_small(phrase.points) && compares && is_none_or_below(phrase.term, limits.count) &&
               is_none_or_below(phrase.shown_term, limits.count) &&
               is_none_or_below(phrase.without_term, limits.count) &&
               is_none_or_below(phrase.stem, stems.count) &&
               is_none_or_below(phrase.second_stem, stems.count) &&
               is_none_or_below(phrase.pattern, patterns.count);
    }
    bool operation_fits(const Phrase& phrase) const {
        const bool one_suit = phrase.suits == 1 && phrase.stem >= 0;
        switch (static_cast<Operation>(phrase.operation)) {
            case Operation::REFUSED: return true;
            case Operation::ALWAYS: return is_below(phrase.target, expressions.count);
            case Operation::FACT:
                if (!is_below(phrase.target, questions.count)) return false;
                return pattern_is_there(phrase, questions[phrase.target]);
            case Operation::NAMED:
                return is_below(phrase.target, defines.count) && suits_match(phrase);
            case Operation::MEASURE:
            case Operation::COMBINED:
            case Operation::REMOTE: return phrase.term >= 0;
            case Operation::IN_SUIT:
            case Operation::FLAG:
            case Operation::COMBINED_CARDS: return one_suit;
            case Operation::STOPPER:
            case Operation::FIRST_ROUND_CONTROL:
            case Operation::SECOND_ROUND_CONTROL: return one_suit && phrase.second_stem >= 0;
            case Operation::LENGTH_BESIDE:
                return one_suit && phrase.comparison >= 0 && phrase.term >= 0;
            case Operation::LENGTH_AGAINST:
                return phrase.suits == 2 && phrase.stem >= 0 && phrase.comparison >= 0;
            case Operation::LONGEST_OUTSIDE_THEIRS:
                return phrase.roles == 1 && (phrase.fault || phrase.suits == 1) && phrase.stem >= 0;
            case Operation::IN_TRUMPS:
                return phrase.stem >= 0 && (phrase.suits > 0 || phrase.roles > 0);
            case Operation::LAW: return phrase.pattern >= 0 && phrase.stem >= 0;
            case Operation::ENOUGH_POINTS:
                return phrase.pattern >= 0 && phrase.term >= 0 && phrase.stem >= 0 &&
                       phrase.second_stem >= 0;
            default: return false;
        }
    }
    bool pattern_is_there(const Phrase& phrase, const QuestionForm& form) const {
        const bool of_strain = form.operands == static_cast<i32>(Operands::OF_STRAIN);
        if (phrase.pattern < 0) return !of_strain && !form.of_pattern;
        return !of_strain || patterns[phrase.pattern].strain >= 0;
    }
    bool suits_match(const Phrase& phrase) const {
        return phrase.fault || phrase.suits == defines[phrase.target].count;
    }

    bool conditions_fit() const {
        for (const Definition& define : defines) {
            if (!is_below(define.condition, conditions.count) ||
                !is_list(define.first, define.count) ||
                define.count > static_cast<i32>(VARIABLES))
                return false;
            for (const i32 variable : list(define.first, define.count))
                if (!is_below(variable, VARIABLES)) return false;
        }
        Vec<i32> depths;
        for (u64 number = 0; number < conditions.count; ++number) {
            const Written& row = conditions[number];
            if (!is_one_of(row.form, Joining::JOININGS)) return false;
            if (!is_list(row.first, row.count)) return false;
            const bool is_phrase = row.form == static_cast<i32>(Joining::PHRASE);
            const bool has_one = is_phrase || row.form == static_cast<i32>(Joining::NOT_THIS);
            if (has_one && row.count != 1) return false;
            i32 depth = 0;
            for (const i32 part : list(row.first, row.count)) {
                if (!is_below(part, is_phrase ? phrases.count : number)) return false;
                if (!is_phrase) depth = most(depth, depths[part]);
            }
            if (depth >= DEEPEST_CONDITION) return false;
            depths.push(depth + 1);
        }
        return true;
    }
};

// Numbers that the text's expressions have among those of `trees`, which are added.
inline void put_expressions(const Text& text, Trees& trees, Vec<i32>& numbers) {
    Vec<i32> words;
    for (const Written& row : text.expressions) {
        words.clear();
        const i32 step = row.form == SUM || row.form == COMPARISON ? 2 : 1;
        for (i32 at = 0; at < row.count; ++at) {
            const i32 word = text.lists[row.first + at];
            words.push(row.form > SHAPE && at % step == 0 ? numbers[word] : word);
        }
        numbers.push(trees.expression(row.form, words.data, words.count));
    }
}

}  // namespace core
