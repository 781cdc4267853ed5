// One system as it is learned: what a text's conditions become is worked out the first time that a
// place asks. The questions that it asked the place, with the answers, are remembered as a chain of
// decisions, so that the next place which answers the same gets the same result at once.
//
// systems/reference/ is the definition of what texts mean.
#pragma once
#include "../text/conditions.hpp"
#include "../hands/knowledge.hpp"
#include "../hands/layout.hpp"
#include "store.hpp"
#include "../text/structure.hpp"

namespace core {

constexpr i32 MOST_NEEDS = 1 << 22, MOST_BINDINGS = 1 << 16;  // that keys of entries have room for

// Why something cannot be learned; systems/auctions/program.py has the words.
enum class Fault : i32 {
    NONE,
    CONDITION,   // a: Reason, b: phrase, c: word
    EXPRESSION,  // a: kind, b: expression, c and d: its size or bounds
    TOO_MANY_NEEDS,
    TOO_MANY_BINDINGS
};

struct Problem {
    i32 fault;
    i64 a, b, c, d;
};

struct System {
    Program program;  // first: its address is the system's
    Problem problem;
    Trees trees;
    Vec<Entry> entries;
    Vec<Needs> needs;
    Rows criteria;  // of needs: expressions
    Vec<u32> bindings;

    // A system of checked rows. `names` is that of Text.
    System(const i32* text_rows, u64 text_count, const i32* structure_rows, u64 structure_count)
        : terms_(GIB), lowering_(trees, terms_, vocabulary_), layout_(lowering_),
          knowledge_(trees, terms_), conditions_(text_, trees) {
        is_open_ = text_.read(text_rows, text_count) &&
                   structure_.read(text_, structure_rows, structure_count);
        if (is_open_) lay_down();
        refresh();
    }
    System(const System&) = delete;

    // Of threads that learn at once, see learning_together.hpp.
    struct Together {
        Vec<void*> left;  // memory that one of them may still read
        u32 threads = 0;
        bool is_locked = false;
    } together;

    bool is_open() const { return is_open_; }
    const Layout& layout() const { return layout_; }

    // Memory of what was learned, as of the last time; others may ask while somebody learns.
    u64 bytes() const { return __atomic_load_n(&bytes_, __ATOMIC_RELAXED); }

    // Lets the program see arrays where they are now.
    void refresh() {
        program = {
            view(questions_), view(decisions_), view(answers_), view(roots_), view(root_numbers_),
            view(calls_first_), view(calls_code_), view(calls_bindings_), view(forest_),
            view(anywhere_), view(heads_), view(moves_), view(below_), view(groups_),
            view(group_lines_), view(lines_), view(variants_), view(promises_),
            {reinterpret_cast<i32(*)[2]>(agreed_.data), agreed_.count}, view(joined_),
            view(entry_numbers_), view(entries), view(needs),
            knowledge_.all_cells(), view(layout_.tests), view(bindings)};
        __atomic_store_n(&bytes_, counted_bytes(), __ATOMIC_RELAXED);
    }

    // Learns what a place missed; its value, MISSING with `problem` if there is none.
    i32 learn(i32 kind, i64 a, i64 b, i64 c, const Asked& at) {
        problem = {};
        const i32 found = learned(kind, a, b, c, at);
        refresh();
        return found;
    }

    // Value of what a place missed, if somebody has learned it meanwhile; MISSING if not, or if `learn`
    // finds it at once.
    i32 known(i32 kind, i64 a, i64 b, const Asked& at) const {
        if (kind == MISS_DECISION) return decided(static_cast<i32>(a), at);
        if (kind != MISS_ROOT) return MISSING;
        const i32 root = root_numbers_.get(static_cast<u64>(a) << 16 | static_cast<u32>(b));
        return root < 0 ? MISSING : decided(root, at);
    }

    // Expression that a condition of the text becomes at a place under packed bindings; MISSING with
    // `problem` if it means nothing there. Nothing is remembered of the place.
    i32 lowered_at(i32 condition, u32 code, Asked& at) {
        problem = {};
        const i32 found = conditions_.lower(condition, code, {answer_of, &at});
        return found < 0 ? fail_condition() : found;
    }
    u64 condition_count() const { return text_.conditions.count; }

