// The core as a shared library: functions over arrays that Python owns, called through ctypes, and
// memory from the C library. The one translation unit; build.py says how it is compiled.
//
// Numbers that come with a call are looked at here, before anything follows them: what is out of
// range is refused with INVALID, and nothing has been changed then.
#include "tables/auction_tries.hpp"
#include "places/bidding.hpp"
#include "places/learning_together.hpp"
#include "deals/deal_states.hpp"
#include "tables/real_calls.hpp"
#include "deals/double_dummy.hpp"
#include "deals/drawing.hpp"
#include "deals/judging.hpp"
#include "files/lin.hpp"
#include "files/pbn.hpp"
#include "files/plays.hpp"
#include "deals/par.hpp"
#include "deals/rules_of_thumb.hpp"
#include "tables/sorted_rows.hpp"
#include "tables/sorting.hpp"
#include "deals/trick_bounds.hpp"
#include "tables/trie.hpp"

#ifndef CORE_VERSION
#error "expected CORE_VERSION, a digest of the sources (build.py)"
#endif

#ifdef _WIN32
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

extern "C" {
void* calloc(decltype(sizeof(0)) count, decltype(sizeof(0)) bytes);
void free(void* memory);
#ifdef _WIN32
__declspec(dllimport) int __stdcall SwitchToThread();
#else
int sched_yield() noexcept;
#endif
#ifdef __linux__
int madvise(void* memory, decltype(sizeof(0)) bytes, int advice) noexcept;
#endif
}

inline void* operator new(decltype(sizeof(0)), void* where) noexcept { return where; }

namespace core {

namespace {

// Asks for pages of 2 MiB for what lies in memory that nobody has touched, where the system has them.
void in_large_pages(u8* memory, u64 bytes) {
#ifdef __linux__
    constexpr u64 PAGE = 2 << 20;
    constexpr int HUGE_PAGES = 14;  // MADV_HUGEPAGE
    const u64 skipped = -reinterpret_cast<u64>(memory) & (PAGE - 1);
    // it is only advice: what becomes of it changes no answer
    if (skipped + PAGE <= bytes) madvise(memory + skipped, (bytes - skipped) & ~(PAGE - 1), HUGE_PAGES);
#else
    (void)memory, (void)bytes;
#endif
}

}  // namespace

void* allocate(u64 bytes) {
    void* const memory = calloc(1, bytes ? bytes : 1);
    if (memory == nullptr) __builtin_trap();
    // what places ask lies all over what was learned
    in_large_pages(static_cast<u8*>(memory), bytes);
    return memory;
}

namespace {

#if defined(__ELF__) && __has_include(<gnu/libc-version.h>)
// without a call of the loader, which is one more library of glibc; musl opens no library with this
__attribute__((tls_model("initial-exec")))
#endif
thread_local Vec<void*>* leaving = nullptr;

}  // namespace

void release(void* memory, u64) {
    Vec<void*>* const left = leaving;
    if (left == nullptr) {
        free(memory);
        return;
    }
    leaving = nullptr;  // its own memory nobody else reads
    left->push(memory);
    leaving = left;
}

void leave_memory(Vec<void*>* left) { leaving = left; }

void yield_thread() {
#ifdef _WIN32
    SwitchToThread();
#else
    sched_yield();
#endif
}

namespace {

constexpr i64 INVALID = -1;

bool are_below(const i32* numbers, i64 count, i64 end) {
    for (i64 at = 0; at < count; ++at)
        if (numbers[at] < 0 || numbers[at] >= end) return false;
    return true;
}

bool are_below(const i64* numbers, i64 count, i64 end) {
    for (i64 at = 0; at < count; ++at)
        if (numbers[at] < 0 || numbers[at] >= end) return false;
    return true;
}

bool are_calls(const u8* calls, i64 count) {
    for (i64 at = 0; at < count; ++at)
        if (calls[at] >= CALLS) return false;
    return true;
}

// Whether numbers go up and stay within `end`.
bool are_offsets(const i64* offsets, i64 count, i64 end) {
    for (i64 at = 0; at < count; ++at)
        if (offsets[at] < 0 || offsets[at] > offsets[at + 1]) return false;
    return count < 0 || (offsets[0] >= 0 && offsets[count] <= end);
}

bool are_places(const Store& store, const i32* places, i64 count) {
    return are_below(places, count, store.counts[PLACES]);
}

// Whether packed bindings give no variable a strain or a level that there is not.
bool are_bindings(u64 code) {
    if (code >> 3 * (VARIABLES + 1)) return false;
    for (u64 variable = 0; variable < VARIABLES; ++variable)
        if ((code >> 3 * variable & 7) > 4) return false;
    return true;
}

// Whether places were worked out, so that hands may choose there.
bool are_chosen(const Store& store, const i32* places, i64 count) {
    if (!are_places(store, places, count)) return false;
    for (i64 at = 0; at < count; ++at)
        if (store.chosen[places[at]] < 0) return false;
    return true;
}

}  // namespace

namespace {

// Tables of a packing that Python made, as core/packing.py has them in a Group; see Packing.
struct PackingTables {
    Array<u64> suit_words, length_words, context_words;
    Array<u8> cards;
    Array<u16> kinds;
    Array<i32> code, program_starts, program_flags, term_suits, term_lengths, term_contexts;
};

// Whether tables are of hands of so many words.
bool are_tables(const PackingTables& tables, u64 lane_words, u64 flag_words) {
    const u64 words = lane_words + flag_words, terms = tables.term_contexts.length / CONTEXTS;
    const u64 kinds = tables.cards.length;
    u16 last = 0;  // no early end: this is done in vectors, for each block
    for (u64 at = 0; at < tables.kinds.length; ++at)
        last = tables.kinds.data[at] > last ? tables.kinds.data[at] : last;
    const bool fit = tables.suit_words.length == 4 * kinds * words &&
                     tables.length_words.length == TABLE_SHAPES * words &&
                     tables.context_words.length == CONTEXTS * words &&
                     tables.kinds.length == HOLDINGS && last < kinds &&
                     tables.term_suits.length == 4 * HOLDINGS * terms &&
                     tables.term_lengths.length == TABLE_SHAPES * terms &&
                     tables.program_flags.length == tables.program_starts.length;
    if (!fit) return false;
    const u64 programs = tables.program_starts.length;
    for (u64 at = 0; at < programs; ++at)
        if (!is_program({tables.code.data, tables.code.length}, tables.program_starts.data[at],
                        static_cast<i64>(terms)))
            return false;
    return are_below(tables.program_flags.data, static_cast<i64>(programs),
                     64 * static_cast<i64>(flag_words));
}

Packing packing_of(const PackingTables& tables, i32 lane_words, i32 flag_words) {
    const i32 words = lane_words + flag_words;
    return {words, lane_words, words, tables.suit_words.data, tables.length_words.data,
            tables.context_words.data, tables.cards.data,
            static_cast<i32>(tables.program_starts.length), tables.code.data,
            tables.program_starts.data, tables.program_flags.data, tables.term_suits.data,
            tables.term_lengths.data, tables.term_contexts.data, 0, nullptr, nullptr, nullptr,
            tables.kinds.data, tables.cards.length};
}

// A bidding table for the walk, whose arrays core_table_problem looked at, and some of the deals.
struct TableBlock {
    const TableTests* tests;
    const PackingTables* packing;
    const u64* hands;
    const u8 *dealer, *vulnerability;
    i64 count, start, stop;

    bool is_valid(const Array<u64>& room, u64 more_words) const {
        return 0 <= start && start < stop && stop <= count && stop - start <= 1 << 16 &&
               are_tables(*packing, tests->lane_words(), tests->flag_words()) &&
               room.length >= block_words(*tests, static_cast<u64>(stop - start)) + more_words;
    }
    DealBlock fill(Arena& arena, bool rotate, bool with_columns) const {
        return fill_block(
            *tests,
            packing_of(*packing, static_cast<i32>(tests->lane_words()),
                       static_cast<i32>(tests->flag_words())),
            {hands, dealer, vulnerability, static_cast<u64>(count)}, static_cast<u64>(start),
            static_cast<u64>(stop), rotate, with_columns, arena);
    }
};

bool are_tests_of(const TableTests& tests, const i64* numbers, i64 count) {
    for (i64 at = 0; at < count; ++at)
        if (numbers[at] < 0 || !is_test(tests, static_cast<u64>(numbers[at]))) return false;
    return true;
}

// Whether a block has room for one place.
bool are_block(const Block& block) {
    return block.status.length > 0 && block.rows.length > 0 && block.sets.length > 0 &&
           block.hulls.length > 0 && block.ranges.length > 0 && block.first.length > 1 &&
           block.owners.length >= static_cast<u64>(CALLS) && block.sizes.length > 0 &&
           block.misses.length > 0 && block.stack.length > 1;
}

template <class T, class... Arguments>
T* create(Arguments... arguments) {
    return new (allocate(sizeof(T))) T(arguments...);
}

template <class T>
void destroy(T* made) {
    if (made == nullptr) return;
    made->~T();
    release(made, sizeof(T));
}

}  // namespace

}  // namespace core

using namespace core;

EXPORT u64 core_version() { return CORE_VERSION; }

