// Auction and play sections of PBN in bulk: bytes in, calls and cards out.
//
// A board whose calls and notes fit no rows is marked odd and left to `read_auction` and `read_play` of
// loaders/pbn/pbn_sections.py: one with an illegal call, with padding or several notes at a call, or
// with something in its play that is no card.
#pragma once
#include "pbn_sections.hpp"

namespace core {

constexpr i32 MAX_CALLS = 96;  // the longest possible auction has 319: longer ones are odd

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
    AuctionText section;

    // False for an odd board.
    bool read_board(i64 board) {
        section.read(part_of(text, in.auctions[board].start, in.auctions[board].end));
        const AuctionState& auction = section.auction;
        const i32 opener = static_cast<i32>(in.opener[board]);
        i32 code = static_cast<i32>(in.tag_code[board]);
        i32 declarer = static_cast<i32>(in.tag_declarer[board]), omitted = 0;
        if (section.is_illegal || section.padding) return false;
        if (auction.is_complete()) {
            if (!in.is_irregular[board]) {
                const i32 leader = static_cast<i32>(in.play_leader[board]);
                omitted = omitted_passes(section, opener, code, declarer, leader);
                if (auction.last_bid) declarer = (opener + omitted + auction.declaring_call()) & 3;
            }
            code = auction.last_bid ? 3 * auction.last_bid + auction.doubling : 0;
        }
        if (code == 0) declarer = NO_VALUE;
        if (!put_calls(board, omitted) || !put_cards(board, code, declarer)) return false;
        in.status[board] = section.status();
        in.code[board] = code;
        in.declarer[board] = declarer;
        return true;
    }

    bool put_calls(i64 board, i32 omitted) {
        const i32 count = section.auction.count + omitted;
        if (count > MAX_CALLS) return false;
        CallRow calls = {}, notes = {};
        copy_bytes(calls.of + omitted, section.calls, static_cast<u64>(section.auction.count));
        for (const NoteReference& one : section.notes) {
            u8& note = notes.of[one.call + omitted];
            const bool is_plain = are_digits(one.number) && one.number[0] != '0';
            const i64 number = is_plain ? number_of(one.number, 255) : 256;
            if (note != 0 || number > 255) return false;
            note = static_cast<u8>(number);
        }
        in.calls[board] = calls;
        in.notes[board] = notes;
        in.call_count[board] = count;
        return true;
    }

    bool put_cards(i64 board, i32 code, i32 declarer) {
        const Part part = in.plays[board];
        const i64 leader = declarer >= 0 ? (declarer + 1) & 3 : in.play_leader[board];
        if (code <= 0 || part.is_empty() || leader < 0) return true;
        const u64* const hands = in.deals[board].hands;
        const i32 strain = (code / 3 - 3) % 5;
        const PlayText play(
            part_of(text, part.start, part.end), hands, static_cast<i32>(leader), strain);
        if (play.unread.data) return false;
        copy_bytes(in.cards[board].of, play.cards, static_cast<u64>(play.count));
        in.card_count[board] = play.count;
        if (declarer >= 0)
            in.tricks[board] = tricks_from_cards(play.cards, play.count, hands, declarer, strain);
        return true;
    }
};

}  // namespace core
