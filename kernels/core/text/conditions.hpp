// What a condition of a text becomes at a place: an expression over the terms of a hand. Facts of
// the auction, suits by their role, bounds that partner has shown and bids are asked for and fold
// away. systems/reference/conditions.py is the definition; functions have its names.
#pragma once
#include "calls.hpp"
#include "formulas.hpp"

namespace core {

constexpr i32 FAILED = -1;
constexpr i32 DEEPEST_DEFINITION = 32;  // definitions within one another before a circle is assumed
constexpr i32 DEEPEST_NESTING = 400;    // parts within one another, definitions written out
constexpr u32 MOST_STEPS = 1 << 20;     // parts of a condition, definitions written out
constexpr i32 PARTNER = 4, FIT_CARDS = 3;
constexpr i32 MOST_TENTHS = 1 << 24;    // of what players have shown for a venture
constexpr i32 POINTS_FOR_LEVEL[2][7] = {{16, 19, 22, 25, 28, 33, 37},   // in a suit
                                        {19, 22, 25, 28, 30, 33, 37}};  // in notrump

// Who answers questions about the place, as `answer` of facts.hpp does.
struct Asker {
    i32 (*ask)(void* context, const Question& question);
    void* context;
};

// Why a condition cannot be lowered; systems/rows/text_rows.py has the words.
enum Reason : i32 {
    NO_FAILURE,
    NOT_BOUND,   // `word` is no suit here
    REFUSED,     // the phrase asks for what does not exist; `word` is its Complaint
    DEFINITION_CIRCLE,      // a definition that uses itself
    CONDITION_TOO_LONG,    // more than anybody writes
    NO_SUIT,     // notrump where a suit is needed
    BAD_VALUE    // a number, bindings or an answer that are none
};

struct Failure {
    i32 reason, phrase, word;
};

struct Scope {
    u32 bindings;  // of variables, by the place
    u32 inner;     // suits of the parameters of definitions, packed in the same way
};

class ConditionLowering {
  public:
    Formulas formulas;
    Failure failure{};

    ConditionLowering(const Text& text, Trees& trees) : formulas(trees, text.limits), text_(text) {
    }

    // Takes the text once it has been read.
    void take_text() {
        formulas.limits = text_.limits;
        expressions_.clear();
        put_expressions(text_, formulas.trees, expressions_);
    }

    // Number that an expression of the text has among those of `trees`.
    i32 expression(i32 number) const { return expressions_[number]; }

    // Expression that a condition means at a place; FAILED with `failure` if it means nothing.
    i32 lower(i32 condition, u32 bindings, const Asker& asker) {
        start(asker);
        if (static_cast<u64>(condition) >= text_.conditions.count || !are_bindings(bindings))
            return fail(BAD_VALUE);
        return condition_(condition, {bindings, 0}, 0);
    }

    // Bids that a call pattern makes at a place, ascending; false if it means nothing.
    bool pattern_calls(i32 number, u32 bindings, const Asker& asker, Vec<BoundCall>& calls) {
        start(asker);
        if (static_cast<u64>(number) >= text_.patterns.count || !are_bindings(bindings))
            return fail(BAD_VALUE) != FAILED;
        const CallPattern& pattern = text_.patterns[number];
        const i32 last_bid = least(most(ask(question(LAST_BID_CODE)), 0), CALLS);
        if (pattern.strain < 0) return true;
        const Word& word = text_.words[pattern.strain];
        PatternCalls found;
        if (word.kind == static_cast<i32>(WordKind::VARIABLE)) {
            Vec<u32> ways;
            all_bindings(&word.value, 1, bindings, ways);
            for (const u32 bound : ways)
                found.add_strain(pattern, letter_of(word, bound), bound, last_bid);
        } else {
            const i32 strains = suits({bindings, 0}, pattern.strain, NOTRUMP);
            if (strains == FAILED) return false;
            for (i32 rest = strains; rest != 0; rest >>= 3)
                found.add_strain(pattern, rest & 7, bindings, last_bid);
        }
        found.append_to(calls, last_bid);
        return true;
    }

