// Double dummy: the tricks that each side takes when all four hands are seen and nobody errs.
//
// A search asks whether North-South take so many tricks more, and stops at the first answer (a zero
// window; Knuth, Moore: An analysis of alpha-beta pruning, 1975). What it finds out at the beginning
// of a trick is kept for all positions of which the same cards matter (partition search; Ginsberg:
// GIB, Imperfect information in a computationally challenging game, 2001): those with as many cards
// of each suit in each hand, and the same owners of the highest cards of each suit, down to the
// lowest that won a trick by its rank. Ideas of quick tricks and of the order of cards are those of
// Chang (Building a fast double-dummy bridge solver, 1996) and Haglund (Search algorithms for a
// bridge double dummy solver, 2010).
//
// Cards of callers are bits, 13 * suit + rank. Here each suit has a lane of 16 bits, in which the
// ranks that are out are closed up: 0 is the lowest card that is there.
#pragma once
#include "../base.hpp"

namespace core {

constexpr i32 NO_TRUMPS = 4;  // a strain
constexpr i32 NO_LEAD = 4;    // in the place of a suit

// A position: what the hands hold still, and the cards of the trick under way.
struct CardPlay {
    u64 hands[4];
    i32 strain, first;
    i32 played;    // cards of the trick under way, from `first` on
    u64 trick[3];  // these, a bit each

    i32 to_play() const { return (first + played) & 3; }
};

// Whether a position can be played: no card twice, and as many in each hand when the trick began.
inline bool is_playable(const CardPlay& play) {
    u64 seen = 0;
    i32 count[4];
    for (i32 seat = 0; seat < 4; ++seat) {
        if (play.hands[seat] >> 52 || play.hands[seat] & seen) return false;
        seen |= play.hands[seat];
        count[seat] = bit_count(play.hands[seat]);
    }
    for (i32 place = 0; place < play.played; ++place) {
        if (play.trick[place] >> 52 || play.trick[place] & seen) return false;
        seen |= play.trick[place];
        ++count[(play.first + place) & 3];
    }
    return count[0] >= 1 && count[0] <= 13 && count[0] == count[1] && count[0] == count[2] &&
           count[0] == count[3];
}

// What is known of positions, in memory that the caller gives and that is used again and again.
class KnownPositions {
  public:
    // Positions with these cards at the top of each suit: owners of cards from the top, two bits a
    // card, two suits a word of 26 bits each. Above them, 6 bits each: the least and the most tricks
    // of North-South from here on; the suit of the card that did it, and how many lower ones of it the
    // hand has.
    struct Entry {
        u64 owners[2], mask[2];

        static constexpr u64 OWNERS = (1ull << 52) - 1;

        bool fits(const u64* words) const {
            return (((owners[0] ^ words[0]) & mask[0]) | ((owners[1] ^ words[1]) & mask[1])) == 0;
        }
        i32 low() const { return owners[0] >> 52 & 63; }
        i32 high() const { return static_cast<i32>(owners[0] >> 58); }
        i32 suit() const { return owners[1] >> 52 & 63; }
        i32 place() const { return static_cast<i32>(owners[1] >> 58); }
        bool is_like(const Entry& other) const {
            return mask[0] == other.mask[0] && mask[1] == other.mask[1] && fits(other.owners);
        }
        void set_bounds(i32 low, i32 high) {
            owners[0] = (owners[0] & OWNERS) | static_cast<u64>(low) << 52 | static_cast<u64>(high) << 58;
        }
        void set_card(i32 suit, i32 place) {
            owners[1] = (owners[1] & OWNERS) | static_cast<u64>(suit) << 52 | static_cast<u64>(place) << 58;
        }
    };
    // Entries of a shape lie in a row, in a piece of a power of two.
    struct Slot {
        u64 shape;
        u32 first;
        u16 count, round;
    };

