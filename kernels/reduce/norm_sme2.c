/* kernels/reduce/norm_sme2.c: layer norm of rows in streaming mode. */
#include <arm_sme.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/reduce/reduce.h"

/* It knows the layout of struct sl_reduce_args. */
void sl_layer_norm_rows_sme2_asm(const void *args) __arm_streaming __arm_inout("za");

static void layer_norm(const struct sl_reduce_args *args)
{
    sl_streaming_run_za(sl_layer_norm_rows_sme2_asm, args);
}

const struct sl_reduce sl_reduce_layer_norm_f32_f32_4vl_sme2 = {
    .name = "sl_reduce_layer_norm_f32_f32_4vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_REDUCE_LAYER_NORM,
    .run = layer_norm,
};