// Sizes of the rows of rows.hpp, in its order; how many there are. Python has the same rows.
EXPORT i32 core_layout(i32* sizes) {
    const u64 all[] = {sizeof(Place), sizeof(Question), sizeof(Decision), sizeof(Tree),
                       sizeof(core::Group), sizeof(Line), sizeof(Variant), sizeof(Entry),
                       sizeof(Needs), sizeof(Test), sizeof(Slot), sizeof(Walk)};
    i32 count = 0;
    for (const u64 size : all) sizes[count++] = static_cast<i32>(size);
    return count;
}

// --- systems -------------------------------------------------------------------------------------

// A system of checked rows; null if they are not what an encoder writes.
EXPORT System* core_system_open(
    const i32* text, i64 text_count, const i32* structure, i64 structure_count) {
    if (text_count < 0 || structure_count < 0) return nullptr;
    System* const made = create<System>(
        text, static_cast<u64>(text_count), structure, static_cast<u64>(structure_count));
    if (made->is_open()) return made;
    destroy(made);
    return nullptr;
}

EXPORT void core_system_close(System* system) { destroy(system); }

// What could not be learned last: fault, and what it is about.
EXPORT void core_system_problem(const System* system, i64* out) {
    const Problem& problem = system->problem;
    out[0] = problem.fault;
    out[1] = problem.a, out[2] = problem.b, out[3] = problem.c, out[4] = problem.d;
}

// Addresses and lengths of what Python reads of a system: words and starts of expressions, words
// and starts of the criteria of needs.
EXPORT void core_system_rows(const System* system, u64* out) {
    const Rows* const rows[] = {&system->trees.expressions, &system->criteria};
    for (const Rows* const one : rows) {
        *out++ = reinterpret_cast<u64>(one->words.data);
        *out++ = one->words.count;
        *out++ = reinterpret_cast<u64>(one->starts.data);
        *out++ = one->starts.count;
    }
}

// Number of a further name: a formula over what has numbers, a tag, or nothing that is known.
EXPORT i64 core_system_add_name(System* system, i64 kind, i64 formula) {
    return system->add_name(static_cast<i32>(kind), static_cast<i32>(formula));
}

EXPORT i64 core_system_add_expression(System* system, i64 form, const i32* words, i64 count) {
    return system->add_expression(static_cast<i32>(form), words, static_cast<u64>(count));
}

// Number of the needs with some criteria; MISSING with a problem if they cannot be lowered.
EXPORT i64 core_system_needs(System* system, const i32* criteria, i64 count) {
    if (!are_below(criteria, count, static_cast<i64>(system->trees.expressions.count()))) return -2;
    return system->needs_number(criteria, static_cast<u64>(count));
}

// Cells where some hand, and where every hand, meets some needs in one context, which is position
// + 4 * we + 8 * they vulnerable.
EXPORT i64 core_system_cells_at(System* system, i64 needs, i64 context, u64* can, u64* must) {
    if (needs < 0 || static_cast<u64>(needs) >= system->needs.count) return INVALID;
    if (context < 0 || context >= CONTEXTS) return INVALID;
    Knowledge& knowledge = system->knowledge();
    const CellBounds found = knowledge.bounds_at(
        system->tree_of_needs(static_cast<u64>(needs)), static_cast<i32>(context));
    copy_bytes(can, knowledge.cells(found.can), SET_WORDS * sizeof(u64));
    copy_bytes(must, knowledge.cells(found.must), SET_WORDS * sizeof(u64));
    // it may have added sets of cells
    system->refresh();
    return 0;
}

EXPORT i64 core_system_add_entry(System* system, i64 call, i64 needs, i64 variant, i64 bound) {
    const bool fits = 0 <= call && call < CALLS && 0 <= needs &&
                      needs < static_cast<i64>(system->needs.count) && 0 <= bound &&
                      bound < static_cast<i64>(system->bindings.count) && 0 <= variant &&
                      variant < static_cast<i64>(system->program.variants.length);
    if (!fits) return INVALID;
    return system->add_entry(
        static_cast<i32>(call), static_cast<i32>(needs), static_cast<i32>(variant),
        static_cast<i32>(bound));
}

// What places know of cells: the cells where the least, and the most, of a term beyond the hull is a
// value, [2 * values] sets, where each term begins among the values, the lengths of the shapes, and
// all cells. How many values there are; sets are written where there is room for all.
EXPORT i64 core_cell_tables(u64* reach, i64 room, i32* first, u8* lengths, u64* everything) {
    Trees trees;
    Terms terms(GIB);
    Knowledge knowledge(trees, terms);
    const TermReach found(knowledge);
    const i64 values = found.first[RANGES];
    copy_bytes(first, found.first, sizeof found.first);
    copy_bytes(lengths, ALL_SHAPES.lengths, sizeof ALL_SHAPES.lengths);
    copy_bytes(everything, knowledge.cells(knowledge.everything()), sizeof(CellSet));
    if (room >= 2 * values) copy_bytes(reach, found.reach.data, found.reach.count * sizeof(u64));
    return values;
}

// Bytes of what a system has learned; another thread may be learning.
EXPORT i64 core_system_bytes(const System* system) { return static_cast<i64>(system->bytes()); }

// Version of how hands are packed, lane words, flag words, and how many programs and terms there are.
EXPORT void core_system_packing(const System* system, i64* out) {
    const Layout& layout = system->layout();
    out[0] = layout.version;
    out[1] = layout.lane_words, out[2] = layout.flag_words;
    out[3] = static_cast<i64>(layout.code.count) / 2;
    out[4] = static_cast<i64>(layout.program_starts.count);
    out[5] = static_cast<i64>(layout.program_terms.count);
    out[6] = static_cast<i64>(layout.derived_flags.count);
    out[7] = layout.program_stack;
}

// Tables of the packing, dense, into arrays of those sizes.
EXPORT void core_system_tables(
    const System* system, u64* suits, u64* lengths, u64* contexts, i32* code, i32* starts,
    i32* flags, i32* term_suits, i32* term_lengths, i32* term_contexts, i32* derived_tests,
    i32* derived_flags) {
    const Layout& layout = system->layout();
    layout.copy_tables(suits, lengths, contexts);
    const auto copy = [](i32* to, const Vec<i32>& from) { copy_bytes(to, from.data, 4 * from.count); };
    copy(code, layout.code);
    copy(starts, layout.program_starts);
    copy(flags, layout.program_flags);
    copy(term_suits, layout.term_suits);
    copy(term_lengths, layout.term_lengths);
    copy(term_contexts, layout.term_contexts);
    copy(derived_tests, layout.derived_tests);
    copy(derived_flags, layout.derived_flags);
}

// Packs the hands of deals `start` to `stop` by position into `out` [4][stop - start][stride].
EXPORT i64 core_pack(
    const System* system, const u64* hands, const u8* dealer, const u8* vulnerability, i64 count,
    i64 start, i64 stop, u64* out, i64 stride) {
    if (start < 0 || stop < start || stop > count || stride < system->layout().words()) return INVALID;
    for (i64 deal = start; deal < stop; ++deal)
        if (dealer[deal] > 3 || vulnerability[deal] > 3) return INVALID;
    pack_hands(
        system->layout().packing(), {hands, dealer, vulnerability, static_cast<u64>(count)},
        static_cast<u64>(start), static_cast<u64>(stop), true, out,
        static_cast<u64>(stop - start) * static_cast<u64>(stride), static_cast<u64>(stride));
    return 0;
}

// Packs the hands of deals `start` to `stop` by tables into `out` [4][stop - start][words]; row 0
// is the dealer's hand with `rotate`, else North's. Flags that are derived stay 0.
EXPORT i64 core_pack_by_tables(
    const PackingTables* tables, i64 lane_words, i64 flag_words, const u64* hands, const u8* dealer,
    const u8* vulnerability, i64 count, i64 start, i64 stop, i64 rotate, u64* out) {
    constexpr i64 MOST_WORDS = 1 << 20;
    if (start < 0 || stop < start || stop > count || lane_words < 1 || lane_words > MOST_WORDS ||
        flag_words < 1 || flag_words > MOST_WORDS ||
        !are_tables(*tables, static_cast<u64>(lane_words), static_cast<u64>(flag_words)))
        return INVALID;
    const Packing packing = packing_of(*tables, static_cast<i32>(lane_words), static_cast<i32>(flag_words));
    pack_hands(
        packing, {hands, dealer, vulnerability, static_cast<u64>(count)}, static_cast<u64>(start),
        static_cast<u64>(stop), rotate != 0, out,
        static_cast<u64>(stop - start) * static_cast<u64>(packing.words),
        static_cast<u64>(packing.words));
    return 0;
}

// Sorts deals `start` to `stop` by the dealer's hand, into arrays of as many.
EXPORT i64 core_sort_by_dealer(
    const u64* hands, const u8* dealer, const u8* vulnerability, i64 count, i64 start, i64 stop,
    u64* sorted_hands, u8* sorted_dealer, u8* sorted_vulnerability, u32* order) {
    if (start < 0 || stop < start || stop > count || stop - start > 0xFFFFFFFFll) return INVALID;
    sort_by_dealer(
        {hands, dealer, vulnerability, static_cast<u64>(count)}, static_cast<u64>(start),
        static_cast<u64>(stop), {sorted_hands, sorted_dealer, sorted_vulnerability, order});
    return 0;
}

// --- bidding tables ---

// What is wrong with the arrays of a table: 0 nothing, 1 its tests, 2 its trie. `trie` may be null.
EXPORT i64 core_table_problem(const TableTests* tests, const Trie* trie) {
    if (!are_tests(*tests)) return 1;
    return trie && !is_trie(*trie, *tests) ? 2 : 0;
}