    KnownPositions(void* memory, u64 bytes) {
        // an eighth of it finds the shapes of positions
        slots_ = static_cast<Slot*>(memory);
        slot_count_ = 1;
        while (8 * slot_count_ * sizeof(Slot) <= bytes) slot_count_ *= 2;
        entries_ = reinterpret_cast<Entry*>(slots_ + slot_count_);
        room_ = static_cast<u32>((bytes - slot_count_ * sizeof(Slot)) / sizeof(Entry));
    }

    void forget() {
        used_ = 1, slots_used_ = 0;
        for (u32& piece : free_) piece = 0;
        if (++round_ == 0 || !is_clean_) {
            __builtin_memset(static_cast<void*>(slots_), 0, slot_count_ * sizeof(Slot));
            round_ = 1;
            is_clean_ = true;
        }
    }
    // Lets the memory bring what will be looked at.
    void expect(u64 shape) const { __builtin_prefetch(&slots_[mixed(shape) & (slot_count_ - 1)]); }
    // The slot of a shape, made where there is none; null where there is no room.
    Slot* find(u64 shape) {
        u64 at = mixed(shape) & (slot_count_ - 1);
        for (;; at = (at + 1) & (slot_count_ - 1)) {
            Slot& slot = slots_[at];
            if (slot.round != round_) {
                if (4 * ++slots_used_ > 3 * slot_count_) return nullptr;
                slot = {shape, 0, 0, round_};
                return &slot;
            }
            if (slot.shape == shape) return &slot;
        }
    }
    Entry* entries(const Slot& slot) { return entries_ + slot.first; }
    // Adds an entry; false where there is no room.
    bool add(Slot& slot, const Entry& entry) {
        if ((slot.count & (slot.count - 1)) == 0) {
            const i32 size = slot.count == 0 ? 0 : lowest_bit(slot.count) + 1;
            if (size == 16) return false;
            const u32 piece = piece_of(size);
            if (piece == 0) return false;
            if (slot.count) {
                __builtin_memcpy(entries_ + piece, entries_ + slot.first, slot.count * sizeof(Entry));
                entries_[slot.first].mask[0] = free_[size - 1];
                free_[size - 1] = slot.first;
            }
            slot.first = piece;
        }
        entries_[slot.first + slot.count++] = entry;
        return true;
    }

  private:
    // A piece for 2^size entries, 0 where there is none.
    u32 piece_of(i32 size) {
        if (const u32 piece = free_[size]; piece != 0) {
            free_[size] = static_cast<u32>(entries_[piece].mask[0]);
            return piece;
        }
        if (used_ + (1u << size) > room_) return 0;
        used_ += 1u << size;
        return used_ - (1u << size);
    }

    Slot* slots_;
    Entry* entries_;
    u64 slot_count_, slots_used_ = 0;
    u32 room_, used_ = 1, free_[16] = {};
    u16 round_ = 0;
    bool is_clean_ = false;
};

class DoubleDummy {
  public:
    // Least memory, and what answers whole deals without forgetting much.
    static constexpr u64 LEAST_MEMORY = 1 << 20, USUAL_MEMORY = 32 << 20;

    // Memory of at least LEAST_MEMORY bytes, at an address that 64-bit words may have.
    DoubleDummy(void* memory, u64 bytes)
        : owners_(static_cast<u32*>(memory)),
          known_(owners_ + OWNERS, bytes - OWNERS * sizeof(u32)) {}

    // Tricks at 5 * declarer + strain, of hands that are playable.
    void table(const u64* hands, i8* tricks) {
        CardPlay play = {{hands[0], hands[1], hands[2], hands[3]}, 0, 0, 0, {}};
        take(play);
        for (i32 strain = 0; strain <= NO_TRUMPS; ++strain) solve_strain(strain, tricks);
    }

