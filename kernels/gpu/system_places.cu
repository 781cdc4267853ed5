// New places of a system: what a call has shown (advance), and the entries behind it (expand).
//
// Two kernels, since the work is of two kinds: sets of cells are a warp's, a word a lane in turns;
// rows and entries are one thread's, with much branching. kernels/system/advance.py and expand.py
// are the same for the processor, name by name. What is not known yet is noted for the host to learn,
// and the place is tried again then.
#include "system_questions.cuh"

constexpr i32 UNKNOWN = -1, LEAF = -2, ANY_HAND = 0, NEVER = 1, MISSING = -1;
constexpr i32 WIDEST = 32767, NATURAL_LENGTH = 4, CALLS = 38;
constexpr i32 SHAPES = 560, POINTS = 38;
constexpr i32 DONE = 0, LEARN = 1, TOO_MUCH = 2;
enum Miss : i32 { MISS_ROOT, MISS_DECISION, MISS_JOIN, MISS_ENTRY, MISS_MOVE, MISS_BELOW };
constexpr u32 WORDS_A_LANE = (SET_WORDS + WARP - 1) / WARP;
constexpr i32 STACK = 64, AGREEMENTS = 64;
constexpr u32 PLACE_WORDS = sizeof(Place) / 4;
constexpr u32 LENGTH_WORD = LENGTH_BYTE / 4;
constexpr u32 KNOWN_WORD = KNOWN_BYTE / 4;

// A place that is to be worked out.
struct Job {
    i32 parent;     // place before
    i32 row;        // number of its row
    i32 list;       // its entries
    i32 partners;   // entries of the place where partner made the last call, -1 for none
    i32 call;       // that leads here
    i32 only_row;   // whether the entries are known
};

struct Groups {
    i32 turn, group, bindings, needs;
};

// What is kept of places that were worked out.
struct Store {
    Array<i64> list_first;
    Array<i32> list_items;
    Array<Place> rows;
    Array<u64[SET_WORDS]> sets;
    Array<i8[RANGES][2]> ranges;
    Array<u64[SET_WORDS]> reach;
    Array<i32> reach_first;
    Array<u8[4]> lengths;
};

// Entries of a place, and room to find them.
struct Room {
    i32* items;     // [MOST_ITEMS]
    Groups* found;  // [MOST_GROUPS]
    i32* owners;    // [CALLS]
};
static_assert(sizeof(Job) == JOB_BYTES && sizeof(Groups) == GROUPS_BYTES, "rows of work");

__device__ __forceinline__ u32 behind_last(const Store& store, const Program& prog, i32 list, i32 call) {
    u32 end = 0;
    const i64 first = store.list_first[list], stop = store.list_first[list + 1];
    for (i64 at = first; at < stop; ++at)
        if (prog.entries[store.list_items[at] >> 1].call == call) end = static_cast<u32>(at - first) + 1;
    return end;
}

// --- sets of cells: a warp a place ---------------------------------------------------------------

__device__ __forceinline__ bool meet(const u64* own, const u64* others, u32 lane) {
    u64 both = 0;
#pragma unroll
    for (u32 k = 0; k < WORDS_A_LANE; ++k)
        if (k * WARP + lane < SET_WORDS) both |= own[k] & others[k * WARP + lane];
    return __any_sync(ALL_LANES, both != 0);
}

// Least and most of each term beyond the hull in a set; `own` are this lane's words of it.
__device__ inline void ranges_of(const Store& store, const u64* own, u32 lane, i8 (*ranges)[2]) {
    const i32 all_values = store.reach_first[RANGES];
    for (u32 term = 0; term < RANGES; ++term) {
        const i32 first = store.reach_first[term], count = store.reach_first[term + 1] - first;
        i32 low = 0, high = count - 1;
        while (low < count - 1 && !meet(own, store.reach[first + low], lane)) ++low;
        while (high > low && !meet(own, store.reach[all_values + first + high], lane)) --high;
        if (lane == 0) {
            ranges[term][0] = static_cast<i8>(low);
            ranges[term][1] = static_cast<i8>(high);
        }
    }
}

