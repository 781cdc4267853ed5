// The lines of a PBN score table: what other tables did with a deal. loaders/pbn/pbn_travellers.py is the
// definition.
#pragma once
#include "pbn_games.hpp"

namespace core {

constexpr i64 LONGEST_HEADER = 5000;

// Columns that a board is made of.
enum TableColumn : i32 {
    CONTRACT_COLUMN, DECLARER_COLUMN, RESULT_COLUMN, SCORE_NS_COLUMN, SCORE_EW_COLUMN, LEAD_COLUMN,
    MULTIPLICITY_COLUMN, SECTION_COLUMN, PAIRID_NS_COLUMN, PAIRID_EW_COLUMN, NAMES_NS_COLUMN,
    NAMES_EW_COLUMN, NORTH_COLUMN, EAST_COLUMN, SOUTH_COLUMN, WEST_COLUMN, TABLE_COLUMNS,
    OTHER_COLUMN = -1
};

enum LineProblem : i32 { FINE_LINE, TOO_LONG_HEADER, OTHER_NUMBER_OF_VALUES, NO_RESULT };

// Name of a player; one who has none is called by the number of the pair.
struct PlayerName {
    bool is_pair;
    Bytes section, name;
};

// What a line says; good until the next one is read.
struct Traveller {
    LineProblem problem;
    i64 expected, got;  // letters of a header, or values of a line
    Bytes of[TABLE_COLUMNS];  // ABSENT where there is none
    Bytes score;
    PlayerName players[4];

    Bytes get(TableColumn column) const { return of[column].data ? of[column] : literal(""); }
};

class TravellerReader {
  public:
    Traveller line = {};

    void read(const Bytes& header, const Bytes& text) {
        line = {};
        for (Vec<u8>& one : built) one.clear();
        if (header.length > LONGEST_HEADER && (line.got = count_letters(header)) > LONGEST_HEADER) {
            line.problem = TOO_LONG_HEADER;
        } else {
            read_columns(header);
            if (read_by_blanks(text) || read_by_widths(text)) take_result();
            else line.problem = OTHER_NUMBER_OF_VALUES;
        }
    }

  private:
    struct Column {
        TableColumn column;
        bool has_names;
        i64 width;  // letters, 0 where the header does not say
    };
    // A value, and whether it stands in quotes.
    struct Value {
        Bytes text;
        bool is_quoted;
        i64 end;
    };
    Bytes last_header = ABSENT;
    Vec<Column> columns;
    Vec<Bytes> values;
    Vec<u8> built[4];  // the score; names of pairs

    static TableColumn column_of(const Bytes& name) {
        constexpr const char* NAMES[TABLE_COLUMNS] = {
            "contract", "declarer", "result", "score_ns", "score_ew", "lead", "multiplicity", "section",
            "pairid_ns", "pairid_ew", "names_ns", "names_ew", "north", "east", "south", "west"};
        for (i32 column = 0; column < TABLE_COLUMNS; ++column) {
            const char* const letters = NAMES[column];
            if (__builtin_strlen(letters) != name.length) continue;
            i64 at = 0;
            while (at < length_of(name) && upper(name[at]) == upper(static_cast<u8>(letters[at]))) ++at;
            if (at == length_of(name)) return static_cast<TableColumn>(column);
        }
        return OTHER_COLUMN;
    }

    void read_columns(const Bytes& header) {
        // the lines of a table have one
        if (header.data == last_header.data && header.length == last_header.length) return;
        last_header = header;
        columns.clear();
        for (i64 start = 0; start <= length_of(header);) {
            const i64 end = find_byte(header, ';', start, length_of(header));
            columns.push(column_at(stripped(part_of(header, start, end))));
            start = end + 1;
        }
    }
    static Column column_at(const Bytes& text) {
        const i64 length = length_of(text);
        i64 at = length && (text[0] == '+' || text[0] == '-') ? 1 : 0;
        at = skip_blanks(text, at, length);
        const i64 start = at;
        const auto is_part = [](u8 sign) {
            return (upper(sign) >= 'A' && upper(sign) <= 'Z') || is_digit(sign) || sign == '_';
        };
        while (at < length && is_part(text[at])) ++at;
        const Bytes name = part_of(text, start, at);
        const bool has_names = name.length >= 5 && starts_with(name, {0, length_of(name)}, "NAMES");
        i64 width = 0;
        if (name.length && at < length && text[at] == '\\') {
            const i64 end = skip_digits(text, at + 1);
            if (end - at - 1 < 9) width = number_of(part_of(text, at + 1, end), 99'999'999);
        }
        return {column_of(name), has_names, width};
    }

    // The value at a place that is no blank. A quote that is never closed ends with the line.
    static Value value_at(const Bytes& text, i64 at) {
        if (text[at] != '"') {
            const i64 end = skip_word(text, at);
            return {part_of(text, at, end), false, end};
        }
        const i64 length = length_of(text);
        i64 end = at + 1;
        // a sign of an escape at the end of the line escapes nothing
        while (end < length && text[end] != '"' && !(text[end] == '\\' && end + 1 == length))
            end += text[end] == '\\' ? 2 : 1;
        return {part_of(text, at + 1, end), true, least(end + 1, length)};
    }

