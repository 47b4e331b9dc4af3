/* kernels/reduce/softmax_sme2.c: softmax of rows in streaming mode.
 *
 * e^x for x <= 0: x = n ln 2 + r, |r| <= ln 2 / 2, and e^r is 1 + r + r^2 times a polynomial of
 * degree 4, fitted for the least relative error (3.1e-9 before rounding). Results too small for a
 * normal number lose bits one by one, down to 0. */
#include <arm_sme.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/reduce/reduce.h"

static const float constants[] = {
    0x1.715476p+0f,  /* 1 / ln 2 */
    0x1.62e400p-1f,  /* ln 2, its upper 14 bits */
    0x1.7f7d1cp-20f, /* and the rest */
    0,
    0x1.fffffcp-2f, /* of r^2 */
    0x1.555492p-3f,
    0x1.5558b2p-5f,
    0x1.12398ep-7f,
    0x1.6a4b36p-10f, /* of r^6 */
    0,
    0,
    0,
    -104, /* e^-104 is 0 */
};

struct sl_softmax_rows { /* the assembly knows its layout and that of the arguments */
    const struct sl_reduce_args *args;
    const float *constants;
};

void sl_softmax_rows_sme2_asm(const void *rows) __arm_streaming __arm_inout("za");

static void softmax(const struct sl_reduce_args *args)
{
    struct sl_softmax_rows rows = {args, constants};
    sl_streaming_run_za(sl_softmax_rows_sme2_asm, &rows);
}

const struct sl_reduce sl_reduce_softmax_f32_f32_4vl_sme2 = {
    .name = "sl_reduce_softmax_f32_f32_4vl_sme2",
    .needs = SL_ISA_SME2,
    .element = SL_F32,
    .op = SL_REDUCE_SOFTMAX,
    .run = softmax,
};
