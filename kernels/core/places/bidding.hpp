// Places worked out as somebody comes to them, what is missing learned at once: a few deals that are
// bid one by one, the place behind an auction, all auctions of a deal.
#pragma once
#include "every.hpp"
#include "learning.hpp"

namespace core {

// Why a function came back, beside DONE and LIST_FULL: the store is full; the block is; the text asks
// for what does not exist there.
constexpr i32 STORE_FULL = 2, BLOCK_FULL = 4, FAULTY = 5;
constexpr i32 LONGEST_AUCTION = 320;  // more calls than any auction has (319)

// Both sides of a bidder with the store and the block that they work with.
struct Bidding {
    Sides sides;
    const Store& store;
    const Block& block;

    Bidding(System* first, System* other, const Store& places, const Block& room)
        : sides(first, other), store(places), block(room) {}

    bool is_ready(i32 place) const {
        return store.list[place] != UNKNOWN && store.row[place] >= 0;
    }

    // Works out a place and what is missing on the way to it.
    i32 make_ready(i32 place) {
        i32 way[LONGEST_AUCTION];
        i32 count = 0;
        for (i32 here = place; here >= 0 && !is_ready(here); here = store.parent[here]) {
            if (count == LONGEST_AUCTION) return FAULTY;
            way[count++] = here;
        }
        while (count-- > 0) {
            const i32 why = work_out_one(way[count]);
            if (why != DONE) return why;
        }
        return DONE;
    }

    // Works out places from `done` on, which says where it came back; `learned` counts those that
    // asked what nobody had asked before.
    i32 make_all_ready(const i32* places, i64 count, i64& done, i64& learned) {
        for (; done < count; ++done) {
            const u64 before = sides.learned;
            if (!is_ready(places[done])) {
                const i32 why = make_ready(places[done]);
                if (why != DONE) return why;
            }
            learned += sides.learned != before;
        }
        return DONE;
    }

    // Finds the place behind calls, worked out; `place` is where it has come to.
    i32 reach(const u8* calls, i64 count, i32& place) {
        place = 0;
        for (i64 at = 0; at < count; ++at) {
            const i32 known = find(store.children, child_key(place, calls[at]));
            if (known < 0) {
                // its number says nothing of what the text makes of it: that waits for the end
                if (!has_room(store, 1, 0, 0, 0)) return STORE_FULL;
                place = child_of(store, place, calls[at]);
            } else {
                place = known;
            }
        }
        return is_ready(place) ? DONE : make_ready(place);
    }

  private:
    i32 work_out_one(i32 place) {
        if (!has_room(store, 0, 1, 1, 0)) return STORE_FULL;
        block.sizes[0] = 0;
        block.first[0] = 0;
        i64 end = 0;
        const i32 status = work_out_place(sides.programs(), store, block, place, 0, end, &sides);
        if (status == TOO_MUCH) return BLOCK_FULL;
        if (status != DONE) return FAULTY;
        block.first[1] = end;
        if (!has_room(store, 0, 1, 1, end)) return STORE_FULL;
        take_place(store, block, place, 0);
        return DONE;
    }
};

// Packed hands of one deal, for the systems of both sides as they stand.
struct OneDeal {
    Vec<u64> words[2];
    u32 versions[2] = {0, 0};
    i64 deal = -1;

    // Hand of the player to call, packed for a side.
    const u64* hand(const Bidding& bidding, const Deals& deals, i64 number, i32 level) {
        const i32 side = level & 1;
        const Layout& layout = bidding.sides.systems[side]->layout();
        if (number != deal) versions[0] = versions[1] = 0;
        deal = number;
        const u64 width = static_cast<u64>(layout.words());
        if (versions[side] != layout.version + 1) {
            words[side].resize(4 * width);
            pack_hands(
                layout.packing(), deals, static_cast<u64>(number), static_cast<u64>(number) + 1,
                true, words[side].data, width, width);
            versions[side] = layout.version + 1;
        }
        return words[side].data + static_cast<u64>(level & 3) * width;
    }
};

// Bids deals to the end one by one, from `deal` on, which says where it came back. `place` says where
// each deal is, and becomes the place of its last call, which `entry` made.
inline i32 bid_few(
    Bidding& bidding, const Deals& deals, i32* place, i32* entry, u16* defaults, i64& deal) {
    const Store& store = bidding.store;
    OneDeal hands;
    for (; deal < static_cast<i64>(deals.count); ++deal) {
        for (i32 level = calls_to(store, place[deal]);; ++level) {
            const i32 here = place[deal];
            if (store.list[here] == UNKNOWN) {
                const i32 why = bidding.make_ready(here);
                if (why != DONE) return why;
            }
            if (!has_room(store, 1, 0, 0, 0)) return STORE_FULL;
            const Program& prog = bidding.sides.systems[level & 1]->program;
            const Choice made = choose(prog, store, here, hands.hand(bidding, deals, deal, level));
            entry[deal] = made.entry;
            defaults[deal] = static_cast<u16>(defaults[deal] + made.by_default);
            if (ends(store, here, made.call)) break;
            place[deal] = child_of(store, here, made.call);
        }
    }
    return DONE;
}

// The way of a deal's walk through the places of the store, see list_auctions.
struct DealWay {
    Bidding& bidding;
    OneDeal& hands;
    const Listed& out;
    const Deals& deals;
    const i64 deal;
    const Store& places = bidding.store;