    // Tricks at 5 * declarer + strain in one strain for the hands that were taken in.
    void solve_strain(i32 strain, i8* tricks) {
        const i32 left = bit_count(hands_[0]);
        set_strain(strain);
        // partners take nearly the same, and what was found out for one helps the next
        i32 guess = (left + 1) / 2;
        for (i32 number = 0; number < 4; ++number) {
            const i32 declarer = number < 2 ? 2 * number : 2 * number - 3;
            guess = north_south((declarer + 1) & 3, guess);
            tricks[5 * declarer + strain] = static_cast<i8>(declarer & 1 ? left - guess : guess);
        }
    }

    // Takes in a position that is playable; what is known of others is forgotten.
    void take(const CardPlay& play) {
        deal_ = all_ = shape_ = 0;
        for (const u64 hand : play.hands) deal_ |= hand;
        for (i32 place = 0; place < play.played; ++place) deal_ |= play.trick[place];
        for (i32 seat = 0; seat < 4; ++seat) {
            hands_[seat] = lanes_of(play.hands[seat]);
            all_ |= hands_[seat];
            for (i32 suit = 0; suit < 4; ++suit)
                shape_ += static_cast<u64>(bit_count(lane(hands_[seat], suit))) << at(seat, suit);
        }
        for (i32 suit = 0; suit < 4; ++suit) {
            u32* const row = owners_ + (suit << 13);
            row[0] = 0;
            const u32 some = 1u << bit_count(deal_ >> 13 * suit & LANE);
            for (u32 cards = 1; cards < some; ++cards) {
                const u32 rest = cards & (cards - 1);
                // the lowest card stands above the owners of all others
                const u32 owner = owner_of(16 * suit + lowest_bit(cards));
                row[cards] = row[rest] | owner << 2 * bit_count(rest);
            }
        }
        set_strain(play.strain);
    }

    // Another strain for the hands that were taken in.
    void set_strain(i32 strain) {
        trump_ = strain;
        trumps_ = strain < NO_TRUMPS ? LANE << 16 * strain : 0;
        known_.forget();
    }

    // Tricks of North-South if `first` leads to a trick, searched from a guess on.
    i32 north_south(i32 first, i32 guess) {
        const i32 left = bit_count(hands_[first]);
        return between(guess, left, [&](i32 need) {
            u64 relevant;
            return lead(first, need, left, relevant);
        });
    }

    // Tricks of the side to move, from the current trick on, for every card that may be played in a
    // position that is playable, [52]; others are left as they are.
    void plays(const CardPlay& play, i8* tricks) {
        take(play);
        Trick trick = {play.first, play.first, 0, 0, false};
        for (i32 place = 0; place < play.played; ++place)
            trick = with(trick, (play.first + place) & 3, lanes_of(play.trick[place]));
        const i32 seat = play.to_play(), left = bit_count(hands_[seat]);
        const bool ours = (seat & 1) == 0;
        const u64 following = hands_[seat] & trick.led, choices = following ? following : hands_[seat];
        u64 tried = 0;
        for (i32 suit = 0; suit < 4; ++suit)
            tried |= different(choices & LANE << 16 * suit, (all_ & ~hands_[seat]) | trick.best);
        i32 value = 0, guess = (left + 1) / 2;
        // from the highest card on, which stands for those that touch it
        u64 own = play.hands[seat], lanes = hands_[seat];
        while (own != 0) {
            const i32 card = highest_bit(own);
            const u64 one = 1ull << highest_bit(lanes);
            own ^= 1ull << card, lanes ^= one;
            if (!(choices & one)) continue;
            if (tried & one) {
                guess = between(guess, left, [&](i32 need) {
                    u64 relevant;
                    const Trick next = with(trick, seat, one);
                    switch (play.played) {
                        case 0: return played<0>(next, seat, one, need, left, relevant);
                        case 1: return played<1>(next, seat, one, need, left, relevant);
                        case 2: return played<2>(next, seat, one, need, left, relevant);
                        default: return played<3>(next, seat, one, need, left, relevant);
                    }
                });
                value = ours ? guess : left - guess;
            }
            tricks[card] = static_cast<i8>(value);
        }
    }

