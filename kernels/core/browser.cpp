// The core as a module of WebAssembly, for the page's engine: functions over memory that the module
// owns. Its one translation unit; build.py says how it is compiled, engine/core.js calls it.
//
// Numbers are of 32 bits, which JavaScript has; a hand is two of them, its low half first. Who calls
// gives addresses that these functions gave, and arrays of the size that they say.
#include "places/bidder.hpp"
#include "deals/dealing.hpp"
#include "deals/double_dummy.hpp"
#include "deals/par.hpp"
#include "deals/rules_of_thumb.hpp"
#include "files/lin_block.hpp"
#include "files/pbn_boards.hpp"
#include "hands/proportions.hpp"

#ifndef CORE_VERSION
#error "expected CORE_VERSION, a digest of the sources (build.py)"
#endif

#define EXPORT extern "C" __attribute__((visibility("default")))

// Ends what was asked, by an error of JavaScript: the memory does not grow any more.
extern "C" __attribute__((import_module("core"), import_name("no_memory"))) void no_memory(u32 bytes);

inline void* operator new(decltype(sizeof(0)), void* where) noexcept { return where; }

extern "C" u8 __heap_base;

// The one of the compiler's library goes byte by byte.
extern "C" int memcmp(const void* one, const void* other, decltype(sizeof(0)) bytes) {
    const u8 *left = static_cast<const u8*>(one), *right = static_cast<const u8*>(other);
    for (; bytes >= 8; bytes -= 8, left += 8, right += 8) {
        u64 here, there;
        __builtin_memcpy(&here, left, 8);
        __builtin_memcpy(&there, right, 8);
        if (here == there) continue;
        // little-endian: the first byte that differs decides
        here = __builtin_bswap64(here), there = __builtin_bswap64(there);
        return here < there ? -1 : 1;
    }
    for (; bytes != 0; --bytes, ++left, ++right)
        if (*left != *right) return *left < *right ? -1 : 1;
    return 0;
}

namespace core {
namespace {

// Memory in pieces of some sizes, four between one power of two and the next. Pieces that come back
// wait by their size for the next one; nothing goes back to the browser before the whole module does.
constexpr u32 PAGE = 1 << 16, LEAST_PIECE = 16, SIZES = 4 * 28;

struct Free {
    Free* next;
};
Free* free_pieces[SIZES];
u32 fresh = 0;  // from here on nothing was given, and all is zero

u32 size_number(u32 bytes) {
    const u32 power = 31 - static_cast<u32>(__builtin_clz(most(bytes, LEAST_PIECE) - 1 | 8));
    // pieces of (4 + quarter + 1) << (power - 2), quarter 0-3
    const u32 quarter = (most(bytes, LEAST_PIECE) - 1) >> (power - 2) & 3;
    return 4 * (power - 3) + quarter;
}
u32 size_of(u32 number) { return (5 + (number & 3)) << (number / 4 + 1); }

}  // namespace

void* allocate(u64 wanted) {
    const u32 bytes = static_cast<u32>(wanted);
    if (wanted > 1u << 30) no_memory(bytes);
    const u32 number = size_number(bytes), size = size_of(number);
    if (Free* const found = free_pieces[number]; found != nullptr) {
        free_pieces[number] = found->next;
        return __builtin_memset(found, 0, size);
    }
    if (fresh == 0) fresh = (reinterpret_cast<u32>(&__heap_base) + 15) & ~15u;
    const u32 room = static_cast<u32>(__builtin_wasm_memory_size(0)) * PAGE - fresh;
    if (room < size) {
        // browsers look for garbage each time, and take the memory where it is written
        const u32 needed = (size - room + PAGE - 1) / PAGE;
        const u32 more = most(needed, most<u32>(64, static_cast<u32>(__builtin_wasm_memory_size(0)) / 2));
        if (__builtin_wasm_memory_grow(0, more) == ~0u && __builtin_wasm_memory_grow(0, needed) == ~0u)
            no_memory(bytes);
    }
    void* const given = reinterpret_cast<void*>(fresh);
    fresh += (size + 15) & ~15u;
    return given;
}

void release(void* memory, u64 bytes) {
    Free* const piece = static_cast<Free*>(memory);
    const u32 number = size_number(static_cast<u32>(bytes));
    piece->next = free_pieces[number];
    free_pieces[number] = piece;
}

namespace {

CellTables* cell_tables = nullptr;

CellTables& known_cells() {
    if (cell_tables == nullptr) cell_tables = new (allocate(sizeof(CellTables))) CellTables();
    return *cell_tables;
}

Proportions* proportions_ = nullptr;

Proportions& proportions() {
    CellTables& cells = known_cells();
    if (proportions_ == nullptr)
        proportions_ = new (allocate(sizeof(Proportions)))
            Proportions(cells.trees, cells.terms, cells.knowledge);
    return *proportions_;
}

u64 hand_of(const u32* halves) { return halves[0] | static_cast<u64>(halves[1]) << 32; }

// What an answer of words is written to. Nothing is made before somebody asks, or destroyed.
Vec<i32>& answer_words() {
    static Vec<i32>* words = nullptr;
    if (words == nullptr) words = new (allocate(sizeof(Vec<i32>))) Vec<i32>();
    return *words;
}

}  // namespace
}  // namespace core