    // Needs with these criteria, and an entry that stands in no text; MISSING with `problem`.
    i32 needs_number(const i32* expressions, u64 count) {
        const i32 found = number_of_needs(expressions, count);
        refresh();
        return found;
    }
    i32 add_name(i32 kind, i32 formula) {
        const bool is_formula = kind == static_cast<i32>(NameKind::FORMULA);
        if (is_formula && (formula < 0 || static_cast<u64>(formula) >= trees.expressions.count()))
            return MISSING;
        return name_of({kind, formula});
    }
    // Number of an expression over others that have numbers; MISSING if its words are none.
    i32 add_expression(i32 form, const i32* words, u64 count) {
        if (form < TRUTH || form > OR || count == 0) return MISSING;
        const u64 step = form == SUM || form == COMPARISON ? 2 : 1;
        for (u64 at = 0; at < count && form > SHAPE; at += step)
            if (words[at] < 0 || static_cast<u64>(words[at]) >= trees.expressions.count()) return MISSING;
        return trees.expression(form, words, count);
    }
    // Tree of an expression's truth value; MISSING with `problem` if it means nothing.
    i32 tree_of(i32 expression) {
        const i32 tree = lowering_.tree_of(expression);
        return tree < 0 ? fail_expression() : tree;
    }
    // What a name that is no tag stands for; no tree, with `problem`, if it means nothing.
    Lowered meaning_of(i32 name) {
        if (0 <= name && name < TERM_COUNT) {
            Lowered known;
            known.tree = trees.tree(T_TERM, name);
            known.scale = terms_[name].halves ? 2 : 1;
            known.boolean = terms_[name].boolean;
            return known;
        }
        const Lowered found = lowering_.lower(trees.expression(TERM, &name, 1));
        if (found.failed()) fail_expression();
        return found;
    }
    // Value of a tree for one hand; `context` as that of packed hands.
    i64 value_of(i32 tree, u64 hand, u32 context) {
        i32 shape = 0;
        const u8 cards[3] = {cards_in(hand), cards_in(hand >> 13), cards_in(hand >> 26)};
        while (!equal_bytes(ALL_SHAPES.lengths[shape], cards, 3)) ++shape;
        Evaluation evaluation(trees, tree);
        evaluation.run([&](i32 term, i64* lanes) {
            const TermTables& tables = terms_[term];
            lanes[0] = tables.lengths[shape] + tables.contexts[context];
            for (i32 suit = 0; suit < 4; ++suit)
                lanes[0] += tables.suits[suit][hand >> 13 * suit & 0x1FFF];
            for (i32 lane = 1; lane < Evaluation::LANE_COUNT; ++lane) lanes[lane] = 0;
        });
        return evaluation.first_value();
    }
    Terms& terms() { return terms_; }
    Knowledge& knowledge() { return knowledge_; }
    // Tree that the sets of cells of some needs were worked out from.
    i32 tree_of_needs(u64 number) {
        Vec<i32> all;
        all.append(criteria[number].data, criteria[number].count);
        return lowering_.cells_tree(whole_of(all));
    }
    i32 add_entry(i32 call, i32 own_needs, i32 variant, i32 bound) {
        const i32 entry = static_cast<i32>(
            entries.push({call, own_needs, variant, bound, needs[own_needs].test}));
        refresh();
        return entry;
    }

  private:
    u64 counted_bytes() const {
        u64 found = trees.expressions.bytes() + trees.trees.bytes() + trees.forms.bytes() +
                    criteria.bytes() + lowering_.bytes() + layout_.bytes() +
                    knowledge_.bytes() + question_rows_.bytes() + states_.bytes() +
                    call_lists_.bytes();
        const Map* const maps[] = {&answers_, &root_numbers_, &moves_, &below_,
                                   &joined_, &entry_numbers_, &binding_numbers_};
        for (const Map* map : maps) found += map->bytes();
        return found + questions_.bytes() + decisions_.bytes() + roots_.bytes() +
               calls_first_.bytes() + calls_code_.bytes() + calls_bindings_.bytes() +
               anywhere_.bytes() + heads_.bytes() + promises_.bytes() + root_list_.bytes() +
               forest_.bytes() + groups_.bytes() + group_lines_.bytes() + lines_.bytes() +
               variants_.bytes() + set_hulls_.bytes() + entries.bytes() + needs.bytes() + bindings.bytes();
    }

