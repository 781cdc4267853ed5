// The fast LIN reader: a token machine over bytes. It follows loaders/lin/lin_reference.py, the
// definition, token by token and writes flat arrays, of which loaders/lin/lin.py makes the frames.
#pragma once
#include "lin_values.hpp"

namespace core {

// A board; the ends are in the flat arrays of calls, tail, play and commentary, where its part
// begins at the end of the board before. NO_VALUE stands for what is not known.
struct LinBoard {
    i64 document, record;
    u64 hands[4];
    i64 dealer, vulnerability, number, room;
    i64 bid, doubling, declarer, tricks, status, illegal;
    Part names, event;
    i64 calls_end, tail_end, play_end, commentary_end;
    // what is no vulnerability, no cards (or their number) and no claim; NOWHERE if there is none
    Part sides, unread_cards, unread_claim;
};
static_assert(sizeof(LinBoard) == 30 * sizeof(i64), "kernels/core/files/lin.py has the same columns");

// Why a record is no board. Limits are those of loaders/limits.py.
enum LinProblem : i64 { NO_HANDS, WRONG_HANDS, TOO_MANY_TOKENS, TOO_MANY_BYTES };

// A record that is no board, the text to quote, and what it says of its number and room.
struct LinReject {
    i64 document, record, problem;
    Part quoted;
    i64 number, room;
};
static_assert(sizeof(LinReject) == 7 * sizeof(i64), "kernels/core/files/lin.py has the same columns");

// Values that last from board to board, at the end of the last document. `number` and `sides` (of
// `ah` and `sv`) only where they wait for the next board.
struct LinLasting {
    Part event, results, names, number, sides;
};
static_assert(sizeof(LinLasting) == 10 * sizeof(i64), "kernels/core/files/lin.py has the same rows");

// What is read and where it goes, as kernels/core/files/lin.py has them in a Group.
struct LinArrays {
    Bytes text;
    Array<const i64> ends;  // of the documents, which lie one behind the other
    SideWords side_words;
    Array<LinBoard> boards;
    Array<LinReject> rejects;
    Array<u8> calls, alerts, announcements;
    Array<i64> announcement_ends;
    Array<u8> tail, play, commentary;
    Array<LinLasting> lasting;
    Array<i64> counts;  // boards, rejects, calls, bytes of announcements, tail, play, and commentary
    Array<const i64> limits;  // tokens and bytes that a record may have
};
constexpr u64 LIN_COUNTS = 7;

// Whether there is room for what a text may hold; that for boards is looked at on the way.
inline bool has_room_for_text(const LinArrays& arrays) {
    const u64 least = arrays.text.length + 1;
    const Array<u8> bytes[] = {arrays.calls, arrays.alerts, arrays.announcements, arrays.tail,
                               arrays.play, arrays.commentary};
    for (const Array<u8>& one : bytes)
        if (one.length < least) return false;
    return arrays.announcement_ends.length >= least && arrays.lasting.length == 1 &&
           arrays.counts.length == LIN_COUNTS && arrays.limits.length == 2 &&
           arrays.side_words.lengths.length == arrays.side_words.words.length &&
           arrays.side_words.sides.length == arrays.side_words.words.length;
}

constexpr i32 lin_key(const char* name) { return name[0] << 8 | name[1]; }

class LinReader {
  public:
    explicit LinReader(const LinArrays& arrays)
        : in(arrays), text(arrays.text), lasting(arrays.lasting[0]) {
        lasting = {NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE};
    }

    // Reads all documents; false if there is no room for their boards, with those that had room.
    bool read() {
        i64 start = 0;
        bool is_whole = true;
        for (u64 document = 0; is_whole && document < in.ends.length; ++document) {
            const i64 end = in.ends[static_cast<i64>(document)];
            is_whole = read_document(static_cast<i64>(document), start, end);
            start = end;
        }
        const i64 counts[] = {boards, rejects, now.calls, now.announced,
                              now.tail, now.cards, now.remarked};
        copy_bytes(in.counts.data, counts, sizeof counts);
        return is_whole;
    }