  private:
    static constexpr u64 LANE = 0x1FFF, OWNERS = 4 << 13;
    static constexpr u32 EACH_CARD = 0x1555555;  // the low bit of each of 13 owners

    // The trick under way: who wins it so far with which card, the lane of the suit that was led, and
    // whether somebody else played a card of the best one's suit.
    struct Trick {
        i32 leader, winner;
        u64 best, led;
        bool is_contested;
    };

    static u32 lane(u64 lanes, i32 suit) { return static_cast<u32>(lanes >> 16 * suit & LANE); }
    static u64 lane_of(u64 card) { return LANE << (lowest_bit(card) & 48); }
    // Where a hand's length in a suit stands in the shape of a position.
    static i32 at(i32 seat, i32 suit) { return 16 * seat + 4 * suit; }
    i32 length(i32 seat, i32 suit) const { return static_cast<i32>(shape_ >> at(seat, suit) & 15); }

    u64 lanes_of(u64 cards) const {
        u64 found = 0;
        for (; cards != 0; cards &= cards - 1) {
            const i32 card = lowest_bit(cards), suit = card / 13;
            const u64 below = deal_ & ((1ull << card) - (1ull << 13 * suit));
            found |= 1ull << (16 * suit + bit_count(below));
        }
        return found;
    }
    u32 owner_of(i32 place) const {
        u32 seat = 3;
        while (seat > 0 && !(hands_[seat] >> place & 1)) --seat;
        return seat;
    }

    void move(i32 seat, u64 card, u64 one) {
        hands_[seat] ^= card;
        all_ ^= card;
        shape_ += one << at(seat, lowest_bit(card) >> 4);
    }

    // A trick with one more card.
    Trick with(const Trick& trick, i32 seat, u64 card) const {
        Trick next = trick;
        if (trick.best == 0) {
            next.led = lane_of(card);
            next.best = card, next.winner = seat;
        } else if (card & lane_of(trick.best)) {
            next.is_contested = true;
            if (card > trick.best) next.best = card, next.winner = seat;
        } else if (card & trumps_) {
            next.best = card, next.winner = seat, next.is_contested = false;
        }
        return next;
    }

    // The number that a question answers with yes, and every larger one with no.
    template <class Question>
    static i32 between(i32 guess, i32 largest, Question holds) {
        i32 low = 0, high = largest;
        while (low < high) {
            const i32 tried = most(low + 1, least(guess, high));
            if (holds(tried)) {
                low = tried, guess = tried + 1;
            } else {
                high = tried - 1, guess = tried - 1;
            }
        }
        return low;
    }

    // Highest `count` cards of a suit that are there.
    u64 top_cards(i32 suit, i32 count) const {
        u32 cards = lane(all_, suit);
        for (i32 skipped = bit_count(cards) - count; skipped > 0; --skipped) cards &= cards - 1;
        return static_cast<u64>(cards) << 16 * suit;
    }

    // --- search -----------------------------------------------------------------------------------

    // All that follow answer whether North-South take `need` tricks more of the `left` that there
    // are, the trick under way among them. `relevant` becomes cards whose ranks the answer rests on,
    // with all that are higher.

