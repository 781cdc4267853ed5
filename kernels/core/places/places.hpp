// One place: the row behind a call (advance), and its entries in order (expand), by one side's system.
// systems/reference/place_entries.py is the definition.
//
// What nobody has asked before is noted as missing, to be learned before the place is tried again. A
// host that works alone learns it at once.
#pragma once
#include "../hands/cells.hpp"
#include "../text/facts.hpp"

namespace core {

constexpr i32 NATURAL_LENGTH = 4;  // cards shown that make a suit count as shown without a bid
constexpr i32 DONE = 0, LEARN = 1, TOO_MUCH = 2;
// What is missing: (subject, bindings); a root; (needs, needs); (variant, bindings, call and needs);
// (side, state, call); (line, bindings, their call).
enum Miss : i32 { MISS_ROOT, MISS_DECISION, MISS_JOIN, MISS_ENTRY, MISS_MOVE, MISS_BELOW };
constexpr i32 AGREEMENTS = 64;

using Misses = i64[5];  // kind, item (-1 - item: of the row before), and what is missing

// Entries of a place, and room to find them.
struct Room {
    i32* items;
    i32 most_items;
    Found* found;
    i32 most_found;
    i32* owners;     // [CALLS] specificity of the context that has a call
    i32 (*stack)[2];  // open trees, and the needs of the way to each
    i32 most_stack;
};

#ifndef __CUDACC__
// Learns what is missing for a place at once; `learning.hpp` has the one there is.
struct Learner {
    // Value of what is missing, MISSING if the text asks for what does not exist there.
    virtual i32 learn(i32 kind, i64 a, i64 b, i64 c, const Asked& at) = 0;

  protected:
    ~Learner() = default;
};
#endif

// One thread's work on one place, by one side's system. Loops over terms stay loops: unrolled they
// keep more of a row in registers than a GPU has. What may learn moves arrays: numbers are read
// before it, and references to rows of the program end there.
struct Worker {
    struct Answered {
        i32 kind, answer;
    };
    const Program& prog;
    const Known& known;
    i64 blamed;  // the item, or -1 - item where the row before is asked
    Asked at;
    Misses* misses;
    i32 most_misses, missed;
    Room room;
    bool too_much;
#ifndef __CUDACC__
    Learner* learner = nullptr;
    static constexpr u32 REMEMBERED = 512;
    struct Remembered {
        i32 number;
        Answered answered;
    } remembered[REMEMBERED];
#endif

    __device__ __forceinline__ Worker(
        const Program& prog, const Known& known, i64 blamed, const Asked& at, Misses* misses,
        i32 most_misses, i32 missed)
        : prog(prog), known(known), blamed(blamed), at(at), misses(misses),
          most_misses(most_misses), missed(missed), room{}, too_much(false) {
#ifndef __CUDACC__
        __builtin_memset(remembered, -1, sizeof remembered);
#endif
    }

    // Learns what is missing, or notes it as long as there is room: the rest comes up again.
    __device__ i32 lacks(i32 kind, i64 a, i64 b, i64 c) {
#ifndef __CUDACC__
        if (learner != nullptr) return learner->learn(kind, a, b, c, at);
#endif
        if (missed >= most_misses) return MISSING;
        Misses& row = misses[missed++];
        row[0] = kind, row[1] = blamed, row[2] = a, row[3] = b, row[4] = c;
        return MISSING;
    }

    // What the place answers to a question. A host remembers it: half of what trees and lines ask of a
    // place was asked before.
    __device__ __forceinline__ Answered answer_to(i32 number) {
#ifdef __CUDACC__
        const Question& q = prog.questions[number];
        return {q.kind, answer(at, q)};
#else
        Remembered& slot = remembered[static_cast<u32>(number) % REMEMBERED];
        if (slot.number != number) {
            const Question& q = prog.questions[number];
            slot = {number, {q.kind, answer(at, q)}};
        }
        return slot.answered;
#endif
    }

    // Whether something was learned since the arrays of the program were looked at: by another thread,
    // which has given it a number meanwhile.
    template <class T>
    __device__ __forceinline__ static bool is_new(i32 number, const Array<T>& items) {
        return static_cast<u64>(number) >= items.length;
    }

