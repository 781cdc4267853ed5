// The terms of the bidding language (HCP, Stopper_C, Balanced …), tabulated: kernels/terms.py is
// the definition, and each function here bears the name that it has there.
//
// Every term is a sum of one function of each suit's 13-bit holding, one of the four lengths, and
// one of who bids at which vulnerability.
#pragma once
#include "../memory.hpp"
#include "../rows.hpp"

namespace core {

// All terms in the order of their names, so that those of the four suits are neighbours C D H S.
enum TermNumber : i32 {
    TERM_ACES,
    TERM_AT_BEST_LIKELY_STOPPER_C, TERM_AT_BEST_LIKELY_STOPPER_D,
    TERM_AT_BEST_LIKELY_STOPPER_H, TERM_AT_BEST_LIKELY_STOPPER_S,
    TERM_AT_BEST_PARTIAL_STOPPER_C, TERM_AT_BEST_PARTIAL_STOPPER_D,
    TERM_AT_BEST_PARTIAL_STOPPER_H, TERM_AT_BEST_PARTIAL_STOPPER_S,
    TERM_AT_BEST_STOPPER_C, TERM_AT_BEST_STOPPER_D, TERM_AT_BEST_STOPPER_H, TERM_AT_BEST_STOPPER_S,
    TERM_BALANCED,
    TERM_BIDDABLE_C, TERM_BIDDABLE_D, TERM_BIDDABLE_H, TERM_BIDDABLE_S,
    TERM_C_C2, TERM_C_C3, TERM_C_C4, TERM_C_C5, TERM_C_C6, TERM_C_C7, TERM_C_C8, TERM_C_C9,
    TERM_C_CA, TERM_C_CJ, TERM_C_CK, TERM_C_CQ, TERM_C_CT,
    TERM_C_D2, TERM_C_D3, TERM_C_D4, TERM_C_D5, TERM_C_D6, TERM_C_D7, TERM_C_D8, TERM_C_D9,
    TERM_C_DA, TERM_C_DJ, TERM_C_DK, TERM_C_DQ, TERM_C_DT,
    TERM_C_H2, TERM_C_H3, TERM_C_H4, TERM_C_H5, TERM_C_H6, TERM_C_H7, TERM_C_H8, TERM_C_H9,
    TERM_C_HA, TERM_C_HJ, TERM_C_HK, TERM_C_HQ, TERM_C_HT,
    TERM_C_S2, TERM_C_S3, TERM_C_S4, TERM_C_S5, TERM_C_S6, TERM_C_S7, TERM_C_S8, TERM_C_S9,
    TERM_C_SA, TERM_C_SJ, TERM_C_SK, TERM_C_SQ, TERM_C_ST,
    TERM_CONTROLS,
    TERM_HCP,
    TERM_HCP_C, TERM_HCP_D, TERM_HCP_H, TERM_HCP_S,
    TERM_KEYCARDS_C, TERM_KEYCARDS_D, TERM_KEYCARDS_H, TERM_KEYCARDS_S,
    TERM_KINGS,
    TERM_LIKELY_STOPPER_C, TERM_LIKELY_STOPPER_D, TERM_LIKELY_STOPPER_H, TERM_LIKELY_STOPPER_S,
    TERM_LONGEST_SUIT,
    TERM_LOSERS,
    TERM_PARTIAL_STOPPER_C, TERM_PARTIAL_STOPPER_D, TERM_PARTIAL_STOPPER_H, TERM_PARTIAL_STOPPER_S,
    TERM_PATTERN,
    TERM_PLAYING_TRICKS,
    TERM_QT,
    TERM_QUEENS,
    TERM_REBIDDABLE_C, TERM_REBIDDABLE_D, TERM_REBIDDABLE_H, TERM_REBIDDABLE_S,
    TERM_RULE_OF_15,
    TERM_RULE_OF_20,
    TERM_SL_C, TERM_SL_D, TERM_SL_H, TERM_SL_S,
    TERM_SEAT,
    TERM_SECOND_SUIT,
    TERM_SOLID_C, TERM_SOLID_D, TERM_SOLID_H, TERM_SOLID_S,
    TERM_STOPPER_C, TERM_STOPPER_D, TERM_STOPPER_H, TERM_STOPPER_S,
    TERM_STRONG_REBIDDABLE_C, TERM_STRONG_REBIDDABLE_D,
    TERM_STRONG_REBIDDABLE_H, TERM_STRONG_REBIDDABLE_S,
    TERM_SUPPORT_POINTS_C, TERM_SUPPORT_POINTS_D, TERM_SUPPORT_POINTS_H, TERM_SUPPORT_POINTS_S,
    TERM_TENS,
    TERM_TOP2_C, TERM_TOP2_D, TERM_TOP2_H, TERM_TOP2_S,
    TERM_TOP3_C, TERM_TOP3_D, TERM_TOP3_H, TERM_TOP3_S,
    TERM_TOP4_C, TERM_TOP4_D, TERM_TOP4_H, TERM_TOP4_S,
    TERM_TOP5_C, TERM_TOP5_D, TERM_TOP5_H, TERM_TOP5_S,
    TERM_TOTAL_POINTS,
    TERM_TWICE_REBIDDABLE_C, TERM_TWICE_REBIDDABLE_D,
    TERM_TWICE_REBIDDABLE_H, TERM_TWICE_REBIDDABLE_S,
    TERM_TWO_STOPPERS_C, TERM_TWO_STOPPERS_D, TERM_TWO_STOPPERS_H, TERM_TWO_STOPPERS_S,
    TERM_VUL_THEY,
    TERM_VUL_WE,
    TERM_COUNT
};

enum Profile : i32 { GIB, MLBRIDGE, PROFILES };

constexpr i32 HOLDINGS = 1 << 13, CONTEXTS = 16;
constexpr i32 TABLE_SHAPES = 14 * 14 * 14;  // what kernels' tables of shapes have

// The 560 lengths (clubs, diamonds, hearts, spades) of a hand, in the order of their numbers, and
// where each stands in the kernels' tables: C + 14 * D + 196 * H.
struct ShapeList {
    u8 lengths[SHAPES][4];
    u16 position[SHAPES];