  private:
    enum Key : i32 {
        NO_KEY = 0, END_OF_DOCUMENT = 0, UNUSED_KEY = 1,
        MD = lin_key("md"), MB = lin_key("mb"), AN = lin_key("an"), PN = lin_key("pn"),
        PW = lin_key("pw"), QX = lin_key("qx"), SV = lin_key("sv"), NT = lin_key("nt"),
        AT = lin_key("at"), PC = lin_key("pc"), MC = lin_key("mc"), PG = lin_key("pg"),
        AH = lin_key("ah"), VG = lin_key("vg"), RS = lin_key("rs"), UP = lin_key("up"),
        ST = lin_key("st")
    };
    struct Token {
        i32 key;
        i64 start;
        Part value;
    };
    // How far the flat arrays are filled; `remarks` are those in commentary.
    struct Filled {
        i64 calls = 0, announced = 0, tail = 0, cards = 0, remarks = 0, remarked = 0;
    };

    const LinArrays& in;
    const Bytes text;
    LinLasting& lasting;
    i64 boards = 0, rejects = 0;
    Filled now, board_start;

    // of the document
    i64 at = 0, end = 0, records = 0;
    LinEvent event = {};
    LinBoardNumber waiting = {};
    i32 waiting_vulnerability = NO_VALUE;
    Part waiting_sides = NOWHERE;

    // Where every STEP-th of the results begins, so that they are counted once and not for each board.
    static constexpr i64 STEP = 1024, MOST_STEPS = 1024;
    i64 steps[MOST_STEPS], step_count = 0, stepped = -1;

    // of the board
    bool is_open = false, in_header = false, has_deal = false, has_problem = false;
    bool broken_play = false;
    i64 record_start = 0, tokens = 0;
    i32 claim = NO_VALUE, first_board = NO_VALUE;
    Part problem = NOWHERE, results = NOWHERE;
    AuctionState auction;
    LinBoard board = {};

    bool read_document(i64 document, i64 start, i64 stop) {
        at = start, end = stop;
        records = 0;
        event = {NOWHERE, NO_VALUE};
        waiting = {NO_VALUE, NO_VALUE};
        waiting_vulnerability = NO_VALUE;
        waiting_sides = NOWHERE;
        lasting = {NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE};
        is_open = in_header = has_deal = has_problem = broken_play = false;
        board.document = document;
        for (;;) {
            const Token token = next_token();
            if (token.key == UNUSED_KEY) continue;
            const bool at_end = token.key == END_OF_DOCUMENT;
            bool begins = token.key == QX || at_end;
            if (token.key == MD) {
                const bool has_md = has_deal || has_problem;
                begins = !is_open || has_md || !is_fresh();
                if (is_open && has_md && is_fresh()) {
                    const Part value = token.value;
                    begins = find_byte(text, ',', value.start, value.end) < value.end;
                    // a mark such as ``*1`` behind the deal
                    if (!begins) continue;
                }
            }
            if (begins && is_open && !close_board(token.start)) return false;
            if (at_end) return true;
            if (begins) open_board(token);
            // what is behind a record's last one is passed over; what lasts is taken all the same
            if (!is_open || ++tokens <= in.limits[0] || is_lasting(token.key)) take(token);
        }
    }

    static bool is_lasting(i32 key) {
        return key == PN || key == PW || key == VG || key == RS || key == SV || key == AH;
    }

    // Whether no call or card of the board has come yet.
    bool is_fresh() const {
        return now.calls == board_start.calls && now.tail == board_start.tail &&
               now.cards == board_start.cards && !broken_play;
    }

