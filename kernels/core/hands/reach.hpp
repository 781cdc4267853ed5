// Cells (shape, HCP) that hands lie in, and the least and most value of linear forms in each cell.
//
// A set of cells has bit shape * 38 + points. Whether hands are in a cell follows from the points
// that suits of each length can hold, which are masks of bits: a sum of points is a shift.
// systems/places/knowledge.py is the definition.
#pragma once
#include "terms.hpp"
#include "trees.hpp"

namespace core {

constexpr i32 MOST_CARDS = 13, LENGTHS = MOST_CARDS + 1;
constexpr i32 SUIT_POINTS = 11;  // a suit holds 0-10 points
constexpr i32 SUIT_ROWS = LENGTHS * SUIT_POINTS;
constexpr i32 PAIRS = LENGTHS * (LENGTHS + 1) / 2;  // lengths of two suits
constexpr i32 LOW_CARDS = 9, LOW_WORDS = 8;  // of a suit's cards, those below the jack
constexpr i64 LARGEST_BOUND = 1ll << 58;  // beyond any value of a form, and of a few together

// --- sets ----------------------------------------------------------------------------------------

// Sets of so many words, each kept once under a number, in a row. They move when others are added.
template <u32 WORDS>
class SetStore {
  public:
    u64 count() const { return sets_.count; }
    const u64* operator[](i32 number) const { return sets_[static_cast<u64>(number)].words; }
    // All of them, [count()][WORDS].
    u64* data() { return reinterpret_cast<u64*>(sets_.data); }
    void reserve(u64 least_room) { sets_.reserve(least_room); }
    u64 bytes() const { return sets_.bytes() + hashes_.bytes() + slots_.bytes(); }
    // Number of a set; it is added if it is new.
    i32 number_of(const u64* words) {
        if (slots_.count < 2 * (count() + 1)) grow();
        const u64 hash = hash_of(words);
        u64 at = hash & (slots_.count - 1);
        for (; slots_[at] != 0; at = (at + 1) & (slots_.count - 1)) {
            const i32 number = slots_[at] - 1;
            if (hashes_[static_cast<u64>(number)] == hash &&
                equal_bytes((*this)[number], words, sizeof(Set)))
                return number;
        }
        const i32 number = static_cast<i32>(hashes_.push(hash));
        // it is none of these, so that `words` does not lie among them
        sets_.reserve(sets_.count + 1);
        copy_bytes(sets_.data[sets_.count++].words, words, sizeof(Set));
        slots_[at] = number + 1;
        return number;
    }

  private:
    struct Set {
        u64 words[WORDS];
    };
    Vec<Set> sets_;
    Vec<u64> hashes_;
    Vec<i32> slots_;  // number + 1, 0 for none

    // Four hashes side by side: none waits for the multiplication of another one.
    static u64 hash_of(const u64* words) {
        u64 hashes[4] = {};
        for (u32 word = 0; word < WORDS; ++word) {
            u64& hash = hashes[word & 3];
            hash = ((hash << 5 | hash >> 59) ^ words[word]) * 0x9E3779B97F4A7C15ull;
        }
        return mixed(mixed(mixed(mixed(hashes[0]) ^ hashes[1]) ^ hashes[2]) ^ hashes[3]);
    }
    void grow() {
        slots_.resize(slots_.count ? 2 * slots_.count : 64);
        for (i32& slot : slots_) slot = 0;
        for (u64 number = 0; number < count(); ++number) {
            u64 at = hashes_[number] & (slots_.count - 1);
            while (slots_[at] != 0) at = (at + 1) & (slots_.count - 1);
            slots_[at] = static_cast<i32>(number) + 1;
        }
    }
};

// Adds cells of a shape, given as bits of points, to a set that has none of them.
inline void put_points(u64* cells, i32 shape, u64 points) {
    const u32 at = static_cast<u32>(shape * POINTS), shift = at & 63;
    cells[at >> 6] |= points << shift;
    if (shift > 64 - POINTS) cells[(at >> 6) + 1] |= points >> (64 - shift);
}

inline bool has_cell(const u64* cells, i32 shape, i32 points) {
    const u32 at = static_cast<u32>(shape * POINTS + points);
    return cells[at >> 6] >> (at & 63) & 1;
}

// One bit for each of eight bytes that are 0 or 1.
inline u64 packed_byte(const u8* flags) {
    u64 eight;
    copy_bytes(&eight, flags, 8);
    return eight * 0x0102040810204080ull >> 56;
}

// All sums of a number from one mask and one from the other, as a mask.
inline u64 sums_of(u64 one, u64 other) {
    u64 found = 0;
    while (one != 0) {
        const i32 start = lowest_bit(one);
        const i32 length = lowest_bit(~(one >> start));
        // a run of bits takes as many steps as its length has digits
        u64 run = other;
        i32 done = 1;
        for (; 2 * done <= length; done *= 2) run |= run << done;
        found |= (run | run << (length - done)) << start;
        one &= ~(((1ull << length) - 1) << start);
    }
    return found;
}

// --- which cells there are -----------------------------------------------------------------------

// Number of each pair of lengths, and the pairs that each shape is made of.
struct PairList {
    u8 first[PAIRS], second[PAIRS];
    u8 number[LENGTHS][LENGTHS];
    u8 minors[SHAPES], majors[SHAPES];

