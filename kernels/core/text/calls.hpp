// Calls as patterns: what `2M` or `cheapest X` stand for here.
// systems/language/auctions/patterns.py is the definition.
//
// Calls are codes (0 pass, 1 double, 2 redouble, 3-37 = 1C-7N), strains are 1-5 = C D H S N.
// Bindings are 3 bits for each variable: the strain of M oM m om X Y Z W, then the level of n.
#pragma once
#include "text.hpp"

namespace core {

constexpr i32 FIRST_BID = 3, LEVEL_VARIABLE = VARIABLES;

struct BoundCall {
    i32 call;
    u32 bindings;
};

inline i32 bid_code(i32 level, i32 strain) { return FIRST_BID + 5 * (level - 1) + strain - 1; }
inline i32 bid_level(i32 call) { return (call - FIRST_BID) / 5 + 1; }
inline i32 strain_of(i32 call) { return (call - FIRST_BID) % 5 + 1; }

// Strain of a variable, or level of n; 0 where it is not bound.
inline i32 bound_value(u32 bindings, i32 variable) {
    return static_cast<i32>(bindings >> 3 * variable & 7);
}
inline u32 with_bound(u32 bindings, i32 variable, i32 value) {
    const u32 shift = 3 * static_cast<u32>(variable);
    return (bindings & ~(7u << shift)) | static_cast<u32>(value) << shift;
}

inline bool are_bindings(u32 bindings) {
    for (i32 variable = 0; variable < LEVEL_VARIABLE; ++variable)
        if (bound_value(bindings, variable) > NOTRUMP) return false;
    return bindings >> 3 * (LEVEL_VARIABLE + 1) == 0;
}

// Suit of the same rank: the other major, the other minor; 0 for none.
inline i32 same_rank(i32 strain) {
    if (strain == 0 || strain == NOTRUMP) return 0;
    return strain ^ (strain <= 2 ? 3 : 7);
}

// Strain of a variable, which may be that of its other suit; 0 where it is not bound.
inline i32 letter_of_variable(i32 variable, u32 bindings) {
    const i32 known = bound_value(bindings, variable);
    if (known != 0 || variable > 3) return known;
    return same_rank(bound_value(bindings, variable ^ 1));
}

// Strain of a suit word or bound variable; 0 for an unbound variable or a role.
inline i32 letter_of(const Word& word, u32 bindings) {
    if (word.kind == static_cast<i32>(WordKind::FIXED)) return word.value;
    if (word.kind != static_cast<i32>(WordKind::VARIABLE)) return 0;
    return letter_of_variable(word.value, bindings);
}

// Suits that an unbound variable may take, a bit each (1 C, 2 D, 4 H, 8 S).
inline u32 candidates(i32 variable, u32 bindings) {
    if (variable < 4) return variable < 2 ? 12 : 3;
    u32 free = 15;
    for (i32 other = 0; other < static_cast<i32>(VARIABLES); ++other) {
        const i32 strain = bound_value(bindings, other);
        if (strain != 0) free &= ~(1u << (strain - 1));
    }
    return free;
}

// All ways to bind those of some variables that are still open.
inline void all_bindings(const i32* variables, u64 count, u32 bindings, Vec<u32>& found) {
    if (count == 0) {
        found.push(bindings);
    } else if (letter_of_variable(variables[0], bindings) != 0) {
        all_bindings(variables + 1, count - 1, bindings, found);
    } else {
        for (u32 free = candidates(variables[0], bindings); free != 0; free &= free - 1)
            all_bindings(variables + 1, count - 1,
                         with_bound(bindings, variables[0], lowest_bit(free) + 1), found);
    }
}

// Code of a pass, double or redouble; -1 for other kinds.
inline i32 call_of_kind(const CallPattern& pattern) {
    const i32 code = pattern.kind - static_cast<i32>(CallKind::PASS);
    return 0 <= code && code < FIRST_BID ? code : -1;
}

// Whether a call is one that the pattern stands for; `bindings` become those that make it so.
inline bool match_call(const Text& text, const CallPattern& pattern, i32 call, u32& bindings) {
    const CallKind kind = static_cast<CallKind>(pattern.kind);
    if (kind == CallKind::ANY) return true;
    if (call_of_kind(pattern) >= 0) return call == call_of_kind(pattern);
    if (call < FIRST_BID) return false;
    if (kind == CallKind::ANY_BID) return true;
    if (kind == CallKind::TRANSFER && ++call == CALLS) return false;
    const i32 level = bid_level(call), strain = strain_of(call);
    u32 bound = bindings;
    if (pattern.level == 0 && bound_value(bound, LEVEL_VARIABLE) == 0)
        bound = with_bound(bound, LEVEL_VARIABLE, level);
    else if (pattern.level >= 0 &&
             level != (pattern.level ? pattern.level : bound_value(bound, LEVEL_VARIABLE)))
        return false;
    if (kind == CallKind::GAME && level != game_level(strain)) return false;
    if (pattern.strain >= 0) {
        const Word& word = text.words[pattern.strain];
        const i32 known = letter_of(word, bound);
        if (known != 0 && known != strain) return false;
        if (known == 0) {
            if (word.kind != static_cast<i32>(WordKind::VARIABLE)) return false;
            if (!(candidates(word.value, bound) >> (strain - 1) & 1)) return false;
            bound = with_bound(bound, word.value, strain);
        }
    }
    bindings = bound;
    return true;
}

// Calls that a pattern stands for under some bindings, a bit each.
inline u64 matching_calls(const Text& text, const CallPattern& pattern, u32 bindings) {
    u64 calls = 0;
    for (i32 call = 0; call < CALLS; ++call) {
        u32 bound = bindings;
        if (match_call(text, pattern, call, bound)) calls |= 1ull << call;
    }
    return calls;
}

// Code of the call that a pattern stands for whatever the auction; -1 if that varies.
inline i32 fixed_call(const Text& text, const CallPattern& pattern) {
    const bool is_bid = pattern.kind == static_cast<i32>(CallKind::BID) && pattern.level > 0;
    if (is_bid && pattern.strain >= 0) {
        const Word& word = text.words[pattern.strain];
        const bool is_fixed = word.kind == static_cast<i32>(WordKind::FIXED);
        if (is_fixed) return bid_code(pattern.level, word.value);
    }
    return call_of_kind(pattern);
}

// Code of the bid of a strain that a pattern stands for, whose variables are bound; -1 for none.
inline i32 resolve(const CallPattern& pattern, i32 strain, u32 bindings, i32 last_bid) {
    const CallKind kind = static_cast<CallKind>(pattern.kind);
    i32 level = most(pattern.level, 0);
    if (kind == CallKind::CHEAPEST || kind == CallKind::JUMP || kind == CallKind::DOUBLE_JUMP)
        level = cheapest_level(last_bid, strain) + pattern.kind -
                static_cast<i32>(CallKind::CHEAPEST);
    else if (kind == CallKind::GAME)
        level = game_level(strain);
    else if (pattern.level == 0)
        level = bound_value(bindings, LEVEL_VARIABLE);
    if (level < 1 || level > 7) return -1;
    const i32 code = bid_code(level, strain) - (kind == CallKind::TRANSFER);
    return code < FIRST_BID ? -1 : code;
}

// Bids above the last one that a pattern makes of some strains, each with its bindings.
struct PatternCalls {
    u64 found = 0;
    u32 bindings[CALLS];

