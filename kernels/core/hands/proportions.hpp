// How much of each cell's hands satisfies a tree: `proportion` of systems/places/knowledge.py is the
// definition, and says what is exact.
#pragma once
#include "knowledge.hpp"

namespace core {

constexpr i32 CELLS = SHAPES * POINTS;

class Proportions {
  public:
    Proportions(Trees& trees, Terms& terms, Knowledge& knowledge)
        : trees_(trees), terms_(terms), knowledge_(knowledge) {}

    // Number of hands in each cell, [SHAPES][POINTS].
    const double* hands() {
        if (hands_.count == 0) {
            hands_.resize(CELLS);
            const u64* const all = knowledge_.all_holdings_;
            const u64* const allowed[4] = {all, all, all, all};
            count_hands(allowed, hands_.data);
        }
        return hands_.data;
    }

    // Share of each cell's hands that satisfy a tree, [SHAPES][POINTS].
    // Where a context is given, of the hands that are in it.
    void find(i32 tree, double* found, i32 context = Knowledge::ANY_CONTEXT) {
        knowledge_.context_ = context;
        find(tree, true, found);
        knowledge_.context_ = Knowledge::ANY_CONTEXT;
    }

  private:
    static constexpr i32 PAIR_POINTS = 2 * SUIT_POINTS - 1;
    static constexpr i64 WIDEST_FORM = 64;  // values that are told apart

    using Part = Knowledge::Part;

    Trees& trees_;
    Terms& terms_;
    Knowledge& knowledge_;
    Vec<double> hands_;

    void find(i32 tree, bool wanted, double* found) {
        Vec<Part> parts;
        knowledge_.find_parts(tree, wanted, parts);
        u64 cells[SET_WORDS];
        copy_bytes(cells, knowledge_.cell_list_.everything, sizeof cells);
        i32 holdings[4] = {-1, -1, -1, -1};
        double chance = 1;
        i32 unknown = 0;
        for (const Part& part : parts) {
            if (part.kind == Part::UNKNOWN) ++unknown;
            if (part.kind == Part::DENIED && part.tree < 0) __builtin_memset(cells, 0, sizeof cells);
            if (part.kind != Part::DECIDED) continue;
            const i32 inside = knowledge_.where(part.tree, part.decider);
            if (part.decider == Knowledge::CELL) {
                for (u32 word = 0; word < SET_WORDS; ++word)
                    cells[word] &= part.wanted ? knowledge_.sets_[inside][word]
                                               : ~knowledge_.sets_[inside][word];
            } else if (part.decider == Knowledge::CONTEXT) {
                const double share = knowledge_.share_of_contexts(part.tree);
                chance *= part.wanted ? share : 1 - share;
            } else {
                knowledge_.narrow_holdings(holdings[part.decider - Knowledge::CLUBS], inside,
                                           part.wanted);
            }
        }
        put_flags(cells, found);
        Vec<double> other;
        other.resize(CELLS);
        const auto narrow = [&](bool denied) {
            for (i32 cell = 0; cell < CELLS; ++cell)
                found[cell] *= denied ? 1 - other.data[cell] : other.data[cell];
        };
        if (most(most(holdings[0], holdings[1]), most(holdings[2], holdings[3])) >= 0) {
            const u64* allowed[4];
            for (i32 suit = 0; suit < 4; ++suit)
                allowed[suit] = holdings[suit] < 0 ? knowledge_.all_holdings_
                                                   : knowledge_.holdings_[holdings[suit]];
            count_hands(allowed, other.data);
            divide(other.data);
            narrow(false);
        }
        for (u64 at = 0; at < parts.count; ++at) {
            if (parts[at].kind != Part::INTERVAL || !Knowledge::narrow_intervals(parts, at)) continue;
            find_between(parts[at].form, parts[at].low, parts[at].high, other.data);
            narrow(false);
        }
        for (const Part& part : parts) {
            if (part.kind != Part::DENIED || part.tree < 0) continue;
            if (knowledge_.word(part.tree, 0) == T_INTERVAL)
                find_between(knowledge_.word(part.tree, 1), knowledge_.low_of(part.tree),
                             knowledge_.high_of(part.tree), other.data);
            else
                find(part.tree, part.wanted, other.data);
            narrow(true);
        }
        double factor = chance;
        while (unknown-- > 0) factor *= 0.5;
        for (i32 cell = 0; cell < CELLS; ++cell) found[cell] *= factor;
    }

