/* kernels/layout/stride_neon.c: up to four vectors become one by a table of the bytes it takes.
 *
 * A turn loads all memory from its first element to before the next turn's: the last one, behind
 * which there may be none, is left to the scalar kernel. */
#if defined(__aarch64__)
#include <arm_neon.h>

#include "kernels/cpu/isa.h"
#include "kernels/layout/stride.h"

enum { BYTES = 16, MOST = 4 };

/* Element j of a turn that goes backwards is the j-th from the end. */
static uint8x16_t table_of(size_t element_bytes, size_t apart, int backwards)
{
    uint8_t table[BYTES];
    size_t lanes = BYTES / element_bytes;
    for (size_t j = 0; j < lanes; j++) {
        size_t element = backwards ? apart * lanes - 1 - j * apart : j * apart;
        for (size_t b = 0; b < element_bytes; b++)
            table[j * element_bytes + b] = (uint8_t)(element * element_bytes + b);
    }
    return vld1q_u8(table);
}

static inline uint8x16_t gather(size_t apart, const uint8_t *from, uint8x16_t table)
{
    switch (apart) {
    case 1:
        return vqtbl1q_u8(vld1q_u8(from), table);
    case 2:
        return vqtbl2q_u8(vld1q_u8_x2(from), table);
    case 3:
        return vqtbl3q_u8(vld1q_u8_x3(from), table);
    default:
        return vqtbl4q_u8(vld1q_u8_x4(from), table);
    }
}

static inline void run_turns(size_t turns, size_t apart, ptrdiff_t next, const uint8_t *from,
                             uint8_t *to, uint8x16_t table)
{
#pragma clang loop unroll_count(4)
    for (; turns > 0; turns--, from += next, to += BYTES)
        vst1q_u8(to, gather(apart, from, table));
}

static void run(size_t count, size_t element_bytes, ptrdiff_t step, const void *in, void *out)
{
    size_t lanes = BYTES / element_bytes, apart = (size_t)(step < 0 ? -step : step);
    size_t turns = count > 0 && apart > 0 && apart <= MOST ? (count - 1) / lanes : 0;
    const uint8_t *first = in;
    ptrdiff_t next = (ptrdiff_t)(turns > 0 ? apart * BYTES : 0);
    if (turns > 0) {
        uint8x16_t table = table_of(element_bytes, apart, step < 0);
        const uint8_t *from = step < 0 ? first + element_bytes - next : first;
        next = step < 0 ? -next : next;
        switch (apart) { /* a loop each */
        case 1:
            run_turns(turns, 1, next, from, out, table);
            break;
        case 2:
            run_turns(turns, 2, next, from, out, table);
            break;
        case 3:
            run_turns(turns, 3, next, from, out, table);
            break;
        default:
            run_turns(turns, 4, next, from, out, table);
            break;
        }
    }
    sl_stride_1x1_scalar.run(count - turns * lanes, element_bytes, step,
                             first + (ptrdiff_t)turns * next, (uint8_t *)out + turns * BYTES);
}

const struct sl_stride sl_stride_1x16_neon_tbl = {"sl_stride_1x16_neon_tbl", SL_ISA_NEON, BYTES,
                                                  MOST, run};
#endif
