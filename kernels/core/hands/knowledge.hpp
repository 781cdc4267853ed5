// What is known about one hand: the cells (shape, HCP) where some hand, and where every hand,
// satisfies a tree. systems/places/knowledge.py is the definition, and says what is exact.
#pragma once
#include "literals.hpp"
#include "reach.hpp"

namespace core {

constexpr u32 HOLDING_WORDS = HOLDINGS / 64;

// Values of a tree of any kind, 64 holdings, one shape's cells or all contexts at a time.
class Evaluation {
  public:
    static constexpr i32 LANE_COUNT = 64;

    Evaluation(const Trees& trees, i32 tree) : trees_(trees) {
        append(tree);
        stack_.resize(static_cast<u64>(deepest_ * LANE_COUNT));
    }

    // Bits of the lanes where the value is not zero; `load(term, lanes)` gives a term's values.
    template <class Load>
    u64 run(const Load& load) {
        i64* top = stack_.data - LANE_COUNT;
        for (const Step& step : code_) {
            if (step.op == T_TERM) {
                top += LANE_COUNT;
                load(step.operand, top);
            } else if (step.op == T_INT) {
                top += LANE_COUNT;
                for (i32 lane = 0; lane < LANE_COUNT; ++lane) top[lane] = step.operand;
            } else if (step.op == T_INTERVAL) {
                top += LANE_COUNT;
                find_interval(step.operand, load, top);
            } else if (step.op == NEGATED || step.op == T_NOT) {
                for (i32 lane = 0; lane < LANE_COUNT; ++lane)
                    top[lane] = step.op == T_NOT ? top[lane] == 0 : difference(0, top[lane]);
            } else {
                top -= LANE_COUNT;
                for (i32 lane = 0; lane < LANE_COUNT; ++lane)
                    top[lane] = joined(step.op, top[lane], top[lane + LANE_COUNT]);
            }
        }
        u64 found = 0;
        for (i32 lane = 0; lane < LANE_COUNT; ++lane)
            found |= static_cast<u64>(top[lane] != 0) << lane;
        return found;
    }
    // Value of the first lane that was worked out last.
    i64 first_value() const { return stack_[0]; }

  private:
    struct Step {
        i32 op, operand;
    };
    const Trees& trees_;
    Vec<Step> code_;  // operands before their operators
    Vec<i64> stack_;
    i32 depth_ = 0, deepest_ = 0;

    void append(i32 tree) {
        const Span<i32> row = trees_.trees[static_cast<u64>(tree)];
        if (row[0] == T_TERM || row[0] == T_INT || row[0] == T_INTERVAL)
            return push({row[0], row[0] == T_INTERVAL ? tree : row[1]});
        if (row.count == 1) return push({T_INT, row[0] == T_AND});
        for (u64 at = 1; at < row.count; ++at) {
            append(row[at]);
            if (at > 1) --depth_;
            if (at > 1 || row[0] == NEGATED || row[0] == T_NOT) code_.push({row[0], 0});
        }
    }

    void push(const Step& operand) {
        code_.push(operand);
        deepest_ = most(deepest_, ++depth_);
    }

    // Numbers wrap, as those of numpy do.
    static i64 difference(i64 one, i64 other) {
        return static_cast<i64>(static_cast<u64>(one) - static_cast<u64>(other));
    }
    static i64 sum(i64 one, i64 other) {
        return static_cast<i64>(static_cast<u64>(one) + static_cast<u64>(other));
    }
    static i64 product(i64 one, i64 other) {
        return static_cast<i64>(static_cast<u64>(one) * static_cast<u64>(other));
    }
    static i64 joined(i32 op, i64 left, i64 right) {
        switch (op) {
            case PLUS: return sum(left, right);
            case MINUS: return difference(left, right);
            case TIMES: return product(left, right);
            case T_AND: return left != 0 && right != 0;
            case T_OR: return left != 0 || right != 0;
            default: return compares(op, left, right);
        }
    }