    // A seat leads to a trick.
    bool lead(i32 seat, i32 need, i32 left, u64& relevant) {
        relevant = 0;
        if (need <= 0) return true;
        if (need > left) return false;
        if (left == 1) return last_trick(seat, relevant);
        const bool ours = (seat & 1) == 0;
        known_.expect(key_of(seat));
        u32 owners[4];
        for (i32 suit = 0; suit < 4; ++suit) owners[suit] = owners_[suit << 13 | lane(all_, suit)];
        const i32 leaders = ours ? need : left + 1 - need, others = left + 1 - leaders;
        if (quick_tricks(seat, owners, leaders, relevant)) return ours;
        if (trump_ < NO_TRUMPS && sure_trumps(seat ^ 1, owners[trump_], others, relevant)) return !ours;
        const u64 words[2] = {owners[0] | static_cast<u64>(owners[1]) << 26,
                              owners[2] | static_cast<u64>(owners[3]) << 26};
        u64 first = 0;
        KnownPositions::Slot& slot = slot_of(seat);
        const KnownPositions::Entry* const entries = known_.entries(slot);
        for (i32 number = slot.count - 1; number >= 0; --number) {
            const KnownPositions::Entry& entry = entries[number];
            if (!entry.fits(words)) continue;
            if (entry.low() >= need || entry.high() < need) {
                for (i32 suit = 0; suit < 4; ++suit)
                    if (const u64 some = entry.mask[suit >> 1] >> 26 * (suit & 1) & 0x3FFFFFF)
                        relevant |= top_cards(suit, bit_count(some) / 2);
                return entry.low() >= need;
            }
            if (first == 0) first = card_of(seat, entry);
        }
        // else a card that was right in another position of this shape
        for (i32 number = slot.count - 1; number >= 0 && first == 0; --number)
            first = card_of(seat, entries[number]);
        Moves moves;
        add_leads(seat, owners, moves);
        moves.prefer(first);
        for (i32 number = 0; number < moves.count; ++number) {
            const u64 card = moves.next(number);
            u64 some;
            const Trick trick = {seat, seat, card, lane_of(card), false};
            if (played<0>(trick, seat, card, need, left, some) == ours) {
                relevant = some;
                keep(seat, words, relevant, ours ? need : 0, ours ? left : need - 1, card);
                return ours;
            }
            relevant |= with_touching(seat, card, trick.best, some);
        }
        keep(seat, words, relevant, ours ? 0 : need, ours ? need - 1 : left, 0);
        return !ours;
    }

    // A seat plays to a trick as the second, third or fourth.
    template <i32 PLACE>
    bool follow(const Trick& trick, i32 need, i32 left, u64& relevant) {
        const i32 seat = (trick.leader + PLACE) & 3;
        const bool ours = (seat & 1) == 0;
        Moves moves;
        if (const u64 following = hands_[seat] & trick.led) {
            add_following<PLACE>(seat, following, trick, moves);
        } else {
            add_discards(seat, trick, moves);
        }
        relevant = 0;
        for (i32 number = 0; number < moves.count; ++number) {
            const u64 card = moves.next(number);
            u64 some;
            if (played<PLACE>(with(trick, seat, card), seat, card, need, left, some) == ours) {
                relevant = some;
                return ours;
            }
            relevant |= with_touching(seat, card, trick.best, some);
        }
        return !ours;
    }

    // What an answer rests on that is the same for every card of a hand: where a card won the trick,
    // those that it stands for would have won it too, and a lower one in their place would not.
    u64 with_touching(i32 seat, u64 card, u64 best, u64 relevant) const {
        if (!(relevant & card)) return relevant;
        const u64 below = lane_of(card) & (card - 1), own = hands_[seat] & below;
        const u64 others = ((all_ & ~hands_[seat]) | best) & below;
        const u64 touching = others ? own & ~((2ull << highest_bit(others)) - 1) : own;
        return relevant | touching;
    }

    // A seat has played a card; the trick has it.
    template <i32 PLACE>
    bool played(const Trick& trick, i32 seat, u64 card, i32 need, i32 left, u64& relevant) {
        bool found;
        move(seat, card, ~0ull);
        if constexpr (PLACE < 3) {
            found = follow<PLACE + 1>(trick, need, left, relevant);
        } else {
            found = lead(trick.winner, need - 1 + (trick.winner & 1), left - 1, relevant);
            if (trick.is_contested) relevant |= trick.best;
        }
        move(seat, card, 1);
        return found;
    }

