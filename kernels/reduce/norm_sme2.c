/* kernels/reduce/norm_sme2.c: layer norm of rows in streaming mode. */
#include <arm_sme.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/reduce/reduce.h"

/* They know the layout of struct sl_reduce_args. */
void sl_layer_norm_rows_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_1_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_2_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_3_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_4_sme2_asm(const void *args) __arm_streaming __arm_inout("za");

/* By the turns of four vectors that a row takes. */
static const sl_streaming_za_fn short_rows[] = {sl_layer_norm_1_sme2_asm, sl_layer_norm_2_sme2_asm,
                                                sl_layer_norm_3_sme2_asm, sl_layer_norm_4_sme2_asm};
enum { SHORT = sizeof(short_rows) / sizeof(short_rows[0]), HELD = 2 };

static void layer_norm(const struct sl_reduce_args *args)
{
    size_t quad = 4 * svcntsw(), turns = (args->reduced + quad - 1) / quad;
    if (args->outer == 0 || turns == 0)
        return;
    bool loads = args->weight && args->bias; /* what rows of more turns than HELD need */
    sl_streaming_run_za(turns <= (loads ? SHORT : HELD) ? short_rows[turns - 1]
                                                        : sl_layer_norm_rows_sme2_asm,
                        args);
}

const struct sl_reduce sl_reduce_layer_norm_f32_f32_4vl_sme2 = {
    .name = "sl_reduce_layer_norm_f32_f32_4vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_REDUCE_LAYER_NORM,
    .run = layer_norm,
};