    template <class Load>
    void find_interval(i32 tree, const Load& load, i64* found) const {
        const Span<i32> row = trees_.trees[static_cast<u64>(tree)];
        const u64 form = static_cast<u64>(row[1]);
        const i64 low = joined_words(row[2], row[3]), high = joined_words(row[4], row[5]);
        i64 values[LANE_COUNT];
        for (i32 lane = 0; lane < LANE_COUNT; ++lane) found[lane] = 0;
        // loading may add forms, so that they move
        for (u64 at = 0; at < trees_.forms[form].count; at += 2) {
            load(trees_.forms[form][at], values);
            const i64 factor = trees_.forms[form][at + 1];
            for (i32 lane = 0; lane < LANE_COUNT; ++lane)
                found[lane] = sum(found[lane], product(factor, values[lane]));
        }
        for (i32 lane = 0; lane < LANE_COUNT; ++lane)
            found[lane] = low <= found[lane] && found[lane] <= high;
    }
};

// Numbers of two sets of cells: where some hand, and where every hand, satisfies something.
struct CellBounds {
    i32 can, must;
};

class Knowledge {
  public:
    Knowledge(Trees& trees, Terms& terms)
        : trees_(trees), terms_(terms), reach_(trees, terms, cell_list_) {
        for (u32 word = 0; word < HOLDING_WORDS; ++word) all_holdings_[word] = ~0ull;
        const u64 nothing[SET_WORDS] = {};
        everything_ = sets_.number_of(cell_list_.everything);
        nothing_ = sets_.number_of(nothing);
    }
    Knowledge(const Knowledge&) = delete;
    Knowledge& operator=(const Knowledge&) = delete;

    // Cells where some hand, and where every hand, satisfies a tree. What depends on seat or
    // vulnerability `can` hold everywhere and `must` nowhere.
    CellBounds bounds(i32 tree) { return bounds_of(tree, true); }
    // The same in one context, position + 4 * we + 8 * they vulnerable, or in any of them.
    CellBounds bounds_at(i32 tree, i32 context) {
        context_ = context;
        const CellBounds found = bounds(tree);
        context_ = ANY_CONTEXT;
        return found;
    }
    static constexpr i32 ANY_CONTEXT = -1;
    void bounds(i32 tree, u64* can, u64* must) {
        const CellBounds found = bounds(tree);
        copy_bytes(can, sets_[found.can], SET_WORDS * sizeof(u64));
        copy_bytes(must, sets_[found.must], SET_WORDS * sizeof(u64));
    }
    // A set by its number, until another one is added, and the number of any set.
    const u64* cells(i32 number) const { return sets_[number]; }
    i32 number_of(const u64* cells) { return sets_.number_of(cells); }
    i32 everything() const { return everything_; }
    i32 nothing() const { return nothing_; }

    // All sets in a row, where they are now.
    Array<CellSet> all_cells() {
        return {reinterpret_cast<CellSet*>(sets_.data()), sets_.count()};
    }
    void reserve(u64 sets) { sets_.reserve(sets); }
    u64 bytes() const {
        return sets_.bytes() + holdings_.bytes() + reach_.bytes() + deciders_.bytes() +
               where_.bytes() + bounds_of_trees_.bytes() + one_suits_.bytes() +
               intervals_.bytes() + conjunctions_.bytes() + bounds_list_.bytes() +
               one_suit_list_.bytes() + interval_list_.bytes() + conjunction_list_.bytes();
    }

    Terms& terms() { return terms_; }
    Reach& reach() { return reach_; }
    const CellList& cell_list() const { return cell_list_; }

  private:
    enum Decider : i32 { CELL, CLUBS, DIAMONDS, HEARTS, SPADES, CONTEXT, MORE_THAN_ONE };

    friend class Proportions;

    // What a conjunction is made of.
    struct Part {
        enum Kind : i32 { DECIDED, DENIED, INTERVAL, UNKNOWN };
        Kind kind;
        bool wanted;
        i32 tree, decider;  // DECIDED; DENIED: what must not hold if `wanted`, else what must
        CellBounds denied;  // of what must not hold
        i32 form;           // INTERVAL
        i64 low, high;
    };

