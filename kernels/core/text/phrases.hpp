// What a phrase of a text says, laid out as the words that conditions.hpp lowers: by the tables of
// kinds.hpp, and for kinds of which more than the kind decides by functions here.
#pragma once
#include "kinds.hpp"

namespace core {

// Rows of a text that its phrases refer to. Phrases were checked: what they name is there.
struct PhraseSources {
    Span<i32> lists;
    Span<Definition> defines;
    Span<CallPattern> patterns;
    Span<i32> words;  // their texts; words of the roles stand behind them
    const Vec<Span<i32>>& texts;
};

class PhraseReading {
  public:
    Vec<Phrase> phrases;
    Vec<QuestionForm> questions;

    explicit PhraseReading(const PhraseSources& sources) : from_(sources) {
        for (const Span<i32>& text : sources.texts) {
            meanings_.push({row_of(KIND_ROWS, text), row_of(FACT_ROWS, text), value_of(PLAYER_NAMES, text)});
        }
    }

    void add(const SaidPhrase& said) {
        said_ = &said;
        phrase_ = Phrase{};
        phrase_.first_suit = said.first_suit, phrase_.suits = said.suits;
        phrase_.high = NO_BOUND;
        phrase_.term = phrase_.stem = phrase_.second_stem = phrase_.comparison = -1;
        phrase_.shown_term = phrase_.without_term = phrase_.pattern = phrase_.target = -1;
        if (said.is_refused) refuse(Complaint::TOLD);
        else if (meanings_[said.kind].kind != nullptr) lay_out(*meanings_[said.kind].kind);
        else lay_out_fact(meanings_[said.kind].fact);
        phrases.push(phrase_);
    }

  private:
    struct Meaning {
        const KindRow* kind;
        const FactRow* fact;
        i32 players;
    };

    PhraseSources from_;
    Vec<Meaning> meanings_;  // of texts
    const SaidPhrase* said_ = nullptr;
    Phrase phrase_{};
    QuestionForm form_{};

    template <class Row, u64 COUNT>
    static const Row* row_of(const Row (&rows)[COUNT], Span<i32> text) {
        for (const Row& row : rows)
            if (reads(text, row.kind)) return &row;
        return nullptr;
    }

    Span<i32> text() const { return from_.texts[said_->text]; }
    Span<i32> also() const {
        return {from_.lists.data + said_->first_also, static_cast<u64>(said_->has_range ? said_->also : 0)};
    }
    static bool is_large(i32 number) { return number < -LARGEST_NUMBER || number > LARGEST_NUMBER; }

    // It makes no sense at any place.
    void refuse(Complaint complaint) {
        phrase_.operation = Operation::REFUSED;
        phrase_.complaint = complaint;
    }
    // It makes none once it comes to its numbers.
    void find_fault(Complaint complaint) {
        phrase_.fault = true;
        phrase_.complaint = complaint;
    }

    // --- what the hand decides ------------------------------------------------------------------

    void lay_out(const KindRow& row) {
        switch (row.how) {
            case Special::NONE: return lay_out_row(row);
            case Special::POINTS: return said_->suits ? count_in_suit(STEM_HCP) : measure(TERM_HCP);
            case Special::SUIT_LENGTH:
                return asks_any_suit() ? measure(TERM_LONGEST_SUIT) : count_in_suit(STEM_SL);
            case Special::TOP_HONOURS: {
                const i32 among = said_->of;
                if (among < 1 || among > 5) return refuse(Complaint::TOP_HONOURS);
                return count_in_suit(STEM_TOP2 + most(among, 2) - 2);
            }
            case Special::HONOUR: {
                const i32 honour = number_among(HONOUR_NAMES, text());
                if (honour < 0) return refuse(Complaint::HONOUR);
                return lay_out_row(KindRow(row).of_suit(STEM_ACE + honour));
            }
            case Special::RULE_OF: {
                const i32 count = said_->count;
                if (count == 15) return lay_out_row(KindRow(row).of_term(TERM_RULE_OF_15).within(15, NO_BOUND));
                if (count < 18 || count > 22) return refuse(Complaint::RULE);
                return lay_out_row(KindRow(row).of_term(TERM_RULE_OF_20).within(count, NO_BOUND));
            }
            case Special::NAMED: return lay_out_named(row);
        }
    }
    void measure(i32 term) { lay_out_row(measured("", term)); }
    void count_in_suit(i32 stem) { lay_out_row(in_suit_("", stem)); }
    // Whether a length is asked of the longest suit, whichever it is.
    bool asks_any_suit() const {
        if (!said_->has_range) return true;
        if (said_->suits != 1 || said_->high != NO_BOUND || said_->also != 0) return false;
        return reads(from_.texts[from_.words[from_.lists[said_->first_suit]]], "a suit");
    }

