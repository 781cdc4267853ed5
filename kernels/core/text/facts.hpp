// What a place answers: facts of the auction, suits by their roles, bounds that were shown.
// systems/reference/facts.py is the definition.
#pragma once
#include "../rows.hpp"
#include "pays.hpp"

namespace core {

constexpr u32 FORCING = 1, FORCING_TO_GAME = 2, ARTIFICIAL = 1u << 7 | 1u << 10 | 1u << 11 | 1u << 12,
              PENALTY = 1u << 14;
constexpr u32 CALL_KIND_RAISE = 1, CALL_KIND_NEW_SUIT = 2, CALL_KIND_CUE_BID = 4, CALL_KIND_REVERSE = 8;
constexpr i32 ALL_SUITS = 1 | 2 << 3 | 3 << 6 | 4 << 9;

enum FactKind : i32 {
    SUITS, SHOWN, BID, LAST_BID_CODE, WEIGHED, PASSED_HAND, OPENED, NOBODY_OPENED, ONLY_PASSED, MADE, NAMED,
    LAST_CALL, LAST_CALLS_TAG, LAST_CALLS_KINDS, LAST_CALL_IN_WORDS, HAS_CALLED, UNBID, FOURTH_SUIT,
    FIT, FORCED, GAME_FORCED, BALANCING, CONTESTED, LEVEL, LAST_BID, HAS_SHOWN, MAY_HAVE,
    RANKS_ABOVE, SAME_SUIT, AVAILABLE, NTH_CALL, SEAT, GAME_REACHED, KINDS
};
constexpr i32 MANY_ANSWERS = 5;  // kinds below this have answers other than no and yes
// Which bound of what was shown is asked for: a condition needs one of them.
enum ShownEnd : i32 { LEAST_SHOWN, MOST_SHOWN };

// A place that is asked, and what its players' hands are known to hold beside the hull.
struct Asked {
    const Place* row;
    const Known* known;
    TermRanges* new_ranges;   // of sets that have no number yet, by -1 - set
    const CellSet* new_sets;  // the same sets; read by a host alone, which works ranges out late

