// What tests ask of a text's rows: conditions and call patterns at places that answer as told.
#include <cstdlib>

#include "text/conditions.hpp"

namespace core {

void* allocate(u64 bytes) { return calloc(1, bytes); }
void release(void* memory, u64) { free(memory); }

}  // namespace core

using namespace core;

namespace {

struct Opened {
    Text text;
    Trees trees;
    ConditionLowering* lowering = nullptr;

    ~Opened() { delete lowering; }
};

// Answers that were recorded: those of rows of questions, in any order.
struct Recorded {
    const Question* questions;
    const i32* answers;
    i32 count, missing;
};

i32 recorded_answer(void* context, const Question& question) {
    Recorded& recorded = *static_cast<Recorded*>(context);
    for (i32 at = 0; at < recorded.count; ++at)
        if (equal_bytes(&recorded.questions[at], &question, sizeof question))
            return recorded.answers[at];
    ++recorded.missing;
    return 0;
}

// Answers of no place at all, some of them out of range.
i32 random_answer(void* context, const Question& question) {
    u64& state = *static_cast<u64*>(context);
    state = mixed(state + 0x9E3779B97F4A7C15ull);
    const i32 found = static_cast<i32>(state >> 16);
    if (question.kind >= MANY_ANSWERS) return found & 1;
    if ((state & 63) == 0) return found;
    switch (question.kind) {
        case SUITS: return packed_suits(found & 15);
        case SHOWN: return (found & 31) - 2;
        case WEIGHED: return (found & 511) - 100;
        case BID: return 8 * (1 + (found & 7) % 7) + 1 + (found >> 8 & 7) % 5;
        default: return (found & 0xFF) % CALLS;
    }
}

// Bindings of most variables; now and then such as cannot be.
u32 some_bindings(u64 bits) {
    bits = mixed(bits);
    if ((bits >> 40 & 63) == 0) return static_cast<u32>(bits);
    u32 bindings = static_cast<u32>(bits) & 7u << 3 * LEVEL_VARIABLE;
    for (i32 variable = 0; variable < LEVEL_VARIABLE; ++variable)
        bindings = with_bound(bindings, variable, static_cast<i32>(bits >> 4 * variable & 7) % 5);
    return bindings;
}

}  // namespace

