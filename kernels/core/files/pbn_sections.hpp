// The auction and play sections of PBN. loaders/pbn/pbn_sections.py is the definition.
#pragma once
#include "lin_values.hpp"
#include "pbn_values.hpp"

namespace core {

// Signs that no call and no card begins with, and those that end a word.
struct SectionSigns {
    bool is_mark[256], ends_word[256];

    constexpr SectionSigns() : is_mark(), ends_word() {
        for (i32 place = 0; place < 8; ++place) {
            const i32 sign = "=$^!?*+-"[place];
            is_mark[sign] = ends_word[sign] = true;
        }
        // the blanks of space_at in one byte
        for (i32 sign = 9; sign <= 32; ++sign) ends_word[sign] = sign <= 13 || sign >= 28;
    }
};
constexpr SectionSigns SECTION_SIGNS;

inline bool is_mark(u8 sign) { return SECTION_SIGNS.is_mark[sign]; }

// Words and marks of a section, one after the other.
class SectionTokens {
  public:
    explicit SectionTokens(const Bytes& section) : text(section) {}

    // The next token; false at the end.
    bool next(Bytes& token) {
        start = skip_spaces(text, start_of_next);
        if (start == length_of(text)) return false;
        start_of_next = end_of_token(start);
        token = part_of(text, start, start_of_next);
        return true;
    }
    // Whether no call and no card stands behind the last token.
    bool is_last() {
        if (next_word < start_of_next) {
            next_word = start_of_next;
            while ((next_word = skip_spaces(text, next_word)) < length_of(text) &&
                   is_mark(text[next_word]))
                next_word = end_of_token(next_word);
        }
        return next_word == length_of(text);
    }
    // The section from the last token on.
    Bytes rest() const { return part_of(text, start, length_of(text)); }

  private:
    const Bytes text;
    i64 start = 0, start_of_next = 0, next_word = 0;

    bool is_at(i64 at, u8 sign) const { return at < length_of(text) && text[at] == sign; }
    i64 skip_tabs(i64 at) const {
        while (is_at(at, ' ') || is_at(at, '\t')) ++at;
        return at;
    }
    i64 skip_either(i64 at, u8 one, u8 other) const {
        while (is_at(at, one) || is_at(at, other)) ++at;
        return at;
    }
    i64 end_of_token(i64 at) const {
        const i64 next = at + 1;
        switch (text[at]) {
            case '=': {
                // blanks may stand around a number, if both signs are there
                const i64 digits = skip_tabs(next);
                const i64 behind = skip_digits(text, digits);
                const i64 sign = skip_tabs(behind);
                const bool is_note = behind > digits && is_at(sign, '=') &&
                                     !(sign + 1 < length_of(text) && is_digit(text[sign + 1]));
                if (is_note) return sign + 1;
                const i64 end = skip_digits(text, next);
                return is_at(end, '=') ? end + 1 : end;
            }
            case '$': return skip_digits(text, next);
            case '^': {
                const bool is_letter = next < length_of(text) && upper(text[next]) >= 'A' &&
                                       upper(text[next]) <= 'Z';
                return is_letter ? next + 1 : skip_digits(text, next);
            }
            case '!':
            case '?': return skip_either(next, '!', '?');
            case '*':
            case '+': return skip_either(next, '*', '+');
            case '-': return next;
        }
        i64 end = next;
        while (end < length_of(text) && !SECTION_SIGNS.ends_word[text[end]] &&
               (text[end] < 0x80 || space_at(text, end) == 0))
            ++end;
        return end;
    }
};

// Code of a call in any spelling, NO_VALUE for none.
inline i32 call_of(const Bytes& token) {
    const i64 length = length_of(token);
    if (token[0] >= '1' && token[0] <= '7') {
        if (length < 2) return NO_VALUE;
        const i32 first = 3 + 5 * (token[0] - '1');
        const i32 strain = LETTERS.strain[token[1]];
        if (strain >= 0)
            return length == 2 || (length == 3 && strain == 4 && upper(token[2]) == 'T') ? first + strain
                                                                                       : NO_VALUE;
        const SuitSign sign = suit_at(token, 1);
        return sign.suit >= 0 && sign.length == length - 1 ? first + sign.suit : NO_VALUE;
    }
    if (is_word(token, "P") || is_word(token, "PASS")) return 0;
    if (is_word(token, "X") || is_word(token, "D") || is_word(token, "DBL") || is_word(token, "DOUBLE"))
        return 1;
    if (is_word(token, "XX") || is_word(token, "R") || is_word(token, "RD") || is_word(token, "RDBL") ||
        is_word(token, "REDOUBLE"))
        return 2;
    return NO_VALUE;
}

// Calls of the longest auction there can be.
constexpr i32 MOST_SECTION_CALLS = 319;

// The number of a note that a call refers to, as it is written; empty for a program's own alert.
struct NoteReference {
    i32 call;
    Bytes number;
};

// What an auction section says.
struct AuctionText {
    AuctionState auction;
    u8 calls[MOST_SECTION_CALLS + 1];
    Vec<NoteReference> notes;
    Vec<u8> tail;  // from the first call on that is not legal; UNREADABLE ends it
    i32 padding;   // how many `-` stand before the first call
    bool is_illegal;