    Trees& trees_;
    Terms& terms_;
    const CellList cell_list_;
    Reach reach_;
    SetStore<SET_WORDS> sets_;
    SetStore<HOLDING_WORDS> holdings_;
    u64 all_holdings_[HOLDING_WORDS];
    i32 everything_, nothing_;
    i32 context_ = ANY_CONTEXT;  // that bounds and shares are of
    // Caches: where one thing decides a tree (by both; a set, or bits of contexts), and numbers of
    // bounds in the lists: by tree and sign, form and ends, holdings of four suits, of one suit.
    Vec<u8> deciders_;  // by tree
    Map where_, bounds_of_trees_, one_suits_;
    Rows intervals_, conjunctions_;
    Vec<CellBounds> bounds_list_, one_suit_list_, interval_list_, conjunction_list_;

    // Words are read one by one, since rows move when others are added.
    i32 word(i32 tree, u64 at) const { return trees_.trees[static_cast<u64>(tree)][at]; }
    u64 operands_end(i32 tree) const { return trees_.trees[static_cast<u64>(tree)].count; }

    // --- what decides a tree ---------------------------------------------------------------------

    i32 decider_of(i32 tree) {
        // operands come before what they are part of
        for (u64 next = deciders_.count; next <= static_cast<u64>(tree); ++next)
            deciders_.push(static_cast<u8>(find_deciders(static_cast<i32>(next))));
        const i32 found = deciders_[static_cast<u64>(tree)];
        return found == 0 ? MORE_THAN_ONE : lowest_bit(static_cast<u64>(found));
    }
    i32 find_deciders(i32 tree) {
        const i32 op = word(tree, 0);
        i32 found = Reach::BY_ANY;
        if (op == T_TERM) return reach_.deciders(word(tree, 1));
        if (op == T_INT) return found;
        if (op == T_INTERVAL) {
            const u64 form = static_cast<u64>(word(tree, 1));
            for (u64 at = 0; at < trees_.forms[form].count; at += 2)
                found &= reach_.deciders(trees_.forms[form][at]);
            return found;
        }
        for (u64 at = 1; at < operands_end(tree); ++at)
            found &= deciders_[static_cast<u64>(word(tree, at))];
        return found;
    }

    // --- where a tree holds, if one thing decides it ---------------------------------------------

    // Number of a set of cells, or of a suit's holdings; 16 bits of contexts.
    i32 where(i32 tree, i32 decider) {
        const u64 key = static_cast<u64>(tree) << 3 | static_cast<u64>(decider);
        const i32 known = where_.get(key);
        if (known >= 0) return known;
        const i32 op = word(tree, 0);
        if (decider != CONTEXT && (op == T_NOT || op == T_AND || op == T_OR))
            for (u64 at = 1; at < operands_end(tree); ++at) where(word(tree, at), decider);
        const i32 found = decider == CELL      ? where_in(sets_, tree, decider)
                          : decider == CONTEXT ? contexts_where(tree)
                                               : where_in(holdings_, tree, decider);
        where_.add(key, found);
        return found;
    }

    // Not part of `where`, whose frames would become large.
    template <u32 WORDS>
    __noinline__ i32 where_in(SetStore<WORDS>& store, i32 tree, i32 decider) {
        const u64* const all = decider == CELL ? cell_list_.everything : all_holdings_;
        const i32 op = word(tree, 0);
        u64 found[WORDS] = {};
        if (op == T_NOT || op == T_AND) copy_bytes(found, all, sizeof found);
        if (op == T_NOT) {
            const u64* const operand = store[where(word(tree, 1), decider)];
            for (u32 word = 0; word < WORDS; ++word) found[word] &= ~operand[word];
        } else if (op == T_AND || op == T_OR) {
            for (u64 at = 1; at < operands_end(tree); ++at) {
                const u64* const more = store[where(word(tree, at), decider)];
                for (u32 word = 0; word < WORDS; ++word)
                    found[word] = op == T_AND ? found[word] & more[word] : found[word] | more[word];
            }
        } else {
            where_atom_holds(tree, decider, all, found, WORDS);
        }
        return store.number_of(found);
    }