    constexpr PairList() : first(), second(), number(), minors(), majors() {
        i32 pair = 0;
        for (i32 one = 0; one < LENGTHS; ++one)
            for (i32 two = 0; two < LENGTHS - one; ++two) {
                first[pair] = static_cast<u8>(one);
                second[pair] = static_cast<u8>(two);
                number[one][two] = static_cast<u8>(pair++);
            }
        for (i32 shape = 0; shape < SHAPES; ++shape) {
            const u8* const cards = ALL_SHAPES.lengths[shape];
            minors[shape] = number[cards[0]][cards[1]];
            majors[shape] = number[cards[2]][cards[3]];
        }
    }
};
constexpr PairList ALL_PAIRS;

// Points of suits by length, and of hands by shape, as masks.
struct CellList {
    u8 row[HOLDINGS];        // cards * 11 + points of a holding
    u64 low[LOW_CARDS + 1][LOW_WORDS];  // of 512 holdings without honours, those of so many cards
    u64 suit[LENGTHS];       // points that a suit can have
    u64 pair[PAIRS];         // and two suits
    u64 possible[SHAPES];    // and a hand
    u64 rest[4][SHAPES];     // and the other three suits
    u64 everything[SET_WORDS];

    CellList() : row(), low(), suit(), pair(), possible(), rest(), everything() {
        for (i32 holding = 0; holding < HOLDINGS; ++holding) {
            const i32 cards = meaning::length(holding), points = meaning::high_card_points(holding);
            row[holding] = static_cast<u8>(cards * SUIT_POINTS + points);
            suit[cards] |= 1ull << points;
            if (holding < 1 << LOW_CARDS) low[cards][holding >> 6] |= 1ull << (holding & 63);
        }
        for (i32 number = 0; number < PAIRS; ++number)
            pair[number] = sums_of(suit[ALL_PAIRS.first[number]], suit[ALL_PAIRS.second[number]]);
        for (i32 shape = 0; shape < SHAPES; ++shape) {
            const u8* const cards = ALL_SHAPES.lengths[shape];
            const u64 minors = pair[ALL_PAIRS.minors[shape]];
            const u64 majors = pair[ALL_PAIRS.majors[shape]];
            possible[shape] = sums_of(minors, majors);
            for (i32 own = 0; own < 4; ++own)
                rest[own][shape] = sums_of(suit[cards[own ^ 1]], own < 2 ? majors : minors);
            put_points(everything, shape, possible[shape]);
        }
    }
};

// --- values of terms in a suit's rows ------------------------------------------------------------

// Least and most value of a term by suit and row (cards, points); 0 where no holding is.
struct TermRows {
    i32 least[4][SUIT_ROWS], most[4][SUIT_ROWS];
    u8 fixed_bits;  // suits whose rows have one value each
};

// Least and most value over the holdings of each row of a suit, for rows that have some.
template <class T>
void find_rows(const CellList& cells, const T* values, T* lowest, T* highest) {
    for (i32 row = 0; row < SUIT_ROWS; ++row) lowest[row] = highest[row] = 0;
    // each row begins with one of its holdings
    for (i32 holding = HOLDINGS - 1; holding >= 0; --holding)
        lowest[cells.row[holding]] = highest[cells.row[holding]] = values[holding];
    for (i32 holding = 0; holding < HOLDINGS; ++holding) {
        const i32 row = cells.row[holding];
        lowest[row] = least(lowest[row], values[holding]);
        highest[row] = most(highest[row], values[holding]);
    }
}

// --- linear forms --------------------------------------------------------------------------------

constexpr i32 POINT_LANES = 40;  // points of a shape, with room for whole vectors

// Values by shape and points, to which the lengths and the context are added; any where no hand is.
template <class T>
struct FormValues {
    T low[SHAPES][POINT_LANES], high[SHAPES][POINT_LANES];
};

struct Ends {
    i64 low, high;
};

// Least and most value of a form in each cell: shapes[shape], what the context adds, and of the
// suits slope * points if that is all (`is_linear`), else values.
struct FormReach {
    bool is_linear;
    i64 slope, context_low, context_high;
    i64 shapes[SHAPES];
    FormValues<i16>* narrow;
    FormValues<i64>* wide;