  private:
    const Text& text_;
    Vec<i32> expressions_;
    Asker asker_{};
    i32 phrase_ = -1;  // that is lowered
    i32 nesting_ = 0;
    u32 steps_ = 0;

    void start(const Asker& asker) {
        asker_ = asker;
        failure = {};
        phrase_ = -1;
        nesting_ = 0;
        steps_ = 0;
    }
    i32 fail(Reason reason, i32 word = -1) {
        if (reason == REFUSED) word = static_cast<i32>(text_.phrases[phrase_].complaint);
        failure = {reason, phrase_, word};
        return FAILED;
    }

    // --- questions ------------------------------------------------------------------------------

    static Question question(i32 kind) {
        Question row;
        __builtin_memset(&row, 0, sizeof row);  // rows are compared byte by byte
        row.kind = kind;
        return row;
    }
    i32 ask(const Question& row) { return asker_.ask(asker_.context, row); }

    // Packed suits of a word, or -1 - role; `is_bound` is false for a word that is neither.
    i32 operand(const Scope& scope, i32 number, bool& is_bound) {
        const Word& word = text_.words[number];
        is_bound = true;
        switch (static_cast<WordKind>(word.kind)) {
            case WordKind::FIXED:
            case WordKind::SUITS: return word.value;
            case WordKind::ROLE: return -1 - word.value;
            case WordKind::VARIABLE: {
                const i32 own = bound_value(scope.inner, word.value);
                const i32 letter = own ? own : letter_of_variable(word.value, scope.bindings);
                if (letter != 0) return letter;
                break;
            }
            default: break;
        }
        is_bound = false;
        return fail(NOT_BOUND, number);
    }
    // The same of a call's strain: what a line binds comes before a definition's suits.
    i32 strain(const Scope& scope, i32 number, bool& is_bound) {
        const i32 letter = letter_of(text_.words[number], scope.bindings);
        is_bound = true;
        return letter ? letter : operand(scope, number, is_bound);
    }
    // Packed suits of a word, each at most `highest`; FAILED if it is not bound.
    i32 suits(const Scope& scope, i32 number, i32 highest = 4) {
        bool is_bound;
        i32 found = operand(scope, number, is_bound);
        if (!is_bound) return FAILED;
        const bool is_asked = found < 0;
        if (is_asked) {
            Question row = question(SUITS);
            row.number = -1 - found;
            found = ask(row);
            if (found < 0 || found >= 1 << 15) return fail(BAD_VALUE);
        }
        for (i32 rest = found; rest != 0; rest >>= 3)
            if ((rest & 7) == 0 || (rest & 7) > highest)
                return fail(is_asked ? BAD_VALUE : NO_SUIT, number);
        return found;
    }
    // A bound of a term that partner has shown; false if players' bounds of it are not known.
    bool shown(i32 term, ShownEnd end, i32& bound) {
        Question row = question(SHOWN);
        row.who = PARTNER;
        row.number = text_.tracked_number(term);
        row.count = end;
        if (row.number < 0) return fail(BAD_VALUE) != FAILED;
        bound = ask(row);
        return -WIDEST <= bound && bound <= WIDEST ? true : fail(BAD_VALUE) != FAILED;
    }
    // What a venture in a suit has from what players have shown; false if that is no sum.
    bool weigh(Venture venture, i32 suit, i32& tenths) {
        Question row = question(WEIGHED);
        row.count = venture;
        row.number = suit;
        tenths = ask(row);
        return -MOST_TENTHS < tenths && tenths < MOST_TENTHS ? true : fail(BAD_VALUE) != FAILED;
    }
    // 8 * level + strain of a bid here, 0 for none.
    i32 bid(const Scope& scope, const CallPattern& pattern) {
        if (pattern.strain < 0) return 0;
        bool is_bound;
        const i32 suit = strain(scope, pattern.strain, is_bound);
        if (!is_bound) return FAILED;
        const i32 level =
            pattern.level ? pattern.level : bound_value(scope.bindings, LEVEL_VARIABLE);
        const CallKind kind = static_cast<CallKind>(pattern.kind);
        if (level == 0 && (kind == CallKind::BID || kind == CallKind::TRANSFER)) return 0;
        Question row = question(BID);
        row.number = kind <= CallKind::TRANSFER ? pattern.kind : 0;
        row.suits[0] = suit;
        row.count = most(level, 0);
        const i32 found = ask(row);
        const bool is_bid = 8 <= found && found < 64 && 0 < (found & 7) && (found & 7) <= NOTRUMP;
        return is_bid || found == 0 ? found : fail(BAD_VALUE);
    }
    i32 fact(const Phrase& phrase, const Scope& scope) {
        const QuestionForm& form = text_.questions[phrase.target];
        Question row = question(form.kind);
        const bool of_suits = form.operands == Operands::OF_SUITS;
        for (i32 at = 0; at < phrase.suits; ++at) {
            const i32 number = text_.suits_of(phrase)[at];
            bool is_bound = true;
            const i32 suits = text_.words[number].notrump ? form.kind == NAMED ? NOTRUMP : 0
                                                          : operand(scope, number, is_bound);
            if (!is_bound) return FAILED;
            if (of_suits && at < 2) row.suits[at] = suits;
        }
        if (form.operands == Operands::OF_STRAIN) {
            bool is_bound;
            row.suits[0] = strain(scope, text_.patterns[phrase.pattern].strain, is_bound);
            if (!is_bound) return FAILED;
        }
        if (phrase.fault) return fail(REFUSED);
        const bool of_cards = form.kind == FIT || form.kind == HAS_SHOWN || form.kind == MAY_HAVE;
        if (of_cards && row.suits[0] == NOTRUMP)
            return fail(NO_SUIT, text_.suits_of(phrase)[0]);
        row.who = form.who;
        row.count = form.count;
        row.low = form.low;
        row.high = form.high;
        row.also = form.also;
        row.calls = form.of_pattern
                        ? matching_calls(text_, text_.patterns[phrase.pattern], scope.bindings)
                        : form.calls;
        row.number = form.number;
        row.negated = static_cast<u8>(form.negated);
        return formulas.truth(ask(row) != 0);
    }

