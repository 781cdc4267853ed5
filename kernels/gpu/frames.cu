// Frames that lie on the device: columns of deals in, bits and lists out as columns.
//
//   in   north east south west   u64[n] each        ->  hands u64[4][n], checked
//        dealer vulnerability    u8[n] codes        ->  u8[n] 0-3, by a table of 256 codes
//   out  bits                    u64[n / 64]        ->  bool (one byte) [n]
//        offsets of lists        u64[n + 1]         ->  number of the list of each item u32[items]
#include "device.cuh"

constexpr u8 NO_CODE = 255;
constexpr u32 THREADS = 256;

// A deal is four disjoint hands of 13 cards out of 52, and two known codes. The lowest number of
// one that is none goes to *first_bad, which holds the number of deals before.
extern "C" __global__ void __launch_bounds__(THREADS) take_deals(
    const u64* north, const u64* east, const u64* south, const u64* west, const u8* dealer,
    const u8* vulnerability, const u8* dealer_codes, const u8* vulnerability_codes, u64 count,
    u64* hands, u8* dealer_out, u8* vulnerability_out, u64* first_bad) {
    const u64 deal = thread_number();
    if (deal >= count) return;
    const u64 masks[4] = {north[deal], east[deal], south[deal], west[deal]};
    u64 all = 0;
    bool good = true;
    for (u32 seat = 0; seat < 4; ++seat) {
        hands[seat * count + deal] = masks[seat];
        good = good && __popcll(masks[seat]) == 13;
        all |= masks[seat];
    }
    const u8 dealt = dealer_codes[dealer[deal]];
    const u8 vulnerable = vulnerability_codes[vulnerability[deal]];
    dealer_out[deal] = dealt;
    vulnerability_out[deal] = vulnerable;
    good = good && all == FULL_DECK && dealt != NO_CODE && vulnerable != NO_CODE;
    if (!good) atomicMin(first_bad, deal);
}

// Eight bits a thread become eight bytes of 0 or 1, written as one word; the output is padded to
// whole words, the bits to whole words of 64.
extern "C" __global__ void __launch_bounds__(THREADS) unpack_bits(const u8* bits, u64 byte_count, u8* out) {
    const u64 at = thread_number();
    if (at >= byte_count) return;
    // each bit gets a byte of its own: seven copies shifted by seven, then one bit of each byte
    const u64 low = bits[at] & 0x7Fu;
    u64 spread = (low * 0x0002040810204081ULL) & 0x0101010101010101ULL;
    spread |= static_cast<u64>(bits[at] >> 7) << 56;
    reinterpret_cast<u64*>(out)[at] = spread;
}

// Rows of a chunk's words to their place in longer rows: [rows][words] into [rows][row_words], from
// word `first` of each on.
extern "C" __global__ void __launch_bounds__(THREADS) place_words(
    const u32* chunk, u64 count, u32 words, u32 row_words, u32 first, u32* out) {
    const u64 number = thread_number();
    if (number >= count) return;
    out[number / words * row_words + first + number % words] = chunk[number];
}

// Which list each item is in, by bisection of the offsets: the last list that begins at or before
// the item and is not empty.
extern "C" __global__ void __launch_bounds__(THREADS) list_numbers(
    const u64* offsets, u64 lists, u64 items, u64 first_number, u32* numbers) {
    const u64 item = thread_number();
    if (item >= items) return;
    u64 low = 0, high = lists;
    while (high - low > 1) {
        const u64 middle = low + (high - low) / 2;
        if (offsets[middle] <= item) low = middle;
        else high = middle;
    }
    numbers[item] = static_cast<u32>(first_number + low);
}
