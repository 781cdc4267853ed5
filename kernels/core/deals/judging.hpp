// Which layouts make all calls of an auction: boxes that packed words pass, step by step.
// inference/layouts/judging.py says what a step is; kernels/plan.py how boxes lie.
#pragma once
#include "../tables/blocks.hpp"

namespace core {

// Steps of an auction: whose hand each asks, by its row, and its options.
struct JudgedSteps {
    i64 count;
    const i64 *rows, *starts;
    const u32* boxes;
    const u8 *is_made, *by_default;
};

// Judges packed layouts [4][count][words of a hand] by every step: `out` [count][steps]. Among a step's
// options the first that holds decides by its `is_made`; none holds: `by_default`. If hasty, the
// steps behind the first that fails are not looked at and count as failed.
inline void judge_layouts(
    const TableTests& tests, const u64* words, i64 count, const JudgedSteps& steps, bool hasty,
    u8* out) {
    const i64 width = static_cast<i64>(tests.words());
    for (i64 deal = 0; deal < count; ++deal) {
        bool good = true;
        for (i64 step = 0; step < steps.count; ++step, ++out) {
            *out = 0;
            if (hasty && !good) continue;
            const u64* const hand = words + (steps.rows[step] * count + deal) * width;
            *out = steps.by_default[step];
            for (i64 option = steps.starts[step]; option < steps.starts[step + 1]; ++option)
                if (passes_any(tests, hand, steps.boxes[option])) {
                    *out = steps.is_made[option];
                    break;
                }
            good = good && *out;
        }
    }
}

}  // namespace core