    Token next_token() {
        for (;;) {
            at = skip_blanks(text, at, end);
            if (at >= end) break;
            if (text[at] == '%' && at + 1 < end && text[at + 1] == '%') {
                at = find_byte(text, '\n', at, end);
                continue;
            }
            const i64 bar = find_byte(text, '|', at, end);
            if (bar == end) break;
            const i32 key = read_key({at, bar});
            if (key == NO_KEY) {
                at = bar + 1;
                continue;
            }
            const i64 start = at, stop = find_byte(text, '|', bar + 1, end);
            at = stop + 1;
            return {key, start, {bar + 1, stop}};
        }
        return {END_OF_DOCUMENT, end, {end, end}};
    }

    // Key of the part before a ``|``, whatever its case; UNUSED_KEY for one that says nothing here.
    i32 read_key(Part part) const {
        part = trimmed(text, part);
        if (part.length() != 2) return NO_KEY;
        const u8 first = text[part.start], second = text[part.start + 1];
        const u8 letters[] = {upper(first), upper(second)};
        for (const u8 letter : letters)
            if (letter < 'A' || letter > 'Z') return NO_KEY;
        const i32 key = (letters[0] + 32) << 8 | (letters[1] + 32);
        switch (key) {
            case MD: case MB: case AN: case PN: case PW: case QX: case SV: case NT: case AT: case PC:
            case MC: case PG: case AH: case VG: case RS: case UP: return key;
            case ST: return UNUSED_KEY;
        }
        return first != letters[0] && second != letters[1] ? UNUSED_KEY : NO_KEY;
    }

    void open_board(const Token& token) {
        is_open = in_header = true;
        has_deal = has_problem = broken_play = false;
        record_start = token.start;
        tokens = 0;
        claim = NO_VALUE;
        first_board = event.first_board;
        results = lasting.results;
        auction = {};
        board.dealer = NO_VALUE;
        board.names = lasting.names;
        board.event = event.name;
        board.number = waiting.number, board.room = waiting.room;
        board.vulnerability = waiting_vulnerability;
        board.sides = waiting_sides;
        board.unread_cards = board.unread_claim = NOWHERE;
        waiting = {NO_VALUE, NO_VALUE};
        waiting_vulnerability = NO_VALUE;
        lasting.number = lasting.sides = NOWHERE;
        if (token.key == QX) {
            board.vulnerability = NO_VALUE;
            const LinBoardNumber found = parse_board(text, token.value);
            board.number = found.number, board.room = found.room;
        }
    }

    // Writes the board, or what is wrong with it; false if there is no room.
    bool close_board(i64 stop) {
        is_open = false;
        board.record = ++records;
        const LinProblem why = stop - record_start > in.limits[1] ? TOO_MANY_BYTES
                               : tokens > in.limits[0]            ? TOO_MANY_TOKENS
                               : has_problem                      ? WRONG_HANDS
                                                                  : NO_HANDS;
        if (!has_deal || why == TOO_MANY_BYTES || why == TOO_MANY_TOKENS) {
            if (static_cast<u64>(rejects) == in.rejects.length) return false;
            const Part quoted = why == WRONG_HANDS ? problem : Part{record_start, stop};
            in.rejects[rejects++] = {board.document, records,      why,
                                     quoted,         board.number, board.room};
            now = board_start;
            return true;
        }
        if (static_cast<u64>(boards) == in.boards.length) return false;
        const i64 index = (board.number - 1) % 16;
        if (board.dealer < 0) board.dealer = board.number > 0 ? index % 4 : 0;
        if (board.vulnerability != NO_SIDES) board.sides = NOWHERE;
        if (board.vulnerability < 0)
            board.vulnerability =
                board.vulnerability == NO_SIDES || board.number <= 0 ? 0 : (index + index / 4) % 4;
        board.status = now.tail > board_start.tail ? ILLEGAL_CALL
                       : auction.count == 0        ? NO_CALLS
                       : auction.is_complete()     ? COMPLETE
                                                   : UNFINISHED;
        board.illegal = board.status == ILLEGAL_CALL ? auction.count : NO_VALUE;
        find_outcome();
        board.calls_end = now.calls, board.tail_end = now.tail;
        board.play_end = now.cards, board.commentary_end = now.remarks;
        in.boards[boards++] = board;
        board_start = now;
        return true;
    }