// Words of room that a block of so many deals takes; for a walk if there is a trie.
EXPORT i64 core_block_words(const TableTests* tests, const Trie* trie, i64 count, i64 threshold) {
    if (count < 0 || count > 1 << 16 || threshold < 0 || threshold > 1 << 16) return INVALID;
    const u64 deals = static_cast<u64>(count);
    return static_cast<i64>(
        block_words(*tests, deals) +
        (trie ? TrieWalk::words(*tests, *trie, deals, static_cast<u64>(threshold))
              : 3 * row_words(deals)));
}

// Sets the derived flags of packed hands [count][words].
EXPORT i64 core_derive_flags(const TableTests* tests, const Array<u64>* hands, i64 count) {
    if (count < 0 || hands->length < static_cast<u64>(count) * tests->words()) return INVALID;
    derive_flags(*tests, hands->data, static_cast<u64>(count));
    return 0;
}

// Bit columns of boxes, or sets of them, on the compass hands of a block of deals: `out`
// [count][4][out_words] from its word `out_word` on.
EXPORT i64 core_box_bits(
    const TableTests* tests, const PackingTables* packing, const u64* hands, const u8* dealer,
    const u8* vulnerability, i64 deals, i64 start, i64 stop, const Array<u64>* room,
    const i64* numbers, i64 count, u64* out, i64 out_words, i64 out_word) {
    const TableBlock table = {tests, packing, hands, dealer, vulnerability, deals, start, stop};
    const u64 row = row_words(static_cast<u64>(most<i64>(stop - start, 0)));
    if (!table.is_valid(*room, 3 * row) || count < 0 || !are_tests_of(*tests, numbers, count) ||
        out_word < 0 || out_word + (stop - start + 63) / 64 > out_words)
        return INVALID;
    Arena words(room->data);
    const DealBlock block = table.fill(words, false, true);
    u64 *const everyone = words.take(row), *const scratch = words.take(row);
    u64* const found = words.take(row);
    fill_everyone(everyone, block.count);
    for (i64 number = 0; number < count; ++number)
        for (u64 seat = 0; seat < 4; ++seat) {
            and_box_columns(*tests, everyone, found, scratch, block.seat_columns(*tests, seat), row,
                            static_cast<u32>(numbers[number]));
            copy_bytes(out + (static_cast<u64>(number) * 4 + seat) * static_cast<u64>(out_words) +
                           static_cast<u64>(out_word),
                       found, 8 * ((block.count + 63) / 64));
        }
    return 0;
}

// Bit columns of the deals that reach some nodes, parents (-1: none) first: `out` [count][out_words],
// which is row_words of the block.
EXPORT i64 core_member_bits(
    const TableTests* tests, const PackingTables* packing, const u64* hands, const u8* dealer,
    const u8* vulnerability, i64 deals, i64 start, i64 stop, const Array<u64>* room,
    const i32* parents, const u8* seats, const i64* numbers, i64 count, u64* out, i64 out_words) {
    const TableBlock table = {tests, packing, hands, dealer, vulnerability, deals, start, stop};
    const u64 row = row_words(static_cast<u64>(most<i64>(stop - start, 0)));
    if (!table.is_valid(*room, 3 * row) || count < 0 || !are_tests_of(*tests, numbers, count) ||
        static_cast<u64>(out_words) != row)
        return INVALID;
    for (i64 node = 0; node < count; ++node)
        if (parents[node] < -1 || parents[node] >= node) return INVALID;
    Arena words(room->data);
    const DealBlock block = table.fill(words, true, true);
    u64 *const everyone = words.take(row), *const scratch = words.take(row);
    fill_everyone(everyone, block.count);
    for (i64 node = 0; node < count; ++node) {
        const u64* const from =
            parents[node] < 0 ? everyone : out + static_cast<u64>(parents[node]) * row;
        and_box_columns(*tests, from, out + static_cast<u64>(node) * row, scratch,
                        block.seat_columns(*tests, seats[node]), row,
                        static_cast<u32>(numbers[node]));
    }
    return 0;
}

// Walks a block of deals through the trie: pairs that were written, or PAIRS_FULL. Arrays without
// items are not wanted; with `is_first`, those of FirstAuctions have the block's deals.
EXPORT i64 core_walk_table(
    const TableTests* tests, const PackingTables* packing, const Trie* trie, const u64* hands,
    const u8* dealer, const u8* vulnerability, i64 deals, i64 start, i64 stop,
    const Array<u64>* room, i64 threshold, i64 max_depth, i64 completed_only, u32* counts,
    i64 count_nodes, u32* pair_nodes, u16* pair_deals, i64 pairs, i64 is_first, u32* entry,
    u8* passes, u16* defaults) {
    const TableBlock table = {tests, packing, hands, dealer, vulnerability, deals, start, stop};
    if (start < 0 || stop <= start || stop - start > 1 << 16 || threshold < 0 ||
        threshold > 1 << 16 || max_depth < 0 || pairs < 0 ||
        (count_nodes != 0 && static_cast<u64>(count_nodes) != trie->count()))
        return INVALID;
    const u64 count = static_cast<u64>(stop - start);
    if (!table.is_valid(*room, TrieWalk::words(*tests, *trie, count, static_cast<u64>(threshold))))
        return INVALID;
    Arena words(room->data);
    const bool as_list = count < static_cast<u64>(threshold);
    const DealBlock block = table.fill(words, true, !as_list);
    const WalkRequest request = {
        static_cast<u64>(threshold), static_cast<u64>(max_depth), completed_only != 0,
        is_first != 0, count_nodes ? counts : nullptr, pair_nodes, pair_deals,
        static_cast<u64>(pairs), entry, passes, defaults};
    return TrieWalk(*tests, *trie, block, request, words).run();
}

// Entries of each deal of (node, place) pairs, the first `limit` of each; how many these are.
EXPORT i64 core_group_pairs(
    const u32* nodes, const u16* places, i64 pairs, const u32* order, i64 count, i64 limit,
    u64* totals, u32* entries, i64 room) {
    if (pairs < 0 || count < 0 || limit < 0 || room < pairs) return INVALID;
    for (i64 pair = 0; pair < pairs; ++pair)
        if (places[pair] >= count) return INVALID;
    for (i64 at = 0; at < count; ++at)
        if (order[at] >= count) return INVALID;
    return static_cast<i64>(group_pairs(
        nodes, places, static_cast<u64>(pairs), order, static_cast<u64>(count),
        static_cast<u64>(limit), totals, entries));
}

// Of some deals those whose packed hands [hands][words] pass a box or set; how many.
EXPORT i64 core_filter_deals(
    const TableTests* tests, const u64* hands, i64 hand_count, const u32* deals, i64 count,
    i64 number, u32* passing) {
    if (count < 0 || number < 0 || !is_test(*tests, static_cast<u64>(number))) return INVALID;
    for (i64 at = 0; at < count; ++at)
        if (deals[at] >= hand_count) return INVALID;
    return static_cast<i64>(filter_list(
        *tests, deals, static_cast<u64>(count), passing, hands, tests->words(),
        static_cast<u32>(number)));
}

// Fills columns `begin` to `end` of hands [4][count] with the deals of a seed from number `first`
// on; `start` is the mixed seed.
EXPORT i64 core_deal(u64 start, u64 first, i64 begin, i64 end, u64* hands, i64 count) {
    if (begin < 0 || end < begin || end > count) return INVALID;
    for (i64 column = begin; column < end; ++column) {
        u8 places[DECK];
        deal_one(start, first + static_cast<u64>(column), places, hands + column,
                 static_cast<u64>(count));
    }
    return 0;
}

// Learns what a place missed that was worked out elsewhere, whose row comes with its sets.
EXPORT i64 core_learn(
    System* first, System* other, const Store* store, const Place* row, const i64* miss,
    i64* faulty) {
    Bidding bidding(first, other, *store, Block{});
    const Asked at = {row, store, nullptr, nullptr};
    const i32 kind = static_cast<i32>(miss[0]);
    const i32 found = bidding.sides.learn(kind, miss[2], miss[3], miss[4], at);
    *faulty = bidding.sides.faulty == other && other != first;
    return found == MISSING ? FAULTY : DONE;
}

// --- places --------------------------------------------------------------------------------------

// Works out places, and learns what they miss beside other threads that do the same.
EXPORT i64 core_work_out(
    System* first, System* other, const Store* store, const Block* block, const i32* places,
    i64 start, i64 stop) {
    const i64 count = stop - start;
    if (start < 0 || count < 0 || !are_places(*store, places + start, count)) return INVALID;
    if (static_cast<u64>(count) > block->status.length || static_cast<u64>(count) > block->rows.length)
        return INVALID;
    SidesTogether sides(first, other);
    return work_out(sides.programs(), *store, *block, places, start, stop, &sides);
}

EXPORT i64 core_take_in(
    const Store* store, const Block* block, const i32* places, i64 start, i64 stop) {
    if (start < 0 || stop < start || !are_places(*store, places + start, stop - start)) return INVALID;
    take_in(*store, *block, places, start, stop);
    return 0;
}

EXPORT i64 core_take_lists(
    const Store* store, const Block* block, const i32* places, i64 count) {
    if (!are_places(*store, places, count)) return INVALID;
    take_lists(*store, *block, places, count);
    return 0;
}

