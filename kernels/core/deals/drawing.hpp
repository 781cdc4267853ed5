// Layouts drawn within what is known of shapes and points. inference/layouts/drawing.py says how;
// tests/core/definition_of_drawing.py is the definition.
//
// A hand is drawn exactly: first its shape and points by the number of hands that have them, then how
// the points split between minors and majors and between suits, then the honours, then the spots.
#pragma once
#include "dealing.hpp"
#include "../memory.hpp"

namespace core {

constexpr u64 WORDS_A_PROPOSAL = 256;  // between the streams of two; one needs about sixty
constexpr i32 SHAPE_NUMBERS = 14 * 14 * 14, MOST_SHAPES = 560;
constexpr i32 SUIT_SUMS = 11, PAIR_SUMS = 21, MOST_POINTS = 40;
constexpr u64 SPOT_CARDS = 0x1FF;  // of a holding, 2 to T; the honours are above

struct Binomials {
    i64 of[14][14];

    constexpr Binomials() : of() {
        for (i32 n = 0; n < 14; ++n)
            for (i32 k = 0; k <= n; ++k)
                of[n][k] = k == 0 || k == n ? 1 : of[n - 1][k - 1] + of[n - 1][k];
    }
};
constexpr Binomials BINOMIALS;

struct HonourSets {
    i32 points[16], count[16];

    constexpr HonourSets() : points(), count() {
        for (i32 set = 0; set < 16; ++set)
            for (i32 bit = 0; bit < 4; ++bit)
                if (set >> bit & 1) points[set] += bit + 1, ++count[set];
    }
};
constexpr HonourSets HONOURS;

// The stream of SplitMix64.
struct RandomWords {
    u64 state;

    u64 next() {
        state += GAMMA;
        u64 word = (state ^ state >> 30) * MIX_1;
        word = (word ^ word >> 27) * MIX_2;
        return word ^ word >> 31;
    }
    // Uniform number from 0 to below a limit, without bias.
    u64 below(u64 limit) {
        for (;;) {
            const u64 word = next(), found = word % limit;
            if (word - found <= 0 - limit) return found;
        }
    }
    // The same, without a word where there is no choice.
    i64 turn(i64 total) { return total > 1 ? static_cast<i64>(below(static_cast<u64>(total))) : 0; }
};

inline u64 holding_of(u64 cards, i32 suit) { return cards >> 13 * suit & 0x1FFF; }
inline i32 suit_length(u64 cards, i32 suit) { return bit_count(holding_of(cards, suit)); }

// Clubs + 14 diamonds + 196 hearts; a hand's size gives the spades.
inline i32 shape_number(u64 hand) {
    return suit_length(hand, 0) + 14 * suit_length(hand, 1) + 196 * suit_length(hand, 2);
}

inline i32 high_card_points(u64 hand) {
    constexpr u64 JACKS = 0x1000800400200ull;
    return bit_count(hand & JACKS) + 2 * bit_count(hand & JACKS << 1) +
           3 * bit_count(hand & JACKS << 2) + 4 * bit_count(hand & JACKS << 3);
}

struct ShapeRow {
    i64 lengths[4];

