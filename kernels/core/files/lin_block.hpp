// One LIN text and what is read of it in one block of memory, for a caller who has no arrays: the page.
#pragma once
#include "lin.hpp"

namespace core {

// Lays the arrays out in a block whose first bytes are the text.
class LinBlock {
  public:
    // Of a text of so many bytes; no more boards are read, and no more records that are none.
    LinBlock(u8* block, u64 bytes, u64 most_boards)
        : start(reinterpret_cast<__UINTPTR_TYPE__>(block)) {
        // a record has a key with its bar at least
        const u64 records = least(most_boards, bytes / 3 + 1);
        arrays.text = taken<const u8>(bytes);
        arrays.boards = taken<LinBoard>(records);
        arrays.rejects = taken<LinReject>(records);
        arrays.announcement_ends = taken<i64>(bytes + 1);
        arrays.lasting = taken<LinLasting>(1);
        arrays.counts = taken<i64>(LIN_COUNTS);
        Array<u8>* const flat[] = {&arrays.calls, &arrays.alerts, &arrays.announcements,
                                   &arrays.tail, &arrays.play, &arrays.commentary};
        for (Array<u8>* const one : flat) *one = taken<u8>(bytes + 1);
        // words for vulnerabilities are the caller's: each that is given stands in `sides`
        arrays.side_words = {{nullptr, 0}, {nullptr, 0}, {nullptr, 0}};
    }

    // Bytes of the block.
    u64 size() const { return end; }

    // Reads the boards of the text, until there is no room for one.
    const LinArrays& read(i64 most_tokens, i64 longest_record) {
        const i64 ends[] = {static_cast<i64>(arrays.text.length)};
        const i64 limits[] = {most_tokens, longest_record};
        arrays.ends = {ends, 1};
        arrays.limits = {limits, 2};
        LinReader(arrays).read();
        arrays.ends = arrays.limits = {nullptr, 0};
        return arrays;
    }

  private:
    const __UINTPTR_TYPE__ start;
    u64 end = 0;
    LinArrays arrays = {};

    template <class T>
    Array<T> taken(u64 count) {
        T* const first = reinterpret_cast<T*>(start + static_cast<__UINTPTR_TYPE__>(end));
        end += (count * sizeof(T) + 7) & ~7ull;
        return {first, count};
    }
};

}  // namespace core