EXPORT i64 core_set_number(const Store* store, const Block* block, i64 item) {
    if (item < 0 || static_cast<u64>(item) >= block->sets.length) return INVALID;
    return set_number(*store, *block, item);
}

// Enters all sets of a store into its table of their numbers, which is empty.
EXPORT void core_index_sets(const Store* store) {
    for (i64 number = 0; number < store->counts[SETS]; ++number)
        put(store->set_numbers, key_of_set(store->sets[number]), static_cast<i32>(number));
}

EXPORT i64 core_list_number(const Store* store, const i32* items, i64 count) {
    return list_number(*store, items, count);
}

EXPORT i64 core_places_behind(const Store* store, const u64* keys, i64 count, i32* places) {
    for (i64 at = 0; at < count; ++at)
        if (static_cast<i64>(keys[at] >> 6) >= store->counts[PLACES] || (keys[at] & 63) >= CALLS)
            return INVALID;
    places_behind(*store, keys, count, places);
    return 0;
}

EXPORT i64 core_has_room(
    const Store* store, i64 places, i64 worked_out, i64 lists, i64 items) {
    return has_room(*store, places, worked_out, lists, items);
}

EXPORT i64 core_number_sets(
    Slot* table, i64 slots, const u64* keys, i64 count, i64 first, i32* numbers, i32* added) {
    if (slots <= 0 || (slots & (slots - 1)) != 0 || 2 * count > slots) return INVALID;
    return number_sets(
        {table, static_cast<u64>(slots)}, keys, count, static_cast<i32>(first), numbers, added);
}

EXPORT i64 core_refill(Slot* from, i64 slots, Slot* to, i64 more_slots) {
    if (slots > more_slots || (more_slots & (more_slots - 1)) != 0) return INVALID;
    refill({from, static_cast<u64>(slots)}, {to, static_cast<u64>(more_slots)});
    return 0;
}

EXPORT void core_hull_of(const Store* store, const u64* cells, u8* hull) {
    hull_of<1>(store->lengths, cells, 0, *reinterpret_cast<Hull*>(hull));
}

EXPORT i64 core_forced(const Place* row) { return forced(*row); }

// Works out places from `done` on, learning as it goes; why it came back. `counts` are where it came
// back, and how many places asked what nobody had asked before.
EXPORT i64 core_make_ready(
    System* first, System* other, const Store* store, const Block* block, const i32* places,
    i64 count, i64* counts, i64* faulty) {
    if (counts[0] < 0 || !are_places(*store, places, count) || !are_block(*block)) return INVALID;
    Bidding bidding(first, other, *store, *block);
    const i32 why = bidding.make_all_ready(places, count, counts[0], counts[1]);
    *faulty = bidding.sides.faulty == other && other != first;
    return why;
}

// Finds the place behind calls, worked out; why it came back.
EXPORT i64 core_reach(
    System* first, System* other, const Store* store, const Block* block, const u8* calls,
    i64 count, i32* place, i64* faulty) {
    if (!are_calls(calls, count) || !are_block(*block)) return INVALID;
    Bidding bidding(first, other, *store, *block);
    const i32 why = bidding.reach(calls, count, *place);
    *faulty = bidding.sides.faulty == other && other != first;
    return why;
}

// Number of the expression that a condition of the text becomes at a place with its row, under packed
// bindings; -2 with a problem if it means nothing there.
EXPORT i64 core_lowered_at(
    System* system, const Store* store, i64 place, i64 condition, i64 bindings) {
    if (place < 0 || place >= store->counts[PLACES] || store->row[place] < 0) return INVALID;
    if (condition < 0 || static_cast<u64>(condition) >= system->condition_count()) return INVALID;
    if (bindings < 0 || !are_bindings(static_cast<u64>(bindings))) return INVALID;
    Asked at = {&store->rows[static_cast<u64>(store->row[place])], store, nullptr, nullptr};
    const i32 found = system->lowered_at(static_cast<i32>(condition), static_cast<u32>(bindings), at);
    return found < 0 ? -2 : found;
}

// Call of one hand after a legal auction that goes on; why it came back. `out` are the place, the
// entry, the call, whether it is a pass by default, and whether partner's call asked for an answer.
EXPORT i64 core_call(
    System* first, System* other, const Store* store, const Block* block, const u8* calls,
    i64 count, u64 hand, i64 context, i32* out, i64* faulty) {
    if (count < 0 || !goes_on(calls, count) || bit_count(hand) != 13 || hand >> 52 != 0 ||
        context < 0 || context >= CONTEXTS || !are_block(*block))
        return INVALID;
    Bidding bidding(first, other, *store, *block);
    Vec<u64> words;
    Made made{};
    const i32 why =
        call_of_hand(bidding, calls, count, hand, static_cast<u32>(context), words, made);
    copy_bytes(out, &made, sizeof made);
    *faulty = bidding.sides.faulty == other && other != first;
    return why;
}

// --- deals ---------------------------------------------------------------------------------------

EXPORT i64 core_choose_all(
    const Program* prog, const Store* store, const u64* words, i64 width, i64 hands,
    const i64* deals, i64 start, i64 stop, const i32* place, u8* call, i32* entry, u16* defaults) {
    if (!are_below(deals + start, stop - start, hands)) return INVALID;
    for (i64 at = start; at < stop; ++at)
        if (!are_chosen(*store, place + deals[at], 1)) return INVALID;
    choose_all(
        *prog, *store, {words, static_cast<u64>(width)}, deals, start, stop, place, call, entry,
        defaults);
    return 0;
}

// Bids deals to the end one by one, from `done` on, and tells there where it came back.
EXPORT i64 core_bid_few(
    System* first, System* other, const Store* store, const Block* block, const u64* hands,
    const u8* dealer, const u8* vulnerability, i64 count, i32* place, i32* entry, u16* defaults,
    i64* done, i64* faulty) {
    if (*done < 0 || !are_places(*store, place, count) || !are_block(*block)) return INVALID;
    for (i64 deal = 0; deal < count; ++deal)
        if (dealer[deal] > 3 || vulnerability[deal] > 3) return INVALID;
    Bidding bidding(first, other, *store, *block);
    const i32 why = bid_few(
        bidding, {hands, dealer, vulnerability, static_cast<u64>(count)}, place, entry, defaults,
        *done);
    *faulty = bidding.sides.faulty == other && other != first;
    return why;
}

EXPORT i64 core_follow(
    const Store* store, const i64* deals, i64 count, i64 all, i32* place, const u8* call,
    i64* going_on, i32* added, i64* added_count) {
    if (!are_below(deals, count, all) || !has_room(*store, count, 0, 0, 0)) return INVALID;
    for (i64 at = 0; at < count; ++at)
        if (!are_places(*store, place + deals[at], 1) || call[deals[at]] >= CALLS) return INVALID;
    return follow(*store, deals, count, place, call, going_on, added, added_count);
}

EXPORT i64 core_auction_lengths(
    const Store* store, const i32* places, i64 count, i64* lengths) {
    if (!are_places(*store, places, count)) return INVALID;
    auction_lengths(*store, places, count, lengths);
    return 0;
}

EXPORT i64 core_auctions_of(
    const Store* store, const i32* places, const i64* offsets, i64 start, i64 stop, i64 room,
    u8* calls, u8* contract, u8* declarer) {
    if (!are_places(*store, places + start, stop - start)) return INVALID;
    if (!are_offsets(offsets + start, stop - start, room)) return INVALID;
    auctions_of(*store, places, offsets, start, stop, calls, contract, declarer);
    return 0;
}

EXPORT i64 core_write_calls(
    const Store* store, const i32* places, const u8* last, const i64* offsets, i64 count, i64 room,
    u8* calls) {
    if (!are_places(*store, places, count) || !are_calls(last, count)) return INVALID;
    if (!are_offsets(offsets, count, room)) return INVALID;
    write_calls(*store, places, last, offsets, 0, count, calls);
    return 0;
}

EXPORT i64 core_going_on(
    const Store* store, const i32* places, const u8* calls, i64 count, u8* found) {
    if (!are_places(*store, places, count) || !are_calls(calls, count)) return INVALID;
    for (i64 at = 0; at < count; ++at) found[at] = !ends(*store, places[at], calls[at]);
    return 0;
}

// --- all auctions --------------------------------------------------------------------------------

// Lists the auctions of deals from where the walk stands; why it came back.
EXPORT i64 core_list_deals(
    System* first, System* other, const Store* store, const Block* block, const Listed* out,
    const u64* hands, const u8* dealer, const u8* vulnerability, i64 count, const i64* bounds) {
    if (out->end.length < static_cast<u64>(count) + 1 || out->cut.length < static_cast<u64>(count) ||
        !are_block(*block))
        return INVALID;
    Bidding bidding(first, other, *store, *block);
    return list_deals(
        bidding, *out, {hands, dealer, vulnerability, static_cast<u64>(count)}, bounds);
}

EXPORT i64 core_masks(
    const Program* prog, const Store* store, const u64* words, i64 width, i64 hands,
    const i32* place, const i32* deals, i64 start, i64 stop, u64* found) {
    if (!are_chosen(*store, place + start, stop - start)) return INVALID;
    if (!are_below(deals + start, stop - start, hands)) return INVALID;
    masks(*prog, *store, {words, static_cast<u64>(width)}, place, deals, start, stop, found);
    return 0;
}