    void read(const Bytes& section) {
        auction = {};
        notes.clear();
        tail.clear();
        padding = 0;
        is_illegal = false;
        bool is_skipped = false, is_all = false;
        SectionTokens tokens(section);
        for (Bytes token; tokens.next(token);) {
            const u8 first = token[0];
            if (first == '$' || first == '!' || first == '?') continue;
            const bool is_star = first == '*' || first == '+';
            if (is_star && tokens.is_last()) break;
            const bool is_irregularity = first == '^' && token.length == 2 && !is_digit(token[1]);
            if ((first == '=' || first == '^' || is_star) && !is_irregularity) {
                if (is_illegal) continue;
                const Bytes number = note_number(token);
                const bool has_call = auction.count > 0;
                if (has_call && (number.length || first != '='))
                    notes.push({auction.count - 1, number});
                if (has_call || first == '=') continue;
            }
            if (is_irregularity) {
                is_skipped = upper(token[1]) == 'S';
            } else if (first == '-') {
                // this player's call is not there: what follows, if anything, is out of place
                if (auction.count || is_illegal) is_skipped = true;
                else ++padding;
            } else if (is_word(token, "ALL") && !is_all) {
                is_all = true;
            } else if (is_word(token, "AP") || is_word(token, "AC") || is_word(token, "ALLPASS") ||
                       (is_all && is_word(token, "PASS"))) {
                while (!is_illegal && !auction.is_complete()) add(0);
                break;
            } else if (!take(call_of(token), is_skipped)) {
                break;
            }
        }
    }
    i32 status() const {
        if (is_illegal) return ILLEGAL_CALL;
        return auction.count == 0 ? NO_CALLS : auction.is_complete() ? COMPLETE : UNFINISHED;
    }

  private:
    void add(i32 call) {
        calls[auction.count] = static_cast<u8>(call);
        auction.add(call);
    }
    // False at a token that is no call.
    bool take(i32 call, bool is_skipped) {
        if (call >= 0 && !is_skipped && !is_illegal && auction.is_legal(call)) {
            add(call);
            return true;
        }
        is_illegal = true;
        tail.push(static_cast<u8>(call < 0 ? UNREADABLE : call));
        return call >= 0;
    }
    static Bytes note_number(const Bytes& token) {
        const auto is_sign = [](u8 byte) {
            return byte == '=' || byte == '^' || byte == '*' || byte == '+' || byte == ' ' || byte == '\t';
        };
        i64 start = 0, end = length_of(token);
        while (start < end && is_sign(token[start])) ++start;
        while (end > start && is_sign(token[end - 1])) --end;
        return part_of(token, start, end);
    }
};

// What a play section says.
struct PlayText {
    u8 cards[52];  // in the order played
    i32 count = 0;
    Bytes unread = ABSENT;  // the section from a token that is no card on

    // Of a deal without unknown hands. Rows are tricks, columns the seats from the opening leader on.
    PlayText(const Bytes& section, const u64* hands, i32 leader, i32 strain) {
        u64 seen = 0;
        i32 own[4] = {NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE};  // cards of the trick by seat
        i32 columns = 0, in_row = 0;
        Trick trick(leader, strain);
        SectionTokens tokens(section);
        for (Bytes token; tokens.next(token);) {
            const u8 first = token[0];
            if ((first == '*' || first == '+') && tokens.is_last()) break;
            if (is_mark(first) && first != '-') continue;
            if (first != '-') {
                const i32 card = card_of(token);
                i32 owner = 0;
                while (card >= 0 && owner < 4 && !(hands[owner] >> card & 1)) ++owner;
                if (card < 0 || owner == 4) {
                    unread = tokens.rest();
                    break;
                }
                // as written, until the row is whole
                if (count == 0) cards[in_row++] = static_cast<u8>(card);
                if (seen >> card & 1 || own[owner] >= 0) {
                    // these are other hands
                    if (count == 0) count = in_row;
                    else put_trick(trick, own);
                    return;
                }
                seen |= 1ull << card;
                own[owner] = card;
            }
            if (++columns < 4) continue;
            if (!put_trick(trick, own)) return;
            for (i32& card : own) card = NO_VALUE;
            columns = 0;
        }
        put_trick(trick, own);
    }

  private:
    // Puts the cards of a trick in the order played; whether all four are there.
    bool put_trick(Trick& trick, const i32* own) {
        for (i32 place = 0; place < 4; ++place) {
            const i32 card = own[trick.to_play()];
            if (card < 0) return false;
            cards[count++] = static_cast<u8>(card);
            trick.add(card);
        }
        return true;
    }
};

// Passes that an auction of a bid leaves out at its start, where the tags and the leader prove it.
inline i32 omitted_passes(
    const AuctionText& text, i32 opener, i32 tag_code, i32 tag_declarer, i32 play_leader) {
    const AuctionState& auction = text.auction;
    if (tag_declarer < 0 || play_leader != ((tag_declarer + 1) & 3) || auction.last_bid == 0 ||
        tag_code / 3 != auction.last_bid || text.calls[0] == 0)
        return 0;
    return (tag_declarer - opener - auction.declaring_call()) & 3;
}

}  // namespace core
