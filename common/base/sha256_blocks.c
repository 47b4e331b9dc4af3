/* common/base/sha256_blocks.c */
#include "common/base/sha256_blocks.h"

#include <stdbool.h>

#if defined(__aarch64__)
#include <arm_neon.h>
#ifndef __APPLE__
#include <sys/auxv.h>
#endif
#elif defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#if defined(__aarch64__) || defined(__x86_64__)
/* FIPS 180-4, 4.2.2. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#endif

#if defined(__aarch64__)

static bool has_instructions(void)
{
#ifdef __APPLE__
    return true;
#else
    enum { SHA2 = 1 << 6 }; /* HWCAP_SHA2 */
    return (getauxval(AT_HWCAP) & SHA2) != 0;
#endif
}

/* Four rounds a turn; `words` are the last sixteen of the schedule. */
__attribute__((target("+sha2"))) static void take(uint32_t state[8], const uint8_t *bytes)
{
    const uint32x4_t first = vld1q_u32(state), second = vld1q_u32(state + 4);
    uint32x4_t abcd = first, efgh = second, words[4];
    for (int i = 0; i < 16; i++) {
        uint32x4_t *word = &words[i % 4];
        if (i < 4)
            *word = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 16 * i)));
        else
            *word = vsha256su1q_u32(vsha256su0q_u32(*word, words[(i + 1) % 4]), words[(i + 2) % 4],
                                    words[(i + 3) % 4]);
        const uint32x4_t sum = vaddq_u32(*word, vld1q_u32(constants + 4 * i)), before = abcd;
        abcd = vsha256hq_u32(abcd, efgh, sum);
        efgh = vsha256h2q_u32(efgh, before, sum);
    }
    vst1q_u32(state, vaddq_u32(first, abcd));
    vst1q_u32(state + 4, vaddq_u32(second, efgh));
}

#elif defined(__x86_64__)

static bool has_instructions(void)
{
    enum { SHA = 1 << 29, SSE41 = 1 << 19 };
    unsigned a, b, c, d, basic;
    return __get_cpuid(1, &a, &b, &basic, &d) && (basic & SSE41) &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & SHA);
}

/* Four rounds a turn; `words` are the last sixteen of the schedule. The instructions want the state
 * as ABEF and CDGH, the highest first. */
__attribute__((target("sha,sse4.1"))) static void take(uint32_t state[8], const uint8_t *bytes)
{
    const __m128i turn = _mm_set_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
    const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(void *)state), 0xb1);
    const __m128i hgfe =
        _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(void *)(state + 4)), 0x1b);
    const __m128i first = _mm_alignr_epi8(badc, hgfe, 8),
                  second = _mm_blend_epi16(hgfe, badc, 0xf0);
    __m128i abef = first, cdgh = second, words[4];
    for (int i = 0; i < 16; i++) {
        __m128i *word = &words[i % 4];
        const __m128i last = words[(i + 3) % 4];
        if (i < 4)
            *word = _mm_shuffle_epi8(
                _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i)), turn);
        else
            *word =
                _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(*word, words[(i + 1) % 4]),
                                                   _mm_alignr_epi8(last, words[(i + 2) % 4], 4)),
                                     last);
        const __m128i sum = _mm_add_epi32(
            *word, _mm_loadu_si128((const __m128i *)(const void *)(constants + 4 * i)));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_shuffle_epi32(_mm_add_epi32(first, abef), 0x1b);
    cdgh = _mm_shuffle_epi32(_mm_add_epi32(second, cdgh), 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(abef, cdgh, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(cdgh, abef, 8));
}

#else

static bool has_instructions(void)
{
    return false;
}

static void take(uint32_t state[8], const uint8_t *bytes)
{
    (void)state;
    (void)bytes;
}

#endif

size_t sl_sha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t count)
{
    static _Atomic int known; /* 0: not asked yet; then 1 or 2 */
    if (known == 0)
        known = has_instructions() ? 2 : 1;
    if (known == 1)
        return 0;
    for (size_t i = 0; i < count; i++)
        take(state, bytes + i * SL_SHA256_BLOCK_BYTES);
    return count;
}