EXPORT i64 core_may_call(
    const Program* prog, const Store* store, const u64* words, i64 width, i64 hands, i64 place,
    i64 call, const i32* deals, i64 start, i64 stop, u8* found) {
    const i32 here = static_cast<i32>(place);
    if (!are_chosen(*store, &here, 1) || !are_below(deals + start, stop - start, hands)) return INVALID;
    for (i64 at = start; at < stop; ++at)
        found[at] = may_call(
            *prog, *store, here, static_cast<i32>(call), words + static_cast<i64>(deals[at]) * width);
    return 0;
}

EXPORT i64 core_count_calls(
    const i64* first, i64 groups, const u64* found, i64 pairs, i64* counts) {
    if (!are_offsets(first, groups, pairs)) return INVALID;
    count_calls(first, groups, found, reinterpret_cast<i64(*)[CALLS]>(counts));
    return 0;
}

EXPORT void core_deals_by_call(
    const u64* found, const i32* deals, i64 count, i64* end, i32* out) {
    deals_by_call(found, deals, count, end, out);
}

EXPORT i64 core_deals_behind(
    const Store* store, const i64* first, const u64* found, const i32* deals, const i64* groups,
    const i64* calls, i64 count, i64 place_count, const i32* places, const i64* next_first,
    i32* next_place, i32* next_deals) {
    if (!are_below(groups, count, place_count) || !are_below(calls, count, CALLS)) return INVALID;
    if (!are_places(*store, places, place_count) || !has_room(*store, count, 0, 0, 0)) return INVALID;
    deals_behind(
        *store, first, found, deals, groups, calls, count, places, next_first, next_place,
        next_deals);
    return 0;
}

// --- texts ---------------------------------------------------------------------------------------

// Boards of several LIN documents that lie one behind the other.
EXPORT i64 core_read_lin(const LinArrays* arrays) {
    const i64 documents = static_cast<i64>(arrays->ends.length);
    if (!has_room_for_text(*arrays)) return INVALID;
    i64 start = 0;
    for (i64 document = 0; document < documents; ++document) {
        const i64 end = arrays->ends[document];
        if (end < start || end > static_cast<i64>(arrays->text.length)) return INVALID;
        start = end;
    }
    return LinReader(*arrays).read() ? 0 : INVALID;
}

// Auctions and plays of PBN games; what is odd about a board is left to the definition.
EXPORT i64 core_read_pbn(const PbnSections* sections) {
    if (!are_sections(*sections)) return INVALID;
    SectionReader(*sections).read();
    return 0;
}

// Marks the boards whose cards, `ends[board]` of all of them, were not played from their hands.
EXPORT i64 core_disagreeing_plays(
    const u64* hands, const i8* declarer, i64 count, const u8* cards, i64 card_count,
    const i64* ends, u8* found) {
    for (i64 board = 0; board < count; ++board)
        if (declarer[board] < NO_VALUE || declarer[board] > 3 || ends[board] > card_count ||
            ends[board] < (board ? ends[board - 1] : 0))
            return INVALID;
    for (i64 place = 0; place < card_count; ++place)
        if (cards[place] >= DECK) return INVALID;
    find_disagreeing(hands, declarer, count, cards, ends, found);
    return 0;
}

// --- layouts --------------------------------------------------------------------------------------

namespace {

// What a seat can draw, and who sits where, as inference/layouts/drawing.py has them in Groups.
struct DrawArrays {
    Array<const ShapeRow> shapes;
    Array<u64> masks;
    Array<i64> counts;
    Array<SuitWays> ways;
    Array<i64[14][PAIR_SUMS]> minors, majors;

    Draw drawn_from(u64 cards, u64 forced) const {
        return {cards, forced, shapes.data, static_cast<i64>(shapes.length), 0, masks.data,
                counts.data, ways.data, reinterpret_cast<TwoSuitsWays*>(minors.data),
                reinterpret_cast<TwoSuitsWays*>(majors.data)};
    }
};
struct RestArrays {
    Array<const i64> sizes;
    Array<const u64> forbidden;
    Array<const PointsByShape> allowed;
    Array<const ShapeRow> lengths;
    Array<const i64> points, ends;
};
struct ExactArrays {
    Array<const u64> forbidden;
    Array<const PointsByShape> allowed;
    Array<const ShapeRow> shapes;
    Array<const i64> starts;
    Array<const WantedLengths> wanted;
};

bool are_shapes(const Array<const ShapeRow>& shapes) {
    for (u64 row = 0; row < shapes.length; ++row)
        if (!are_lengths(shapes.data[row])) return false;
    return true;
}

bool is_draw(const DrawArrays& draw, u64 cards, u64 forced) {
    return draw.shapes.length <= MOST_SHAPES && draw.masks.length == draw.shapes.length &&
           draw.counts.length == draw.shapes.length && draw.ways.length == 4 &&
           draw.minors.length == 14 && draw.majors.length == 14 && are_shapes(draw.shapes) &&
           (cards | forced) <= WHOLE_DECK;
}

// Whether a draw was counted, and has hands that have the lengths it is said to draw. Its total.
bool is_counted(const DrawArrays& arrays, Draw& draw) {
    for (i64 row = 0; row < draw.rows; ++row) {
        const i64 count = draw.counts[row];
        if (count < 0 || count > 1ll << 40) return false;
        for (i32 suit = 0; count > 0 && suit < 4; ++suit)
            if (arrays.shapes[row].lengths[suit] < suit_length(draw.forced, suit)) return false;
        draw.total += count;
    }
    return draw.total > 0;
}

}  // namespace

// Counts the hands that a seat can draw from cards, with some that it gets in any case; the total.
EXPORT i64 core_count_hands(
    const DrawArrays* arrays, u64 cards, u64 forced, u64 rest, const u64* allowed,
    const u64* others, i64 joint, const WantedLengths* wanted) {
    if (!is_draw(*arrays, cards, forced) || rest > WHOLE_DECK) return INVALID;
    Draw draw = arrays->drawn_from(cards, forced);
    count_hands(draw, {rest, allowed, others, joint != 0}, *wanted);
    return draw.total;
}

// Layouts of which hand 0 is drawn exactly, into hands [seats][count]; how many are kept.
EXPORT i64 core_deal_rest(
    const DrawArrays* arrays, u64 cards, u64 forced, const RestArrays* seats, u64 seed, u64 free,
    i64 first, i64 count, u64* hands, i64* numbers) {
    const i64 seat_count = static_cast<i64>(seats->sizes.length);
    const i64 cells = static_cast<i64>(seats->ends.length);
    if (!is_draw(*arrays, cards, forced) || free > WHOLE_DECK || count < 0 || seat_count < 1 ||
        seats->forbidden.length != seats->sizes.length ||
        seats->allowed.length != seats->sizes.length || cells < 1 ||
        seats->lengths.length != seats->ends.length ||
        seats->points.length != seats->ends.length || !are_shapes(seats->lengths) ||
        !are_below(seats->points.data, cells, MOST_POINTS + 1) ||
        !are_below(seats->sizes.data, seat_count, DECK + 1) || seats->ends[0] < 1 ||
        !are_offsets(seats->ends.data, cells - 1, 1ll << 52))
        return INVALID;
    const Seats all = {seat_count, seed, free, seats->sizes.data, seats->forbidden.data,
                       seats->allowed.data};
    return deal_rest(
        all, arrays->drawn_from(cards, forced),
        {cells, seats->lengths.data, seats->points.data, seats->ends.data}, first, count, hands,
        numbers);
}

// Layouts drawn hand by hand, of at least three, into hands [seats][count]; how many are kept.
EXPORT i64 core_deal_exactly(
    const DrawArrays* arrays, u64 cards, u64 forced, const ExactArrays* seats, u64 seed, u64 free,
    i64 first, i64 count, u64* hands, double* weights, i64* numbers) {
    const i64 seat_count = static_cast<i64>(seats->forbidden.length);
    if (!is_draw(*arrays, cards, forced) || free > WHOLE_DECK || count < 0 || seat_count < 3 ||
        seats->allowed.length != seats->forbidden.length ||
        seats->wanted.length != seats->forbidden.length ||
        seats->starts.length != seats->forbidden.length + 1 || !are_shapes(seats->shapes) ||
        !are_offsets(seats->starts.data, seat_count, static_cast<i64>(seats->shapes.length)))
        return INVALID;
    for (i64 seat = 0; seat < seat_count; ++seat)
        if (seats->starts[seat + 1] - seats->starts[seat] > MOST_SHAPES) return INVALID;
    Draw draw = arrays->drawn_from(cards, forced);
    if (!is_counted(*arrays, draw)) return INVALID;
    const Seats all = {seat_count, seed, free, nullptr, seats->forbidden.data,
                       seats->allowed.data};
    return deal_exactly(
        all, draw, {seats->shapes.data, seats->starts.data, seats->wanted.data}, first, count,
        hands, weights, numbers);
}

// Judges packed layouts [4][count][words] by steps, of which each asks the hand of a row.
EXPORT i64 core_judge(
    const TableTests* tests, const u64* words, i64 count, i64 steps, const i64* rows,
    const i64* starts, const u32* option_boxes, const u8* is_made, i64 options,
    const u8* by_default, i64 hasty, u8* out) {
    if (count < 0 || !are_below(rows, steps, 4) || !are_offsets(starts, steps, options))
        return INVALID;
    for (i64 option = 0; option < options; ++option)
        if (!is_test(*tests, option_boxes[option])) return INVALID;
    judge_layouts(
        *tests, words, count, {steps, rows, starts, option_boxes, is_made, by_default}, hasty != 0,
        out);
    return 0;
}