    // Fills an empty set: intervals of linear forms if it is made of these.
    void where_atom_holds(i32 tree, i32 decider, const u64* all, u64* found, u32 words) {
        Vec<Literal> literals;
        const Verdict verdict = lower(trees_, tree, true, literals);
        if (verdict == NEVER_HOLDS) return;
        if (verdict == ALWAYS_HOLDS) return copy_bytes(found, all, words * sizeof(u64));
        const Literal& literal = literals[0];
        if (literals.count > 1) return evaluate(tree, decider, found);
        if (literal.is_interval)
            return where_form_is(literal.form, literal.low, literal.high, decider, found);
        if (word(literal.tree, 0) != T_INTERVAL) return evaluate(tree, decider, found);
        where_form_is(word(literal.tree, 1), low_of(literal.tree), high_of(literal.tree), decider,
                      found);
        for (u32 at = 0; !literal.positive && at < words; ++at) found[at] = all[at] & ~found[at];
    }
    i64 low_of(i32 tree) const { return joined_words(word(tree, 2), word(tree, 3)); }
    i64 high_of(i32 tree) const { return joined_words(word(tree, 4), word(tree, 5)); }

    void where_form_is(i32 form, i64 low, i64 high, i32 decider, u64* found) {
        if (decider == CELL) {
            u64 must[SET_WORDS] = {};
            return reach_.between(form, low, high, found, must);
        }
        const Span<i32> row = trees_.forms[static_cast<u64>(form)];
        const i32 suit = decider - CLUBS;
        if (row.count == 2 && row[1] == 1)
            return put_holdings(terms_[row[0]].suits[suit], most<i64>(low, -0x7FFFFFFF),
                                least<i64>(high, 0x7FFFFFFF), found);
        Vec<i64> sums;
        sums.resize(HOLDINGS);
        for (u64 at = 0; at < row.count; at += 2) {
            const i32* const values = terms_[row[at]].suits[suit];
            const i64 factor = row[at + 1];
            for (i32 holding = 0; holding < HOLDINGS; ++holding)
                sums.data[holding] += factor * values[holding];
        }
        put_holdings(sums.data, low, high, found);
    }

    template <class T>
    static void put_holdings(const T* values, i64 low, i64 high, u64* found) {
        if (low > high) return;
        const T lowest = static_cast<T>(low), highest = static_cast<T>(high);
        for (u32 word = 0; word < HOLDING_WORDS; ++word) {
            u8 flags[64];
            for (u32 lane = 0; lane < 64; ++lane)
                flags[lane] = (values[64 * word + lane] >= lowest) &
                              (values[64 * word + lane] <= highest);
            for (u32 lane = 0; lane < 64; lane += 8)
                found[word] |= packed_byte(flags + lane) << lane;
        }
    }

    void evaluate(i32 tree, i32 decider, u64* found) {
        Evaluation evaluation(trees_, tree);
        if (decider == CELL) {
            for (i32 shape = 0; shape < SHAPES; ++shape) {
                const u64 holds = evaluation.run([&](i32 term, i64* lanes) {
                    const FormReach& values = reach_.of_term(term);
                    for (i32 lane = 0; lane < Evaluation::LANE_COUNT; ++lane)
                        lanes[lane] = values.shapes[shape] + values.slope * lane;
                });
                put_points(found, shape, holds & cell_list_.possible[shape]);
            }
            return;
        }
        for (u32 word = 0; word < HOLDING_WORDS; ++word)
            found[word] = evaluation.run([&](i32 term, i64* lanes) {
                const i32* const values = terms_[term].suits[decider - CLUBS] + 64 * word;
                for (i32 lane = 0; lane < Evaluation::LANE_COUNT; ++lane)
                    lanes[lane] = values[lane];
            });
    }

    i32 contexts_where(i32 tree) {
        Evaluation evaluation(trees_, tree);
        const u64 found = evaluation.run([&](i32 term, i64* lanes) {
            const i32* const values = terms_[term].contexts;
            for (i32 lane = 0; lane < Evaluation::LANE_COUNT; ++lane)
                lanes[lane] = values[lane % CONTEXTS];
        });
        return static_cast<i32>(found & 0xFFFF);
    }

    // Part of the contexts where a tree holds that contexts decide: 0 or 1 in one of them.
    double share_of_contexts(i32 tree) {
        const u64 inside = static_cast<u64>(where(tree, CONTEXT));
        return context_ == ANY_CONTEXT ? bit_count(inside) / 16.0
                                       : static_cast<double>(inside >> context_ & 1);
    }

