// Rows in the order of their auctions: sorting, searching, the trie of them, numbers of its entries.
// kernels/core/tables/sorted_rows.py says what each array holds.
#pragma once
#include "auction_tries.hpp"
#include "trie.hpp"

namespace core {

constexpr u8 INSERTED = 4;  // flag of a node, as table/columns.py has it
constexpr i64 NO_ROW = 1ll << 62;
constexpr u64 BEHIND = 1ull << 63;  // inserted entries come behind their siblings

enum class RowKind : u8 { KEPT, REJECTED, LEADING };

// Why a row is not in the table; table/building/findings.py has the same numbers.
enum class Dropped : u8 {
    KEPT, BELOW_COMPLETED, INSUFFICIENT_BID, WRONG_DOUBLE, WRONG_REDOUBLE, REJECTED, BELOW_REJECTED
};

// Auctions of rows, their calls behind one another.
struct RowAuctions {
    const u8* calls;
    const i64* offsets;
    i64 count;

    const u8* of(i64 row) const { return calls + offsets[row]; }
    i64 length(i64 row) const { return offsets[row + 1] - offsets[row]; }

    // Number of calls that two auctions begin with alike.
    i64 shared(i64 one, i64 other) const {
        i64 place = 0;
        const i64 end = least(length(one), length(other));
        const u8 *const first = of(one), *const second = of(other);
        while (place < end && first[place] == second[place]) ++place;
        return place;
    }
    // Below 0 where the first auction comes first, 0 where they are the same.
    i32 compare(i64 one, i64 other) const {
        const i64 place = shared(one, other);
        const bool one_ends = place == length(one), other_ends = place == length(other);
        if (one_ends || other_ends) return other_ends - one_ends;
        return of(one)[place] - of(other)[place];
    }
    bool are_sorted() const {
        for (i64 row = 1; row < count; ++row)
            if (compare(row - 1, row) > 0) return false;
        return true;
    }
};

// Sorts rows by their auctions, equal ones by their numbers: ten calls of each at a time, as words
// that move along with the rows, which one digit of 6 bits after another puts in order in place
// (McIlroy, Bostic, McIlroy, "Engineering Radix Sort", 1993).
class RowSort {
  public:
    RowSort(const RowAuctions& auctions, i64* order) : rows(auctions), order(order) {}

    void run() {
        for (i64 row = 0; row < rows.count; ++row) order[row] = row;
        if (rows.are_sorted()) return;
        words.resize(static_cast<u64>(rows.count));
        open_calls(0, rows.count, 0);
        while (open.count > 0) {
            const Range range = open.last();
            open.resize(open.count - 1);
            sort(range);
        }
    }

  private:
    static constexpr i64 FEW = 24, WORD_CALLS = 10, ROW_NUMBERS = -1;
    static constexpr i32 BITS = 6, TOP = BITS * (WORD_CALLS - 1), DIGITS = 1 << BITS;

    // Rows that are alike in what stands before a digit of their words: calls from `first_call` on,
    // or the numbers of the rows.
    struct Range {
        i64 begin, end, first_call;
        i32 shift;
    };

    const RowAuctions& rows;
    i64* order;
    Vec<u64> words;
    Vec<Range> open;

    // Ten calls, each plus 1; 0 behind the end of the auction.
    u64 word(i64 row, i64 first_call) const {
        const u8* const calls = rows.of(row);
        const i64 length = rows.length(row);
        u64 made = 0;
        for (i64 place = first_call; place < first_call + WORD_CALLS; ++place)
            made = made << BITS | (place < length ? calls[place] + 1u : 0u);
        return made;
    }
    void open_calls(i64 begin, i64 end, i64 first_call) {
        for (i64 at = begin; at < end; ++at) words[at] = word(order[at], first_call);
        open.push({begin, end, first_call, TOP});
    }
    void open_equals(i64 begin, i64 end) {
        for (i64 at = begin; at < end; ++at) words[at] = static_cast<u64>(order[at]);
        const i32 highest = highest_bit(static_cast<u64>(rows.count));
        open.push({begin, end, ROW_NUMBERS, highest / BITS * BITS});
    }