// Least and most HCP and cards of each suit in a set that the warp has written.
__device__ inline void hull_of(const Store& store, const u64* cells, u32 lane, u8 (*hull)[2]) {
    u64 points = 0;
    u32 low[4] = {255, 255, 255, 255}, high[4] = {0, 0, 0, 0};
    for (i32 shape = static_cast<i32>(lane); shape < SHAPES; shape += WARP) {
        const u32 bit = static_cast<u32>(shape) * POINTS, word = bit >> 6, shift = bit & 63;
        u64 found = cells[word] >> shift;
        if (shift + POINTS > 64) found |= cells[word + 1] << (64 - shift);
        found &= (1ull << POINTS) - 1;
        if (found == 0) continue;
        points |= found;
#pragma unroll
        for (u32 suit = 0; suit < 4; ++suit) {
            const u32 cards = store.lengths[shape][suit];
            low[suit] = min(low[suit], cards);
            high[suit] = max(high[suit], cards);
        }
    }
    for (i32 step = WARP / 2; step > 0; step /= 2) {
        points |= __shfl_xor_sync(ALL_LANES, points, step);
#pragma unroll
        for (u32 suit = 0; suit < 4; ++suit) {
            low[suit] = min(low[suit], __shfl_xor_sync(ALL_LANES, low[suit], step));
            high[suit] = max(high[suit], __shfl_xor_sync(ALL_LANES, high[suit], step));
        }
    }
    if (lane != 0) return;
    hull[0][0] = points == 0 ? 255 : static_cast<u8>(__ffsll(static_cast<i64>(points)) - 1);
    hull[0][1] = points == 0 ? 0 : static_cast<u8>(63 - __clzll(static_cast<i64>(points)));
    for (u32 suit = 0; suit < 4; ++suit) {
        hull[1 + suit][0] = static_cast<u8>(low[suit]);
        hull[1 + suit][1] = static_cast<u8>(high[suit]);
    }
}

// The cells that the call of each job has shown: sets, hulls, ranges and digests.
extern "C" __global__ void __launch_bounds__(128) show_cells(
    const Program* __restrict__ programs, const Store* __restrict__ stores,
    const Job* __restrict__ jobs, u32 count, u64 (*__restrict__ sets)[SET_WORDS],
    u8 (*__restrict__ hulls)[HULL][2], i8 (*__restrict__ ranges)[RANGES][2],
    u64* __restrict__ digests) {
    const u64 item = thread_number() / WARP;
    if (item >= count) return;
    const u32 lane = threadIdx.x % WARP;
    const Store& store = *stores;
    const Job& job = jobs[item];
    const Place& before = store.rows[job.row];
    const Program& prog = programs[before.length & 1];
    const u64* const possible_cells = store.sets[before.known[before.length & 3]];
    u64 taken[WORDS_A_LANE] = {}, loose[WORDS_A_LANE] = {}, shown[WORDS_A_LANE] = {};
    u64 possible[WORDS_A_LANE] = {};
#pragma unroll
    for (u32 k = 0; k < WORDS_A_LANE; ++k)
        if (k * WARP + lane < SET_WORDS) possible[k] = possible_cells[k * WARP + lane];

    const u32 end = behind_last(store, prog, job.list, job.call);
    const i64 first = store.list_first[job.list];
    const i64 stop = end != 0 ? first + end : store.list_first[job.list + 1];
    for (i64 at = first; at < stop; ++at) {
        const Entry& entry = prog.entries[store.list_items[at] >> 1];
        const Needs& needs = prog.needs[entry.needs];
        const bool is_other = entry.call != job.call;
        if (is_other && !needs.certain) continue;
        const u64* const cells = prog.cells[is_other ? needs.must : needs.can];
#pragma unroll
        for (u32 k = 0; k < WORDS_A_LANE; ++k) {
            if (k * WARP + lane >= SET_WORDS) continue;
            const u64 word = cells[k * WARP + lane];
            if (is_other) {
                taken[k] |= word;
            } else {
                loose[k] |= word;
                shown[k] |= word & possible[k] & ~taken[k];
            }
        }
    }
    u64 some = 0, both = 0, any_loose = 0;
#pragma unroll
    for (u32 k = 0; k < WORDS_A_LANE; ++k) {
        // a pass by default denies every line; of another unknown call nothing is known
        if (end == 0 && job.call == 0) shown[k] = possible[k] & ~taken[k];
        some |= shown[k];
        both |= loose[k] & possible[k];
        any_loose |= loose[k];
    }
    if (!__any_sync(ALL_LANES, some != 0)) {
        // nobody who keeps to the system makes this call: take it at face value
        const bool is_possible = __any_sync(ALL_LANES, both != 0);
        const bool is_some = __any_sync(ALL_LANES, any_loose != 0);
#pragma unroll
        for (u32 k = 0; k < WORDS_A_LANE; ++k)
            shown[k] = is_possible ? loose[k] & possible[k] : is_some ? loose[k] : possible[k];
    }
    u64* const cells = sets[item];
#pragma unroll
    for (u32 k = 0; k < WORDS_A_LANE; ++k)
        if (k * WARP + lane < SET_WORDS) cells[k * WARP + lane] = shown[k];
    __syncwarp();
    hull_of(store, cells, lane, hulls[item]);
    ranges_of(store, shown, lane, ranges[item]);
    u64 digest = 0;
#pragma unroll
    for (u32 k = 0; k < WORDS_A_LANE; ++k) digest += mixed(shown[k] + mixed(k * WARP + lane + 1));
    for (i32 step = WARP / 2; step > 0; step /= 2)
        digest += __shfl_xor_sync(ALL_LANES, digest, step);
    if (lane == 0) digests[item] = digest >> 1;
}

