// PBN text cut into games: tags, sections, notes and comments, with inheritance resolved.
// loaders/pbn/pbn_tokens.py is the definition. Of tags and sections those alone are kept that a board is
// made of, or that tell where a game ends.
#pragma once
#include "pbn_values.hpp"

namespace core {

// Tags that are kept; the first four have sections.
enum PbnTag : i32 {
    AUCTION_TAG, PLAY_TAG, SCORE_TABLE, REPEATED_SCORE_TABLE, PBN_SECTIONS_KEPT,
    DEAL_TAG = PBN_SECTIONS_KEPT, BOARD_TAG, DEALER_TAG, VULNERABLE_TAG, EVENT_TAG, CONTRACT_TAG,
    DECLARER_TAG, RESULT_TAG, SCORE_TAG, NORTH_TAG, EAST_TAG, SOUTH_TAG, WEST_TAG, ROOM_TAG,
    ALERTED_CALLS_TAG, SITE_TAG, DATE_TAG, PBN_TAGS, OTHER_TAG = -1
};

// What a tag says about the game it belongs to.
enum PbnTagKind : i32 {
    OTHER_KIND, OPENING_KIND, DEAL_KIND, PLAYED_KIND, SECTION_KIND, PLAYED_SECTION_KIND, NOTE_KIND
};

struct PbnName {
    const char* letters;
    PbnTagKind kind;
};
// By PbnTag; no tag can have the name of the second score table of a game.
constexpr PbnName PBN_NAMES[PBN_TAGS] = {
    {"Auction", PLAYED_SECTION_KIND}, {"Play", PLAYED_SECTION_KIND}, {"ScoreTable", SECTION_KIND},
    {"repeated ScoreTable", SECTION_KIND}, {"Deal", DEAL_KIND}, {"Board", OPENING_KIND},
    {"Dealer", OPENING_KIND}, {"Vulnerable", OPENING_KIND}, {"Event", OPENING_KIND},
    {"Contract", PLAYED_KIND}, {"Declarer", PLAYED_KIND}, {"Result", PLAYED_KIND},
    {"Score", PLAYED_KIND}, {"North", OPENING_KIND}, {"East", OPENING_KIND}, {"South", OPENING_KIND},
    {"West", OPENING_KIND}, {"Room", OTHER_KIND}, {"AlertedCalls", OTHER_KIND}, {"Site", OPENING_KIND},
    {"Date", OPENING_KIND}};

inline Bytes name_of(PbnTag tag) {
    const char* const letters = PBN_NAMES[tag].letters;
    return {reinterpret_cast<const u8*>(letters), __builtin_strlen(letters)};
}

// Limits of loaders/limits.py, in letters; and of brackets and lines in a value that is not closed.
constexpr i64 LONGEST_GAME = 1 << 20, LONGEST_VALUE = 1000, MOST_GAME_TOKENS = 20'000;
constexpr i64 MOST_BRACKETS = 1000, MOST_VALUE_LINES = 1000, MOST_TABLE_PIECES = 1000;
// What is kept of text that is no PBN, to be quoted.
constexpr u64 MOST_FOREIGN = 4096;

// A comment, or the remark about one that is not closed where it should be.
struct PbnComment {
    bool is_broken;
    Bytes text;
};

// Texts of the notes of a section by their numbers: the first of a number counts.
class PbnNotes {
  public:
    void add(const Bytes& number, const Bytes& text) {
        if (notes.count == 0)
            for (i32& head : heads) head = NO_VALUE;
        i32& head = heads[bucket(number)];
        if (find(number, head) >= 0) return;
        notes.push({number, text, head});
        head = static_cast<i32>(notes.count - 1);
    }
    // Adds those of other notes whose numbers are not there.
    void add(const PbnNotes& others) {
        for (const Note& note : others.notes) add(note.number, note.text);
    }
    // ABSENT where there is none.
    Bytes text_of(const Bytes& number) const {
        const i32 found = notes.count ? find(number, heads[bucket(number)]) : NO_VALUE;
        return found < 0 ? ABSENT : notes[static_cast<u64>(found)].text;
    }
    void clear() { notes.clear(); }