    constexpr ShapeList() : lengths(), position() {
        i32 shape = 0;
        for (i32 clubs = 0; clubs <= 13; ++clubs)
            for (i32 diamonds = 0; diamonds <= 13 - clubs; ++diamonds)
                for (i32 hearts = 0; hearts <= 13 - clubs - diamonds; ++hearts) {
                    lengths[shape][0] = static_cast<u8>(clubs);
                    lengths[shape][1] = static_cast<u8>(diamonds);
                    lengths[shape][2] = static_cast<u8>(hearts);
                    lengths[shape][3] = static_cast<u8>(13 - clubs - diamonds - hearts);
                    position[shape] = static_cast<u16>(clubs + 14 * diamonds + 196 * hearts);
                    ++shape;
                }
    }
};
constexpr ShapeList ALL_SHAPES;

// --- what the terms mean -------------------------------------------------------------------------

namespace meaning {

constexpr i32 TEN = 8, JACK = 9, QUEEN = 10, KING = 11, ACE = 12;

inline i32 length(i32 holding) { return bit_count(static_cast<u64>(holding)); }

// The card of that rank (0-12 = two-ace) is held.
inline i32 has(i32 holding, i32 rank) { return holding >> rank & 1; }

inline i32 high_card_points(i32 holding) {
    return 4 * has(holding, ACE) + 3 * has(holding, KING) + 2 * has(holding, QUEEN) +
           has(holding, JACK);
}

// How many of the highest cards of the suit are held.
inline i32 count_top(i32 cards, i32 holding) {
    return bit_count(static_cast<u64>(holding) >> (13 - cards));
}

inline i32 losers(i32 holding) {
    const i32 missing[3] = {!has(holding, ACE), !has(holding, KING), !has(holding, QUEEN)};
    i32 found = 0;
    for (i32 card = 0; card < least(3, length(holding)); ++card) found += missing[card];
    return found;
}

// Void 3, singleton 2, doubleton 1.
inline i32 short_suit_points(i32 holding) { return most(0, 3 - length(holding)); }

// A short suit that holds an honour counts one less for its shortness.
inline i32 total_points_gib(i32 holding) {
    const i32 shortness = short_suit_points(holding);
    return high_card_points(holding) + shortness - (shortness != 0 && count_top(4, holding) != 0);
}

inline i32 total_points_mlbridge(i32 holding) {
    return high_card_points(holding) + short_suit_points(holding);
}

inline i32 quick_tricks_doubled_gib(i32 holding) {
    if (has(holding, ACE)) return has(holding, KING) ? 4 : has(holding, QUEEN) ? 3 : 2;
    if (has(holding, KING)) return has(holding, QUEEN) ? 2 : length(holding) > 1;
    return 0;
}

inline i32 quick_tricks_doubled_mlbridge(i32 holding) {
    return most(quick_tricks_doubled_gib(holding), has(holding, KING));
}

inline i32 playing_tricks_doubled(i32 holding) {
    const bool ace = has(holding, ACE), king = has(holding, KING), queen = has(holding, QUEEN);
    const bool jack = has(holding, JACK), ten = has(holding, TEN);
    const i32 cards = length(holding);
    const bool is_long = cards >= 4;
    i32 top = 0;
    if (ace && king)
        top = queen ? 6 : jack && is_long ? 5 : 4;
    else if (ace && queen)
        top = jack && is_long ? 5 : jack || (ten && is_long) ? 4 : 3;
    else if (ace)
        top = jack && ten && is_long ? 3 : 2;
    else if (king && queen)
        top = jack ? 4 : is_long ? 3 : 2;
    else if (king)
        top = jack && is_long ? 2 : cards > 1;
    else if (queen && jack)
        top = ten ? 2 : is_long;
    return top ? top + 2 * most(0, cards - 3) : 0;
}

inline bool decent_suit_gib(i32 holding) {
    return has(holding, ACE) || has(holding, KING) || count_top(5, holding) >= 3;
}

inline bool decent_suit_mlbridge(i32 holding) { return high_card_points(holding) >= 3; }

template <i32 CARDS, bool DECENT(i32)>
i32 biddable(i32 holding) {
    return length(holding) > CARDS || (length(holding) == CARDS && DECENT(holding));
}

inline i32 strong_rebiddable_gib(i32 holding) {
    const bool good = count_top(5, holding) >= 4 || count_top(3, holding) == 3;
    return biddable<6, decent_suit_gib>(holding) && good;
}

inline i32 strong_rebiddable_mlbridge(i32 holding) {
    return length(holding) >= 6 && high_card_points(holding) >= 9;
}

inline i32 solid_gib(i32 holding) {
    if (count_top(2, holding) < 2) return 0;
    const i32 queen = has(holding, QUEEN), jack = has(holding, JACK), ten = has(holding, TEN);
    const i32 cards = length(holding);
    if (cards >= 9) return 1;
    if (cards == 8) return queen | jack;
    if (cards == 7) return queen;
    return cards == 6 && queen && (jack | ten);
}

inline i32 solid_mlbridge(i32 holding) { return high_card_points(holding) >= 9; }

inline i32 stopper_strength(i32 holding) { return length(holding) + high_card_points(holding); }

inline i32 stopper_gib(i32 holding) {
    const bool queen_jack_third =
        has(holding, QUEEN) && has(holding, JACK) && length(holding) >= 3;
    return has(holding, ACE) || queen_jack_third || high_card_points(holding) >= 5 ||
           stopper_strength(holding) >= 7;
}

inline i32 stopper_mlbridge(i32 holding) {
    return high_card_points(holding) >= 4 || stopper_strength(holding) >= 6;
}

template <i32 LEVEL>
i32 at_least(i32 holding) { return stopper_strength(holding) >= LEVEL; }

template <i32 LEVEL>
i32 at_most(i32 holding) { return stopper_strength(holding) <= LEVEL; }

template <i32 CARDS>
i32 top(i32 holding) { return count_top(CARDS, holding); }

template <i32 RANK>
i32 rank_counter(i32 holding) { return has(holding, RANK); }

inline i32 controls(i32 holding) { return 2 * has(holding, ACE) + has(holding, KING); }

inline i32 ace_and_king(i32 holding) { return count_top(2, holding); }

// Functions of the lengths in clubs, diamonds, hearts and spades.

struct Sorted {
    i32 cards[4];  // most first
};

inline Sorted sorted(const u8* lengths) {
    Sorted found = {{lengths[0], lengths[1], lengths[2], lengths[3]}};
    for (i32 end = 3; end > 0; --end)
        for (i32 at = 0; at < end; ++at)
            if (found.cards[at] < found.cards[at + 1]) {
                const i32 fewer = found.cards[at];
                found.cards[at] = found.cards[at + 1];
                found.cards[at + 1] = fewer;
            }
    return found;
}

// Lengths sorted downwards, read as hexadecimal digits: 5332 is 0x5332.
inline i32 pattern(const u8* lengths) {
    const Sorted found = sorted(lengths);
    return found.cards[0] << 12 | found.cards[1] << 8 | found.cards[2] << 4 | found.cards[3];
}

inline i32 balanced_gib(const u8* lengths) {
    const i32 found = pattern(lengths);
    return found == 0x4333 || found == 0x4432 || found == 0x5332;
}

inline i32 balanced_mlbridge(const u8* lengths) {
    const i32 found = pattern(lengths);
    const bool minor = lengths[0] == 5 || lengths[1] == 5;
    return found == 0x4333 || found == 0x4432 || ((found == 0x5332 || found == 0x5422) && minor);
}

inline i32 longest_suit(const u8* lengths) { return sorted(lengths).cards[0]; }

inline i32 second_suit(const u8* lengths) { return sorted(lengths).cards[1]; }

inline i32 longest_two(const u8* lengths) { return longest_suit(lengths) + second_suit(lengths); }

template <i32 TRUMPS>
i32 trump_shortness(const u8* lengths) {
    const i32 support = lengths[TRUMPS];
    i32 found = 0;
    for (i32 suit = 0; suit < 4; ++suit)
        if (suit != TRUMPS && lengths[suit] < 3 && support >= 3)
            found += support > 3 ? 5 - 2 * lengths[suit] : 3 - lengths[suit];
    return found;
}

// Functions of the context: (seat - 1) + 4 * vul_we + 8 * vul_they.

inline i32 seat(i32 context) { return (context & 3) + 1; }
inline i32 vul_we(i32 context) { return context >> 2 & 1; }
inline i32 vul_they(i32 context) { return context >> 3 & 1; }

}  // namespace meaning

// --- the catalogue -------------------------------------------------------------------------------

typedef i32 HoldingFunction(i32 holding);
typedef i32 LengthsFunction(const u8* lengths);
typedef i32 ContextFunction(i32 context);

// Terms that are alike but for a suit and a rank.
struct Stem {
    enum Spread : i32 { WHOLE, SUIT, RANK, KEYCARDS, SUPPORT, FIFTEEN };

