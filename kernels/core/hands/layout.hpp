// From criteria to the chains of tests that a packed hand passes, and the tables that hands are
// packed with. kernels/packing/layout.py and kernels/packing/alternatives.py are the definition.
//
// A linear form of terms becomes a lane of eight bits, any other truth value a flag. Both are
// learned as criteria come: a new one is written into its own word of the tables, which have room
// for more words; hands are packed again from the first word that changed (`first_changed`).
#pragma once
#include "literals.hpp"
#include "lowering.hpp"
#include "packing.hpp"

namespace core {

constexpr i32 LANES_PER_WORD = 8, FLAGS_PER_WORD = 64, LANE_LIMIT = 127;
constexpr i32 MOST_ALTERNATIVES = 8;  // of one expression
constexpr i32 NO_TESTS = -3;          // there is an error: see `Lowering::error`

struct Layout {
    struct Lane {
        i32 form, offset;  // value = stored byte + offset
    };

    Lowering& lowering;
    Vec<Test> tests;
    Vec<i32> derived_tests, derived_flags;  // a flag names only flags that come before it
    Vec<Lane> lanes;
    Vec<i32> flag_trees;
    i32 lane_words = 1, flag_words = 1;
    u32 version = 0;  // another one for each lane and flag

    explicit Layout(Lowering& first) : lowering(first) {
        cards_.resize(HOLDINGS);
        by_cards_.resize(HOLDINGS);
        for (i32 holding = 0; holding < HOLDINGS; ++holding) {
            cards_[holding] = static_cast<u8>(bit_count(static_cast<u64>(holding)));
            ++starts_[cards_[holding] + 1];
        }
        for (i32 count = 0; count < 14; ++count) starts_[count + 1] += starts_[count];
        i32 next[14];
        copy_bytes(next, starts_, sizeof next);
        for (i32 holding = 0; holding < HOLDINGS; ++holding)
            by_cards_[next[cards_[holding]]++] = static_cast<u16>(holding);
        shape_at_.resize(TABLE_SHAPES);
        for (u16& shape : shape_at_) shape = SHAPES;  // no hand
        for (i32 shape = 0; shape < SHAPES; ++shape)
            shape_at_[ALL_SHAPES.position[shape]] = static_cast<u16>(shape);
        sums_.resize(4 * HOLDINGS);
        make_room(2);
    }

    // First of the tests that decide whether a hand meets all criteria (expressions), HOLDS or
    // FAILS where none is needed; NO_TESTS on error.
    i32 tests_of(const i32* criteria, u64 count) {
        Vec<i32> options;
        for (u64 at = 0; at < count; ++at) {
            const i32 found = alternatives_of_criterion(criteria[at]);
            if (found < 0) break;
            options.push(found);
        }
        add_derived();
        if (options.count < count) return NO_TESTS;
        i32 then = HOLDS;
        for (u64 at = count; at-- > 0;) then = any_of(options[at], then);
        return then;
    }

    i32 words() const { return lane_words + flag_words; }
    u64 bytes() const {
        return tests.bytes() + suit_words_.bytes() + length_words_.bytes() +
               context_words_.bytes() + term_suits.bytes() + term_lengths.bytes() +
               term_contexts.bytes() + forms_.bytes() + flags_.bytes() + alternatives_.bytes() +
               alternatives_of_tree_.bytes() + alternatives_of_criterion_.bytes();
    }

    // Tables as pack_hands takes them, until something new is learned.
    Packing packing() const {
        return {words(), lane_words, stride_, suit_words_.data, length_words_.data,
                context_words_.data, cards_.data, static_cast<i32>(program_starts.count),
                code.data, program_starts.data, program_flags.data, term_suits.data,
                term_lengths.data, term_contexts.data, static_cast<i32>(derived_flags.count),
                derived_tests.data, derived_flags.data, tests.data};
    }

    // First word that changed since there were so many lanes and flags.
    i32 first_changed(u64 lanes_before, u64 flags_before) const {
        if (lanes_before < lanes.count) return static_cast<i32>(lanes_before) / LANES_PER_WORD;
        return lane_words + static_cast<i32>(flags_before) / FLAGS_PER_WORD;
    }

    // Tables without the room between their rows: [4][HOLDINGS][words] and so on.
    void copy_tables(u64* suits, u64* lengths, u64* contexts) const {
        copy_rows(suit_words_, suits, 4 * HOLDINGS);
        copy_rows(length_words_, lengths, TABLE_SHAPES);
        copy_rows(context_words_, contexts, CONTEXTS);
    }