  private:
    struct Note {
        Bytes number, text;
        i32 next;
    };
    static constexpr u32 BUCKETS = 256;
    Vec<Note> notes;
    i32 heads[BUCKETS] = {};

    static u32 bucket(const Bytes& number) {
        u32 hash = 0;
        for (i64 at = 0; at < length_of(number); ++at) hash = 31 * hash + number[at];
        return (hash ^ hash >> 8) % BUCKETS;
    }
    i32 find(const Bytes& number, i32 at) const {
        while (at >= 0 && !are_equal(notes[static_cast<u64>(at)].number, number))
            at = notes[static_cast<u64>(at)].next;
        return at;
    }
};

enum PbnRefusal : i32 { NOT_REFUSED, TOO_LONG_GAME, TOO_MANY_GAME_TOKENS, TOO_LONG_VALUE };

// A line of a score table, and the tag that its columns stand under.
struct TableLine {
    PbnTag table;
    Bytes text;
};

// A game as it was found, or text that is none; good until the next one is asked for.
struct PbnGame {
    bool is_foreign;
    i64 number, foreign_number;
    Bytes foreign;
    PbnRefusal refusal;
    PbnTag long_tag;  // that has too long a value
    i64 long_length;
    Bytes tags[PBN_TAGS];  // ABSENT where there is none
    bool has_auction;
    Bytes auction, play;
    Vec<PbnComment> comments;
    PbnNotes notes, play_notes;
    Vec<TableLine> lines;
    i64 first_line;  // number of the record of the first of them

    Bytes note(const Bytes& number) const {
        const Bytes text = notes.text_of(number);
        return text.data ? text : play_notes.text_of(number);
    }
};

// Reads a text of UTF-8, which it changes: line ends become one, and escapes and line breaks in values go.
class PbnGames {
  public:
    PbnGames(u8* start, u64 bytes) : memory(start), text{start, bytes} {
        normalise();
        has_marks = holds(text, "\"#");
    }
    PbnGames(const PbnGames&) = delete;

    PbnGame game = {};

    // Finds the next game or foreign text; false at the end.
    bool next() {
        game.is_foreign = false;
        if (is_waiting) {
            is_waiting = false;
            return true;
        }
        while (position < length_of(text))
            if (step()) return true;
        return finish();
    }

  private:
    struct Piece {
        u32 start, end;
        i32 next;
    };
    // Of which pieces a section is made.
    struct Section {
        bool is_there = false;
        i32 first = NO_VALUE, last = NO_VALUE;
    };
    enum TokenKind { PAIR, BRACE, REMARK, ESCAPED, LOOSE };
    // A tag pair takes the text behind it along.
    struct Token {
        TokenKind kind;
        i64 start;
        Part name, value, loose;
        bool has_loose;
        i64 end;
    };
    struct Tags {
        Bytes of[PBN_TAGS] = {};
    };

    u8* const memory;
    Bytes text;
    bool has_marks;  // a value may be inherited
    i64 position = 0;
    bool is_waiting = false;  // a game, behind the foreign text that was found with it

    // the walk
    bool is_table = false, is_after_blank = true, is_last_play = false;
    bool has_section = false;
    i32 open_section = OTHER_TAG;        // if it is kept
    i64 closing = NO_VALUE, tag_line = NO_VALUE;  // the first of each from the last brace on
    i64 line_end = NO_VALUE, line_quote = NO_VALUE;

    // the game that is gathered
    i64 game_number = 0, game_start = 0, tokens = 0;
    bool has_tags = false, is_substantial = false, is_played = false;
    PbnTag long_tag = OTHER_TAG;
    Tags tags;
    Section sections[PBN_SECTIONS_KEPT];
    PbnNotes notes, play_notes;
    Vec<PbnComment> comments, pending;
    Vec<Piece> pieces;

    // what it inherits
    Tags previous, lasting;
    Section previous_sections[PBN_SECTIONS_KEPT];

    i64 number = 0;
    bool has_foreign = false;
    i64 foreign_number = 0;
    Vec<u8> foreign, given_foreign, section_text, line_text;

    // --- the text --------------------------------------------------------------------------------