    void lay_out_row(const KindRow& row) {
        phrase_.operation = row.operation;
        if (row.suits >= 0 && row.suits != said_->suits) {
            const Complaint wanted = row.suits == 1 ? Complaint::ONE_SUIT : Complaint::TWO_SUITS;
            // their suits are looked up before
            if (row.operation != Operation::LONGEST_OUTSIDE_THEIRS) return refuse(wanted);
            find_fault(wanted);
        } else if (row.calls && said_->pattern < 0) {
            return refuse(Complaint::NO_CALL);
        } else if (row.operation == Operation::LAW || row.operation == Operation::PAYS_OVER ||
                   row.operation == Operation::DOUBLING_PAYS) {
            phrase_.complaint = Complaint::NOTRUMP_CONTRACT;
        } else if (row.counts && !said_->has_range) {
            if (row.at_once) return refuse(Complaint::NO_RANGE);
            find_fault(Complaint::NO_RANGE);
        }
        if (row.low >= 0) {
            phrase_.low = row.low, phrase_.high = row.high;
        } else if (row.counts && said_->has_range) {
            if (is_large(said_->low) || (said_->high != NO_BOUND && is_large(said_->high)))
                return refuse(Complaint::LARGE_NUMBER);
            for (const i32 value : also())
                if (is_large(value)) return refuse(Complaint::LARGE_NUMBER);
            phrase_.low = said_->low, phrase_.high = said_->high;
            phrase_.first_also = said_->first_also, phrase_.also = said_->also;
        }
        phrase_.term = row.term, phrase_.stem = row.stem, phrase_.second_stem = row.second_stem;
        phrase_.shown_term = row.shown_term, phrase_.without_term = row.without_term;
        phrase_.comparison = row.comparison, phrase_.points = row.points;
        phrase_.is_combined = row.is_combined, phrase_.at_best = row.at_best;
        for (const i32 role : row.roles)
            if (role >= 0)
                phrase_.role_words[phrase_.roles++] = static_cast<i32>(from_.words.count) + role;
        if (row.calls) phrase_.pattern = said_->pattern;
        if (row.operation != Operation::ALWAYS) return;
        phrase_.target = said_->expression;
        if (phrase_.target < 0) refuse(Complaint::NAME);
    }

    void lay_out_named(const KindRow& row) {
        if (said_->define < 0) return lay_out_row(row);
        phrase_.operation = Operation::NAMED;
        phrase_.target = said_->define;
        if (from_.defines[said_->define].count != said_->suits) find_fault(Complaint::SUITS_OF_DEFINITION);
    }

    // --- what the auction decides ---------------------------------------------------------------

    void lay_out_fact(const FactRow* row) {
        phrase_.operation = Operation::FACT;
        phrase_.pattern = said_->pattern;
        form_ = QuestionForm{};
        const Complaint complaint = row == nullptr ? Complaint::KIND : ask(*row);
        if (complaint != Complaint::NONE) {
            find_fault(complaint);
            // suits, and the strain of what is available, are looked up before
            form_ = QuestionForm{};
            form_.kind = FORCED;
            if (row != nullptr && row->question == AVAILABLE && has_strain()) form_.operands = Operands::OF_STRAIN;
        }
        phrase_.target = static_cast<i32>(questions.push(form_));
    }
    bool has_strain() const { return said_->pattern >= 0 && from_.patterns[said_->pattern].strain >= 0; }