    u64 key_of(i32 seat) const {
        // North's spades follow from the rest: who is to lead stands in their place
        return (shape_ & ~(15ull << at(0, 3))) | static_cast<u64>(seat) << at(0, 3);
    }
    KnownPositions::Slot& slot_of(i32 seat) {
        const u64 key = key_of(seat);
        KnownPositions::Slot* slot = known_.find(key);
        if (slot == nullptr) {
            known_.forget();
            slot = known_.find(key);
        }
        return *slot;
    }

    // The card of a hand that an entry tells of; 0 where it tells of none.
    u64 card_of(i32 seat, const KnownPositions::Entry& entry) const {
        if (entry.suit() == NO_LEAD) return 0;
        u32 cards = lane(hands_[seat], entry.suit());
        for (i32 lower = entry.place(); lower > 0 && cards & (cards - 1); --lower) cards &= cards - 1;
        return static_cast<u64>(cards & (~cards + 1)) << 16 * entry.suit();
    }

    // Keeps bounds on North-South's tricks in the current position, and the card that did it.
    void keep(i32 seat, const u64* words, u64 relevant, i32 low, i32 high, u64 card) {
        KnownPositions::Entry entry = {};
        for (i32 suit = 0; suit < 4; ++suit) {
            const u32 some = lane(relevant, suit);
            if (some == 0) continue;
            const i32 count = bit_count(lane(all_, suit) & ~((some & (~some + 1)) - 1));
            entry.mask[suit >> 1] |= ((1ull << 2 * count) - 1) << 26 * (suit & 1);
        }
        for (i32 half = 0; half < 2; ++half) entry.owners[half] = words[half] & entry.mask[half];
        const i32 suit = card ? lowest_bit(card) >> 4 : NO_LEAD;
        const i32 place = card ? bit_count(hands_[seat] & lane_of(card) & (card - 1)) : 0;
        KnownPositions::Slot& slot = slot_of(seat);
        KnownPositions::Entry* const entries = known_.entries(slot);
        for (i32 number = slot.count - 1; number >= 0; --number) {
            KnownPositions::Entry& other = entries[number];
            if (!other.is_like(entry)) continue;
            other.set_bounds(most(other.low(), low), least(other.high(), high));
            if (card) other.set_card(suit, place);
            return;
        }
        entry.set_bounds(low, high);
        entry.set_card(suit, place);
        if (known_.add(slot, entry)) return;
        known_.forget();
        known_.add(slot_of(seat), entry);
    }

    // --- tricks that need no search ---------------------------------------------------------------

    bool last_trick(i32 leader, u64& relevant) const {
        Trick trick = {leader, leader, hands_[leader], lane_of(hands_[leader]), false};
        for (i32 place = 1; place < 4; ++place) {
            const i32 seat = (leader + place) & 3;
            trick = with(trick, seat, hands_[seat]);
        }
        relevant = trick.is_contested ? trick.best : 0;
        return (trick.winner & 1) == 0;
    }

    // How many of the highest cards of a suit one hand has.
    static i32 run_of(u32 owners, i32 seat, i32 length) {
        const u32 others = (owners ^ static_cast<u32>(seat) * EACH_CARD) | 1u << 26;
        return least(lowest_bit(others) >> 1, length);
    }

    // Tricks that a hand takes when it leads a suit from the top, and how many cards they rest on:
    // where its highest cards take those of all others, its low ones are worth a trick each.
    struct Cashed {
        i32 tricks, cards;
    };
    Cashed cashed(i32 seat, i32 suit, u32 owners, bool is_ruffed) const {
        const i32 held = length(seat, suit), run = run_of(owners, seat, held);
        i32 longest = 0, rounds = 13;
        for (i32 opponent = 1 - (seat & 1); opponent < 4; opponent += 2) {
            const i32 cards = length(opponent, suit);
            longest = most(longest, cards);
            if (is_ruffed && suit != trump_ && length(opponent, trump_)) rounds = least(rounds, cards);
        }
        Cashed found = {run, run};
        // the partner's cards must be lower as well: one that is not would win, or block the suit
        const i32 partner = length(seat ^ 2, suit);
        if (run >= most(longest, partner)) found = {held, most(longest, partner)};
        return {least(found.tricks, rounds), least(found.cards, rounds)};
    }