using namespace core;

// A digest of the sources, by halves.
EXPORT u32 core_version(u32 half) { return static_cast<u32>(CORE_VERSION >> 32 * half); }

EXPORT void* core_allocate(u32 bytes) { return allocate(bytes); }
EXPORT void core_release(void* memory, u32 bytes) { release(memory, bytes); }

// --- systems -------------------------------------------------------------------------------------

// A system of rows; null if they are not what an encoder writes.
EXPORT System* core_open(const i32* text, u32 text_count, const i32* structure, u32 structure_count) {
    System* const made =
        new (allocate(sizeof(System))) System(text, text_count, structure, structure_count);
    return made->is_open() ? made : nullptr;
}

// What could not be learned last: fault, and what it is about.
EXPORT void core_problem(const System* system, i64* out) {
    const Problem& problem = system->problem;
    out[0] = problem.fault;
    out[1] = problem.a, out[2] = problem.b, out[3] = problem.c, out[4] = problem.d;
}

// Words of an expression; how many.
EXPORT u32 core_expression(const System* system, u32 number, const i32** words) {
    const Span<i32> row = system->trees.expressions[number];
    *words = row.data;
    return static_cast<u32>(row.count);
}

// Expressions that some needs ask for; how many.
EXPORT u32 core_criteria(const System* system, u32 needs, const i32** words) {
    const Span<i32> row = system->criteria[needs];
    *words = row.data;
    return static_cast<u32>(row.count);
}

// Cells where some hand, and where every hand, meets some needs.
EXPORT const u64* core_cells(const System* system, u32 needs, u32 must) {
    const Needs& row = system->needs[needs];
    return system->program.cells[must ? row.must : row.can];
}

// The same in one context, position + 4 * we + 8 * they vulnerable; they hold until another set is
// asked for.
EXPORT const u64* core_cells_at(System* system, u32 needs, u32 must, i32 context) {
    const CellBounds found = system->knowledge().bounds_at(system->tree_of_needs(needs), context);
    // it may have added sets of cells
    system->refresh();
    return system->program.cells[must ? found.must : found.can];
}

// Whether an expression holds for a hand; -1 with a problem if it means nothing.
EXPORT i32 core_holds(System* system, i32 expression, const u32* hand, u32 context) {
    const i32 tree = system->tree_of(expression);
    return tree < 0 ? -1 : system->value_of(tree, hand_of(hand), context) != 0;
}

// What a name is worth for a hand: its value, 1 where that is a truth value, and its unit; 0 with a
// problem if it means nothing.
EXPORT i32 core_value(System* system, i32 name, const u32* hand, u32 context, i32* out) {
    const Lowered meaning = system->meaning_of(name);
    if (meaning.failed()) return 0;
    out[0] = static_cast<i32>(system->value_of(meaning.tree, hand_of(hand), context));
    out[1] = meaning.boolean, out[2] = meaning.scale;
    return 1;
}

// Values of a term for hands that are nowhere, into `out`.
EXPORT void core_values(System* system, i32 term, const u32* hands, u32 count, i32* out) {
    const i32 tree = system->meaning_of(term).tree;
    for (u32 at = 0; at < count; ++at)
        out[at] = static_cast<i32>(system->value_of(tree, hand_of(hands + 2 * at), 0));
}

// Share of each cell's hands that meet some needs, [560][38], in one context, or -1 for any.
EXPORT void core_proportion(System* system, u32 needs, i32 context, double* out) {
    const i32 tree = system->tree_of_needs(needs);
    Proportions(system->trees, system->terms(), system->knowledge())
        .find(tree, out, context);
    // it may have added sets of cells
    system->refresh();
}