    // Programs of flags that no table answers, and the tables of their terms; see Packing.
    Vec<i32> code, program_starts, program_flags, program_terms;
    Vec<i32> term_suits, term_lengths, term_contexts;
    i32 program_stack = 1;

  private:
    // What is known about a linear form.
    struct FormFacts {
        bool known, wants_lane, is_too_large;
        i32 lane, offset;
        i64 low, high;  // over all hands
    };
    struct Derived {
        i32 flag, alternatives;
    };
    static constexpr i32 AT_ONCE = 128;
    struct Values {
        i32 value[AT_ONCE];
    };
    // What truth values are read off: a suit by its number, or one of these.
    enum Part : i32 { BY_LENGTHS = 4, BY_CONTEXT, BY_PROGRAM };

    Vec<u8> cards_;         // of each holding
    Vec<u16> by_cards_;     // holdings by number of cards
    i32 starts_[15] = {};   // of each number in by_cards_
    Vec<u16> shape_at_;     // by lengths: number of the shape, SHAPES where no hand has them
    i32 stride_ = 0;
    Vec<u64> suit_words_, length_words_, context_words_;
    Vec<FormFacts> forms_;  // by number of the form
    Map flags_;             // by tree
    Rows alternatives_;     // see `never`
    Map alternatives_of_tree_;
    Vec<i32> alternatives_of_criterion_;  // + 1
    Vec<Derived> derived_;
    i32 test_lane_words_ = 1;  // that tests are written for
    // a linear form's values taken apart; `summed_form_` says whose they are
    Vec<i32> sums_;
    i32 length_sums_[SHAPES + 1], context_sums_[CONTEXTS];
    i32 summed_form_ = -1;
    u32 summed_suits_ = 0;
    Vec<Values> stack_;

    Trees& trees() const { return lowering.trees; }
    Span<i32> tree_row(i32 tree) const { return trees().trees[static_cast<u64>(tree)]; }
    Span<i32> form_row(i32 form) const { return trees().forms[static_cast<u64>(form)]; }

    // --- alternatives ----------------------------------------------------------------------------
    // Conjunctions of tests joined by OR, as a row: how many there are, then for each one how many
    // tests it has, and two words a test: lane or flag << 1 | whether it is a flag, and
    // low | high << 8.

    i32 row_of(const i32* words, u64 count) { return alternatives_.number_of(words, count); }
    i32 never() {
        const i32 row[1] = {0};
        return row_of(row, 1);
    }
    i32 always() {
        const i32 row[2] = {1, 0};
        return row_of(row, 2);
    }
    i32 decided(bool value) { return value ? always() : never(); }
    i32 lane_test(i32 lane, i64 low, i64 high) {
        const i32 row[4] = {1, 1, lane << 1, static_cast<i32>(low) | static_cast<i32>(high) << 8};
        return row_of(row, 4);
    }
    i32 flag_test(i32 flag, bool positive) {
        const i32 row[4] = {1, 1, flag << 1 | 1, positive ? 0x101 : 0};
        return row_of(row, 4);
    }
    Span<i32> alternatives_row(i32 number) const { return alternatives_[static_cast<u64>(number)]; }
    i32 count_of(i32 alternatives) const { return alternatives_row(alternatives)[0]; }

    i32 either(i32 one, i32 other) {
        Vec<i32> row;
        row.push(count_of(one) + count_of(other));
        const Span<i32> first = alternatives_row(one), second = alternatives_row(other);
        row.append(first.data + 1, first.count - 1);
        row.append(second.data + 1, second.count - 1);
        return row_of(row.data, row.count);
    }
    i32 both(i32 one, i32 other) {
        if (one == always()) return other;
        const Span<i32> first = alternatives_row(one), second = alternatives_row(other);
        Vec<i32> row;
        row.push(first[0] * second[0]);
        for (u64 at = 1; at < first.count; at += 1 + 2 * first[at])
            for (u64 more = 1; more < second.count; more += 1 + 2 * second[more]) {
                row.push(first[at] + second[more]);
                row.append(first.data + at + 1, 2 * first[at]);
                row.append(second.data + more + 1, 2 * second[more]);
            }
        return row_of(row.data, row.count);
    }

    i32 alternatives_of_criterion(i32 expression) {
        const u64 number = static_cast<u64>(expression);
        if (number < alternatives_of_criterion_.count && alternatives_of_criterion_[number] != 0)
            return alternatives_of_criterion_[number] - 1;
        const i32 tree = lowering.tree_of(expression);
        if (tree < 0) return -1;
        const i32 found = alternatives_of(tree, true);
        if (found < 0) {
            lowering.error = {BEYOND_32_BITS, expression, 0, 0};
            return -1;
        }
        alternatives_of_criterion_.resize(most(alternatives_of_criterion_.count, number + 1));
        alternatives_of_criterion_[number] = found + 1;
        return found;
    }