// Keeps the sets of some items under new numbers, a warp each.
extern "C" __global__ void __launch_bounds__(128) keep_sets(
    const u64 (*__restrict__ sets)[SET_WORDS], const i8 (*__restrict__ ranges)[RANGES][2],
    const i32* __restrict__ items, const i32* __restrict__ numbers, u32 count,
    u64 (*__restrict__ kept_sets)[SET_WORDS], i8 (*__restrict__ kept_ranges)[RANGES][2]) {
    const u64 which = thread_number() / WARP;
    if (which >= count) return;
    const i32 item = items[which], number = numbers[which];
    const u32 lane = threadIdx.x % WARP;
    for (u32 word = lane; word < SET_WORDS; word += WARP) kept_sets[number][word] = sets[item][word];
    for (u32 term = lane; term < RANGES; term += WARP)
        for (u32 end = 0; end < 2; ++end) kept_ranges[number][term][end] = ranges[item][term][end];
}

// Keeps the rows of some items one behind the other, a warp each, with the numbers of their sets.
//
//   different  items whose set is not the one that is kept under its number, and how many, the first
extern "C" __global__ void __launch_bounds__(128) keep_rows(
    const u32 (*__restrict__ rows)[PLACE_WORDS], const u64 (*__restrict__ sets)[SET_WORDS],
    const i32* __restrict__ items, const i32* __restrict__ numbers, u32 count,
    const u64 (*__restrict__ kept_sets)[SET_WORDS], u32 (*__restrict__ kept_rows)[PLACE_WORDS],
    i32* __restrict__ different) {
    const u64 which = thread_number() / WARP;
    if (which >= count) return;
    const i32 item = items[which], number = numbers[which];
    const u32 lane = threadIdx.x % WARP;
    bool is_other = false;
    for (u32 word = lane; word < SET_WORDS; word += WARP)
        is_other |= kept_sets[number][word] != sets[item][word];
    if (__any_sync(ALL_LANES, is_other) && lane == 0)
        different[1 + atomicAdd(different, 1)] = static_cast<i32>(which);
    const u32 named = KNOWN_WORD + ((rows[item][LENGTH_WORD] - 1u) & 3u);
    for (u32 word = lane; word < PLACE_WORDS; word += WARP)
        kept_rows[which][word] = word == named ? static_cast<u32>(number) : rows[item][word];
}

// Copies what is kept to a larger array, two bytes a thread.
extern "C" __global__ void __launch_bounds__(256) copy_kept(
    const u16* __restrict__ from, u64 count, u16* __restrict__ to) {
    const u64 number = thread_number();
    if (number < count) to[number] = from[number];
}

// Works out the ranges of some sets, by their numbers, a warp each.
extern "C" __global__ void __launch_bounds__(128) fill_ranges(
    const Store* __restrict__ stores, const i32* __restrict__ numbers, u32 count,
    i8 (*__restrict__ ranges)[RANGES][2]) {
    const u64 item = thread_number() / WARP;
    if (item >= count) return;
    const u32 lane = threadIdx.x % WARP;
    const u64* const cells = stores->sets[numbers[item]];
    u64 own[WORDS_A_LANE] = {};
#pragma unroll
    for (u32 k = 0; k < WORDS_A_LANE; ++k)
        if (k * WARP + lane < SET_WORDS) own[k] = cells[k * WARP + lane];
    ranges_of(*stores, own, lane, ranges[numbers[item]]);
}

