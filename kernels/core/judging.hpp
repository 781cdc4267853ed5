// Which layouts make all calls of an auction: boxes that packed words pass, step by step.
// inference/layouts/judging.py says what a step is; kernels/plan.py how boxes lie.
#pragma once
#include "base.hpp"

namespace core {

// Boxes of a plan, each as words lo.. hi.. need.. forbid.., and sets of them.
struct PlanBoxes {
    static constexpr u64 HIGH_BITS = 0x8080808080808080ull;  // of lanes
    static constexpr u32 NEVER = 1, MULTIPLE = 1u << 31;     // no hand; a set of boxes

    const u64* rows;
    u64 count, set_count;
    const u32 *set_offsets, *set_boxes;
    i64 lanes, flags;

    bool pass(const u64* words, u64 number) const {
        const u64* const box = rows + number * 2 * static_cast<u64>(lanes + flags);
        for (i64 word = 0; word < lanes; ++word) {
            const u64 value = words[word];
            const u64 inside =
                ((value | HIGH_BITS) - box[word]) & ((box[lanes + word] | HIGH_BITS) - value);
            if ((inside & HIGH_BITS) != HIGH_BITS) return false;
        }
        const u64 *const need = box + 2 * lanes, *const forbid = need + flags;
        for (i64 word = 0; word < flags; ++word) {
            const u64 value = words[lanes + word];
            if ((value & need[word]) != need[word] || value & forbid[word]) return false;
        }
        return true;
    }

    bool pass_any(const u64* words, u32 number) const {
        if (number == NEVER) return false;
        if (!(number & MULTIPLE)) return pass(words, number);
        const u32 set = number & ~MULTIPLE;
        for (u32 member = set_offsets[set]; member < set_offsets[set + 1]; ++member)
            if (pass(words, set_boxes[member])) return true;
        return false;
    }

    bool has(u32 number) const {
        return number & MULTIPLE ? (number & ~MULTIPLE) < set_count : number < count;
    }
};

// Steps of an auction: whose hand each asks, by its row, and its options.
struct JudgedSteps {
    i64 count;
    const i64 *rows, *starts;
    const u32* boxes;
    const u8 *is_made, *by_default;
};

// Judges packed layouts [4][count][words] by every step: `out` [count][steps]. Among a step's
// options the first that holds decides by its `is_made`; none holds: `by_default`. If hasty, the
// steps behind the first that fails are not looked at and count as failed.
inline void judge_layouts(
    const u64* words, i64 count, const PlanBoxes& plan, const JudgedSteps& steps, bool hasty,
    u8* out) {
    const i64 width = plan.lanes + plan.flags;
    for (i64 deal = 0; deal < count; ++deal) {
        bool good = true;
        for (i64 step = 0; step < steps.count; ++step, ++out) {
            *out = 0;
            if (hasty && !good) continue;
            const u64* const hand = words + (steps.rows[step] * count + deal) * width;
            *out = steps.by_default[step];
            for (i64 option = steps.starts[step]; option < steps.starts[step + 1]; ++option)
                if (plan.pass_any(hand, steps.boxes[option])) {
                    *out = steps.is_made[option];
                    break;
                }
            good = good && *out;
        }
    }
}

}  // namespace core
