// What each kind of phrase is lowered by and asks for, and what suit words are: the tables.
// systems/language/words/phrases.py has the catalogue of kinds; systems/reference/conditions.py and
// facts.py define what they mean.
#pragma once
#include "facts.hpp"
#include "../hands/terms.hpp"
#include "../hands/trees.hpp"

namespace core {

constexpr i32 NO_BOUND = 1 << 30;        // of a range; also where a phrase has no such number
constexpr i32 LARGEST_NUMBER = 1 << 28;  // numbers of a text lie between this and its negative
constexpr u64 VARIABLES = 8, ROLES = 9;

// What a phrase is lowered by: functions of conditions.hpp, which have the names of those of
// systems/reference/conditions.py. REFUSED is a phrase that makes no sense anywhere.
enum class Operation : i32 {
    REFUSED, ALWAYS, FACT, NAMED, MEASURE, IN_SUIT, FLAG, STOPPER, FIRST_ROUND_CONTROL,
    SECOND_ROUND_CONTROL, LENGTH_BESIDE, SUIT_AGAINST, LONGEST_OUTSIDE_THEIRS, COMBINED,
    COMBINED_CARDS, IN_TRUMPS, LAW, ENOUGH_POINTS, PAYS_OVER, DOUBLING_PAYS, REMOTE
};

// What is wrong with a phrase; COMPLAINTS of systems/rows/text_rows.py has the words, in this order.
enum class Complaint : i32 {
    NONE, TOLD, ONE_SUIT, TWO_SUITS, FACT_OF_ONE_SUIT, SUITS_OF_DEFINITION, NO_CALL, NO_RANGE,
    NOTRUMP_CONTRACT, LARGE_NUMBER, FURTHER_VALUES, PLAYER, SHOWN_TERM, TOP_HONOURS, HONOUR, RULE,
    NAME, KIND
};

// What a suit word is. FIXED has a strain (1-5 = C D H S N), VARIABLE its number, SUITS packed
// letters whatever the auction, ROLE the number of a role, OTHER nothing: it is no suit.
enum class WordKind : i32 { FIXED, VARIABLE, SUITS, ROLE, OTHER };

// What several suits of a word mean: a test of all, which holds for no suit at all or does not,
// or of one of them.
enum class SuitsJoin : i32 { ALL, ALL_OR_NONE, ANY };

// Which operands a question takes from its phrase.
enum class Operands : i32 { NONE, OF_SUITS, OF_STRAIN };

struct Word {
    i32 kind, value, join, notrump;
};

struct CallPattern {
    i32 kind, level, strain;  // level 0 is n, -1 none; strain a word, -1 for none
};

// The first six are the numbers that questions of kind BID have.
enum class CallKind : i32 {
    BID, CHEAPEST, JUMP, DOUBLE_JUMP, GAME, TRANSFER, PASS, DOUBLE, REDOUBLE, ANY, ANY_BID,
    CALL_KINDS
};

struct Definition {
    i32 condition, first, count;  // parameters
};

// What a phrase says, as a text's rows have it.
struct SaidPhrase {
    i32 kind, who, text;    // texts; who is -1 for nobody in particular
    i32 first_suit, suits;  // words, in `lists`
    i32 has_range, low, high, first_also, also;
    i32 count, of;                         // NO_BOUND for none
    i32 pattern, tag, define, expression;  // the call; what its text names or means; -1 for none
    i32 is_refused;                        // whether its reader has said what is wrong
};

struct QuestionForm {
    i32 kind, who, count, low, high;
    u64 also, calls;
    i32 number;
    bool negated, of_pattern;
    Operands operands;
};

struct Phrase {
    Operation operation;
    Complaint complaint;
    bool fault;  // whether it makes no sense once it comes to its numbers
    i32 first_suit, suits;
    i32 low, high, first_also, also;
    i32 term, stem, second_stem, comparison;
    i32 shown_term, without_term;  // shown_term -1: the term itself
    bool is_combined, at_best;
    i32 role_words[2], roles;
    i32 pattern, points;
    i32 target;  // expression, question or definition
};

// A range that a phrase asks for.
struct Range {
    i32 low, high;
    Span<i32> also;
};

// --- terms of suits ------------------------------------------------------------------------------

// A term of each suit.
struct SuitTerms {
    i32 terms[4];  // C D H S
};

enum SuitStem : i32 {
    STEM_SL, STEM_HCP, STEM_SUPPORT_POINTS, STEM_KEYCARDS, STEM_TOP2, STEM_TOP3, STEM_TOP4, STEM_TOP5,
    STEM_LIKELY_STOPPER, STEM_PARTIAL_STOPPER, STEM_TWO_STOPPERS,
    STEM_ACE, STEM_KING, STEM_QUEEN, STEM_JACK, STEM_TEN, SUIT_STEMS
};

constexpr SuitTerms terms_from(i32 clubs, i32 apart = 1) {
    return {{clubs, clubs + apart, clubs + 2 * apart, clubs + 3 * apart}};
}
constexpr i32 CARDS_APART = TERM_C_DA - TERM_C_CA;
constexpr SuitTerms SUIT_TERMS[SUIT_STEMS] = {
    terms_from(TERM_SL_C), terms_from(TERM_HCP_C), terms_from(TERM_SUPPORT_POINTS_C),
    terms_from(TERM_KEYCARDS_C), terms_from(TERM_TOP2_C), terms_from(TERM_TOP3_C),
    terms_from(TERM_TOP4_C), terms_from(TERM_TOP5_C), terms_from(TERM_LIKELY_STOPPER_C),
    terms_from(TERM_PARTIAL_STOPPER_C), terms_from(TERM_TWO_STOPPERS_C),
    terms_from(TERM_C_CA, CARDS_APART), terms_from(TERM_C_CK, CARDS_APART),
    terms_from(TERM_C_CQ, CARDS_APART), terms_from(TERM_C_CJ, CARDS_APART),
    terms_from(TERM_C_CT, CARDS_APART),
};

// --- words ---------------------------------------------------------------------------------------

inline bool reads(Span<i32> text, const char* word) {
    for (const i32 sign : text)
        if (*word == 0 || sign != *word++) return false;
    return *word == 0;
}
inline bool begins(Span<i32> text, const char* word) {
    u64 at = 0;
    for (; word[at] != 0; ++at)
        if (at >= text.count || text.data[at] != word[at]) return false;
    return true;
}
// Number of a text among some words, -1 for none of them.
template <u64 COUNT>
inline i32 number_among(const char* const (&words)[COUNT], Span<i32> text) {
    for (u64 number = 0; number < COUNT; ++number)
        if (reads(text, words[number])) return static_cast<i32>(number);
    return -1;
}

constexpr const char* VARIABLE_NAMES[VARIABLES] = {"M", "oM", "m", "om", "X", "Y", "Z", "W"};
constexpr const char* ROLE_NAMES[ROLES] = {
    "their suits", "RHO's suit", "LHO's suit", "partner's suit", "my suit", "our suit", "unbid suits",
    "unbid majors", "unbid minors",
};
enum Role : i32 { THEIR_SUITS = 0, PARTNERS_SUIT = 3, OUR_SUIT = 5 };

struct NamedValue {
    const char* name;
    i32 value;
};
constexpr i32 MAJORS = 3 | 4 << 3, MINORS = 1 | 2 << 3;
constexpr NamedValue STRAIN_NAMES[] = {
    {"C", 1}, {"D", 2}, {"H", 3}, {"S", 4}, {"NT", 5}, {"N", 5},
    {"clubs", 1}, {"diamonds", 2}, {"hearts", 3}, {"spades", 4},
};
// Suit words that mean the same in every auction.
constexpr NamedValue SUITS_NAMES[] = {
    {"a suit", ALL_SUITS}, {"every suit", ALL_SUITS}, {"a major", MAJORS}, {"both majors", MAJORS},
    {"a minor", MINORS}, {"both minors", MINORS},
};
constexpr NamedValue FURTHER_ROLES[] = {
    {"their suit", 0}, {"trumps", 5}, {"every unbid suit", 6}, {"an unbid suit", 6},
    {"every unbid major", 7}, {"an unbid major", 7}, {"every unbid minor", 8}, {"an unbid minor", 8},
};
// Players as seen from the one to call: 1 me, 2 LHO, 4 partner, 8 RHO.
constexpr i32 ME = 1, WITH_ME = 4, WE = 5, ANYBODY = 15;
constexpr NamedValue PLAYER_NAMES[] = {
    {"me", 1}, {"I", 1}, {"LHO", 2}, {"partner", 4}, {"RHO", 8}, {"we", 5}, {"they", 10},
};

template <u64 COUNT>
inline i32 value_of(const NamedValue (&names)[COUNT], Span<i32> text) {
    for (const NamedValue& one : names)
        if (reads(text, one.name)) return one.value;
    return -1;
}

inline Word word_of(Span<i32> text) {
    SuitsJoin join = SuitsJoin::ALL;
    if (begins(text, "a ") || begins(text, "an ")) join = SuitsJoin::ANY;
    else if (begins(text, "every ") || begins(text, "both ") || reads(text, "their suit") ||
             reads(text, "their suits"))
        join = SuitsJoin::ALL_OR_NONE;
    const bool is_notrump = reads(text, "NT") || reads(text, "notrump");
    const auto word = [&](WordKind kind, i32 value) {
        return Word{static_cast<i32>(kind), value, static_cast<i32>(join), is_notrump};
    };
    if (const i32 found = number_among(VARIABLE_NAMES, text); found >= 0)
        return word(WordKind::VARIABLE, found);
    if (const i32 found = value_of(STRAIN_NAMES, text); found >= 0) return word(WordKind::FIXED, found);
    if (const i32 found = value_of(SUITS_NAMES, text); found >= 0) return word(WordKind::SUITS, found);
    if (const i32 found = number_among(ROLE_NAMES, text); found >= 0) return word(WordKind::ROLE, found);
    if (const i32 found = value_of(FURTHER_ROLES, text); found >= 0) return word(WordKind::ROLE, found);
    return word(WordKind::OTHER, 0);
}

// What a suit word that has no more than a role means, as roles of kinds do.
inline Word word_of_role(i32 role) {
    const SuitsJoin join = role == THEIR_SUITS ? SuitsJoin::ALL_OR_NONE : SuitsJoin::ALL;
    return {static_cast<i32>(WordKind::ROLE), role, static_cast<i32>(join), 0};
}

// --- kinds ---------------------------------------------------------------------------------------

// Kinds of which an operation depends on more than the kind.
enum class Special : i32 { NONE, POINTS, SUIT_LENGTH, TOP_HONOURS, HONOUR, RULE_OF, NAMED };

struct KindRow {
    const char* kind;
    Operation operation;
    Special how = Special::NONE;
    i32 term = -1, stem = -1, second_stem = -1, comparison = -1;
    // the term of which partner's bounds count, if it is another; the one where roles have no suit
    i32 shown_term = -1, without_term = -1;
    i32 suits = -1;         // suit words that must be there; -1 for any number
    bool counts = false;    // whether there must be a range
    bool at_once = false;   // whether a range is missed before any suit is looked at
    i32 low = -1, high = -1;  // a range of the kind itself, if low is not -1
    i32 roles[2] = {-1, -1};  // suits that count where the phrase names none
    bool is_combined = false, at_best = false, calls = false;
    i32 points = 0;

