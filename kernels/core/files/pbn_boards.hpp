// Boards of a PBN text, one after the other, for a caller who makes no frame of them: the page.
// loaders/pbn/pbn.py and pbn_columns.py are the definition.
#pragma once
#include "pbn_sections.hpp"
#include "pbn_travellers.hpp"

namespace core {

// What a record is; every kind but the first is none that could be used.
enum PbnRecordKind : i32 {
    A_BOARD, NO_PBN, NO_DEAL_TAG, WRONG_DEAL, LONG_GAME, MANY_GAME_TOKENS, LONG_TAG, LONG_HEADER,
    WRONG_VALUES, NO_TABLE_RESULT
};

// What a comment is; every kind but the first is something that was not read, as a remark of the reader.
// `VULNERABLE_WORD` may be one: words for vulnerabilities are the caller's.
enum PbnCommentKind : u8 {
    PLAIN_COMMENT, BROKEN_COMMENT, DEALER_WORD, VULNERABLE_WORD, CONTRACT_WORD, DECLARER_WORD,
    RESULT_WORD, SCORE_WORD, PLAY_OF_SOME_HANDS, OTHER_CONTRACT, NO_CARDS, SEVERAL_TABLES
};

// A record, and how many there are of what lies beside it; NO_VALUE for what is not known. Contracts are
// as read_contract has them.
struct PbnRecord {
    PbnRecordKind kind;
    i32 number, board, room, dealer;
    i32 says_sides;  // whether the word for the vulnerability says anything
    i32 contract, declarer, tricks;
    i32 has_score, score;  // as it was written
    i32 told_contract, told_declarer;  // by the tags
    i32 pairs;  // bits of players who have the number of their pair
    i32 expected, got;  // of a record that is none
    i32 calls, tail, cards, comments, texts;
    i32 unused;
    u64 hands[4];
};
static_assert(sizeof(PbnRecord) == 120, "engine/core.js has the same words");

// The texts of a record are those of a board, in this order: the word for its vulnerability, its event, its
// players, what is said of each call, its comments; of another record what is quoted.
class PbnBoards {
  public:
    PbnBoards(u8* text, u64 bytes) : games(text, bytes) {}

    PbnRecord record = {};
    u8 calls[MOST_SECTION_CALLS + 1];
    u8 alerts[MOST_SECTION_CALLS + 1];
    Vec<u8> tail;
    u8 cards[52];
    Vec<u8> comment_kinds;
    Vec<u8> words;    // all texts
    Vec<u32> ends;    // of each in `words`

    // Reads the next record; false at the end.
    bool next() {
        clear();
        if (next_line < games.game.lines.count) return read_line(), true;
        if (!games.next()) return false;
        const PbnGame& game = games.game;
        next_line = ~0ull;
        if (game.is_foreign) {
            refuse(NO_PBN, game.foreign_number, game.foreign);
            return true;
        }
        record.board = board_number(tag(game.tags, BOARD_TAG));
        if (game.refusal) {
            constexpr PbnRecordKind KINDS[] = {A_BOARD, LONG_GAME, MANY_GAME_TOKENS, LONG_TAG};
            record.got = static_cast<i32>(game.long_length);
            const Bytes name = game.refusal == TOO_LONG_VALUE ? name_of(game.long_tag) : literal("");
            refuse(KINDS[game.refusal], game.number, name);
            return true;
        }
        next_line = 0;
        const Bytes deal = tag(game.tags, DEAL_TAG);
        deal_problem = read_deal(deal, hands);
        if (deal_problem) {
            refuse_deal(game.number);
            return true;
        }
        read_board(game.number, game.tags, game.comments.count);
        return true;
    }

  private:
    PbnGames games;
    TravellerReader table;
    AuctionText auction;
    u64 hands[4] = {0, 0, 0, 0};
    DealProblem deal_problem = FINE_DEAL;
    u64 next_line = ~0ull;  // of the game's score tables

    static Bytes tag(const Bytes* tags, PbnTag which) {
        return tags[which].data ? tags[which] : literal("");
    }

