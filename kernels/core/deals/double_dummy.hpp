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
    // card, two suits a word of 24 bits each; the owner of a thirteenth follows from the shape. Above
    // them are the numbers of such cards, four bits each, and below these in one word the least and
    // the most tricks of North-South from here on, in the other the suit of the card that did it, and
    // how many lower ones of it the hand has.
    struct Entry {
        u64 words[2];

        static constexpr u64 OWNERS = (1ull << 48) - 1, COUNTS = 0xFFull << 56;

        i32 count(i32 suit) const { return words[suit >> 1] >> (56 + 4 * (suit & 1)) & 15; }
        i32 low() const { return words[0] >> 48 & 15; }
        i32 high() const { return words[0] >> 52 & 15; }
        i32 suit() const { return words[1] >> 48 & 15; }
        i32 place() const { return words[1] >> 52 & 15; }
        bool is_like(const Entry& other) const {
            const u64 same = OWNERS | COUNTS;
            return (((words[0] ^ other.words[0]) | (words[1] ^ other.words[1])) & same) == 0;
        }
        void set_bounds(i32 low, i32 high) { set(words[0], low, high); }
        void set_card(i32 suit, i32 place) { set(words[1], suit, place); }

      private:
        static void set(u64& word, i32 one, i32 other) {
            word = (word & (OWNERS | COUNTS)) | static_cast<u64>(one) << 48 | static_cast<u64>(other) << 52;
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
                if (4 * slots_used_ >= 3 * slot_count_) return nullptr;
                ++slots_used_;
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
                release(slot.first, size - 1);
            }
            slot.first = piece;
        }
        entries_[slot.first + slot.count++] = entry;
        return true;
    }

    // Forgets the positions with the fewest cards, which are searched again in the least time, until
    // half the memory is free.
    void make_room() {
        u64 taken[14] = {}, all = 0;
        for (u64 at = 0; at < slot_count_; ++at) {
            const Slot& slot = slots_[at];
            if (slot.round != round_ || slot.count == 0) continue;
            taken[cards_of(slot.shape)] += 1ull << size_of(slot);
            all += 1ull << size_of(slot);
        }
        i32 largest = 0;
        for (u64 sum = taken[0]; 2 * sum < all; sum += taken[++largest]) {}
        for (u64 at = 0; at < slot_count_;) {
            const Slot& slot = slots_[at];
            if (slot.round != round_ || cards_of(slot.shape) > largest) {
                ++at;
                continue;
            }
            if (slot.count) release(slot.first, size_of(slot));
            remove(at);
        }
        // shapes of large hands alone: rather begin again than look through all of them often
        if (2 * slots_used_ > slot_count_) forget();
    }

  private:
    // Cards in East's hand, as many as in each.
    static i32 cards_of(u64 shape) {
        const u32 lengths = static_cast<u32>(shape >> 16 & 0xFFFF);
        return static_cast<i32>((lengths & 15) + (lengths >> 4 & 15) + (lengths >> 8 & 15) + (lengths >> 12));
    }
    // The piece of a slot with entries has room for 2 to this power.
    static i32 size_of(const Slot& slot) { return slot.count > 1 ? highest_bit(slot.count - 1) + 1 : 0; }
    void release(u32 piece, i32 size) {
        entries_[piece].words[0] = free_[size];
        free_[size] = piece;
    }
    // Takes a slot out; another that was put behind it for want of room may come to its place.
    void remove(u64 at) {
        const u64 last = slot_count_ - 1;
        for (u64 next = (at + 1) & last; slots_[next].round == round_; next = (next + 1) & last) {
            const u64 home = mixed(slots_[next].shape) & last;
            if (((next - home) & last) < ((next - at) & last)) continue;
            slots_[at] = slots_[next];
            at = next;
        }
        slots_[at].round = 0;
        --slots_used_;
    }
    // A piece for 2^size entries, of a larger one where there is none; 0 where there is no room.
    u32 piece_of(i32 size) {
        for (i32 larger = size; larger < 16; ++larger) {
            const u32 piece = free_[larger];
            if (piece == 0) {
                if (larger > size || used_ + (1u << size) > room_) continue;
                used_ += 1u << size;
                return used_ - (1u << size);
            }
            free_[larger] = static_cast<u32>(entries_[piece].words[0]);
            while (larger > size) --larger, release(piece + (1u << larger), larger);
            return piece;
        }
        return 0;
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
        : places_(static_cast<u64*>(memory)),
          owners_(reinterpret_cast<u32*>(places_ + PLACES)),
          known_(owners_ + OWNERS, bytes - PLACES * sizeof(u64) - OWNERS * sizeof(u32)) {
        for (u32 counts = 0; counts < 256; ++counts)
            masks_[counts] = tops(counts & 15) | tops(counts >> 4) << 24;
        places_[0] = 0;
    }

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
        i32 guess = expected(left);
        for (i32 number = 0; number < 4; ++number) {
            const i32 declarer = number < 2 ? 2 * number : 2 * number - 3;
            guess = north_south((declarer + 1) & 3, guess);
            tricks[5 * declarer + strain] = static_cast<i8>(declarer & 1 ? left - guess : guess);
        }
    }

    // Takes in a position that is playable; what is known of others is forgotten.
    void take(const CardPlay& play) {
        deal_ = 0;
        for (i32 seat = 0; seat < 4; ++seat) deal_ |= dealt_[seat] = play.hands[seat];
        for (i32 place = 0; place < play.played; ++place) deal_ |= play.trick[place];
        place(play);
        for (i32 suit = 0; suit < 4; ++suit) {
            u32* const row = owners_ + (suit << 13);
            row[0] = 0;
            const u32 some = 1u << bit_count(deal_ >> 13 * suit & LANE);
            for (; placed_ < some; ++placed_) {
                const u32 rest = placed_ & (placed_ - 1);
                places_[placed_] = places_[rest] | static_cast<u64>(lowest_bit(placed_)) << 4 * bit_count(rest);
            }
            for (u32 cards = 1; cards < some; ++cards) {
                const u32 rest = cards & (cards - 1);
                // the lowest card stands above the owners of all others
                const u32 owner = owner_of(16 * suit + lowest_bit(cards));
                row[cards] = row[rest] | owner << 2 * bit_count(rest);
            }
        }
        set_strain(play.strain);
    }

    // Whether a position comes from the one that was taken in, by cards that were played.
    bool goes_on(const CardPlay& play) const {
        bool is_same = play.strain == trump_;
        for (i32 seat = 0; seat < 4; ++seat) is_same &= (play.hands[seat] & ~dealt_[seat]) == 0;
        for (i32 place = 0; place < play.played; ++place) is_same &= (play.trick[place] & ~deal_) == 0;
        return is_same;
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
    // position that is playable, [52]; others are left as they are. What is known of the position before
    // is used where this one comes from it.
    void plays(const CardPlay& play, i8* tricks) {
        if (goes_on(play)) place(play);
        else take(play);
        Trick trick = {play.first, play.first, 0, 0, false};
        for (i32 place = 0; place < play.played; ++place)
            trick = with(trick, (play.first + place) & 3, lanes_of(play.trick[place]));
        const i32 seat = play.to_play(), left = bit_count(hands_[seat]);
        const bool ours = (seat & 1) == 0;
        const u64 following = hands_[seat] & trick.led, choices = following ? following : hands_[seat];
        u64 tried = 0;
        for (i32 suit = 0; suit < 4; ++suit)
            tried |= different(choices & LANE << 16 * suit, (all_ & ~hands_[seat]) | trick.best);
        i32 value = 0, guess = expected(left);
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
    static constexpr u64 LANE = 0x1FFF, PLACES = 1 << 13, OWNERS = 4 << 13, TOPS = 0xFFFFFF;
    static constexpr i32 MOST_TOPS = 12;
    static constexpr u32 EACH_CARD = 0x1555555;  // the low bit of each of 13 owners

    // The trick under way: who wins it so far with which card, the lane of the suit that was led, and
    // whether somebody else played a card of the best one's suit.
    struct Trick {
        i32 leader, winner;
        u64 best, led;
        bool is_contested;
    };

    // The owners of so many cards of a suit.
    static u64 tops(u32 count) { return ((1ull << 2 * count) - 1) & TOPS; }
    static u32 lane(u64 lanes, i32 suit) { return static_cast<u32>(lanes >> 16 * suit & LANE); }
    static u64 lane_of(u64 card) { return LANE << (lowest_bit(card) & 48); }
    // Where a hand's length in a suit stands in the shape of a position.
    static i32 at(i32 seat, i32 suit) { return 16 * seat + 4 * suit; }
    i32 length(i32 seat, i32 suit) const { return static_cast<i32>(shape_ >> at(seat, suit) & 15); }

    // Puts the hands of a position into lanes.
    void place(const CardPlay& play) {
        all_ = shape_ = 0;
        for (i32 seat = 0; seat < 4; ++seat) {
            hands_[seat] = lanes_of(play.hands[seat]);
            all_ |= hands_[seat];
            for (i32 suit = 0; suit < 4; ++suit)
                shape_ += static_cast<u64>(bit_count(lane(hands_[seat], suit))) << at(seat, suit);
        }
    }
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

    // About how many of the tricks left North-South take, by the highest cards of each suit and by
    // trumps; the weights were found by trying.
    i32 expected(i32 left) const {
        i32 points = 0, all = 0;
        for (i32 suit = 0; suit < 4; ++suit) {
            const u32 cards = lane(all_, suit);
            u32 owners = owners_[suit << 13 | cards];
            for (i32 place = 0; place < least(bit_count(cards), 4); ++place, owners >>= 2) {
                all += 4 - place;
                points += owners & 1 ? 0 : 4 - place;
            }
        }
        i32 tenths = left * 5 + (all ? left * 13 * (2 * points - all) / (2 * all) : 0);
        if (trump_ < NO_TRUMPS)
            tenths += 4 * (length(0, trump_) + length(2, trump_) - length(1, trump_) - length(3, trump_));
        return most(0, least(left, (tenths + 5) / 10));
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

    // The highest `count` cards of a suit that are there, at least one.
    u64 top_cards(i32 suit, i32 count) const {
        const u32 cards = lane(all_, suit), lowest = places_[cards] >> 4 * (count - 1) & 15;
        return static_cast<u64>(cards >> lowest << lowest) << 16 * suit;
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
        if (quick_tricks(seat, owners, leaders, left, relevant)) return ours;
        if (trump_ < NO_TRUMPS && sure_trumps(seat ^ 1, seat, owners[trump_], others, relevant)) return !ours;
        if (loses_lead(seat, owners, others, left, relevant)) return !ours;
        const u64 words[2] = {(owners[0] & TOPS) | (owners[1] & TOPS) << 24,
                              (owners[2] & TOPS) | (owners[3] & TOPS) << 24};
        u64 first = 0;
        bool is_known = false;
        KnownPositions::Slot& slot = slot_of(seat);
        KnownPositions::Entry* const entries = known_.entries(slot);
        for (i32 number = slot.count - 1; number >= 0; --number) {
            const KnownPositions::Entry entry = entries[number];
            if (!fits(entry, words)) continue;
            if (entry.low() >= need || entry.high() < need) {
                for (i32 suit = 0; suit < 4; ++suit)
                    if (const i32 count = entry.count(suit)) relevant |= top_cards(suit, count);
                // one that is asked for often comes near the end, where the next look begins
                const i32 sooner = (number + slot.count) / 2;
                entries[number] = entries[sooner];
                entries[sooner] = entry;
                return entry.low() >= need;
            }
            is_known = true;
            if (first == 0) first = card_of(seat, entry);
        }
        // else a card that was right in another position of this shape
        for (i32 number = slot.count - 1; number >= 0 && first == 0; --number)
            first = card_of(seat, entries[number]);
        Moves moves;
        add_leads(seat, owners, moves);
        moves.prefer(first);
        u64 alike = 0;
        for (i32 number = 0; number < moves.count; ++number) {
            const u64 card = moves.next(number);
            if (card & alike) continue;
            u64 some;
            const Trick trick = {seat, seat, card, lane_of(card), false};
            if (played<0>(trick, seat, card, need, left, some) == ours) {
                relevant = some;
                keep(seat, words, is_known, relevant, ours ? need : 0, ours ? left : need - 1, card);
                return ours;
            }
            relevant |= with_touching(seat, card, trick.best, some);
            alike |= alike_of(card, some);
        }
        keep(seat, words, is_known, relevant, ours ? 0 : need, ours ? need - 1 : left, 0);
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
        u64 alike = 0;
        for (i32 number = 0; number < moves.count; ++number) {
            const u64 card = moves.next(number);
            if (card & alike) continue;
            u64 some;
            if (played<PLACE>(with(trick, seat, card), seat, card, need, left, some) == ours) {
                relevant = some;
                return ours;
            }
            relevant |= with_touching(seat, card, trick.best, some);
            alike |= alike_of(card, some);
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

    // Cards of its suit that would have led to the same answer as a card that did not help: it and
    // they are below all whose ranks the answer rests on.
    static u64 alike_of(u64 card, u64 relevant) {
        const u64 suit = lane_of(card), some = relevant & suit;
        if (some == 0) return suit;
        const u64 below = suit & ((some & (~some + 1)) - 1);
        return card & below ? below : 0;
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

    bool fits(const KnownPositions::Entry& entry, const u64* words) const {
        return (((entry.words[0] ^ words[0]) & masks_[entry.words[0] >> 56]) |
                ((entry.words[1] ^ words[1]) & masks_[entry.words[1] >> 56])) == 0;
    }
    u64 key_of(i32 seat) const {
        // North's spades follow from the rest: who is to lead stands in their place
        return (shape_ & ~(15ull << at(0, 3))) | static_cast<u64>(seat) << at(0, 3);
    }
    KnownPositions::Slot& slot_of(i32 seat) {
        const u64 key = key_of(seat);
        KnownPositions::Slot* slot = known_.find(key);
        if (slot == nullptr) {
            known_.make_room();
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
    void keep(i32 seat, const u64* words, bool is_known, u64 relevant, i32 low, i32 high, u64 card) {
        KnownPositions::Entry entry = {};
        for (i32 suit = 0; suit < 4; ++suit) {
            const u32 some = lane(relevant, suit);
            if (some == 0) continue;
            const i32 count = least(bit_count(lane(all_, suit) >> lowest_bit(some)), MOST_TOPS);
            entry.words[suit >> 1] |= static_cast<u64>(count) << (56 + 4 * (suit & 1));
        }
        for (i32 half = 0; half < 2; ++half) entry.words[half] |= words[half] & masks_[entry.words[half] >> 56];
        const i32 suit = card ? lowest_bit(card) >> 4 : NO_LEAD;
        const i32 place = card ? bit_count(hands_[seat] & lane_of(card) & (card - 1)) : 0;
        KnownPositions::Slot& slot = slot_of(seat);
        KnownPositions::Entry* const entries = known_.entries(slot);
        // while the position was searched, none with as many cards was added
        for (i32 number = is_known ? slot.count - 1 : -1; number >= 0; --number) {
            KnownPositions::Entry& other = entries[number];
            if (!other.is_like(entry)) continue;
            other.set_bounds(most(other.low(), low), least(other.high(), high));
            if (card) other.set_card(suit, place);
            return;
        }
        entry.set_bounds(low, high);
        entry.set_card(suit, place);
        if (known_.add(slot, entry)) return;
        known_.make_room();
        if (known_.add(slot_of(seat), entry)) return;
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
    bool quick_tricks(i32 seat, const u32* owners, i32 wanted, i32 left, u64& relevant) const {
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
        if (needs_partner && !is_drawn) {
            // the other suits first, to which the partner is not made to play trumps; then sure trumps
            const i32 before = tricks - own[trump_].tricks, trumps = length(partner, trump_);
            if ((trumps == 0 || left - trumps >= before) &&
                sure_trumps(seat, seat, owners[trump_], wanted - before, relevant)) {
                for (i32 suit = 0; suit < 4; ++suit)
                    if (suit != trump_ && own[suit].cards) relevant |= top_cards(suit, own[suit].cards);
                return true;
            }
        }
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

    // Whether the opponents of the side to lead take so many tricks, since whatever is led falls to the
    // highest card of one of them, who goes on with others.
    bool loses_lead(i32 seat, const u32* owners, i32 wanted, i32 left, u64& relevant) const {
        const i32 partner = seat ^ 2;
        const bool is_suit = trump_ < NO_TRUMPS, can_ruff = is_suit && length(partner, trump_);
        bool wins[4] = {};
        for (i32 suit = 0; suit < 4; ++suit) {
            if (length(seat, suit) == 0) continue;
            const i32 holder = static_cast<i32>(owners[suit] & 3);
            if (((holder ^ seat) & 1) == 0 || (can_ruff && length(partner, suit) == 0)) return false;
            // nor may that one's partner be made to ruff
            if (is_suit && left == length(holder ^ 2, trump_)) return false;
            wins[holder] = true;
        }
        i32 kept[4] = {};
        for (i32 winner = 1 - (seat & 1); winner < 4; winner += 2) {
            if (!wins[winner]) continue;
            Cashed own[4] = {};
            i32 spare = -wanted;
            for (i32 suit = 0; suit < 4; ++suit) {
                if (static_cast<i32>(owners[suit] & 3) != winner || length(winner, suit) == 0) continue;
                own[suit] = cashed(winner, suit, owners[suit], is_suit);
                spare += own[suit].tricks;
            }
            if (spare < 0) return false;
            for (i32 suit = 0; suit < 4; ++suit) {
                i32 count = own[suit].cards;
                if (count && count == own[suit].tricks) {
                    // what is not wanted does not matter, but the card that takes the lead does
                    const i32 less = least(spare, count - (length(seat, suit) ? 1 : 0));
                    spare -= less, count -= less;
                }
                kept[suit] = most(kept[suit], count);
            }
        }
        for (i32 suit = 0; suit < 4; ++suit)
            if (kept[suit]) relevant |= top_cards(suit, kept[suit]);
        return true;
    }

    // How many of the highest trumps there are down to the one with which a hand is sure of so many
    // tricks, whoever leads and however the cards are played: each higher trump of the opponents takes
    // a lower one. 0 where it is not sure of them.
    i32 sure_trumps_of(i32 seat, u32 owners, i32 wanted) const {
        i32 higher = 0;
        const i32 all = bit_count(lane(all_, trump_));
        for (i32 cards = 1; cards <= all; ++cards, owners >>= 2) {
            const i32 owner = static_cast<i32>(owners & 3);
            if ((owner ^ seat) & 1) {
                ++higher;
            } else if (owner == seat) {
                if (higher) --higher;
                else if (--wanted == 0) return cards;
            }
        }
        return 0;
    }

    // Whether a side takes so many tricks with trumps, whatever the other side does, `leader` being to
    // lead.
    bool sure_trumps(i32 side, i32 leader, u32 owners, i32 wanted, u64& relevant) const {
        i32 longest = 0, fewest = 14;
        for (i32 seat = side & 1; seat < 4; seat += 2) {
            const i32 held = length(seat, trump_);
            longest = most(longest, held);
            if (held < wanted) continue;
            if (const i32 cards = sure_trumps_of(seat, owners, wanted)) fewest = least(fewest, cards);
            // The second highest behind the highest: as long as this hand has not won a trick, it plays
            // after the other one.
            if (wanted == 1 && seat != leader && held > 1 && static_cast<i32>(owners & 3) == ((seat + 3) & 3) &&
                static_cast<i32>(owners >> 2 & 3) == seat)
                fewest = least(fewest, 2);
        }
        const u32 theirs = (owners ^ static_cast<u32>(side & 1) * EACH_CARD) & EACH_CARD;
        if (least(lowest_bit(theirs | 1u << 26) >> 1, longest) >= wanted) fewest = least(fewest, wanted);
        if (fewest > 13) return false;
        relevant |= top_cards(trump_, fewest);
        return true;
    }

    // --- the order of cards -----------------------------------------------------------------------

    // Cards that may be played; those that weigh most come first. The weights were found by trying.
    struct Moves {
        i32 count = 0;
        i32 weighed[13];  // 64 times the weight, and 63 less the card's number

        void add(u64 card, i32 weight) { weighed[count++] = 64 * weight + 63 - lowest_bit(card); }
        void prefer(u64 card) {
            if (card == 0) return;
            for (i32 number = 0; number < count; ++number)
                if ((weighed[number] & 63) == 63 - lowest_bit(card)) weighed[number] += 64 * 1000;
        }
        u64 next(i32 number) {
            i32 best = weighed[number];
            for (i32 other = number + 1; other < count; ++other) {
                // the larger one here, the other one there
                const i32 here = weighed[other];
                weighed[other] = least(best, here);
                best = most(best, here);
            }
            return 1ull << (63 - (best & 63));
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

    u64 masks_[256];  // of owners, by the numbers of cards of two suits
    u64* places_;     // [8192], by cards of a suit: where they are from the highest on, four bits a card
    u32* owners_;     // [4][8192], by suit and the cards of it that are there, as entries have them
    u32 placed_ = 1;  // for how many sets of cards places are there
    KnownPositions known_;
    u64 dealt_[4] = {}, deal_ = 0;  // what was taken in
    u64 hands_[4], all_, shape_, trumps_;
    i32 trump_ = NO_TRUMPS;
};

}  // namespace core