// --- rows and entries: a thread a place ----------------------------------------------------------

// One thread's work on one place, by one side's system. Loops over terms stay loops: unrolled they
// keep more of a row in registers than there are.
struct Worker {
    const Program& prog;
    const Store& store;
    i64 blamed;  // the item, or -1 - item where the row before is asked
    Asked at;
    i64 (*misses)[5];
    i32 missed;
    Room room;
    bool too_much;

    __device__ __forceinline__ Worker(
        const Program& prog, const Store& store, i64 blamed, const Place& row,
        const i8 (*new_ranges)[RANGES][2], i64 (*misses)[5], i32 missed)
        : prog(prog), store(store), blamed(blamed), at{&row, store.ranges.data, new_ranges},
          misses(misses), missed(missed), room{}, too_much(false) {}

    // Notes what is missing, as long as there is room: the rest comes up again.
    __device__ void note(i32 kind, i64 a, i64 b, i64 c) {
        if (missed >= MOST_MISSES) return;
        i64* const row = misses[missed++];
        row[0] = kind, row[1] = blamed, row[2] = a, row[3] = b, row[4] = c;
    }

    // Called, not copied to where it is used: fewer registers, and a tenth of the compiler's time.
    __device__ __noinline__ i32 decide(i32 root) {
        i32 edge = prog.roots[root];
        while (edge >= 0) {
            const Decision& decision = prog.decisions[edge];
            const Question& q = prog.questions[decision.question];
            const i32 found = answer(at, q);
            if (q.kind >= MANY_ANSWERS) edge = found ? decision.yes : decision.no;
            else edge = find(prog.answers, static_cast<u64>(edge) << 32 | static_cast<u32>(found));
        }
        if (edge != UNKNOWN) return LEAF - edge;
        note(MISS_DECISION, root, 0, 0);
        return MISSING;
    }

    __device__ i32 needs_of(i32 subject, i32 bindings) {
        if (subject < 0) return ANY_HAND;
        const i32 root = find(prog.root_numbers, static_cast<u64>(subject) << 16 | static_cast<u32>(bindings));
        if (root >= 0) return decide(root);
        note(MISS_ROOT, subject, bindings, 0);
        return MISSING;
    }

    __device__ i32 joined(i32 first, i32 second) {
        if (first == ANY_HAND || second == ANY_HAND) return first + second;  // ANY_HAND is 0
        const i32 found = find(prog.joined, static_cast<u64>(first) << 32 | static_cast<u32>(second));
        if (found < 0) note(MISS_JOIN, first, second, 0);
        return found;
    }

    // --- advance ---

    __device__ static void narrow(i16* bounds, i32 low, i32 high) {
        const i32 both_low = max(static_cast<i32>(bounds[0]), low);
        const i32 both_high = min(static_cast<i32>(bounds[1]), high);
        const bool meets = both_low <= both_high;
        bounds[0] = static_cast<i16>(meets ? both_low : low);
        bounds[1] = static_cast<i16>(meets ? both_high : high);
    }

    // Widens `hull` by what an entry and its promises say of terms.
    __device__ bool add_bounds(const Entry& entry, i16 (*hull)[2]) {
        const Needs& own = prog.needs[entry.needs];
        const Variant& variant = prog.variants[entry.variant];
        i16 promise[TERMS][2];
#pragma unroll 1
        for (u32 term = 0; term < TERMS; ++term) promise[term][0] = -WIDEST, promise[term][1] = WIDEST;
        for (i32 place = variant.first_promise; place < variant.end_promise; ++place) {
            const i32 needs = needs_of(prog.promises[place], entry.bindings);
            if (needs == MISSING) return false;
            if (needs == NEVER) continue;
            const Needs& promised = prog.needs[needs];
#pragma unroll 1
            for (u32 term = 0; term < TERMS; ++term)
                narrow(promise[term], promised.promised[term][0], promised.promised[term][1]);
        }
#pragma unroll 1
        for (u32 term = 0; term < TERMS; ++term) {
            i16 bounds[2] = {own.terms[term][0], own.terms[term][1]};
            narrow(bounds, promise[term][0], promise[term][1]);
            hull[term][0] = min(hull[term][0], bounds[0]);
            hull[term][1] = max(hull[term][1], bounds[1]);
        }
        return true;
    }

