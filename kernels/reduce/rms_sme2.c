/* kernels/reduce/rms_sme2.c: RMS norm of rows in streaming mode. */
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/reduce/reduce.h"

/* They know the layout of struct sl_reduce_args. */
void sl_rms_norm_rows_f32_sme2_asm(const void *args) __arm_streaming __arm_inout("za");
void sl_rms_norm_rows_f16_sme2_asm(const void *args) __arm_streaming __arm_inout("za");

static void rms_norm_f32(const struct sl_reduce_args *args)
{
    sl_streaming_run_za(sl_rms_norm_rows_f32_sme2_asm, args);
}

const struct sl_reduce sl_reduce_rms_norm_f32_f32_8vl_sme2 = {
    .name = "sl_reduce_rms_norm_f32_f32_8vl_sme2",
    .needs = SL_ISA_SME2,
    .element = SL_F32,
    .op = SL_REDUCE_RMS_NORM,
    .run = rms_norm_f32,
};

static void rms_norm_f16(const struct sl_reduce_args *args)
{
    sl_streaming_run_za(sl_rms_norm_rows_f16_sme2_asm, args);
}

const struct sl_reduce sl_reduce_rms_norm_f16_f16_8vl_sme2 = {
    .name = "sl_reduce_rms_norm_f16_f16_8vl_sme2",
    .needs = SL_ISA_SME2,
    .element = SL_F16,
    .op = SL_REDUCE_RMS_NORM,
    .run = rms_norm_f16,
};