    // Contract, declarer and tricks: of the auction and the cards, else of the results.
    void find_outcome() {
        board.bid = board.declarer = NO_VALUE;
        board.doubling = 0;
        board.tricks = claim;
        if (auction.is_complete()) {
            board.bid = auction.last_bid;
            board.doubling = auction.doubling;
        }
        if (board.bid > 0) {
            const i32 declarer = (static_cast<i32>(board.dealer) + auction.declaring_call()) % 4;
            board.declarer = declarer;
            i32 counted = NO_VALUE;
            if (!broken_play)
                counted = tricks_from_cards(
                    in.play.data + board_start.cards, now.cards - board_start.cards, board.hands,
                    declarer, auction.strain());
            if (counted >= 0) board.tricks = counted;
        }
        if (board.bid != 0 && (board.bid < 0 || board.tricks < 0)) take_result();
        if (board.bid == 0) board.tricks = NO_VALUE;
    }

    void take_result() {
        if (board.number <= 0 || board.room < 0 || first_board < 0 || results.end < 0) return;
        i64 place = 2 * (board.number - first_board) + board.room;
        if (place < 0) return;
        const Part near = results_from(place);
        const LinResult found = parse_result(text, near, place);
        if (found.bid == 0 && board.bid < 0) {
            board.bid = 0;
        } else if (found.bid > 0 && board.bid < 0) {
            board.bid = found.bid;
            board.doubling = found.doubling;
            board.declarer = found.declarer;
            if (board.tricks < 0) board.tricks = found.tricks;
        } else if (found.bid > 0 && found.bid == board.bid && found.declarer == board.declarer) {
            board.tricks = found.tricks;
        }
    }

    // The results from the last known start on that is not behind a place.
    Part results_from(i64& place) {
        if (stepped != results.start) stepped = steps[0] = results.start, step_count = 1;
        const i64 wanted = place / STEP;
        while (step_count <= wanted && step_count < MOST_STEPS) {
            i64 next = steps[step_count - 1];
            for (i64 passed = 0; passed < STEP && next <= results.end; ++passed)
                next = find_byte(text, ',', next, results.end) + 1;
            if (next > results.end) break;
            steps[step_count++] = next;
        }
        const i64 step = wanted < step_count ? wanted : step_count - 1;
        place -= step * STEP;
        return {steps[step], results.end};
    }

    void take(const Token& token) {
        const Part value = token.value;
        // whose value it is: the board's before its first call, card or page end
        const bool belongs = is_open && in_header;
        switch (token.key) {
            case QX: return;
            case MD: {
                in_header = true;
                const i32 dealer = parse_md(text, value, board.hands);
                has_deal = dealer != NO_DEAL;
                has_problem = !has_deal;
                board.dealer = dealer;
                problem = value;
                return;
            }
            case PN:
            case PW:
                lasting.names = value;
                if (belongs) board.names = value;
                return;
            case VG:
                event = parse_vg(text, value);
                lasting.event = value;
                lasting.results = NOWHERE;
                if (belongs) {
                    board.event = event.name;
                    first_board = event.first_board;
                    results = NOWHERE;
                }
                return;
            case RS:
                lasting.results = value;
                if (belongs) results = value;
                return;
            case SV: {
                const Part word = trimmed(text, value);
                const i32 sides = parse_sv(text, word, in.side_words);
                (belongs ? board.sides : waiting_sides) = word;
                if (belongs) {
                    board.vulnerability = sides;
                } else {
                    waiting_vulnerability = sides;
                    lasting.sides = value;
                }
                return;
            }
            case AH: {
                const LinBoardNumber found = parse_board(text, value);
                if (found.number <= 0) return;
                if (belongs) {
                    board.number = found.number;
                    if (board.room < 0) board.room = found.room;
                } else {
                    waiting = found;
                    lasting.number = value;
                }
                return;
            }
        }
        if (is_open) take_play(token.key, value);
    }

