// What tests ask of terms.hpp.
#include <cstdlib>

#include "hands/terms.hpp"

namespace core {
void* allocate(u64 bytes) { return calloc(bytes ? bytes : 1, 1); }
void release(void* memory, u64) { free(memory); }
}  // namespace core

extern "C" {

int term_count() { return core::TERM_COUNT; }

void name_of(int term, char* name) { core::write_name(term, name); }

void shapes(u8* lengths, u16* positions) {
    core::copy_bytes(lengths, core::Terms::lengths(), sizeof core::ALL_SHAPES.lengths);
    core::copy_bytes(positions, core::ALL_SHAPES.position, sizeof core::ALL_SHAPES.position);
}

// Tables [4][8192], [560], [16], and low, high, boolean, halves, suits, suits of plain length,
// lengths, context.
void tabulate(int profile, int term, int* suits, int* lengths, int* contexts, int* facts) {
    core::Terms terms(profile);
    const core::TermTables& tables = terms[term];
    core::copy_bytes(suits, tables.suits, sizeof tables.suits);
    core::copy_bytes(lengths, tables.lengths, sizeof tables.lengths);
    core::copy_bytes(contexts, tables.contexts, sizeof tables.contexts);
    const int found[8] = {tables.low, tables.high, tables.boolean, tables.halves,
                          tables.suit_bits, tables.length_bits, tables.has_lengths,
                          tables.has_context};
    core::copy_bytes(facts, found, sizeof found);
}

// Tabulates all terms of a profile, as often as told.
void tabulate_all(int profile, int times) {
    for (; times > 0; --times) {
        core::Terms terms(profile);
        for (int term = 0; term < core::TERM_COUNT; ++term) terms[term];
    }
}
}
