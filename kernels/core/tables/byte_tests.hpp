// 64 bytes at once, on the processor's vectors: which of them pass a test, as 64 bits.
#pragma once
#include "../base.hpp"

#if defined(__SSE2__)
// clang's header comes to one of its library's, which asks for an attribute of this name
#pragma push_macro("__noinline__")
#undef __noinline__
#include <immintrin.h>
#pragma pop_macro("__noinline__")
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace core {

// Asks that the bits of a byte under a mask, less `low`, are at most `span`, as numbers without a
// sign: a range has the mask 255, a bit that is set is mask and low, one that is clear is the mask
// alone. `packed` has the three from its lowest byte on.
class ByteTest {
#if defined(__AVX512BW__)
    __m512i mask, low, span;

  public:
    explicit ByteTest(u32 packed)
        : mask(every(packed)), low(every(packed >> 8)), span(every(packed >> 16)) {}

    // Of 64 bytes, which lie at a multiple of 64.
    u64 bits(const u8* bytes) const {
        const __m512i some = _mm512_and_si512(_mm512_load_si512(bytes), mask);
        return _mm512_cmple_epu8_mask(_mm512_sub_epi8(some, low), span);
    }

  private:
    static __m512i every(u32 byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }
#elif defined(__AVX2__)
    __m256i mask, low, span;

  public:
    explicit ByteTest(u32 packed)
        : mask(every(packed)), low(every(packed >> 8)), span(every(packed >> 16)) {}

    u64 bits(const u8* bytes) const { return half(bytes) | half(bytes + 32) << 32; }

  private:
    static __m256i every(u32 byte) { return _mm256_set1_epi8(static_cast<char>(byte)); }
    u64 half(const u8* bytes) const {
        const __m256i some =
            _mm256_and_si256(_mm256_load_si256(reinterpret_cast<const __m256i*>(bytes)), mask);
        const __m256i above = _mm256_sub_epi8(some, low);
        return static_cast<u32>(
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(above, span), above)));
    }
#elif defined(__SSE2__)
    __m128i mask, low, span;

  public:
    explicit ByteTest(u32 packed)
        : mask(every(packed)), low(every(packed >> 8)), span(every(packed >> 16)) {}

    u64 bits(const u8* bytes) const {
        return quarter(bytes) | quarter(bytes + 16) << 16 | quarter(bytes + 32) << 32 |
               quarter(bytes + 48) << 48;
    }

  private:
    static __m128i every(u32 byte) { return _mm_set1_epi8(static_cast<char>(byte)); }
    u64 quarter(const u8* bytes) const {
        const __m128i some =
            _mm_and_si128(_mm_load_si128(reinterpret_cast<const __m128i*>(bytes)), mask);
        const __m128i above = _mm_sub_epi8(some, low);
        return static_cast<u32>(
            _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(above, span), above)));
    }
#elif defined(__ARM_NEON)
    uint8x16_t mask, low, span;

  public:
    explicit ByteTest(u32 packed)
        : mask(every(packed)), low(every(packed >> 8)), span(every(packed >> 16)) {}

    u64 bits(const u8* bytes) const {
        // each byte keeps the bit of its place among eight; then neighbours are added, three times
        const uint8x16_t one = vpaddq_u8(quarter(bytes), quarter(bytes + 16));
        const uint8x16_t other = vpaddq_u8(quarter(bytes + 32), quarter(bytes + 48));
        const uint8x16_t both = vpaddq_u8(one, other);
        return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(both, both)), 0);
    }

  private:
    static uint8x16_t every(u32 byte) { return vdupq_n_u8(static_cast<u8>(byte)); }
    uint8x16_t quarter(const u8* bytes) const {
        const uint8x16_t place = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201ull));
        const uint8x16_t above = vsubq_u8(vandq_u8(vld1q_u8(bytes), mask), low);
        return vandq_u8(vcleq_u8(above, span), place);
    }
#else
    u32 mask, low, span;

  public:
    explicit ByteTest(u32 packed)
        : mask(packed & 0xFF), low(packed >> 8 & 0xFF), span(packed >> 16 & 0xFF) {}

    u64 bits(const u8* bytes) const {
        u64 found = 0;
        for (u32 at = 0; at < 64; ++at)
            found |= static_cast<u64>(((bytes[at] & mask) - low & 0xFF) <= span) << at;
        return found;
    }
#endif
};

// Which of eight words have bits, as a bit each. They lie at a multiple of 64 bytes.
inline u32 words_with_bits(const u64* words) {
#if defined(__AVX512F__)
    const __m512i line = _mm512_load_si512(words);
    return _mm512_test_epi64_mask(line, line);
#else
    u64 any = 0;
    for (u32 word = 0; word < 8; ++word) any |= words[word];
    if (!any) return 0;
    u32 found = 0;
    for (u32 word = 0; word < 8; ++word) found |= static_cast<u32>(words[word] != 0) << word;
    return found;
#endif
}

// 64 words of eight bytes, which become eight rows of 64 bytes: row b has byte b of each word.
class alignas(64) ByteSquare {
    typedef u64 Line __attribute__((vector_size(64)));
    u64 words[64];

  public:
    // Eight words that follow one another go to a column, one to each line. So a byte is at its
    // place in its row when each column has been transposed.
    u64* column(u64 number) { return words + number; }
    const u8* row(u64 byte) const { return reinterpret_cast<const u8*>(words + 8 * byte); }

    // Recursive swap of blocks, after Warren, "Hacker's Delight", section 7-3.
    void transpose() {
        Line lines[8];
        __builtin_memcpy(lines, words, sizeof lines);
        swap_blocks<4>(lines, 0x00000000FFFFFFFFull);
        swap_blocks<2>(lines, 0x0000FFFF0000FFFFull);
        swap_blocks<1>(lines, 0x00FF00FF00FF00FFull);
        __builtin_memcpy(words, lines, sizeof lines);
    }

  private:
    template <u32 WIDTH>
    static void swap_blocks(Line* lines, u64 mask) {
        CORE_UNROLL
        for (u32 row = 0; row < 8; row = (row + WIDTH + 1) & ~WIDTH) {
            const Line swap = ((lines[row] >> 8 * WIDTH) ^ lines[row + WIDTH]) & mask;
            lines[row] ^= swap << 8 * WIDTH;
            lines[row + WIDTH] ^= swap;
        }
    }
};

}  // namespace core