    // Alternatives of a tree's truth value, or of its negation; -1 where values need too many bits.
    i32 alternatives_of(i32 tree, bool positive) {
        const u64 key = static_cast<u64>(tree) << 1 | positive;
        if (alternatives_of_tree_.has(key)) return alternatives_of_tree_.get(key);
        Vec<Literal> literals;
        i32 found;
        const Verdict verdict = lower(trees(), tree, positive, literals);
        if (verdict == OPEN) {
            found = always();
            for (const Literal& literal : literals) {
                i32 options = options_of(literal);
                if (options >= 0 && count_of(found) * count_of(options) > MOST_ALTERNATIVES)
                    options = as_flag(literal, options);
                if (options < 0) return -1;
                found = both(found, options);
            }
        } else {
            found = decided(verdict == ALWAYS_HOLDS);
        }
        alternatives_of_tree_.add(key, found);
        return found;
    }

    // Alternatives of one literal, not more than twice the limit.
    i32 options_of(const Literal& literal) {
        if (literal.is_interval)
            return interval_test(literal.form, literal.low, literal.high, true);
        const Span<i32> row = tree_row(literal.tree);
        const i32 op = row[0];
        if (part_of(literal.tree) != BY_PROGRAM) return opaque_test(literal);
        if (op == T_INTERVAL) {
            // the complement of an interval: below it, or above
            const i32 form = row[1];
            const i64 low = joined_words(row[2], row[3]), high = joined_words(row[4], row[5]);
            const i32 below = interval_test(form, -UNBOUNDED, low - 1, true);
            const i32 above = interval_test(form, high + 1, UNBOUNDED, true);
            return below < 0 || above < 0 ? -1 : either(below, above);
        }
        if (op != T_AND && op != T_OR) return opaque_test(literal);
        i32 found = never();
        for (u64 at = 1; at < tree_row(literal.tree).count; ++at) {
            const i32 part = alternatives_of(tree_row(literal.tree)[at], literal.positive);
            if (part < 0) return -1;
            found = either(found, part);
        }
        return found;
    }

    // One flag in place of several alternatives; of the two senses the one with fewer boxes.
    i32 as_flag(const Literal& literal, i32 options) {
        if (count_of(options) < 2 || literal.is_interval) return options;
        const i32 op = tree_row(literal.tree)[0];
        if (op == T_AND || op == T_OR) {
            const i32 opposite = alternatives_of(literal.tree, !literal.positive);
            if (opposite < 0) return -1;
            if (count_of(opposite) < count_of(options))
                return derived_flag(literal.tree, literal.positive, opposite, false);
        }
        return derived_flag(literal.tree, !literal.positive, options, true);
    }

    // Test of a flag that is set where any of some conjunctions holds: those of a tree, or of its
    // `not`.
    i32 derived_flag(i32 tree, bool is_negated, i32 alternatives, bool positive) {
        if (is_negated) tree = trees().tree(T_NOT, tree);
        const bool is_new = !flags_.has(static_cast<u64>(tree));
        const i32 flag = flag_of(tree, true);
        if (is_new) derived_.push({flag, alternatives});
        return flag_test(flag, positive);
    }

    i32 opaque_test(const Literal& literal) {
        const Span<i32> row = tree_row(literal.tree);
        if (row[0] == T_INTERVAL)
            return interval_test(row[1], joined_words(row[2], row[3]),
                                 joined_words(row[4], row[5]), literal.positive);
        i64 low, high;
        if (!fits(literal.tree, low, high)) return -1;
        return flag_test(flag_of(literal.tree, false), literal.positive);
    }

    i32 interval_test(i32 form, i64 low, i64 high, bool positive) {
        const FormFacts facts = facts_of(form);
        if (facts.is_too_large) return -1;
        low = most(low, facts.low);
        high = least(high, facts.high);
        if (low > high) return decided(!positive);
        if (low == facts.low && high == facts.high) return decided(positive);
        if (!positive && (low == facts.low || high == facts.high)) {
            // the complement is an interval too
            if (low == facts.low) {
                low = high + 1;
                high = facts.high;
            } else {
                high = low - 1;
                low = facts.low;
            }
            positive = true;
        }
        if (positive && facts.wants_lane) {
            const i32 lane = lane_of(form);
            const i32 offset = facts.offset;
            // an open end stays open, so that fewer distinct intervals arise
            return lane_test(lane, low == facts.low ? 0 : low - offset,
                             high == facts.high ? LANE_LIMIT : high - offset);
        }
        if (low == facts.low)  // one flag serves "at least k" and "less than k"
            return flag_test(
                flag_of(trees().interval(form, high + 1, facts.high), false), !positive);
        return flag_test(flag_of(trees().interval(form, low, high), false), positive);
    }

