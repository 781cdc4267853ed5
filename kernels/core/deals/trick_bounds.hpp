// Bounds on double-dummy tricks that hold however the cards are played; loaders/frames/trick_bounds.py is
// the definition, and says why they do.
#pragma once
#include "../base.hpp"

namespace core {

constexpr i32 TRICKS = 13, STRAINS = 5;

// Holdings of the four hands and their lengths, [seat][suit].
struct SuitHoldings {
    u32 held[4][4];
    i32 length[4][4];
};

// How many cards of a holding are in sequence from the ace.
inline i32 run_from_ace(u32 holding) {
    // the highest card that is missing ends it
    const u32 missing = ~holding & 0x1FFF;
    return missing ? 12 - highest_bit(missing) : 13;
}

// Trumps of a hand that are left when each that can be is beaten by another of theirs.
inline i32 trump_tricks(u32 ours, u32 theirs) {
    i32 higher = 0, tricks = 0;
    for (u32 left = ours | theirs; left != 0;) {
        const u32 card = 1u << highest_bit(left);
        left ^= card;
        if (theirs & card)
            ++higher;
        else if (higher)
            --higher;
        else
            ++tricks;
    }
    return tricks;
}

// Tricks at notrump of a hand on lead, with its own high cards alone.
inline i32 high_cards(const SuitHoldings& hands, i32 seat) {
    i32 tricks = 0;
    for (i32 suit = 0; suit < 4; ++suit) {
        const i32 run = run_from_ace(hands.held[seat][suit]);
        i32 longest = 0;
        for (i32 other = 1; other < 4; ++other)
            longest = most(longest, hands.length[(seat + other) % 4][suit]);
        tricks += run && run >= longest ? hands.length[seat][suit] : run;
    }
    return tricks;
}

// Tricks at notrump of a hand on lead, with those of its partner where it can reach them.
inline i32 cashed(const SuitHoldings& hands, const i32* alone, i32 seat, i32 partner) {
    for (i32 suit = 0; suit < 4; ++suit)
        if (hands.length[seat][suit] && hands.held[partner][suit] >> 12)
            return least(TRICKS, alone[seat] + alone[partner]);
    return alone[seat];
}

// Least and most tricks of each declarer in each strain, [20] at 5 * declarer + strain.
inline void find_trick_bounds(const SuitHoldings& hands, i8* low, i8* high) {
    i32 alone[4];
    for (i32 seat = 0; seat < 4; ++seat) alone[seat] = high_cards(hands, seat);
    for (i32 declarer = 0; declarer < 4; ++declarer, low += STRAINS, high += STRAINS) {
        const i32 leader = (declarer + 1) % 4, dummy = (declarer + 2) % 4, partner = (declarer + 3) % 4;
        for (i32 strain = 0; strain < 4; ++strain) {
            const auto trumps = [&](i32 seat) { return hands.held[seat][strain]; };
            const u32 ours = trumps(declarer) | trumps(dummy), theirs = trumps(leader) | trumps(partner);
            i32 quick = 0;
            for (i32 suit = 0; suit < 4; ++suit)
                if (suit != strain)
                    quick += least(run_from_ace(hands.held[leader][suit]),
                                   least(hands.length[declarer][suit], hands.length[dummy][suit]));
            low[strain] = static_cast<i8>(
                most(trump_tricks(trumps(declarer), theirs), trump_tricks(trumps(dummy), theirs)));
            high[strain] = static_cast<i8>(
                TRICKS - most(trump_tricks(trumps(leader), ours) + quick,
                              trump_tricks(trumps(partner), ours)));
        }
        high[STRAINS - 1] = static_cast<i8>(TRICKS - cashed(hands, alone, leader, partner));
        i32 worst = TRICKS;
        for (i32 suit = 0; suit < 4; ++suit) {
            if (hands.length[leader][suit] == 0) continue;
            i32 tricks = 0;
            if (hands.held[declarer][suit] >> 12)
                tricks = cashed(hands, alone, declarer, dummy);
            else if (hands.held[dummy][suit] >> 12)
                tricks = cashed(hands, alone, dummy, declarer);
            worst = least(worst, tricks);
        }
        low[STRAINS - 1] = static_cast<i8>(worst);
    }
}

}  // namespace core