    bool read_by_blanks(const Bytes& text) {
        values.clear();
        line.got = 0;
        line.expected = static_cast<i64>(columns.count);
        for (i64 at = skip_spaces(text, 0); at < length_of(text); ++line.got) {
            const Value value = value_at(text, at);
            if (values.count < columns.count) values.push(value.text);
            at = skip_spaces(text, value.end);
        }
        if (line.got != line.expected) return false;
        put_values();
        return true;
    }
    // Names may hold blanks where the header gives their width, or they are the last.
    bool read_by_widths(const Bytes& text) {
        values.clear();
        i64 at = 0;
        for (u64 number = 0; number < columns.count; ++number) {
            at = skip_spaces(text, at);
            if (at == length_of(text)) return false;
            const Value value = value_at(text, at);
            i64 end = value.end;
            if (columns[number].has_names && !value.is_quoted) {
                if (columns[number].width) end = skip_letters(text, at, columns[number].width);
                if (number + 1 == columns.count) end = length_of(text);
            }
            values.push(value.is_quoted ? value.text : stripped(part_of(text, at, end)));
            at = end;
        }
        if (!is_space(part_of(text, at, length_of(text)))) return false;
        put_values();
        return true;
    }
    void put_values() {
        for (u64 number = 0; number < columns.count; ++number) {
            const TableColumn column = columns[number].column;
            if (column != OTHER_COLUMN && !is_missing(values[number]))
                line.of[column] = stripped(values[number]);
        }
    }
    static bool is_missing(const Bytes& value) {
        i64 at = 0;
        while (at < length_of(value) && value[at] == '?') ++at;
        return at == length_of(value) || is_word(value, "-");
    }

    // What was played and scored, if the line says either.
    void take_result() {
        constexpr TableColumn SCORES[] = {SCORE_NS_COLUMN, SCORE_EW_COLUMN};
        Bytes score = literal("");
        for (i32 side = 0; side < 2; ++side) {
            const Bytes given = line.get(SCORES[side]);
            Vec<u8>& text = built[side];
            text.append(reinterpret_cast<const u8*>(side ? "ew " : "ns "), 3);
            text.append(given.data, given.length);
            const Bytes written = {text.data, text.count};
            // the other side's is written as 0 by some
            const bool is_free = score.length == 0 || are_equal(score, literal("ns 0"));
            if (is_free && read_score(written, NO_VALUE).is_known) score = written;
        }
        line.score = score;
        if (score.length == 0 && read_contract(line.get(CONTRACT_COLUMN)) < 0) {
            line.problem = NO_RESULT;
            return;
        }
        take_players(0, NAMES_NS_COLUMN, PAIRID_NS_COLUMN);
        take_players(1, NAMES_EW_COLUMN, PAIRID_EW_COLUMN);
    }
    // Of the seats first and first + 2.
    void take_players(i32 first, TableColumn names, TableColumn pair) {
        PlayerName& one = line.players[first];
        PlayerName& other = line.players[first + 2];
        one = other = {false, literal(""), literal("")};
        if (line.get(names).length) {
            divide(line.get(names), built[2 + first], one.name, other.name);
        } else if (line.get(pair).length) {
            one = other = {true, line.get(SECTION_COLUMN), line.get(pair)};
        }
        for (i32 seat = first; seat < 4; seat += 2) {
            const Bytes& name = line.of[NORTH_COLUMN + seat];
            if (name.data) line.players[seat] = {false, literal(""), name};
        }
    }

    static bool is_between(u8 sign) { return sign == '-' || sign == '&' || sign == '/' || sign == '+'; }

    // Names of a pair, set apart by the only sign between two that stands between blanks, else by the
    // only one at all; `plain` holds them with one blank between words.
    static void divide(const Bytes& names, Vec<u8>& plain, Bytes& one, Bytes& other) {
        for (i64 at = skip_spaces(names, 0); at < length_of(names);) {
            const i64 end = skip_word(names, at);
            if (plain.count) plain.push(' ');
            plain.append(names.data + at, static_cast<u64>(end - at));
            at = skip_spaces(names, end);
        }
        const Bytes text = {plain.data, plain.count};
        const i64 length = length_of(text);
        for (i32 way = 0; way < 2; ++way) {
            const bool is_wide = way == 0;
            i64 found = 0, place = 0, behind = 0;
            for (i64 at = 0; at < length; ++at) {
                if (!is_between(text[at])) continue;
                const bool is_alone =
                    at > behind && text[at - 1] == ' ' && at + 1 < length && text[at + 1] == ' ';
                if (is_wide && !is_alone) continue;
                ++found;
                place = at;
                // the blank behind a sign belongs to it
                behind = at + 2;
            }
            if (found != 1) continue;
            one = stripped(part_of(text, 0, place));
            other = stripped(part_of(text, place + 1, length));
            return;
        }
        one = text;
    }
};

}  // namespace core