    // Bounds of a tree's value; false where values need more than 32 bits.
    bool fits(i32 tree, i64& low, i64& high) const {
        const Span<i32> row = tree_row(tree);
        const i32 op = row[0];
        low = 0;
        high = 1;
        if (op == T_INTERVAL) return true;
        if (op == T_INT) {
            low = high = row[1];
        } else if (op == T_TERM) {
            low = lowering.terms[row[1]].low;
            high = lowering.terms[row[1]].high;
        } else {
            i64 a, b, c, d;
            if (!fits(row[1], a, b)) return false;
            c = a, d = b;
            for (u64 at = 2; at < row.count; ++at)
                if (!fits(row[at], c, d)) return false;
            if (op == PLUS) low = a + c, high = b + d;
            if (op == MINUS) low = a - d, high = b - c;
            if (op == NEGATED) low = -b, high = -a;
            if (op == TIMES) {
                low = least(least(a * c, a * d), least(b * c, b * d));
                high = most(most(a * c, a * d), most(b * c, b * d));
            }
        }
        return -low <= LARGEST_VALUE && high <= LARGEST_VALUE;
    }

    // --- chains of tests -------------------------------------------------------------------------

    // Writes the tests of flags that others are derived from, and makes room for new lanes.
    void add_derived() {
        const i32 more = lane_words - test_lane_words_;
        if (more != 0)
            for (Test& test : tests)
                if (test.mask == 1) test.word += more;
        test_lane_words_ = lane_words;
        for (u64 at = derived_flags.count; at < derived_.count; ++at) {
            derived_tests.push(any_of(derived_[at].alternatives, HOLDS));
            derived_flags.push(derived_[at].flag);
        }
    }

    // First test of some conjunctions, any of which leads on to `then`.
    i32 any_of(i32 alternatives, i32 then) {
        const Span<i32> row = alternatives_row(alternatives);
        Vec<u64> starts;
        for (u64 at = 1; at < row.count; at += 1 + 2 * row[at]) starts.push(at);
        i32 otherwise = FAILS;
        for (u64 number = starts.count; number-- > 0;) {
            const i32* const conjunction = row.data + starts[number];
            i32 first = then;
            for (i32 at = conjunction[0]; at-- > 0;) {
                const i32 which = conjunction[1 + 2 * at], ends = conjunction[2 + 2 * at];
                const i32 place = which >> 1;
                Test test;
                if (which & 1) {
                    test.word = lane_words + place / FLAGS_PER_WORD;
                    test.shift = static_cast<u8>(place % FLAGS_PER_WORD);
                } else {
                    test.word = place / LANES_PER_WORD;
                    test.shift = static_cast<u8>(8 * (place % LANES_PER_WORD));
                }
                test.mask = which & 1 ? 1 : 255;
                test.low = static_cast<u8>(ends);
                test.high = static_cast<u8>(ends >> 8);
                test.yes = first;
                test.no = otherwise;
                first = static_cast<i32>(tests.push(test));
            }
            otherwise = first;
        }
        return otherwise;
    }

    // --- linear forms and lanes ------------------------------------------------------------------

    // Values of a form by suit, shape and context; the rest of `sums_` is out of date.
    void sum_up(i32 form) {
        if (summed_form_ == form) return;
        summed_form_ = form;
        summed_suits_ = 0;
        __builtin_memset(length_sums_, 0, sizeof length_sums_);
        __builtin_memset(context_sums_, 0, sizeof context_sums_);
        const Span<i32> row = form_row(form);
        for (u64 at = 0; at < row.count; at += 2) {
            const TermTables& term = lowering.terms[row[at]];
            const i32 factor = row[at + 1];
            for (i32 suit = 0; suit < 4; ++suit) {
                if (!(term.suit_bits >> suit & 1)) continue;
                i32* const __restrict__ sums = &sums_[static_cast<u64>(suit * HOLDINGS)];
                const i32* const __restrict__ values = term.suits[suit];
                if (summed_suits_ >> suit & 1)
                    for (i32 holding = 0; holding < HOLDINGS; ++holding)
                        sums[holding] += factor * values[holding];
                else
                    for (i32 holding = 0; holding < HOLDINGS; ++holding)
                        sums[holding] = factor * values[holding];
                summed_suits_ |= 1u << suit;
            }
            for (i32 shape = 0; shape < SHAPES; ++shape)
                length_sums_[shape] += factor * term.lengths[shape];
            for (i32 context = 0; context < CONTEXTS; ++context)
                context_sums_[context] += factor * term.contexts[context];
        }
    }

