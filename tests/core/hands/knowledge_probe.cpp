// What tests ask of literals.hpp and knowledge.hpp.
#include <cstdlib>
#include <ctime>

#include "hands/knowledge.hpp"

namespace core {
void* allocate(u64 bytes) { return calloc(bytes ? bytes : 1, 1); }
void release(void* memory, u64) { free(memory); }
}  // namespace core

using namespace core;

static i64 now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

struct State {
    Trees trees;
    Terms terms;
    Knowledge* knowledge;

    explicit State(i32 profile) : terms(profile), knowledge(new Knowledge(trees, terms)) {}
    ~State() { delete knowledge; }
};

extern "C" {

State* opened(i32 profile) { return new State(profile); }
void closed(State* state) { delete state; }

i32 add_tree(State* state, const i32* words, i32 count) {
    return state->trees.trees.number_of(words, static_cast<u64>(count));
}
i32 add_form(State* state, const i32* words, i32 count) {
    return state->trees.forms.number_of(words, static_cast<u64>(count));
}
i32 form_words(State* state, i32 form, i32* words) {
    const Span<i32> row = state->trees.forms[static_cast<u64>(form)];
    copy_bytes(words, row.data, 4 * row.count);
    return static_cast<i32>(row.count);
}

// Writes (interval, positive, form or tree, low, high) of each literal; the verdict, and how many.
i32 lowered(State* state, i32 tree, i32 positive, i64* written, i64 room, i64* count) {
    Vec<Literal> found;
    const Verdict verdict = lower(state->trees, tree, positive, found);
    *count = static_cast<i64>(found.count);
    for (u64 at = 0; at < found.count && 5 * at + 5 <= static_cast<u64>(room); ++at) {
        const Literal& one = found[at];
        const i64 words[5] = {one.is_interval, one.positive,
                              one.is_interval ? one.form : one.tree, one.low, one.high};
        copy_bytes(written + 5 * at, words, sizeof words);
    }
    return verdict;
}

// Drops what was worked out; terms' tables stay.
void forget(State* state) {
    delete state->knowledge;
    state->knowledge = new Knowledge(state->trees, state->terms);
}

void bounds(State* state, i32 tree, u64* can, u64* must) {
    state->knowledge->bounds(tree, can, must);
}
// The same for many trees one after the other, with the nanoseconds that each took.
void bounds_of_all(State* state, const i32* trees, i64 count, u64* can, u64* must, i64* elapsed) {
    for (i64 at = 0; at < count; ++at) {
        const i64 start = now();
        const CellBounds found = state->knowledge->bounds(trees[at]);
        elapsed[at] = now() - start;
        copy_bytes(can + at * SET_WORDS, state->knowledge->cells(found.can), 8 * SET_WORDS);
        copy_bytes(must + at * SET_WORDS, state->knowledge->cells(found.must), 8 * SET_WORDS);
    }
}

// Least and most value of a form in each cell, [560][38]; and where there are hands.
void reach(State* state, i32 form, i64* low, i64* high) {
    const FormReach& values = state->knowledge->reach()[form];
    for (i32 shape = 0; shape < SHAPES; ++shape)
        for (i32 points = 0; points < POINTS; ++points) {
            const Ends ends = values.at(shape, points);
            low[shape * POINTS + points] = ends.low;
            high[shape * POINTS + points] = ends.high;
        }
}
void everything(State* state, u64* cells) {
    copy_bytes(cells, state->knowledge->cells(state->knowledge->everything()), 8 * SET_WORDS);
}
// Number of sets; they are written if there is room.
i64 term_reach(State* state, u64* sets, i32* first, i64 room) {
    const TermReach found(*state->knowledge);
    copy_bytes(first, found.first, sizeof found.first);
    if (static_cast<i64>(found.reach.count) <= room)
        copy_bytes(sets, found.reach.data, 8 * found.reach.count);
    return static_cast<i64>(found.reach.count / SET_WORDS);
}
}