    struct Config {  // how far an auction pattern has come
        i32 group, step, bindings;
    };
    struct Root {
        i32 subject, bindings;
    };
    // An edge of a root's decisions that may be set.
    struct Edge {
        enum { ROOT, NO, YES, OTHER } kind;
        i32 number;
        u64 key;
    };
    struct Remembered {
        i32 question, answer;
    };
    struct Asking {
        System* system;
        const Asked* at;
        Vec<Remembered>* asked;
    };

    bool is_open_;
    u64 bytes_ = 0;
    Text text_;
    Structure structure_;
    Terms terms_;
    Vocabulary vocabulary_;
    Lowering lowering_;
    Layout layout_;
    Knowledge knowledge_;
    ConditionLowering conditions_;
    Rows question_rows_, states_, call_lists_;
    Vec<Question> questions_;
    Vec<Decision> decisions_;
    Map answers_, root_numbers_, moves_, below_, joined_, entry_numbers_, binding_numbers_;
    Vec<i32> roots_, calls_first_, calls_code_, calls_bindings_, anywhere_, heads_, promises_;
    Vec<Root> root_list_;
    Vec<Tree> forest_;
    Vec<Group> groups_;
    Vec<i32> group_lines_;
    Vec<Line> lines_;
    Vec<Variant> variants_;
    struct Agreed {
        i32 number, word;
    };
    Vec<Agreed> agreed_;
    Rows agreement_rows_;  // of agreed suits
    struct Ends {
        Hull ends;
    };
    Vec<Ends> set_hulls_;  // of sets of cells, by number, as far as somebody asked
    Vec<Remembered> asked_;

    static u8 cards_in(u64 suit) { return static_cast<u8>(bit_count(suit & 0x1FFF)); }

    i32 fail(Fault fault, i64 a = 0, i64 b = 0, i64 c = 0, i64 d = 0) {
        problem = {static_cast<i32>(fault), a, b, c, d};
        return MISSING;
    }

    template <class T>
    static Array<T> view(Vec<T>& items) { return {items.data, items.count}; }
    static Array<Slot> view(Map& map) {
        return {reinterpret_cast<Slot*>(map.slots.data), map.slots.count};
    }

    // --- the structure of the text --------------------------------------------------------------

    void lay_down() {
        conditions_.take_text();
        take_names();
        Map* const maps[] = {&answers_, &root_numbers_, &moves_, &below_, &joined_, &entry_numbers_};
        for (Map* map : maps) map->reserve();
        // memory is taken where it is written, and to grow copies megabytes while somebody waits
        knowledge_.reserve(1 << 14);
        bindings_number(0);
        add_needs(nullptr, 0);
        add_never();
        calls_first_.push(0);
        take_lines();
        // state 0: nobody has bid
        states_.number_of(nullptr, 0);
        Vec<i32> trees_found;
        for (const i32 group : structure_.opening) append_trees({group, 0, 0}, trees_found);
        heads_.push(chain(trees_found));
        anywhere_.push(branch_trees(static_cast<i32>(structure_.branches.count) - 1, 0));
    }

    i32 name_of(const Name& name) {
        const i32 number = vocabulary_.add();
        if (name.kind == static_cast<i32>(NameKind::FORMULA))
            vocabulary_.set_formula(number, name.formula);
        else if (name.kind == static_cast<i32>(NameKind::TAG))
            vocabulary_.set_tag(number);
        return number;
    }
    void take_names() {
        for (const Name& name : text_.names)
            name_of({name.kind, name.formula < 0 ? -1 : conditions_.expression(name.formula)});
    }

