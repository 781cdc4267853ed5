// Deals go from place to place: choose a call, find the place behind it. Whole auctions are written
// from the place of their last call.
#pragma once
#include "store.hpp"

namespace core {

constexpr i32 NO_ENTRY = -1;
constexpr i32 NOTED = -2;  // instead of UNKNOWN, while a place is on the list of those to work out

// Packed hands of the players at one position, [deals][width].
struct Hands {
    const u64* words;
    u64 width;

    const u64* operator[](i64 deal) const { return words + static_cast<u64>(deal) * width; }
};

struct Choice {
    i32 entry, call;
    bool by_default;  // a pass, as no entry holds
};

// What a hand calls at a place.
inline Choice choose(const Program& prog, const Store& store, i32 place, const u64* words) {
    const i32 list = store.chosen[place];
    for (i64 item = store.list_first[list]; item < store.list_first[list + 1]; ++item) {
        const i32 number = store.list_items[item] >> 1;
        const Entry& entry = prog.entries[number];
        if (passes_chain(prog.tests.data, entry.test, words, 1)) return {number, entry.call, false};
    }
    return {NO_ENTRY, 0, true};
}

// Chooses for deals `deals[start]` to `deals[stop]`.
inline void choose_all(
    const Program& prog, const Store& store, const Hands& hands, const i64* deals, i64 start,
    i64 stop, const i32* place, u8* call, i32* entry, u16* defaults) {
    for (i64 number = start; number < stop; ++number) {
        const i64 deal = deals[number];
        const Choice made = choose(prog, store, place[deal], hands[deal]);
        entry[deal] = made.entry;
        call[deal] = static_cast<u8>(made.call);
        defaults[deal] = static_cast<u16>(defaults[deal] + made.by_default);
    }
}

// Moves deals to the places behind their calls; there must be room for a place each. Tells which
// go on, and which places are not expanded yet. A deal whose auction is over stays where it is.
inline i64 follow(
    const Store& store, const i64* deals, i64 count, i32* place, const u8* call, i64* going_on,
    i32* added, i64* added_count) {
    i64 left = 0, found = 0;
    for (i64 number = 0; number < count; ++number) {
        const i64 deal = deals[number];
        const i32 here = place[deal];
        if (ends(store, here, call[deal])) continue;
        const i32 child = child_of(store, here, call[deal]);
        // those that were given a number before and left alone too, each once
        if (store.list[child] == UNKNOWN) {
            store.list[child] = NOTED;
            added[found++] = child;
        }
        place[deal] = child;
        going_on[left++] = deal;
    }
    for (i64 number = 0; number < found; ++number) store.list[added[number]] = UNKNOWN;
    *added_count = found;
    return left;
}

inline void auction_lengths(const Store& store, const i32* places, i64 count, i64* lengths) {
    for (i64 number = 0; number < count; ++number) lengths[number] = calls_to(store, places[number]);
}

// Writes the auctions that end with a call at each place, behind one another.
inline void write_calls(
    const Store& store, const i32* places, const u8* last, const i64* offsets, i64 start, i64 stop,
    u8* calls) {
    for (i64 number = start; number < stop; ++number) {
        i64 end = offsets[number + 1] - 1;
        calls[end] = last == nullptr ? 0 : last[number];
        for (i32 here = places[number]; here > 0; here = store.parent[here])
            calls[--end] = store.call[here];
    }
}

// What a whole auction leads to: contract is 0 passed out, else 1 + 3 * (bid - 3) + doubling;
// declarer is counted from the dealer, 4 for none.
inline void write_contract(const u8* calls, i64 count, u8& contract, u8& declarer) {
    i64 last = 0, doubling = 0, bidder = 0;
    for (i64 at = 0; at < count; ++at) {
        if (calls[at] >= 3) last = calls[at], doubling = 0, bidder = at;
        else if (calls[at] > 0) doubling = calls[at];
    }
    contract = 0;
    declarer = 4;
    if (last == 0) return;
    contract = static_cast<u8>(1 + 3 * (last - 3) + doubling);
    // the first of the side to bid the strain
    i64 at = bidder & 1;
    while (calls[at] < 3 || (calls[at] - last) % 5 != 0) at += 2;
    declarer = static_cast<u8>(at & 3);
}

// Writes whole auctions that end with a pass at each place, and what they lead to.
inline void auctions_of(
    const Store& store, const i32* places, const i64* offsets, i64 start, i64 stop, u8* calls,
    u8* contract, u8* declarer) {
    write_calls(store, places, nullptr, offsets, start, stop, calls);
    for (i64 number = start; number < stop; ++number)
        write_contract(
            calls + offsets[number], offsets[number + 1] - offsets[number], contract[number],
            declarer[number]);
}

}  // namespace core
