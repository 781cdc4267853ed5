// What tests ask of lowering.hpp, layout.hpp and packing.hpp.
#include "hands/layout.hpp"

#include <cstdlib>

namespace core {
void* allocate(u64 bytes) { return calloc(bytes ? bytes : 1, 1); }
void release(void* memory, u64) { free(memory); }

bool passes_chain(const Test* tests, i32 number, const u64* words, u64 stride) {
    while (number >= 0) {
        const Test& test = tests[number];
        const u64 word = words[static_cast<u64>(test.word) * stride];
        const u32 value = static_cast<u32>(word >> test.shift) & test.mask;
        number = test.low <= value && value <= test.high ? test.yes : test.no;
    }
    return number == HOLDS;
}
}  // namespace core

using namespace core;

struct State {
    Trees trees;
    Terms terms;
    Vocabulary vocabulary;
    Lowering lowering;
    Layout layout;

    explicit State(i32 profile)
        : terms(profile), lowering(trees, terms, vocabulary), layout(lowering) {}
};

extern "C" {

State* opened(i32 profile) { return new State(profile); }
void closed(State* state) { delete state; }

i32 add_name(State* state) { return state->vocabulary.add(); }
void set_formula(State* state, i32 name, i32 formula) { state->vocabulary.set_formula(name, formula); }
void set_tag(State* state, i32 name) { state->vocabulary.set_tag(name); }
i32 add_expression(State* state, const i32* words, i32 count) {
    return state->trees.expressions.number_of(words, static_cast<u64>(count));
}

i32 tree_of(State* state, i32 expression) { return state->lowering.tree_of(expression); }
i32 cells_tree(State* state, i32 expression) { return state->lowering.cells_tree(expression); }
void error_of(State* state, i64* found) {
    const LoweringError& error = state->lowering.error;
    found[0] = error.kind, found[1] = error.expression;
    found[2] = error.low, found[3] = error.high;
}
// Words of a tree, or of a form; how many there are.
i32 tree_words(State* state, i32 tree, i32* words) {
    const Span<i32> row = state->trees.trees[static_cast<u64>(tree)];
    copy_bytes(words, row.data, 4 * row.count);
    return static_cast<i32>(row.count);
}
i32 form_words(State* state, i32 form, i32* words) {
    const Span<i32> row = state->trees.forms[static_cast<u64>(form)];
    copy_bytes(words, row.data, 4 * row.count);
    return static_cast<i32>(row.count);
}

i32 tests_of(State* state, const i32* criteria, i32 count) {
    return state->layout.tests_of(criteria, static_cast<u64>(count));
}
// Lane words, flag words, lanes, flags, tests, derived, programs, instructions, stack, terms of
// programs, version, stride.
void sizes(State* state, i64* found) {
    const Layout& layout = state->layout;
    const i64 all[12] = {layout.lane_words, layout.flag_words, static_cast<i64>(layout.lanes.count),
                         static_cast<i64>(layout.flag_trees.count),
                         static_cast<i64>(layout.tests.count),
                         static_cast<i64>(layout.derived_flags.count),
                         static_cast<i64>(layout.program_starts.count),
                         static_cast<i64>(layout.code.count / 2), layout.program_stack,
                         static_cast<i64>(layout.program_terms.count), layout.version,
                         layout.packing().stride};
    copy_bytes(found, all, sizeof all);
}
// Arrays of the layout: forms and offsets of lanes, trees of flags, and so on.
void arrays(State* state, i32* lanes, i32* flags, Test* tests, i32* derived_tests,
            i32* derived_flags, i32* code, i32* starts, i32* flags_of_programs) {
    const Layout& layout = state->layout;
    copy_bytes(lanes, layout.lanes.data, sizeof(Layout::Lane) * layout.lanes.count);
    copy_bytes(flags, layout.flag_trees.data, 4 * layout.flag_trees.count);
    copy_bytes(tests, layout.tests.data, sizeof(Test) * layout.tests.count);
    copy_bytes(derived_tests, layout.derived_tests.data, 4 * layout.derived_tests.count);
    copy_bytes(derived_flags, layout.derived_flags.data, 4 * layout.derived_flags.count);
    copy_bytes(code, layout.code.data, 4 * layout.code.count);
    copy_bytes(starts, layout.program_starts.data, 4 * layout.program_starts.count);
    copy_bytes(flags_of_programs, layout.program_flags.data, 4 * layout.program_flags.count);
}
void tables(State* state, u64* suits, u64* lengths, u64* contexts, i32* term_suits,
            i32* term_lengths, i32* term_contexts) {
    const Layout& layout = state->layout;
    layout.copy_tables(suits, lengths, contexts);
    copy_bytes(term_suits, layout.term_suits.data, 4 * layout.term_suits.count);
    copy_bytes(term_lengths, layout.term_lengths.data, 4 * layout.term_lengths.count);
    copy_bytes(term_contexts, layout.term_contexts.data, 4 * layout.term_contexts.count);
}

void pack(State* state, const u64* hands, const u8* dealer, const u8* vulnerability, i64 count,
          i64 start, i64 stop, i32 rotate, u64* out, i64 out_stride, i32 first_word) {
    pack_hands(state->layout.packing(), {hands, dealer, vulnerability, static_cast<u64>(count)},
               static_cast<u64>(start), static_cast<u64>(stop), rotate != 0, out,
               static_cast<u64>(stop - start) * static_cast<u64>(out_stride),
               static_cast<u64>(out_stride), first_word);
}
i32 first_changed(State* state, i64 lanes, i64 flags) {
    return state->layout.first_changed(static_cast<u64>(lanes), static_cast<u64>(flags));
}
void passing(State* state, i32 test, const u64* words, i64 count, i64 stride, u8* found) {
    for (i64 hand = 0; hand < count; ++hand)
        found[hand] = passes_chain(state->layout.tests.data, test, words + hand * stride, 1);
}
}
