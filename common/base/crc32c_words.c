/* common/base/crc32c_words.c */
#include "common/base/crc32c_words.h"

#include <stdbool.h>

#include "common/base/bytes.h"

#if defined(__aarch64__)
#include <arm_acle.h>
#ifndef __APPLE__
#include <sys/auxv.h>
#endif

static bool has_instructions(void)
{
#ifdef __APPLE__
    return true;
#else
    enum { CRC32 = 1 << 7 }; /* HWCAP_CRC32 */
    return (getauxval(AT_HWCAP) & CRC32) != 0;
#endif
}

__attribute__((target("+crc"))) static uint32_t take(uint32_t crc, const uint8_t *bytes,
                                                     size_t count)
{
    for (; count > 0; count--, bytes += 8)
        crc = __crc32cd(crc, sl_load_u64(bytes));
    return crc;
}

#elif defined(__x86_64__)
#include <immintrin.h>

static bool has_instructions(void)
{
    return __builtin_cpu_supports("sse4.2") != 0;
}

__attribute__((target("sse4.2"))) static uint32_t take(uint32_t crc, const uint8_t *bytes,
                                                       size_t count)
{
    uint64_t wide = crc;
    for (; count > 0; count--, bytes += 8)
        wide = _mm_crc32_u64(wide, sl_load_u64(bytes));
    return (uint32_t)wide;
}

#else

static bool has_instructions(void)
{
    return false;
}

static uint32_t take(uint32_t crc, const uint8_t *bytes, size_t count)
{
    (void)bytes, (void)count;
    return crc;
}

#endif

size_t sl_crc32c_words(uint32_t *crc, const uint8_t *bytes, size_t count)
{
    if (!has_instructions())
        return 0;
    *crc = take(*crc, bytes, count);
    return count;
}
