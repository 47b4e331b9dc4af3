/* kernels/reduce/norm_sme2.c: layer norm of rows in streaming mode. */
#include <arm_sme.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/reduce/reduce.h"

/* They know the layout of struct sl_reduce_args. */
void sl_layer_norm_rows_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_1vl_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_2vl_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_3vl_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_4vl_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_5vl_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_6vl_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_7vl_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_8vl_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_3_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_layer_norm_4_sme2_asm(const void *args) __arm_streaming __arm_inout("za");

/* By the vectors that a row takes. */
static const sl_streaming_za_fn held[] = {
    sl_layer_norm_1vl_sme2_asm, sl_layer_norm_2vl_sme2_asm, sl_layer_norm_3vl_sme2_asm,
    sl_layer_norm_4vl_sme2_asm, sl_layer_norm_5vl_sme2_asm, sl_layer_norm_6vl_sme2_asm,
    sl_layer_norm_7vl_sme2_asm, sl_layer_norm_8vl_sme2_asm,
};
enum { HELD = sizeof(held) / sizeof(held[0]), THREE_TURNS = 12, FOUR_TURNS = 16 };

static void layer_norm(const struct sl_reduce_args *args)
{
    size_t vectors = (args->reduced + svcntsw() - 1) / svcntsw();
    if (args->outer == 0 || vectors == 0)
        return;
    sl_streaming_za_fn rows = sl_layer_norm_rows_sme2_asm;
    if (vectors <= HELD)
        rows = held[vectors - 1];
    else if (args->weight && args->bias && vectors <= FOUR_TURNS) /* which these need */
        rows = vectors <= THREE_TURNS ? sl_layer_norm_3_sme2_asm : sl_layer_norm_4_sme2_asm;
    sl_streaming_run_za(rows, args);
}

const struct sl_reduce sl_reduce_layer_norm_f32_f32_4vl_sme2 = {
    .name = "sl_reduce_layer_norm_f32_f32_4vl_sme2",
    .needs = SL_ISA_SME2,
    .element = SL_F32,
    .op = SL_REDUCE_LAYER_NORM,
    .run = layer_norm,
};
