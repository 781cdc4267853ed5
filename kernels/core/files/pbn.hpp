// Auction and play sections of PBN in bulk: bytes in, calls and cards out.
//
// Only the plain cases, which are nearly all: legal calls, known cards, notes ``=n=``, ``AP``, ``*``,
// ``-``. Any other section is marked odd and left to `read_auction` and `read_play` of
// loaders/pbn/pbn_sections.py, the definition of what comes out here.
#pragma once
#include "auctions.hpp"
#include "letters.hpp"

namespace core {

constexpr i32 MAX_CALLS = 96;  // the longest possible auction has 319: longer ones are odd
constexpr i32 ODD = -1;

struct CallRow {
    u8 of[MAX_CALLS];
};
struct CardRow {
    u8 of[52];
};
struct DealRow {
    u64 hands[4];
};

// As kernels/core/files/pbn.py has them in a Group, which says what each is; a row for each board.
struct PbnSections {
    Bytes text;
    Array<const Part> auctions, plays;
    Array<const i64> opener;
    Array<const DealRow> deals;
    Array<const i64> tag_code, tag_declarer;
    Array<const u8> is_irregular;
    Array<const i64> play_leader;
    Array<CallRow> calls, notes;
    Array<i64> call_count, status;
    Array<CardRow> cards;
    Array<i64> card_count, code, declarer, tricks;
    Array<u8> odd;
};

inline bool are_parts(const Array<const Part>& parts, u64 count, u64 end) {
    if (parts.length != count) return false;
    for (u64 at = 0; at < count; ++at) {
        const Part part = parts[static_cast<i64>(at)];
        if (part.start < 0 || part.end < part.start || static_cast<u64>(part.end) > end) return false;
    }
    return true;
}

// Whether all arrays have a row for each board, with seats, strains and places that there are.
inline bool are_sections(const PbnSections& one) {
    const u64 count = one.odd.length;
    const u64 lengths[] = {
        one.opener.length, one.deals.length, one.tag_code.length, one.tag_declarer.length,
        one.is_irregular.length, one.play_leader.length, one.calls.length, one.notes.length,
        one.call_count.length, one.status.length, one.cards.length, one.card_count.length,
        one.code.length, one.declarer.length, one.tricks.length};
    for (const u64 length : lengths)
        if (length != count) return false;
    for (i64 board = 0; board < static_cast<i64>(count); ++board) {
        const auto is_seat = [](i64 seat) { return seat >= NO_VALUE && seat < 4; };
        if (!is_seat(one.opener[board]) || !is_seat(one.tag_declarer[board]) ||
            !is_seat(one.play_leader[board]) || one.tag_code[board] < NO_VALUE ||
            one.tag_code[board] > 3 * 37 + 2)
            return false;
    }
    return are_parts(one.auctions, count, one.text.length) &&
           are_parts(one.plays, count, one.text.length);
}

class SectionReader {
  public:
    explicit SectionReader(const PbnSections& sections) : in(sections), text(sections.text) {}

    void read() {
        for (i64 board = 0; board < static_cast<i64>(in.odd.length); ++board)
            if (!in.odd[board] && !read_board(board)) in.odd[board] = 1;
    }

  private:
    const PbnSections& in;
    const Bytes text;

    // What Python's regular expressions take as a blank; other control signs belong to a token, which
    // is no call then.
    static bool is_space(u8 sign) { return is_blank(sign) || (sign >= 28 && sign <= 31); }
    Part next_token(i64& at, i64 end) const {
        while (at < end && is_space(text[at])) ++at;
        const i64 start = at;
        while (at < end && !is_space(text[at])) ++at;
        return {start, at};
    }
    u8 lower(i64 place) const { return text[place] | 32; }
    // Whether the rest, behind a sign that ends a section, says nothing.
    bool is_rest_blank(i64 at, i64 end) const { return next_token(at, end).is_empty(); }
    bool is_end_sign(Part token) const {
        return token.length() == 1 && (text[token.start] == '*' || text[token.start] == '+');
    }