    void sort_few(const Range& range) {
        for (i64 one = range.begin + 1; one < range.end; ++one) {
            const u64 word = words[one];
            const i64 row = order[one];
            i64 at = one;
            for (; at > range.begin; --at) {
                const bool is_same = words[at - 1] == word;
                if (is_same ? order[at - 1] < row : words[at - 1] < word) break;
                words[at] = words[at - 1], order[at] = order[at - 1];
            }
            words[at] = word, order[at] = row;
        }
        if (range.first_call == ROW_NUMBERS) return;
        for (i64 begin = range.begin, end; begin < range.end; begin = end) {
            for (end = begin + 1; end < range.end && words[end] == words[begin];) ++end;
            // where the last digit is 0 all have ended
            if (end - begin > 1 && words[begin] % DIGITS != 0)
                open_calls(begin, end, range.first_call + WORD_CALLS);
        }
    }
    void sort(const Range& range) {
        if (range.end - range.begin <= FEW) return sort_few(range);
        const auto digit_of = [&](u64 word) { return word >> range.shift & (DIGITS - 1); };
        i64 next[DIGITS] = {}, end[DIGITS];
        for (i64 at = range.begin; at < range.end; ++at) ++next[digit_of(words[at])];
        i64 begin = range.begin;
        for (i32 digit = 0; digit < DIGITS; ++digit) {
            end[digit] = begin + next[digit];
            next[digit] = begin;
            begin = end[digit];
        }
        for (u64 digit = 0; digit < DIGITS; ++digit)
            while (next[digit] < end[digit]) {
                u64 word = words[next[digit]];
                i64 row = order[next[digit]];
                for (u64 own = digit_of(word); own != digit; own = digit_of(word)) {
                    const i64 place = next[own]++;
                    const u64 moved_word = words[place];
                    const i64 moved = order[place];
                    words[place] = word, order[place] = row;
                    word = moved_word, row = moved;
                }
                words[next[digit]] = word, order[next[digit]++] = row;
            }
        begin = range.begin;
        for (u64 digit = 0; digit < DIGITS; begin = end[digit++])
            if (end[digit] - begin > 1) go_on(range, digit, begin, end[digit]);
    }
    // Sorts rows further that are alike up to a digit.
    void go_on(const Range& range, u64 digit, i64 begin, i64 end) {
        const bool are_numbers = range.first_call == ROW_NUMBERS;
        if (digit == 0 && !are_numbers)
            open_equals(begin, end);
        else if (range.shift > 0)
            open.push({begin, end, range.first_call, range.shift - BITS});
        else if (!are_numbers)
            open_calls(begin, end, range.first_call + WORD_CALLS);
    }
};

// Finds where rows by their next call begin, of sorted rows that go on from the same `depth` calls
// or end there; false where offsets are not within the calls.
inline bool children_in(
    const u8* calls, i64 call_count, const u32* offsets, i64 begin, i64 end, i64 depth, i64* bounds,
    i64 bound_count) {
    i64 low = begin;
    for (i64 call = 0; call < bound_count; ++call) {
        i64 high = end;
        while (low < high) {
            const i64 middle = (low + high) / 2, last = offsets[middle + 1];
            if (last > call_count) return false;
            const i64 place = offsets[middle] + depth;
            if (place < last && calls[place] >= call)
                high = middle;
            else
                low = middle + 1;
        }
        bounds[call] = low;
    }
    return true;
}

// Nodes of a trie, each before those below it and siblings by call, in room that somebody else owns.
struct RowNodes {
    i32* parent;
    u8 *call, *flags;
    u64* priority;
    i64 *first_row, *first_kept;
};

// Rows with an order, and what stands at each of them.
struct OrderedRows {
    RowAuctions auctions;
    const i64* order;
    const u8* kinds;
    const i64* numbers;
    const u64* priorities;

