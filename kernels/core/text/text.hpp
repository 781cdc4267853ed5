// The conditions, phrases and call patterns of a system's text, as rows of words that
// systems/rows/text_rows.py writes and describes. They are checked once, when they are read, and
// trusted from then on.
//
//   FORMAT | first word of each section, and the end | sections, each some records of one type
//
// Whatever has several parts (operands, suits, parameters, the signs of a text) names a part of the
// section `lists`. Phrases stand there as a text says them, and are laid out here.
#pragma once
#include "phrases.hpp"

namespace core {

constexpr i32 TEXT_FORMAT = 0x42435432;
constexpr i32 DEEPEST_EXPRESSION = 256, DEEPEST_CONDITION = 256;

enum class Joining : i32 { ALL_OF, ANY_OF, NOT_THIS, PHRASE, JOININGS };

enum class NameKind : i32 { FORMULA, TAG, UNKNOWN, NAME_KINDS };

struct Limits {
    i32 low, high;  // of a term, in halves
};

struct Name {
    i32 kind, formula;  // formula: an expression, -1 for none
};

struct Written {  // an expression (forms of trees.hpp)
    i32 form, first, count;
};

struct Condition {
    i32 form;          // Joining
    i32 first, count;  // parts in `lists`; of one alone, of NOT_THIS and PHRASE, its number
};

// Signs of a text in `lists`: code points.
struct TextPart {
    i32 first, count;
};

struct Text {
    Span<Limits> limits;      // by number of a term
    Span<i32> tracked;        // [TERMS] terms of which players show bounds
    Span<Name> names;         // those behind the terms
    Span<Written> expressions;
    Span<Word> words;  // those of the text, then one for each role
    Span<CallPattern> patterns;
    Span<QuestionForm> questions;
    Span<Phrase> phrases;
    Span<Condition> conditions;
    Span<Definition> defines;
    Span<i32> lists;
    Vec<Span<i32>> texts;  // signs of each

    // Takes rows; false, and nothing is to be used then, if they are not what an encoder writes.
    bool read(const i32* rows, u64 count) {
        rows_.clear();
        rows_.append(rows, count);
        if (!take_sections() || !numbers_fit() || !expressions_fit() || !names_fit() || !texts_fit() ||
            !calls_fit() || !phrases_fit() || !conditions_fit())
            return false;
        lay_out_words();
        lay_out_phrases();
        find_same();
        return true;
    }

    Span<i32> list(i32 first, i32 count) const {
        return {lists.data + first, static_cast<u64>(count)};
    }
    Span<i32> parts_of(const Condition& condition) const {
        if (condition.form >= static_cast<i32>(Joining::NOT_THIS)) return {&condition.first, 1};
        return list(condition.first, condition.count);
    }
    Span<i32> suits_of(const Phrase& phrase) const { return list(phrase.first_suit, phrase.suits); }
    Range range_of(const Phrase& phrase) const {
        return {phrase.low, phrase.high, list(phrase.first_also, phrase.also)};
    }
    // The first condition that says the same as one that stands by itself, wherever that is; -1 for none.
    i32 subject(i32 condition) const { return condition < 0 ? -1 : same_[condition]; }
    // Number that players' bounds of a term are kept by, -1 for a term that is not tracked.
    i32 tracked_number(i32 term) const {
        for (u64 number = 0; number < tracked.count; ++number)
            if (tracked[number] == term) return static_cast<i32>(number);
        return -1;
    }

