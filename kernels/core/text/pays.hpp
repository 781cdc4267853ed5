// What bidding a suit over their bid, and doubling their contract, is worth on average: `Pays` and
// `DoublingPays` of systems/reference/conditions.py, which is the definition.
//
// Own parts are in units of 0.3 or 0.4 IMPs, all else in tenths of a unit. What players have shown
// becomes one number where it is asked: a condition depends on nothing else of it, so that few
// different answers have to be learned.
#pragma once
#include "../base.hpp"

namespace core {

struct PaysOver {
    i32 their_point, we_vulnerable, they_vulnerable, lowest, levels[4];
};
struct Pays {
    i32 own_trump, support_point, partners_trump, partners_point, widest;
    PaysOver part_score, game;
};
constexpr i32 NOT_AT_LEVEL = 0;
constexpr Pays PAYS = {4, 2, 40, 8, 12,
                       {-4, -18, -12, 2, {-469, -506, -544, -582}},
                       {-9, -47, 14, 4, {-451, -499, -547, NOT_AT_LEVEL}}};

struct DoublingPays {
    i32 control, trump, shortness, partners_least, partners_most, their_most, highest;
    i32 their_trump, fewest_trumps, they_vulnerable, lowest, levels[2];
};
constexpr DoublingPays DOUBLING_PAYS = {2, 2, 2, 6, 2, -4, 22, -8, 6, -15, 4, {-73, -14}};

// What the sum is for that a place is asked for.
enum Venture : i32 { OVER_PART_SCORE, OVER_GAME, DOUBLED };

// Bounds that somebody has shown.
struct Bounds {
    i32 low, high;
};

// Tenths of a unit that a venture in a suit has from what was shown. `shown(who, term)` gives the
// bounds of HCP (term 0) and of cards of suits (from 1 on), of partner, LHO and RHO (bits 4, 2, 8).
template <class Shown>
__device__ inline i32 weighed(i32 venture, i32 suit, const Shown& shown) {
    // copies, as a GPU reads no constants of a host but numbers
    constexpr Pays pays = PAYS;
    constexpr DoublingPays doubling = DOUBLING_PAYS;
    const Bounds partner = shown(4, 0), left = shown(2, 0), right = shown(8, 0);
    if (venture != DOUBLED)
        return pays.partners_trump * shown(4, suit).low +
               pays.partners_point * least(partner.high, partner.low + pays.widest) +
               (venture == OVER_GAME ? pays.game.their_point : pays.part_score.their_point) *
                   (left.low + right.low);
    return doubling.partners_least * partner.low +
           doubling.partners_most * least(partner.high, doubling.highest) +
           doubling.their_most *
               (least(left.high, doubling.highest) + least(right.high, doubling.highest)) +
           doubling.their_trump *
               most(shown(2, suit).low + shown(8, suit).low, doubling.fewest_trumps);
}

}  // namespace core
