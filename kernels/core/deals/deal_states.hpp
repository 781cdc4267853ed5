// Deals counted by classes of cards: states of sums, and bounds of sums over a suit.
// inference/layouts/counting.py and rare.py say what they count.
#pragma once
#include "../memory.hpp"

namespace core {

// Sums that a deal must end within: `count` of which the first `columns` are those of a state and
// the others are of several columns together, as `joint` [count - columns][columns] says.
struct SumBounds {
    i64 columns, count;
    const u8* joint;
    const i64 *low, *high;
    const i64 *least_later, *most_later;  // of the classes behind
    const i64 *least_own, *most_own;      // of a card of this class in a later part
    const u8* is_raw;                     // columns that are written as they are
};

// Where states [room][columns + 1] go, with the state before and how many cards each took.
struct MovedStates {
    i64 room;
    i64 *states, *before, *taken;
};

// States after a part got 0, 1, … cards of a class, or all that are left if it is the last, those
// left out that cannot end well. A state is its sums and the cards that are left. How many there are.
inline i64 move_states(
    const i64* states, i64 count, const i64* step, bool is_last, const SumBounds& bounds,
    const MovedStates& to) {
    const i64 columns = bounds.columns;
    Vec<i64> scratch;
    scratch.resize(static_cast<u64>(bounds.count));
    i64* const sums = scratch.data;
    i64 kept = 0;
    for (i64 row = 0; row < count; ++row, states += columns + 1) {
        const i64 left = states[columns];
        for (i64 taken = is_last ? left : 0; taken <= left; ++taken) {
            if (kept == to.room) return kept;
            const i64 rest = left - taken;
            bool good = true;
            for (i64 number = 0; good && number < bounds.count; ++number) {
                i64 sum = 0;
                if (number < columns) {
                    sum = states[number] + taken * step[number];
                } else {
                    const u8* const joint = bounds.joint + (number - columns) * columns;
                    for (i64 one = 0; one < columns; ++one)
                        if (joint[one]) sum += sums[one];
                }
                sums[number] = sum;
                good = sum + bounds.most_later[number] + rest * bounds.most_own[number] >=
                           bounds.low[number] &&
                       sum + bounds.least_later[number] + rest * bounds.least_own[number] <=
                           bounds.high[number];
            }
            if (!good) continue;
            i64* const found = to.states + kept * (columns + 1);
            for (i64 number = 0; number < columns; ++number) {
                const i64 lower = bounds.least_later[number] + rest * bounds.least_own[number];
                const i64 upper = bounds.most_later[number] + rest * bounds.most_own[number];
                const bool surely = sums[number] + lower >= bounds.low[number] &&
                                    sums[number] + upper <= bounds.high[number];
                // any sum that surely ends well is as good as the least such one
                found[number] =
                    surely && !bounds.is_raw[number] ? bounds.low[number] - lower : sums[number];
            }
            found[columns] = rest;
            to.before[kept] = row;
            to.taken[kept++] = taken;
        }
    }
    return kept;
}

constexpr u32 SUIT_SETS = 1u << 13;

// Most that two seats have of each set of a suit's cards, by what either has of its own.
inline void best_of_two(const i64* first, const i64* second, i64* found) {
    for (u32 cards = 0; cards < SUIT_SETS; ++cards) {
        i64 best = first[cards] + second[0];
        for (u32 part = cards; part != 0;) {
            part = (part - 1) & cards;
            best = most(best, first[part] + second[cards ^ part]);
        }
        found[cards] = best;
    }
}

// Most that four seats have of a suit, by what each has of a holding, [4][8192].
inline i64 most_of_suit(const i64* values) {
    Vec<i64> pairs;
    pairs.resize(2 * SUIT_SETS);
    i64 *const first = pairs.data, *const second = first + SUIT_SETS;
    best_of_two(values, values + SUIT_SETS, first);
    best_of_two(values + 2 * SUIT_SETS, values + 3 * SUIT_SETS, second);
    i64 best = first[0] + second[SUIT_SETS - 1];
    for (u32 cards = 0; cards < SUIT_SETS; ++cards)
        best = most(best, first[cards] + second[SUIT_SETS - 1 - cards]);
    return best;
}

}  // namespace core
