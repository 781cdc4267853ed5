// The structure of a system's text, as rows of words that systems/rows/structure_rows.py writes: groups of
// lines, where each applies, and what lines say. Checked once, when it is read, and trusted then.
// What a line says is written once, however many places it stands at.
#pragma once
#include "calls.hpp"

namespace core {

constexpr u64 MOST_VARIANTS = 1 << 20;
constexpr i32 STRUCTURE_FORMAT = 0x42435332;

// Lines that apply at the same places. Groups stand in the order in which they are tried.
struct GroupRow {
    i32 specificity;             // HIDDEN_BY_NONE for a last resort
    i32 first_line, lines;       // in `group_lines`
    i32 first_step, steps;       // of its auction pattern; no steps but -1 for no pattern
    i32 first_their, theirs;     // alternatives of RHO's call below a line; -1 for a pass
    i32 first_test, tests;       // conditions of the headers
};

// A line at one of its places.
struct LineRow {
    i32 written;
    i32 first_below, below;  // groups, in `lists`
};

struct WrittenRow {
    i32 pattern;    // call pattern that gives its calls
    i32 condition;  // -1 for any hand
    i32 first_agreement, agreements;  // in `lists`
    i32 first_variant, variants;      // none: the line says it all
};

struct VariantRow {
    i32 condition;
    i32 first_agreement, agreements;  // in `lists`, behind those of the line
};

struct AgreementRow {
    i32 kind, text, suit;  // texts; suit -1 for none
    i32 call;              // a call pattern, -1 for none
    i32 condition, tag;    // what it shows, and the number of a tag; -1 for none
};

struct StepRow {
    i32 any_calls;
    i32 first_call, calls;  // alternatives: call patterns, in `lists`
};

struct TestRow {
    i32 condition;
    i32 first_variable, variables;  // that it may bind, in `lists`
};

// Groups under the same headers everywhere, and what further headers lead to.
struct BranchRow {
    i32 first_group, groups;  // in `lists`
    i32 first_child, children;  // pairs (test, branch), in `lists`; children stand before it
};

struct Structure {
    Span<GroupRow> groups;
    Span<LineRow> lines;
    Span<WrittenRow> written;
    Span<VariantRow> variants;
    Span<AgreementRow> agreements;
    Span<StepRow> steps;
    Span<TestRow> tests;
    Span<BranchRow> branches;  // the last one is the root
    Span<i32> group_lines;
    Span<i32> opening;  // groups
    Span<i32> moving;   // groups with a pattern
    Span<i32> lists;

    // Takes rows for a text; false, and nothing is to be used then, if they are not what an encoder
    // writes.
    bool read(const Text& text, const i32* rows, u64 count) {
        rows_.clear();
        rows_.append(rows, count);
        return take_sections() && groups_fit(text) && written_fits(text) && lines_fit() &&
               steps_fit(text);
    }

    // Hand types of a written line: its variants, or the line itself.
    static i32 variants_of(const WrittenRow& line) { return most(line.variants, 1); }

    Span<i32> list(i32 first, i32 count) const {
        return {lists.data + first, static_cast<u64>(count)};
    }

  private:
    static constexpr u64 SECTIONS = 12, HEADER = SECTIONS + 2;
    Vec<i32> rows_;

    static bool is_below(i32 number, u64 count) {
        return number >= 0 && static_cast<u64>(number) < count;
    }
    static bool is_part(i32 first, i32 count, u64 all) {
        return first >= 0 && count >= 0 && static_cast<u64>(first) + static_cast<u64>(count) <= all;
    }
    bool is_list(i32 first, i32 count, u64 end) const {
        if (!is_part(first, count, lists.count)) return false;
        for (const i32 number : list(first, count))
            if (!is_below(number, end)) return false;
        return true;
    }
    bool are_pairs(i32 first, i32 count) const {
        // first, as twice the count of no list is more than a number can be
        return count >= 0 && static_cast<u64>(count) <= lists.count && is_part(first, 2 * count, lists.count);
    }
    static bool are_below(Span<i32> numbers, u64 end) {
        for (const i32 number : numbers)
            if (!is_below(number, end)) return false;
        return true;
    }