    // Nodes of the trie where no row is dropped; -1 where the order does not sort the rows, or an
    // auction has no call or too many.
    i64 most_nodes() const {
        i64 nodes = 0;
        for (i64 place = 0; place < auctions.count; ++place) {
            const i64 row = order[place], length = auctions.length(row);
            if (length < 1 || length > MOST_DEPTHS) return -1;
            nodes += length;
            if (place == 0) continue;
            if (auctions.compare(order[place - 1], row) > 0) return -1;
            nodes -= auctions.shared(order[place - 1], row);
        }
        return nodes;
    }
};

// Makes the trie of rows in order.
class RowTrie {
  public:
    RowTrie(const OrderedRows& rows, const RowNodes& nodes, i32* row_node, u8* dropped)
        : rows(rows), nodes(nodes), row_node(row_node), dropped(dropped) {}

    // How many nodes there are.
    i64 grow() {
        const RowAuctions& auctions = rows.auctions;
        for (i64 place = 0; place < auctions.count;) {
            const i64 row = rows.order[place], length = auctions.length(row);
            const u8* const calls = auctions.of(row);
            i64 depth = place ? auctions.shared(rows.order[place - 1], row) : 0;
            for (; depth < length; ++depth) go(depth, calls[depth]);
            i64 behind = place + 1;
            while (behind < auctions.count && auctions.compare(row, rows.order[behind]) == 0)
                ++behind;
            take(place, behind, length);
            place = behind;
        }
        for (i64 node = count - 1; node >= 0; --node) {
            const i32 above = nodes.parent[node];
            if (above >= 0)
                nodes.first_row[above] = least(nodes.first_row[above], nodes.first_row[node]);
            if (nodes.flags[node] & INSERTED)
                nodes.priority[node] = BEHIND | static_cast<u64>(nodes.first_row[node]);
        }
        return count;
    }

  private:
    // An auction after so many calls, its node or the last one that there is on the way, and why
    // there is no node of its own.
    struct Step {
        AuctionState auction;
        i32 node = -1;
        Dropped reason = Dropped::KEPT;
    };

    const OrderedRows& rows;
    RowNodes nodes;
    i32* row_node;
    u8* dropped;
    i64 count = 0;
    Step way[MOST_DEPTHS + 1];