    i32 make_ready(i32 place) {
        return places.list[place] == UNKNOWN ? bidding.make_ready(place) : DONE;
    }
    i32 child_of(i32 place, i32 call, i32& child) {
        if (!core::has_room(places, 1, 0, 0, 0)) return STORE_FULL;
        child = core::child_of(places, place, call);
        return DONE;
    }
    void allow(i32 level, i32 place, Level& calls) {
        allowed_calls(program(level), places, place, hand(level), 1, &calls);
    }
    bool has_room(i32 place) const { return core::has_room(places, out, out.end[deal + 1], place); }
    i64 count() const { return out.end[deal + 1] - out.end[deal]; }
    void put(i32 level, i32 place, i32 call) {
        put_auction(program(level), places, out, out.end[deal + 1]++, place, call, hand(level));
    }

  private:
    const Program& program(i32 level) const { return bidding.sides.systems[level & 1]->program; }
    const u64* hand(i32 level) { return hands.hand(bidding, deals, deal, level); }
};

// Lists the auctions of deals from where the walk stands; why it came back.
inline i32 list_deals(
    Bidding& bidding, const Listed& out, const Deals& deals, const i64* bounds) {
    OneDeal hands;
    Walk& at = out.at[0];
    while (static_cast<u64>(at.deal) < deals.count) {
        DealWay way = {bidding, hands, out, deals, at.deal};
        const i32 why = list_auctions(way, bounds, at, out.levels.data, out.cut[at.deal]);
        if (why != DONE) return why;
        at = walk_from_root(at.deal + 1);
        if (static_cast<u64>(at.deal) < deals.count) out.end[at.deal + 1] = out.end[at.deal];
    }
    return DONE;
}

// A call of one hand after an auction: the place, the entry that makes it, the call, whether it is a
// pass by default, and whether partner's call asked for an answer.
struct Made {
    i32 place, entry, call, by_default, is_forced;
};

// Whether calls make a legal auction that goes on.
inline bool goes_on(const u8* calls, i64 count) {
    i32 last_bid = 0, doubled = 0, passes = 0;
    i64 bidder = 0;
    for (i64 at = 0; at < count; ++at) {
        const i32 call = calls[at];
        if (call >= CALLS || passes == (last_bid == 0 ? 4 : 3)) return false;
        const bool ours = ((at - bidder) & 1) == 0;
        passes = call == 0 ? passes + 1 : 0;
        if (call >= 3) {
            if (call <= last_bid) return false;
            last_bid = call, bidder = at, doubled = 0;
        } else if (call == 1) {
            if (last_bid == 0 || doubled != 0 || ours) return false;
            doubled = 1;
        } else if (call == 2) {
            if (doubled != 1 || !ours) return false;
            doubled = 2;
        }
    }
    return passes < (last_bid == 0 ? 4 : 3);
}

// Chooses for one hand. `context` is position + 4 * we + 8 * they vulnerable.
inline i32 call_of_hand(
    Bidding& bidding, const u8* calls, i64 count, u64 cards, u32 context, Vec<u64>& words,
    Made& made) {
    const i32 why = bidding.reach(calls, count, made.place);
    if (why != DONE) return why;
    const Store& store = bidding.store;
    const System& system = *bidding.sides.systems[count & 1];
    words.resize(static_cast<u64>(system.layout().words()));
    pack_hand(system.layout().packing(), cards, context, 0, words.data);
    const Choice choice = choose(system.program, store, made.place, words.data);
    made.entry = choice.entry;
    made.call = choice.call;
    made.by_default = choice.by_default;
    made.is_forced = forced(store.rows[store.row[made.place]]);
    return DONE;
}

}  // namespace core
