// Bytes of texts that people write: blanks, case, numbers, and the letters of suits and ranks.
// Every sign that matters to a reader is ASCII, so the texts are UTF-8 as it is.
#pragma once
#include "../memory.hpp"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words of text are read as they lie");

namespace core {

typedef Array<const u8> Bytes;

// What a call or card that cannot be read is written as, and where a value has none.
constexpr i32 UNREADABLE = 255, NO_VALUE = -1;

// Part of a text; both ends are NO_VALUE where there is none.
struct Part {
    i64 start, end;

    bool is_empty() const { return start == end; }
    i64 length() const { return end - start; }
};
constexpr Part NOWHERE = {NO_VALUE, NO_VALUE};

// Numbers of letters in either case: suits CDHS, strains CDHSN, ranks 2 to A.
struct LetterNumbers {
    i8 suit[256], strain[256], rank[256];

    constexpr LetterNumbers() : suit(), strain(), rank() {
        for (i32 byte = 0; byte < 256; ++byte) suit[byte] = strain[byte] = rank[byte] = NO_VALUE;
        for (i8 one = 0; one < 5; ++one)
            for (i32 small = 0; small <= 32; small += 32) {
                strain["CDHSN"[one] + small] = one;
                if (one < 4) suit["CDHSN"[one] + small] = one;
            }
        for (i8 one = 0; one < 13; ++one) {
            const i32 letter = "23456789TJQKA"[one];
            rank[letter] = one;
            if (letter >= 'A') rank[letter + 32] = one;
        }
    }
};
constexpr LetterNumbers LETTERS;

// Blank, tab, line end, vertical tab or form feed.
inline bool is_blank(u8 byte) { return byte == ' ' || (byte >= 9 && byte <= 13); }

// Whether what is said of a call is nothing but signs that alert it.
inline bool is_mark_alone(const Bytes& text, i64 at, i64 end) {
    while (at < end && (text[at] == '!' || text[at] == '*' || is_blank(text[at]))) ++at;
    return at == end;
}

inline bool is_digit(u8 byte) { return byte >= '0' && byte <= '9'; }
inline u8 upper(u8 byte) { return byte >= 'a' && byte <= 'z' ? static_cast<u8>(byte - 32) : byte; }

// First place from one on that is no blank.
inline i64 skip_blanks(const Bytes& text, i64 at, i64 end) {
    while (at < end && is_blank(text[at])) ++at;
    return at;
}

CORE_ONCE inline Part trimmed(const Bytes& text, Part part) {
    part.start = skip_blanks(text, part.start, part.end);
    while (part.end > part.start && is_blank(text[part.end - 1])) --part.end;
    return part;
}

// First place of a byte from one on, `end` if it does not occur; eight bytes at a time.
CORE_ONCE inline i64 find_byte(const Bytes& text, u8 byte, i64 at, i64 end) {
    constexpr u64 ONES = 0x0101010101010101ull;
    for (; at + 8 <= end; at += 8) {
        CORE_CHECK(at >= 0 && static_cast<u64>(at) + 8 <= text.length);
        u64 word;
        __builtin_memcpy(&word, text.data + at, sizeof word);
        word ^= ONES * byte;
        // the lowest byte that is 0 sets its highest bit; no lower one does
        const u64 zeros = (word - ONES) & ~word & ONES << 7;
        if (zeros) return at + lowest_bit(zeros) / 8;
    }
    while (at < end && text[at] != byte) ++at;
    return at;
}

// Whether a part begins with an upper-case word, in either case.
template <u64 SIZE>
bool starts_with(const Bytes& text, Part part, const char (&word)[SIZE]) {
    constexpr i64 LENGTH = SIZE - 1;
    if (part.length() < LENGTH) return false;
    for (i64 offset = 0; offset < LENGTH; ++offset)
        if (upper(text[part.start + offset]) != word[offset]) return false;
    return true;
}

// A number of at most so many digits and nothing else but blanks around it, else NO_VALUE.
CORE_ONCE inline i32 parse_number(const Bytes& text, Part part, i64 digits) {
    part = trimmed(text, part);
    if (part.is_empty() || part.length() > digits) return NO_VALUE;
    i32 number = 0;
    for (i64 at = part.start; at < part.end; ++at) {
        if (!is_digit(text[at])) return NO_VALUE;
        number = 10 * number + (text[at] - '0');
    }
    return number;
}

}  // namespace core