    Ends at(i32 shape, i32 points) const {
        Ends found = {shapes[shape] + context_low, shapes[shape] + context_high};
        if (is_linear)
            found.low += slope * points, found.high += slope * points;
        else if (narrow)
            found.low += narrow->low[shape][points], found.high += narrow->high[shape][points];
        else
            found.low += wide->low[shape][points], found.high += wide->high[shape][points];
        return found;
    }
};

// Points 0-37 whose product with a number lies between two ends.
inline u64 run_of_points(i64 slope, i64 low, i64 high) {
    if (slope < 0) {
        const i64 first = low;
        slope = -slope, low = -high, high = -first;
    }
    if (low > high || high < 0 || low > slope * (POINTS - 1)) return 0;
    if (slope == 0) return (1ull << POINTS) - 1;
    low = most<i64>(low, 0), high = least(high, slope * (POINTS - 1));
    if (slope > 1) low = (low + slope - 1) / slope, high /= slope;
    return low > high ? 0 : (2ull << high) - (1ull << low);
}

// Points of a shape where low <= value <= high for some value, and for all values; the context may
// add up to `slack` to each.
template <class T>
void lanes_between(const FormValues<T>& values, i32 shape, i64 low, i64 high, i64 slack, u64& some,
                   u64& all) {
    const auto within = [](i64 value) {
        constexpr i64 LIMIT = sizeof(T) == 2 ? 32767 : LARGEST_BOUND;
        return static_cast<T>(most(-LIMIT, least(LIMIT, value)));
    };
    const T low_some = within(low - slack), high_some = within(high);
    const T low_all = within(low), high_all = within(high - slack);
    const T* const lows = values.low[shape];
    const T* const highs = values.high[shape];
    u8 flags[2][POINT_LANES];
    for (i32 lane = 0; lane < POINT_LANES; ++lane) {
        flags[0][lane] = (lows[lane] <= high_some) & (highs[lane] >= low_some);
        flags[1][lane] = (lows[lane] >= low_all) & (highs[lane] <= high_all);
    }
    some = all = 0;
    for (i32 lane = 0; lane < POINT_LANES; lane += 8) {
        some |= packed_byte(flags[0] + lane) << lane;
        all |= packed_byte(flags[1] + lane) << lane;
    }
}

class Reach {
  public:
    static constexpr i32 BY_CELL = 1, BY_SUIT = 2, BY_CONTEXT = 32;  // BY_SUIT << suit
    static constexpr i32 BY_ANY = 63;

    Reach(Trees& trees, Terms& terms, const CellList& cells)
        : trees_(trees), terms_(terms), cells_(cells) {
        rows_.resize(TERM_COUNT);
        of_terms_.resize(TERM_COUNT);
        deciders_.resize(TERM_COUNT);
    }
    Reach(const Reach&) = delete;
    Reach& operator=(const Reach&) = delete;
    ~Reach() {
        for (TermRows* const rows : rows_)
            if (rows) release(rows, sizeof(TermRows));
        for (FormReach* const form : forms_) {
            if (!form) continue;
            if (form->narrow) release(form->narrow, sizeof *form->narrow);
            if (form->wide) release(form->wide, sizeof *form->wide);
            release(form, sizeof(FormReach));
        }
    }

    u64 bytes() const { return bytes_; }

