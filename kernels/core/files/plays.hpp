// What recorded plays say of the hands they are told of; loaders/frames/play.py is the definition.
#pragma once
#include "letters.hpp"

namespace core {

// Marks the boards whose cards were not played from these hands, [4][count], in this contract. The
// cards of all boards lie one behind the other, those of each up to its end; declarer NO_VALUE is
// not known.
inline void find_disagreeing(
    const u64* hands, const i8* declarer, i64 count, const u8* cards, const i64* ends, u8* found) {
    i64 start = 0;
    for (i64 board = 0; board < count; ++board) {
        i64 right = 0, wrong = 0;
        bool is_false_lead = false;
        for (i64 first = start; first < ends[board]; first += 4) {
            u32 seats = 0;
            bool is_twice = false;
            for (i64 place = first; place < least(first + 4, ends[board]); ++place) {
                i32 seat = 0;
                while (seat < 3 && !(hands[seat * count + board] >> cards[place] & 1)) ++seat;
                if (place == start && declarer[board] >= 0)
                    is_false_lead = seat != (declarer[board] + 1) % 4;
                is_twice |= seats >> seat & 1;
                seats |= 1u << seat;
            }
            wrong += is_twice;
            right += seats == 15;
        }
        found[board] = is_false_lead || wrong > right;
        start = ends[board];
    }
}

}  // namespace core