    void take_lines() {
        for (u64 turn = 0; turn < structure_.groups.count; ++turn) {
            const GroupRow& group = structure_.groups[turn];
            groups_.push({static_cast<i32>(turn), group.specificity, group.first_line,
                          group.first_line + group.lines});
        }
        group_lines_.append(structure_.group_lines.data, structure_.group_lines.count);
        Vec<Variant> said;
        Vec<i32> first_said;
        for (const WrittenRow& row : structure_.written) {
            first_said.push(static_cast<i32>(said.count));
            for (i32 number = 0; number < structure_.variants_of(row); ++number)
                said.push(variant_of(row, number));
        }
        for (u64 number = 0; number < structure_.lines.count; ++number) {
            const i32 written = structure_.lines[number].written;
            const WrittenRow& row = structure_.written[written];
            const i32 call = fixed_call(text_, text_.patterns[row.pattern]);
            const i32 first = static_cast<i32>(variants_.count), count = structure_.variants_of(row);
            lines_.push({call, call < 0 ? subject_of_pattern(row.pattern) : -1, text_.subject(row.condition),
                         first, first + count});
            for (i32 which = 0; which < count; ++which) {
                Variant variant = said[first_said[written] + which];
                variant.line = static_cast<i32>(number);
                variants_.push(variant);
            }
        }
    }
    // What a variant of a line says together with the line.
    Variant variant_of(const WrittenRow& row, i32 number) {
        Variant variant{};
        variant.condition = -1;
        variant.first_promise = static_cast<i32>(promises_.count);
        variant.first_agreed = static_cast<i32>(agreed_.count);
        for (const i32 agreement : structure_.list(row.first_agreement, row.agreements))
            agree(variant, structure_.agreements[agreement]);
        if (number < row.variants) {
            const VariantRow& own = structure_.variants[row.first_variant + number];
            variant.condition = text_.subject(own.condition);
            for (const i32 agreement : structure_.list(own.first_agreement, own.agreements))
                agree(variant, structure_.agreements[agreement]);
        }
        variant.end_promise = static_cast<i32>(promises_.count);
        variant.end_agreed = static_cast<i32>(agreed_.count);
        return variant;
    }
    void agree(Variant& variant, const AgreementRow& row) {
        const i32 kind = number_among(AGREEMENT_KINDS, text_.texts[row.kind]);
        if (kind >= 0) variant.kinds |= 1u << kind;
        if (kind == AGREED_TAG && row.tag >= 0) variant.tags[row.tag >> 6] |= 1ull << (row.tag & 63);
        if (kind == AGREED_SHOWS && row.condition >= 0) promises_.push(text_.subject(row.condition));
        if (kind != AGREED_SUIT || row.suit < 0) return;
        const Word word = word_of(text_.texts[row.suit]);
        const i32 words[] = {row.text, row.call, row.suit, text_.subject(row.condition)};
        const bool is_fixed = word.kind == static_cast<i32>(WordKind::FIXED);
        if (!is_fixed && word.kind != static_cast<i32>(WordKind::VARIABLE)) return;
        // strains, then variables
        agreed_.push({agreement_rows_.number_of(words, 4), word.value + (is_fixed ? -1 : NOTRUMP)});
    }

    // A subject of decisions is a condition, or a call pattern behind them.
    i32 subject_of_pattern(i32 pattern) const {
        return static_cast<i32>(text_.conditions.count) + pattern;
    }

    i32 bindings_number(u32 code) {
        const i32 known = binding_numbers_.get(code);
        if (known >= 0) return known;
        if (bindings.count >= static_cast<u64>(MOST_BINDINGS)) return fail(Fault::TOO_MANY_BINDINGS);
        const i32 number = static_cast<i32>(bindings.push(code));
        binding_numbers_.add(code, number);
        return number;
    }

    // --- the forest of headers ------------------------------------------------------------------

    i32 root_of(i32 subject, i32 bound) {
        const u64 key = static_cast<u64>(subject) << 16 | static_cast<u32>(bound);
        const i32 known = root_numbers_.get(key);
        if (known >= 0) return known;
        const i32 number = static_cast<i32>(roots_.push(UNKNOWN));
        root_list_.push({subject, bound});
        root_numbers_.add(key, number);
        return number;
    }

    // A tree of a header's test under bindings; -1 as test is none.
    i32 add_tree(i32 test, u32 code) {
        const i32 number = most(bindings_number(code), 0);
        const i32 root = test < 0 ? -1 : root_of(text_.subject(structure_.tests[test].condition), number);
        return static_cast<i32>(forest_.push({root, -1, -1, -1, -1}));
    }

    void apply(i32 tree, i32 group, u32 code) {
        forest_[tree].group = group;
        forest_[tree].bindings = most(bindings_number(code), 0);
    }

    // Makes siblings of some trees; the first one, -1 for none.
    i32 chain(const Vec<i32>& found) {
        for (u64 at = 1; at < found.count; ++at) forest_[found[at - 1]].sibling = found[at];
        return found.count ? found[0] : -1;
    }