    // Whether no value of a form, nor of a part of it, needs more than 32 bits.
    bool form_fits(i32 form) const {
        const Span<i32> row = form_row(form);
        i64 total = 0;
        for (u64 at = 0; at < row.count; at += 2) {
            const TermTables& term = lowering.terms[row[at]];
            const i64 factor = row[at + 1] < 0 ? -static_cast<i64>(row[at + 1]) : row[at + 1];
            // no holding of the four counts for more than twice what a whole hand reaches
            total += factor * 2 * most(most(term.high, -term.low), 1);
        }
        return total <= LARGEST_VALUE;
    }

    struct Ends {
        i32 low, high;

        void take(i32 value) {
            low = least(low, value);
            high = most(high, value);
        }
    };

    const FormFacts& facts_of(i32 form) {
        const u64 number = static_cast<u64>(form);
        if (number >= forms_.count) forms_.resize(trees().forms.count());
        FormFacts& facts = forms_[number];
        if (facts.known) return facts;
        facts.known = true;
        facts.lane = -1;
        facts.is_too_large = !form_fits(form);
        if (facts.is_too_large) return facts;
        sum_up(form);
        Ends suits[4] = {}, by_cards[4][14] = {};
        for (i32 suit = 0; suit < 4; ++suit) {
            if (!(summed_suits_ >> suit & 1)) continue;
            const i32* const sums = &sums_[static_cast<u64>(suit * HOLDINGS)];
            suits[suit] = {sums[0], sums[0]};
            for (i32 count = 0; count < 14; ++count) {
                Ends ends = {sums[by_cards_[starts_[count]]], sums[by_cards_[starts_[count]]]};
                for (i32 at = starts_[count]; at < starts_[count + 1]; ++at)
                    ends.take(sums[by_cards_[at]]);
                by_cards[suit][count] = ends;
                suits[suit].take(ends.low);
                suits[suit].take(ends.high);
            }
        }
        Ends lengths = {0, 0}, contexts = {context_sums_[0], context_sums_[0]}, hands = {};
        for (const i32 value : context_sums_) contexts.take(value);
        for (i32 shape = 0; shape < SHAPES; ++shape) {
            lengths.take(length_sums_[shape]);
            Ends ends = {length_sums_[shape], length_sums_[shape]};
            for (i32 suit = 0; suit < 4; ++suit) {
                const Ends& of_suit = by_cards[suit][ALL_SHAPES.lengths[shape][suit]];
                ends.low += of_suit.low;
                ends.high += of_suit.high;
            }
            if (shape == 0) hands = ends;
            hands.take(ends.low);
            hands.take(ends.high);
        }
        facts.low = static_cast<i64>(hands.low) + contexts.low;
        facts.high = static_cast<i64>(hands.high) + contexts.high;
        i64 spread = static_cast<i64>(lengths.high) - lengths.low + contexts.high - contexts.low;
        facts.offset = lengths.low + contexts.low;
        bool any = false;
        for (const Ends& ends : suits) {
            spread += static_cast<i64>(ends.high) - ends.low;
            facts.offset += ends.low;
            any |= ends.low != 0 || ends.high != 0;
        }
        const i32 part = part_of_form(form);
        facts.wants_lane = is_core_lane(form) ||
                           (part != BY_LENGTHS && part >= 4 && spread <= LANE_LIMIT && any);
        return facts;
    }

    // These always become lanes.
    bool is_core_lane(i32 form) const {
        const Span<i32> row = form_row(form);
        if (row.count != 2 || row[1] != 1) return false;
        const i32 term = row[0];
        return term == TERM_HCP || term == TERM_TOTAL_POINTS ||
               (TERM_SL_C <= term && term <= TERM_SL_S);
    }