    // --- conditions and phrases -----------------------------------------------------------------

    i32 condition_(i32 number, const Scope& scope, i32 depth) {
        if (++steps_ > MOST_STEPS || nesting_ >= DEEPEST_NESTING) return fail(CONDITION_TOO_LONG);
        ++nesting_;
        const Condition& row = text_.conditions[number];
        i32 found;
        switch (static_cast<Joining>(row.form)) {
            case Joining::PHRASE: found = phrase_at(row.first, scope, depth); break;
            case Joining::NOT_THIS:
                found = condition_(row.first, scope, depth);
                if (found != FAILED) found = formulas.negation(found);
                break;
            default: found = joined(row, scope, depth); break;
        }
        --nesting_;
        return found;
    }
    // What decides comes before what is not asked any more.
    i32 joined(const Condition& row, const Scope& scope, i32 depth) {
        Join join(formulas, row.form == static_cast<i32>(Joining::ALL_OF) ? AND : OR);
        for (const i32 part : text_.parts_of(row)) {
            const i32 found = condition_(part, scope, depth);
            if (found == FAILED) return FAILED;
            if (!join.add(found)) break;
        }
        return join.result();
    }
    i32 phrase_at(i32 number, const Scope& scope, i32 depth) {
        const i32 around = phrase_;
        phrase_ = number;
        const i32 found = lowered(text_.phrases[number], scope, depth);
        phrase_ = around;
        return found;
    }
    i32 lowered(const Phrase& phrase, const Scope& scope, i32 depth) {
        switch (phrase.operation) {
            case Operation::ALWAYS: return expressions_[phrase.target];
            case Operation::FACT: return fact(phrase, scope);
            case Operation::NAMED: return named(phrase, scope, depth);
            case Operation::MEASURE: return measure(phrase, phrase.term);
            case Operation::IN_SUIT: return in_suit(phrase, scope);
            case Operation::FLAG: return flag(phrase, scope);
            case Operation::STOPPER: return stopper(phrase, scope);
            case Operation::FIRST_ROUND_CONTROL: return first_round_control(phrase, scope);
            case Operation::SECOND_ROUND_CONTROL: return second_round_control(phrase, scope);
            case Operation::LENGTH_BESIDE: return length_beside(phrase, scope);
            case Operation::SUIT_AGAINST: return suit_against(phrase, scope);
            case Operation::LONGEST_OUTSIDE_THEIRS: return longest_outside_theirs(phrase, scope);
            case Operation::COMBINED: return combined(phrase, phrase.term, phrase.shown_term);
            case Operation::COMBINED_CARDS: return combined_cards(phrase, scope);
            case Operation::IN_TRUMPS: return in_trumps(phrase, scope);
            case Operation::LAW: return law(phrase, scope);
            case Operation::ENOUGH_POINTS: return enough_points(phrase, scope);
            case Operation::PAYS_OVER: return pays_over(phrase, scope);
            case Operation::DOUBLING_PAYS: return doubling_pays(phrase, scope);
            case Operation::REMOTE: return remote(phrase);
            default: return fail(REFUSED);
        }
    }