    // Called, not copied to where it is used: fewer registers, and a tenth of the compiler's time.
    __device__ __noinline__ i32 decide(i32 root) {
        if (is_new(root, prog.roots)) return lacks(MISS_DECISION, root, 0, 0);
        i32 edge = published(prog.roots[root]);
        while (edge >= 0) {
            if (is_new(edge, prog.decisions)) return lacks(MISS_DECISION, root, 0, 0);
            const Decision& decision = prog.decisions[edge];
            const Answered asked = answer_to(decision.question);
            const i32 found = asked.answer;
            // its answer is written before its edge
            const i32 yes = published(decision.yes), no = published(decision.no);
            if (asked.kind >= MANY_ANSWERS) edge = found ? yes : no;
            // the first answer that somebody gave stands in the decision itself
            else if (found == no && yes != UNKNOWN) edge = yes;
            else edge = find(prog.answers, static_cast<u64>(edge) << 32 | static_cast<u32>(found));
        }
        return edge != UNKNOWN ? LEAF - edge : lacks(MISS_DECISION, root, 0, 0);
    }

    __device__ i32 needs_of(i32 subject, i32 bindings) {
        if (subject < 0) return ANY_HAND;
        const u64 key = static_cast<u64>(subject) << 16 | static_cast<u32>(bindings);
        const i32 root = find(prog.root_numbers, key);
        return root >= 0 ? decide(root) : lacks(MISS_ROOT, subject, bindings, 0);
    }

    __device__ i32 joined(i32 first, i32 second) {
        if (first == ANY_HAND || second == ANY_HAND) return first + second;  // ANY_HAND is 0
        const u64 key = static_cast<u64>(first) << 32 | static_cast<u32>(second);
        const i32 both = find(prog.joined, key);
        return both >= 0 ? both : lacks(MISS_JOIN, first, second, 0);
    }

    // --- advance ---

    __device__ static void narrow(i16* bounds, i32 low, i32 high) {
        const i32 both_low = most(static_cast<i32>(bounds[0]), low);
        const i32 both_high = least(static_cast<i32>(bounds[1]), high);
        const bool meets = both_low <= both_high;
        bounds[0] = static_cast<i16>(meets ? both_low : low);
        bounds[1] = static_cast<i16>(meets ? both_high : high);
    }

    // Widens `hull` by what an entry and its promises say of terms. A promise counts whatever the
    // hand needs for the call: partner relies on it.
    __device__ bool add_bounds(const Entry entry, i16 (*hull)[2]) {
        const i32 end = prog.variants[entry.variant].end_promise;
        i16 promise[TERMS][2];
CORE_ROLLED
        for (u32 term = 0; term < TERMS; ++term) promise[term][0] = -WIDEST, promise[term][1] = WIDEST;
        for (i32 place = prog.variants[entry.variant].first_promise; place < end; ++place) {
            const i32 promise_of = prog.promises[place];
            i32 needs = needs_of(promise_of, entry.bindings);
            if (needs != MISSING && is_new(needs, prog.needs))
                needs = lacks(MISS_ROOT, promise_of, entry.bindings, 0);
            if (needs == MISSING) return false;
            if (needs == NEVER) continue;
            const Needs& promised = prog.needs[needs];
CORE_ROLLED
            for (u32 term = 0; term < TERMS; ++term)
                narrow(promise[term], promised.promised[term][0], promised.promised[term][1]);
        }
        const Needs& own = prog.needs[entry.needs];
CORE_ROLLED
        for (u32 term = 0; term < TERMS; ++term) {
            i16 bounds[2] = {own.terms[term][0], own.terms[term][1]};
            narrow(bounds, promise[term][0], promise[term][1]);
            hull[term][0] = least(hull[term][0], bounds[0]);
            hull[term][1] = most(hull[term][1], bounds[1]);
        }
        return true;
    }

    // Letter of a strain word in an agreement: 0-4 C D H S NT, then the variables; 0 for none.
    __device__ static i32 letter_of(i32 word, u32 bindings) {
        if (word < 5) return word + 1;
        const i32 variable = word - 5;
        const i32 letter = static_cast<i32>(bindings >> 3 * variable & 7);
        if (letter != 0 || variable > 3) return letter;
        const i32 other = static_cast<i32>(bindings >> 3 * (variable ^ 1) & 7);
        return other != 0 ? ((other - 1) ^ 1) + 1 : 0;
    }