// Number of hands in each cell, [560][38].
EXPORT const double* core_hands() { return proportions().hands(); }

// All cells that some hand is in.
EXPORT const u64* core_everything() { return known_cells().everything(); }

// Number of words of a set of cells.
EXPORT u32 core_set_words() { return 2 * SET_WORDS; }

// Least and most points and cards of each suit in a set of cells, [5][2].
EXPORT void core_hull(const u64* cells, u8* hull) {
    hull_of<1>(CellTables::lengths(), cells, 0, *reinterpret_cast<Hull*>(hull));
}

// --- places --------------------------------------------------------------------------------------

EXPORT Bidder* core_bidder(System* first, System* other) {
    return new (allocate(sizeof(Bidder))) Bidder(first, other, known_cells());
}

// Works out the place behind calls; an outcome. The answer's words: the place, whether the player is
// forced, whether each side is forced to game, the suit that each has agreed, the addresses of what
// each position has shown, and of what each has shown of hulls.
EXPORT i32 core_place(Bidder* bidder, const u8* calls, u32 count, i32* out) {
    i32 place = 0;
    const i32 found = bidder->reach(calls, count, place);
    if (found != FINE) return found;
    const Place& row = bidder->row(place);
    *out++ = place;
    *out++ = forced(row);
    for (i32 side = 0; side < 2; ++side) *out++ = row.game_forced[side];
    for (i32 side = 0; side < 2; ++side) *out++ = row.agreed[side];
    for (i32 position = 0; position < 4; ++position)
        *out++ = reinterpret_cast<i32>(bidder->store.sets[row.known[position]]);
    return FINE;
}

// Entries of a place that is worked out, six words each: number, call, variant, needs, bindings,
// and whether a new rank begins. How many words; `words` is where they are until the next question.
EXPORT u32 core_entries(const Bidder* bidder, i32 place, const i32** words) {
    const Store& store = bidder->store;
    const i32 list = store.list[place];
    i32 calls = 0;
    for (i32 here = place; store.parent[here] >= 0; here = store.parent[here]) ++calls;
    const Program& program = bidder->systems[calls & 1]->program;
    Vec<i32>& out = answer_words();
    out.clear();
    for (i64 item = store.list_first[list]; item < store.list_first[list + 1]; ++item) {
        const i32 which = store.list_items[item];
        const Entry& entry = program.entries[which >> 1];
        const i32 row[] = {which >> 1, entry.call, entry.variant, entry.needs,
                           static_cast<i32>(program.bindings[entry.bindings]), which & 1};
        out.append(row, 6);
    }
    *words = out.data;
    return static_cast<u32>(out.count);
}

// Number of the expression that a condition becomes at a place that is worked out; -1 with a problem.
EXPORT i32 core_lowered(Bidder* bidder, i32 place, i32 condition, u32 bindings) {
    const Place& row = bidder->row(place);
    Asked at = {&row, &bidder->store, nullptr, nullptr};
    return bidder->systems[row.length & 1]->lowered_at(condition, bindings, at);
}

// Entries that hands choose behind calls, -1 for a pass by default; an outcome.
EXPORT i32 core_choose(
    Bidder* bidder, const u8* calls, u32 count, const u32* hands, u32 hand_count, u32 context,
    i32* entries) {
    i32 place = 0;
    const i32 found = bidder->reach(calls, count, place);
    if (found != FINE) return found;
    const System& system = *bidder->systems[count & 1];
    Vec<u64> words;
    words.resize(static_cast<u64>(system.layout().words()));
    for (u32 at = 0; at < hand_count; ++at) {
        pack_hand(system.layout().packing(), hand_of(hands + 2 * at), context, 0, words.data);
        entries[at] = choose(system.program, bidder->store, place, words.data).entry;
    }
    return FINE;
}

// --- deals ---------------------------------------------------------------------------------------

namespace {

struct OneHands {
    u64 hands[4];
    u8 dealer, vulnerability;

    OneHands(const u32* halves, u32 first, u32 sides)
        : dealer(static_cast<u8>(first)), vulnerability(static_cast<u8>(sides)) {
        for (u32 seat = 0; seat < 4; ++seat) hands[seat] = hand_of(halves + 2 * seat);
    }
    Deals deals() const { return {hands, &dealer, &vulnerability, 1}; }
};

}  // namespace

