// Double dummy for endings of a few cards a hand: exact tricks by alpha-beta (Knuth, Moore: An
// analysis of alpha-beta pruning, 1975), in which touching cards of one hand are tried once.
//
// Cards are bits, 13 * suit + rank; the rules are those of the Laws of Duplicate Bridge, Law 44.
#pragma once
#include "base.hpp"

namespace core {

constexpr u64 SUIT_OF_CARDS = 0x1FFF;
constexpr i32 MOST_TRICKS = 64;  // more than there are

// Mask of the suit of a card.
inline u64 suit_of_card(u64 card) {
    if (card < 1ull << 26) return card < 1ull << 13 ? SUIT_OF_CARDS : SUIT_OF_CARDS << 13;
    return card < 1ull << 39 ? SUIT_OF_CARDS << 26 : SUIT_OF_CARDS << 39;
}

class Ending {
  public:
    u64 hands[4];
    u64 trumps;

    // The trick that is played: the best card so far, who played it, and the suit that was led.
    struct Current {
        i32 leader, played, winner;
        u64 best, led;

        i32 to_play() const { return (leader + played) & 3; }
    };

    // Cards of some that would win the trick as it lies; all of them at its beginning.
    u64 taking(u64 cards, u64 best) const {
        if (best == 0) return cards;
        const u64 suit = suit_of_card(best);
        return cards & ((suit & ~(best | (best - 1))) | (trumps & ~suit));
    }

    // Adds a card to a trick, whoever holds it.
    void play(Current& trick, u64 card) const { play(trick, card, taking(card, trick.best) != 0); }

    u64 choices(const Current& trick) const {
        const u64 hand = hands[trick.to_play()], following = hand & trick.led;
        return following ? following : hand;
    }
    // Cards that part those of a hand: of the others, and the best of the trick.
    u64 others(const Current& trick) const {
        const u64 hand = hands[trick.to_play()];
        return ((hands[0] | hands[1] | hands[2] | hands[3]) & ~hand) | trick.best;
    }
    // Cards that are worth something else than the next lower one of the hand, of which none of the
    // others parts them.
    static u64 without_touching(u64 cards, u64 others) {
        u64 found = 0, lower = 0;
        for (u64 left = cards; left != 0; left &= left - 1) {
            const u64 card = left & (~left + 1);
            if (!(lower & suit_of_card(card)) || others & (card - lower)) found |= card;
            lower = card;
        }
        return found;
    }

    // Tricks of North-South if a card is played, from the current trick on.
    __forceinline__ i32 after(const Current& trick, u64 card, bool takes, i32 alpha, i32 beta) {
        Current next = trick;
        const i32 seat = trick.to_play();
        play(next, card, takes);
        hands[seat] ^= card;
        i32 value;
        if (next.played == 4) {
            const i32 won = 1 - (next.winner & 1);
            value = won + search({next.winner, 0, 0, 0, 0}, alpha - won, beta - won);
        } else {
            value = search(next, alpha, beta);
        }
        hands[seat] ^= card;
        return value;
    }

  private:
    static void play(Current& trick, u64 card, bool takes) {
        if (takes) {
            trick.best = card;
            trick.winner = trick.to_play();
        }
        if (trick.played == 0) trick.led = suit_of_card(card);
        ++trick.played;
    }

    // Tricks of North-South from the current trick on; exact within (alpha, beta).
    i32 search(const Current& trick, i32 alpha, i32 beta) {
        const i32 seat = trick.to_play();
        const u64 hand = hands[seat];
        if (trick.played == 0) {
            if (hand == 0) return 0;
            if ((hand & (hand - 1)) == 0) return last_trick(trick.leader);
            // nobody takes more tricks than there are, or fewer than none
            const i32 tricks = bit_count(hand);
            if (alpha >= tricks) return tricks;
            if (beta <= 0) return 0;
        }
        const u64 cards = without_touching(choices(trick), others(trick));
        const u64 first = taking(cards, trick.best);
        const bool ours = (seat & 1) == 0;
        i32 found = ours ? -1 : MOST_TRICKS;
        // the cards that take the trick are tried first
        const u64 parts[2] = {first, cards & ~first};
        for (const u64 some : parts)
            for (u64 left = some; left != 0; left &= left - 1) {
                const i32 value = after(trick, left & (~left + 1), some == first, alpha, beta);
                if (ours) {
                    found = most(found, value);
                    alpha = most(alpha, value);
                } else {
                    found = least(found, value);
                    beta = least(beta, value);
                }
                if (alpha >= beta) return found;
            }
        return found;
    }

    // 1 if North-South take the trick of everybody's only card.
    i32 last_trick(i32 leader) const {
        Current trick = {leader, 0, leader, 0, 0};
        while (trick.played < 4) play(trick, hands[trick.to_play()]);
        return 1 - (trick.winner & 1);
    }
};

// Tricks of the side to move for every card that may be played, [52]; others are left as they are.
inline void solve_plays(Ending& ending, const Ending::Current& trick, i8* tricks) {
    const i32 seat = trick.to_play(), count = bit_count(ending.hands[seat]);
    const u64 cards = ending.choices(trick);
    const u64 solved = Ending::without_touching(cards, ending.others(trick));
    i32 value = 0;
    for (u64 left = cards; left != 0; left &= left - 1) {
        const u64 card = left & (~left + 1);
        if (solved & card)
            value = ending.after(trick, card, ending.taking(card, trick.best) != 0, -1, MOST_TRICKS);
        tricks[lowest_bit(card)] = static_cast<i8>((seat & 1) == 0 ? value : count - value);
    }
}

}  // namespace core