// States of sums after a part got cards of a class, at most `room`; how many there are.
EXPORT i64 core_move_states(
    const i64* states, i64 count, const i64* step, i64 columns, i64 sums, i64 is_last,
    const u8* joint, const i64* low, const i64* high, const i64* rests, const u8* is_raw, i64 room,
    i64* found, i64* before, i64* taken) {
    if (count < 0 || columns < 0 || sums < columns || room < 0) return INVALID;
    const SumBounds bounds = {
        columns, sums, joint, low, high, rests, rests + sums, rests + 2 * sums, rests + 3 * sums,
        is_raw};
    return move_states(states, count, step, is_last != 0, bounds, {room, found, before, taken});
}

// Most that four seats have of a suit, by what each has of a holding, [4][8192].
EXPORT void core_most_of_suit(const i64* values, i64* found) { *found = most_of_suit(values); }

// --- double dummy --------------------------------------------------------------------------------

// Bounds on the tricks of deals [4][count], int8 [count][20] each.
EXPORT void core_trick_bounds(const u64* hands, i64 count, i8* low, i8* high) {
    for (i64 deal = 0; deal < count; ++deal) {
        SuitHoldings own;
        for (i32 seat = 0; seat < 4; ++seat)
            for (i32 suit = 0; suit < 4; ++suit) {
                const u64 holding = hands[seat * count + deal] >> 13 * suit & 0x1FFF;
                own.held[seat][suit] = static_cast<u32>(holding);
                own.length[seat][suit] = bit_count(holding);
            }
        find_trick_bounds(own, low + 20 * deal, high + 20 * deal);
    }
}

namespace {

// A solver in memory of its own. One with the usual memory is kept for the next call: to get these
// pages from the system takes longer than an ending of nine cards, and pages of 2 MiB are read faster.
struct OwnSolver {
    const u64 bytes;
    void* const memory;
    DoubleDummy& solver;

    explicit OwnSolver(u64 size) : bytes(size), memory(taken(size)), solver(*static_cast<DoubleDummy*>(memory)) {}
    ~OwnSolver() {
        if (bytes == DoubleDummy::USUAL_MEMORY) {
            if (void* const other = __atomic_exchange_n(&kept, memory, __ATOMIC_ACQ_REL)) release(other, bytes);
        } else {
            release(memory, bytes);
        }
    }

  private:
    static constexpr u64 HEAD = (sizeof(DoubleDummy) + 63) & ~63ull;
    inline static void* kept = nullptr;

    static void* taken(u64 size) {
        if (size == DoubleDummy::USUAL_MEMORY)
            if (void* const memory = __atomic_exchange_n(&kept, nullptr, __ATOMIC_ACQ_REL)) return memory;
        u8* const memory = static_cast<u8*>(allocate(size));
        in_large_pages(memory, size);
        new (memory) DoubleDummy(memory + HEAD, size - HEAD);
        return memory;
    }
};

}  // namespace

// Tricks of the side to move for each card it may play, int8 [count][52], of hands [4][count].
// `trick` [count][3] has the cards that were played to it, 255 for none.
EXPORT i64 core_solve_plays(
    const u64* hands, const i64* strain, const i64* first, const u8* trick, i64 count,
    i8* tricks) {
    if (!are_below(strain, count, NO_TRUMPS + 1) || !are_below(first, count, 4)) return INVALID;
    const auto position = [&](i64 board) {
        CardPlay play = {};
        for (i32 seat = 0; seat < 4; ++seat) play.hands[seat] = hands[seat * count + board];
        play.strain = static_cast<i32>(strain[board]), play.first = static_cast<i32>(first[board]);
        const u8* const cards = trick + 3 * board;
        while (play.played < 3 && cards[play.played] < DECK) {
            play.trick[play.played] = 1ull << cards[play.played];
            ++play.played;
        }
        return play;
    };
    i32 largest = 0;
    for (i64 board = 0; board < count; ++board) {
        const CardPlay play = position(board);
        for (i32 place = play.played; place < 3; ++place)
            if (trick[3 * board + place] != UNREADABLE) return INVALID;
        if (!is_playable(play)) return INVALID;
        largest = most(largest, bit_count(play.hands[play.to_play()]));
    }
    if (count == 0) return 0;
    OwnSolver own(largest <= 8 ? DoubleDummy::LEAST_MEMORY : DoubleDummy::USUAL_MEMORY);
    for (i64 board = 0; board < count; ++board)
        own.solver.plays(position(board), tricks + DECK * board);
    return 0;
}

// Tricks of all contracts of deals [4][count], int8 [count][20] at 5 * declarer + strain.
EXPORT i64 core_solve_tables(const u64* hands, i64 count, i8* tricks) {
    const auto one = [&](i64 deal, u64* own) {
        for (i32 seat = 0; seat < 4; ++seat) own[seat] = hands[seat * count + deal];
    };
    u64 dealt[4];
    for (i64 deal = 0; deal < count; ++deal) {
        one(deal, dealt);
        if (!is_playable({{dealt[0], dealt[1], dealt[2], dealt[3]}, 0, 0, 0, {}})) return INVALID;
    }
    if (count == 0) return 0;
    OwnSolver own(DoubleDummy::USUAL_MEMORY);
    for (i64 deal = 0; deal < count; ++deal) {
        one(deal, dealt);
        own.solver.table(dealt, tricks + 20 * deal);
    }
    return 0;
}

// --- par, and cards without a search --------------------------------------------------------------

namespace {

// Whether tables [count][20] have tricks alone, and vulnerabilities are some.
bool are_solved(const i8* tables, const u8* vulnerability, i64 count) {
    for (i64 deal = 0; deal < count; ++deal)
        if (!are_tricks(tables + TABLE_SIZE * deal) || (vulnerability && vulnerability[deal] > 3)) return false;
    return true;
}

template <class T>
auto by_contract(T* all, i64 deal) -> T (&)[BIDS][4] {
    return reinterpret_cast<T(&)[BIDS][4]>(all[4 * BIDS * deal]);
}

}  // namespace

// Points of North-South for every contract played, [count][35][4], of tables of tricks [count][20].
EXPORT i64 core_contract_scores(const i8* tables, const u8* vulnerability, i64 count, i16* scores) {
    if (!are_solved(tables, vulnerability, count)) return INVALID;
    for (i64 deal = 0; deal < count; ++deal)
        find_contract_scores(tables + TABLE_SIZE * deal, vulnerability[deal], by_contract(scores, deal));
    return 0;
}

// Scores of North-South at par, and whether each contract is one that reaches it, [count][35][4].
EXPORT i64 core_par(
    const i8* tables, const u8* dealer, const u8* vulnerability, i64 count, i16* scores, u8* best) {
    if (!are_solved(tables, vulnerability, count)) return INVALID;
    for (i64 deal = 0; deal < count; ++deal)
        if (dealer[deal] > 3) return INVALID;
    for (i64 deal = 0; deal < count; ++deal)
        scores[deal] = static_cast<i16>(find_par(
            tables + TABLE_SIZE * deal, dealer[deal], vulnerability[deal], by_contract(best, deal)));
    return 0;
}

// Lists the contracts that reach par, `best` as core_par found them, of all deals one behind the other, and
// where those of each end; how many. INVALID where there are more than there is room for.
EXPORT i64 core_par_contracts(
    const i8* tables, const u8* best, i64 count, ParContract* contracts, i64 room, i64* ends) {
    if (!are_solved(tables, nullptr, count)) return INVALID;
    i64 total = 0;
    for (i64 deal = 0; deal < count; ++deal) {
        ParContract found[MOST_PAR_CONTRACTS];
        const i64 own = list_par_contracts(tables + TABLE_SIZE * deal, by_contract(best, deal), found);
        if (own > room - total) return INVALID;
        copy_bytes(contracts + total, found, static_cast<u64>(own) * sizeof(ParContract));
        ends[deal] = total += own;
    }
    return total;
}

// Cards that a player may play, [13]: the one of the rules of thumb, then the lowest first; how many.
EXPORT i64 core_usual_cards(
    u64 hand, u64 gone, u64 other, const u8* trick, i64 played, i64 strain, i64 declares, u8* cards) {
    if (strain < 0 || strain > NO_TRUMPS || played < 0 || played > 3) return INVALID;
    const SeenCards seen = {
        hand, gone, other, static_cast<i32>(strain), declares != 0, static_cast<i32>(played), trick};
    if (!is_choice(seen)) return INVALID;
    return usual_cards(seen, *reinterpret_cast<u8(*)[MOST_HELD]>(cards));
}

// --- auctions in bulk ----------------------------------------------------------------------------

// Legal calls, a bit each, at the place of each call; 0 behind an end and behind what is illegal.
EXPORT i64 core_legal_calls(
    const u8* calls, i64 count, const i64* offsets, i64 auctions, u64* legal) {
    if (!are_offsets(offsets, auctions, count)) return INVALID;
    for (i64 number = 0; number < auctions; ++number) {
        AuctionState auction;
        i64 place = offsets[number];
        for (bool goes_on = true; goes_on && place < offsets[number + 1]; ++place) {
            legal[place] = legal_calls(auction);
            goes_on = calls[place] < CALLS && legal[place] >> calls[place] & 1;
            if (goes_on) auction.add(calls[place]);
        }
        for (; place < offsets[number + 1]; ++place) legal[place] = 0;
    }
    return 0;
}

