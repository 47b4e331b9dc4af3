/* kernels/unary/unary_qs8_sme2.c: look-up and clamp of int8, four streaming vectors at a time. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/unary/unary_qs8.h"

/* clang 19 fails at debug information of tuples that are arguments. */
#define INLINE static inline __attribute__((always_inline))

/* Two vectors of the table from `at` on, as far as it reaches. */
INLINE svuint8x2_t part_of(const uint8_t *table, size_t at) __arm_streaming
{
    size_t next = at + svcntb();
    return svcreate2_u8(svld1_u8(svwhilelt_b8_u64(at, 256), table + (at < 256 ? at : 0)),
                        svld1_u8(svwhilelt_b8_u64(next, 256), table + (next < 256 ? next : 0)));
}

/* Adds the entries of one part; those of other parts are 0 here. */
INLINE svuint8x4_t add_entries(svuint8x2_t part, svuint8x4_t x, svuint8x4_t y) __arm_streaming
{
    svbool_t all = svptrue_b8();
    return svcreate4_u8(svorr_u8_x(all, svget4_u8(y, 0), svtbl2_u8(part, svget4_u8(x, 0))),
                        svorr_u8_x(all, svget4_u8(y, 1), svtbl2_u8(part, svget4_u8(x, 1))),
                        svorr_u8_x(all, svget4_u8(y, 2), svtbl2_u8(part, svget4_u8(x, 2))),
                        svorr_u8_x(all, svget4_u8(y, 3), svtbl2_u8(part, svget4_u8(x, 3))));
}

INLINE svuint8x4_t entries(svuint8x2_t part, svuint8x4_t x) __arm_streaming
{
    return svcreate4_u8(svtbl2_u8(part, svget4_u8(x, 0)), svtbl2_u8(part, svget4_u8(x, 1)),
                        svtbl2_u8(part, svget4_u8(x, 2)), svtbl2_u8(part, svget4_u8(x, 3)));
}

static void look_up_body(const void *pointer) __arm_streaming
{
    const struct sl_unary_qs8_args *args = pointer;
    const uint8_t *table = (const uint8_t *)args->table, *in = (const uint8_t *)args->in;
    uint8_t *out = (uint8_t *)args->out;
    size_t part = 2 * svcntb();
    svuint8x2_t first = part_of(table, 0), second = part_of(table, part);
    svuint8_t back = svdup_u8((uint8_t)(0 - part)); /* an entry past a part is past it by less */
    for (size_t i = 0; i < args->count; i += 4 * svcntb()) {
        svcount_t some = svwhilelt_c8_u64(i, args->count, 4);
        svuint8x4_t x = svld1_u8_x4(some, in + i), y = entries(first, x);
        if (part < 256) {
            x = svadd_single_u8_x4(x, back);
            y = add_entries(second, x, y);
        }
        for (size_t at = 2 * part; at < 256; at += part) {
            x = svadd_single_u8_x4(x, back);
            y = add_entries(part_of(table, at), x, y);
        }
        svst1_u8_x4(some, out + i, y);
    }
}

static void look_up(const struct sl_unary_qs8_args *args)
{
    sl_streaming_run(look_up_body, args);
}

static void clamp_body(const void *pointer) __arm_streaming
{
    const struct sl_unary_qs8_args *args = pointer;
    svint8_t min = svdup_s8(args->min), max = svdup_s8(args->max);
    svcount_t all = svptrue_c8();
    const int8_t *in = args->in;
    int8_t *out = args->out;
    size_t quad = 4 * svcntb(), count = args->count, i = 0;
    for (; count - i >= 2 * quad; i += 2 * quad) {
        svint8x4_t x = svld1_s8_x4(all, in + i), y = svld1_vnum_s8_x4(all, in + i, 4);
        svst1_s8_x4(all, out + i, svclamp_single_s8_x4(x, min, max));
        svst1_vnum_s8_x4(all, out + i, 4, svclamp_single_s8_x4(y, min, max));
    }
    for (; i < count; i += quad) {
        svcount_t some = svwhilelt_c8_u64(i, count, 4);
        svst1_s8_x4(some, out + i, svclamp_single_s8_x4(svld1_s8_x4(some, in + i), min, max));
    }
}

static void clamp(const struct sl_unary_qs8_args *args)
{
    sl_streaming_run(clamp_body, args);
}

const struct sl_unary_qs8 sl_unary_table_qs8_qs8_1x4vl_sme2 = {
    .name = "sl_unary_table_qs8_qs8_1x4vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_UNARY_QS8_TABLE,
    .run = look_up,
};

const struct sl_unary_qs8 sl_unary_clamp_qs8_qs8_1x8vl_sme2 = {
    .name = "sl_unary_clamp_qs8_qs8_1x8vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_UNARY_QS8_CLAMP,
    .run = clamp,
};