    // Whether the side to lead takes so many tricks at once: the leader's highest cards one by one
    // and, where a suit is led to the partner then, the partner's of suits that the leader has not.
    bool quick_tricks(i32 seat, const u32* owners, i32 wanted, u64& relevant) const {
        const i32 partner = seat ^ 2;
        i32 drawing = 0;  // rounds of trumps that leave the opponents none
        if (trump_ < NO_TRUMPS) drawing = most(length(seat ^ 1, trump_), length(seat ^ 3, trump_));
        const bool is_drawn =
            drawing == 0 || run_of(owners[trump_], seat, length(seat, trump_)) >= drawing;
        Cashed own[4] = {}, others[4] = {};
        i32 tricks = 0, more = 0;
        bool has_entry = false;
        for (i32 suit = 0; suit < 4; ++suit) {
            const i32 holder = static_cast<i32>(owners[suit] & 3);
            if (holder == seat && length(seat, suit)) {
                own[suit] = cashed(seat, suit, owners[suit], !is_drawn);
                tricks += own[suit].tricks;
            } else if (holder == partner && length(partner, suit)) {
                others[suit] = cashed(partner, suit, owners[suit], !is_drawn);
                more += others[suit].tricks;
                has_entry |= others[suit].tricks > 0 && length(seat, suit) > 0;
            }
        }
        const bool needs_partner = tricks < wanted;
        if (needs_partner && (!has_entry || tricks + more < wanted)) return false;
        i32 spare = tricks + (needs_partner ? more : 0) - wanted;
        for (i32 suit = 0; suit < 4; ++suit) {
            const Cashed& mine = own[suit];
            i32 count = mine.cards;
            if (suit == trump_ && is_drawn) {
                count = most(count, drawing);
            } else if (count == mine.tricks) {
                // each rests on a card of its own: what is not wanted does not matter
                const i32 less = least(spare, count);
                spare -= less, count -= less;
            }
            if (needs_partner) count += others[suit].cards;
            if (count) relevant |= top_cards(suit, count);
        }
        return true;
    }

    // Whether the side of a seat takes so many tricks with the highest trumps, whoever leads.
    bool sure_trumps(i32 seat, u32 owners, i32 wanted, u64& relevant) const {
        const i32 longest = most(length(seat, trump_), length(seat ^ 2, trump_));
        const u32 theirs = (owners ^ static_cast<u32>(seat & 1) * EACH_CARD) & EACH_CARD;
        if (least(lowest_bit(theirs | 1u << 26) >> 1, longest) < wanted) return false;
        relevant = top_cards(trump_, wanted);
        return true;
    }

    // --- the order of cards -----------------------------------------------------------------------

    // Cards that may be played; those that weigh most come first. The weights were found by trying.
    struct Moves {
        i32 count = 0;
        u64 cards[13];
        i32 weights[13];

        void add(u64 card, i32 weight) { cards[count] = card, weights[count++] = weight; }
        void prefer(u64 card) {
            for (i32 number = 0; number < count; ++number)
                if (cards[number] == card) weights[number] += 1000;
        }
        u64 next(i32 number) {
            i32 best = number;
            for (i32 other = number + 1; other < count; ++other)
                if (weights[other] > weights[best]) best = other;
            const u64 card = cards[best];
            cards[best] = cards[number], weights[best] = weights[number];
            return card;
        }
    };

    // Of cards of one suit of a hand that touch, because none of the others parts them, the highest.
    static u64 different(u64 cards, u64 others) {
        u64 found = 0, lower = 0;
        for (u64 left = cards; left != 0; left &= left - 1) {
            const u64 card = left & (~left + 1);
            if (lower && others & (card - lower)) found |= lower;
            lower = card;
        }
        return found | lower;
    }