    const FormReach& operator[](i32 form) {
        forms_.resize(most(forms_.count, static_cast<u64>(form) + 1));
        FormReach*& found = forms_[static_cast<u64>(form)];
        if (!found) {
            found = static_cast<FormReach*>(allocate(sizeof(FormReach)));
            bytes_ += sizeof(FormReach);
            work_out(form, *found);
        }
        return *found;
    }
    const FormReach& of_term(i32 term) {
        const FormReach*& found = of_terms_[static_cast<u64>(term)];
        if (!found) {
            const i32 words[2] = {term, 1};
            found = &(*this)[trees_.forms.number_of(words, 2)];
        }
        return *found;
    }

    // Adds the cells where low <= value <= high for some value, and for all values, that the form
    // may have, to two empty sets.
    void between(i32 form, i64 low, i64 high, u64* can, u64* must) {
        const FormReach& values = (*this)[form];
        const i64 slack = values.context_high - values.context_low;
        low = most(low, -LARGEST_BOUND), high = least(high, LARGEST_BOUND);
        for (i32 shape = 0; shape < SHAPES; ++shape) {
            const i64 base = values.shapes[shape] + values.context_low;
            u64 some, all;
            if (values.is_linear) {
                some = run_of_points(values.slope, low - base - slack, high - base);
                all = run_of_points(values.slope, low - base, high - base - slack);
            } else if (values.narrow) {
                lanes_between(*values.narrow, shape, low - base, high - base, slack, some, all);
            } else {
                lanes_between(*values.wide, shape, low - base, high - base, slack, some, all);
            }
            put_points(can, shape, some & cells_.possible[shape]);
            put_points(must, shape, all & cells_.possible[shape]);
        }
    }

    // Adds each cell to the set of the least, and to that of the most, value that a term has there;
    // there are sets for the values from 0 on.
    void put_ends(i32 term, i32 values, u64* least_sets, u64* most_sets) {
        const FormReach& found = of_term(term);
        for (i32 shape = 0; shape < SHAPES; ++shape)
            for (u64 rest = cells_.possible[shape]; rest != 0; rest &= rest - 1) {
                const i32 points = lowest_bit(rest);
                const Ends ends = found.at(shape, points);
                if (0 <= ends.low && ends.low < values)
                    put_points(least_sets + ends.low * SET_WORDS, shape, 1ull << points);
                if (0 <= ends.high && ends.high < values)
                    put_points(most_sets + ends.high * SET_WORDS, shape, 1ull << points);
            }
    }

    // What a term follows from, each alone: the cell, one of the suits, the context.
    i32 deciders(i32 term) {
        u8& found = deciders_[static_cast<u64>(term)];
        if (found == 0) found = static_cast<u8>(KNOWN | find_deciders(term));
        return found & BY_ANY;
    }

  private:
    static constexpr i32 KNOWN = 64;
    static constexpr i64 WIDEST_NARROW = 2000;  // so that sums of a few stay within 16 bits

    // A form's least and most value by suit and row.
    struct SuitValues {
        i64 low[4][SUIT_ROWS], high[4][SUIT_ROWS];
    };

    Trees& trees_;
    Terms& terms_;
    const CellList& cells_;
    Vec<TermRows*> rows_;    // by term
    u64 bytes_ = 0;
    Vec<FormReach*> forms_;  // by form
    Vec<const FormReach*> of_terms_;
    Vec<u8> deciders_;  // by term

    i32 find_deciders(i32 term) {
        const TermTables& tables = terms_[term];
        if (tables.has_context) return tables.suit_bits || tables.has_lengths ? 0 : BY_CONTEXT;
        const bool is_of_one_suit = bit_count(tables.suit_bits) == 1 && !tables.has_lengths;
        SuitValues suits = {};
        i64 slope, offsets[4][LENGTHS];
        for (i32 suit = 0; suit < 4; ++suit) add_term(suits, suit, term, 1);
        return (is_of_one_suit ? tables.suit_bits * BY_SUIT : 0) |
               (find_slope(suits, slope, offsets) ? BY_CELL : 0);
    }

    // --- values by suit and row ------------------------------------------------------------------