    void clear() {
        record = {};
        record.board = NO_VALUE;
        tail.clear();
        comment_kinds.clear();
        words.clear();
        ends.clear();
    }
    void put_text(const Bytes& text) {
        words.append(text.data, text.length);
        ends.push(static_cast<u32>(words.count));
        ++record.texts;
    }
    void put_comment(PbnCommentKind kind, const Bytes& text) {
        comment_kinds.push(kind);
        ++record.comments;
        put_text(text);
    }
    void refuse(PbnRecordKind kind, i64 number, const Bytes& quoted) {
        record.kind = kind;
        record.number = static_cast<i32>(number);
        put_text(quoted);
    }
    void refuse_deal(i64 number) {
        const PbnRecordKind kind = deal_problem == NO_DEAL_GIVEN ? NO_DEAL_TAG : WRONG_DEAL;
        refuse(kind, number, tag(games.game.tags, DEAL_TAG));
    }

    // The next line of the score tables: the same deal as another table played it.
    void read_line() {
        const PbnGame& game = games.game;
        const i64 number = game.first_line + static_cast<i64>(next_line);
        const TableLine line = game.lines[next_line++];
        record.board = board_number(tag(game.tags, BOARD_TAG));
        if (deal_problem) return refuse_deal(number);
        table.read(tag(game.tags, line.table), line.text);
        const Traveller& found = table.line;
        if (found.problem) {
            constexpr PbnRecordKind KINDS[] = {A_BOARD, LONG_HEADER, WRONG_VALUES, NO_TABLE_RESULT};
            record.expected = static_cast<i32>(found.expected);
            record.got = static_cast<i32>(found.got);
            return refuse(KINDS[found.problem], number, line.text);
        }
        Bytes tags[PBN_TAGS] = {};
        constexpr PbnTag SHARED[] = {DEAL_TAG, BOARD_TAG, DEALER_TAG, VULNERABLE_TAG, EVENT_TAG};
        for (const PbnTag one : SHARED) tags[one] = game.tags[one];
        tags[CONTRACT_TAG] = found.get(CONTRACT_COLUMN);
        tags[DECLARER_TAG] = found.get(DECLARER_COLUMN);
        tags[RESULT_TAG] = found.get(RESULT_COLUMN);
        tags[SCORE_TAG] = found.score;
        read_board(number, tags, 0, &found);
    }

    // A board of tags, with the sections and comments of the game, or with what a line of a table says.
    void read_board(i64 number, const Bytes* tags, u64 comment_count, const Traveller* line = nullptr) {
        const PbnGame& game = games.game;
        record.number = static_cast<i32>(number);
        record.board = board_number(tag(tags, BOARD_TAG));
        copy_bytes(record.hands, hands, sizeof hands);
        const Bytes room = tag(tags, ROOM_TAG);
        const auto is_room = [&](const Bytes& small, const Bytes& first, const Bytes& large) {
            return are_equal(room, small) || are_equal(room, first) || are_equal(room, large);
        };
        record.room = is_room(literal("open"), literal("Open"), literal("OPEN"))         ? 0
                      : is_room(literal("closed"), literal("Closed"), literal("CLOSED")) ? 1
                                                                                         : NO_VALUE;
        const Bytes sides = stripped(tag(tags, VULNERABLE_TAG));
        record.says_sides = says(sides);
        put_text(sides);
        const Bytes event = tag(tags, EVENT_TAG);
        put_text(is_word(event, "?") ? literal("") : event);
        put_players(tags, line);

        const bool has_auction = !line && game.has_auction;
        const i32 named = has_auction ? read_seat(tag(tags, AUCTION_TAG)) : NO_VALUE;
        const i32 dealer = dealer_of(tags, named);
        auction.read(line ? literal("") : game.auction);
        const i32 opener = opener_of(auction.padding, dealer, named >= 0 ? named : dealer);
        const i32 omitted = take_contract(tags, opener);
        record.calls = auction.auction.count + omitted;
        // the auction's seats are those of its opener
        record.dealer = record.calls ? opener : dealer;
        put_calls(tags, omitted, line != nullptr);
        for (u64 place = 0; place < comment_count; ++place) {
            const PbnComment& one = game.comments[place];
            put_comment(one.is_broken ? BROKEN_COMMENT : PLAIN_COMMENT, one.text);
        }
        if (line) put_multiplicity(*line);
        put_unread(tags);
        take_play(tags, line ? line->get(LEAD_COLUMN) : game.play);
    }