    void ways_of(i32 test, u32 code, Vec<u32>& found) const {
        const TestRow& row = structure_.tests[test];
        const Span<i32> variables = structure_.list(row.first_variable, row.variables);
        all_bindings(variables.data, variables.count, code, found);
    }

    // Trees of a group's tests from one on, under bindings.
    void append_below_tests(i32 group, i32 from, u32 code, Vec<i32>& found) {
        const GroupRow& row = structure_.groups[group];
        if (from == row.tests) {
            if (from != 0) return;
            const i32 tree = add_tree(-1, code);
            apply(tree, group, code);
            found.push(tree);
            return;
        }
        Vec<u32> ways;
        ways_of(row.first_test + from, code, ways);
        for (const u32 bound : ways) {
            const i32 tree = add_tree(row.first_test + from, bound);
            if (from + 1 == row.tests) {
                apply(tree, group, bound);
            } else {
                Vec<i32> inner;
                append_below_tests(group, from + 1, bound, inner);
                const i32 child = chain(inner);
                forest_[tree].child = child;
            }
            found.push(tree);
        }
    }

    // Trees of a group's headers under the bindings that its pattern gave.
    void append_trees(const Config& config, Vec<i32>& found) {
        append_below_tests(config.group, 0, bindings[config.bindings], found);
    }

    // First tree of the groups that may apply everywhere, from a branch on.
    i32 branch_trees(i32 number, u32 code) {
        const BranchRow& branch = structure_.branches[number];
        Vec<i32> found;
        for (const i32 group : structure_.list(branch.first_group, branch.groups)) {
            const i32 tree = add_tree(-1, code);
            apply(tree, group, code);
            found.push(tree);
        }
        for (i32 child = 0; child < branch.children; ++child) {
            const i32* const pair = &structure_.lists[branch.first_child + 2 * child];
            Vec<u32> ways;
            ways_of(pair[0], code, ways);
            for (const u32 bound : ways) {
                const i32 tree = add_tree(pair[0], bound);
                const i32 below = branch_trees(pair[1], bound);
                forest_[tree].child = below;
                found.push(tree);
            }
        }
        return chain(found);
    }

    // --- auction patterns -----------------------------------------------------------------------

    const StepRow& step_of(const Config& config) const {
        return structure_.steps[structure_.groups[config.group].first_step + config.step];
    }
    bool is_at_end(const Config& config) const {
        return config.step == structure_.groups[config.group].steps;
    }

    // Follows steps that may stand for no calls; those that end sooner come first.
    void append_closure(const Config& config, Vec<Config>& found) const {
        if (!is_at_end(config) && step_of(config).any_calls)
            append_closure({config.group, config.step + 1, config.bindings}, found);
        found.push(config);
    }

    // Whether a pattern matches auctions of any length.
    bool is_open_ended(i32 group) const {
        const GroupRow& row = structure_.groups[group];
        for (i32 step = 0; step < row.steps; ++step)
            if (structure_.steps[row.first_step + step].any_calls) return true;
        return false;
    }

    bool append_moved(const Config& config, i32 call, Vec<Config>& found) {
        if (is_at_end(config)) return true;
        const StepRow step = step_of(config);
        if (step.any_calls) {
            append_closure(config, found);
            return true;
        }
        for (const i32 pattern : structure_.list(step.first_call, step.calls)) {
            u32 bound = bindings[config.bindings];
            if (!match_call(text_, text_.patterns[pattern], call, bound)) continue;
            const i32 number = bindings_number(bound);
            if (number < 0) return false;
            append_closure({config.group, config.step + 1, number}, found);
        }
        return true;
    }