    void normalise() {
        const bool has_mark = text.length >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF;
        i64 to = 0;
        for (i64 from = has_mark ? 3 : 0; from < length_of(text); ++from) {
            u8 sign = text[from];
            if (sign == '\r') {
                if (from + 1 < length_of(text) && text[from + 1] == '\n') continue;
                sign = '\n';
            }
            memory[to++] = sign ? sign : ' ';
        }
        text.length = static_cast<u64>(to);
    }
    template <u64 SIZE>
    static bool holds(const Bytes& text, const char (&two)[SIZE]) {
        static_assert(SIZE == 3, "two signs");
        const i64 last = length_of(text) - 1;
        for (i64 at = 0; (at = find_byte(text, static_cast<u8>(two[0]), at, last)) < last; ++at)
            if (text[at + 1] == static_cast<u8>(two[1])) return true;
        return false;
    }
    i64 find(u8 sign, i64 at) const { return find_byte(text, sign, at, length_of(text)); }
    bool is_at(i64 at, u8 sign) const { return at < length_of(text) && text[at] == sign; }
    i64 skip_tabs(i64 at) const {
        while (is_at(at, ' ') || is_at(at, '\t')) ++at;
        return at;
    }
    Bytes bytes(Part part) const { return part_of(text, part.start, part.end); }
    static bool is_letter(u8 sign) { return upper(sign) >= 'A' && upper(sign) <= 'Z'; }

    // The place behind the quote with which the value of a tag begins, if one begins here; NO_VALUE else.
    i64 tag_at(i64 at, Part* name = nullptr) const {
        if (!is_at(at, '[')) return NO_VALUE;
        const i64 start = skip_spaces(text, at + 1);
        if (start == length_of(text) || !is_letter(text[start])) return NO_VALUE;
        i64 end = start + 1;
        const auto goes_on = [](u8 sign) { return is_letter(sign) || is_digit(sign) || sign == '_'; };
        while (end < length_of(text) && goes_on(text[end])) ++end;
        const i64 quote = skip_spaces(text, end);
        if (!is_at(quote, '"')) return NO_VALUE;
        if (name) *name = {start, end};
        return quote + 1;
    }
    // Where a value ends that is closed on its line: at a quote that is not escaped; or where it cannot
    // go on.
    i64 end_of_value(i64 at) const {
        for (; at < length_of(text) && text[at] != '"' && text[at] != '\n'; ++at) {
            if (text[at] != '\\') continue;
            if (at + 1 == length_of(text) || text[at + 1] == '\n') break;
            ++at;
        }
        return at;
    }
    // The place behind the bracket that closes a tag whose value ends here; NO_VALUE where none does.
    i64 behind_tag(i64 quote) const {
        if (!is_at(quote, '"')) return NO_VALUE;
        const i64 bracket = skip_spaces(text, quote + 1);
        return is_at(bracket, ']') ? bracket + 1 : NO_VALUE;
    }
    // The quote before the bracket that ends the line of a place; NO_VALUE where none does.
    i64 last_quote(i64 at) {
        if (line_end >= at) return line_quote;
        line_end = find('\n', at);
        line_quote = NO_VALUE;
        const auto is_before = [&](i64 end, u8 sign) { return end > at && text[end - 1] == sign; };
        i64 end = line_end;
        while (is_before(end, ' ') || is_before(end, '\t')) --end;
        if (!is_before(end, ']')) return line_quote;
        --end;
        while (is_before(end, ' ') || is_before(end, '\t')) --end;
        if (is_before(end, '"')) line_quote = end - 1;
        return line_quote;
    }
    // Where a value with stray quotes ends, if no other tag begins in it; NO_VALUE else.
    i64 end_of_stray(i64 start) {
        const i64 quote = last_quote(start);
        if (quote < start) return NO_VALUE;
        i64 brackets = 0;
        for (i64 at = start; (at = find_byte(text, '[', at, quote)) < quote; ++at)
            if (++brackets > MOST_BRACKETS || tag_at(at) >= 0) return NO_VALUE;
        return quote;
    }
    // Where a value over several lines ends; NO_VALUE where it does not.
    i64 end_of_lines(i64 start) const {
        i64 end = end_of_value(start);
        for (i64 lines = 0; is_at(end, '\n') && lines < MOST_VALUE_LINES; ++lines) {
            const i64 next = skip_tabs(end + 1);
            if (next == length_of(text) || text[next] == '[' || text[next] == '\n') return NO_VALUE;
            end = end_of_value(next);
        }
        return end;
    }
    // Where text that is neither tag nor comment ends.
    i64 end_of_loose(i64 at) const {
        const auto is_plain = [&](i64 place) {
            if (place >= length_of(text)) return false;
            const u8 sign = text[place];
            return sign != '[' && sign != '{' && sign != ';' && sign != '%' && !(is_table && sign == '"');
        };
        for (i64 piece = 0; !is_table || piece < MOST_TABLE_PIECES; ++piece) {
            const i64 start = at;
            while (is_plain(at)) ++at;
            if (is_table && at == start && is_at(at, '"')) {
                // what a row has in quotes is text; one that is never closed ends with the line
                at = end_of_value(at + 1);
                if (is_at(at, '"') || is_at(at, '\\')) ++at;
            }
            if (at == start) break;
        }
        return at;
    }
    Token token_at(i64 at) {
        Token token = {LOOSE, at, NOWHERE, NOWHERE, {at, at + 1}, true, at + 1};
        const u8 sign = text[at];
        if (sign == '{') {
            token.kind = BRACE;
        } else if (sign == ';' || (sign == '%' && (at == 0 || text[at - 1] == '\n'))) {
            token.kind = sign == ';' ? REMARK : ESCAPED;
            token.end = find('\n', at);
            token.value = {at + 1, token.end};
        } else if (sign == '[') {
            const i64 start = tag_at(at, &token.name);
            if (start < 0) return token;
            i64 quote = end_of_value(start);
            i64 end = behind_tag(quote);
            if (end >= 0) {
                token.loose = {end, end_of_loose(end)};
                token.end = token.loose.end;
            } else if ((quote = end_of_stray(start)) >= 0 ||
                       ((quote = end_of_lines(start)) >= 0 && behind_tag(quote) >= 0)) {
                token.loose = NOWHERE;
                token.has_loose = false;
                token.end = behind_tag(quote);
            } else {
                return token;
            }
            token.kind = PAIR;
            token.value = {start, quote};
        } else if (sign != '%') {
            token.end = token.loose.end = end_of_loose(at);
        }
        return token;
    }