    // All of the tests of several suits, or one of them, as the word for the suits says.
    template <class Test>
    i32 join_suits(i32 word, i32 suits, Test test) {
        const SuitsJoin how = static_cast<SuitsJoin>(text_.words[word].join);
        if (suits == 0) return formulas.truth(how == SuitsJoin::ALL_OR_NONE);
        Join join(formulas, how == SuitsJoin::ANY ? OR : AND);
        for (i32 rest = suits; rest != 0; rest >>= 3) {
            const i32 found = test(rest & 7);
            if (found == FAILED) return FAILED;
            join.add(found);
        }
        return join.result();
    }
    // Test of the suits of a phrase's one suit word.
    template <class Test>
    i32 each(const Phrase& phrase, const Scope& scope, Test test) {
        const i32 word = text_.suits_of(phrase)[0];
        const i32 found = suits(scope, word);
        return found == FAILED ? FAILED : join_suits(word, found, test);
    }
    i32 stem(i32 number, i32 suit) const { return SUIT_TERMS[number].terms[suit - 1]; }

    // --- the hand -------------------------------------------------------------------------------

    i32 measure(const Phrase& phrase, i32 term) {
        return phrase.fault ? fail(REFUSED) : formulas.within(term, text_.range_of(phrase));
    }
    // Range of a number of one suit; also `_cards`, of which the range is fixed.
    i32 in_suit(const Phrase& phrase, const Scope& scope) {
        return each(phrase, scope,
                    [&](i32 suit) { return measure(phrase, stem(phrase.stem, suit)); });
    }
    i32 flag(const Phrase& phrase, const Scope& scope) {
        return each(phrase, scope,
                    [&](i32 suit) { return formulas.term(stem(phrase.stem, suit)); });
    }
    i32 stopper(const Phrase& phrase, const Scope& scope) {
        return each(phrase, scope, [&](i32 suit) {
            const i32 points = formulas.compared(stem(phrase.second_stem, suit), AT_LEAST, 1);
            return formulas.conjunction(formulas.term(stem(phrase.stem, suit)), points);
        });
    }
    i32 first_round_control(const Phrase& phrase, const Scope& scope) {
        return each(phrase, scope, [&](i32 suit) {
            const i32 empty = formulas.compared(stem(phrase.second_stem, suit), EQUAL, 0);
            return formulas.disjunction(formulas.term(stem(phrase.stem, suit)), empty);
        });
    }
    i32 second_round_control(const Phrase& phrase, const Scope& scope) {
        return each(phrase, scope, [&](i32 suit) {
            const i32 honour = formulas.compared(stem(phrase.stem, suit), AT_LEAST, 1);
            const i32 few = formulas.compared(stem(phrase.second_stem, suit), AT_MOST, 1);
            return formulas.disjunction(honour, few);
        });
    }
    i32 length_beside(const Phrase& phrase, const Scope& scope) {
        return each(phrase, scope, [&](i32 suit) {
            return formulas.terms(stem(phrase.stem, suit), phrase.comparison, phrase.term);
        });
    }
    // Number of the first suit against that of the second, every pair of them.
    i32 suit_against(const Phrase& phrase, const Scope& scope) {
        const i32 first = text_.suits_of(phrase)[0], second = text_.suits_of(phrase)[1];
        const i32 others = suits(scope, second);
        if (others == FAILED) return FAILED;
        const i32 own = suits(scope, first);
        if (own == FAILED) return FAILED;
        return join_suits(first, own, [&](i32 suit) {
            if (others == 0) return formulas.yes;
            return join_suits(second, without(others, suit), [&](i32 other) {
                return formulas.terms(stem(phrase.stem, suit), phrase.comparison,
                                      stem(phrase.stem, other));
            });
        });
    }
    static i32 without(i32 suits, i32 suit) {
        i32 left = 0, shift = 0;
        for (i32 rest = suits; rest != 0; rest >>= 3)
            if ((rest & 7) != suit) {
                left |= (rest & 7) << shift;
                shift += 3;
            }
        return left;
    }
    i32 longest_outside_theirs(const Phrase& phrase, const Scope& scope) {
        const i32 theirs = suits(scope, phrase.role_words[0]);
        if (theirs == FAILED) return FAILED;
        if (phrase.fault) return fail(REFUSED);
        return each(phrase, scope, [&](i32 suit) {
            const i32 own = stem(phrase.stem, suit);
            Join join(formulas, AND);
            for (i32 other = 1; other <= 4; ++other)
                if (other != suit && !(set_of(theirs) >> (other - 1) & 1))
                    join.add(formulas.terms(own, AT_LEAST, stem(phrase.stem, other)));
            return join.result();
        });
    }