    __device__ static i32 letter_of(i32 word, u32 bindings) {
        if (word < 5) return word + 1;
        const i32 variable = word - 5;
        const i32 found = static_cast<i32>(bindings >> 3 * variable & 7);
        if (found != 0 || variable > 3) return found;
        const i32 other = static_cast<i32>(bindings >> 3 * (variable ^ 1) & 7);
        return other != 0 ? ((other - 1) ^ 1) + 1 : 0;
    }

    // Suit of the first line of a call that has one for an agreement's word, 0 for none.
    __device__ i32 agreed_by(i32 list, i32 call, i32 word) {
        i32 line = -1;
        for (i64 use = store.list_first[list]; use < store.list_first[list + 1]; ++use) {
            const Entry& user = prog.entries[store.list_items[use] >> 1];
            const i32 its_line = prog.variants[user.variant].line;
            if (user.call != call || its_line == line) continue;
            line = its_line;
            const i32 letter = letter_of(word, prog.bindings[user.bindings]);
            if (letter != 0) return letter;
        }
        return 0;
    }

    // Suit of the last agreement of a call that names one, each agreement where it came first.
    __device__ i32 agreed(i32 list, i32 call) {
        i32 seen[AGREEMENTS];
        i32 found = 0, count = 0;
        for (i64 place = store.list_first[list]; place < store.list_first[list + 1]; ++place) {
            const Entry& entry = prog.entries[store.list_items[place] >> 1];
            if (entry.call != call) continue;
            const Variant& variant = prog.variants[entry.variant];
            for (i32 number = variant.first_agreed; number < variant.end_agreed; ++number) {
                const i32 agreement = prog.agreed[number][0];
                i32 old = 0;
                while (old < count && seen[old] != agreement) ++old;
                if (old < count) continue;
                if (count < AGREEMENTS) seen[count++] = agreement;
                const i32 letter = agreed_by(list, call, prog.agreed[number][1]);
                if (letter != 0) found = letter;
            }
        }
        return found;
    }

    __device__ static void describe_call(Place& row, i32 call, i32 me) {
        row.deed[me] = 0;
        row.jump[me] = 0;
        if (call < 3) return;
        const i32 suit = (call - 3) % 5 + 1, level = (call - 3) / 5 + 1;
        const i32 jump = level - cheapest_level(row.last_bid, suit);
        row.jump[me] = static_cast<i8>(jump);
        if (suit == NOTRUMP) return;
        const i32 bit = 1 << (suit - 1), own = set_of(row.suits[me]);
        const i32 theirs = set_of(row.suits[(me + 1) & 3]) | set_of(row.suits[(me + 3) & 3]);
        const bool raised = set_of(row.suits[me ^ 2]) & bit;
        const bool cue = theirs & bit && !raised;
        const bool is_new = !raised && !cue && !(own & bit);
        const bool reverse = is_new && jump == 0 && level == 2 && own != 0 && bit > own;
        row.deed[me] = static_cast<u8>(
            DEED_RAISE * raised + DEED_NEW_SUIT * is_new + DEED_CUE_BID * cue + DEED_REVERSE * reverse);
    }

    __device__ static void add_suit(Place& row, i32 me, i32 suit) {
        const i32 suits = row.suits[me];
        if (set_of(suits) & 1 << (suit - 1)) return;
        i32 shift = 0;
        while (suits >> shift) shift += 3;
        row.suits[me] = static_cast<u16>(suits | suit << shift);
    }

    __device__ static void make_call(Place& row, i32 call, i32 me) {
        row.call[me] = static_cast<u8>(call);
        row.made[me] |= 1ull << call;
        for (u32 word = 0; word < TAG_WORDS; ++word) row.tags_ever[me][word] |= row.tags[me][word];
        if (call == 0) {
            ++row.passes;
        } else {
            row.passes = 0;
            row.acted[me & 1] = 1;
            if (row.opening < 0) {
                row.opening = row.length;
                row.opening_call = static_cast<u8>(call);
            }
        }
        if (call >= 3) {
            row.last_bid = static_cast<u8>(call);
            row.last_bidder = static_cast<u8>(me);
            row.doubled = 0;
            for (u32 word = 0; word < TAG_WORDS; ++word) row.last_bid_tags[word] = row.tags[me][word];
        } else if (call > 0) {
            row.doubled = static_cast<u8>(call);
        }
        ++row.length;
    }