    // --- values in place -------------------------------------------------------------------------

    // Lets a value go over no lines; what is left over becomes blanks.
    Part joined_lines(Part part) {
        if (find_byte(text, '\n', part.start, part.end) == part.end) return part;
        i64 to = part.start, at = part.start;
        while (at < part.end) {
            const i64 behind = skip_tabs(at);
            if (behind < part.end && text[behind] == '\n') {
                at = skip_tabs(behind + 1);
                memory[to++] = ' ';
            } else {
                do memory[to++] = text[at++];
                while (at < behind);
            }
        }
        return filled({part.start, to}, part.end);
    }
    Bytes unescaped(const Bytes& value) {
        const i64 start = value.data - memory;
        const i64 end = start + length_of(value);
        i64 to = start;
        for (i64 at = start; at < end; ++at) {
            const bool is_escape = text[at] == '\\' && at + 1 < end &&
                                   (text[at + 1] == '"' || text[at + 1] == '\\' || text[at + 1] == '#');
            if (is_escape) ++at;
            memory[to++] = text[at];
        }
        return bytes(filled({start, to}, end));
    }
    Part filled(Part part, i64 end) {
        for (i64 at = part.end; at < end; ++at) memory[at] = ' ';
        return part;
    }

    // --- the walk --------------------------------------------------------------------------------

    static bool is_longer(const Bytes& text, i64 letters) {
        return length_of(text) > letters && count_letters(text) > letters;
    }
    bool has_room() { return ++tokens <= MOST_GAME_TOKENS; }