// Takes auctions into a trie, which has room for a node a call. `counts` are nodes, pairs of node
// and text, calls and texts that were passed over.
EXPORT i64 core_count_prefixes(
    const u8* calls, i64 count, const i64* offsets, i64 auctions, const u32* texts, u64* node_keys,
    u32* node_numbers, i64 node_slots, u32* parent, u8* call, u32* times, i64 room, u64* pair_keys,
    u32* pair_counts, i64 pair_slots, i64* counts) {
    if (!are_offsets(offsets, auctions, count) || counts[0] < 1 || counts[1] < 0 ||
        counts[0] + count > room || room > 0xFFFFFFFFll || node_slots <= counts[0] + count)
        return INVALID;
    i64 given = 0;
    for (i64 place = 0; place < count; ++place) given += texts[place] != 0;
    if (pair_slots <= counts[1] + given) return INVALID;
    PrefixTrie trie = {{node_keys, node_numbers, static_cast<u64>(node_slots)},
                       {pair_keys, pair_counts, static_cast<u64>(pair_slots)},
                       parent, call, times, counts[0], counts[1], 0, 0};
    if (!trie.numbers.is_power_of_two() || !trie.pairs.is_power_of_two() ||
        !trie.add(calls, offsets, auctions, texts))
        return INVALID;
    counts[0] = trie.count, counts[1] = trie.pair_count;
    counts[2] = trie.ignored_calls, counts[3] = trie.ignored_texts;
    return 0;
}

EXPORT i64 core_rehash(
    u64* old_keys, u32* old_values, i64 old_slots, u64* keys, u32* values, i64 slots) {
    const KeySlots to = {keys, values, static_cast<u64>(slots)};
    if (old_slots < 0 || slots <= old_slots || !to.is_power_of_two()) return INVALID;
    to.take({old_keys, old_values, static_cast<u64>(old_slots)});
    return 0;
}

// Depth, call and number of the nodes of a trie in the order of its auctions; nodes from 1.
EXPORT i64 core_write_preorder(
    const i64* children, i64 nodes, const i64* starts, const u8* call, u16* depths, u8* calls,
    u32* numbers) {
    if (!are_offsets(starts, nodes + 1, nodes) || !are_below(children, nodes, nodes + 1))
        return INVALID;
    i64 written = 0;
    const bool is_trie = walk_preorder(children, starts, nodes, [&](i64 depth, i64, i64 node) {
        depths[written] = static_cast<u16>(depth);
        calls[written] = call[node];
        numbers[written++] = static_cast<u32>(node);
        return node;
    });
    return is_trie ? 0 : INVALID;
}

// Merges two runs into one, or counts only; `counts` are the nodes and texts of the merged run.
EXPORT i64 core_merge_runs(
    const AuctionRun* a, const AuctionRun* b, const AuctionRun* merged, i64 writes, i64* counts) {
    const AuctionRun* const runs[] = {a, b, merged};
    for (const AuctionRun* const run : runs)
        if (!run->has_nodes(run->depth.length) || run->times.length != run->text.length)
            return INVALID;
    return merge_runs(*a, *b, writes ? merged : nullptr, counts, counts + 1) ? 0 : INVALID;
}

EXPORT i64 core_describe_run(
    const u16* depth, const u8* call, i64 nodes, u32* parent, u8* completed, u8* can_complete) {
    if (nodes > 0xFFFFFFFFll) return INVALID;
    for (i64 node = 0; node < nodes; ++node)
        if (depth[node] >= MOST_DEPTHS) return INVALID;
    describe_run(depth, call, nodes, parent, completed, can_complete);
    return 0;
}

// Numbers of the nodes of a trie, from 0, as a table's entries: blocks of children in depth-first
// order of their parents.
EXPORT i64 core_number_entries(
    const i64* children, i64 nodes, const i64* starts, u32* entry, u32* first_child) {
    if (!are_offsets(starts, nodes + 1, nodes) || !are_below(children, nodes, nodes))
        return INVALID;
    i64 begin[MOST_DEPTHS + 1], base[MOST_DEPTHS + 1];
    begin[0] = base[0] = 0;
    i64 free = starts[1];
    const bool is_trie = walk_preorder(children, starts, nodes, [&](i64 depth, i64 place, i64 node) {
        entry[node] = static_cast<u32>(base[depth] + place - begin[depth]);
        first_child[node] = static_cast<u32>(free);
        begin[depth + 1] = starts[node + 1];
        base[depth + 1] = free;
        free += starts[node + 2] - starts[node + 1];
        return node + 1;
    });
    return is_trie ? 0 : INVALID;
}

// --- rows of tables ------------------------------------------------------------------------------

namespace {

// Whether rows have calls, and an order has no number that is not one of a row.
bool are_rows(const u8* calls, i64 call_count, const i64* offsets, i64 rows, const i64* order) {
    return are_offsets(offsets, rows, call_count) && are_calls(calls, call_count) &&
           are_below(order, rows, rows);
}

// Whether each node stands behind the one above it.
bool are_parents(const i32* parent, i64 nodes) {
    for (i64 node = 0; node < nodes; ++node)
        if (parent[node] < -1 || parent[node] >= node) return false;
    return true;
}

}  // namespace

// Numbers lists of words as they come, equal ones alike; the first of each goes to `firsts`, and
// how many there are is returned.
EXPORT i64 core_number_lists(
    const i32* values, i64 count, const i64* offsets, i64 lists, u32* numbers, i64* firsts) {
    if (!are_offsets(offsets, lists, count)) return INVALID;
    Rows known;
    for (i64 list = 0; list < lists; ++list) {
        const u64 before = known.count(), length = static_cast<u64>(offsets[list + 1] - offsets[list]);
        numbers[list] = static_cast<u32>(known.number_of(values + offsets[list], length));
        if (known.count() > before) firsts[before] = list;
    }
    return static_cast<i64>(known.count());
}

// Order of rows by their auctions, equal ones by their numbers.
EXPORT i64 core_sorted_order(
    const u8* calls, i64 call_count, const i64* offsets, i64 rows, i64* order) {
    if (!are_offsets(offsets, rows, call_count) || !are_calls(calls, call_count)) return INVALID;
    const RowAuctions auctions = {calls, offsets, rows};
    RowSort(auctions, order).run();
    return 0;
}

// Copies auctions in an order.
EXPORT i64 core_in_order(
    const u8* calls, i64 call_count, const i64* offsets, i64 rows, const i64* order, u8* out,
    i64 room) {
    if (!are_rows(calls, call_count, offsets, rows, order)) return INVALID;
    const RowAuctions auctions = {calls, offsets, rows};
    for (i64 place = 0; place < rows; ++place) {
        const i64 length = auctions.length(order[place]);
        if (length > room) return INVALID;
        copy_bytes(out, auctions.of(order[place]), static_cast<u64>(length));
        out += length, room -= length;
    }
    return 0;
}

// Where rows by their next call begin, of sorted rows `begin` to `end` below one auction.
EXPORT i64 core_children_in(
    const u8* calls, i64 call_count, const u32* offsets, i64 rows, i64 begin, i64 end, i64 depth,
    i64* bounds, i64 bound_count) {
    if (begin < 0 || begin > end || end > rows || depth < 0 || depth > MOST_DEPTHS) return INVALID;
    const bool are_within =
        children_in(calls, call_count, offsets, begin, end, depth, bounds, bound_count);
    return are_within ? 0 : INVALID;
}

// How many nodes the trie of sorted rows has at most.
EXPORT i64 core_most_nodes(
    const u8* calls, i64 call_count, const i64* offsets, i64 rows, const i64* order) {
    if (!are_rows(calls, call_count, offsets, rows, order)) return INVALID;
    return OrderedRows{{calls, offsets, rows}, order, nullptr, nullptr, nullptr}.most_nodes();
}

// Makes the trie of sorted rows, in room for so many nodes; how many there are.
EXPORT i64 core_grow_trie(
    const u8* calls, i64 call_count, const i64* offsets, i64 rows, const i64* order, const u8* kinds,
    const i64* numbers, const u64* priorities, i32* parent, u8* call, u8* flags, u64* priority,
    i64* first_row, i64* first_kept, i64 room, i32* row_node, u8* dropped) {
    if (room > 0x7FFFFFFFll || !are_rows(calls, call_count, offsets, rows, order)) return INVALID;
    const OrderedRows sorted = {{calls, offsets, rows}, order, kinds, numbers, priorities};
    const i64 most = sorted.most_nodes();
    if (most < 0 || most > room) return INVALID;
    const RowNodes nodes = {parent, call, flags, priority, first_row, first_kept};
    return RowTrie(sorted, nodes, row_node, dropped).grow();
}

EXPORT i64 core_measure_trie(
    const i32* parent, i64 nodes, u8* flags, i64* below, i64* child_count, u8* there) {
    if (!are_parents(parent, nodes)) return INVALID;
    measure(parent, nodes, flags, below, child_count, there);
    return 0;
}

EXPORT i64 core_children_by_priority(
    const i32* parent, i64 nodes, const u64* priority, const u8* there, i64* starts, i32* children,
    i64 room) {
    if (!are_parents(parent, nodes)) return INVALID;
    return children_by_priority(parent, nodes, priority, there, starts, children, room) ? 0 : INVALID;
}