    // --- definitions ----------------------------------------------------------------------------

    // Lowers a defined name; its parameters take the phrase's suits, one at a time.
    i32 named(const Phrase& phrase, const Scope& scope, i32 depth) {
        if (depth >= DEEPEST_DEFINITION) return fail(DEFINITION_CIRCLE);
        return phrase.fault ? fail(REFUSED) : with_parameters(phrase, scope, 0, scope, depth);
    }
    i32 with_parameters(const Phrase& phrase, const Scope& scope, i32 place, Scope bound, i32 depth) {
        const Definition& define = text_.defines[phrase.target];
        if (place == define.count) return condition_(define.condition, bound, depth + 1);
        const i32 word = text_.suits_of(phrase)[place];
        const i32 found = suits(scope, word);
        if (found == FAILED) return FAILED;
        const i32 variable = text_.lists[define.first + place];
        return join_suits(word, found, [&](i32 suit) {
            if (++steps_ > MOST_STEPS) return fail(CONDITION_TOO_LONG);
            return with_parameters(phrase, scope, place + 1, with_parameter(bound, variable, suit), depth);
        });
    }
    // Suit of a parameter, and of `oM` or `om` where the parameter is `M` or `m`.
    static Scope with_parameter(Scope bound, i32 variable, i32 suit) {
        bound.inner = with_bound(bound.inner, variable, suit);
        if ((variable == 0 && suit > 2) || (variable == 2 && suit <= 2))
            bound.inner = with_bound(bound.inner, variable + 1, same_rank(suit));
        return bound;
    }