    i32 dealer_of(const Bytes* tags, i32 named) const {
        const Bytes written = tag(tags, DEALER_TAG);
        const i32 dealer = read_seat(written);
        if (dealer >= 0) return dealer;
        if (named >= 0) return named;
        if (record.board > 0 && !says(written)) return (record.board - 1) & 3;
        const Bytes deal = stripped(tag(tags, DEAL_TAG));
        return most(0, read_seat(part_of(deal, 0, 1)));
    }
    // Seat of the first call; rows may be padded up to it from the seat named or from West.
    static i32 opener_of(i32 padding, i32 dealer, i32 named) {
        const bool is_padded = dealer == named || dealer == ((named + padding) & 3) ||
                               dealer == ((3 + padding) & 3);
        return padding && is_padded ? dealer : named;
    }

    // Contract and declarer, of the auction before the tags; how many passes the auction leaves out.
    i32 take_contract(const Bytes* tags, i32 opener) {
        const AuctionState& made = auction.auction;
        i32 code = read_contract(tag(tags, CONTRACT_TAG));
        const Bytes written = tag(tags, DECLARER_TAG);
        i32 declarer = read_seat(written), omitted = 0;
        record.told_contract = code;
        record.told_declarer = declarer;
        if (made.is_complete()) {
            const bool is_irregular = declarer >= 0 && written[0] == '^';
            if (!is_irregular) {
                omitted = omitted_passes(auction, opener, code, declarer, read_seat(tag(tags, PLAY_TAG)));
                if (made.last_bid) declarer = (opener + omitted + made.declaring_call()) & 3;
            }
            code = made.last_bid ? 3 * made.last_bid + made.doubling : 0;
        }
        record.contract = code;
        record.declarer = code == 0 ? NO_VALUE : declarer;
        return omitted;
    }
    // Whether the tags tell of another contract than that of a complete auction; a lost double makes none.
    bool is_other_contract() const {
        const i32 told = record.told_contract, declarer = record.told_declarer;
        const bool is_other_bid = told >= 0 && told / 3 != record.contract / 3;
        const bool is_other_seat = record.contract > 0 && declarer >= 0 && declarer != record.declarer;
        return auction.status() == COMPLETE && (is_other_bid || is_other_seat);
    }

    void put_calls(const Bytes* tags, i32 omitted, bool is_line) {
        const PbnGame& game = games.game;
        const i32 count = record.calls;
        CORE_CHECK(count <= MOST_SECTION_CALLS);
        for (i32 call = 0; call < omitted; ++call) calls[call] = 0;
        copy_bytes(calls + omitted, auction.calls, static_cast<u64>(count - omitted));
        u64 reference = 0;
        for (i32 call = 0; call < count; ++call) {
            const u64 first = words.count;
            alerts[call] = 0;
            for (; reference < auction.notes.count; ++reference) {
                const NoteReference& one = auction.notes[reference];
                if (one.call + omitted != call) break;
                alerts[call] = 1;
                Bytes note = is_line ? ABSENT : game.note(one.number);
                if (is_mark_alone(note, 0, length_of(note))) note = ABSENT;
                if (note.length && words.count > first) words.append(literal("; ").data, 2);
                words.append(note.data, note.length);
            }
            put_text({nullptr, 0});
        }
        const Bytes& alerted = tags[ALERTED_CALLS_TAG];
        if (alerted.data) put_alerts(alerted);
        tail.append(auction.tail.data, auction.tail.count);
        record.tail = static_cast<i32>(tail.count);
    }
    // Our writer's tag for alerts that are not simply the calls with a note.
    void put_alerts(const Bytes& text) {
        for (i32 call = 0; call < record.calls; ++call) alerts[call] = 0;
        for (i64 at = skip_spaces(text, 0); at < length_of(text);) {
            const i64 end = skip_word(text, at);
            const Bytes word = part_of(text, at, end);
            const i64 place = are_digits(word) ? number_of(word, MOST_SECTION_CALLS) : 0;
            if (place > 0 && place <= record.calls) alerts[place - 1] = 1;
            at = skip_spaces(text, end);
        }
    }

    void put_players(const Bytes* tags, const Traveller* line) {
        constexpr PbnTag NAMES[] = {NORTH_TAG, EAST_TAG, SOUTH_TAG, WEST_TAG};
        for (i32 seat = 0; seat < 4; ++seat) {
            Bytes name = line ? line->players[seat].name : tag(tags, NAMES[seat]);
            const bool is_pair = line && line->players[seat].is_pair;
            if (is_pair) {
                record.pairs |= 1 << seat;
                words.append(line->players[seat].section.data, line->players[seat].section.length);
            } else if (is_no_name(name)) {
                name = literal("");
            }
            put_text(name);
        }
    }
    static bool is_no_name(const Bytes& name) {
        i64 at = 0;
        while (at < length_of(name) && name[at] == '-') ++at;
        return at == length_of(name) || is_word(name, "?");
    }

