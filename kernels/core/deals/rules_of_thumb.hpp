// Which card a player plays by rules of thumb, from what he sees; inference/card_play/rules_of_thumb.py
// tells the rules.
//
// Cards are bits, 13 * suit + rank.
#pragma once
#include "../base.hpp"

namespace core {

constexpr i32 SUIT = 13, MOST_HELD = 13;

// What a player sees who has to play a card.
struct SeenCards {
    u64 hand, gone, other;  // held still, played (those on the table too), and the other hand in sight
    i32 strain;
    bool declares;
    i32 played;       // cards on the table
    const u8* trick;  // these, the first one led
};

inline u64 cards_of_suit(i32 suit) { return 0x1FFFull << SUIT * suit; }

// Whether there is a card to play, and none is at two places; of a strain and at most three cards on the table.
inline bool is_choice(const SeenCards& seen) {
    if ((seen.hand | seen.gone | seen.other) >> 4 * SUIT || seen.hand == 0 || bit_count(seen.hand) > MOST_HELD)
        return false;
    if (seen.hand & (seen.gone | seen.other) || seen.gone & seen.other) return false;
    u64 table = 0;
    for (i32 place = 0; place < seen.played; ++place) {
        if (seen.trick[place] >= 4 * SUIT) return false;
        const u64 card = 1ull << seen.trick[place];
        if (table & card || !(seen.gone & card)) return false;
        table |= card;
    }
    return true;
}

// Cards that may be played: of the suit led, if there is one.
inline u64 legal_cards(const SeenCards& seen) {
    const u64 followed = seen.played ? seen.hand & cards_of_suit(seen.trick[0] / SUIT) : 0;
    return followed ? followed : seen.hand;
}

// Lowest of some cards, a trump last.
inline i32 lowest_card(u64 cards, i32 strain) {
    const u64 plain = strain < 4 ? cards & ~cards_of_suit(strain) : cards;
    if (plain) cards = plain;
    u64 of_rank = 1ull | 1ull << SUIT | 1ull << 2 * SUIT | 1ull << 3 * SUIT;
    while (!(cards & of_rank)) of_rank <<= 1;
    return lowest_bit(cards & of_rank);
}

// Whether no card of its suit that was not seen is higher.
inline bool is_master(i32 card, u64 unseen) {
    return (unseen & cards_of_suit(card / SUIT)) >> card == 0;
}

inline bool beats(i32 card, i32 top, i32 strain) {
    return card / SUIT == top / SUIT ? card > top : card / SUIT == strain;
}

inline i32 card_to_lead(const SeenCards& seen, u64 unseen) {
    constexpr i32 TEN = 8;
    const u64 trumps = seen.strain < 4 ? cards_of_suit(seen.strain) : 0;
    if (const u64 own = seen.hand & trumps; seen.declares && own && unseen & trumps) {
        const i32 top = highest_bit(own);
        return is_master(top, unseen) ? top : lowest_bit(own);
    }
    const u64 held = seen.hand & ~trumps ? seen.hand & ~trumps : seen.hand;
    // the longest suit whose top is good, the highest of them; and the longest one, then the stronger
    i32 master = -1, master_length = 0, strength = -1;
    u64 best = 0;
    for (i32 suit = 0; suit < 4; ++suit) {
        const u64 cards = held & cards_of_suit(suit);
        if (cards == 0) continue;
        const i32 top = highest_bit(cards), length = bit_count(cards);
        if (seen.gone && length >= master_length && is_master(top, unseen))
            master = top, master_length = length;
        i32 ranks = 0;
        for (u64 left = cards; left; left &= left - 1) ranks += lowest_bit(left) - SUIT * suit;
        // ranks of a suit add up to 78 at most
        if (100 * length + ranks > strength) strength = 100 * length + ranks, best = cards;
    }
    if (master >= 0) return master;
    const i32 top = highest_bit(best), length = bit_count(best);
    if (length <= 2 || (top % SUIT >= TEN && best >> (top - 1) & 1)) return top;
    if (length == 3) return lowest_bit(best);
    // the fourth best
    for (i32 higher = 0; higher < 3; ++higher) best ^= 1ull << highest_bit(best);
    return highest_bit(best);
}

inline i32 card_to_follow(const SeenCards& seen, u64 unseen, u64 legal) {
    constexpr i32 TEN = 8;
    const i32 led = seen.trick[0];
    i32 ahead = 0;
    for (i32 place = 1; place < seen.played; ++place)
        if (beats(seen.trick[place], seen.trick[ahead], seen.strain)) ahead = place;
    const i32 top = seen.trick[ahead];
    u64 better = 0;
    for (u64 left = legal; left; left &= left - 1)
        if (beats(lowest_bit(left), top, seen.strain)) better |= left & -left;
    const i32 low = lowest_card(legal, seen.strain);
    const bool is_last = seen.played == 3, is_partners = ((seen.played - ahead) & 1) == 0;
    if (!better || (is_partners && (is_last || is_master(top, unseen) || top % SUIT >= TEN))) return low;
    if (is_last || !(legal & cards_of_suit(led / SUIT))) return lowest_card(better, seen.strain);
    // second hand low
    if (seen.played == 1) return low;
    i32 high = highest_bit(better);
    // of touching cards the lowest
    while (better << 1 >> high & 1) --high;
    return high;
}

// Cards that may be played: the one that rules of thumb play, then the lowest first; how many.
inline i32 usual_cards(const SeenCards& seen, u8 (&out)[MOST_HELD]) {
    const u64 legal = legal_cards(seen);
    const u64 unseen = ((1ull << 4 * SUIT) - 1) & ~(seen.hand | seen.gone | seen.other);
    const bool is_forced = bit_count(legal) == 1;
    i32 card = is_forced     ? lowest_bit(legal)
               : seen.played ? card_to_follow(seen, unseen, legal)
                             : card_to_lead(seen, unseen);
    i32 count = 0;
    for (u64 left = legal;; card = lowest_card(left, seen.strain)) {
        out[count++] = static_cast<u8>(card);
        left ^= 1ull << card;
        if (!left) return count;
    }
}

}  // namespace core