    i32 lane_of(i32 form) {
        FormFacts& facts = forms_[static_cast<u64>(form)];
        if (facts.lane >= 0) return facts.lane;
        facts.lane = static_cast<i32>(lanes.push({form, facts.offset}));
        ++version;
        if (facts.lane / LANES_PER_WORD == lane_words) insert_lane_word();
        const i32 word = facts.lane / LANES_PER_WORD, shift = 8 * (facts.lane % LANES_PER_WORD);
        sum_up(form);
        for (i32 suit = 0; suit < 4; ++suit)
            if (summed_suits_ >> suit & 1)
                add_lane(&sums_[static_cast<u64>(suit * HOLDINGS)],
                         suit_row(suit) + word, HOLDINGS, shift);
        i32 by_lengths[TABLE_SHAPES];
        for (i32 lengths = 0; lengths < TABLE_SHAPES; ++lengths)
            by_lengths[lengths] = length_sums_[shape_at_[lengths]];
        add_lane(by_lengths, length_words_.data + word, TABLE_SHAPES, shift);
        add_lane(context_sums_, context_words_.data + word, CONTEXTS, shift);
        return facts.lane;
    }
    void add_lane(const i32* values, u64* column, i32 count, i32 shift) const {
        i32 lowest = values[0];
        for (i32 at = 0; at < count; ++at) lowest = least(lowest, values[at]);
        for (i32 at = 0; at < count; ++at)
            column[static_cast<u64>(at) * stride_] +=
                static_cast<u64>(values[at] - lowest) << shift;
    }

    // --- flags -----------------------------------------------------------------------------------

    // What decides a tree, or any truth value of the terms of a form.
    struct Deciders {
        u32 suits = 0;
        bool is_whole = false;         // by lengths or context, as a term says itself
        bool by_lengths = true, by_context = true;

        void add(const TermTables& term) {
            suits |= term.suit_bits;
            is_whole |= term.has_lengths || term.has_context;
            by_lengths &= !term.has_context && !(term.suit_bits & ~term.length_bits);
            by_context &= !term.has_lengths && term.suit_bits == 0;
        }
        i32 part() const {
            if (!is_whole && suits != 0 && (suits & (suits - 1)) == 0) return lowest_bit(suits);
            return by_lengths ? BY_LENGTHS : by_context ? BY_CONTEXT : BY_PROGRAM;
        }
    };
    void find_deciders(i32 tree, Deciders& found) const {
        const Span<i32> row = tree_row(tree);
        if (row[0] == T_TERM) return found.add(lowering.terms[row[1]]);
        if (row[0] == T_INT) return;
        if (row[0] == T_INTERVAL) return find_form_deciders(row[1], found);
        for (u64 at = 1; at < row.count; ++at) find_deciders(row[at], found);
    }
    void find_form_deciders(i32 form, Deciders& found) const {
        const Span<i32> row = form_row(form);
        for (u64 at = 0; at < row.count; at += 2) found.add(lowering.terms[row[at]]);
    }
    i32 part_of(i32 tree) const {
        Deciders found;
        find_deciders(tree, found);
        return found.part();
    }
    i32 part_of_form(i32 form) const {
        Deciders found;
        find_form_deciders(form, found);
        return found.part();
    }

    i32 flag_of(i32 tree, bool is_derived) {
        const u64 key = static_cast<u64>(tree);
        if (flags_.has(key)) return flags_.get(key);
        const i32 flag = static_cast<i32>(flag_trees.push(tree));
        flags_.add(key, flag);
        ++version;
        if (flag / FLAGS_PER_WORD == flag_words) {
            make_room(words() + 1);
            ++flag_words;
        }
        if (!is_derived) write_flag(tree, flag);
        return flag;
    }

    void write_flag(i32 tree, i32 flag) {
        const i32 word = lane_words + flag / FLAGS_PER_WORD, shift = flag % FLAGS_PER_WORD;
        const i32 part = part_of(tree);
        if (part == BY_PROGRAM) {
            program_starts.push(static_cast<i32>(code.count / 2));
            program_flags.push(flag);
            program_stack = most(program_stack, emit(tree));
            instruction(T_END, 0);
            return;
        }
        const i32 count = part < 4 ? HOLDINGS : part == BY_LENGTHS ? SHAPES + 1 : CONTEXTS;
        u64* const column = part < 4 ? suit_row(part) + word : context_words_.data + word;
        u8 holds[SHAPES + AT_ONCE];  // by shape
        for (i32 at = 0; at < count; at += AT_ONCE) {
            evaluate(tree, part, at, 0);
            const i32* const values = stack_[0].value;
            const i32 end = least(count - at, AT_ONCE);
            if (part == BY_LENGTHS)
                for (i32 item = 0; item < end; ++item) holds[at + item] = values[item] != 0;
            else
                for (i32 item = 0; item < end; ++item)
                    column[static_cast<u64>(at + item) * stride_] |=
                        static_cast<u64>(values[item] != 0) << shift;
        }
        if (part != BY_LENGTHS) return;
        for (i32 lengths = 0; lengths < TABLE_SHAPES; ++lengths)
            length_words_[static_cast<u64>(lengths) * stride_ + word] |=
                static_cast<u64>(holds[shape_at_[lengths]]) << shift;
    }