    // Writes kinds, tags and bounds of a call to the row; false if something is missing.
    __device__ bool learn_call(Place& row, const Job& job, i32 me, u32 end) {
        u32 kinds = 0;
        i16 terms[TERMS][2];
#pragma unroll 1
        for (u32 term = 0; term < TERMS; ++term) terms[term][0] = WIDEST, terms[term][1] = -WIDEST;
        for (u32 word = 0; word < TAG_WORDS; ++word) row.tags[me][word] = 0;
        bool is_missing = false;
        const i64 first = store.list_first[job.list];
        for (i64 place = first; place < first + end; ++place) {
            const Entry& entry = prog.entries[store.list_items[place] >> 1];
            if (entry.call != job.call) continue;
            const Variant& variant = prog.variants[entry.variant];
            kinds |= variant.kinds;
            for (u32 word = 0; word < TAG_WORDS; ++word) row.tags[me][word] |= variant.tags[word];
            if (!add_bounds(entry, terms)) is_missing = true;
        }
        if (is_missing) return false;
        if (end != 0)
#pragma unroll 1
            for (u32 term = 0; term < TERMS; ++term)
                narrow(row.terms[me][term], terms[term][0], terms[term][1]);
        row.kinds[me] = kinds;
        return true;
    }

    // Writes the row behind a call, which has shown a set with that hull; false if something is
    // missing. The set is named -1 - item.
    __device__ bool advance(
        const Program* programs, const Job& job, i32 item, const u8 (*hull)[2], Place& row) {
        const Place& before = *at.row;
        const i32 me = before.length & 3, side = me & 1, call = job.call;
        row = before;
        row.parent = job.parent;
        row.known[me] = -1 - item;
        for (u32 term = 0; term < HULL; ++term)
            for (u32 side_of = 0; side_of < 2; ++side_of) row.hull[me][term][side_of] = hull[term][side_of];
        bool is_missing = false;
        for (i32 either = 0; either < 2; ++either) {
            const i32 state = find(
                programs[either].moves,
                static_cast<u64>(static_cast<u32>(before.pattern[either])) << 6 | static_cast<u32>(call));
            if (state < 0) {
                note(MISS_MOVE, either, before.pattern[either], call);
                is_missing = true;
            }
            row.pattern[either] = state;
        }
        const u32 end = behind_last(store, prog, job.list, call);
        if (!learn_call(row, job, me, end) || is_missing) return false;
        const bool artificial = row.kinds[me] & ARTIFICIAL;
        i32 trumps = agreed(job.list, call);
        const i32 suit = call >= 3 ? (call - 3) % 5 + 1 : 0;
        describe_call(row, call, me);
        if (trumps == 0 && row.deed[me] & DEED_RAISE && !artificial) trumps = suit;
        if (suit != 0 && !artificial) {
            if (suit == NOTRUMP) row.notrump[me] = 1;
            else add_suit(row, me, suit);
        }
        if (call != 0 && end != 0)
            for (i32 other = 0; other < 4; ++other)
                if (row.hull[me][1 + other][0] >= NATURAL_LENGTH) add_suit(row, me, other + 1);
        if (trumps != 0) row.agreed[side] = static_cast<u8>(trumps);
        if (row.kinds[me] & FORCING_TO_GAME) row.game_forced[side] = 1;
        make_call(row, call, me);
        return true;
    }

    // --- expand ---

    // Adds the groups that apply below a tree and its siblings; MISSING if something is.
    __device__ i32 climb(i32 first, i32 count) {
        if (first < 0) return count;
        bool is_missing = false;
        i32 stack[STACK][2];
        stack[0][0] = first, stack[0][1] = ANY_HAND;
        i32 depth = 1;
        while (depth != 0) {
            --depth;
            const i32 number = stack[depth][0];
            i32 needs = stack[depth][1];
            const Tree& tree = prog.forest[number];
            if (depth + 2 > STACK || count == MOST_GROUPS) {
                too_much = true;
                return count;
            }
            if (tree.sibling >= 0) stack[depth][0] = tree.sibling, stack[depth++][1] = needs;
            if (tree.root >= 0) {
                i32 own = decide(tree.root);
                if (own == NEVER) continue;
                if (own != MISSING) own = joined(needs, own);
                if (own == MISSING) {
                    is_missing = true;
                    continue;
                }
                needs = own;
            }
            if (tree.group >= 0)
                room.found[count++] = {
                    prog.groups[tree.group].turn, tree.group, tree.bindings, needs};
            if (tree.child >= 0) stack[depth][0] = tree.child, stack[depth++][1] = needs;
        }
        return is_missing ? MISSING : count;
    }