    static PbnTag tag_of(const Bytes& name) {
        for (i32 tag = 0; tag < PBN_TAGS; ++tag)
            if (are_equal(name, name_of(static_cast<PbnTag>(tag)))) return static_cast<PbnTag>(tag);
        return OTHER_TAG;
    }
    static PbnTagKind kind_of(const Bytes& name, PbnTag tag) {
        if (tag != OTHER_TAG) return PBN_NAMES[tag].kind;
        const i64 length = length_of(name);
        const Bytes ending = part_of(name, most<i64>(0, length - 5), length);
        if (are_equal(ending, literal("Table"))) return SECTION_KIND;
        return are_equal(name, literal("Note")) ? NOTE_KIND : OTHER_KIND;
    }
    bool has(PbnTag tag) const { return tag != OTHER_TAG && tags.of[tag].data; }

    // Whether a tag belongs to the game after the one gathered so far.
    bool is_next_game(PbnTag tag, PbnTagKind kind) const {
        if (has(tag) && kind != OTHER_KIND && kind != SECTION_KIND) return is_substantial || is_after_blank;
        return is_after_blank && is_substantial &&
               (is_played || (kind != PLAYED_KIND && kind != PLAYED_SECTION_KIND));
    }

    // Takes the next token in; whether a record ends with it.
    bool step() {
        const Token token = token_at(position);
        position = token.end;
        if (token.kind == BRACE || token.kind == REMARK) return take_comment(token), false;
        if (token.kind == ESCAPED) return false;
        bool is_found = false;
        if (token.kind == PAIR) {
            const Bytes name = bytes(token.name);
            const PbnTag tag = tag_of(name);
            const PbnTagKind kind = kind_of(name, tag);
            const Bytes value = bytes(joined_lines(token.value));
            if (kind == NOTE_KIND) {
                if (has_room()) add_note(value);
            } else {
                is_found = take_tag(token, tag, kind, value);
                if ((kind == SECTION_KIND) != is_table) {
                    is_table = kind == SECTION_KIND;
                    is_after_blank = false;
                    // the text behind the tag is read anew, as rows of a table or not
                    if (token.has_loose && !is_line_end(token.loose)) position = token.loose.start;
                    return is_found;
                }
            }
            is_after_blank = false;
            if (!token.has_loose || token.loose.is_empty() || is_line_end(token.loose)) return is_found;
        }
        take_loose(token.loose);
        return is_found;
    }
    bool is_line_end(Part part) const { return part.length() == 1 && text[part.start] == '\n'; }

    // Whether a record ended before the tag: the game, and foreign text in front of it.
    bool take_tag(const Token& token, PbnTag tag, PbnTagKind kind, const Bytes& value) {
        bool is_found = false;
        if (has_foreign) is_found = end_foreign();
        if ((is_after_blank || has(tag)) && is_next_game(tag, kind)) {
            end_game(token.start);
            is_waiting = is_found;
            is_found = true;
            is_last_play = false;
        } else {
            comments.append(pending.data, pending.count);
            pending.clear();
        }
        if (!has_tags) game_number = ++number;
        const bool is_repeated = has(tag), is_kept = has_room();
        if (!is_repeated && is_kept) {
            has_tags = true;
            if (tag != OTHER_TAG) tags.of[tag] = value;
            if (kind != OTHER_KIND && kind != SECTION_KIND && is_longer(value, LONGEST_VALUE))
                long_tag = tag;
        }
        has_section = false;
        if (kind < DEAL_KIND) return is_found;
        if (kind != SECTION_KIND) {
            is_substantial = true;
            is_played |= kind != DEAL_KIND;
        }
        if (kind < SECTION_KIND) return is_found;
        is_last_play = tag == PLAY_TAG;
        has_section = true;
        open_section = is_repeated ? OTHER_TAG : tag;
        if (is_repeated && kind == SECTION_KIND) {
            open_section = tag;
            if (is_kept && !are_equal(value, literal("#")) && !are_equal(value, tags.of[tag])) {
                open_section = REPEATED_SCORE_TABLE;
                if (!has(REPEATED_SCORE_TABLE)) tags.of[REPEATED_SCORE_TABLE] = value;
            }
        }
        if (is_kept && open_section != OTHER_TAG) sections[open_section].is_there = true;
        return is_found;
    }