EXPORT i64 core_number_below(
    const i64* starts, const i32* children, i64 child_room, i64 nodes, const i64* below,
    const i64* child_count, const u8* call, const u8* flags, i64* base, i64* entry, u8* calls_out,
    u8* flags_out, u16* counts_out, u32* first_out, i64 room) {
    if (!are_offsets(starts, nodes + 1, child_room) || !are_below(children, child_room, nodes))
        return INVALID;
    const EntryColumns columns = {calls_out, flags_out, counts_out, first_out, room};
    const bool fit = number_below(
        starts, children, nodes, below, child_count, call, flags, base, entry, columns);
    return fit ? 0 : INVALID;
}

EXPORT i64 core_rows_of_entries(
    const u8* dropped, const i64* row_entry, const u64* priorities, i64 rows, i64* first,
    i64 entries, u8* further) {
    for (i64 row = 0; row < rows; ++row)
        if (!dropped[row] && (row_entry[row] < 0 || row_entry[row] >= entries)) return INVALID;
    for (i64 entry = 0; entry < entries; ++entry)
        if (first[entry] >= rows) return INVALID;
    rows_of_entries(dropped, row_entry, priorities, rows, first, further);
    return 0;
}

// --- decisions -----------------------------------------------------------------------------------

namespace {

// Whether conditions are of rows of so many words.
bool are_conditions(const Conditions& one, i64 words) {
    return one.set_offsets.length > 0 && one.list_offsets.length > 0 &&
           one.holds_undescribed.length == 2 && one.list_masks.length == one.list_words.length &&
           are_offsets(one.set_offsets.data, one.sets(), static_cast<i64>(one.set_lists.length)) &&
           are_offsets(one.list_offsets.data, one.lists(), static_cast<i64>(one.list_words.length)) &&
           are_below(one.set_lists.data, static_cast<i64>(one.set_lists.length), one.lists()) &&
           are_below(one.list_words.data, static_cast<i64>(one.list_words.length), words);
}

}  // namespace

// Decisions along auctions; `counts` are how many, and calls behind what the trie does not have.
EXPORT i64 core_find_calls(
    const u32* first_child, const u16* child_count, const u8* call, i64 nodes, i64 roots,
    const u8* calls, i64 call_count, const i64* offsets, i64 auctions, u32* deal, u16* depth,
    u32* place, u32* entry, i64* counts) {
    if (roots < 0 || !are_offsets(offsets, auctions, call_count)) return INVALID;
    const CallTrie trie = {first_child, child_count, call, nodes, roots};
    FoundCalls found = {deal, depth, place, entry, 0, 0};
    for (i64 number = 0; number < auctions; ++number)
        if (!found.follow(trie, calls + offsets[number], offsets[number + 1] - offsets[number],
                          static_cast<u32>(number)))
            return INVALID;
    counts[0] = found.count, counts[1] = found.beyond;
    return 0;
}

EXPORT i64 core_turn_bits(
    const u64* columns, i64 expressions, i64 deal_words, i64 deals, i64 words, u64* rows) {
    if (deals > 64 * deal_words || deals <= 64 * (deal_words - 1) || expressions > 64 * words)
        return INVALID;
    turn_bits(columns, expressions, deal_words, deals, words, rows);
    return 0;
}

// Adds to counts [groups][expressions] the bits of rows.
EXPORT i64 core_add_bits(
    const u64* rows, i64 row_count, i64 words, const i64* numbers, i64 count, const u32* groups,
    u32* counts, i64 group_count, i64 expressions) {
    if (!are_below(numbers, count, row_count)) return INVALID;
    for (i64 at = 0; at < count; ++at)
        if (groups[at] >= group_count) return INVALID;
    for (i64 at = 0; at < count; ++at)
        for (i64 word = 0; word < words; ++word)
            for (u64 bits = rows[numbers[at] * words + word]; bits != 0; bits &= bits - 1) {
                const i64 expression = 64 * word + lowest_bit(bits);
                if (expression >= expressions) return INVALID;
                ++counts[groups[at] * expressions + expression];
            }
    return 0;
}

// Tries all calls of the trie where one was made.
EXPORT i64 core_judge_calls(
    const u64* rows, i64 row_count, i64 words, const i64* hands, i64 count, const i64* first,
    const i64* sizes, const u32* entry, const u32* variant_set, const u8* call, i64 node_count,
    const Conditions* conditions, const i64* sibling_base, const i64* pair_base, u8* holds,
    u32* chosen, u16* holding, u32* sibling_held, u32* sibling_first, i64 siblings, u32* pair_held,
    i64 pairs) {
    const ConditionedNodes nodes = {*conditions, variant_set, call, node_count};
    if (!are_conditions(*conditions, words) || !are_below(hands, count, row_count)) return INVALID;
    for (i64 at = 0; at < count; ++at) {
        const i64 size = sizes[at];
        if (size < 0 || size > MOST_SIBLINGS || !nodes.are_nodes(first[at], size) ||
            sibling_base[at] < 0 || sibling_base[at] > siblings - size || pair_base[at] < 0 ||
            pair_base[at] > pairs - size * (size - 1) / 2)
            return INVALID;
    }
    for (i64 at = 0; at < count; ++at) {
        const u64* const row = rows + hands[at] * words;
        i64 found[MOST_SIBLINGS], held = 0;
        holds[at] = 0;
        for (i64 place = 0; place < sizes[at]; ++place) {
            if (!nodes.holds(first[at] + place, row)) continue;
            found[held++] = place;
            if (static_cast<u32>(first[at] + place) == entry[at]) holds[at] = 1;
        }
        holding[at] = static_cast<u16>(held);
        chosen[at] = held > 0 ? static_cast<u32>(first[at] + found[0]) : NO_NODE;
        const SiblingCounters counters = {
            sibling_held + sibling_base[at], sibling_first + sibling_base[at],
            pair_held + pair_base[at]};
        counters.add(found, held, sizes[at]);
    }
    return 0;
}

// Of sets of lists, the list that lacks least, -1 for none, and how much it lacks.
EXPORT i64 core_nearest_lists(
    const u64* rows, i64 row_count, i64 words, const i64* hands, i64 count, const u32* sets,
    const Conditions* conditions, i64* nearest, i64* missing) {
    if (!are_conditions(*conditions, words) || !are_below(hands, count, row_count)) return INVALID;
    for (i64 at = 0; at < count; ++at)
        if (sets[at] >= conditions->sets()) return INVALID;
    for (i64 at = 0; at < count; ++at) {
        nearest[at] = -1;
        missing[at] = 0;
        const i64 set = sets[at], end = conditions->set_offsets[set + 1];
        for (i64 place = conditions->set_offsets[set]; place < end; ++place) {
            const i64 list = conditions->set_lists[place];
            const i64 lacks = conditions->missing(list, rows + hands[at] * words);
            if (nearest[at] >= 0 && lacks >= missing[at]) continue;
            nearest[at] = list;
            missing[at] = lacks;
        }
    }
    return 0;
}

// Names the expressions of lists that do not hold, of which there are at most `room`.
EXPORT i64 core_missing_expressions(
    const u64* rows, i64 row_count, i64 words, const i64* hands, i64 count, const i64* lists,
    const Conditions* conditions, u32* expressions, i64 room) {
    if (!are_conditions(*conditions, words) || !are_below(hands, count, row_count)) return INVALID;
    for (i64 at = 0; at < count; ++at)
        if (lists[at] < -1 || lists[at] >= conditions->lists()) return INVALID;
    i64 filled = 0;
    for (i64 at = 0; at < count; ++at) {
        const i64 list = lists[at];
        if (list < 0) continue;
        for (i64 place = conditions->list_offsets[list]; place < conditions->list_offsets[list + 1];
             ++place) {
            const i64 word = conditions->list_words[place];
            u64 bits = conditions->list_masks[place] & ~rows[hands[at] * words + word];
            for (; bits != 0; bits &= bits - 1) {
                if (filled == room) return INVALID;
                expressions[filled++] = static_cast<u32>(64 * word + lowest_bit(bits));
            }
        }
    }
    return 0;
}

// How many of some nodes hold, each on its own row.
EXPORT i64 core_count_held(
    const u64* rows, i64 row_count, i64 words, const i64* hands, i64 count, const u32* entry,
    const u32* variant_set, const u8* call, i64 node_count, const Conditions* conditions) {
    const ConditionedNodes nodes = {*conditions, variant_set, call, node_count};
    if (!are_conditions(*conditions, words) || !are_below(hands, count, row_count)) return INVALID;
    i64 held = 0;
    for (i64 at = 0; at < count; ++at) {
        if (!nodes.are_nodes(entry[at], 1)) return INVALID;
        held += nodes.holds(entry[at], rows + hands[at] * words);
    }
    return held;
}

// Calls of the trie that hold at places, a bit each.
EXPORT i64 core_held_calls(
    const u64* rows, i64 row_count, i64 words, const i64* hands, i64 count, const i64* first,
    const i64* sizes, const u32* variant_set, const u8* call, i64 node_count,
    const Conditions* conditions, u64* calls) {
    const ConditionedNodes nodes = {*conditions, variant_set, call, node_count};
    if (!are_conditions(*conditions, words) || !are_below(hands, count, row_count)) return INVALID;
    for (i64 at = 0; at < count; ++at) {
        if (!nodes.are_nodes(first[at], sizes[at])) return INVALID;
        calls[at] = 0;
        for (i64 node = first[at]; node < first[at] + sizes[at]; ++node)
            if (call[node] < CALLS && nodes.holds(node, rows + hands[at] * words))
                calls[at] |= 1ull << call[node];
    }
    return 0;
}