    __device__ __forceinline__ i32 me() const { return row->length & 3; }
};

__device__ __forceinline__ bool has_bit(u64 bits, i32 number) { return bits >> number & 1; }

__device__ __forceinline__ bool has_tag(const u64* tags, i32 number) {
    return number >= 0 && has_bit(tags[number >> 6], number & 63);
}

__device__ __forceinline__ i32 last_of(i32 suits) {
    i32 suit = 0;
    for (; suits != 0; suits >>= 3) suit = suits & 7;
    return suit;
}

__device__ __forceinline__ i32 set_of(i32 suits) {
    i32 found = 0;
    for (; suits != 0; suits >>= 3) found |= 1 << ((suits & 7) - 1);
    return found;
}

__device__ __forceinline__ i32 packed_suits(i32 found) {
    i32 suits = 0, shift = 0;
    for (i32 suit = 0; suit < 4; ++suit)
        if (found >> suit & 1) {
            suits |= (suit + 1) << shift;
            shift += 3;
        }
    return suits;
}

__device__ __forceinline__ i32 shown_by_all(const Place& row) {
    i32 shown = 0;
    for (i32 position = 0; position < 4; ++position) shown |= set_of(row.suits[position]);
    return shown;
}

__device__ __forceinline__ i32 fit(const Place& row, i32 side, i32 suit) {
    return row.hull[side][1 + suit][0] + row.hull[side + 2][1 + suit][0];
}

__device__ inline i32 our_suit(const Place& row, i32 me) {
    const i32 side = me & 1;
    if (row.agreed[side] != 0) return row.agreed[side];
    i32 best = 0, longest = 7;
    for (i32 suit = 0; suit < 4; ++suit) {
        const i32 cards = fit(row, side, suit);
        if (cards > 7 && cards >= longest) {
            longest = cards;
            best = suit + 1;
        }
    }
    if (best != 0) return best;
    const i32 partners = last_of(row.suits[me ^ 2]);
    return partners != 0 ? partners : last_of(row.suits[me]);
}

__device__ inline i32 role_suits(const Place& row, i32 role) {
    const i32 me = row.length & 3;
    switch (role) {
        case 0: return packed_suits(set_of(row.suits[(me + 1) & 3]) | set_of(row.suits[(me + 3) & 3]));
        case 1: return row.suits[(me + 3) & 3];
        case 2: return row.suits[(me + 1) & 3];
        case 3: return last_of(row.suits[me ^ 2]);
        case 4: return last_of(row.suits[me]);
        case 5: return our_suit(row, me);
        default: break;
    }
    return packed_suits((role == 6 ? 15 : role == 7 ? 12 : 3) & ~shown_by_all(row));
}

__device__ __forceinline__ i32 operand_of(const Place& row, i32 operand) {
    return operand >= 0 ? operand : role_suits(row, -1 - operand);
}

__device__ __forceinline__ i32 cheapest_level(i32 last_bid, i32 suit) {
    if (last_bid < 3) return 1;
    const i32 level = (last_bid - 3) / 5 + 1;
    return 5 * (level - 1) + suit + 2 > last_bid ? level : level + 1;
}

__device__ __forceinline__ i32 game_level(i32 suit) { return suit == NOTRUMP ? 3 : suit > 2 ? 4 : 5; }

__device__ __forceinline__ bool game_reached(const Place& row) {
    const i32 last = row.last_bid;
    return last >= 3 && (last - 3) / 5 + 1 >= game_level((last - 3) % 5 + 1);
}

__device__ inline bool forced(const Place& row) {
    const i32 me = row.length & 3;
    if (row.length < 2 || row.call[(me + 3) & 3] != 0) return false;
    const u32 kinds = row.kinds[me ^ 2];
    if (kinds & FORCING) return true;
    // no suit to play in, however high it is
    if (kinds & FORCING_TO_GAME && kinds & ARTIFICIAL && row.call[me ^ 2] >= 3) return true;
    if (game_reached(row) || (kinds & PENALTY && row.call[me ^ 2] == 1)) return false;
    return kinds & FORCING_TO_GAME || (row.game_forced[me & 1] && row.acted[me & 1]);
}

#ifndef __CUDACC__
inline bool meet(const u64* one, const u64* other) {
    for (u32 word = 0; word < SET_WORDS; ++word)
        if (one[word] & other[word]) return true;
    return false;
}

// Works out the least and most of a term in a set that is not empty. A thread that comes here
// meanwhile writes the same; the low end, which it looks at, is written last.
inline void work_out_range(const Known& known, const u64* cells, i32 term, i8* range) {
    const i32 first = known.reach_first[term], all_values = known.reach_first[RANGES];
    const i32 count = known.reach_first[term + 1] - first;
    i32 low = 0, high = count - 1;
    while (low < count - 1 && !meet(cells, known.reach[first + low])) ++low;
    while (high > low && !meet(cells, known.reach[all_values + first + high])) --high;
    __atomic_store_n(range + 1, static_cast<i8>(high), __ATOMIC_RELAXED);
    __atomic_store_n(range, static_cast<i8>(low), __ATOMIC_RELEASE);
}
#endif

__device__ inline Bounds shown(const Asked& at, i32 position, i32 term) {
    const Place& row = *at.row;
    Bounds found;
    if (term < static_cast<i32>(HULL)) {
        found = {row.hull[position][term][0], row.hull[position][term][1]};
    } else {
        const i32 number = row.known[position];
        i8* const range = number < 0 ? at.new_ranges[-1 - number][term - HULL]
                                     : at.known->ranges[number][term - HULL];
#ifndef __CUDACC__
        if (__atomic_load_n(range, __ATOMIC_ACQUIRE) < 0)
            work_out_range(
                *at.known, number < 0 ? at.new_sets[-1 - number] : at.known->sets[number],
                term - static_cast<i32>(HULL), range);
#endif
        found = {range[0], range[1]};
    }
    const i32 low = most(found.low, static_cast<i32>(row.terms[position][term][0]));
    const i32 high = least(found.high, static_cast<i32>(row.terms[position][term][1]));
    return low <= high ? Bounds{low, high} : found;
}

__device__ __forceinline__ bool is_inside(i32 value, const Question& q) {
    if (q.low <= value && value <= q.high) return true;
    return 0 <= value && value < 64 && has_bit(q.also, value);
}

__device__ inline bool in_words(const Place& row, i32 position, i32 word) {
    const i32 call = row.call[position], jump = row.jump[position];
    const bool is_bid = 3 <= call && call < NO_CALL;
    const u32 call_kind = row.call_kind[position];
    const bool artificial = row.kinds[position] & ARTIFICIAL;
    switch (word) {
        case 0: return is_bid && !artificial;
        case 1: return is_bid;
        case 2: return call_kind & CALL_KIND_RAISE;
        case 3: return jump >= 1;
        case 4: return jump >= 2;
        case 5: return call_kind & CALL_KIND_RAISE && jump >= 1;
        case 6: return call_kind & CALL_KIND_NEW_SUIT;
        case 7: return is_bid && (call - 3) % 5 != 4;
        case 8: return is_bid && (call - 3) % 5 == 4;
        case 9: return call_kind & CALL_KIND_CUE_BID;
        case 10: return call_kind & CALL_KIND_REVERSE;
        case 11: return call_kind & CALL_KIND_NEW_SUIT && jump >= 1;
        default: return artificial;
    }
}

// 8 * level + strain of a bid's pattern here, 0 for none.
__device__ inline i32 bid_of(const Place& row, const Question& q) {
    const i32 suit = operand_of(row, q.suits[0]), how = q.number;
    if (suit == 0 || suit > 7) return 0;
    i32 level;
    if (how == 0 || how == 5) level = q.count;
    else if (how == 4) level = game_level(suit);
    else level = cheapest_level(row.last_bid, suit) + how - 1;
    if (how == 5) {
        const i32 code = 5 * (level - 1) + suit + 1;
        return code < 3 ? 0 : 8 * ((code - 3) / 5 + 1) + (code - 3) % 5 + 1;
    }
    return 1 <= level && level <= 7 ? 8 * level + suit : 0;
}

__device__ inline bool has_shown(const Asked& at, const Question& q) {
    const bool one_term = q.count == 0;
    const i32 suits = operand_of(*at.row, q.suits[0]);
    for (i32 step = 0; step < 4; ++step) {
        if (!(q.who >> step & 1)) continue;
        for (i32 rest = one_term ? 1 : suits; rest != 0; rest >>= 3) {
            const i32 term = one_term ? q.number : q.number + (rest & 7) - 1;
            const Bounds found = shown(at, (at.me() + step) & 3, term);
            if (q.kind == HAS_SHOWN ? found.low >= q.low && found.high <= q.high
                                    : found.high >= q.low && found.low <= q.high)
                return true;
        }
    }
    return false;
}

// Whether a test holds for one of some positions.
template <class Test>
__device__ __forceinline__ bool any_of(i32 who, i32 me, const Test& test) {
    for (i32 step = 0; step < 4; ++step)
        if (who >> step & 1 && test((me + step) & 3)) return true;
    return false;
}

// What some positions have called.
__device__ inline bool about_calls(const Question& q, const Place& row, i32 me) {
    switch (q.kind) {
        case OPENED:
            return row.opening >= 0 && q.who >> ((row.opening - me) & 3) & 1 &&
                   has_bit(q.calls, row.opening_call);
        case LAST_CALLS_TAG:
            return any_of(q.who, me, [&](i32 position) {
                return row.call[position] != NO_CALL && has_tag(row.tags[position], q.number);
            });
        case LAST_CALL:
            return any_of(q.who, me, [&](i32 position) {
                return row.call[position] != NO_CALL && has_bit(q.calls, row.call[position]);
            });
        case LAST_CALLS_KINDS:
            return any_of(q.who, me, [&](i32 position) {
                return row.call[position] != NO_CALL && row.kinds[position] & static_cast<u32>(q.number);
            });
        case LAST_CALL_IN_WORDS:
            return any_of(q.who, me, [&](i32 position) {
                return row.call[position] != NO_CALL && in_words(row, position, q.number);
            });
        case HAS_CALLED:
            return any_of(q.who, me, [&](i32 position) { return has_tag(row.tags_ever[position], q.number); });
        case NAMED: {
            const i32 suits = set_of(operand_of(row, q.suits[0]));
            return any_of(q.who, me, [&](i32 position) {
                return suits & (set_of(row.suits[position]) | (row.notrump[position] ? 16 : 0));
            });
        }
        case PASSED_HAND:
            return any_of(q.who, me, [&](i32 position) {
                return position < (row.opening < 0 ? row.length : row.opening);
            });
        default: break;  // MADE and ONLY_PASSED
    }
    u64 made = 0;
    for (i32 step = 0; step < 4; ++step)
        if (q.who >> step & 1) made |= row.made[(me + step) & 3];
    return q.kind == ONLY_PASSED ? made == 1 : (made & q.calls) != 0;
}

__device__ inline bool fact(const Question& q, const Place& row, i32 me) {
    if (q.kind >= PASSED_HAND && q.kind <= HAS_CALLED && q.kind != NOBODY_OPENED)
        return about_calls(q, row, me);
    const i32 side = me & 1, last = row.last_bid;
    switch (q.kind) {
        case NOBODY_OPENED: return row.opening < 0;
        case FORCED: return forced(row);
        case GAME_FORCED: return row.game_forced[side];
        case BALANCING: return row.opening >= 0 && row.passes == 2;
        case CONTESTED: return row.acted[0] && row.acted[1];
        case GAME_REACHED: return game_reached(row);
        case NTH_CALL: return row.length / 4 + 1 == q.count;
        case SEAT: return is_inside(me + 1, q);
        case LEVEL: return is_inside(last >= 3 ? (last - 3) / 5 + 1 : 0, q);
        case LAST_BID:
            return last >= 3 && has_bit(q.calls, last) &&
                   (q.count == 0 || has_tag(row.last_bid_tags, q.number)) &&
                   q.who >> ((row.last_bidder - me) & 3) & 1;
        default: break;
    }
    i32 suits = operand_of(row, q.suits[0]);
    if (q.kind == UNBID) return !(set_of(suits) & shown_by_all(row));
    if (q.kind == FOURTH_SUIT) {
        const i32 ours = set_of(row.suits[me]) | set_of(row.suits[me ^ 2]);
        return bit_count(ours & 15) == 3 && 0 < suits && suits < 8 &&
               !(set_of(suits) & shown_by_all(row));
    }
    if (q.kind == FIT) {
        for (suits = suits == 0 ? ALL_SUITS : suits; suits != 0; suits >>= 3)
            if (fit(row, side, (suits & 7) - 1) >= q.count) return true;
        return false;
    }
    if (q.kind == AVAILABLE) {
        for (; suits != 0; suits >>= 3)
            if (is_inside(cheapest_level(last, suits & 7) + q.number, q)) return true;
        return false;
    }
    const i32 second = operand_of(row, q.suits[1]);
    if (q.kind == SAME_SUIT) return set_of(suits) & set_of(second);
    // ranks above: every one of the first above every one of the second
    if (suits == 0 || second == 0) return false;
    for (; suits != 0; suits >>= 3)
        for (i32 rest = second; rest != 0; rest >>= 3)
            if ((suits & 7) <= (rest & 7)) return false;
    return true;
}

// 0 or 1, packed suits, a bound, a bid, or tenths of a unit.
__device__ inline i32 answer(const Asked& at, const Question& q) {
    const Place& row = *at.row;
    const i32 me = at.me();
    switch (q.kind) {
        case SUITS: return role_suits(row, q.number);
        case SHOWN: {
            i32 position = me;
            for (i32 step = 3; step >= 0; --step)
                if (q.who >> step & 1) position = (me + step) & 3;
            const Bounds found = shown(at, position, q.number);
            return q.count == MOST_SHOWN ? found.high : found.low;
        }
        case WEIGHED:
            return weighed(q.count, q.number, [&](i32 who, i32 term) {
                return shown(at, (me + (who == 4 ? 2 : who == 2 ? 1 : 3)) & 3, term);
            });
        case BID: return bid_of(row, q);
        case LAST_BID_CODE: return row.last_bid;
        case HAS_SHOWN:
        case MAY_HAVE: return has_shown(at, q) != (q.negated != 0);
        default: return fact(q, row, me) != (q.negated != 0);
    }
}

}  // namespace core