    void add_note(const Bytes& value) {
        const i64 colon = find_byte(value, ':', 0, length_of(value));
        const i64 rest = least(colon + 1, length_of(value));
        const Bytes note = stripped(part_of(value, rest, length_of(value)));
        (is_last_play ? play_notes : notes).add(stripped(part_of(value, 0, colon)), unescaped(note));
    }

    void take_comment(const Token& token) {
        Part comment = token.value;
        bool is_open = false;
        if (token.kind == BRACE) {
            const i64 at = token.end - 1;
            if (closing < at) closing = find('}', at);
            if (tag_line < at) tag_line = next_tag_line(at);
            const i64 first = least(closing, tag_line);
            // never closed, or only behind tags it would swallow
            is_open = closing > tag_line || first == length_of(text) || is_game_tag(at + 1);
            const i64 end = is_open ? find('\n', at) : closing;
            position = is_open ? end : end + 1;
            comment = {at + 1, end};
        }
        const Bytes said = stripped(bytes(comment));
        // what stands behind the blank line speaks of the game to come, if one comes
        Vec<PbnComment>& all = is_after_blank && is_played ? pending : comments;
        if (said.length && has_room()) all.push({false, said});
        if (is_open && has_room() && !(all.count && is_same_remark(all.last(), said))) all.push({true, said});
    }
    // Whether the remark about a broken comment is there already, as far as it is quoted: 60 letters
    // with the brace.
    static bool is_same_remark(const PbnComment& last, const Bytes& said) {
        constexpr i64 QUOTED = 59;
        if (!last.is_broken) return false;
        const i64 one = skip_letters(last.text, 0, QUOTED), other = skip_letters(said, 0, QUOTED);
        const bool is_cut = one < length_of(last.text);
        return is_cut == (other < length_of(said)) &&
               are_equal(part_of(last.text, 0, one), part_of(said, 0, other));
    }
    // The first line from a place on that begins with a tag.
    i64 next_tag_line(i64 at) const {
        for (i64 line = at; line < length_of(text); line = find('\n', line) + 1) {
            const bool is_start = line == 0 || text[line - 1] == '\n';
            if (is_start && tag_at(skip_tabs(line)) >= 0) return line;
        }
        return length_of(text);
    }
    bool is_game_tag(i64 at) const {
        if (!is_at(at, '[')) return false;
        Part name;
        const i64 value = tag_at(at, &name);
        if (value < 0 || name.start != at + 1) return false;
        const i64 quote = skip_tabs(name.end);
        if (quote == name.end || quote != value - 1) return false;
        const PbnTag tag = tag_of(bytes(name));
        return tag == EVENT_TAG || tag == BOARD_TAG || tag == DEAL_TAG || tag == AUCTION_TAG;
    }

    // Where a line of blanks begins: at the line end before it; NO_VALUE where there is none.
    i64 blank_line(Part part) const {
        for (i64 at = part.start; (at = find_byte(text, '\n', at, part.end)) < part.end; ++at) {
            const i64 behind = skip_tabs(at + 1);
            if (behind < part.end && text[behind] == '\n') return at;
        }
        return NO_VALUE;
    }
    void take_loose(Part loose) {
        if (has_section) {
            const i64 blank = blank_line(loose);
            add_piece(loose.start, blank < 0 ? loose.end : blank);
            if (blank < 0) return;
            has_section = false;
            is_after_blank = true;
            if (is_table) {
                // a quote is one no longer
                is_table = false;
                position = blank;
                return;
            }
            loose.start = blank;
        }
        const Bytes written = bytes(loose);
        if (!is_space(written)) {
            if (!has_foreign) foreign_number = ++number;
            has_foreign = true;
            if (foreign.count < MOST_FOREIGN) {
                const i64 start = foreign.count ? 0 : skip_spaces(written, 0);
                const Bytes more = part_of(written, start, length_of(written));
                foreign.append(more.data, least(more.length, MOST_FOREIGN));
            }
            is_after_blank = blank_line(loose) >= 0;
        } else {
            const i64 line = find_byte(text, '\n', loose.start, loose.end) + 1;
            if (line < loose.end && find_byte(text, '\n', line, loose.end) < loose.end)
                is_after_blank = true;
        }
    }
    void add_piece(i64 start, i64 end) {
        if (open_section == OTHER_TAG) return;
        Section& section = sections[open_section];
        section.is_there = true;
        if (start == end) return;
        if (section.last >= 0 && pieces[static_cast<u64>(section.last)].end == static_cast<u32>(start)) {
            pieces[static_cast<u64>(section.last)].end = static_cast<u32>(end);
            return;
        }
        const Piece made = {static_cast<u32>(start), static_cast<u32>(end), NO_VALUE};
        const i32 piece = static_cast<i32>(pieces.push(made));
        (section.last < 0 ? section.first : pieces[static_cast<u64>(section.last)].next) = piece;
        section.last = piece;
    }

