/* tests/unit/kernels/pack/test_pack_short.c: rows of bytes in panels of words, for vectors of 16
 * words: every length of row around one, two and four vectors, against the plain statement. */
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/pack/pack_columns.h"
#include "kernels/pack/pack_short.h"
#include "kernels/pack/pack_x8.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

typedef void (*body_fn)(const void *job);

#if defined(__aarch64__)
/* As files that are not compiled for SME2 see them: functions that are called in streaming mode. */
void sl_streaming_run_za(body_fn body, const void *job);
void sl_pack_short_sme2(const void *job);
void sl_pack_rows_16_sme2_asm(const void *job);
void sl_pack_x8_16_sme2_asm(const void *job);
void sl_pack_columns_sme2(const void *job);
#else
/* Elsewhere may_run() is false and nothing of this is called. */
static void sl_streaming_run_za(body_fn body, const void *job)
{
    body(job);
}
#define sl_pack_short_sme2 ((body_fn)0)
#define sl_pack_rows_16_sme2_asm ((body_fn)0)
#define sl_pack_x8_16_sme2_asm ((body_fn)0)
#define sl_pack_columns_sme2 ((body_fn)0)
#endif

enum { VL = SL_PACK_SHORT_VL, CANARY = 0x5a, LONGEST = 300 };

static const size_t counts[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 101, 129};
enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };

static bool may_run(const char *name)
{
    return sl_case_may_run(name, SL_ISA_SME2) && sl_isa_svl_bytes() == 4 * VL;
}

static uint8_t *some_bytes(uint32_t *seed, size_t count)
{
    uint8_t *bytes = sl_guarded_new(count, 1);
    for (size_t i = 0; i < count; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(*seed >> 24 | 1);
    }
    return bytes;
}

/* Word `word` of a row of `bytes`, filled up with zeros. */
static void check_word(const uint8_t *row, size_t bytes, size_t word, const uint8_t *got)
{
    for (size_t i = 4 * word; i < 4 * word + 4; i++)
        assert_int_equal(got[i % 4], i < bytes ? row[i] : 0);
}

static void check_rows(uint32_t *seed, body_fn pack, size_t count, size_t bytes, size_t stride)
{
    size_t words = (bytes + 3) / 4, tiles = (count + VL - 1) / VL, size = tiles * words * 4 * VL;
    uint8_t *in = some_bytes(seed, (count - 1) * stride + bytes);
    uint8_t *out = sl_guarded_new(size, 64);
    memset(out, CANARY, size);
    const struct sl_pack_short few = {in, stride, bytes, count, out};
    const struct sl_pack_lhs_x8 any = {(const int8_t *)in, stride, count, bytes, out};
    sl_streaming_run_za(pack, pack == sl_pack_x8_16_sme2_asm ? (const void *)&any : &few);
    for (size_t r = 0; r < count; r++)
        for (size_t w = 0; w < words; w++)
            check_word(in + r * stride, bytes, w, out + 4 * ((r / VL * words + w) * VL + r % VL));
    sl_case_free(2, (void *[]){in, out});
}

TEST(rows_become_panels_of_words)
{
    uint32_t seed = 5;
    if (!may_run("sl_pack_short_sme2"))
        return;
    for (size_t bytes = 1; bytes <= LONGEST; bytes += bytes < 70 ? 1 : 13)
        for (size_t i = 0; i < COUNTS; i++) {
            size_t stride = bytes + (i + bytes) % 3;
            check_rows(&seed, sl_pack_x8_16_sme2_asm, counts[i], bytes, stride);
            if (bytes > SL_PACK_VECTOR_BYTES)
                continue;
            check_rows(&seed, sl_pack_short_sme2, counts[i], bytes, bytes);
            check_rows(&seed, sl_pack_rows_16_sme2_asm, counts[i], bytes, stride);
        }
}

static void check_columns(uint32_t *seed, size_t n, size_t bytes)
{
    enum { HEAD = 3 * 8 * VL };
    size_t words = (bytes + 3) / 4, last = n % (2 * VL), wide = 2 * VL;
    size_t width = last > 0 && last <= VL ? VL : wide, left = (n - 1) / wide;
    size_t panel = HEAD + words * 4 * wide, size = left * panel + panel * width / wide;
    uint8_t *in = some_bytes(seed, n * bytes), *out = sl_guarded_new(size, 64);
    memset(out, CANARY, size);
    const struct sl_pack_columns job = {in, bytes, n, HEAD, out};
    sl_streaming_run_za(sl_pack_columns_sme2, &job);
    for (size_t c = 0; c < n; c++) {
        size_t columns = c / wide < left ? wide : width, head = HEAD * columns / wide;
        const uint8_t *at = out + c / wide * panel;
        for (size_t i = 0; i < head; i++)
            assert_int_equal(at[i], CANARY);
        for (size_t w = 0; w < words; w++)
            check_word(in + c * bytes, bytes, w, at + head + 4 * (w * columns + c % wide));
    }
    sl_case_free(2, (void *[]){in, out});
}

TEST(weights_become_panels_of_columns_behind_their_heads)
{
    uint32_t seed = 7;
    if (!may_run("sl_pack_columns_sme2"))
        return;
    for (size_t bytes = 1; bytes <= LONGEST; bytes += bytes < 40 ? 1 : 13)
        for (size_t i = 0; i < COUNTS; i++)
            check_columns(&seed, counts[i], bytes);
}