    constexpr KindRow(const char* name, Operation how) : kind(name), operation(how) {}
    constexpr KindRow of_term(i32 number) const { KindRow row = *this; row.term = number; return row; }
    constexpr KindRow of_suit(i32 first, i32 second = -1) const {
        KindRow row = *this;
        row.stem = first, row.second_stem = second, row.suits = 1;
        return row;
    }
    constexpr KindRow counted(bool first) const {
        KindRow row = *this;
        row.counts = true, row.at_once = first;
        return row;
    }
    constexpr KindRow within(i32 least, i32 most) const {
        KindRow row = *this;
        row.low = least, row.high = most;
        return row;
    }
    constexpr KindRow comparing(i32 sign) const { KindRow row = *this; row.comparison = sign; return row; }
    constexpr KindRow of_roles(i32 first, i32 second = -1) const {
        KindRow row = *this;
        row.roles[0] = first, row.roles[1] = second;
        return row;
    }
    constexpr KindRow of_call() const { KindRow row = *this; row.calls = true; return row; }
    constexpr KindRow special(Special found) const { KindRow row = *this; row.how = found; return row; }
};

constexpr KindRow measured(const char* kind, i32 term) {
    return KindRow(kind, Operation::MEASURE).of_term(term).counted(true);
}
constexpr KindRow in_suit_(const char* kind, i32 stem) {
    return KindRow(kind, Operation::IN_SUIT).of_suit(stem).counted(false);
}
constexpr KindRow length_(const char* kind, i32 least, i32 most) {
    return KindRow(kind, Operation::IN_SUIT).of_suit(STEM_SL).within(least, most);
}
constexpr KindRow combined_(const char* kind, i32 term, bool at_best = false) {
    KindRow row = KindRow(kind, Operation::COMBINED).of_term(term).counted(true);
    row.at_best = at_best;
    return row;
}
constexpr KindRow trumps_(
    const char* kind, i32 stem, i32 role, i32 other, i32 without, bool combined = false, i32 shown = -1) {
    KindRow row = KindRow(kind, Operation::IN_TRUMPS).of_suit(stem).of_roles(role, other).counted(false);
    row.suits = -1;
    row.without_term = without, row.is_combined = combined, row.shown_term = shown;
    return row;
}
constexpr KindRow against_(const char* kind, i32 sign, i32 stem = STEM_SL) {
    KindRow row = KindRow(kind, Operation::SUIT_AGAINST).of_suit(stem).comparing(sign);
    row.suits = 2;
    return row;
}
constexpr KindRow beside_(const char* kind, i32 sign, i32 term) {
    return KindRow(kind, Operation::LENGTH_BESIDE).of_suit(STEM_SL).comparing(sign).of_term(term);
}
constexpr KindRow of_contract(const char* kind, Operation how, i32 term, i32 second) {
    KindRow row = KindRow(kind, how).of_suit(STEM_SL, second).of_term(term).of_call();
    row.suits = -1;
    return row;
}
constexpr KindRow remote_(const char* kind, i32 points) {
    KindRow row = KindRow(kind, Operation::REMOTE).of_term(TERM_HCP);
    row.points = points;
    return row;
}

// Phrases that the hand or the vulnerability decides. Those of ALWAYS bring their expression.
constexpr KindRow KIND_ROWS[] = {
    KindRow("points", Operation::IN_SUIT).special(Special::POINTS),
    measured("total points", TERM_TOTAL_POINTS), measured("losers", TERM_LOSERS),
    measured("controls", TERM_CONTROLS), measured("aces", TERM_ACES),
    measured("kings", TERM_KINGS), measured("queens", TERM_QUEENS),
    KindRow("quick tricks", Operation::ALWAYS), KindRow("playing tricks", Operation::ALWAYS),
    trumps_("support points", STEM_SUPPORT_POINTS, PARTNERS_SUIT, OUR_SUIT, -1),
    trumps_("keycards", STEM_KEYCARDS, OUR_SUIT, -1, TERM_ACES),
    in_suit_("length", STEM_SL), in_suit_("support", STEM_SL),
    KindRow("suit length", Operation::IN_SUIT).special(Special::SUIT_LENGTH),
    length_("void", 0, 0), length_("singleton", 1, 1), length_("doubleton", 2, 2),
    length_("shortness", 0, 1),
    against_("longer", MORE), against_("stronger", MORE, STEM_HCP), against_("at least as long", AT_LEAST),
    beside_("longest", AT_LEAST, TERM_LONGEST_SUIT),
    beside_("strictly longest", MORE, TERM_SECOND_SUIT),
    KindRow("longest outside theirs", Operation::LONGEST_OUTSIDE_THEIRS)
        .of_suit(STEM_SL).of_roles(THEIR_SUITS),
    KindRow("top honours", Operation::IN_SUIT).special(Special::TOP_HONOURS),
    KindRow("honour", Operation::FLAG).special(Special::HONOUR),
    KindRow("stopper", Operation::STOPPER).of_suit(STEM_LIKELY_STOPPER, STEM_HCP),
    KindRow("partial stopper", Operation::FLAG).of_suit(STEM_PARTIAL_STOPPER),
    KindRow("two stoppers", Operation::FLAG).of_suit(STEM_TWO_STOPPERS),
    KindRow("first-round control", Operation::FIRST_ROUND_CONTROL).of_suit(STEM_ACE, STEM_SL),
    KindRow("second-round control", Operation::SECOND_ROUND_CONTROL).of_suit(STEM_TOP2, STEM_SL),
    KindRow("rule of", Operation::MEASURE).special(Special::RULE_OF),
    KindRow("named", Operation::ALWAYS).special(Special::NAMED),
    KindRow("any hand", Operation::ALWAYS), KindRow("raw", Operation::ALWAYS),
    KindRow("shape", Operation::ALWAYS), KindRow("vulnerable", Operation::ALWAYS),
    KindRow("not vulnerable", Operation::ALWAYS), KindRow("favourable", Operation::ALWAYS),
    KindRow("unfavourable", Operation::ALWAYS),
    combined_("combined points", TERM_HCP), combined_("combined points at best", TERM_HCP, true),
    combined_("combined aces", TERM_ACES), combined_("combined kings", TERM_KINGS),
    trumps_("combined support points", STEM_SUPPORT_POINTS, OUR_SUIT, PARTNERS_SUIT, TERM_HCP, true,
            TERM_HCP),
    trumps_("combined keycards", STEM_KEYCARDS, OUR_SUIT, -1, TERM_ACES, true),
    KindRow("combined cards", Operation::COMBINED_CARDS).of_suit(STEM_SL).counted(false),
    of_contract("law", Operation::LAW, -1, -1),
    of_contract("enough points", Operation::ENOUGH_POINTS, TERM_HCP, STEM_SUPPORT_POINTS),
    of_contract("pays over theirs", Operation::PAYS_OVER, TERM_HCP, STEM_SUPPORT_POINTS),
    of_contract("doubling pays", Operation::DOUBLING_PAYS, TERM_HCP, STEM_HCP),
    remote_("game is remote", 25), remote_("slam is remote", 33),
};

struct FactRow {
    const char* kind;
    i32 question;
    i32 who = 0;  // whose call it is where nobody is named; 0 where it is nobody's
    bool negated = false;
};
constexpr FactRow FACT_ROWS[] = {
    {"passed hand", PASSED_HAND, ME}, {"opened", OPENED, WE}, {"only passed", ONLY_PASSED, WITH_ME},
    {"bid", MADE, WE}, {"not bid", MADE, WE, true}, {"last call", LAST_CALL, WITH_ME},
    {"has called", HAS_CALLED, WITH_ME}, {"unbid", UNBID}, {"fourth suit", FOURTH_SUIT}, {"fit", FIT},
    {"contested", CONTESTED}, {"uncontested", CONTESTED, 0, true}, {"level", LEVEL}, {"seat", SEAT},
    {"last bid", LAST_BID, ANYBODY}, {"has shown", HAS_SHOWN, WITH_ME}, {"may have", MAY_HAVE, WITH_ME},
    {"ranks above", RANKS_ABOVE}, {"same suit", SAME_SUIT}, {"available", AVAILABLE},
    {"nth call", NTH_CALL}, {"nobody opened", NOBODY_OPENED}, {"forced", FORCED},
    {"game forced", GAME_FORCED}, {"balancing", BALANCING}, {"game reached", GAME_REACHED},
};

// What a call may be beside its agreements, and agreements, by the numbers that places keep.
constexpr const char* CALL_WORDS[] = {
    "natural", "bid", "raise", "jump", "double jump", "jump raise", "new suit", "suit", "notrump",
    "cue-bid", "reverse", "jump shift", "artificial",
};
constexpr const char* AGREEMENT_KINDS[] = {
    "forcing", "forcing to game", "not forcing", "invitational", "sign-off", "limited", "natural",
    "artificial", "alert", "announce", "relay", "transfer", "puppet", "preemptive", "penalty",
    "takeout", "asks", "shows", "denies", "agrees", "tag",
};
constexpr i32 AGREED_SHOWS = 17, AGREED_SUIT = 19, AGREED_TAG = 20;
constexpr const char* CALLS_BY_NAME[] = {"pass", "double", "redouble"};
constexpr const char* HONOUR_NAMES[] = {"ace", "king", "queen", "jack", "ten"};

// What a player can show: numbers of tracked terms, without a suit and of clubs, -1 for none.
struct ShownRow {
    const char* kind;
    i32 number, of_clubs;
};
constexpr ShownRow SHOWN_ROWS[] = {
    {"", 0, 10}, {"points", 0, 10}, {"length", -1, 1}, {"total points", 5, -1}, {"aces", 6, -1},
    {"kings", 7, -1}, {"controls", 8, -1}, {"losers", 9, -1}, {"keycards", -1, 14},
};

constexpr u64 EVERY_BID = EVERY_CALL & ~7ull;

}  // namespace core