    // Takes what comes with an open board only.
    void take_play(i32 key, Part value) {
        if (key == AN) return announce(trimmed(text, value));
        if (key == NT || key == AT) return remark(trimmed(text, value), true);
        in_header = false;
        if (key == MB) return take_calls(value);
        if (key == PC) return take_cards(value);
        if (key == UP) return take_back(value);
        if (key == MC) return take_claim(value);
    }

    // Keeps the first value that says something, of those that could not be followed.
    void keep_words(Part& kept, Part value) const {
        const Part words = trimmed(text, value);
        const bool says_nothing =
            words.is_empty() || (words.length() == 1 && text[words.start] == '?');
        if (!says_nothing && kept.start < 0) kept = words;
    }

    // From this value on the cards played are not known.
    void break_play(Part value) {
        broken_play = true;
        keep_words(board.unread_cards, value);
    }

    void take_back(Part value) {
        if (broken_play) return break_play(value);
        const i32 number = parse_number(text, value, 2);
        if (number < 0) return break_play(value);
        now.cards = most(board_start.cards, now.cards - number);
    }

    void take_claim(Part value) {
        const i32 number = parse_number(text, value, 2);
        if (number >= 0 && number <= 13)
            claim = number;
        else
            keep_words(board.unread_claim, value);
    }

    void take_calls(Part value) {
        bool is_first = true;
        for (i64 place = value.start; place < value.end;) {
            const u8 byte = text[place];
            const bool has_begun = auction.count > 0 || now.tail > board_start.tail;
            if (is_blank(byte) || byte == '?' || byte == ',' || (byte == '-' && !has_begun)) {
                ++place;
                continue;
            }
            if ((byte == '!' || byte == '*') && !is_first) {
                if (now.tail == board_start.tail) in.alerts[now.calls - 1] = 1;
                ++place;
                continue;
            }
            const i32 call = next_call(text, place, value.end);
            is_first = false;
            if (now.tail > board_start.tail || call == UNREADABLE || !auction.is_legal(call)) {
                in.tail[now.tail++] = static_cast<u8>(call);
                continue;
            }
            auction.add(call);
            in.calls[now.calls] = static_cast<u8>(call);
            in.alerts[now.calls] = 0;
            in.announcement_ends[now.calls++] = now.announced;
        }
    }

    void take_cards(Part value) {
        if (broken_play) return break_play(value);
        i64 place = skip_blanks(text, value.start, value.end);
        while (place < value.end && !broken_play) {
            const i32 card = next_card(text, place, value.end);
            if (card == UNREADABLE)
                break_play(value);
            else
                in.play[now.cards++] = static_cast<u8>(card);
            place = skip_blanks(text, place, value.end);
        }
    }

    // Takes the meaning of the last call; before the first one it is a remark.
    void announce(Part words) {
        if (now.tail > board_start.tail || words.is_empty()) return;
        if (auction.count == 0) return remark(words, false);
        if (is_mark_alone(text, words.start, words.end)) {
            in.alerts[now.calls - 1] = 1;
            return;
        }
        if (now.announced > (now.calls > 1 ? in.announcement_ends[now.calls - 2] : 0)) {
            in.announcements[now.announced++] = ';';
            in.announcements[now.announced++] = ' ';
        }
        now.announced = copy_words(words, in.announcements, now.announced, false);
        in.announcement_ends[now.calls - 1] = now.announced;
    }

    // Remarks end with ``|``, which no value can hold.
    void remark(Part words, bool with_lines) {
        if (words.is_empty()) return;
        now.remarked = copy_words(words, in.commentary, now.remarked, with_lines);
        in.commentary[now.remarked++] = '|';
        ++now.remarks;
    }

    i64 copy_words(Part words, const Array<u8>& to, i64 place, bool with_lines) const {
        for (i64 from = words.start; from < words.end; ++from)
            if (with_lines || (text[from] != '\n' && text[from] != '\r')) to[place++] = text[from];
        return place;
    }
};

}  // namespace core