    // False for an odd board.
    bool read_board(i64 board) {
        AuctionState auction;
        CallRow &calls = in.calls[board], &notes = in.notes[board];
        if (!read_auction(in.auctions[board], auction, calls, notes)) {
            calls = notes = {};
            return false;
        }
        in.call_count[board] = auction.count;
        i64 code = in.tag_code[board], declarer = in.tag_declarer[board];
        in.status[board] = auction.count == 0      ? NO_CALLS
                           : auction.is_complete() ? COMPLETE
                                                   : UNFINISHED;
        if (auction.is_complete() && auction.last_bid == 0) {
            code = 0;
        } else if (auction.is_complete()) {
            code = 3 * auction.last_bid + auction.doubling;
            if (!in.is_irregular[board]) {
                declarer = (in.opener[board] + auction.declaring_call()) & 3;
                if (!put_omitted_passes(board, auction, declarer)) return false;
            }
        }
        if (code == 0) declarer = NO_VALUE;
        in.code[board] = code;
        in.declarer[board] = declarer;
        return read_cards(board, code, declarer);
    }

    // Opening passes that are left out: see pbn_sections.omitted_passes. False if they do not fit.
    bool put_omitted_passes(i64 board, const AuctionState& auction, i64& declarer) {
        CallRow &calls = in.calls[board], &notes = in.notes[board];
        const i64 named = in.tag_declarer[board];
        if (named < 0 || named == declarer || in.play_leader[board] != ((named + 1) & 3) ||
            in.tag_code[board] / 3 != auction.last_bid || calls.of[0] == 0)
            return true;
        const i32 omitted = static_cast<i32>(named - declarer) & 3;
        if (auction.count + omitted > MAX_CALLS) return false;
        for (i32 place = auction.count - 1; place >= 0; --place) {
            calls.of[place + omitted] = calls.of[place];
            notes.of[place + omitted] = notes.of[place];
        }
        for (i32 place = 0; place < omitted; ++place) calls.of[place] = notes.of[place] = 0;
        in.call_count[board] = auction.count + omitted;
        declarer = named;
        return true;
    }

    // Fills a row of calls and one of note numbers; false for an odd section.
    bool read_auction(Part part, AuctionState& auction, CallRow& calls, CallRow& notes) const {
        for (i64 at = part.start;;) {
            const Part token = next_token(at, part.end);
            if (token.is_empty()) return true;
            if (text[token.start] == '=') {
                if (auction.count == 0) return false;
                const i32 number = note_number(token);
                u8& note = notes.of[auction.count - 1];
                if (number <= 0 || note != 0) return false;
                note = static_cast<u8>(number);
                continue;
            }
            if (is_end_sign(token)) return is_rest_blank(at, part.end);
            if (token.length() == 2 && lower(token.start) == 'a' && lower(token.start + 1) == 'p') {
                if (auction.count + 4 > MAX_CALLS) return false;
                while (!auction.is_complete()) {
                    calls.of[auction.count] = 0;
                    auction.add(0);
                }
                return true;
            }
            const i32 call = call_of(token);
            if (call < 0 || auction.count >= MAX_CALLS || !auction.is_legal(call)) return false;
            calls.of[auction.count] = static_cast<u8>(call);
            auction.add(call);
        }
    }

    // Number of a note, ``=n=``, from 1 to 255; else NO_VALUE.
    i32 note_number(Part token) const {
        if (token.length() < 3 || text[token.end - 1] != '=' || text[token.start + 1] == '0')
            return NO_VALUE;
        const i32 number = parse_number(text, {token.start + 1, token.end - 1}, 3);
        return number > 255 ? NO_VALUE : number;
    }

