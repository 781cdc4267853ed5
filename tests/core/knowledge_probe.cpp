// What tests ask of literals.hpp and knowledge.hpp.
#include "literals.hpp"
#include "terms.hpp"

#include <cstdlib>

namespace core {
void* allocate(u64 bytes) { return calloc(bytes ? bytes : 1, 1); }
void release(void* memory, u64) { free(memory); }
}  // namespace core

using namespace core;

struct State {
    Trees trees;
    Terms terms;

    explicit State(i32 profile) : terms(profile) {}
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
}
