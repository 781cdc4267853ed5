// Hands to packed words, and the order that brings like deals together.
//
// A word is a sum of look-ups: four holdings, the shape, the context (see layout.py). Flags that are
// not separable are small programs run once a hand; derived flags are set where any of some boxes
// is passed.
#include "box.cuh"
#include "../../core/hands/hand_keys.hpp"

constexpr u32 SHAPE_DIAMONDS = 14, SHAPE_HEARTS = 196;
constexpr u64 HOLDING = 0x1FFF;
constexpr u32 HOLDINGS = 8192;

struct Hand {
    u32 suit[4];
    u32 shape;
    u32 context;
};

__device__ __forceinline__ Hand look_at(u64 cards, u32 seat, u32 relative, u32 vulnerable) {
    Hand hand;
#pragma unroll
    for (u32 suit = 0; suit < 4; ++suit)
        hand.suit[suit] = static_cast<u32>(cards >> (13 * suit) & HOLDING);
    hand.shape = __popc(hand.suit[0]) + SHAPE_DIAMONDS * __popc(hand.suit[1]) +
                 SHAPE_HEARTS * __popc(hand.suit[2]);
    const u32 we = vulnerable >> (seat & 1u) & 1u;
    const u32 they = vulnerable >> (1u - (seat & 1u)) & 1u;
    hand.context = relative + 4 * we + 8 * they;
    return hand;
}

#if PROGRAM_STACK
constexpr u32 SHAPES = 14 * 14 * 14, CONTEXTS = 16;

// Runs a program over a hand; see layout.OPCODES. Values stay within 32 bits (layout checks).
__device__ bool run_program(
    const i32* __restrict__ code, u32 pointer, const Hand& hand,
    const i32* __restrict__ term_suits, const i32* __restrict__ term_lengths,
    const i32* __restrict__ term_contexts) {
    i32 stack[PROGRAM_STACK];
    i32 top = -1;
    for (;; ++pointer) {
        const i32 opcode = __ldg(code + 2 * pointer);
        const i32 operand = __ldg(code + 2 * pointer + 1);
        if (opcode == OP_END) return stack[0] != 0;
        if (opcode == OP_INT) {
            stack[++top] = operand;
            continue;
        }
        if (opcode == OP_TERM) {
            const i32* suits = term_suits + static_cast<u64>(operand) * 4 * HOLDINGS;
            i32 value = __ldg(term_lengths + static_cast<u64>(operand) * SHAPES + hand.shape) +
                        __ldg(term_contexts + static_cast<u64>(operand) * CONTEXTS + hand.context);
#pragma unroll
            for (u32 suit = 0; suit < 4; ++suit)
                value += __ldg(suits + suit * HOLDINGS + hand.suit[suit]);
            stack[++top] = value;
            continue;
        }
        const i32 right = stack[top];
        if (opcode == OP_NEG) {
            stack[top] = -right;
            continue;
        }
        if (opcode == OP_NOT) {
            stack[top] = right == 0;
            continue;
        }
        const i32 left = stack[--top];
        i32 value = 0;
        switch (opcode) {
            case OP_ADD: value = left + right; break;
            case OP_SUB: value = left - right; break;
            case OP_MUL: value = left * right; break;
            case OP_LT: value = left < right; break;
            case OP_LE: value = left <= right; break;
            case OP_EQ: value = left == right; break;
            case OP_NE: value = left != right; break;
            case OP_GE: value = left >= right; break;
            case OP_GT: value = left > right; break;
            case OP_AND: value = left != 0 && right != 0; break;
            case OP_OR: value = left != 0 || right != 0; break;
            default: break;
        }
        stack[top] = value;
    }
}
#endif

__device__ __forceinline__ void set_flag(u64* words, u32 flag) {
    const u32 target = LANE_WORDS + flag / 64;
    // word numbers are known when compiling, so the words stay in registers
#pragma unroll
    for (u32 word = LANE_WORDS; word < WORDS; ++word)
        if (word == target) words[word] |= 1ull << (flag % 64);
}