    // Values of a term for AT_ONCE holdings, shapes or contexts from one on.
    void term_values(i32 number, i32 part, i32 first, i32* __restrict__ out) const {
        const TermTables& term = lowering.terms[number];
        if (part < 4) {
            for (i32 at = 0; at < AT_ONCE; ++at) out[at] = term.suits[part][first + at];
            return;
        }
        __builtin_memset(out, 0, AT_ONCE * sizeof(i32));
        if (part == BY_CONTEXT) {
            for (i32 at = 0; at < CONTEXTS; ++at) out[at] = term.contexts[at];
            return;
        }
        for (i32 at = 0; at < AT_ONCE && first + at < SHAPES; ++at) {
            out[at] = term.lengths[first + at];
            for (i32 suit = 0; suit < 4; ++suit)
                if (term.suit_bits >> suit & 1) out[at] += ALL_SHAPES.lengths[first + at][suit];
        }
    }

    template <class Function>
    void join(u64 slot, Function function) {
        i32* const __restrict__ left = stack_[slot].value;
        const i32* const __restrict__ right = stack_[slot + 1].value;
        for (i32 at = 0; at < AT_ONCE; ++at)
            left[at] = static_cast<i32>(
                function(static_cast<u32>(left[at]), static_cast<u32>(right[at])));
    }
    static i32 sign(u32 value) { return static_cast<i32>(value); }

    // Values of a tree, at `slot` of the stack. Sums wrap where no hand can reach.
    void evaluate(i32 tree, i32 part, i32 first, u64 slot) {
        if (stack_.count < slot + 2) stack_.resize(slot + 2);
        const Span<i32> row = tree_row(tree);
        const i32 op = row[0];
        if (op == T_INTERVAL) return evaluate_interval(row, part, first, slot);
        if (op == T_TERM) return term_values(row[1], part, first, stack_[slot].value);
        if (op == T_INT) {
            for (i32& value : stack_[slot].value) value = row[1];
            return;
        }
        evaluate(row[1], part, first, slot);
        if (op == NEGATED || op == T_NOT) {
            for (i32& value : stack_[slot].value)
                value = op == T_NOT ? value == 0 : static_cast<i32>(-static_cast<u32>(value));
            return;
        }
        for (u64 at = 2; at < row.count; ++at) {
            evaluate(row[at], part, first, slot + 1);
            switch (op) {
                case LESS: join(slot, [](u32 a, u32 b) { return sign(a) < sign(b); }); break;
                case AT_MOST: join(slot, [](u32 a, u32 b) { return sign(a) <= sign(b); }); break;
                case EQUAL: join(slot, [](u32 a, u32 b) { return a == b; }); break;
                case UNEQUAL: join(slot, [](u32 a, u32 b) { return a != b; }); break;
                case AT_LEAST: join(slot, [](u32 a, u32 b) { return sign(a) >= sign(b); }); break;
                case MORE: join(slot, [](u32 a, u32 b) { return sign(a) > sign(b); }); break;
                case PLUS: join(slot, [](u32 a, u32 b) { return a + b; }); break;
                case MINUS: join(slot, [](u32 a, u32 b) { return a - b; }); break;
                case TIMES: join(slot, [](u32 a, u32 b) { return a * b; }); break;
                case T_AND: join(slot, [](u32 a, u32 b) { return a != 0 && b != 0; }); break;
                default: join(slot, [](u32 a, u32 b) { return a != 0 || b != 0; }); break;
            }
        }
    }
    void evaluate_interval(const Span<i32>& row, i32 part, i32 first, u64 slot) {
        const i32 low = static_cast<i32>(joined_words(row[2], row[3]));
        const i32 high = static_cast<i32>(joined_words(row[4], row[5]));
        const Span<i32> form = form_row(row[1]);
        i32* const __restrict__ total = stack_[slot].value;
        i32* const __restrict__ term = stack_[slot + 1].value;
        __builtin_memset(total, 0, sizeof(Values));
        for (u64 at = 0; at < form.count; at += 2) {
            const u32 factor = static_cast<u32>(form[at + 1]);
            term_values(form[at], part, first, term);
            for (i32 item = 0; item < AT_ONCE; ++item)
                total[item] = static_cast<i32>(
                    static_cast<u32>(total[item]) + factor * static_cast<u32>(term[item]));
        }
        for (i32 item = 0; item < AT_ONCE; ++item)
            total[item] = low <= total[item] && total[item] <= high;
    }