    static void put_flags(const u64* cells, double* found) {
        for (i32 cell = 0; cell < CELLS; ++cell)
            found[cell] = static_cast<double>(cells[cell >> 6] >> (cell & 63) & 1);
    }

    // Turns numbers of hands into shares of the cells.
    void divide(double* found) {
        const double* const all = hands();
        for (i32 cell = 0; cell < CELLS; ++cell)
            found[cell] = all[cell] > 0 ? found[cell] / all[cell] : 0;
    }

    // Counts the hands of each cell whose four holdings are allowed.
    void count_hands(const u64* const (&allowed)[4], double* found) const {
        double rows[4][SUIT_ROWS] = {};
        for (i32 suit = 0; suit < 4; ++suit)
            for (i32 holding = 0; holding < HOLDINGS; ++holding)
                rows[suit][knowledge_.cell_list_.row[holding]] +=
                    static_cast<double>(allowed[suit][holding >> 6] >> (holding & 63) & 1);
        double minors[PAIRS][PAIR_POINTS] = {}, majors[PAIRS][PAIR_POINTS] = {};
        for (i32 pair = 0; pair < PAIRS; ++pair) {
            const i32 one = SUIT_POINTS * ALL_PAIRS.first[pair];
            const i32 two = SUIT_POINTS * ALL_PAIRS.second[pair];
            join(rows[0] + one, SUIT_POINTS, rows[1] + two, SUIT_POINTS, minors[pair], PAIR_POINTS);
            join(rows[2] + one, SUIT_POINTS, rows[3] + two, SUIT_POINTS, majors[pair], PAIR_POINTS);
        }
        for (i32 cell = 0; cell < CELLS; ++cell) found[cell] = 0;
        for (i32 shape = 0; shape < SHAPES; ++shape)
            join(minors[ALL_PAIRS.minors[shape]], PAIR_POINTS, majors[ALL_PAIRS.majors[shape]],
                 PAIR_POINTS, found + shape * POINTS, POINTS);
    }
    static void join(
        const double* one, i32 count, const double* other, i32 others, double* found, i32 room) {
        for (i32 first = 0; first < count; ++first)
            for (i32 second = 0; one[first] != 0 && second < others && first + second < room; ++second)
                found[first + second] += one[first] * other[second];
    }

    // Share of each cell's hands where a form lies between two values; halfway between what can be
    // and what must where it has too many.
    __noinline__ void find_between(i32 form, i64 low, i64 high, double* found) {
        const CellBounds bounds = knowledge_.bounds_of_interval(form, low, high);
        if (bounds.can != bounds.must && count_between(form, low, high, found)) return divide(found);
        put_flags(knowledge_.sets_[bounds.must], found);
        if (bounds.can == bounds.must) return;
        Vec<double> can;
        can.resize(CELLS);
        put_flags(knowledge_.sets_[bounds.can], can.data);
        for (i32 cell = 0; cell < CELLS; ++cell) found[cell] = (found[cell] + can.data[cell]) / 2;
    }

    struct FormTables {
        i64 suits[4][HOLDINGS], lengths[SHAPES], contexts[CONTEXTS];
        i64 base[4], width[4];  // least value, and how many values up to the most
    };

    void tabulate(i32 form, FormTables& tables) {
        const Span<i32> row = trees_.forms[static_cast<u64>(form)];
        for (u64 at = 0; at < row.count; at += 2) {
            const TermTables& term = terms_[row[at]];
            const i64 factor = row[at + 1];
            for (i32 suit = 0; suit < 4; ++suit)
                for (i32 holding = 0; holding < HOLDINGS; ++holding)
                    tables.suits[suit][holding] += factor * term.suits[suit][holding];
            for (i32 shape = 0; shape < SHAPES; ++shape)
                tables.lengths[shape] += factor * term.lengths[shape];
            for (i32 context = 0; context < CONTEXTS; ++context)
                tables.contexts[context] += factor * term.contexts[context];
        }
        for (i32 suit = 0; suit < 4; ++suit) {
            i64 lowest = tables.suits[suit][0], highest = lowest;
            for (const i64 value : tables.suits[suit])
                lowest = least(lowest, value), highest = most(highest, value);
            tables.base[suit] = lowest;
            tables.width[suit] = highest - lowest + 1;
        }
    }