    // --- the ends --------------------------------------------------------------------------------

    // Always true: a record was found.
    bool end_foreign() {
        given_foreign = static_cast<Vec<u8>&&>(foreign);
        game.is_foreign = true;
        game.foreign_number = foreign_number;
        game.foreign = stripped({given_foreign.data, given_foreign.count});
        has_foreign = false;
        return true;
    }
    bool finish() {
        if (has_tags) {
            comments.append(pending.data, pending.count);
            pending.clear();
            end_game(length_of(text));
            return true;
        }
        if (has_foreign) return end_foreign();
        if (number > 0 || comments.count == 0) return false;
        // nothing but braces and what is in them: JSON, as a rule
        game.is_foreign = true;
        game.foreign_number = number = 1;
        game.foreign = stripped(text);
        return true;
    }

    PbnRefusal refusal(i64 end) const {
        if (is_longer(part_of(text, game_start, end), LONGEST_GAME)) return TOO_LONG_GAME;
        if (tokens > MOST_GAME_TOKENS) return TOO_MANY_GAME_TOKENS;
        return long_tag == OTHER_TAG ? NOT_REFUSED : TOO_LONG_VALUE;
    }

    // Gives the game gathered so far, and starts anew with the tag at `end`.
    void end_game(i64 end) {
        game.refusal = refusal(end);
        game.long_tag = long_tag;
        game.long_length = long_tag == OTHER_TAG ? 0 : count_letters(tags.of[long_tag]);
        game_start = end;
        if (game.refusal)
            for (Section& section : sections) section = {};
        // before sections are inherited: the lines of another board are no results of this one
        put_lines();
        const Tags found = resolved();
        game.number = game_number;
        copy_bytes(game.tags, found.of, sizeof game.tags);
        game.has_auction = sections[AUCTION_TAG].is_there;
        section_text.clear();
        section_text.reserve(size_of(sections[AUCTION_TAG]) + size_of(sections[PLAY_TAG]));
        game.auction = written(sections[AUCTION_TAG], section_text);
        game.play = written(sections[PLAY_TAG], section_text);
        game.comments = static_cast<Vec<PbnComment>&&>(comments);
        comments = static_cast<Vec<PbnComment>&&>(pending);
        game.notes = static_cast<PbnNotes&&>(notes);
        game.play_notes = static_cast<PbnNotes&&>(play_notes);
        game.first_line = number + 1;
        number += static_cast<i64>(game.lines.count);
        previous = found;
        copy_bytes(previous_sections, sections, sizeof sections);
        for (Section& section : sections) section = {};
        // what was not inherited is not needed any more
        if (!has_marks) {
            pieces.clear();
            for (Section& section : previous_sections) section = {};
        }
        tags = {};
        long_tag = OTHER_TAG;
        tokens = 0;
        has_tags = is_substantial = is_played = false;
    }