    // --- conjunctions ----------------------------------------------------------------------------

    CellBounds bounds_of(i32 tree, bool wanted) {
        const u64 key = static_cast<u64>(tree) << 6 | static_cast<u64>(context_ + 1) << 1 | wanted;
        const i32 known = bounds_of_trees_.get(key);
        if (known >= 0) return bounds_list_[static_cast<u64>(known)];
        Vec<Part> parts;
        find_parts(tree, wanted, parts);
        const CellBounds found = joined(parts);
        bounds_of_trees_.add(key, static_cast<i32>(bounds_list_.push(found)));
        return found;
    }

    void find_parts(i32 tree, bool wanted, Vec<Part>& parts) {
        struct Waiting {
            i32 tree;
            bool wanted;
        };
        Vec<Waiting> waiting;
        waiting.push({tree, wanted});
        while (waiting.count) {
            const Waiting next = waiting.last();
            waiting.resize(waiting.count - 1);
            const i32 op = word(next.tree, 0), decider = decider_of(next.tree);
            if (decider != MORE_THAN_ONE) {
                where(next.tree, decider);
                Part part = {};
                part.kind = Part::DECIDED, part.wanted = next.wanted;
                part.tree = next.tree, part.decider = decider;
                parts.push(part);
            } else if (op == T_NOT) {
                waiting.push({word(next.tree, 1), !next.wanted});
            } else if (op != T_AND && op != T_OR) {
                find_literals(next.tree, next.wanted, parts);
            } else if ((op == T_AND) == next.wanted) {
                for (u64 at = 1; at < operands_end(next.tree); ++at)
                    waiting.push({word(next.tree, at), next.wanted});
            } else {
                Part part = {};
                part.kind = Part::DENIED, part.denied = bounds_of(next.tree, !next.wanted);
                part.tree = next.tree, part.wanted = !next.wanted;
                parts.push(part);
            }
        }
    }

    void find_literals(i32 tree, bool wanted, Vec<Part>& parts) {
        Vec<Literal> literals;
        const Verdict verdict = lower(trees_, tree, wanted, literals);
        Part part = {};
        if (verdict == NEVER_HOLDS) {
            part.kind = Part::DENIED, part.denied = {everything_, everything_};
            part.tree = -1;
            parts.push(part);
        }
        for (const Literal& literal : literals) {
            part = {};
            if (literal.is_interval) {
                part.kind = Part::INTERVAL, part.form = literal.form;
                part.low = literal.low, part.high = literal.high;
            } else if (!literal.positive && word(literal.tree, 0) == T_INTERVAL) {
                part.kind = Part::DENIED;
                part.denied = bounds_of_interval(word(literal.tree, 1), low_of(literal.tree),
                                                 high_of(literal.tree));
                part.tree = literal.tree, part.wanted = true;
            } else {
                part.kind = Part::UNKNOWN;
            }
            parts.push(part);
        }
    }

    // Bounds of what holds if all parts do. Intervals of one form are joined in the first of them.
    __noinline__ CellBounds joined(Vec<Part>& parts) {
        u64 can[SET_WORDS], must[SET_WORDS];
        copy_bytes(can, cell_list_.everything, sizeof can);
        copy_bytes(must, cell_list_.everything, sizeof must);
        const auto keep = [&](const u64* some, const u64* all, bool denied) {
            for (u32 word = 0; word < SET_WORDS; ++word) {
                can[word] &= denied ? ~all[word] : some[word];
                must[word] &= denied ? ~some[word] : all[word];
            }
        };
        i32 holdings[4] = {-1, -1, -1, -1};
        double chance = 1;  // share of the contexts; as numpy computes it
        bool unknown = false;
        for (u64 at = 0; at < parts.count; ++at) {
            const Part& part = parts[at];
            if (part.kind == Part::UNKNOWN) {
                unknown = true;
            } else if (part.kind == Part::DENIED) {
                keep(sets_[part.denied.can], sets_[part.denied.must], true);
            } else if (part.kind == Part::INTERVAL) {
                if (!narrow_intervals(parts, at)) continue;
                const CellBounds found = bounds_of_interval(part.form, part.low, part.high);
                keep(sets_[found.can], sets_[found.must], false);
            } else if (part.decider == CELL) {
                const u64* const inside = sets_[where(part.tree, CELL)];
                keep(inside, inside, !part.wanted);
            } else if (part.decider == CONTEXT) {
                const double share = share_of_contexts(part.tree);
                chance *= part.wanted ? share : 1 - share;
            } else {
                narrow_holdings(holdings[part.decider - CLUBS], where(part.tree, part.decider),
                                part.wanted);
            }
        }
        if (most(most(holdings[0], holdings[1]), most(holdings[2], holdings[3])) >= 0) {
            const CellBounds found = bounds_of_holdings(holdings);
            keep(sets_[found.can], sets_[found.must], false);
        }
        return {chance != 0 ? sets_.number_of(can) : nothing_,
                unknown || chance < 1 ? nothing_ : sets_.number_of(must)};
    }