  private:
    static constexpr u64 SECTIONS = 12, HEADER = SECTIONS + 2;
    Vec<i32> rows_;
    Span<TextPart> text_parts_;
    Span<i32> said_words_;  // texts
    Span<i32> subjects_;    // conditions that stand by themselves, in the order of the text
    Span<SaidPhrase> said_;
    Vec<Word> own_words_;
    Vec<QuestionForm> own_questions_;
    Vec<Phrase> own_phrases_;
    Vec<i32> same_;  // by condition

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
               take(text_parts_, 4) && take(said_words_, 5) && take(patterns, 6) && take(said_, 7) &&
               take(conditions, 8) && take(subjects_, 9) && take(defines, 10) && take(lists, 11);
    }
    bool numbers_fit() const {
        for (const Limits& one : limits)
            if (!is_small(one.low) || !is_small(one.high) || one.low > one.high) return false;
        for (const i32 term : tracked)
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

    bool texts_fit() const {
        for (const TextPart& text : text_parts_)
            if (!is_list(text.first, text.count)) return false;
        for (const i32 word : said_words_)
            if (!is_below(word, text_parts_.count)) return false;
        return true;
    }
    bool calls_fit() const {
        for (const CallPattern& pattern : patterns)
            if (!is_one_of(pattern.kind, CallKind::CALL_KINDS) || pattern.level < -1 ||
                pattern.level > 7 || !is_none_or_below(pattern.strain, said_words_.count))
                return false;
        return true;
    }
    bool phrases_fit() const {
        for (const SaidPhrase& said : said_)
            if (!said_fits(said)) return false;
        return true;
    }
    bool said_fits(const SaidPhrase& said) const {
        if (!is_list(said.first_suit, said.suits) || !is_list(said.first_also, said.also)) return false;
        for (const i32 word : list(said.first_suit, said.suits))
            if (!is_below(word, said_words_.count)) return false;
        return is_below(said.kind, text_parts_.count) && is_none_or_below(said.who, text_parts_.count) &&
               is_below(said.text, text_parts_.count) && is_flag(said.has_range) &&
               is_none_or_below(said.pattern, patterns.count) &&
               is_none_or_below(said.tag, 64 * TAG_WORDS) &&
               is_none_or_below(said.define, defines.count) &&
               is_none_or_below(said.expression, expressions.count) && is_flag(said.is_refused);
    }

    void lay_out_words() {
        texts.clear();
        own_words_.clear();
        for (const TextPart& text : text_parts_) texts.push(list(text.first, text.count));
        for (const i32 text : said_words_) own_words_.push(word_of(texts[text]));
        for (u64 role = 0; role < ROLES; ++role) own_words_.push(word_of_role(static_cast<i32>(role)));
        words = own_words_.span();
    }
    void lay_out_phrases() {
        PhraseReading reading({lists, defines, patterns, said_words_, texts});
        for (const SaidPhrase& said : said_) reading.add(said);
        own_phrases_ = static_cast<Vec<Phrase>&&>(reading.phrases);
        own_questions_ = static_cast<Vec<QuestionForm>&&>(reading.questions);
        phrases = own_phrases_.span();
        questions = own_questions_.span();
    }
    // Conditions that say the same, at whatever places, are learned once.
    void find_same() {
        Rows values;  // what phrases and conditions say
        Vec<i32> said, found, words, firsts;
        for (const SaidPhrase& phrase : said_) {
            const i32 parts[] = {static_cast<i32>(Joining::PHRASE), phrase.kind, phrase.who, phrase.text,
                                 phrase.suits, phrase.has_range, phrase.low, phrase.high, phrase.count,
                                 phrase.of, phrase.pattern, phrase.expression};
            words.clear();
            words.append(parts, sizeof parts / sizeof parts[0]);
            words.append(list(phrase.first_suit, phrase.suits).data, static_cast<u64>(phrase.suits));
            words.append(list(phrase.first_also, phrase.also).data, static_cast<u64>(phrase.also));
            said.push(values.number_of(words.data, words.count));
        }
        same_.clear();
        for (u64 number = 0; number < conditions.count; ++number) {
            const Condition& row = conditions[number];
            const bool is_phrase = row.form == static_cast<i32>(Joining::PHRASE);
            words.clear();
            words.push(row.form);
            for (const i32 part : parts_of(row))
                words.push(is_phrase ? said[part] : found[part]);
            found.push(is_phrase ? words[1] : values.number_of(words.data, words.count));
            same_.push(static_cast<i32>(number));
        }
        for (u64 value = 0; value < values.count(); ++value) firsts.push(-1);
        for (const i32 subject : subjects_) {
            i32& first = firsts[found[subject]];
            if (first < 0) first = subject;
            same_[subject] = first;
        }
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
        for (const i32 subject : subjects_)
            if (!is_below(subject, conditions.count)) return false;
        Vec<i32> depths;
        for (u64 number = 0; number < conditions.count; ++number) {
            const Condition& row = conditions[number];
            if (!is_one_of(row.form, Joining::JOININGS)) return false;
            const bool is_phrase = row.form == static_cast<i32>(Joining::PHRASE);
            const bool is_one = is_phrase || row.form == static_cast<i32>(Joining::NOT_THIS);
            if (is_one ? row.count != 1 : !is_list(row.first, row.count)) return false;
            i32 depth = 0;
            for (const i32 part : parts_of(row)) {
                if (!is_below(part, is_phrase ? said_.count : number)) return false;
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