    __device__ void put_in_order(i32 count) {
        Groups* const found = room.found;
        for (i32 number = 1; number < count; ++number) {
            const Groups one = found[number];
            i32 place = number;
            for (; place != 0 && found[place - 1].turn > one.turn; --place) found[place] = found[place - 1];
            found[place] = one;
        }
    }

    __device__ bool is_legal(i32 call) const {
        const Place& row = *at.row;
        if (call >= 3) return call > row.last_bid;
        if (call == 0) return true;
        if (row.last_bid == 0) return false;
        const bool ours = ((row.last_bidder - row.length) & 1) == 0;
        return call == 1 ? row.doubled == 0 && !ours : row.doubled == 1 && ours;
    }

    // Appends the entries of a line for one call; the new end, or MISSING.
    __device__ i32 line_entries(
        const Line& line, i32 call, i32 bindings, i32 needs, i32 begins, i32 end) {
        const i32 common = needs_of(line.condition, bindings);
        if (common == NEVER) return end;
        if (common == MISSING) return MISSING;
        const i32 both = joined(needs, common);
        bool is_missing = both == MISSING;
        for (i32 variant = line.first; variant < line.end; ++variant) {
            i32 own = needs_of(prog.variants[variant].condition, bindings);
            if (own == NEVER) continue;
            if (own != MISSING && both != MISSING) own = joined(both, own);
            if (own == MISSING || both == MISSING) {
                is_missing = true;
                continue;
            }
            const u64 key = static_cast<u64>(variant) << 44 | static_cast<u64>(own) << 22 |
                            static_cast<u64>(call) << 16 | static_cast<u64>(bindings);
            const i32 entry = find(prog.entry_numbers, key);
            if (entry < 0) {
                note(MISS_ENTRY, variant, bindings, static_cast<i64>(call) << 32 | own);
                is_missing = true;
                continue;
            }
            if (end < MOST_ITEMS) room.items[end] = entry << 1 | begins;
            begins = 0;
            ++end;
        }
        return is_missing ? MISSING : end;
    }

    // Appends the entries of one group, found under several bindings; the new end, or MISSING.
    __device__ i32 group_entries(i32 start, i32 stop, i32 end) {
        const Groups* const found = room.found;
        i32* const owners = room.owners;
        const Group& group = prog.groups[found[start].group];
        bool is_missing = false;
        for (i32 place = group.first; place < group.end; ++place) {
            const Line& line = prog.lines[prog.group_lines[place]];
            for (i32 number = start; number < stop; ++number) {
                i32 begins = 1, first = 0, last = 1;
                if (line.call >= 0) {
                    if (!is_legal(line.call)) continue;
                } else {
                    const i32 calls = needs_of(line.pattern, found[number].bindings);
                    if (calls == MISSING) {
                        is_missing = true;
                        continue;
                    }
                    first = prog.calls_first[calls], last = prog.calls_first[calls + 1];
                }
                for (i32 which = first; which < last; ++which) {
                    const i32 call = line.call >= 0 ? line.call : prog.calls_code[which];
                    const i32 bound = line.call >= 0 ? found[number].bindings : prog.calls_bindings[which];
                    if (owners[call] >= 0 && owners[call] != group.specificity) continue;
                    const i32 more = line_entries(line, call, bound, found[number].needs, begins, end);
                    if (more == MISSING) {
                        // what it would have hidden is not known, so more may seem to be missing
                        is_missing = true;
                    } else if (more > end) {
                        // a line that cannot hold here (its facts fail) hides nothing
                        owners[call] = group.specificity;
                        begins = 0;
                        end = more;
                    }
                }
            }
        }
        return is_missing ? MISSING : end;
    }

    // Adds the groups below the lines of partner's last call.
    __device__ i32 below(i32 list, i32 call, i32 count) {
        const u32 their_call = at.row->call[(at.me() + 3) & 3];
        i32 last_line = -1;
        bool is_missing = false;
        for (i64 place = store.list_first[list]; place < store.list_first[list + 1]; ++place) {
            const Entry& entry = prog.entries[store.list_items[place] >> 1];
            if (entry.call != call) continue;
            const i32 line = prog.variants[entry.variant].line;
            if (line == last_line) continue;
            last_line = line;
            const i32 head = find(
                prog.below, static_cast<u64>(line) << 32 | static_cast<u64>(entry.bindings) << 8 | their_call);
            if (head == -1) {
                note(MISS_BELOW, line, entry.bindings, their_call);
                is_missing = true;
            } else if (head >= 0) {
                const i32 more = climb(head, count);
                if (more == MISSING) is_missing = true;
                else count = more;
            }
        }
        return is_missing ? MISSING : count;
    }