    // A line stands for one table, or tells for how many.
    void put_multiplicity(const Traveller& line) {
        const Bytes& count = line.of[MULTIPLICITY_COLUMN];
        const bool is_one = !count.data || (are_digits(count) && number_of(count, 1) == 1);
        if (!is_one) put_comment(SEVERAL_TABLES, count);
    }
    // Tells of the tags that say something but not what they should.
    void put_unread(const Bytes* tags) {
        constexpr i32 ONE_CLUB = 9;
        const auto put = [&](PbnCommentKind kind, PbnTag which, bool is_read) {
            if (!is_read && says(tag(tags, which))) put_comment(kind, stripped(tags[which]));
        };
        put(DEALER_WORD, DEALER_TAG, read_seat(tag(tags, DEALER_TAG)) >= 0);
        put(VULNERABLE_WORD, VULNERABLE_TAG, false);
        put(CONTRACT_WORD, CONTRACT_TAG, record.told_contract >= 0);
        put(DECLARER_WORD, DECLARER_TAG, record.told_declarer >= 0);
        put(RESULT_WORD, RESULT_TAG, read_result(tag(tags, RESULT_TAG), 0, ONE_CLUB) >= 0);
        put(SCORE_WORD, SCORE_TAG, read_score(tag(tags, SCORE_TAG), 0).is_known);
    }

    // The cards, and what follows from cards and tags: tricks and score.
    void take_play(const Bytes* tags, const Bytes& written) {
        Bytes section = written;
        if (!(hands[0] && hands[1] && hands[2] && hands[3])) {
            // cards cannot be followed through hands that are unknown
            put_unfollowed(section);
            section = literal("");
        }
        const bool is_other = is_other_contract();
        if (is_other) put_comment(OTHER_CONTRACT, literal(""));
        const i32 code = record.contract, declarer = record.declarer;
        const i32 leader = declarer >= 0 ? (declarer + 1) & 3 : read_seat(tag(tags, PLAY_TAG));
        record.tricks = NO_VALUE;
        if (code > 0 && leader >= 0 && section.length) {
            const i32 strain = (code / 3 - 3) % 5;
            const PlayText play(section, hands, leader, strain);
            record.cards = play.count;
            copy_bytes(cards, play.cards, static_cast<u64>(play.count));
            if (play.unread.data) put_rest(play.unread);
            if (declarer >= 0)
                record.tricks = tricks_from_cards(cards, play.count, hands, declarer, strain);
        }
        if (code > 0 && !is_other && record.tricks < 0)
            record.tricks = read_result(tag(tags, RESULT_TAG), declarer, code);
        const Score score = is_other ? Score{false, 0} : read_score(tag(tags, SCORE_TAG), declarer);
        record.has_score = score.is_known;
        record.score = score.points;
    }
    void put_unfollowed(const Bytes& section) {
        bool says_cards = false;
        for (i64 at = 0; at < length_of(section); ++at)
            says_cards |= is_digit(section[at]) || (upper(section[at]) >= 'A' && upper(section[at]) <= 'Z');
        if (!says_cards) return;
        const u64 first = words.count;
        bool is_blank = false;
        for (i64 at = 0; at < length_of(section); ++at) {
            const u8 sign = section[at];
            const bool was_blank = is_blank;
            is_blank = sign == ' ' || sign == '\t' || sign == '\r' || sign == '\n';
            if (is_blank) continue;
            if (was_blank && words.count > first) words.push(' ');
            words.push(sign);
        }
        put_comment(PLAY_OF_SOME_HANDS, {nullptr, 0});
    }
    // Tokens of a play from one that is no card on, as far as they are quoted.
    void put_rest(const Bytes& rest) {
        constexpr u64 MOST_QUOTED = 256;
        const u64 first = words.count;
        SectionTokens tokens(rest);
        for (Bytes token; words.count < first + MOST_QUOTED && tokens.next(token);) {
            if (words.count > first) words.push(' ');
            words.append(token.data, token.length);
        }
        put_comment(NO_CARDS, {nullptr, 0});
    }
};

}  // namespace core