    const TermRows& rows(i32 term) {
        TermRows*& found = rows_[static_cast<u64>(term)];
        if (found) return *found;
        found = static_cast<TermRows*>(allocate(sizeof(TermRows)));
        const TermTables& tables = terms_[term];
        for (i32 suit = 0; suit < 4; ++suit) {
            i32 same = 0;
            while (tables.functions[same] != tables.functions[suit]) ++same;
            if (same < suit) {
                copy_bytes(found->least[suit], found->least[same], sizeof found->least[suit]);
                copy_bytes(found->most[suit], found->most[same], sizeof found->most[suit]);
            } else if (tables.functions[suit]) {
                find_rows(cells_, tables.suits[suit], found->least[suit], found->most[suit]);
            }
            if (equal_bytes(found->least[suit], found->most[suit], sizeof found->least[suit]))
                found->fixed_bits = static_cast<u8>(found->fixed_bits | 1 << suit);
        }
        return *found;
    }

    // Adds a term's values times a factor, as if they were independent of those that are there.
    void add_term(SuitValues& suits, i32 suit, i32 term, i64 factor) {
        const TermRows& values = rows(term);
        const i32* const lows = factor > 0 ? values.least[suit] : values.most[suit];
        const i32* const highs = factor > 0 ? values.most[suit] : values.least[suit];
        for (i32 row = 0; row < SUIT_ROWS; ++row) {
            suits.low[suit][row] += factor * lows[row];
            suits.high[suit][row] += factor * highs[row];
        }
    }

    void find_suit(const Span<i32>& form, SuitValues& suits, i32 suit) {
        i32 varying = 0;
        for (u64 at = 0; at < form.count; at += 2) {
            varying += !(rows(form[at]).fixed_bits >> suit & 1);
            add_term(suits, suit, form[at], form[at + 1]);
        }
        if (varying < 2) return;
        // terms that vary together: holding by holding
        Vec<i64> sums;
        sums.resize(HOLDINGS);
        for (u64 at = 0; at < form.count; at += 2) {
            const TermTables& tables = terms_[form[at]];
            const i64 factor = form[at + 1];
            if (!(tables.suit_bits >> suit & 1)) continue;
            for (i32 holding = 0; holding < HOLDINGS; ++holding)
                sums.data[holding] += factor * tables.suits[suit][holding];
        }
        find_rows(cells_, sums.data, suits.low[suit], suits.high[suit]);
    }

    // Whether the suits' values are slope * points + offset of the length; that is what it takes
    // for a cell's hands to have one value, since points can move from one suit to another.
    bool find_slope(const SuitValues& suits, i64& slope, i64 (*offsets)[LENGTHS]) const {
        slope = suits.low[0][SUIT_POINTS + 1] - suits.low[0][SUIT_POINTS];
        for (i32 suit = 0; suit < 4; ++suit)
            for (i32 cards = 0; cards < LENGTHS; ++cards) {
                const u64 possible = cells_.suit[cards];
                const i32 first = lowest_bit(possible);
                const i64* const low = suits.low[suit] + SUIT_POINTS * cards;
                const i64* const high = suits.high[suit] + SUIT_POINTS * cards;
                offsets[suit][cards] = low[first] - slope * first;
                for (i32 points = first; points < SUIT_POINTS; ++points) {
                    if (!(possible >> points & 1)) continue;
                    const i64 expected = offsets[suit][cards] + slope * points;
                    if (low[points] != expected || high[points] != expected) return false;
                }
            }
        return true;
    }

    // --- from suits to cells ---------------------------------------------------------------------

    void work_out(i32 number, FormReach& found) {
        const Span<i32> form = trees_.forms[static_cast<u64>(number)];
        add_lengths_and_context(form, found);
        SuitValues suits = {};
        for (i32 suit = 0; suit < 4; ++suit) find_suit(form, suits, suit);
        i64 offsets[4][LENGTHS];
        found.is_linear = find_slope(suits, found.slope, offsets);
        if (found.is_linear) {
            for (i32 shape = 0; shape < SHAPES; ++shape)
                for (i32 suit = 0; suit < 4; ++suit)
                    found.shapes[shape] += offsets[suit][ALL_SHAPES.lengths[shape][suit]];
        } else if (largest_sum(suits) <= WIDEST_NARROW) {
            found.narrow = static_cast<FormValues<i16>*>(allocate(sizeof *found.narrow));
            bytes_ += sizeof *found.narrow;
            gather<i16, 8000>(suits, *found.narrow);
        } else {
            found.wide = static_cast<FormValues<i64>*>(allocate(sizeof *found.wide));
            bytes_ += sizeof *found.wide;
            gather<i64, LARGEST_BOUND>(suits, *found.wide);
        }
    }