    static i32 rank_of(u64 card) { return lowest_bit(card) & 15; }
    bool may_ruff(i32 seat, u64 suit) const {
        return (hands_[seat] & suit) == 0 && (hands_[seat] & trumps_) != 0;
    }

    void add_leads(i32 seat, const u32* owners, Moves& moves) const {
        const i32 next = (seat + 1) & 3, partner = seat ^ 2, last = (seat + 3) & 3;
        for (i32 suit = 0; suit < 4; ++suit) {
            const u64 all = LANE << 16 * suit, cards = hands_[seat] & all;
            if (cards == 0) continue;
            const u64 before = hands_[next] & all, behind = hands_[last] & all;
            const i32 holder = static_cast<i32>(owners[suit] & 3);
            i32 weight = 0;
            if (suit != trump_) {
                weight += bit_count(cards);
                if (may_ruff(next, all) || may_ruff(last, all)) weight -= 35;
                if (may_ruff(partner, all)) weight += 15;
            }
            // to the partner's strength, and through that of the next hand; own tricks do not run away
            if (holder == partner) weight += 22;
            else if (holder != seat) weight += (hands_[partner] & all) > behind ? 14 : 4;
            if (holder == last) weight += 4;
            for (u64 left = different(cards, all_ & ~cards); left != 0; left &= left - 1) {
                const u64 card = left & (~left + 1);
                const bool wins = holder == seat && card > before && card > behind;
                moves.add(card, weight + (wins ? rank_of(card) : (holder == seat ? 5 : 0) - rank_of(card)));
            }
        }
    }

    template <i32 PLACE>
    void add_following(i32 seat, u64 following, const Trick& trick, Moves& moves) const {
        const u64 others = (all_ & ~hands_[seat]) | trick.best;
        const u64 next = PLACE < 3 ? hands_[(seat + 1) & 3] & trick.led : 0;
        const u64 partner = PLACE < 2 ? hands_[seat ^ 2] & trick.led : 0;
        const bool is_ours = trick.winner == (seat ^ 2);
        for (u64 left = different(following, others); left != 0; left &= left - 1) {
            const u64 card = left & (~left + 1);
            i32 weight = -rank_of(card);
            if (trick.best & trick.led && card > trick.best) {
                // the cheapest card that wins, unless the partner wins without it
                if (PLACE == 3) weight += is_ours ? 0 : 40;
                else if (PLACE == 2 && card > next) weight += is_ours && trick.best > next ? 0 : 40;
                else if (PLACE == 2) weight += is_ours ? 0 : 10;
                else if (card > next) weight += partner > next && partner > trick.best ? 5 : 30;
            }
            moves.add(card, weight);
        }
    }

    void add_discards(i32 seat, const Trick& trick, Moves& moves) const {
        const bool is_ours = trick.winner == (seat ^ 2), is_ruffed = (trick.best & trumps_) != 0;
        for (i32 suit = 0; suit < 4; ++suit) {
            const u64 all = LANE << 16 * suit, cards = hands_[seat] & all;
            if (cards == 0) continue;
            const u64 others = ((all_ & ~cards) | trick.best) & all;
            for (u64 left = different(cards, others); left != 0; left &= left - 1) {
                const u64 card = left & (~left + 1);
                i32 weight = -rank_of(card);
                if (suit != trump_) weight += bit_count(cards) - rank_of(card);
                else if (is_ruffed && card < trick.best) weight -= 20;
                else weight += is_ours ? 10 : 30;
                moves.add(card, weight);
            }
        }
    }

    u32* owners_;  // [4][8192], by suit and the cards of it that are there, as entries have them
    KnownPositions known_;
    u64 hands_[4], all_, shape_, deal_, trumps_;
    i32 trump_;
};

}  // namespace core