    const char* name;  // without the suit
    i32 first, low, high;
    bool boolean, halves;
    Spread spread;
    HoldingFunction* by_suit[PROFILES];
    LengthsFunction* by_lengths[PROFILES];
    ContextFunction* by_context;

    // As many terms; those after the first are of the next suit, or rank.
    constexpr i32 count() const {
        return spread == RANK ? 13 : spread == WHOLE || spread == FIFTEEN ? 1 : 4;
    }
};

namespace meaning {

constexpr Stem whole(const char* name, i32 first, i32 high, HoldingFunction* gib,
                     HoldingFunction* mlbridge, bool halves = false) {
    return {name, first, 0, high, false, halves, Stem::WHOLE, {gib, mlbridge}, {}, nullptr};
}
constexpr Stem shaped(const char* name, i32 first, i32 low, i32 high, LengthsFunction* gib,
                      LengthsFunction* mlbridge) {
    return {name, first, low, high, high == 1, false, Stem::WHOLE, {}, {gib, mlbridge}, nullptr};
}
constexpr Stem placed(const char* name, i32 first, i32 low, i32 high, ContextFunction* function) {
    return {name, first, low, high, high == 1, false, Stem::WHOLE, {}, {}, function};
}
constexpr Stem number(const char* name, i32 first, i32 high, HoldingFunction* function) {
    return {name, first, 0, high, false, false, Stem::SUIT, {function, function}, {}, nullptr};
}
constexpr Stem truth(const char* name, i32 first, HoldingFunction* gib,
                     HoldingFunction* mlbridge) {
    return {name, first, 0, 1, true, false, Stem::SUIT, {gib, mlbridge}, {}, nullptr};
}
constexpr Stem cards(const char* name, i32 first) {
    return {name, first, 0, 1, true, false, Stem::RANK, {}, {}, nullptr};
}

}  // namespace meaning

constexpr Stem STEMS[] = {
    meaning::whole("Aces", TERM_ACES, 4, meaning::rank_counter<meaning::ACE>,
                   meaning::rank_counter<meaning::ACE>),
    meaning::truth("At_Best_Likely_Stopper", TERM_AT_BEST_LIKELY_STOPPER_C, meaning::at_most<5>,
                   meaning::at_most<5>),
    meaning::truth("At_Best_Partial_Stopper", TERM_AT_BEST_PARTIAL_STOPPER_C, meaning::at_most<4>,
                   meaning::at_most<3>),
    // mlbridge's sense looks inverted; kept so that its published bitmaps can be compared
    meaning::truth("At_Best_Stopper", TERM_AT_BEST_STOPPER_C, meaning::at_most<7>,
                   meaning::at_least<7>),
    meaning::shaped("Balanced", TERM_BALANCED, 0, 1, meaning::balanced_gib,
                    meaning::balanced_mlbridge),
    meaning::truth("Biddable", TERM_BIDDABLE_C, meaning::biddable<4, meaning::decent_suit_gib>,
                   meaning::biddable<4, meaning::decent_suit_mlbridge>),
    meaning::cards("C_C", TERM_C_C2),
    meaning::cards("C_D", TERM_C_D2),
    meaning::cards("C_H", TERM_C_H2),
    meaning::cards("C_S", TERM_C_S2),
    meaning::whole("Controls", TERM_CONTROLS, 12, meaning::controls, meaning::controls),
    meaning::whole("HCP", TERM_HCP, 37, meaning::high_card_points, meaning::high_card_points),
    meaning::number("HCP", TERM_HCP_C, 10, meaning::high_card_points),
    // the ace of each suit, and the trumps' king
    {"Keycards", TERM_KEYCARDS_C, 0, 5, false, false, Stem::KEYCARDS,
     {meaning::rank_counter<meaning::ACE>, meaning::rank_counter<meaning::ACE>}, {}, nullptr},
    meaning::whole("Kings", TERM_KINGS, 4, meaning::rank_counter<meaning::KING>,
                   meaning::rank_counter<meaning::KING>),
    meaning::truth("Likely_Stopper", TERM_LIKELY_STOPPER_C, meaning::at_least<5>,
                   meaning::at_least<5>),
    meaning::shaped("Longest_Suit", TERM_LONGEST_SUIT, 4, 13, meaning::longest_suit,
                    meaning::longest_suit),
    meaning::whole("Losers", TERM_LOSERS, 12, meaning::losers, meaning::losers),
    meaning::truth("Partial_Stopper", TERM_PARTIAL_STOPPER_C, meaning::at_least<4>,
                   meaning::at_least<4>),
    meaning::shaped("Pattern", TERM_PATTERN, 0x4333, 0xD000, meaning::pattern, meaning::pattern),
    meaning::whole("Playing_Tricks", TERM_PLAYING_TRICKS, 26, meaning::playing_tricks_doubled,
                   meaning::playing_tricks_doubled, true),
    meaning::whole("QT", TERM_QT, 16, meaning::quick_tricks_doubled_gib,
                   meaning::quick_tricks_doubled_mlbridge, true),
    meaning::whole("Queens", TERM_QUEENS, 4, meaning::rank_counter<meaning::QUEEN>,
                   meaning::rank_counter<meaning::QUEEN>),
    meaning::truth("Rebiddable", TERM_REBIDDABLE_C, meaning::biddable<5, meaning::decent_suit_gib>,
                   meaning::biddable<5, meaning::decent_suit_mlbridge>),
    // points, and cards in spades
    {"Rule_Of_15", TERM_RULE_OF_15, 0, 41, false, false, Stem::FIFTEEN,
     {meaning::high_card_points, meaning::high_card_points}, {}, nullptr},
    {"Rule_Of_20", TERM_RULE_OF_20, 7, 44, false, false, Stem::WHOLE,
     {meaning::high_card_points, meaning::high_card_points},
     {meaning::longest_two, meaning::longest_two}, nullptr},
    meaning::number("SL", TERM_SL_C, 13, meaning::length),
    meaning::placed("Seat", TERM_SEAT, 1, 4, meaning::seat),
    meaning::shaped("Second_Suit", TERM_SECOND_SUIT, 0, 6, meaning::second_suit,
                    meaning::second_suit),
    meaning::truth("Solid", TERM_SOLID_C, meaning::solid_gib, meaning::solid_mlbridge),
    meaning::truth("Stopper", TERM_STOPPER_C, meaning::stopper_gib, meaning::stopper_mlbridge),
    meaning::truth("Strong_Rebiddable", TERM_STRONG_REBIDDABLE_C, meaning::strong_rebiddable_gib,
                   meaning::strong_rebiddable_mlbridge),
    // points, and those for shortness with the suit as trumps
    {"Support_Points", TERM_SUPPORT_POINTS_C, 0, 37, false, false, Stem::SUPPORT,
     {meaning::high_card_points, meaning::high_card_points}, {}, nullptr},
    meaning::whole("Tens", TERM_TENS, 4, meaning::rank_counter<meaning::TEN>,
                   meaning::rank_counter<meaning::TEN>),
    meaning::number("Top2", TERM_TOP2_C, 2, meaning::top<2>),
    meaning::number("Top3", TERM_TOP3_C, 3, meaning::top<3>),
    meaning::number("Top4", TERM_TOP4_C, 4, meaning::top<4>),
    meaning::number("Top5", TERM_TOP5_C, 5, meaning::top<5>),
    meaning::whole("Total_Points", TERM_TOTAL_POINTS, 37, meaning::total_points_gib,
                   meaning::total_points_mlbridge),
    meaning::truth("Twice_Rebiddable", TERM_TWICE_REBIDDABLE_C,
                   meaning::biddable<6, meaning::decent_suit_gib>,
                   meaning::biddable<6, meaning::decent_suit_mlbridge>),
    meaning::truth("Two_Stoppers", TERM_TWO_STOPPERS_C, meaning::at_least<8>,
                   meaning::at_least<8>),
    meaning::placed("Vul_They", TERM_VUL_THEY, 0, 1, meaning::vul_they),
    meaning::placed("Vul_We", TERM_VUL_WE, 0, 1, meaning::vul_we),
};

// The terms of a suit's cards are in the order of the ranks' letters.
constexpr char CARD_LETTERS[] = "23456789AJKQT";
constexpr HoldingFunction* CARD_FUNCTIONS[13] = {
    meaning::rank_counter<0>, meaning::rank_counter<1>, meaning::rank_counter<2>,
    meaning::rank_counter<3>, meaning::rank_counter<4>, meaning::rank_counter<5>,
    meaning::rank_counter<6>, meaning::rank_counter<7>, meaning::rank_counter<meaning::ACE>,
    meaning::rank_counter<meaning::JACK>, meaning::rank_counter<meaning::KING>,
    meaning::rank_counter<meaning::QUEEN>, meaning::rank_counter<meaning::TEN>};
constexpr LengthsFunction* SUPPORT_FUNCTIONS[4] = {
    meaning::trump_shortness<0>, meaning::trump_shortness<1>, meaning::trump_shortness<2>,
    meaning::trump_shortness<3>};

inline const Stem& stem_of(i32 term) {
    const Stem* stem = STEMS;
    while (term >= stem->first + stem->count()) ++stem;
    return *stem;
}

constexpr i32 LONGEST_NAME = 31;

// Writes the name of a term, at most LONGEST_NAME letters, and a zero.
inline void write_name(i32 term, char* name) {
    const Stem& stem = stem_of(term);
    for (const char* letter = stem.name; *letter; ++letter) *name++ = *letter;
    if (stem.spread == Stem::RANK) {
        *name++ = CARD_LETTERS[term - stem.first];
    } else if (stem.count() == 4) {
        *name++ = '_';
        *name++ = "CDHS"[term - stem.first];
    }
    *name = 0;
}

// --- tables --------------------------------------------------------------------------------------

// Values of a term; they are added up.
struct TermTables {
    i32 suits[4][HOLDINGS];  // by suit and holding
    i32 lengths[SHAPES];
    i32 contexts[CONTEXTS];
    i32 low, high;           // over all hands
    u8 boolean;
    u8 halves;               // counts halves
    u8 suit_bits;            // suits that have a function
    u8 length_bits;          // suits whose function is the plain length
    u8 has_lengths, has_context;
    HoldingFunction* functions[4];
};

// The terms of a profile, each tabulated when it is first asked for, once for all threads: tables
// of a term are the same for every system, and take 130 kB.
class Terms {
  public:
    explicit Terms(i32 profile) : profile_(profile) {}
    Terms(const Terms&) = delete;
    Terms& operator=(const Terms&) = delete;

