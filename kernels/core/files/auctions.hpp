// Auctions and tricks one call and one card at a time, as readers follow them: Laws of Duplicate
// Bridge 2017, 17-22 and 44. bridge/auction.py and loaders/frames/play.py are the definitions.
//
// Calls are codes (0 pass, 1 double, 2 redouble, 3-37 = 1C-7N), strains 0-4 = C D H S N, cards
// 13 * suit + rank, seats 0-3 = N E S W.
#pragma once
#include "../memory.hpp"

namespace core {

// How a board's auction stands, in the order of the deal frame's enum.
enum AuctionStatus : i32 { COMPLETE, UNFINISHED, ILLEGAL_CALL, NO_CALLS };

struct AuctionState {
    i32 count = 0, last_bid = 0, bidder = 0, doubling = 0, passes = 0;  // bidder: number of its call
    i32 first_named[2][5] = {{-1, -1, -1, -1, -1}, {-1, -1, -1, -1, -1}};  // call by side and strain

    bool is_complete() const { return passes == 4 || (passes == 3 && last_bid > 0); }

    bool is_legal(i32 call) const {
        if (is_complete()) return false;
        if (call == 1) return last_bid > 0 && doubling == 0 && (count - bidder) % 2 == 1;
        if (call == 2) return doubling == 1 && (count - bidder) % 2 == 0;
        return call == 0 || (call > last_bid && call > 2);
    }

    // Makes a call, which is legal.
    void add(i32 call) {
        passes = call == 0 ? passes + 1 : 0;
        if (call > 2) {
            last_bid = call;
            bidder = count;
            doubling = 0;
            i32& named = first_named[count % 2][strain()];
            if (named < 0) named = count;
        } else if (call > 0) {
            doubling = call;
        }
        ++count;
    }

    // Of the last bid, which there is: its strain, and the number of the call by which declarer
    // first named that.
    i32 strain() const { return (last_bid - 3) % 5; }
    i32 declaring_call() const { return first_named[bidder % 2][strain()]; }
};

struct Trick {
    i32 leader, strain, count = 0, best = 0, best_suit = 0, winner = 0;

    Trick(i32 first, i32 trumps) : leader(first), strain(trumps) {}

    i32 to_play() const { return (leader + count) & 3; }

    // Adds the card of the player whose turn it is; true if it ends the trick, whose winner leads.
    bool add(i32 card) {
        const i32 suit = card / 13;
        if (count == 0 || (suit == best_suit ? card > best : suit == strain)) {
            best = card;
            best_suit = suit;
            winner = to_play();
        }
        if (++count < 4) return false;
        leader = winner;
        count = 0;
        return true;
    }
};

}  // namespace core
