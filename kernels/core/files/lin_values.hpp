// Values inside LIN tokens: deals, calls, cards, boards, results. Each function is the fast twin of
// one in loaders/lin/lin_reference.py, which says what the value means.
#pragma once
#include "auctions.hpp"
#include "letters.hpp"

namespace core {

constexpr i32 NO_DEAL = -2;

// Fills hands (N E S W) and returns the dealer, NO_VALUE if not given, NO_DEAL if it is no deal. A
// hand that stays unknown is 0.
inline i32 parse_md(const Bytes& text, Part part, u64* hands) {
    part = trimmed(text, part);
    if (part.is_empty()) return NO_DEAL;
    i64 at = part.start;
    i32 dealer = NO_VALUE;
    const u8 first = text[at];
    if (first >= '0' && first <= '4') {
        if (first > '0') dealer = (first - '0' + 1) % 4;
        ++at;
    }
    u64 seen = 0;
    i32 unknown = 0, missing = NO_VALUE;
    for (i32 place = 0; place < 4; ++place) {
        // LIN names South, West, North, East
        const i32 seat = (place + 2) % 4;
        u32 suits = 0;
        i32 suit = NO_VALUE, count = 0;
        u64 hand = 0;
        while (at < part.end && text[at] != ',') {
            const u8 byte = text[at++];
            if (is_blank(byte) || byte == '-') continue;
            if (LETTERS.suit[byte] >= 0) {
                suit = LETTERS.suit[byte];
                if (suits >> suit & 1) return NO_DEAL;
                suits |= 1u << suit;
                continue;
            }
            i32 rank = LETTERS.rank[byte];
            if (byte == '1' && at < part.end && text[at] == '0') {
                rank = 8;
                ++at;
            }
            if (rank < 0 || suit < 0) return NO_DEAL;
            const u64 card = 1ull << (13 * suit + rank);
            if (seen & card) return NO_DEAL;
            seen |= card;
            hand |= card;
            ++count;
        }
        hands[seat] = hand;
        if (count == 0) {
            ++unknown;
            missing = seat;
        } else if (count != 13) {
            return NO_DEAL;
        }
        // past the comma; at the end of the value there is none
        ++at;
    }
    if (unknown == 4) return NO_DEAL;
    if (unknown == 1) hands[missing] = ((1ull << 52) - 1) & ~seen;
    for (; at < part.end; ++at)
        if (text[at] != ',' && !is_blank(text[at])) return NO_DEAL;
    return dealer;
}

// The call at a place (not a blank), which moves behind it; UNREADABLE ends the value.
inline i32 next_call(const Bytes& text, i64& at, i64 end) {
    const Part rest = {at, end};
    const auto taken = [&](i32 call, i64 length) {
        at += length;
        return call;
    };
    const u8 byte = upper(text[at]);
    if (byte >= '1' && byte <= '7' && at + 1 < end && LETTERS.strain[text[at + 1]] >= 0) {
        const i32 strain = LETTERS.strain[text[at + 1]];
        const bool is_nt = strain == 4 && at + 2 < end && upper(text[at + 2]) == 'T';
        return taken(3 + 5 * (byte - '1') + strain, is_nt ? 3 : 2);
    }
    switch (byte) {
        case 'P': return taken(0, starts_with(text, rest, "PASS") ? 4 : 1);
        case 'D':
            if (starts_with(text, rest, "DOUBLE")) return taken(1, 6);
            return taken(1, starts_with(text, rest, "DBL") ? 3 : 1);
        case 'X': return starts_with(text, rest, "XX") ? taken(2, 2) : taken(1, 1);
        case 'R':
            if (starts_with(text, rest, "REDOUBLE")) return taken(2, 8);
            if (starts_with(text, rest, "RDBL")) return taken(2, 4);
            return taken(2, starts_with(text, rest, "RD") ? 2 : 1);
    }
    return taken(UNREADABLE, end - at);
}

// The card at a place (not a blank), which moves behind it; UNREADABLE ends the value.
inline i32 next_card(const Bytes& text, i64& at, i64 end) {
    const i32 suit = LETTERS.suit[text[at]];
    if (suit >= 0 && at + 1 < end) {
        const bool is_ten = text[at + 1] == '1' && at + 2 < end && text[at + 2] == '0';
        const i32 rank = is_ten ? 8 : LETTERS.rank[text[at + 1]];
        if (rank >= 0) {
            at += is_ten ? 3 : 2;
            return 13 * suit + rank;
        }
    }
    at = end;
    return UNREADABLE;
}

// Number and room of a board, as `qx` and `ah` say them; NO_VALUE for what is not given.
struct LinBoardNumber {
    i32 number, room;
};

inline LinBoardNumber parse_board(const Bytes& text, Part part) {
    part = trimmed(text, part);
    i64 at = part.start;
    if (starts_with(text, part, "BOARD")) at += 5;
    const auto is_sign = [](u8 byte) {
        return byte == ' ' || byte == '\t' || byte == '#' || byte == '.' || byte == ':';
    };
    while (at < part.end && is_sign(text[at])) ++at;
    i32 room = NO_VALUE;
    if (at < part.end) {
        const u8 letter = upper(text[at]);
        if (letter == 'O' || letter == 'C') {
            room = letter == 'C';
            ++at;
        }
    }
    i32 number = 0;
    const i64 first = at;
    for (; at < part.end && is_digit(text[at]); ++at) {
        if (at - first == 6) return {NO_VALUE, NO_VALUE};
        number = 10 * number + (text[at] - '0');
    }
    if (number == 0) return {NO_VALUE, NO_VALUE};
    if (at < part.end && upper(text[at]) >= 'A' && upper(text[at]) <= 'Z') return {NO_VALUE, NO_VALUE};
    return {number, room};
}

constexpr i32 NO_SIDES = -2;

// Words for vulnerabilities in upper case, by length, padded; and what they stand for.
struct SideWord {
    u8 letters[16];
};
struct SideWords {
    Array<const SideWord> words;
    Array<const u8> lengths, sides;
};

// Vulnerability of an `sv` value without blanks around it; NO_SIDES where it is no word for one.
inline i32 parse_sv(const Bytes& text, Part part, const SideWords& words) {
    const i64 length = part.length();
    if (length == 0 || (length == 1 && text[part.start] == '?')) return NO_VALUE;
    for (i64 word = 0; word < static_cast<i64>(words.words.length); ++word) {
        if (words.lengths[word] != length) continue;
        i64 same = 0;
        while (same < length && upper(text[part.start + same]) == words.words[word].letters[same])
            ++same;
        if (same == length) return words.sides[word];
    }
    return NO_SIDES;
}

// The event and the first board number of a `vg` value.
struct LinEvent {
    Part name;
    i32 first_board;
};

inline LinEvent parse_vg(const Bytes& text, Part part) {
    const auto is_edge = [&](i64 at) { return text[at] == ',' || is_blank(text[at]); };
    LinEvent event = {part, NO_VALUE};
    i64 at = part.end, sixth = part.end, fifth = part.end;
    i32 commas = 0;
    while (at > part.start && commas < 7)
        if (text[--at] == ',') {
            ++commas;
            if (commas == 5) fifth = at;
            if (commas == 6) sixth = at;
        }
    if (commas == 7) {
        event.name.end = at;
        event.first_board = parse_number(text, {sixth + 1, fifth}, 6);
    }
    while (!event.name.is_empty() && is_edge(event.name.start)) ++event.name.start;
    while (!event.name.is_empty() && is_edge(event.name.end - 1)) --event.name.end;
    return event;
}

// What a table came to; bid NO_VALUE where it cannot be read, 0 passed out.
struct LinResult {
    i32 bid, doubling, declarer, tricks;
};

// Entry number `place` of an `rs` value.
inline LinResult parse_result(const Bytes& text, Part part, i64 place) {
    constexpr LinResult NOTHING = {NO_VALUE, 0, NO_VALUE, NO_VALUE};
    for (; place > 0; --place) {
        part.start = find_byte(text, ',', part.start, part.end) + 1;
        if (part.start > part.end) return NOTHING;
    }
    part.end = find_byte(text, ',', part.start, part.end);
    part = trimmed(text, part);
    if (part.is_empty()) return NOTHING;
    const i64 length = part.length(), end = part.end;
    i64 at = part.start;
    const bool is_pass = length == 1 ? upper(text[at]) == 'P' : starts_with(text, part, "PASS");
    if (is_pass && (length == 1 || length == 4)) return {0, 0, NO_VALUE, NO_VALUE};
    const i32 level = text[at] - '0';
    if (level < 1 || level > 7 || length < 3 || LETTERS.strain[text[at + 1]] < 0) return NOTHING;
    const i32 strain = LETTERS.strain[text[at + 1]];
    at += 2;
    if (strain == 4 && upper(text[at]) == 'T') ++at;
    i32 declarer = NO_VALUE;
    for (i32 seat = 0; seat < 4; ++seat)
        if (at < end && upper(text[at]) == "NESW"[seat]) declarer = seat;
    if (declarer < 0) return NOTHING;
    ++at;
    i32 doubling = 0;
    for (; at < end && doubling < 2 && upper(text[at]) == 'X'; ++at) ++doubling;
    const i32 bid = 3 + 5 * (level - 1) + strain;
    if (at >= end) return {bid, doubling, declarer, NO_VALUE};
    const u8 sign = text[at++];
    i32 tricks = level + 6;
    if (sign == '+' || sign == '-') {
        if (at == end || is_blank(text[at])) return NOTHING;
        const i32 number = parse_number(text, {at, end}, 2);
        if (number < 0) return NOTHING;
        tricks += sign == '+' ? number : -number;
    } else if (sign != '=' || at != end) {
        return NOTHING;
    }
    if (tricks < 0 || tricks > 13) return NOTHING;
    return {bid, doubling, declarer, tricks};
}

// Tricks of declarer's side if the play is complete but for a forced last trick, else NO_VALUE.
inline i32 tricks_from_cards(const u8* play, i64 count, const u64* hands, i32 declarer, i32 strain) {
    if (count < 48 || count > 52) return NO_VALUE;
    u64 held[4];
    copy_bytes(held, hands, sizeof held);
    Trick trick((declarer + 1) & 3, strain);
    i32 tricks = 0;
    for (i64 turn = 0; turn < 52; ++turn) {
        const i32 seat = trick.to_play();
        // the last trick is forced: each hand has a card left
        if (turn >= count && held[seat] == 0) return NO_VALUE;
        const i32 card = turn < count ? play[turn] : lowest_bit(held[seat]);
        if (card >= 52 || !(held[seat] >> card & 1)) return NO_VALUE;
        held[seat] ^= 1ull << card;
        if (trick.add(card)) tricks += (trick.leader - declarer) % 2 == 0;
    }
    return tricks;
}

}  // namespace core