// Deals the deal of a number of a seed, whose halves these are.
EXPORT void core_deal(u32 low, u32 high, u32 number, u32* out) {
    u64 hands[4];
    u8 places[DECK];
    deal_one(split_mixed(low | static_cast<u64>(high) << 32), number, places, hands, 1);
    copy_bytes(out, hands, sizeof hands);
}

namespace {

DoubleDummy* solver = nullptr;

// The solver of the instance, whose memory goes with it.
DoubleDummy& kept_solver() {
    constexpr u64 BYTES = DoubleDummy::USUAL_MEMORY;
    if (solver == nullptr)
        solver = new (allocate(sizeof(DoubleDummy))) DoubleDummy(allocate(BYTES), BYTES);
    return *solver;
}

}  // namespace

// Takes in a deal of hands N, E, S, W to be solved double dummy; 0 if they are none.
EXPORT u32 core_take_deal(const u32* hands) {
    const OneHands deal(hands, 0, 0);
    CardPlay play = {};
    copy_bytes(play.hands, deal.hands, sizeof deal.hands);
    if (!is_playable(play)) return 0;
    kept_solver().take(play);
    return 1;
}

// Solves a strain (C D H S N) of the deal that was taken in, into a table of tricks at
// 5 * declarer + strain.
EXPORT void core_solve_strain(u32 strain, i8* tricks) {
    kept_solver().solve_strain(static_cast<i32>(strain), tricks);
}

// Tricks of the side to play, from the trick under way on, for each of 52 cards that may be played; of
// what hands N, E, S, W hold still, who leads and the cards that were played to the trick, three at
// most. 0 if it is no position.
EXPORT u32 core_solve_plays(
    const u32* hands, u32 strain, u32 leader, const u8* trick, u32 played, i8* tricks) {
    const OneHands deal(hands, 0, 0);
    CardPlay play = {};
    copy_bytes(play.hands, deal.hands, sizeof deal.hands);
    play.strain = static_cast<i32>(strain), play.first = static_cast<i32>(leader);
    for (; static_cast<u32>(play.played) < played; ++play.played)
        play.trick[play.played] = 1ull << trick[play.played];
    if (!is_playable(play)) return 0;
    kept_solver().plays(play, tricks);
    return 1;
}

// Par of a table of tricks [20] at 5 * declarer + strain: how many contracts reach it, -1 if it is no table. The
// answer's words: the score of North-South, and the contracts, a byte each for level, strain, declarers and tricks.
EXPORT i32 core_par(const i8* table, u32 dealer, u32 vulnerability, i32* out) {
    if (!are_tricks(table) || dealer > 3 || vulnerability > 3) return -1;
    u8 best[BIDS][4];
    out[0] = find_par(table, static_cast<i32>(dealer), vulnerability, best);
    return list_par_contracts(table, best, *reinterpret_cast<ParContract(*)[MOST_PAR_CONTRACTS]>(out + 1));
}

// Cards that a player may play, [13], the one of the rules of thumb first, then the lowest; how many, 0 where he
// has no choice to make. `hands` are what he holds, what was played and what else he sees.
EXPORT i32 core_usual_cards(
    const u32* hands, u32 strain, u32 declares, const u8* trick, u32 played, u8* cards) {
    if (strain > NO_TRUMPS || played > 3) return 0;
    const SeenCards seen = {
        hand_of(hands), hand_of(hands + 2), hand_of(hands + 4), static_cast<i32>(strain), declares != 0,
        static_cast<i32>(played), trick};
    return is_choice(seen) ? usual_cards(seen, *reinterpret_cast<u8(*)[MOST_HELD]>(cards)) : 0;
}

// Bids a deal of hands N, E, S, W to the end; an outcome. The answer's words: the last call's entry,
// -1 for a pass by default, how many calls there are, and the calls.
EXPORT i32 core_bid(Bidder* bidder, const u32* hands, u32 dealer, u32 vulnerability, i32* out) {
    const OneHands deal(hands, dealer, vulnerability);
    i32 place = 0;
    const i32 found = bidder->bid(deal.deals(), place, out[0]);
    if (found != FINE) return found;
    const Store& store = bidder->store;
    // the pass at the place of the last call ends the auction
    i32 count = 1;
    for (i32 here = place; store.parent[here] >= 0; here = store.parent[here]) ++count;
    out[1] = count;
    out[1 + count] = 0;
    for (i32 here = place, at = count; store.parent[here] >= 0; here = store.parent[here])
        out[at--] = store.call[here];
    return FINE;
}