    static Dropped reason_against(const AuctionState& auction, i32 call) {
        if (auction.is_complete()) return Dropped::BELOW_COMPLETED;
        if (auction.is_legal(call)) return Dropped::KEPT;
        if (call > 2) return Dropped::INSUFFICIENT_BID;
        return call == 1 ? Dropped::WRONG_DOUBLE : Dropped::WRONG_REDOUBLE;
    }
    // Makes a call behind those of a depth, and the node of it.
    void go(i64 depth, i32 call) {
        Step& here = way[depth + 1];
        here = way[depth];
        if (here.reason != Dropped::KEPT) return;
        here.reason = reason_against(here.auction, call);
        if (here.reason != Dropped::KEPT) return;
        here.auction.add(call);
        nodes.parent[count] = here.node;
        nodes.call[count] = static_cast<u8>(call);
        nodes.flags[count] =
            static_cast<u8>(INSERTED | (here.auction.is_complete() ? COMPLETED : 0));
        nodes.priority[count] = BEHIND;
        nodes.first_row[count] = nodes.first_kept[count] = NO_ROW;
        here.node = static_cast<i32>(count++);
    }
    // Takes in the rows of one auction, whose node was made just now if it has one.
    void take(i64 place, i64 behind, i64 length) {
        bool is_kept = false, is_rejected = false;
        for (i64 at = place; at < behind; ++at) {
            is_kept |= kind(rows.order[at]) == RowKind::KEPT;
            is_rejected |= kind(rows.order[at]) == RowKind::REJECTED;
        }
        Step& here = way[length];
        const bool was_legal = here.reason == Dropped::KEPT;
        if (was_legal && is_rejected && !is_kept) {
            // what goes on from here comes behind
            --count;
            here.node = way[length - 1].node;
            here.reason = Dropped::BELOW_REJECTED;
        }
        for (i64 at = place; at < behind; ++at) {
            const i64 row = rows.order[at], number = rows.numbers[row];
            const i32 node = here.node;
            if (node >= 0) nodes.first_row[node] = least(nodes.first_row[node], number);
            row_node[row] = node;
            const bool is_refused = was_legal && kind(row) == RowKind::REJECTED;
            dropped[row] = static_cast<u8>(is_refused ? Dropped::REJECTED : here.reason);
            if (!was_legal || kind(row) != RowKind::KEPT) continue;
            nodes.flags[node] &= static_cast<u8>(~INSERTED);
            nodes.priority[node] = least(nodes.priority[node], rows.priorities[row]);
            nodes.first_kept[node] = least(nodes.first_kept[node], number);
        }
    }
    RowKind kind(i64 row) const { return static_cast<RowKind>(rows.kinds[row]); }
};

// Works out from the last node on what is below each.
inline void measure(
    const i32* parent, i64 nodes, u8* flags, i64* below, i64* child_count, u8* there) {
    for (i64 node = nodes - 1; node >= 0; --node) {
        if (flags[node] & COMPLETED) flags[node] |= CAN_COMPLETE;
        if (!(flags[node] & INSERTED)) there[node] = 1;
        const i32 above = parent[node];
        if (!there[node] || above < 0) continue;
        there[above] = 1;
        below[above] += below[node] + 1;
        ++child_count[above];
        flags[above] |= flags[node] & CAN_COMPLETE;
    }
}

// Lists the children of each node in the order of priority, where there is room for so many; false
// where there is not.
inline bool children_by_priority(
    const i32* parent, i64 nodes, const u64* priority, const u8* there, i64* starts, i32* children,
    i64 room) {
    i64 count = 0;
    for (i64 node = 0; node < nodes; ++node) count += there[node] != 0;
    if (count > room) return false;
    for (i64 place = 0; place < nodes + 2; ++place) starts[place] = 0;
    for (i64 node = 0; node < nodes; ++node)
        if (there[node]) ++starts[parent[node] + 2];
    for (i64 place = 1; place < nodes + 2; ++place) starts[place] += starts[place - 1];
    Vec<i64> free;
    free.append(starts, static_cast<u64>(nodes) + 1);
    for (i64 node = 0; node < nodes; ++node) {
        if (!there[node]) continue;
        const i64 above = parent[node] + 1;
        i64 at = free[above]++;
        for (; at > starts[above] && priority[children[at - 1]] > priority[node]; --at)
            children[at] = children[at - 1];
        children[at] = static_cast<i32>(node);
    }
    return true;
}

// Columns of entries, with room for so many.
struct EntryColumns {
    u8 *call, *flags;
    u16* child_count;
    u32* first_child;
    i64 room;
};

// Gives numbers to what is below the nodes that have a base, and writes the columns of these
// entries; false where there is no room for them.
inline bool number_below(
    const i64* starts, const i32* children, i64 nodes, const i64* below, const i64* child_count,
    const u8* call, const u8* flags, i64* base, i64* entry, const EntryColumns& columns) {
    for (i64 node = 0; node < nodes; ++node) {
        const i64 first = base[node], count = child_count[node];
        if (first < 0) continue;
        if (first > columns.room || count < 0 || count > columns.room - first ||
            starts[node + 2] - starts[node + 1] > count)
            return false;
        i64 free = first + count, number = first;
        for (i64 place = starts[node + 1]; place < starts[node + 2]; ++place, ++number) {
            const i32 child = children[place];
            if (below[child] < 0 || below[child] > columns.room - free) return false;
            entry[child] = number;
            base[child] = free;
            columns.call[number] = call[child];
            columns.flags[number] = flags[child];
            columns.child_count[number] = static_cast<u16>(child_count[child]);
            columns.first_child[number] = static_cast<u32>(free);
            free += below[child];
        }
    }
    return true;
}

// Finds the row that comes first of each entry, and marks the others.
inline void rows_of_entries(
    const u8* dropped, const i64* row_entry, const u64* priorities, i64 rows, i64* first,
    u8* further) {
    for (i64 row = 0; row < rows; ++row) {
        if (dropped[row]) continue;
        i64& chosen = first[row_entry[row]];
        if (chosen < 0) {
            chosen = row;
        } else if (priorities[row] < priorities[chosen]) {
            further[chosen] = 1;
            chosen = row;
        } else {
            further[row] = 1;
        }
    }
}

}  // namespace core