// Packs the hands of the deals first .. first + count - 1, a thread for each hand.
//
//   hands    [4][hands_stride] by compass seat; dealer, vulnerability [hands_stride]
//   order    [count] which deal stands at each place, or null for their own order
//   rotate   row 0 of the result is the dealer's hand (1), or North's (0)
//   out      word w of row r at place p stands at r * row_stride + w * word_stride + p * place_stride
extern "C" __global__ void __launch_bounds__(256, 4) pack_hands(
    const u64* __restrict__ hands, u64 hands_stride, const u8* __restrict__ dealer,
    const u8* __restrict__ vulnerability, u64 first, const u32* __restrict__ order, u32 count,
    u32 rotate, const u64* __restrict__ suit_words, const u64* __restrict__ length_words,
    const u64* __restrict__ context_words, const i32* __restrict__ programs,
    const i32* __restrict__ program_starts, const i32* __restrict__ program_flags,
    u32 program_count, const i32* __restrict__ term_suits, const i32* __restrict__ term_lengths,
    const i32* __restrict__ term_contexts, const u64* __restrict__ box_rows,
    const u32* __restrict__ derived_flags, const u32* __restrict__ derived_offsets,
    const u32* __restrict__ derived_boxes, u32 derived_count, u64* __restrict__ out,
    u64 row_stride, u64 word_stride, u64 place_stride) {
    const u64 number = thread_number();
    if (number >= 4ull * count) return;
    const u32 row = static_cast<u32>(number / count);
    const u32 place = static_cast<u32>(number - static_cast<u64>(row) * count);
    const u64 deal = first + (order == nullptr ? place : __ldg(order + place));
    const u32 first_seat = __ldg(dealer + deal);
    const u32 seat = rotate ? (first_seat + row) & 3u : row;
    const u32 relative = rotate ? row : (row - first_seat) & 3u;
    const Hand hand = look_at(
        __ldg(hands + seat * hands_stride + deal), seat, relative, __ldg(vulnerability + deal));

    u64 words[WORDS];
#pragma unroll
    for (u32 word = 0; word < WORDS; ++word)
        words[word] = __ldg(length_words + static_cast<u64>(hand.shape) * WORDS + word) +
                      __ldg(context_words + hand.context * WORDS + word);
#pragma unroll
    for (u32 suit = 0; suit < 4; ++suit) {
        const u64* from = suit_words + (static_cast<u64>(suit) * HOLDINGS + hand.suit[suit]) * WORDS;
#pragma unroll
        for (u32 word = 0; word < WORDS; ++word) words[word] += __ldg(from + word);
    }
#if PROGRAM_STACK
    for (u32 program = 0; program < program_count; ++program)
        if (run_program(programs, __ldg(program_starts + program), hand, term_suits, term_lengths,
                        term_contexts))
            set_flag(words, __ldg(program_flags + program));
#else
    (void)programs, (void)program_starts, (void)program_flags, (void)program_count;
    (void)term_suits, (void)term_lengths, (void)term_contexts;
#endif
    // in order: a box names only derived flags that come before its own
    for (u32 derived = 0; derived < derived_count; ++derived) {
        const u32 end = __ldg(derived_offsets + derived + 1);
        for (u32 at = __ldg(derived_offsets + derived); at < end; ++at) {
            const u64 box = __ldg(derived_boxes + at);
            if (passes(words, 1, box_rows + box * BOX_WORDS)) {
                set_flag(words, __ldg(derived_flags + derived));
                break;
            }
        }
    }
#pragma unroll
    for (u32 word = 0; word < WORDS; ++word)
        out[row * row_stride + word * word_stride + place * place_stride] = words[word];
}

// --- the order of deals ------------------------------------------------------------------------
//
// A counting sort by the dealer's HCP, longest suit and its length. Sets of deals that reach an entry
// then lie close together, whole blocks of deals miss whole subtrees, and the deals of a warp go
// the same ways. Ties stand in any order.

constexpr u32 SORT_THREADS = 256;
constexpr u32 SORT_ITEMS = 8;  // deals of a thread

// Counts how many deals have each key: histogram [HAND_KEYS], zero before.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) sort_count(
    const u64* __restrict__ hands, u64 hands_stride, const u8* __restrict__ dealer, u64 first,
    u32 count, u32* __restrict__ histogram) {
    __shared__ u32 found[HAND_KEYS];
    for (u32 key = threadIdx.x; key < HAND_KEYS; key += SORT_THREADS) found[key] = 0;
    __syncthreads();
    const u32 start = blockIdx.x * SORT_THREADS * SORT_ITEMS + threadIdx.x;
    for (u32 item = 0; item < SORT_ITEMS; ++item) {
        const u32 place = start + item * SORT_THREADS;
        if (place < count) {
            const u64 deal = first + place;
            atomicAdd(&found[hand_key(__ldg(hands + __ldg(dealer + deal) * hands_stride + deal))],
                      1u);
        }
    }
    __syncthreads();
    for (u32 key = threadIdx.x; key < HAND_KEYS; key += SORT_THREADS)
        if (found[key] != 0) atomicAdd(histogram + key, found[key]);
}

// Turns the histogram into the first place of each key; one block of HAND_KEYS threads.
extern "C" __global__ void __launch_bounds__(HAND_KEYS) sort_starts(u32* __restrict__ histogram) {
    __shared__ u32 sums[HAND_KEYS];
    const u32 key = threadIdx.x;
    const u32 own = histogram[key];
    sums[key] = own;
    __syncthreads();
    for (u32 step = 1; step < HAND_KEYS; step *= 2) {
        const u32 before = key >= step ? sums[key - step] : 0;
        __syncthreads();
        sums[key] += before;
        __syncthreads();
    }
    histogram[key] = sums[key] - own;
}

// Gives each deal its place: order [count]; cursors are the starts, used up.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) sort_place(
    const u64* __restrict__ hands, u64 hands_stride, const u8* __restrict__ dealer, u64 first,
    u32 count, u32* __restrict__ cursors, u32* __restrict__ order) {
    __shared__ u32 found[HAND_KEYS];
    for (u32 key = threadIdx.x; key < HAND_KEYS; key += SORT_THREADS) found[key] = 0;
    __syncthreads();
    const u32 start = blockIdx.x * SORT_THREADS * SORT_ITEMS + threadIdx.x;
    u32 keys[SORT_ITEMS], ranks[SORT_ITEMS];
#pragma unroll
    for (u32 item = 0; item < SORT_ITEMS; ++item) {
        const u32 place = start + item * SORT_THREADS;
        if (place < count) {
            const u64 deal = first + place;
            keys[item] = hand_key(__ldg(hands + __ldg(dealer + deal) * hands_stride + deal));
            ranks[item] = atomicAdd(&found[keys[item]], 1u);
        }
    }
    __syncthreads();
    // one reservation a key and block; the count becomes the block's first place
    for (u32 key = threadIdx.x; key < HAND_KEYS; key += SORT_THREADS)
        if (found[key] != 0) found[key] = atomicAdd(cursors + key, found[key]);
    __syncthreads();
#pragma unroll
    for (u32 item = 0; item < SORT_ITEMS; ++item) {
        const u32 place = start + item * SORT_THREADS;
        if (place < count) order[found[keys[item]] + ranks[item]] = place;
    }
}