    // Suit of the first line of a call that has one for an agreement's word, 0 for none.
    __device__ i32 agreed_by(i32 list, i32 call, i32 word) {
        i32 line = -1;
        for (i64 use = known.list_first[list]; use < known.list_first[list + 1]; ++use) {
            const Entry& user = prog.entries[known.list_items[use] >> 1];
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
        for (i64 place = known.list_first[list]; place < known.list_first[list + 1]; ++place) {
            const Entry& entry = prog.entries[known.list_items[place] >> 1];
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

    // How a call stands to the calls before it: raise, jump, new suit, cue-bid, reverse.
    __device__ static void describe_call(Place& row, i32 call, i32 me) {
        row.call_kind[me] = 0;
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
        row.call_kind[me] = static_cast<u8>(
            CALL_KIND_RAISE * raised + CALL_KIND_NEW_SUIT * is_new + CALL_KIND_CUE_BID * cue + CALL_KIND_REVERSE * reverse);
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

    // Writes kinds, tags and bounds of a call to the row; false if something is missing. `end` says
    // behind how many entries of the list there is none of the call any more.
    __device__ bool describe_meaning(Place& row, const Job& job, i32 me, u32 end) {
        u32 kinds = 0;
        i16 terms[TERMS][2];
CORE_ROLLED
        for (u32 term = 0; term < TERMS; ++term) terms[term][0] = WIDEST, terms[term][1] = -WIDEST;
        for (u32 word = 0; word < TAG_WORDS; ++word) row.tags[me][word] = 0;
        bool is_missing = false;
        const i64 first = known.list_first[job.list];
        for (i64 place = first; place < first + end; ++place) {
            const Entry entry = prog.entries[known.list_items[place] >> 1];
            if (entry.call != job.call) continue;
            const Variant& variant = prog.variants[entry.variant];
            kinds |= variant.kinds;
            for (u32 word = 0; word < TAG_WORDS; ++word) row.tags[me][word] |= variant.tags[word];
            if (!add_bounds(entry, terms)) is_missing = true;
        }
        if (is_missing) return false;
        if (end != 0)
CORE_ROLLED
            for (u32 term = 0; term < TERMS; ++term)
                narrow(row.terms[me][term], terms[term][0], terms[term][1]);
        row.kinds[me] = kinds;
        return true;
    }

    // State of a side's automaton of auction patterns behind a call, MISSING if it is.
    __device__ i32 moved(const Program& side, i32 number, i32 pattern, i32 call) {
        const u64 key = static_cast<u64>(static_cast<u32>(pattern)) << 6 | static_cast<u32>(call);
        const i32 state = find(side.moves, key);
        return state >= 0 && !is_new(state, side.heads) ? state
                                                        : lacks(MISS_MOVE, number, pattern, call);
    }

    // Writes the row behind a call, which has shown a set of that number and hull; false if
    // something is missing. A set without a number is named -1 - item.
    __device__ bool advance(
        const Program& first_side, const Program& other_side, const Job& job, i32 set,
        const Hull& hull, Place& row) {
        const Place& before = *at.row;
        const i32 me = before.length & 3, side = me & 1, call = job.call;
        row = before;
        row.parent = job.parent;
        row.known[me] = set;
        for (u32 term = 0; term < HULL; ++term)
            for (u32 end = 0; end < 2; ++end) row.hull[me][term][end] = hull[term][end];
        row.pattern[0] = moved(first_side, 0, before.pattern[0], call);
        row.pattern[1] = moved(other_side, 1, before.pattern[1], call);
        const bool is_missing = row.pattern[0] == MISSING || row.pattern[1] == MISSING;
        const u32 end = behind_last(known, prog, job.list, call);
        if (!describe_meaning(row, job, me, end) || is_missing) return false;
        const bool artificial = row.kinds[me] & ARTIFICIAL;
        i32 trumps = agreed(job.list, call);
        const i32 suit = call >= 3 ? (call - 3) % 5 + 1 : 0;
        describe_call(row, call, me);
        if (trumps == 0 && row.call_kind[me] & CALL_KIND_RAISE && !artificial) trumps = suit;
        if (suit != 0 && !artificial) {
            if (suit == NOTRUMP) row.notrump[me] = 1;
            // a bid of the other side's suit is a cue-bid, unless it shows cards there
            else if (!(row.call_kind[me] & CALL_KIND_CUE_BID) ||
                     row.hull[me][suit][0] >= NATURAL_LENGTH)
                add_suit(row, me, suit);
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
        i32(*const stack)[2] = room.stack;
        stack[0][0] = first, stack[0][1] = ANY_HAND;
        i32 depth = 1;
        while (depth != 0) {
            --depth;
            const i32 number = stack[depth][0];
            i32 needs = stack[depth][1];
            const Tree tree = prog.forest[number];
            if (depth + 2 > room.most_stack || count == room.most_found) {
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

    // Sorts groups by turn; those of one group stay as they were found.
    __device__ void put_in_order(i32 count) {
        Found* const found = room.found;
        for (i32 number = 1; number < count; ++number) {
            const Found one = found[number];
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
        const Line line, i32 call, i32 bindings, i32 needs, i32 begins, i32 end) {
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
            i32 entry = find(prog.entry_numbers, key);
            if (entry < 0) entry = lacks(MISS_ENTRY, variant, bindings, static_cast<i64>(call) << 32 | own);
            if (entry < 0) {
                is_missing = true;
                continue;
            }
            if (end < room.most_items) room.items[end] = entry << 1 | begins;
            begins = 0;
            ++end;
        }
        return is_missing ? MISSING : end;
    }

    // Appends the entries of one group, found under several bindings; the new end, or MISSING.
    __device__ i32 group_entries(i32 start, i32 stop, i32 end) {
        const Found* const found = room.found;
        i32* const owners = room.owners;
        const Group group = prog.groups[found[start].group];
        bool is_missing = false;
        for (i32 place = group.first; place < group.end; ++place) {
            const Line line = prog.lines[prog.group_lines[place]];
            for (i32 number = start; number < stop; ++number) {
                i32 begins = 1, first = 0, last = 1;
                if (line.call >= 0) {
                    if (!is_legal(line.call)) continue;
                } else {
                    i32 calls = needs_of(line.pattern, found[number].bindings);
                    if (calls != MISSING && is_new(calls + 1, prog.calls_first))
                        calls = lacks(MISS_ROOT, line.pattern, found[number].bindings, 0);
                    if (calls == MISSING) {
                        is_missing = true;
                        continue;
                    }
                    first = prog.calls_first[calls], last = prog.calls_first[calls + 1];
                }
                for (i32 which = first; which < last; ++which) {
                    const i32 call = line.call >= 0 ? line.call : prog.calls_code[which];
                    const i32 bound = line.call >= 0 ? found[number].bindings : prog.calls_bindings[which];
                    if (group.specificity != HIDDEN_BY_NONE && owners[call] >= 0 &&
                        owners[call] != group.specificity)
                        continue;
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
        for (i64 place = known.list_first[list]; place < known.list_first[list + 1]; ++place) {
            const Entry entry = prog.entries[known.list_items[place] >> 1];
            if (entry.call != call) continue;
            const i32 line = prog.variants[entry.variant].line;
            if (line == last_line) continue;
            last_line = line;
            const u64 key = static_cast<u64>(line) << 32 | static_cast<u64>(entry.bindings) << 8 | their_call;
            i32 head = find(prog.below, key);
            if (head == MISSING || (head >= 0 && is_new(head, prog.forest)))
                head = lacks(MISS_BELOW, line, entry.bindings, their_call);
            if (head == MISSING) {
                is_missing = true;
            } else if (head >= 0) {
                const i32 more = climb(head, count);
                if (more == MISSING) is_missing = true;
                else count = more;
            }
        }
        return is_missing ? MISSING : count;
    }

    // Writes the entries of a place; how many there are, or MISSING. More than there is room for
    // are counted, not written. `partners` is the list of the place where partner made the last
    // call, -1 for none.
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

// Whether the hand whose words lie `stride` apart passes a chain of tests from one on.
__device__ __forceinline__ bool passes_chain(
    const Test* tests, i32 number, const u64* words, u64 stride) {
    while (number >= 0) {
#ifdef __CUDA_ARCH__
        const uint4 row = __ldg(reinterpret_cast<const uint4*>(tests + number));
        const Test test = {static_cast<i32>(row.x), static_cast<u8>(row.y), static_cast<u8>(row.y >> 8),
                           static_cast<u8>(row.y >> 16), static_cast<u8>(row.y >> 24),
                           static_cast<i32>(row.z), static_cast<i32>(row.w)};
#else
        const Test& test = tests[number];
#endif
        const u32 value = static_cast<u32>(words[static_cast<u64>(test.word) * stride] >> test.shift) & test.mask;
        number = test.low <= value && value <= test.high ? test.yes : test.no;
    }
    return number == HOLDS;
}

// Whether a call at a place is the last of the auction.
template <class Places>
__device__ __forceinline__ bool ends(const Places& places, i32 place, i32 call) {
    if (call != 0) return false;
    i32 passes = 1;
    for (; place > 0 && places.call[place] == 0; place = places.parent[place]) ++passes;
    return passes >= (place == 0 ? 4 : 3);
}

}  // namespace core