    // --- both hands -----------------------------------------------------------------------------

    // Range of a sum with partner's least, of `shown_term` where it is another term.
    i32 combined(const Phrase& phrase, i32 term, i32 shown_term) {
        if (phrase.fault) return fail(REFUSED);
        i32 partner;
        if (!shown(shown_term < 0 ? term : shown_term, phrase.at_best ? MOST_SHOWN : LEAST_SHOWN, partner))
            return FAILED;
        return formulas.within(term, text_.range_of(phrase), partner);
    }
    i32 combined_cards(const Phrase& phrase, const Scope& scope) {
        return each(phrase, scope,
                    [&](i32 suit) { return combined(phrase, stem(phrase.stem, suit), -1); });
    }
    // Test of the phrase's suit, else of the first of some roles that has one.
    i32 in_trumps(const Phrase& phrase, const Scope& scope) {
        const Span<i32> roles = {phrase.role_words, static_cast<u64>(phrase.roles)};
        const Span<i32> words = phrase.suits ? text_.suits_of(phrase) : roles;
        i32 found = 0;
        for (u64 at = 0; at < words.count && found == 0; ++at) found = suits(scope, words[at]);
        if (found == FAILED) return FAILED;
        if (found == 0 && phrase.suits == 0 && phrase.without_term >= 0)
            return phrase.is_combined ? combined(phrase, phrase.without_term, -1)
                                      : measure(phrase, phrase.without_term);
        return join_suits(words[0], found, [&](i32 suit) {
            const i32 term = stem(phrase.stem, suit);
            return phrase.is_combined ? combined(phrase, term, phrase.shown_term)
                                      : measure(phrase, term);
        });
    }
    // As many trumps together as tricks bid for, partner's least counted.
    i32 law(const Phrase& phrase, const Scope& scope) {
        const i32 contract = bid(scope, text_.patterns[phrase.pattern]);
        if (contract <= 0) return contract == FAILED ? FAILED : formulas.no;
        if ((contract & 7) == NOTRUMP) return fail(REFUSED);
        const i32 length = stem(phrase.stem, contract & 7);
        i32 partner;
        if (!shown(length, LEAST_SHOWN, partner)) return FAILED;
        return formulas.compared(length, AT_LEAST, (contract >> 3) + 6 - partner);
    }
    // Combined points of a contract; with eight trumps or more together support points count.
    i32 enough_points(const Phrase& phrase, const Scope& scope) {
        const i32 contract = bid(scope, text_.patterns[phrase.pattern]);
        if (contract <= 0) return contract == FAILED ? FAILED : formulas.no;
        const i32 level = contract >> 3, suit = contract & 7;
        i32 partner;
        if (!shown(phrase.term, LEAST_SHOWN, partner)) return FAILED;
        const i32 needed = POINTS_FOR_LEVEL[suit == NOTRUMP][level - 1] - partner;
        const i32 points = formulas.compared(phrase.term, AT_LEAST, needed);
        if (suit == NOTRUMP) return points;
        const i32 length = stem(phrase.stem, suit);
        i32 cards;
        if (!shown(length, LEAST_SHOWN, cards)) return FAILED;
        const i32 for_fit = 8 - cards;
        const i32 with_fit = formulas.compared(stem(phrase.second_stem, suit), AT_LEAST, needed);
        if (for_fit <= FIT_CARDS) return with_fit;
        return formulas.disjunction(
            points, formulas.conjunction(formulas.compared(length, AT_LEAST, for_fit), with_fit));
    }
    // A suit contract over their bid gains IMPs on average: own parts in one sum, the rest known.
    i32 pays_over(const Phrase& phrase, const Scope& scope) {
        const i32 contract = bid(scope, text_.patterns[phrase.pattern]);
        if (contract <= 0) return contract == FAILED ? FAILED : formulas.no;
        const i32 suit = contract & 7;
        if (suit == NOTRUMP) return fail(REFUSED);
        const bool is_game = ask(question(GAME_REACHED)) != 0;
        const PaysOver& over = is_game ? PAYS.game : PAYS.part_score;
        const i32 level = (contract >> 3) - over.lowest;
        if (level < 0 || level >= 4 || over.levels[level] == NOT_AT_LEVEL) return formulas.no;
        const i32 length = stem(phrase.stem, suit);
        i32 known;
        if (!weigh(is_game ? OVER_GAME : OVER_PART_SCORE, suit, known)) return FAILED;
        known += over.levels[level];
        const i32 words[5] = {
            times(length, PAYS.own_trump),
            PLUS, times(stem(phrase.second_stem, suit), PAYS.support_point),
            MINUS, formulas.term(phrase.term),
        };
        const i32 own = formulas.trees.expression(SUM, words, 5);
        const i32 we = formulas.term(TERM_VUL_WE), they = formulas.term(TERM_VUL_THEY);
        Join ways(formulas, OR);
        for (i32 side = 0; side < 4; ++side) {
            const bool ours = side & 2, others = side & 1;
            const i32 more = (ours ? over.we_vulnerable : 0) + (others ? over.they_vulnerable : 0);
            const i32 sides = formulas.conjunction(ours ? we : formulas.negation(we),
                                                   others ? they : formulas.negation(they));
            ways.add(formulas.conjunction(sides, above(own, -known - more)));
        }
        return ways.result();
    }
    // A double of their suit contract gains IMPs on average, in the same way.
    i32 doubling_pays(const Phrase& phrase, const Scope& scope) {
        const i32 contract = bid(scope, text_.patterns[phrase.pattern]);
        if (contract <= 0) return contract == FAILED ? FAILED : formulas.no;
        const DoublingPays& table = DOUBLING_PAYS;
        const i32 level = (contract >> 3) - table.lowest, suit = contract & 7;
        if (suit == NOTRUMP) return fail(REFUSED);
        if (level < 0 || level >= 2) return formulas.no;
        const i32 length = stem(phrase.stem, suit);
        i32 known;
        if (!weigh(DOUBLED, suit, known)) return FAILED;
        known += table.levels[level];
        const i32 words[9] = {
            times(TERM_CONTROLS, table.control),
            PLUS, times(length, table.trump),
            PLUS, formulas.term(stem(phrase.second_stem, suit)),
            PLUS, times(TERM_TOTAL_POINTS, table.shortness),
            MINUS, times(phrase.term, table.shortness),
        };
        const i32 own = formulas.trees.expression(SUM, words, 9);
        const i32 they = formulas.term(TERM_VUL_THEY);
        Join ways(formulas, OR);
        ways.add(formulas.conjunction(formulas.negation(they), above(own, -known)));
        ways.add(formulas.conjunction(they, above(own, -known - table.they_vulnerable)));
        return ways.result();
    }
    // A term so many times, as a product.
    i32 times(i32 term, i32 factor) {
        const i32 words[2] = {formulas.term(term), formulas.trees.expression(NUMBER, 2 * factor)};
        return formulas.trees.expression(PRODUCT, words, 2);
    }
    // A sum that is more than a number of tenths.
    i32 above(i32 sum, i32 tenths) {
        const i32 bound = tenths / 10 - (tenths % 10 < 0);
        const i32 size = formulas.trees.expression(NUMBER, 2 * most(bound, -bound));
        const i32 wanted = bound < 0 ? formulas.trees.expression(NEGATIVE, size) : size;
        const i32 words[3] = {sum, MORE, wanted};
        return formulas.trees.expression(COMPARISON, words, 3);
    }
    // Not even with partner's most are there the points.
    i32 remote(const Phrase& phrase) {
        i32 partner;
        if (!shown(phrase.term, MOST_SHOWN, partner)) return FAILED;
        return formulas.compared(phrase.term, AT_MOST, phrase.points - 1 - partner);
    }
};

}  // namespace core
