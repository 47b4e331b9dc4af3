/* kernels/layout/repeat_neon.c: a vector of elements becomes `times` vectors, each by a table of
 * the bytes that it takes. */
#if defined(__aarch64__)
#include <arm_neon.h>

#include "kernels/cpu/isa.h"
#include "kernels/layout/repeat.h"

enum { BYTES = 16, MOST_TABLES = 16 };

/* Which bytes of a vector the outputs' are. */
static void fill_tables(size_t element_bytes, size_t times, uint8_t *tables)
{
    for (size_t from = 0; from < BYTES; from += element_bytes)
        for (size_t j = 0; j < times; j++)
            for (size_t b = 0; b < element_bytes; b++)
                *tables++ = (uint8_t)(from + b);
}

static void run(size_t count, size_t element_bytes, size_t times, const void *in, void *out)
{
    uint8_t tables[MOST_TABLES * BYTES];
    size_t lanes = BYTES / element_bytes;
    const uint8_t *from = in;
    uint8_t *to = out;
    if (times > MOST_TABLES || count < lanes) {
        sl_repeat_1x1_scalar.run(count, element_bytes, times, in, out);
        return;
    }
    fill_tables(element_bytes, times, tables);
    for (size_t left = count / lanes; left > 0; left--, from += BYTES) {
        uint8x16_t x = vld1q_u8(from);
        const uint8_t *table = tables;
#pragma clang loop unroll_count(4)
        for (size_t j = 0; j < times; j++, table += BYTES, to += BYTES)
            vst1q_u8(to, vqtbl1q_u8(x, vld1q_u8(table)));
    }
    sl_repeat_1x1_scalar.run(count % lanes, element_bytes, times, from, to);
}

const struct sl_repeat sl_repeat_1x16_neon_tbl = {"sl_repeat_1x16_neon_tbl", SL_ISA_NEON, run};
#endif