    // The call that a token is, NO_VALUE for none.
    i32 call_of(Part token) const {
        const i64 at = token.start, length = token.length();
        const u8 first = lower(at);
        if (text[at] >= '1' && text[at] <= '7') {
            if (length != 2 && (length != 3 || lower(at + 2) != 't')) return NO_VALUE;
            const i32 strain = LETTERS.strain[text[at + 1]];
            if (strain < 0 || (length == 3 && strain != 4)) return NO_VALUE;
            return 3 + 5 * (text[at] - '1') + strain;
        }
        if (length == 1 && first == 'p') return 0;
        if (length == 1 && (first == 'x' || first == 'd')) return 1;
        if (length == 1 && first == 'r') return 2;
        if (length == 2 && first == 'x' && lower(at + 1) == 'x') return 2;
        return length == 4 && starts_with(text, token, "PASS") ? 0 : NO_VALUE;
    }

    // Follows the cards of a board; false for an odd section.
    bool read_cards(i64 board, i64 code, i64 declarer) {
        const Part part = in.plays[board];
        const i64 leader = declarer >= 0 ? (declarer + 1) & 3 : in.play_leader[board];
        if (code <= 0 || part.is_empty() || leader < 0) return true;
        i32 won[2] = {0, 0};
        const i32 count = read_play(part, in.deals[board].hands, static_cast<i32>(leader),
                                    static_cast<i32>((code / 3 - 3) % 5), in.cards[board].of, won);
        if (count < 0) return false;
        in.card_count[board] = count;
        if (count >= 48 && declarer >= 0) in.tricks[board] = won[declarer & 1];
        return true;
    }

    // Fills a row of cards in the order played, and how many tricks each parity of seat won; the
    // number of cards, or ODD. The play has a column for each seat, from the opening leader's.
    i32 read_play(Part part, const u64* hands, i32 leader, i32 strain, u8* cards, i32* won) const {
        const u64 east = hands[1], south = hands[2], west = hands[3];
        u64 seen = 0;
        i32 own[4] = {NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE};  // cards of the trick by seat
        i32 count = 0, columns = 0, in_row = 0;
        bool stopped = false;
        Trick trick(leader, strain);
        for (i64 at = part.start; !stopped;) {
            const Part token = next_token(at, part.end);
            const i64 length = token.length();
            if (length == 0) {
                stopped = true;
            } else if (is_end_sign(token)) {
                if (!is_rest_blank(at, part.end)) return ODD;
                stopped = true;
            } else if (length == 2) {
                const i32 suit = LETTERS.suit[text[token.start]];
                const i32 rank = LETTERS.rank[text[token.start + 1]];
                if (suit < 0 || rank < 0) return ODD;
                const i32 card = 13 * suit + rank;
                const u64 bit = 1ull << card;
                // without branches, as anybody may hold it
                const u64 owner = (east >> card & 1) + 2 * (south >> card & 1) + 3 * (west >> card & 1);
                if (owner > 3 || !(hands[owner] & bit)) return ODD;
                // as written, until the row is whole
                if (count == 0) cards[in_row++] = static_cast<u8>(card);
                if (seen & bit || own[owner] >= 0) {
                    if (count == 0) return in_row;
                    stopped = true;
                } else {
                    seen |= bit;
                    own[owner] = card;
                    ++columns;
                }
            } else if (length == 1 && text[token.start] == '-') {
                ++columns;
            } else {
                return ODD;
            }
            if (columns < 4 && !stopped) continue;
            bool ends = false;
            while (!ends && own[trick.to_play()] >= 0) {
                const i32 card = own[trick.to_play()];
                cards[count++] = static_cast<u8>(card);
                ends = trick.add(card);
            }
            if (!ends) break;
            ++won[trick.leader & 1];
            for (i32& card : own) card = NO_VALUE;
            columns = 0;
        }
        if (count < 48 || count == 52) return count;
        // one card is left to each hand that has not played to the last trick: it is forced
        Trick last(trick.leader, strain);
        for (bool ends = false; !ends;) {
            const i32 seat = last.to_play();
            const u64 left = hands[seat] & ~seen;
            if (own[seat] < 0 && left == 0) return ODD;
            ends = last.add(own[seat] >= 0 ? own[seat] : lowest_bit(left));
        }
        ++won[last.leader & 1];
        return count;
    }
};

}  // namespace core