    // --- programs --------------------------------------------------------------------------------

    void instruction(i32 opcode, i32 operand) {
        code.push(opcode);
        code.push(operand);
    }

    // Code for a tree; the stack that it needs.
    i32 emit(i32 tree) {
        const Span<i32> row = tree_row(tree);
        const i32 op = row[0];
        if (op == T_TERM || op == T_INT) {
            instruction(op, op == T_TERM ? program_term(row[1]) : row[1]);
            return 1;
        }
        if (op == T_INTERVAL) {
            const i32 form = row[1];
            const i64 low = joined_words(row[2], row[3]), high = joined_words(row[4], row[5]);
            emit_form(form, AT_LEAST, low);
            const i32 depth = 1 + emit_form(form, AT_MOST, high);
            instruction(T_AND, 0);
            return depth;
        }
        i32 depth = emit(row[1]);
        for (u64 at = 2; at < row.count; ++at) {
            depth = most(depth, 1 + emit(row[at]));
            instruction(op, 0);
        }
        if (row.count == 2) instruction(op, 0);
        return depth;
    }
    // Code for a form compared with a number.
    i32 emit_form(i32 form, i32 op, i64 value) {
        const Span<i32> row = form_row(form);
        instruction(T_INT, 0);
        for (u64 at = 0; at < row.count; at += 2) {
            instruction(T_INT, row[at + 1]);
            instruction(T_TERM, program_term(row[at]));
            instruction(TIMES, 0);
            instruction(PLUS, 0);
        }
        instruction(T_INT, static_cast<i32>(value));
        instruction(op, 0);
        return 3;
    }

    // Number of a term among those of programs, whose tables are written down.
    i32 program_term(i32 term) {
        for (u64 at = 0; at < program_terms.count; ++at)
            if (program_terms[at] == term) return static_cast<i32>(at);
        const TermTables& tables = lowering.terms[term];
        for (i32 suit = 0; suit < 4; ++suit)
            for (i32 holding = 0; holding < HOLDINGS; ++holding)
                term_suits.push(tables.suits[suit][holding]);
        for (i32 lengths = 0; lengths < TABLE_SHAPES; ++lengths)
            term_lengths.push(shape_at_[lengths] < SHAPES ? tables.lengths[shape_at_[lengths]] : 0);
        for (i32 context = 0; context < CONTEXTS; ++context)
            term_contexts.push(tables.contexts[context]);
        return static_cast<i32>(program_terms.push(term));
    }

    // --- tables ----------------------------------------------------------------------------------

    u64* suit_row(i32 suit) {
        return suit_words_.data + static_cast<u64>(suit) * HOLDINGS * stride_;
    }

    // Makes room for so many words in each row; eight more at a time, whole lines of a cache.
    void make_room(i32 words_wanted) {
        if (words_wanted <= stride_) return;
        const i32 before = stride_;
        stride_ = most((words_wanted + 7) / 8 * 8, before + before / 2 / 8 * 8);
        widen(suit_words_, 4 * HOLDINGS, before);
        widen(length_words_, TABLE_SHAPES, before);
        widen(context_words_, CONTEXTS, before);
    }
    void widen(Vec<u64>& table, i32 rows, i32 before) const {
        Vec<u64> wider;
        wider.resize(static_cast<u64>(rows) * stride_);
        for (i32 row = 0; row < rows; ++row)
            copy_bytes(wider.data + static_cast<u64>(row) * stride_,
                       table.data + static_cast<u64>(row) * before, 8 * static_cast<u64>(before));
        table = static_cast<Vec<u64>&&>(wider);
    }

    // A word for lanes before those of flags, which move on.
    void insert_lane_word() {
        make_room(words() + 1);
        shift_flags(suit_words_, 4 * HOLDINGS);
        shift_flags(length_words_, TABLE_SHAPES);
        shift_flags(context_words_, CONTEXTS);
        ++lane_words;
    }
    void shift_flags(Vec<u64>& table, i32 rows) const {
        for (i32 row = 0; row < rows; ++row) {
            u64* const words_of_row = table.data + static_cast<u64>(row) * stride_;
            for (i32 word = words(); word > lane_words; --word)
                words_of_row[word] = words_of_row[word - 1];
            words_of_row[lane_words] = 0;
        }
    }
    void copy_rows(const Vec<u64>& table, u64* out, i32 rows) const {
        for (i32 row = 0; row < rows; ++row)
            copy_bytes(out + static_cast<u64>(row) * words(),
                       table.data + static_cast<u64>(row) * stride_, 8 * static_cast<u64>(words()));
    }
};

}  // namespace core