    // Tags with `#` (as before) and `##` (from now on) applied, and what a game without a deal inherits.
    Tags resolved() {
        Tags found = lasting;
        for (i32 tag = 0; tag < PBN_TAGS; ++tag) {
            const Bytes& value = tags.of[tag];
            if (!value.data) continue;
            const i64 length = length_of(value);
            const bool is_mark = length > 0 && value[0] == '#';
            if (find_byte(value, '\\', 0, length) < length) {
                found.of[tag] = unescaped(value);
            } else if (is_mark && length > 1 && value[1] == '#') {
                lasting.of[tag] = found.of[tag] = part_of(value, 2, length);
            } else if (!is_mark) {
                found.of[tag] = value;
            } else if (previous.of[tag].data) {
                found.of[tag] = previous.of[tag];
                if (tag < PBN_SECTIONS_KEPT) inherit_section(tag);
            } else {
                found.of[tag] = literal("");
            }
        }
        if (!is_played || found.of[DEAL_TAG].data || !previous.of[DEAL_TAG].data ||
            is_other_board(found.of[BOARD_TAG]))
            return found;
        constexpr PbnTag INHERITED[] = {DEAL_TAG, BOARD_TAG, DEALER_TAG, VULNERABLE_TAG, EVENT_TAG};
        for (const PbnTag tag : INHERITED)
            if (!tags.of[tag].data && previous.of[tag].data) found.of[tag] = previous.of[tag];
        return found;
    }
    void inherit_section(i32 tag) {
        if (!previous_sections[tag].is_there || !is_blank_section(sections[tag])) return;
        sections[tag] = previous_sections[tag];
        // what the section refers to by number
        if (tag == AUCTION_TAG) notes.add(game.notes);
        if (tag == PLAY_TAG) play_notes.add(game.play_notes);
    }
    // Whether a tag names another board than the game before.
    bool is_other_board(const Bytes& board) const {
        Vec<u8> here, before;
        put_board(board, here);
        put_board(previous.of[BOARD_TAG], before);
        const Bytes name = {here.data, here.count};
        return here.count > 0 && !is_word(name, "?") && !is_word(name, "-") &&
               !are_equal(name, {before.data, before.count});
    }
    // Appends a board's number in small letters, without noughts in front.
    static void put_board(const Bytes& value, Vec<u8>& plain) {
        if (!value.data) return;
        const Bytes board = stripped(value);
        const auto is_part = [](u8 sign) { return is_letter(sign) || is_digit(sign) || sign == '_'; };
        for (i64 at = 0; at < length_of(board); ++at) {
            if (at == 0 || !is_part(board[at - 1]))
                while (board[at] == '0' && at + 1 < length_of(board) && is_digit(board[at + 1])) ++at;
            plain.push(upper(board[at]));
        }
    }

    // --- sections --------------------------------------------------------------------------------

    bool is_blank_section(const Section& section) const {
        for (i32 at = section.first; at >= 0; at = pieces[static_cast<u64>(at)].next)
            if (!is_space(bytes_of(pieces[static_cast<u64>(at)]))) return false;
        return true;
    }
    Bytes bytes_of(const Piece& piece) const { return part_of(text, piece.start, piece.end); }
    u64 size_of(const Section& section) const {
        u64 size = 0;
        for (i32 at = section.first; at >= 0; at = pieces[static_cast<u64>(at)].next)
            size += bytes_of(pieces[static_cast<u64>(at)]).length;
        return size;
    }
    // A section as one text; where it has several pieces they are put together in a buffer with room.
    Bytes written(const Section& section, Vec<u8>& buffer) const {
        if (section.first < 0) return literal("");
        if (section.first == section.last) return bytes_of(pieces[static_cast<u64>(section.first)]);
        const u64 start = buffer.count;
        for (i32 at = section.first; at >= 0; at = pieces[static_cast<u64>(at)].next) {
            const Bytes piece = bytes_of(pieces[static_cast<u64>(at)]);
            buffer.append(piece.data, piece.length);
        }
        return {buffer.data + start, buffer.count - start};
    }
    // Lines of the score tables that are not blank.
    void put_lines() {
        game.lines.clear();
        line_text.clear();
        line_text.reserve(size_of(sections[SCORE_TABLE]) + size_of(sections[REPEATED_SCORE_TABLE]));
        constexpr PbnTag TABLES[] = {SCORE_TABLE, REPEATED_SCORE_TABLE};
        for (const PbnTag table : TABLES) {
            const Bytes rows = written(sections[table], line_text);
            for (i64 at = 0; at < length_of(rows);) {
                const i64 end = find_byte(rows, '\n', at, length_of(rows));
                const Bytes line = part_of(rows, at, end);
                if (!is_space(line)) game.lines.push({table, line});
                at = end + 1;
            }
        }
    }
};

}  // namespace core