    void add_lengths_and_context(const Span<i32>& form, FormReach& found) {
        i64 contexts[CONTEXTS] = {};
        for (u64 at = 0; at < form.count; at += 2) {
            const TermTables& tables = terms_[form[at]];
            const i64 factor = form[at + 1];
            for (i32 shape = 0; tables.has_lengths && shape < SHAPES; ++shape)
                found.shapes[shape] += factor * tables.lengths[shape];
            for (i32 context = 0; context < CONTEXTS; ++context)
                contexts[context] += factor * tables.contexts[context];
        }
        found.context_low = found.context_high = contexts[0];
        for (const i64 value : contexts) {
            found.context_low = least(found.context_low, value);
            found.context_high = most(found.context_high, value);
        }
    }

    // No sum of four suits is further from zero.
    static i64 largest_sum(const SuitValues& suits) {
        i64 total = 0;
        for (i32 suit = 0; suit < 4; ++suit) {
            i64 largest = 0;
            for (i32 row = 0; row < SUIT_ROWS; ++row)
                largest = most(largest, most(-suits.low[suit][row], suits.high[suit][row]));
            total += largest;
        }
        return total;
    }

    template <class T, i64 NOTHING>
    void gather(const SuitValues& suits, FormValues<T>& found) const {
        gather_least<T, NOTHING>(suits.low, 1, found.low);
        gather_least<T, NOTHING>(suits.high, -1, found.high);
    }

    // Least sum, per cell, of one value for each suit; of the negated values where the sign is -1,
    // and negated again. NOTHING is above twice any sum, and stands where there is no hand.
    template <class T, i64 NOTHING>
    void gather_least(const i64 (*suits)[SUIT_ROWS], i64 sign, T (*found)[POINT_LANES]) const {
        // room before each row lets it be moved by points
        constexpr i32 BEFORE = 24, ROOM = BEFORE + POINT_LANES;
        Vec<T> minors, majors;
        gather_pairs<T, NOTHING, 0, ROOM>(suits[0], suits[1], sign, minors);
        gather_pairs<T, NOTHING, BEFORE, ROOM>(suits[2], suits[3], sign, majors);
        for (i32 shape = 0; shape < SHAPES; ++shape) {
            const T* const first = minors.data + ALL_PAIRS.minors[shape] * ROOM;
            const T* const second = majors.data + ALL_PAIRS.majors[shape] * ROOM + BEFORE;
            T sums[POINT_LANES];
            for (T& sum : sums) sum = static_cast<T>(2 * NOTHING);
            for (u64 rest = cells_.pair[ALL_PAIRS.minors[shape]]; rest != 0; rest &= rest - 1) {
                const i32 points = lowest_bit(rest);
                const T* const moved = second - points;
                for (i32 lane = 0; lane < POINT_LANES; ++lane)
                    sums[lane] = least(sums[lane], static_cast<T>(first[points] + moved[lane]));
            }
            for (i32 lane = 0; lane < POINT_LANES; ++lane)
                found[shape][lane] = static_cast<T>(sign * sums[lane]);
        }
    }

    // The same for two suits, by pair of lengths and points.
    template <class T, i64 NOTHING, i32 BEFORE, i32 ROOM>
    void gather_pairs(const i64* one, const i64* two, i64 sign, Vec<T>& found) const {
        found.resize(PAIRS * ROOM);
        for (T& sum : found) sum = static_cast<T>(NOTHING);
        for (i32 pair = 0; pair < PAIRS; ++pair) {
            const i32 cards = ALL_PAIRS.first[pair], others = ALL_PAIRS.second[pair];
            T* const sums = found.data + pair * ROOM + BEFORE;
            for (u64 rest = cells_.suit[cards]; rest != 0; rest &= rest - 1) {
                const i32 points = lowest_bit(rest);
                for (u64 left = cells_.suit[others]; left != 0; left &= left - 1) {
                    const i32 more = lowest_bit(left);
                    const i64 sum = sign * (one[cards * SUIT_POINTS + points] +
                                            two[others * SUIT_POINTS + more]);
                    sums[points + more] = least(sums[points + more], static_cast<T>(sum));
                }
            }
        }
    }
};

}  // namespace core