    i32 learn_move(i32 state, i32 call) {
        const u64 key = static_cast<u64>(state) << 6 | static_cast<u32>(call);
        if (moves_.has(key)) return moves_.get(key);
        if (state == 0 && call == 0) {
            moves_.add(key, 0);
            return 0;
        }
        Vec<Config> before, after;
        if (state == 0) {
            for (const i32 group : structure_.moving) append_closure({group, 0, 0}, before);
        } else {
            const Span<i32> words = states_[state];
            for (u64 at = 0; at + 3 <= words.count && words[0] >= 0; at += 3)
                before.push({words[at], words[at + 1], words[at + 2]});
        }
        for (const Config& config : before)
            if (!append_moved(config, call, after)) return MISSING;
        // alternatives of a step may match twice, and count twice; ways through `…` do not
        Vec<i32> kept;
        for (u64 at = 0; at < after.count; ++at) {
            const Config& one = after[at];
            bool is_seen = false;
            for (u64 other = 0; other < at && !is_seen; ++other)
                is_seen = equal_bytes(&after[other], &one, sizeof one);
            if (is_seen && is_open_ended(one.group)) continue;
            kept.push(one.group), kept.push(one.step), kept.push(one.bindings);
        }
        if (kept.count == 0)  // no pattern can match any more
            for (i32 word = 0; word < 3; ++word) kept.push(-1);
        const u64 known = states_.count();
        const i32 found = states_.number_of(kept.data, kept.count);
        if (static_cast<u64>(found) == known) {
            Vec<i32> heads;
            for (u64 at = 0; at < kept.count && kept[0] >= 0; at += 3) {
                const Config config = {kept[at], kept[at + 1], kept[at + 2]};
                if (is_at_end(config)) append_trees(config, heads);
            }
            heads_.push(chain(heads));
        }
        moves_.add(key, found);
        return found;
    }

    i32 learn_below(i32 line, i32 bound, i32 call) {
        const u64 key = static_cast<u64>(line) << 32 | static_cast<u64>(bound) << 8 | static_cast<u32>(call);
        if (below_.has(key)) return below_.get(key);
        Vec<i32> found;
        const LineRow& row = structure_.lines[line];
        for (const i32 group : structure_.list(row.first_below, row.below)) {
            const GroupRow& its = structure_.groups[group];
            u32 code = bindings[bound];
            const i32* const theirs = its.theirs < 0 ? nullptr : &structure_.lists[its.first_their];
            if (below_bindings(text_, theirs, static_cast<u64>(most(its.theirs, 0)), call, code))
                append_below_tests(group, 0, code, found);
        }
        const i32 head = chain(found);
        below_.add(key, head < 0 ? LEAF : head);
        return head < 0 ? LEAF : head;
    }

    // --- decisions ------------------------------------------------------------------------------

    // Number of a question; equal questions have the same.
    i32 question_number(const Question& question) {
        const i32 words[13] = {
            question.kind, question.who, question.suits[0], question.suits[1], question.count,
            question.low, question.high, low_word(static_cast<i64>(question.also)),
            high_word(static_cast<i64>(question.also)), low_word(static_cast<i64>(question.calls)),
            high_word(static_cast<i64>(question.calls)), question.number, question.negated};
        const i32 number = question_rows_.number_of(words, 13);
        if (static_cast<u64>(number) == questions_.count) questions_.push(question);
        return number;
    }

    static i32 answer_of(void* context, const Question& question) {
        return answer(*static_cast<const Asked*>(context), question);
    }

    static i32 ask_place(void* context, const Question& question) {
        Asking& asking = *static_cast<Asking*>(context);
        const i32 number = asking.system->question_number(question);
        for (const Remembered& one : *asking.asked)
            if (one.question == number) return one.answer;
        const i32 found = answer(*asking.at, question);
        asking.asked->push({number, found});
        return found;
    }

    i32 learn_decision(i32 root, const Asked& at) {
        const Root what = root_list_[root];
        asked_.clear();
        Asking asking = {this, &at, &asked_};
        const Asker asker = {ask_place, &asking};
        const u32 code = bindings[what.bindings];
        const i32 pattern = what.subject - static_cast<i32>(text_.conditions.count);
        const i32 result = pattern >= 0 ? result_of_pattern(pattern, code, asker)
                                        : result_of_condition(what.subject, code, asker);
        if (result >= 0) remember(root, LEAF - result);
        return result;
    }

    i32 result_of_condition(i32 condition, u32 code, const Asker& asker) {
        const i32 expression = conditions_.lower(condition, code, asker);
        if (expression < 0) return fail_condition();
        const Span<i32> row = trees.expressions[expression];
        if (row[0] == TRUTH) return row[1] ? ANY_HAND : NEVER;
        if (row[0] != AND) return number_of_needs(&expression, 1);
        Vec<i32> operands;
        operands.append(row.data + 1, row.count - 1);
        return number_of_needs(operands.data, operands.count);
    }