    i32 number() const {
        return static_cast<i32>(lengths[0] + 14 * lengths[1] + 196 * lengths[2]);
    }
};
inline bool are_lengths(const ShapeRow& shape) {
    for (const i64 length : shape.lengths)
        if (length < 0 || length > 13) return false;
    return true;
}

typedef i64 SuitWays[14][SUIT_SUMS];              // by cards and points drawn
typedef i64 TwoSuitsWays[14][14][PAIR_SUMS];  // by both lengths and points
typedef u64 PointsByShape[SHAPE_NUMBERS];            // points, a bit each, by shape number
typedef u8 WantedLengths[2][14][14];                 // of minors and majors

// Hands that a seat can draw, counted: kernels/core/drawing.py says what each is.
struct Draw {
    u64 cards, forced;
    const ShapeRow* shapes;
    i64 rows, total;
    u64* masks;
    i64* counts;
    SuitWays* ways;
    TwoSuitsWays *minors, *majors;
};

// What a seat may be given, and what it shares with the one that gets the rest.
struct SeatNeeds {
    u64 rest;  // all cards of this seat and, if joint, of the other one
    const u64 *allowed, *others;
    bool joint;
};

inline void count_suit(u64 holding, SuitWays& ways) {
    const i32 spots = bit_count(holding & SPOT_CARDS), honours = static_cast<i32>(holding >> 9);
    for (auto& row : ways)
        for (i64& one : row) one = 0;
    // all sets of these honours
    for (i32 taken = honours;; taken = (taken - 1) & honours) {
        const i32 first = HONOURS.count[taken], points = HONOURS.points[taken];
        for (i32 more = 0; more <= spots; ++more)
            ways[first + more][points] += BINOMIALS.of[spots][more];
        if (taken == 0) return;
    }
}

inline void count_two_suits(
    const SuitWays& first, const SuitWays& second, const u8 (&wanted)[14][14], TwoSuitsWays& found) {
    for (i32 one = 0; one < 14; ++one)
        for (i32 two = 0; two < 14 - one; ++two) {
            if (!wanted[one][two]) continue;
            i64(&ways)[PAIR_SUMS] = found[one][two];
            for (i64& way : ways) way = 0;
            for (i32 left = 0; left < SUIT_SUMS; ++left)
                if (first[one][left])
                    for (i32 right = 0; right < SUIT_SUMS; ++right)
                        ways[left + right] += first[one][left] * second[two][right];
        }
}

// Bits in the other order.
inline u64 reversed(u64 word) {
    word = (word >> 1 & 0x5555555555555555ull) | (word & 0x5555555555555555ull) << 1;
    word = (word >> 2 & 0x3333333333333333ull) | (word & 0x3333333333333333ull) << 2;
    word = (word >> 4 & 0x0F0F0F0F0F0F0F0Full) | (word & 0x0F0F0F0F0F0F0F0Full) << 4;
    return __builtin_bswap64(word);
}

// Points (a bit each) that a hand may have with a shape; of both hands together if joint.
inline u64 allowed_points(const SeatNeeds& needs, i32 number, i32 rest_shape, i32 rest_points) {
    const u64 mask = needs.allowed[number];
    if (mask == 0 || !needs.joint) return mask;
    // the other hand has the other points
    constexpr u64 POSSIBLE = (2ull << MOST_POINTS) - 1;
    return mask & POSSIBLE & reversed(needs.others[rest_shape - number]) >> (63 - rest_points);
}

// Ways to draw minors (by points) and majors whose points together are allowed.
inline i64 hands_within(const i64* low, const i64* high, u64 mask) {
    // sums of ways with fewer points, so that a run of allowed points is one difference
    i64 sums[PAIR_SUMS + 1];
    sums[0] = 0;
    for (i32 points = 0; points < PAIR_SUMS; ++points)
        sums[points + 1] = sums[points] + high[points];
    i64 count = 0;
    mask &= (2ull << MOST_POINTS) - 1;
    while (mask != 0) {
        const i32 first = lowest_bit(mask), end = lowest_bit(~(mask >> first)) + first;
        mask &= ~0ull << end;
        for (i32 left = 0; left < least(PAIR_SUMS, end); ++left) {
            const i32 top = least(end - left, PAIR_SUMS), bottom = most(first - left, 0);
            if (top > bottom) count += low[left] * (sums[top] - sums[bottom]);
        }
    }
    return count;
}

// Counts the hands that a seat can draw: fills all of `draw` but its cards and shapes.
inline void count_hands(Draw& draw, const SeatNeeds& needs, const WantedLengths& wanted) {
    for (i32 suit = 0; suit < 4; ++suit)
        count_suit(holding_of(draw.cards, suit), draw.ways[suit]);
    count_two_suits(draw.ways[0], draw.ways[1], wanted[0], *draw.minors);
    count_two_suits(draw.ways[2], draw.ways[3], wanted[1], *draw.majors);
    const i32 rest_shape = shape_number(needs.rest), rest_points = high_card_points(needs.rest);
    const i32 own_points = high_card_points(draw.forced);
    i64 own[4], more[4], room[4];
    for (i32 suit = 0; suit < 4; ++suit) {
        own[suit] = suit_length(draw.forced, suit);
        more[suit] = suit_length(draw.cards, suit);
        room[suit] = suit_length(needs.rest, suit);
    }
    draw.total = 0;
    for (i64 row = 0; row < draw.rows; ++row) {
        const ShapeRow& shape = draw.shapes[row];
        draw.masks[row] = 0;
        draw.counts[row] = 0;
        bool possible = true;
        i64 drawn[4];
        for (i32 suit = 0; suit < 4; ++suit) {
            drawn[suit] = shape.lengths[suit] - own[suit];
            possible &= drawn[suit] >= 0 && drawn[suit] <= more[suit] &&
                        shape.lengths[suit] <= room[suit];
        }
        if (!possible) continue;
        const u64 mask =
            allowed_points(needs, shape.number(), rest_shape, rest_points) >> own_points;
        if (mask == 0) continue;
        draw.masks[row] = mask;
        draw.counts[row] = hands_within(
            (*draw.minors)[drawn[0]][drawn[1]], (*draw.majors)[drawn[2]][drawn[3]], mask);
        draw.total += draw.counts[row];
    }
}

// --- hands drawn ---------------------------------------------------------------------------------

// Points of the first of two parts, by the ways that either part has with its points.
template <i32 SIZE>
i32 split(RandomWords& random, const i64 (&low)[SIZE], const i64 (&high)[SIZE], i32 points) {
    const i32 first = most(0, points - SIZE + 1), last = least(points, SIZE - 1);
    i64 total = 0;
    for (i32 left = first; left <= last; ++left) total += low[left] * high[points - left];
    i64 turn = random.turn(total);
    i32 left = first;
    for (; left < last; ++left) {
        const i64 ways = low[left] * high[points - left];
        if (turn < ways) break;
        turn -= ways;
    }
    return left;
}

// Uniform set of so many cards with so many points, of which there are `total`, from a holding.
inline u64 draw_suit(RandomWords& random, u64 holding, i32 length, i32 points, i64 total) {
    i32 spots = bit_count(holding & SPOT_CARDS), more = 0;
    const u32 honours = static_cast<u32>(holding >> 9);
    i64 turn = random.turn(total);
    u64 found = 0;
    for (u32 taken = 0; taken < 16; ++taken) {
        more = length - HONOURS.count[taken];
        if (taken & ~honours || HONOURS.points[taken] != points || more < 0 || more > spots) continue;
        found = static_cast<u64>(taken) << 9;
        if (turn < BINOMIALS.of[spots][more]) break;
        turn -= BINOMIALS.of[spots][more];
    }
    // the sets of so many spots are in the order of their bits: the highest card first
    for (u64 left = holding & SPOT_CARDS; more > 0 && left != 0;) {
        const u64 card = 1ull << highest_bit(left);
        left ^= card;
        const i64 without = BINOMIALS.of[--spots][more];
        if (turn < without) continue;
        turn -= without;
        found |= card;
        --more;
    }
    return found;
}

// Draws two neighbouring suits, `suit` the lower, with given lengths and points.
inline u64 draw_two_suits(
    RandomWords& random, const Draw& draw, i32 suit, const i64* lengths, i32 points) {
    const i64 one = lengths[suit], two = lengths[suit + 1];
    const i64(&low)[SUIT_SUMS] = draw.ways[suit][one];
    const i64(&high)[SUIT_SUMS] = draw.ways[suit + 1][two];
    const i32 left = split(random, low, high, points), right = points - left;
    const u64 first = draw_suit(
        random, holding_of(draw.cards, suit), static_cast<i32>(one), left, low[left]);
    const u64 second = draw_suit(
        random, holding_of(draw.cards, suit + 1), static_cast<i32>(two), right, high[right]);
    return first << 13 * suit | second << 13 * (suit + 1);
}

// Uniform hand whose drawn part has given lengths and points.
inline u64 draw_cell(RandomWords& random, const Draw& draw, const i64* lengths, i32 points) {
    const i64(&low)[PAIR_SUMS] = (*draw.minors)[lengths[0]][lengths[1]];
    const i64(&high)[PAIR_SUMS] = (*draw.majors)[lengths[2]][lengths[3]];
    const i32 left = split(random, low, high, points);
    const u64 minors = draw_two_suits(random, draw, 0, lengths, left);
    return draw.forced | minors | draw_two_suits(random, draw, 2, lengths, points - left);
}

// Draws a hand among those that were counted, all equally likely; there must be one.
inline u64 draw_counted(RandomWords& random, const Draw& draw) {
    i64 turn = static_cast<i64>(random.below(static_cast<u64>(draw.total))), row = 0;
    for (; row < draw.rows - 1 && turn >= draw.counts[row]; ++row) turn -= draw.counts[row];
    i64 lengths[4];
    for (i32 suit = 0; suit < 4; ++suit)
        lengths[suit] = draw.shapes[row].lengths[suit] - suit_length(draw.forced, suit);
    const i64* const low = (*draw.minors)[lengths[0]][lengths[1]];
    const i64* const high = (*draw.majors)[lengths[2]][lengths[3]];
    i32 points = 0;
    for (u64 mask = draw.masks[row]; mask != 0; mask &= mask - 1) {
        points = least(lowest_bit(mask), MOST_POINTS);
        i64 count = 0;
        for (i32 left = most(0, points - 20); left <= least(points, 20); ++left)
            count += low[left] * high[points - left];
        if (turn < count) break;
        turn -= count;
    }
    return draw_cell(random, draw, lengths, points);
}

// Uniform set of so many of some cards, by halves of random words.
inline u64 draw_uniform(RandomWords& random, u64 cards, i32 count) {
    u64 places[64];
    i32 size = 0;
    for (u64 left = cards; left != 0; left &= left - 1) places[size++] = left & (~left + 1);
    // the smaller of the two parts is drawn
    const i32 drawn = least(count, size - count);
    u64 found = 0, word = 0;
    bool has_half = false;
    for (i32 place = 0; place < drawn; ++place) {
        const u32 limit = static_cast<u32>(size - place);
        u64 product;
        for (;;) {
            if (!has_half) word = random.next();
            const u32 bits = static_cast<u32>(has_half ? word >> 32 : word);
            has_half = !has_half;
            product = static_cast<u64>(bits) * limit;
            const u32 rest = static_cast<u32>(product);
            if (rest >= limit || rest >= (0u - limit) % limit) break;
        }
        const i32 chosen = place + static_cast<i32>(product >> 32);
        found |= places[chosen];
        places[chosen] = places[place];
    }
    return drawn == count ? found : cards ^ found;
}

// --- layouts proposed ----------------------------------------------------------------------------

// Hidden seats in the order of dealing, and where their hands go: one array a seat.
struct Seats {
    i64 count;
    u64 seed, free;
    const i64* sizes;
    const u64* forbidden;
    const PointsByShape* allowed;