    // Puts the question of a fact; what is wrong with it.
    Complaint ask(const FactRow& row) {
        form_.kind = row.question;
        form_.negated = row.negated;
        if (row.who != 0) {
            form_.who = said_->who < 0 ? row.who : meanings_[said_->who].players;
            if (form_.who < 0) return Complaint::PLAYER;
        }
        const Complaint found = ask_more();
        if (found != Complaint::NONE) return found;
        const bool fits = !is_large(form_.count) && !is_large(form_.low) && !is_large(form_.high);
        return fits ? Complaint::NONE : Complaint::LARGE_NUMBER;
    }
    Complaint ask_more() {
        const bool has_call = said_->pattern >= 0;
        switch (form_.kind) {
            case OPENED:
                form_.calls = EVERY_CALL;
                form_.of_pattern = has_call;
                return Complaint::NONE;
            case MADE:
                if (!has_call && said_->suits != 0) {
                    form_.kind = NAMED;
                    return of_one_suit();
                }
                form_.calls = EVERY_BID;
                form_.of_pattern = has_call;
                return Complaint::NONE;
            case LAST_CALL: return ask_last_call(has_call);
            case HAS_CALLED: form_.number = said_->tag; return Complaint::NONE;
            case UNBID:
            case FOURTH_SUIT: return of_one_suit();
            case FIT:
                form_.count = said_->count == NO_BOUND || said_->count == 0 ? 8 : said_->count;
                form_.operands = Operands::OF_SUITS;
                return Complaint::NONE;
            case LEVEL:
            case SEAT: return within(said_->has_range, said_->low, said_->high);
            case LAST_BID:
                form_.calls = EVERY_CALL;
                form_.of_pattern = has_call;
                form_.count = text().count > static_cast<u64>(begins(text(), "#"));
                form_.number = said_->tag;
                return Complaint::NONE;
            case HAS_SHOWN:
            case MAY_HAVE: return ask_shown();
            case RANKS_ABOVE:
            case SAME_SUIT: form_.operands = Operands::OF_SUITS; return Complaint::NONE;
            case AVAILABLE: return has_strain() ? ask_available() : Complaint::NONE;
            case NTH_CALL:
                form_.count = said_->count;
                return said_->count == NO_BOUND ? Complaint::KIND : Complaint::NONE;
            default: return Complaint::NONE;
        }
    }
    Complaint of_one_suit() {
        form_.operands = Operands::OF_SUITS;
        return said_->suits == 1 ? Complaint::NONE : Complaint::FACT_OF_ONE_SUIT;
    }
    Complaint within(bool has_range, i32 low, i32 high) {
        for (const i32 value : also()) {
            if (value < 0 || value >= 64) return Complaint::FURTHER_VALUES;
            form_.also |= 1ull << value;
        }
        form_.low = has_range ? low : 0;
        form_.high = !has_range || high == NO_BOUND ? WIDEST : high;
        return Complaint::NONE;
    }
    Complaint ask_last_call(bool has_call) {
        form_.of_pattern = has_call;
        if (has_call) return Complaint::NONE;
        if (const i32 call = number_among(CALLS_BY_NAME, text()); call >= 0) {
            form_.calls = 1ull << call;
        } else if (begins(text(), "#")) {
            form_.kind = LAST_CALLS_TAG;
            form_.number = said_->tag;
        } else if (const i32 word = number_among(CALL_WORDS, text()); word >= 0) {
            form_.kind = LAST_CALL_IN_WORDS;
            form_.number = word;
        } else {
            form_.kind = LAST_CALLS_KINDS;
            const i32 kind = number_among(AGREEMENT_KINDS, text());
            // who forces to game forces
            form_.number = kind == 0 ? 3 : kind > 0 ? 1 << kind : 0;
        }
        return Complaint::NONE;
    }
    Complaint ask_shown() {
        const bool of_suit = said_->suits != 0;
        if (of_suit && of_one_suit() != Complaint::NONE) return Complaint::FACT_OF_ONE_SUIT;
        const ShownRow* const row = row_of(SHOWN_ROWS, text());
        form_.number = row == nullptr ? -1 : of_suit ? row->of_clubs : row->number;
        if (form_.number < 0) return Complaint::SHOWN_TERM;
        form_.count = of_suit;
        return within(said_->has_range, said_->low, said_->high);
    }
    Complaint ask_available() {
        const CallPattern& call = from_.patterns[said_->pattern];
        form_.operands = Operands::OF_STRAIN;
        switch (static_cast<CallKind>(call.kind)) {
            case CallKind::JUMP: form_.number = 1; break;
            case CallKind::DOUBLE_JUMP: form_.number = 2; break;
            default: break;
        }
        if (said_->has_range) return within(true, said_->low, said_->high);
        return within(true, 0, call.level < 0 ? NO_BOUND : call.level);
    }
};

}  // namespace core