    template <class T>
    bool take(Span<T>& section, u64 number) const {
        const u64 first = static_cast<u64>(rows_[1 + number]), end = static_cast<u64>(rows_[2 + number]);
        section = {reinterpret_cast<const T*>(rows_.data + first), (end - first) * 4 / sizeof(T)};
        return (end - first) * 4 % sizeof(T) == 0;
    }
    bool take_sections() {
        if (rows_.count < HEADER || rows_.count >= 1ull << 30 || rows_[0] != STRUCTURE_FORMAT) return false;
        if (rows_[1] != HEADER || static_cast<u64>(rows_[HEADER - 1]) != rows_.count) return false;
        for (u64 number = 2; number < HEADER; ++number)
            if (rows_[number] < rows_[number - 1]) return false;
        return take(groups, 0) && take(lines, 1) && take(written, 2) && take(variants, 3) &&
               take(agreements, 4) && take(steps, 5) && take(tests, 6) && take(branches, 7) &&
               take(group_lines, 8) && take(opening, 9) && take(moving, 10) && take(lists, 11);
    }

    bool groups_fit(const Text& text) const {
        for (const GroupRow& group : groups) {
            if (group.specificity < HIDDEN_BY_NONE || !is_part(group.first_line, group.lines, group_lines.count) ||
                !is_part(group.first_test, group.tests, tests.count))
                return false;
            if (group.steps != -1 && !is_part(group.first_step, group.steps, steps.count)) return false;
            if (group.theirs != -1 && !is_list(group.first_their, group.theirs, text.patterns.count))
                return false;
        }
        for (const i32 group : moving)
            if (!is_below(group, groups.count) || groups[group].steps == -1) return false;
        for (u64 number = 0; number < branches.count; ++number) {
            const BranchRow& branch = branches[number];
            if (!is_list(branch.first_group, branch.groups, groups.count) ||
                !are_pairs(branch.first_child, branch.children))
                return false;
            for (i32 child = 0; child < branch.children; ++child) {
                const i32* const pair = &lists[branch.first_child + 2 * child];
                if (!is_below(pair[0], tests.count) || !is_below(pair[1], number)) return false;
            }
        }
        return branches.count > 0 && are_below(opening, groups.count) &&
               are_below(group_lines, lines.count);
    }
    bool lines_fit() const {
        u64 count = 0;
        for (const LineRow& line : lines) {
            if (!is_below(line.written, written.count) || !is_list(line.first_below, line.below, groups.count))
                return false;
            count += static_cast<u64>(variants_of(written[line.written]));
        }
        return count < MOST_VARIANTS;
    }
    static bool is_condition(i32 number, const Text& text) {
        return number == -1 || is_below(number, text.conditions.count);
    }
    bool written_fits(const Text& text) const {
        for (const WrittenRow& row : written)
            if (!is_below(row.pattern, text.patterns.count) || !is_condition(row.condition, text) ||
                !is_list(row.first_agreement, row.agreements, agreements.count) ||
                !is_part(row.first_variant, row.variants, variants.count))
                return false;
        for (const VariantRow& row : variants)
            if (!is_condition(row.condition, text) ||
                !is_list(row.first_agreement, row.agreements, agreements.count))
                return false;
        for (const AgreementRow& row : agreements)
            if (!is_below(row.kind, text.texts.count) || !is_below(row.text, text.texts.count) ||
                (row.suit != -1 && !is_below(row.suit, text.texts.count)) ||
                (row.call != -1 && !is_below(row.call, text.patterns.count)) ||
                !is_condition(row.condition, text) ||
                (row.tag != -1 && !is_below(row.tag, 64 * TAG_WORDS)))
                return false;
        return true;
    }
    bool steps_fit(const Text& text) const {
        for (const StepRow& step : steps)
            if ((step.any_calls != 0 && step.any_calls != 1) ||
                !is_list(step.first_call, step.calls, text.patterns.count))
                return false;
        for (const TestRow& test : tests)
            if (!is_below(test.condition, text.conditions.count) ||
                !is_list(test.first_variable, test.variables, VARIABLES))
                return false;
        return true;
    }
};

}  // namespace core