    RandomWords stream(u64 number) const {
        return {seed + number * WORDS_A_PROPOSAL * GAMMA};
    }
};

// Cells of hand 0; `ends` adds their hands up.
struct Cells {
    i64 count;
    const ShapeRow* lengths;
    const i64 *points, *ends;
};

// Proposes layouts: hand 0 exactly from its cells, the others at random from what is left. How many
// of them are kept, with the numbers of their proposals.
inline i64 deal_rest(
    const Seats& seats, const Draw& draw, const Cells& cells, i64 first, i64 count, u64* hands,
    i64* numbers) {
    i64 kept = 0;
    for (i64 number = first; number < first + count; ++number) {
        RandomWords random = seats.stream(static_cast<u64>(number));
        const u64 all = static_cast<u64>(cells.ends[cells.count - 1]);
        const i64 turn = static_cast<i64>(random.below(all));
        i64 cell = 0;
        for (i64 high = cells.count - 1; cell < high;) {
            const i64 middle = (cell + high) >> 1;
            if (cells.ends[middle] > turn)
                high = middle;
            else
                cell = middle + 1;
        }
        u64 hand = draw_cell(random, draw, cells.lengths[cell].lengths,
                             static_cast<i32>(cells.points[cell]));
        hands[kept] = hand;
        u64 left = seats.free & ~hand;
        bool good = true;
        for (i64 seat = 1; good && seat < seats.count; ++seat) {
            hand = seat < seats.count - 1
                       ? draw_uniform(random, left, static_cast<i32>(seats.sizes[seat]))
                       : left;
            const u64 mask = seats.allowed[seat][shape_number(hand)];
            good = !(hand & seats.forbidden[seat]) && mask >> high_card_points(hand) & 1;
            hands[seat * count + kept] = hand;
            left &= ~hand;
        }
        if (good) numbers[kept++] = number;
    }
    return kept;
}

// Shapes of all seats, those of each from its start on, and the lengths they have.
struct SeatShapes {
    const ShapeRow* shapes;
    const i64* starts;
    const WantedLengths* wanted;
};

// Proposes layouts hand by hand, each among those that leave the next one possible; with at least
// three seats. The weight of a layout is the product of the numbers of hands that the later seats
// could have drawn.
inline i64 deal_exactly(
    const Seats& seats, const Draw& draw, const SeatShapes& all, i64 first, i64 count, u64* hands,
    double* weights, i64* numbers) {
    u64 masks[MOST_SHAPES];
    i64 counts[MOST_SHAPES];
    SuitWays ways[4];
    Vec<i64> pairs;
    constexpr u64 PAIR = sizeof(TwoSuitsWays) / sizeof(i64);
    pairs.resize(2 * PAIR);
    TwoSuitsWays* const minors = reinterpret_cast<TwoSuitsWays*>(pairs.data);
    Draw own = {0, 0, nullptr, 0, 0, masks, counts, ways, minors, minors + 1};
    i64 kept = 0;
    for (i64 number = first; number < first + count; ++number) {
        RandomWords random = seats.stream(static_cast<u64>(number));
        hands[kept] = draw_counted(random, draw);
        u64 left = seats.free & ~hands[kept];
        double weight = 1;
        for (i64 seat = 1; weight > 0 && seat < seats.count - 1; ++seat) {
            const bool joint = seat == seats.count - 2;
            own.forced = joint ? left & seats.forbidden[seat + 1] : 0;
            own.total = 0;
            if (!(own.forced & seats.forbidden[seat])) {
                own.cards = left & ~seats.forbidden[seat] & ~own.forced;
                own.shapes = all.shapes + all.starts[seat];
                own.rows = all.starts[seat + 1] - all.starts[seat];
                count_hands(own, {left, seats.allowed[seat], seats.allowed[seat + 1], joint},
                            all.wanted[seat]);
            }
            weight *= static_cast<double>(own.total);
            if (own.total == 0) break;
            hands[seat * count + kept] = draw_counted(random, own);
            left &= ~hands[seat * count + kept];
        }
        if (weight <= 0) continue;
        hands[(seats.count - 1) * count + kept] = left;
        weights[kept] = weight;
        numbers[kept++] = number;
    }
    return kept;
}

}  // namespace core
