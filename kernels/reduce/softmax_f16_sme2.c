/* kernels/reduce/softmax_f16_sme2.c: softmax of rows of halves in streaming mode, by way of a
 * buffer of floats. Rows that it does not hold go to NEON, which such CPUs have with half
 * precision. */
#include <arm_sme.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/reduce/reduce.h"

/* BUFFER elements and a turn of the longest vectors. */
enum { BUFFER = 8192, TURN = 4 * 128 };

/* 2^f = c0 + c1 f + ... + c4 f^4, as in kernels/unary: c1 c3 c4, then c2 and c0; log2 e as a sum of
 * two halves; the least half. */
static const float table[] = {0x1.62e0dcp-1f, 0x1.ca1442p-5f, 0x1.3997d6p-7f, 0,     0x1.ec06dap-3f,
                              0x1.ffffe8p-1f, 0x1.714p+0f,    0x1.478p-12f,   -65504};

struct sl_softmax_f16_rows { /* the assembly knows its layout */
    size_t rows, elements;   /* at least 1 each */
    const uint16_t *in;
    uint16_t *out;
    float *buffer; /* of the elements of a row and a turn more */
    const float *table;
};

void sl_softmax_rows_f16_sme2_asm(const void *rows) __arm_streaming __arm_inout("za");

static void softmax(const struct sl_reduce_args *args)
{
    float buffer[BUFFER + TURN];
    const struct sl_softmax_f16_rows rows = {args->outer, args->reduced, args->in,
                                             args->out,   buffer,        table};
    if (args->reduced > BUFFER)
        sl_reduce_softmax_f16_f16_1x8_neon.run(args);
    else if (args->outer > 0 && args->reduced > 0)
        sl_streaming_run_za(sl_softmax_rows_f16_sme2_asm, &rows);
}

const struct sl_reduce sl_reduce_softmax_f16_f16_8vl_sme2 = {
    .name = "sl_reduce_softmax_f16_f16_8vl_sme2",
    .needs = SL_ISA_SME2,
    .element = SL_F16,
    .op = SL_REDUCE_SOFTMAX,
    .run = softmax,
};