    i32 result_of_pattern(i32 pattern, u32 code, const Asker& asker) {
        Vec<BoundCall> calls;
        if (!conditions_.pattern_calls(pattern, code, asker, calls)) return fail_condition();
        Vec<i32> words;
        for (const BoundCall& one : calls) {
            const i32 bound = bindings_number(one.bindings);
            if (bound < 0) return MISSING;
            words.push(one.call), words.push(bound);
        }
        const u64 known = call_lists_.count();
        const i32 number = call_lists_.number_of(words.data, words.count);
        if (static_cast<u64>(number) == known) {
            for (u64 at = 0; at < words.count; at += 2) {
                calls_code_.push(words[at]);
                calls_bindings_.push(words[at + 1]);
            }
            calls_first_.push(static_cast<i32>(calls_code_.count));
        }
        return number;
    }

    i32 fail_condition() {
        const Failure& failure = conditions_.failure;
        return fail(Fault::CONDITION, failure.reason, failure.phrase, failure.word);
    }

    // Writes what others may be reading.
    static void publish(i32& number, i32 value) { __atomic_store_n(&number, value, __ATOMIC_RELEASE); }

    void set_edge(const Edge& edge, i32 value) {
        switch (edge.kind) {
            case Edge::ROOT: publish(roots_[edge.number], value); break;
            case Edge::NO: publish(decisions_[edge.number].no, value); break;
            case Edge::YES: publish(decisions_[edge.number].yes, value); break;
            default: answers_.add(edge.key, value); break;
        }
    }

    i32 decided(i32 root, const Asked& at) const {
        i32 edge = roots_[root];
        while (edge >= 0) {
            const Decision& decision = decisions_[edge];
            const Question& q = questions_[decision.question];
            const i32 found = answer(at, q);
            if (q.kind >= MANY_ANSWERS) edge = found ? decision.yes : decision.no;
            else if (found == decision.no && decision.yes != UNKNOWN) edge = decision.yes;
            else edge = answers_.get(static_cast<u64>(edge) << 32 | static_cast<u32>(found));
        }
        return edge != UNKNOWN ? LEAF - edge : MISSING;
    }

    // Adds the way of the answers to a root's decisions, and the leaf at its end.
    void remember(i32 root, i32 leaf) {
        i32 next = roots_[root];
        Edge edge = {Edge::ROOT, root, 0};
        for (const Remembered& one : asked_) {
            if (next == UNKNOWN) {
                next = static_cast<i32>(decisions_.push({one.question, UNKNOWN, UNKNOWN}));
                set_edge(edge, next);
            }
            if (questions_[one.question].kind >= MANY_ANSWERS) {
                edge = {one.answer ? Edge::YES : Edge::NO, next, 0};
                next = one.answer ? decisions_[next].yes : decisions_[next].no;
            } else if (decisions_[next].yes == UNKNOWN || decisions_[next].no == one.answer) {
                publish(decisions_[next].no, one.answer);
                edge = {Edge::YES, next, 0};
                next = decisions_[next].yes;
            } else {
                const u64 key = static_cast<u64>(next) << 32 | static_cast<u32>(one.answer);
                edge = {Edge::OTHER, next, key};
                next = answers_.get(key);
            }
        }
        if (next == UNKNOWN) set_edge(edge, leaf);
    }

    // --- needs ----------------------------------------------------------------------------------

    i32 number_of_needs(const i32* expressions, u64 count) {
        const u64 known = criteria.count();
        const i32 number = criteria.number_of(expressions, count);
        if (number >= MOST_NEEDS) return fail(Fault::TOO_MANY_NEEDS);
        // those that could not be lowered have a number too, and fail again
        if (static_cast<u64>(number) < known && needs[number].test != NO_TESTS) return number;
        if (static_cast<u64>(number) == known) needs.push(Needs{});
        return fill_needs(number);
    }

    void add_needs(const i32* expressions, u64 count) { number_of_needs(expressions, count); }

    // Needs 1 hold for no hand; they are no condition's, so their criteria are of their own kind.
    void add_never() {
        const i32 nothing[2] = {-1, -1};
        criteria.number_of(nothing, 2);
        Needs row{};
        row.test = FAILS;
        row.can = row.must = knowledge_.nothing();
        needs.push(row);
    }

    // Least and most HCP and cards in a set of cells, by its number.
    const u8* hull_of_set(i32 number) {
        for (u64 next = set_hulls_.count; next <= static_cast<u64>(number); ++next) {
            Ends hull;
            hull_of<1>({const_cast<u8(*)[4]>(ALL_SHAPES.lengths), SHAPES},
                       knowledge_.cells(static_cast<i32>(next)), 0, hull.ends);
            set_hulls_.push(hull);
        }
        return &set_hulls_[number].ends[0][0];
    }