    // Writes the entries of a place; how many there are, or MISSING.
    __device__ i32 expand(i32 partners, const Room& where) {
        room = where;
        const i32 me = at.me();
        i32 count = climb(prog.heads[at.row->pattern[me & 1]], 0);
        if (count != MISSING && partners >= 0) count = below(partners, at.row->call[me ^ 2], count);
        if (count != MISSING) count = climb(prog.anywhere[0], count);
        if (count == MISSING || too_much) return MISSING;
        put_in_order(count);
        for (i32 call = 0; call < CALLS; ++call) room.owners[call] = -1;
        bool is_missing = false;
        i32 end = 0;
        for (i32 start = 0; start < count;) {
            i32 stop = start + 1;
            while (stop < count && room.found[stop].turn == room.found[start].turn) ++stop;
            const i32 more = group_entries(start, stop, end);
            if (more == MISSING) is_missing = true;
            else end = more;
            start = stop;
        }
        return is_missing ? MISSING : end;
    }
};

// Rows of each job, once show_cells has said what the calls have shown.
//
//   missed  notes of what is missing, as far as there was room
extern "C" __global__ void __launch_bounds__(64, 4) advance_rows(
    const Program* __restrict__ programs, const Store* __restrict__ stores,
    const Job* __restrict__ jobs, u32 count, const u8 (*__restrict__ hulls)[HULL][2],
    Place* __restrict__ rows, i32* __restrict__ status, i32* __restrict__ missed,
    i64 (*__restrict__ misses)[MOST_MISSES][5]) {
    const u64 item = thread_number();
    if (item >= count) return;
    const Place& before = stores->rows[jobs[item].row];
    const Program& prog = programs[before.length & 1];
    // the row before is blamed for what is missing
    Worker worker(prog, *stores, -1 - static_cast<i64>(item), before, nullptr, misses[item], 0);
    const bool is_done = worker.advance(
        programs, jobs[item], static_cast<i32>(item), hulls[item], rows[item]);
    status[item] = is_done ? DONE : LEARN;
    missed[item] = worker.missed;
}

// Entries of each job whose row is there; counts say how many.
extern "C" __global__ void __launch_bounds__(64, 4) expand_places(
    const Program* __restrict__ programs, const Store* __restrict__ stores,
    const Job* __restrict__ jobs, u32 count, const i8 (*__restrict__ ranges)[RANGES][2],
    const Place* __restrict__ rows, i32* __restrict__ status, i32* __restrict__ counts,
    i32 (*__restrict__ items)[MOST_ITEMS], i32* __restrict__ missed,
    i64 (*__restrict__ misses)[MOST_MISSES][5], Groups (*__restrict__ found)[MOST_GROUPS],
    i32 (*__restrict__ owners)[CALLS]) {
    const u64 item = thread_number();
    if (item >= count) return;
    counts[item] = 0;
    if (status[item] != DONE || jobs[item].only_row) return;
    const Place& row = rows[item];
    Worker worker(
        programs[row.length & 1], *stores, static_cast<i64>(item), row, ranges, misses[item],
        missed[item]);
    const i32 end = worker.expand(jobs[item].partners, {items[item], found[item], owners[item]});
    missed[item] = worker.missed;
    // the host works out what has no room here
    if (worker.too_much || end > MOST_ITEMS) status[item] = TOO_MUCH;
    else if (end == MISSING) status[item] = LEARN;
    else counts[item] = end;
}

// Puts the entries of all places one behind the other.
extern "C" __global__ void __launch_bounds__(128) gather_items(
    const i32* __restrict__ counts, const i32 (*__restrict__ items)[MOST_ITEMS],
    const u32* __restrict__ first, u32 count, i32* __restrict__ out) {
    const u64 item = thread_number() / WARP;
    if (item >= count) return;
    for (i32 at = static_cast<i32>(threadIdx.x % WARP); at < counts[item]; at += WARP)
        out[first[item] + static_cast<u32>(at)] = items[item][at];
}
