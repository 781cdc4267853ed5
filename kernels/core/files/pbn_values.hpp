// Values of PBN: blanks as Unicode has them, seats, contracts, results, scores, hands. Each function is
// the fast twin of one in loaders/pbn/pbn_sections.py or loaders/text/hand_text.py, which says what the
// value means.
#pragma once
#include "auctions.hpp"
#include "letters.hpp"

namespace core {

// --- parts of texts ------------------------------------------------------------------------------

// Absent where there is not even an empty text.
constexpr Bytes ABSENT = {nullptr, 0};

inline i64 length_of(const Bytes& text) { return static_cast<i64>(text.length); }

inline Bytes part_of(const Bytes& text, i64 start, i64 end) {
    CORE_CHECK(start >= 0 && start <= end && end <= length_of(text));
    return {text.data + start, static_cast<u64>(end - start)};
}

template <u64 SIZE>
Bytes literal(const char (&word)[SIZE]) {
    return {reinterpret_cast<const u8*>(word), SIZE - 1};
}

CORE_ONCE inline bool are_equal(const Bytes& one, const Bytes& other) {
    return one.length == other.length && equal_bytes(one.data, other.data, one.length);
}

// Whether a text is an upper-case word, in either case.
CORE_ONCE inline bool is_word(const Bytes& text, const char* word) {
    if (text.length != __builtin_strlen(word)) return false;
    for (i64 at = 0; at < length_of(text); ++at)
        if (upper(text[at]) != static_cast<u8>(word[at])) return false;
    return true;
}

// Bytes of the blank at a place, 0 where there is none: what Unicode has as one, with the separators
// of information, as Python has it.
CORE_ONCE inline i64 space_at(const Bytes& text, i64 at) {
    const u8 first = text[at];
    if (first < 0x80) return is_blank(first) || (first >= 28 && first <= 31);
    const i64 left = length_of(text) - at;
    if (first == 0xC2 && left >= 2) return text[at + 1] == 0x85 || text[at + 1] == 0xA0 ? 2 : 0;
    if (first < 0xE1 || first > 0xE3 || left < 3) return 0;
    const u32 sign = static_cast<u32>(first << 16 | text[at + 1] << 8 | text[at + 2]);
    const bool is_space = sign == 0xE19A80 || (sign >= 0xE28080 && sign <= 0xE2808A) ||
                          sign == 0xE280A8 || sign == 0xE280A9 || sign == 0xE280AF ||
                          sign == 0xE2819F || sign == 0xE38080;
    return is_space ? 3 : 0;
}

CORE_ONCE inline i64 skip_spaces(const Bytes& text, i64 at) {
    for (i64 more; at < length_of(text) && (more = space_at(text, at)) > 0;) at += more;
    return at;
}

CORE_ONCE inline i64 skip_word(const Bytes& text, i64 at) {
    while (at < length_of(text) && space_at(text, at) == 0) ++at;
    return at;
}

CORE_ONCE inline bool is_space(const Bytes& text) { return skip_spaces(text, 0) == length_of(text); }

CORE_ONCE inline Bytes stripped(const Bytes& text) {
    const i64 start = skip_spaces(text, 0);
    i64 end = length_of(text);
    for (i64 before = end; before > start; end = before) {
        i64 size = 1;
        // a blank has at most three bytes
        while (size < 3 && before - size > start && (text[before - size] & 0xC0) == 0x80) ++size;
        if (space_at(text, before - size) != size) break;
        before -= size;
    }
    return part_of(text, start, end);
}

// Letters, of which each has one byte that does not go on.
CORE_ONCE inline i64 count_letters(const Bytes& text) {
    i64 count = 0;
    for (i64 at = 0; at < length_of(text); ++at) count += (text[at] & 0xC0) != 0x80;
    return count;
}

// The place so many letters behind another, at most the end.
CORE_ONCE inline i64 skip_letters(const Bytes& text, i64 at, i64 letters) {
    while (at < length_of(text)) {
        if ((text[at] & 0xC0) != 0x80 && letters-- == 0) break;
        ++at;
    }
    return at;
}

// --- values --------------------------------------------------------------------------------------

// A tag's value without blanks around it and signs of an irregularity before it.
CORE_ONCE inline Bytes plain_value(const Bytes& text) {
    const Bytes value = stripped(text);
    i64 at = 0;
    while (at < length_of(value) && value[at] == '^') ++at;
    return part_of(value, at, length_of(value));
}

// Whether a tag says anything: what is not known is left out or written as `?` or `-`.
CORE_ONCE inline bool says(const Bytes& text) {
    for (i64 at = 0; at < length_of(text); ++at) {
        const u8 sign = text[at];
        if (sign != ' ' && sign != '\t' && sign != '^' && sign != '?' && sign != '*' && sign != '-' &&
            sign != '#')
            return true;
    }
    return false;
}

// Value of some digits, `most + 1` where it is more; leading noughts count for nothing.
CORE_ONCE inline i64 number_of(const Bytes& digits, i64 most) {
    i64 number = 0;
    for (i64 at = 0; at < length_of(digits); ++at) {
        number = 10 * number + (digits[at] - '0');
        if (number > most) return most + 1;
    }
    return number;
}

CORE_ONCE inline i64 skip_digits(const Bytes& text, i64 at) {
    while (at < length_of(text) && is_digit(text[at])) ++at;
    return at;
}

CORE_ONCE inline bool are_digits(const Bytes& text) {
    return text.length > 0 && skip_digits(text, 0) == length_of(text);
}

// The only number of a text, NO_VALUE where there is none, or more than one, or nought.
inline i32 board_number(const Bytes& text) {
    i64 number = 0;
    bool has_one = false;
    for (i64 at = 0; at < length_of(text);) {
        const i64 end = skip_digits(text, at);
        if (end > at) {
            if (has_one || end - at > 9) return NO_VALUE;
            has_one = true;
            number = number_of(part_of(text, at, end), 999'999'999);
        }
        at = end + 1;
    }
    return number > 0 ? static_cast<i32>(number) : NO_VALUE;
}

CORE_ONCE inline i32 read_seat(const Bytes& written) {
    const Bytes text = plain_value(written);
    if (text.length == 1) {
        for (i32 seat = 0; seat < 4; ++seat)
            if (upper(text[0]) == "NESW"[seat] || text[0] == "3412"[seat]) return seat;
        return NO_VALUE;
    }
    if (is_word(text, "NORTH")) return 0;
    if (is_word(text, "EAST")) return 1;
    if (is_word(text, "SOUTH")) return 2;
    return is_word(text, "WEST") ? 3 : NO_VALUE;
}

// Contract as 3 * bid + doubling, 0 passed out, NO_VALUE for none.
CORE_ONCE inline i32 read_contract(const Bytes& written) {
    const Bytes value = plain_value(written);
    u8 letters[16];
    u64 count = 0;
    for (i64 at = 0; at < length_of(value); ++at) {
        if (value[at] == ' ') continue;
        if (count == sizeof letters) return NO_VALUE;
        letters[count++] = upper(value[at]);
    }
    const Bytes text = {letters, count};
    if (is_word(text, "PASS") || is_word(text, "P") || is_word(text, "PASSED") ||
        is_word(text, "AP") || is_word(text, "ALLPASS") || is_word(text, "PASSEDOUT") ||
        is_word(text, "PASSOUT"))
        return 0;
    if (count < 2 || letters[0] < '1' || letters[0] > '7') return NO_VALUE;
    const i32 strain = LETTERS.strain[letters[1]];
    if (strain < 0) return NO_VALUE;
    const i64 at = strain == 4 && count > 2 && letters[2] == 'T' ? 3 : 2;
    const Bytes risk = part_of(text, at, length_of(text));
    const bool is_redoubled = is_word(risk, "XX") || is_word(risk, "R") || is_word(risk, "**");
    const bool is_doubled = is_word(risk, "X") || is_word(risk, "D") || is_word(risk, "*");
    if (risk.length && !is_redoubled && !is_doubled) return NO_VALUE;
    return 3 * (3 + 5 * (letters[0] - '1') + strain) + (is_redoubled ? 2 : is_doubled ? 1 : 0);
}

// Tricks of declarer, NO_VALUE where the tag does not say.
CORE_ONCE inline i32 read_result(const Bytes& written, i32 declarer, i32 code) {
    const Bytes text = plain_value(written);
    const i64 length = length_of(text);
    if (length == 0) return NO_VALUE;
    const u8 sign = text[0];
    const bool is_signed = sign == '+' || sign == '-';
    if ((sign == '=' && length == 1) ||
        (is_signed && length <= 3 && are_digits(part_of(text, 1, length)))) {
        if (code <= 0) return NO_VALUE;
        const i64 more = number_of(part_of(text, 1, length), 99);
        const i64 tricks = 1 + (code / 3 - 3) / 5 + 6 + (sign == '-' ? -more : more);
        return tricks >= 0 && tricks <= 13 ? static_cast<i32>(tricks) : NO_VALUE;
    }
    const Bytes side = part_of(text, 0, least<i64>(2, length));
    const bool is_east_west = is_word(side, "EW");
    i64 tricks = 99;
    if (is_east_west || is_word(side, "NS")) {
        if (declarer < 0) return NO_VALUE;
        const Bytes rest = plain_value(part_of(text, 2, length));
        const i64 end = skip_digits(rest, 0);
        if (end > 0) tricks = number_of(part_of(rest, 0, end), 13);
        if (tricks <= 13 && is_east_west != (declarer % 2 == 1)) tricks = 13 - tricks;
    } else if (are_digits(text) && length < 10) {
        tricks = number_of(text, 13);
    }
    return tricks <= 13 ? static_cast<i32>(tricks) : NO_VALUE;
}

struct Score {
    bool is_known;
    i32 points;  // from the view of North-South
};

CORE_ONCE inline Score read_score(const Bytes& written, i32 declarer) {
    constexpr Score UNKNOWN_SCORE = {false, 0};
    const Bytes text = plain_value(written);
    const i64 length = length_of(text);
    const auto side_at = [&](i64 at) {
        const Bytes word = part_of(text, least(at, length), least(at + 2, length));
        return is_word(word, "NS") ? 1 : is_word(word, "EW") ? -1 : 0;
    };
    // a sign, digits; where they begin and end
    const auto number_at = [&](i64 at) {
        const i64 start = at < length && (text[at] == '+' || text[at] == '-') ? at + 1 : at;
        return Part{start, skip_digits(text, start)};
    };
    const i32 side = side_at(0);
    const i64 first = skip_spaces(text, side ? 2 : 0);
    const Part digits = number_at(first);
    if (digits.is_empty()) return UNKNOWN_SCORE;
    if (digits.end < length) {
        const i64 other = skip_spaces(text, digits.end);
        if (other == digits.end || side_at(other) == 0) return UNKNOWN_SCORE;
        const Part more = number_at(skip_spaces(text, other + 2));
        if (more.is_empty() || more.end != length) return UNKNOWN_SCORE;
    }
    if (digits.end - first > 7) return UNKNOWN_SCORE;
    const i64 number = number_of(part_of(text, digits.start, digits.end), 9'999'999);
    const i32 points = static_cast<i32>(text[first] == '-' ? -number : number);
    if (side) return {true, side * points};
    if (points == 0) return {true, 0};
    if (declarer < 0) return UNKNOWN_SCORE;
    return {true, declarer % 2 ? -points : points};
}

// --- hands ---------------------------------------------------------------------------------------

struct SuitSign {
    i32 suit;  // NO_VALUE where there is none
    i64 length;
};

// The letter or sign of a suit at a place.
CORE_ONCE inline SuitSign suit_at(const Bytes& text, i64 at) {
    if (LETTERS.suit[text[at]] >= 0) return {LETTERS.suit[text[at]], 1};
    if (text[at] == 0xE2 && at + 2 < length_of(text) && text[at + 1] == 0x99) {
        switch (text[at + 2]) {
            case 0xA0: return {3, 3};
            case 0xA5: return {2, 3};
            case 0xA6: return {1, 3};
            case 0xA3: return {0, 3};
        }
    }
    return {NO_VALUE, 0};
}

// Number of a card, suit first; NO_VALUE for none.
CORE_ONCE inline i32 card_of(const Bytes& token) {
    const SuitSign sign = token.length ? suit_at(token, 0) : SuitSign{NO_VALUE, 0};
    if (sign.suit < 0) return NO_VALUE;
    const Bytes rank = part_of(token, sign.length, length_of(token));
    if (rank.length == 2 && rank[0] == '1' && rank[1] == '0') return 13 * sign.suit + 8;
    if (rank.length != 1 || LETTERS.rank[rank[0]] < 0) return NO_VALUE;
    return 13 * sign.suit + LETTERS.rank[rank[0]];
}

// Puts the cards of a suit, without blanks, into a hand; false where they are none, or one comes twice.
CORE_ONCE inline bool put_holding(const Bytes& text, i32 suit, u64& hand) {
    // a void: -, – or —
    if (is_word(text, "-")) return true;
    if (text.length == 3 && text[0] == 0xE2 && text[1] == 0x80 && (text[2] == 0x93 || text[2] == 0x94))
        return true;
    for (i64 at = 0; at < length_of(text); ++at) {
        i32 rank = LETTERS.rank[text[at]];
        if (text[at] == '1' && at + 1 < length_of(text) && text[at + 1] == '0') {
            rank = 8;
            ++at;
        }
        if (rank < 0) return false;
        const u64 card = 1ull << (13 * suit + rank);
        if (hand & card) return false;
        hand |= card;
    }
    return true;
}

// The longest hand that is read: a value of a tag has at most a thousand letters.
constexpr u64 LONGEST_HAND = 4096;

// A hand of thirteen cards in any spelling, 0 where it is none.
CORE_ONCE inline u64 read_hand(const Bytes& written) {
    const Bytes text = stripped(written);
    bool has_suit = false, has_dot = false;
    for (i64 at = 0; at < length_of(text); ++at) {
        has_suit |= suit_at(text, at).suit >= 0;
        has_dot |= text[at] == '.';
    }
    u8 letters[LONGEST_HAND];
    u64 count = 0;
    for (i64 at = 0; at < length_of(text);) {
        const i64 behind = skip_spaces(text, at);
        if (count == LONGEST_HAND) return 0;
        if (behind == at) {
            letters[count++] = text[at++];
        } else {
            // blanks stand between suits where nothing else does
            if (!has_suit && !has_dot) letters[count++] = '.';
            at = behind;
        }
    }
    const Bytes plain = {letters, count};
    const i64 length = length_of(plain);
    u64 hand = 0;
    if (!has_suit) {
        i32 suit = 3;
        for (i64 start = 0; start <= length; --suit) {
            const i64 end = find_byte(plain, '.', start, length);
            if (suit < 0 || !put_holding(part_of(plain, start, end), suit, hand)) return 0;
            start = end + 1;
        }
        if (suit >= 0) return 0;
    } else {
        const auto is_mark = [](u8 sign) { return sign == '.' || sign == ',' || sign == ':' || sign == ';'; };
        u32 seen = 0;
        for (i64 at = 0; at < length;) {
            const SuitSign sign = suit_at(plain, at);
            if (sign.suit < 0 || seen >> sign.suit & 1) return 0;
            seen |= 1u << sign.suit;
            at += sign.length;
            if (at < length && (plain[at] == '.' || plain[at] == ':')) ++at;
            const i64 start = at;
            while (at < length && !is_mark(plain[at]) && suit_at(plain, at).suit < 0) ++at;
            if (!put_holding(part_of(plain, start, at), sign.suit, hand)) return 0;
            while (at < length && is_mark(plain[at])) ++at;
        }
    }
    return bit_count(hand) == 13 ? hand : 0;
}

enum DealProblem : i32 { FINE_DEAL, NO_DEAL_GIVEN, BAD_DEAL };

// Hands of `N:hand hand hand hand`; false where they are none. A hand that is not known is 0.
inline bool read_hands_from_seat(const Bytes& text, i64 colon, i32 seat, u64* hands) {
    i64 at = skip_spaces(text, colon + 1);
    for (i32 place = 0; place < 4; ++place) {
        const i64 end = skip_word(text, at);
        const Bytes part = part_of(text, at, end);
        u64& hand = hands[(seat + place) & 3];
        hand = 0;
        if (part.length == 0) return false;
        if (!is_word(part, "-") && !is_word(part, "...") && (hand = read_hand(part)) == 0) return false;
        at = skip_spaces(text, end);
    }
    return at == length_of(text);
}

// Hands as LIN has them: `3SAKQ…,…,…,`, South first.
inline bool read_hands_from_south(const Bytes& text, u64* hands) {
    const i64 length = length_of(text);
    i64 at = 0;
    // in a hand with dots a digit is a card
    const i64 first_end = find_byte(text, ',', 0, length);
    if (is_digit(text[0]) && find_byte(text, '.', 0, first_end) == first_end) {
        if (text[0] < '1' || text[0] > '4') return false;
        at = 1;
    }
    i32 count = 0;
    for (; at <= length; ++count) {
        const i64 end = find_byte(text, ',', at, length);
        const Bytes part = part_of(text, at, end);
        if (count < 4) {
            u64& hand = hands[(count + 2) & 3];
            hand = is_space(part) ? 0 : read_hand(part);
            if (hand == 0 && !is_space(part)) return false;
        } else if (part.length) {
            return false;
        }
        at = end + 1;
    }
    if (count == 3) hands[1] = 0;
    return count >= 3;
}

// Hands of a PBN deal, N E S W; a single one that is not known gets the other cards, others are 0.
inline DealProblem read_deal(const Bytes& written, u64* hands) {
    const Bytes text = stripped(written);
    if (text.length == 0 || is_word(text, "?") || is_word(text, "-")) return NO_DEAL_GIVEN;
    const i64 colon = find_byte(text, ':', 0, length_of(text));
    const Bytes named = stripped(part_of(text, 0, colon));
    bool is_read = false;
    if (colon < length_of(text) && count_letters(named) == 1) {
        i32 seat = 3;
        while (seat >= 0 && upper(named[0]) != "NESW"[seat]) --seat;
        is_read = seat >= 0 && read_hands_from_seat(text, colon, seat, hands);
    } else if (find_byte(text, ',', 0, length_of(text)) < length_of(text)) {
        is_read = read_hands_from_south(text, hands);
    }
    if (!is_read) return BAD_DEAL;
    u64 seen = 0;
    i32 unknown = 0, missing = 0;
    for (i32 seat = 0; seat < 4; ++seat) {
        if (seen & hands[seat]) return BAD_DEAL;
        seen |= hands[seat];
        if (hands[seat] == 0) ++unknown, missing = seat;
    }
    if (unknown == 1) hands[missing] = ((1ull << 52) - 1) & ~seen;
    return unknown == 4 ? BAD_DEAL : FINE_DEAL;
}

}  // namespace core
