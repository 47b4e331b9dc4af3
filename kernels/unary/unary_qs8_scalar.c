/* kernels/unary/unary_qs8_scalar.c: portable look-up and clamp of int8. */
#include "kernels/cpu/isa.h"
#include "kernels/unary/unary_qs8.h"

static void look_up(const struct sl_unary_qs8_args *args)
{
    for (size_t i = 0; i < args->count; i++)
        args->out[i] = args->table[(uint8_t)args->in[i]];
}

static void clamp(const struct sl_unary_qs8_args *args)
{
    for (size_t i = 0; i < args->count; i++) {
        int8_t x = args->in[i] < args->min ? args->min : args->in[i];
        args->out[i] = x > args->max ? args->max : x;
    }
}

const struct sl_unary_qs8 sl_unary_table_qs8_qs8_1x1_scalar = {
    .name = "sl_unary_table_qs8_qs8_1x1_scalar",
    .needs = SL_ISA_NONE,
    .op = SL_UNARY_QS8_TABLE,
    .run = look_up,
};

const struct sl_unary_qs8 sl_unary_clamp_qs8_qs8_1x1_scalar = {
    .name = "sl_unary_clamp_qs8_qs8_1x1_scalar",
    .needs = SL_ISA_NONE,
    .op = SL_UNARY_QS8_CLAMP,
    .run = clamp,
};