extern "C" {

i32 question_size() { return sizeof(Question); }

void* open_text(const i32* words, u64 count) {
    Opened* const opened = new Opened;
    if (!opened->text.read(words, count)) {
        delete opened;
        return nullptr;
    }
    opened->lowering = new ConditionLowering(opened->text, opened->trees);
    opened->lowering->take_text();
    return opened;
}

void close_text(void* text) { delete static_cast<Opened*>(text); }

i32 lower(void* text, i32 condition, u32 bindings, Asker asker, Failure* failure) {
    ConditionLowering& lowering = *static_cast<Opened*>(text)->lowering;
    const i32 found = lowering.lower(condition, bindings, asker);
    *failure = lowering.failure;
    return found;
}

i32 calls_of_pattern(void* text, i32 pattern, u32 bindings, Asker asker, BoundCall* found,
                     Failure* failure) {
    ConditionLowering& lowering = *static_cast<Opened*>(text)->lowering;
    Vec<BoundCall> calls;
    const bool is_fine = lowering.pattern_calls(pattern, bindings, asker, calls);
    *failure = lowering.failure;
    copy_bytes(found, calls.data, calls.count * sizeof(BoundCall));
    return is_fine ? static_cast<i32>(calls.count) : FAILED;
}

// Lowers conditions, or patterns, with recorded answers; how many questions were not among them.
i32 lower_recorded(void* text, i32 count, const i32* subjects, const u32* bindings,
                   const i32* first, const Question* questions, const i32* answers, i32 patterns,
                   i32* found) {
    ConditionLowering& lowering = *static_cast<Opened*>(text)->lowering;
    i32 missing = 0;
    Vec<BoundCall> calls;
    for (i32 at = 0; at < count; ++at) {
        Recorded recorded{questions + first[at], answers + first[at], first[at + 1] - first[at], 0};
        const Asker asker{recorded_answer, &recorded};
        calls.clear();
        if (patterns) found[at] = lowering.pattern_calls(subjects[at], bindings[at], asker, calls);
        else found[at] = lowering.lower(subjects[at], bindings[at], asker);
        missing += recorded.missing;
    }
    return missing;
}

i32 expression_length(void* text, i32 number) {
    return static_cast<i32>(static_cast<Opened*>(text)->trees.expressions[number].count);
}
const i32* expression_words(void* text, i32 number) {
    return static_cast<Opened*>(text)->trees.expressions[number].data;
}
i32 expression_of_text(void* text, i32 number) {
    return static_cast<Opened*>(text)->lowering->expression(number);
}

void bounds_of(void* text, i32 expression, i32 promised, i16 (*row)[2]) {
    const Opened& opened = *static_cast<Opened*>(text);
    term_bounds(opened.text, opened.trees, expression, promised != 0).write(row);
}

i32 criteria(void* text, i32 expression, i32* found) {
    Vec<i32> numbers;
    const Formulas& formulas = static_cast<Opened*>(text)->lowering->formulas;
    if (!criteria_of(formulas, expression, numbers)) return FAILED;
    copy_bytes(found, numbers.data, 4 * numbers.count);
    return static_cast<i32>(numbers.count);
}

i32 negation(void* text, i32 expression) {
    return static_cast<Opened*>(text)->lowering->formulas.negation(expression);
}

i32 match(void* text, i32 pattern, i32 call, u32* bindings) {
    const Text& rows = static_cast<Opened*>(text)->text;
    return match_call(rows, rows.patterns[pattern], call, *bindings);
}

i32 match_below(void* text, const i32* patterns, i32 count, i32 call, u32* bindings) {
    const Text& rows = static_cast<Opened*>(text)->text;
    return below_bindings(rows, patterns, static_cast<u64>(count), call, *bindings);
}

i32 subject(void* text, i32 condition) {
    return static_cast<Opened*>(text)->text.subject(condition);
}

i32 fixed(void* text, i32 pattern) {
    const Text& rows = static_cast<Opened*>(text)->text;
    return fixed_call(rows, rows.patterns[pattern]);
}

i32 letter(void* text, i32 word, u32 bindings) {
    return letter_of(static_cast<Opened*>(text)->text.words[word], bindings);
}

i32 ways_to_bind(const i32* variables, i32 count, u32 bindings, u32* found) {
    Vec<u32> ways;
    all_bindings(variables, static_cast<u64>(count), bindings, ways);
    copy_bytes(found, ways.data, 4 * ways.count);
    return static_cast<i32>(ways.count);
}

i32 is_in_range(i32 value, i32 low, i32 high, const i32* also, i32 count) {
    return in_range(value, {low, high, {also, static_cast<u64>(count)}});
}

// Reads rows that may be no text's and lowers all there is; -1 if they are refused.
i32 try_rows(const i32* words, u64 count, u64 seed) {
    Opened* const opened = static_cast<Opened*>(open_text(words, count));
    if (opened == nullptr) return -1;
    const Asker asker{random_answer, &seed};
    ConditionLowering& lowering = *opened->lowering;
    i32 found = 0;
    Vec<BoundCall> calls;
    i16 bounds[TERMS][2];
    for (u64 number = 0; number < opened->text.conditions.count; ++number) {
        const u32 bindings = some_bindings(seed + number);
        const i32 lowered = lowering.lower(static_cast<i32>(number), bindings, asker);
        if (lowered == FAILED) continue;
        ++found;
        term_bounds(opened->text, opened->trees, lowered, number & 1).write(bounds);
        lowering.formulas.negation(lowered);
    }
    for (u64 number = 0; number < opened->text.patterns.count; ++number) {
        const u32 bindings = some_bindings(seed - number);
        found += lowering.pattern_calls(static_cast<i32>(number), bindings, asker, calls);
        matching_calls(opened->text, opened->text.patterns[number], bindings);
        fixed_call(opened->text, opened->text.patterns[number]);
    }
    close_text(opened);
    return found;
}

}  // extern "C"
