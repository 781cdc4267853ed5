// All prefixes of many auctions, counted: a trie in hash tables, sorted runs of it, their merging.
// kernels/core/tables/auctions.py says what a run is and what each array holds.
#pragma once
#include "../files/auctions.hpp"
#include "../rows.hpp"

namespace core {

constexpr i64 MOST_DEPTHS = 319;  // calls of the longest auction

// Calls that are legal next, a bit each; none behind the end.
inline u64 legal_calls(const AuctionState& auction) {
    if (auction.is_complete()) return 0;
    u64 found = (EVERY_CALL & ~0ull << most(auction.last_bid + 1, 3)) | 1;
    for (i32 call = 1; call < 3; ++call) found |= static_cast<u64>(auction.is_legal(call)) << call;
    return found;
}

// A hash table with open addressing that somebody else owns: a power of two of slots, 0 is free.
struct KeySlots {
    static constexpr u64 SPREAD = 0x9E3779B97F4A7C15ull;

    u64* keys;
    u32* values;
    u64 count;

    bool is_power_of_two() const { return count > 1 && (count & (count - 1)) == 0; }
    // Place of a key, or of the free slot where it goes; there must be one.
    u64 slot_of(u64 key) const {
        u64 slot = key * SPREAD >> (64 - lowest_bit(count));
        while (keys[slot] != 0 && keys[slot] != key) slot = (slot + 1) & (count - 1);
        return slot;
    }
    void take(const KeySlots& other) const {
        for (u64 old = 0; old < other.count; ++old)
            if (other.keys[old] != 0) {
                const u64 slot = slot_of(other.keys[old]);
                keys[slot] = other.keys[old];
                values[slot] = other.values[old];
            }
    }
};

// The nodes of a trie, `count` of them, and how often texts stand at them.
struct PrefixTrie {
    KeySlots numbers, pairs;
    u32* parent;
    u8* call;
    u32* times;
    i64 count, pair_count;
    i64 ignored_calls, ignored_texts;

    // Takes auctions in, call by call, each as far as it is legal; false for a table that is not
    // of these nodes.
    bool add(const u8* calls, const i64* offsets, i64 auctions, const u32* texts) {
        for (i64 number = 0; number < auctions; ++number) {
            AuctionState auction;
            i64 node = 0;
            ++times[0];
            for (i64 place = offsets[number]; place < offsets[number + 1]; ++place) {
                const i32 made = calls[place];
                if (made >= CALLS || !auction.is_legal(made)) {
                    ignored_calls += offsets[number + 1] - place;
                    for (; place < offsets[number + 1]; ++place) ignored_texts += texts[place] != 0;
                    break;
                }
                auction.add(made);
                const u64 key = (static_cast<u64>(node) << 6 | static_cast<u64>(made)) + 1;
                const u64 slot = numbers.slot_of(key);
                if (numbers.keys[slot] == 0) {
                    numbers.keys[slot] = key;
                    numbers.values[slot] = static_cast<u32>(count);
                    parent[count] = static_cast<u32>(node);
                    call[count] = static_cast<u8>(made);
                    times[count++] = 0;
                }
                node = numbers.values[slot];
                if (node >= count) return false;
                ++times[node];
                if (texts[place]) count_text(static_cast<u64>(node) << 32 | texts[place]);
            }
        }
        return true;
    }

  private:
    void count_text(u64 key) {
        const u64 slot = pairs.slot_of(key);
        if (pairs.keys[slot] == 0) {
            pairs.keys[slot] = key;
            pairs.values[slot] = 0;
            ++pair_count;
        }
        ++pairs.values[slot];
    }
};

// Walks a trie in the order of its auctions, the children of node n being those of `children` from
// `starts[n]` to `starts[n + 1]`, and those of the root from `starts[0]`. `visit(depth, place, node)`
// gives the number whose children are the next ones. False where it is no trie of so many nodes.
template <class Visit>
bool walk_preorder(const i64* children, const i64* starts, i64 nodes, Visit visit) {
    i64 at[MOST_DEPTHS + 2], end[MOST_DEPTHS + 2];
    i64 depth = 0, seen = 0;
    at[0] = starts[0], end[0] = starts[1];
    while (depth >= 0) {
        if (at[depth] == end[depth]) {
            --depth;
            continue;
        }
        if (++seen > nodes || depth == MOST_DEPTHS) return false;
        const i64 place = at[depth]++;
        const i64 behind = visit(depth, place, children[place]);
        ++depth;
        at[depth] = starts[behind], end[depth] = starts[behind + 1];
    }
    return seen == nodes;
}

// A run: of each node depth, call, auctions and number of texts; of each text of all nodes, in their
// order and ascending in each node, the text and how often it was given.
struct AuctionRun {
    Array<u16> depth;
    Array<u8> call;
    Array<u32> auctions, texts, text, times;