// Lists the auctions that are allowed for a deal; an outcome. The answer's words: what cut it (0 nothing,
// 1 the limit, 3 the places), and for each auction how many calls, these, whether it is over, how many
// entries hold for the last call, and these.
EXPORT i32 core_list(
    Bidder* bidder, const u32* hands, u32 dealer, u32 vulnerability, u32 limit, u32 places,
    const i32** words, u32* count) {
    const OneHands deal(hands, dealer, vulnerability);
    const i64 bounds[4] = {limit, LONGEST_AUCTION, places, 0};
    Auctions found;
    const i32 outcome = bidder->list(deal.deals(), bounds, found);
    if (outcome != FINE) return outcome;
    Vec<i32>& out = answer_words();
    out.clear();
    out.push(found.cut[0]);
    for (i64 at = 0; at < found.end[1]; ++at) {
        const Store& store = bidder->store;
        const u64 first = out.push(0);
        out.push(found.call[at]);
        for (i32 here = found.place[at]; store.parent[here] >= 0; here = store.parent[here])
            out.push(store.call[here]);
        const u64 calls = out.count - first - 1;
        out[first] = static_cast<i32>(calls);
        for (u64 one = first + 1, other = out.count - 1; one < other; ++one, --other) {
            const i32 call = out[one];
            out[one] = out[other], out[other] = call;
        }
        out.push(found.completed[at]);
        out.push(static_cast<i32>(found.held_end[at + 1] - found.held_end[at]));
        for (i64 held = found.held_end[at]; held < found.held_end[at + 1]; ++held)
            out.push(found.held[held]);
    }
    *words = out.data;
    *count = static_cast<u32>(out.count);
    return FINE;
}

// Entry's words: call, variant, needs, bindings.
EXPORT void core_entry(const System* system, i32 number, i32* out) {
    const Entry& entry = system->entries[static_cast<u64>(number)];
    out[0] = entry.call, out[1] = entry.variant, out[2] = entry.needs;
    out[3] = static_cast<i32>(system->bindings[static_cast<u64>(entry.bindings)]);
}

// --- files ---------------------------------------------------------------------------------------

// Bytes of the block that a LIN text of some bytes is read in, for so many boards.
EXPORT u32 core_lin_room(u32 bytes, u32 most_boards) {
    const u64 size = LinBlock(nullptr, bytes, most_boards).size();
    // more than there can be is refused where it is asked for
    return static_cast<u32>(least(size, ~0u + 0ull));
}

// Reads the LIN text, UTF-8, that a block begins with. The answer's words: how many there are of boards,
// records that are none, calls, bytes of announcements, tails, cards and bytes of remarks, and the addresses
// of these, with that of alerts behind the calls' and of the announcements' ends behind theirs.
EXPORT void core_read_lin(
    u8* block, u32 bytes, u32 most_boards, u32 most_tokens, u32 longest_record, u32* out) {
    LinBlock memory(block, bytes, most_boards);
    const LinArrays& found = memory.read(most_tokens, longest_record);
    for (u32 which = 0; which < LIN_COUNTS; ++which) *out++ = static_cast<u32>(found.counts[which]);
    const void* const addresses[] = {
        found.boards.data, found.rejects.data, found.calls.data, found.alerts.data,
        found.announcements.data, found.announcement_ends.data, found.tail.data, found.play.data,
        found.commentary.data};
    for (const void* const address : addresses) *out++ = reinterpret_cast<u32>(address);
}

// A reader of a PBN text, UTF-8, which it changes; the text stays where it is until the reader is closed.
EXPORT PbnBoards* core_open_pbn(u8* text, u32 bytes) {
    return new (allocate(sizeof(PbnBoards))) PbnBoards(text, bytes);
}

EXPORT void core_close_pbn(PbnBoards* reader) {
    reader->~PbnBoards();
    release(reader, sizeof(PbnBoards));
}

// Whether there is another record. The answer's words: the addresses of the record, of its calls, alerts,
// tail, cards, kinds of comments and ends of texts, and of its texts.
EXPORT bool core_next_pbn(PbnBoards* reader, u32* out) {
    if (!reader->next()) return false;
    const void* const addresses[] = {
        &reader->record, reader->calls, reader->alerts, reader->tail.data, reader->cards,
        reader->comment_kinds.data, reader->ends.data, reader->words.data};
    for (const void* const address : addresses) *out++ = reinterpret_cast<u32>(address);
    return true;
}