    void add(i32 call, u32 bound) {
        if (found >> call & 1) return;
        found |= 1ull << call;
        bindings[call] = bound;
    }
    void add_strain(const CallPattern& pattern, i32 strain, u32 bound, i32 last_bid) {
        if (pattern.level == 0 && bound_value(bound, LEVEL_VARIABLE) == 0) {
            for (i32 level = cheapest_level(last_bid, strain); level < 8; ++level)
                add(bid_code(level, strain), with_bound(bound, LEVEL_VARIABLE, level));
            return;
        }
        const i32 call = resolve(pattern, strain, bound, last_bid);
        if (call >= 0) add(call, bound);
    }
    // Those above the last bid, ascending.
    void append_to(Vec<BoundCall>& calls, i32 last_bid) const {
        for (i32 call = most(last_bid + 1, 0); call < CALLS; ++call)
            if (found >> call & 1) calls.push({call, bindings[call]});
    }
};

// Bindings of a group below a line after RHO's call; false where it does not apply. `patterns`
// are alternatives of RHO's call; null is a pass.
inline bool below_bindings(const Text& text, const i32* patterns, u64 count, i32 their_call,
                           u32& bindings) {
    if (patterns == nullptr) return their_call == 0;
    for (u64 at = 0; at < count; ++at)
        if (match_call(text, text.patterns[patterns[at]], their_call, bindings)) return true;
    return false;
}

}  // namespace core