    // False if an earlier part has the form; else all later ones are taken into this one.
    static bool narrow_intervals(Vec<Part>& parts, u64 number) {
        Part& part = parts[number];
        for (u64 at = 0; at < number; ++at)
            if (parts[at].kind == Part::INTERVAL && parts[at].form == part.form) return false;
        // the ends of an interval that nothing narrows are no wider than these
        part.low = most(part.low, -UNBOUNDED), part.high = least(part.high, UNBOUNDED);
        for (u64 at = number + 1; at < parts.count; ++at)
            if (parts[at].kind == Part::INTERVAL && parts[at].form == part.form) {
                part.low = most(part.low, parts[at].low);
                part.high = least(part.high, parts[at].high);
            }
        return true;
    }

    // Takes a set of holdings, or all others, into what a suit may hold (-1 for anything).
    void narrow_holdings(i32& allowed, i32 inside, bool wanted) {
        u64 left[HOLDING_WORDS];
        copy_bytes(left, allowed < 0 ? all_holdings_ : holdings_[allowed], sizeof left);
        const u64* const other = holdings_[inside];
        for (u32 word = 0; word < HOLDING_WORDS; ++word)
            left[word] &= wanted ? other[word] : ~other[word];
        allowed = holdings_.number_of(left);
    }

    __noinline__ CellBounds bounds_of_interval(i32 form, i64 low, i64 high) {
        const i32 row[5] = {form, low_word(low), high_word(low), low_word(high), high_word(high)};
        const u64 number = static_cast<u64>(intervals_.number_of(row, 5));
        if (number == interval_list_.count) {
            u64 can[SET_WORDS] = {}, must[SET_WORDS] = {};
            reach_.between(form, low, high, can, must);
            interval_list_.push({sets_.number_of(can), sets_.number_of(must)});
        }
        return interval_list_[number];
    }

    // --- holdings of the four suits --------------------------------------------------------------

    CellBounds bounds_of_holdings(const i32 (&holdings)[4]) {
        const u64 number = static_cast<u64>(conjunctions_.number_of(holdings, 4));
        if (number == conjunction_list_.count) conjunction_list_.push(find_bounds_of(holdings));
        return conjunction_list_[number];
    }

    CellBounds find_bounds_of(const i32 (&holdings)[4]) {
        u64 must[SET_WORDS];
        copy_bytes(must, cell_list_.everything, sizeof must);
        i32 suits = 0;
        CellBounds one = {everything_, everything_};
        for (i32 suit = 0; suit < 4; ++suit) {
            if (holdings[suit] < 0) continue;
            one = bounds_of_suit(suit, holdings[suit]);
            for (u32 word = 0; word < SET_WORDS; ++word) must[word] &= sets_[one.must][word];
            ++suits;
        }
        return suits == 1 ? one : CellBounds{possible_with(holdings), sets_.number_of(must)};
    }