    // Criteria that must all hold, as one expression.
    i32 whole_of(const Vec<i32>& all) {
        return all.count == 0   ? trees.truth(true)
               : all.count == 1 ? all[0]
                                : trees.expression(AND, all.data, all.count);
    }

    i32 fill_needs(i32 number) {
        Vec<i32> all;
        const Span<i32> row = criteria[number];
        all.append(row.data, row.count);
        const i32 whole = whole_of(all);
        const i32 tree = lowering_.cells_tree(whole);
        Needs& found = needs[number];
        found.test = tree < 0 ? NO_TESTS : layout_.tests_of(all.data, all.count);
        if (found.test == NO_TESTS) return fail_expression();
        const CellBounds bounds = knowledge_.bounds(tree);
        found.can = bounds.can;
        found.must = bounds.must;
        found.certain = bounds.must != knowledge_.nothing();
        copy_bytes(found.can_hull, hull_of_set(bounds.can), sizeof found.can_hull);
        copy_bytes(found.must_hull, hull_of_set(bounds.must), sizeof found.must_hull);
        term_bounds(text_, trees, whole, false).write(found.terms);
        term_bounds(text_, trees, whole, true).write(found.promised);
        return number;
    }

    i32 fail_expression() {
        const LoweringError& error = lowering_.error;
        return fail(Fault::EXPRESSION, error.kind, error.expression, error.low, error.high);
    }

    // --- what places miss -----------------------------------------------------------------------

    i32 learned(i32 kind, i64 a, i64 b, i64 c, const Asked& at) {
        const i32 first = static_cast<i32>(a), second = static_cast<i32>(b);
        switch (kind) {
            case MISS_ROOT: return learn_decision(root_of(first, second), at);
            case MISS_DECISION: return learn_decision(first, at);
            case MISS_JOIN: return learn_join(first, second);
            case MISS_ENTRY:
                return learn_entry(first, second, static_cast<i32>(c >> 32), static_cast<i32>(c));
            case MISS_MOVE: return learn_move(second, static_cast<i32>(c));
            default: return learn_below(first, second, static_cast<i32>(c));
        }
    }

    i32 learn_join(i32 first, i32 second) {
        const u64 key = static_cast<u64>(first) << 32 | static_cast<u32>(second);
        if (joined_.has(key)) return joined_.get(key);
        Vec<i32> both;
        for (i32 which = 0; which < 2; ++which) {
            const Span<i32> row = criteria[which == 0 ? first : second];
            both.append(row.data, row.count);
        }
        const i32 number = number_of_needs(both.data, both.count);
        if (number >= 0) joined_.add(key, number);
        return number;
    }

    i32 learn_entry(i32 variant, i32 bound, i32 call, i32 own_needs) {
        const u64 key = static_cast<u64>(variant) << 44 | static_cast<u64>(own_needs) << 22 |
                        static_cast<u64>(call) << 16 | static_cast<u64>(bound);
        if (entry_numbers_.has(key)) return entry_numbers_.get(key);
        const i32 entry = add_entry(call, own_needs, variant, bound);
        entry_numbers_.add(key, entry);
        return entry;
    }
};

// Learns for both sides of a bidder; a side may be the other one too.
struct Sides final : Learner {
    System* systems[2];

    Sides(System* first, System* other) : systems{first, other} {}
    const Program* const* programs() {
        programs_[0] = &systems[0]->program;
        programs_[1] = &systems[1]->program;
        return programs_;
    }
    i32 learn(i32 kind, i64 a, i64 b, i64 c, const Asked& at) override {
        // moves are those of a side's patterns, all else is asked by the player to call
        const i32 side = kind == MISS_MOVE ? static_cast<i32>(a) : at.row->length & 1;
        // the first fault is told: what else a place misses would take its stead
        if (faulty != nullptr) return MISSING;
        const i32 found = systems[side]->learn(kind, a, b, c, at);
        ++learned;
        if (found == MISSING) faulty = systems[side];
        return found;
    }
    u64 learned = 0;
    System* faulty = nullptr;  // that could not learn something

  private:
    const Program* programs_[2];
};

}  // namespace core
