// Par of a deal from its table of tricks: what it is worth when both sides bid and play it without a fault.
// inference/double_dummy/par.py says what that is.
#pragma once
#include "../base.hpp"

namespace core {

constexpr i32 BIDS = 35, TABLE_SIZE = 20, MOST_TRICKS = 13;

// A contract that reaches par, by one partner or both, a bit each. It is doubled where it goes down.
struct ParContract {
    u8 level, strain, declarers, tricks;
};
// Of different contracts there are at most as many as bids and declarers.
constexpr i32 MOST_PAR_CONTRACTS = 4 * BIDS;

// Whether a table [20] at 5 * declarer + strain has tricks alone.
inline bool are_tricks(const i8* table) {
    for (i32 place = 0; place < TABLE_SIZE; ++place)
        if (table[place] < 0 || table[place] > MOST_TRICKS) return false;
    return true;
}

// Points of declarer's side, doubled where it goes down; bridge/scoring.py is the definition.
inline i32 points_of(i32 bid, i32 taken, bool is_vulnerable) {
    const i32 level = bid / 5 + 1, strain = bid % 5, over = taken - 6 - level;
    if (over < 0) {
        const i32 later = -over - 1;
        return is_vulnerable ? -200 - 300 * later : -100 - 300 * later + 100 * least(2, later);
    }
    const i32 each = strain < 2 ? 20 : 30, made = level * each + (strain == 4 ? 10 : 0);
    const i32 small_slam = is_vulnerable ? 750 : 500;
    return made + over * each + (made < 100 ? 50 : is_vulnerable ? 500 : 300) +
           (level < 6 ? 0 : (level - 5) * small_slam);
}

// Points of North-South for every contract played, by bid and declarer.
inline void find_contract_scores(const i8* table, u32 vulnerability, i16 (&scores)[BIDS][4]) {
    for (i32 bid = 0; bid < BIDS; ++bid)
        for (i32 declarer = 0; declarer < 4; ++declarer) {
            const i32 points = points_of(bid, table[5 * declarer + bid % 5], vulnerability >> (declarer & 1) & 1);
            scores[bid][declarer] = static_cast<i16>(declarer & 1 ? -points : points);
        }
}

// Whether a seat would rather have one score of North-South than another.
inline bool is_better(i32 seat, i32 one, i32 other) { return seat & 1 ? one < other : one > other; }

// Score of North-South at par, and whether a contract is one that reaches it, by bid and declarer.
inline i32 find_par(const i8* table, i32 dealer, u32 vulnerability, u8 (&best)[BIDS][4]) {
    i16 final[BIDS][4], opened[BIDS][4];
    find_contract_scores(table, vulnerability, final);
    // the best that each seat has by bidding on, of what is above the bid looked at: nothing yet
    i32 by_bid[4] = {-20'000, 20'000, -20'000, 20'000};
    const auto raise = [&by_bid](i32 seat, i32 value) {
        return is_better(seat, by_bid[seat], value) ? by_bid[seat] : value;
    };
    for (i32 bid = BIDS - 1; bid >= 0; --bid) {
        for (i32 declarer = 0; declarer < 4; ++declarer) {
            i32 value = final[bid][declarer];
            for (i32 passes = 2; passes >= 0; --passes) value = raise((declarer + 1 + passes) & 3, value);
            opened[bid][declarer] = static_cast<i16>(value);
        }
        for (i32 seat = 0; seat < 4; ++seat) by_bid[seat] = raise(seat, opened[bid][seat]);
    }
    i32 score = 0;
    for (i32 passes = 3; passes >= 0; --passes) score = raise((dealer + passes) & 3, score);
    // whether a side has a higher contract that is worth more to it
    bool gains[2] = {false, false};
    for (i32 bid = BIDS - 1; bid >= 0; --bid) {
        for (i32 declarer = 0; declarer < 4; ++declarer)
            best[bid][declarer] = score != 0 && final[bid][declarer] == score &&
                                  opened[bid][declarer] == score && !gains[~declarer & 1];
        for (i32 seat = 0; seat < 4; ++seat) gains[seat & 1] |= is_better(seat, final[bid][seat], score);
    }
    return score;
}

// The contracts that reach par, the highest first, partners together where they take as many tricks; how many.
inline i32 list_par_contracts(const i8* table, const u8 (&best)[BIDS][4], ParContract (&out)[MOST_PAR_CONTRACTS]) {
    i32 count = 0;
    for (i32 bid = BIDS - 1; bid >= 0; --bid) {
        const i32 first = count;
        for (i32 declarer = 0; declarer < 4; ++declarer) {
            if (!best[bid][declarer]) continue;
            const u8 tricks = static_cast<u8>(table[5 * declarer + bid % 5]);
            i32 at = first;
            while (at < count && out[at].tricks != tricks) ++at;
            if (at == count) out[count++] = {static_cast<u8>(bid / 5 + 1), static_cast<u8>(bid % 5), 0, tricks};
            out[at].declarers |= static_cast<u8>(1 << declarer);
        }
    }
    return count;
}

}  // namespace core