    // Points that a suit of each length has with some of its holdings in a set.
    void find_points(const u64* holdings, bool wanted, u64 (&points)[LENGTHS]) const {
        for (u64& mask : points) mask = 0;
        for (i32 honours = 0; honours < 16; ++honours) {
            // all holdings with these honours are neighbours
            const u64* const words = holdings + honours * LOW_WORDS;
            const i32 row = cell_list_.row[honours << LOW_CARDS];
            for (i32 low = 0; low <= LOW_CARDS; ++low) {
                u64 some = 0;
                for (i32 word = 0; word < LOW_WORDS; ++word)
                    some |= (wanted ? words[word] : ~words[word]) & cell_list_.low[low][word];
                if (some) points[row / SUIT_POINTS + low] |= 1ull << row % SUIT_POINTS;
            }
        }
    }

    // Bounds of one suit's holdings: every hand of a cell has them if none has others.
    CellBounds bounds_of_suit(i32 suit, i32 holdings) {
        const u64 key = static_cast<u64>(holdings) << 2 | static_cast<u64>(suit);
        const i32 known = one_suits_.get(key);
        if (known >= 0) return one_suit_list_[static_cast<u64>(known)];
        u64 inside[LENGTHS], outside[LENGTHS];
        find_points(holdings_[holdings], true, inside);
        find_points(holdings_[holdings], false, outside);
        u64 can[SET_WORDS] = {}, must[SET_WORDS] = {};
        for (i32 shape = 0; shape < SHAPES; ++shape) {
            const i32 cards = ALL_SHAPES.lengths[shape][suit];
            const u64 rest = cell_list_.rest[suit][shape];
            put_points(can, shape, sums_of(inside[cards], rest));
            put_points(must, shape, cell_list_.possible[shape] & ~sums_of(outside[cards], rest));
        }
        const CellBounds found = {sets_.number_of(can), sets_.number_of(must)};
        one_suits_.add(key, static_cast<i32>(one_suit_list_.push(found)));
        return found;
    }

    // Cells of the hands whose four holdings are all allowed.
    i32 possible_with(const i32 (&holdings)[4]) {
        u64 points[4][LENGTHS];
        for (i32 suit = 0; suit < 4; ++suit)
            find_points(holdings[suit] < 0 ? all_holdings_ : holdings_[holdings[suit]], true,
                        points[suit]);
        u64 minors[PAIRS], majors[PAIRS], found[SET_WORDS] = {};
        for (i32 pair = 0; pair < PAIRS; ++pair) {
            const i32 one = ALL_PAIRS.first[pair], two = ALL_PAIRS.second[pair];
            minors[pair] = sums_of(points[0][one], points[1][two]);
            majors[pair] = sums_of(points[2][one], points[3][two]);
        }
        for (i32 shape = 0; shape < SHAPES; ++shape)
            put_points(found, shape,
                       sums_of(minors[ALL_PAIRS.minors[shape]], majors[ALL_PAIRS.majors[shape]]));
        return sets_.number_of(found);
    }
};

// Sets of cells where the least, and the most, of each term beyond the hull is 0, 1, …, as rows of
// bidding have their terms. Its terms are those of the profile gib.
struct TermReach {
    Vec<u64> reach;          // [2 * values][SET_WORDS]: least values of all terms, then the most
    i32 first[RANGES + 1];   // where the values of each term begin

    explicit TermReach(Knowledge& knowledge) {
        constexpr i32 RANGE_TERMS[RANGES] = {
            TERM_TOTAL_POINTS, TERM_ACES, TERM_KINGS, TERM_CONTROLS, TERM_LOSERS,
            TERM_HCP_C, TERM_HCP_D, TERM_HCP_H, TERM_HCP_S,
            TERM_KEYCARDS_C, TERM_KEYCARDS_D, TERM_KEYCARDS_H, TERM_KEYCARDS_S};
        first[0] = 0;
        for (u32 term = 0; term < RANGES; ++term)
            first[term + 1] = first[term] + knowledge.terms()[RANGE_TERMS[term]].high + 1;
        const u64 values = static_cast<u64>(first[RANGES]);
        reach.resize(2 * values * SET_WORDS);
        for (u32 term = 0; term < RANGES; ++term) {
            u64* const sets = reach.data + static_cast<u64>(first[term]) * SET_WORDS;
            knowledge.reach().put_ends(RANGE_TERMS[term], first[term + 1] - first[term], sets,
                                       sets + values * SET_WORDS);
        }
    }
};

}  // namespace core