    bool has_nodes(u64 count) const {
        return depth.length >= count && call.length >= count && auctions.length >= count &&
               texts.length >= count;
    }
};

// Merges two runs into one, if there is one; counts of what is in both are added. False where the
// texts of a run are not as many as its nodes say, or the merged one has no room.
inline bool merge_runs(
    const AuctionRun& a, const AuctionRun& b, const AuctionRun* merged, i64* node_count,
    i64* text_count) {
    constexpr i64 NO_NODE = 1ll << 30, NO_TEXT = 1ll << 40;
    // where each run stands: its next node, and the next text
    struct Reader {
        const AuctionRun& run;
        i64 node, text, end;

        bool is_done() const { return static_cast<u64>(node) == run.depth.length; }
        i64 key() const {
            return is_done() ? NO_NODE : (((1ll << 16) - run.depth[node]) << 6 | run.call[node]);
        }
        bool open_texts() {
            end = text + run.texts[node];
            return static_cast<u64>(end) <= run.text.length;
        }
        i64 next_text() const { return text < end ? run.text[text] : NO_TEXT; }
    };
    Reader readers[] = {{a, 0, 0, 0}, {b, 0, 0, 0}};
    i64 nodes = 0, texts = 0;
    while (!readers[0].is_done() || !readers[1].is_done()) {
        const i64 keys[] = {readers[0].key(), readers[1].key()}, key = least(keys[0], keys[1]);
        if (merged && !merged->has_nodes(static_cast<u64>(nodes) + 1)) return false;
        u32 total = 0;
        for (i32 one = 0; one < 2; ++one)
            if (keys[one] == key) {
                if (!readers[one].open_texts()) return false;
                total += readers[one].run.auctions[readers[one].node];
            }
        const i64 first = texts;
        for (;; ++texts) {
            const i64 next[] = {readers[0].next_text(), readers[1].next_text()};
            const i64 text = least(next[0], next[1]);
            if (text == NO_TEXT) break;
            u32 often = 0;
            for (i32 one = 0; one < 2; ++one)
                if (next[one] == text) often += readers[one].run.times[readers[one].text++];
            if (!merged) continue;
            if (static_cast<u64>(texts) >= merged->text.length) return false;
            merged->text[texts] = static_cast<u32>(text);
            merged->times[texts] = often;
        }
        if (merged) {
            const Reader& from = readers[keys[0] == key ? 0 : 1];
            merged->depth[nodes] = from.run.depth[from.node];
            merged->call[nodes] = from.run.call[from.node];
            merged->auctions[nodes] = total;
            merged->texts[nodes] = static_cast<u32>(texts - first);
        }
        ++nodes;
        for (i32 one = 0; one < 2; ++one) readers[one].node += keys[one] == key;
    }
    *node_count = nodes;
    *text_count = texts;
    return true;
}

// Parents (plus 1) and ends of the auctions of a run, whose depths were looked at.
inline void describe_run(
    const u16* depth, const u8* call, i64 nodes, u32* parent, u8* completed, u8* can_complete) {
    struct {
        u32 node = 0;
        i32 passes = 0;
        bool has_bid = false;
    } path[MOST_DEPTHS + 2];
    for (i64 node = 0; node < nodes; ++node) {
        const i64 level = depth[node] + 1;
        parent[node] = path[level - 1].node;
        const i32 passes = call[node] == 0 ? path[level - 1].passes + 1 : 0;
        const bool has_bid = call[node] > 2 || path[level - 1].has_bid;
        path[level].node = static_cast<u32>(node) + 1;
        path[level].passes = passes;
        path[level].has_bid = has_bid;
        completed[node] = can_complete[node] = passes == 4 || (passes == 3 && has_bid);
    }
    for (i64 node = nodes - 1; node >= 0; --node)
        if (can_complete[node] && parent[node]) can_complete[parent[node] - 1] = 1;
}

}  // namespace core