    // Hands of two suits by their lengths, points and the sum of their values above the bases.
    void distribute(const FormTables& tables, i32 suit, Vec<double>& found) const {
        const i64 widths[2] = {tables.width[suit], tables.width[suit + 1]};
        const i64 wide = widths[0] + widths[1] - 1;
        Vec<double> rows[2];
        for (i32 which = 0; which < 2; ++which) {
            rows[which].resize(static_cast<u64>(SUIT_ROWS * widths[which]));
            for (i32 holding = 0; holding < HOLDINGS; ++holding) {
                const i64 value = tables.suits[suit + which][holding] - tables.base[suit + which];
                rows[which].data[knowledge_.cell_list_.row[holding] * widths[which] + value] += 1;
            }
        }
        found.resize(static_cast<u64>(PAIRS * PAIR_POINTS * wide));
        for (i32 pair = 0; pair < PAIRS; ++pair)
            for (i32 one = 0; one < SUIT_POINTS; ++one)
                for (i32 two = 0; two < SUIT_POINTS; ++two)
                    join(rows[0].data + (ALL_PAIRS.first[pair] * SUIT_POINTS + one) * widths[0],
                         static_cast<i32>(widths[0]),
                         rows[1].data + (ALL_PAIRS.second[pair] * SUIT_POINTS + two) * widths[1],
                         static_cast<i32>(widths[1]),
                         found.data + (pair * PAIR_POINTS + one + two) * wide,
                         static_cast<i32>(wide));
    }

    // Hands of each cell where the form lies between two values, contexts being equally frequent;
    // false where the form has too many values.
    bool count_between(i32 form, i64 low, i64 high, double* found) {
        FormTables* const tables = static_cast<FormTables*>(allocate(sizeof(FormTables)));
        tabulate(form, *tables);
        const i64* const width = tables->width;
        const bool is_narrow = width[0] + width[1] + width[2] + width[3] - 3 <= WIDEST_FORM;
        if (is_narrow) add_between(*tables, low, high, found);
        release(tables, sizeof(FormTables));
        return is_narrow;
    }

    void add_between(const FormTables& tables, i64 low, i64 high, double* found) const {
        Vec<double> minors, majors;
        distribute(tables, 0, minors);
        distribute(tables, 2, majors);
        const i64 one = tables.width[0] + tables.width[1] - 1;
        const i64 two = tables.width[2] + tables.width[3] - 1;
        // of each pair of majors and points, the hands whose value is below 0, 1, 2 …
        Vec<double> below;
        below.resize(static_cast<u64>(PAIRS * PAIR_POINTS * (two + 1)));
        for (i64 row = 0; row < PAIRS * PAIR_POINTS; ++row)
            for (i64 value = 0; value < two; ++value)
                below.data[row * (two + 1) + value + 1] =
                    below.data[row * (two + 1) + value] + majors.data[row * two + value];
        const i64 base = tables.base[0] + tables.base[1] + tables.base[2] + tables.base[3];
        for (i32 cell = 0; cell < CELLS; ++cell) found[cell] = 0;
        for (i32 context = 0; context < CONTEXTS; ++context) {
            i32 times = 0;
            bool is_first = true;
            for (i32 other = 0; other < CONTEXTS; ++other) {
                if (tables.contexts[other] != tables.contexts[context]) continue;
                ++times;
                is_first = is_first && other >= context;
            }
            if (!is_first) continue;
            for (i32 shape = 0; shape < SHAPES; ++shape) {
                const i64 start = tables.lengths[shape] + base + tables.contexts[context];
                double hands[POINTS] = {};
                for (i32 points = 0; points < PAIR_POINTS; ++points)
                    for (i64 value = 0; value < one; ++value) {
                        const double count =
                            minors.data[(ALL_PAIRS.minors[shape] * PAIR_POINTS + points) * one + value];
                        const i64 from = most<i64>(0, least(two, low - start - value));
                        const i64 to = most<i64>(0, least(two, high + 1 - start - value));
                        if (count == 0 || from >= to) continue;
                        for (i32 more = 0; more < PAIR_POINTS && points + more < POINTS; ++more) {
                            const double* const row =
                                below.data +
                                (ALL_PAIRS.majors[shape] * PAIR_POINTS + more) * (two + 1);
                            hands[points + more] += count * (row[to] - row[from]);
                        }
                    }
                for (i32 points = 0; points < POINTS; ++points)
                    found[shape * POINTS + points] += times / 16.0 * hands[points];
            }
        }
    }
};

}  // namespace core