    i32 profile() const { return profile_; }
    const TermTables& operator[](i32 term) {
        TermTables** const slot = &tables_[profile_][term];
        TermTables* known = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (known) return *known;
        TermTables* const made = static_cast<TermTables*>(allocate(sizeof(TermTables)));
        tabulate(term, *made);
        // another thread may have been quicker
        if (__atomic_compare_exchange_n(slot, &known, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return *made;
        release(made, sizeof(TermTables));
        return *known;
    }
    static const u8 (&lengths())[SHAPES][4] { return ALL_SHAPES.lengths; }

  private:
    const i32 profile_;
    inline static TermTables* tables_[PROFILES][TERM_COUNT] = {};  // null where nobody has asked

    void tabulate(i32 term, TermTables& tables) const {
        const Stem& stem = stem_of(term);
        tables.low = stem.low, tables.high = stem.high;
        tables.boolean = stem.boolean, tables.halves = stem.halves;
        choose_functions(stem, term, tables.functions);
        for (i32 suit = 0; suit < 4; ++suit) tabulate_suit(tables, suit);
        const i32 step = term - stem.first;
        LengthsFunction* const by_lengths =
            stem.spread == Stem::SUPPORT ? SUPPORT_FUNCTIONS[step] : stem.by_lengths[profile_];
        tables.has_lengths = by_lengths != nullptr;
        for (i32 shape = 0; by_lengths && shape < SHAPES; ++shape)
            tables.lengths[shape] = by_lengths(ALL_SHAPES.lengths[shape]);
        tables.has_context = stem.by_context != nullptr;
        for (i32 context = 0; stem.by_context && context < CONTEXTS; ++context)
            tables.contexts[context] = stem.by_context(context);
    }

    void choose_functions(const Stem& stem, i32 term, HoldingFunction** functions) const {
        const i32 step = term - stem.first;
        for (i32 suit = 0; suit < 4; ++suit) functions[suit] = stem.by_suit[profile_];
        switch (stem.spread) {
            case Stem::RANK:
                functions[(stem.first - TERM_C_C2) / 13] = CARD_FUNCTIONS[step];
                break;
            case Stem::SUIT:
                for (i32 suit = 0; suit < 4; ++suit)
                    if (suit != step) functions[suit] = nullptr;
                break;
            case Stem::KEYCARDS: functions[step] = meaning::ace_and_king; break;
            case Stem::FIFTEEN: functions[3] = meaning::stopper_strength; break;
            default: break;
        }
    }

    static void tabulate_suit(TermTables& tables, i32 suit) {
        HoldingFunction* const function = tables.functions[suit];
        if (!function) return;
        tables.suit_bits = static_cast<u8>(tables.suit_bits | 1 << suit);
        if (function == meaning::length)
            tables.length_bits = static_cast<u8>(tables.length_bits | 1 << suit);
        for (i32 other = 0; other < suit; ++other)
            if (tables.functions[other] == function) {
                copy_bytes(tables.suits[suit], tables.suits[other], sizeof tables.suits[suit]);
                return;
            }
        for (i32 holding = 0; holding < HOLDINGS; ++holding)
            tables.suits[suit][holding] = function(holding);
    }
};

}  // namespace core
