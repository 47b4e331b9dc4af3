/* kernels/binary/binary_qs8_scalar.c: portable sums and products of int8. */
#include "kernels/binary/binary_qs8.h"
#include "kernels/cpu/isa.h"

static int8_t finish(int64_t value, struct sl_requant_out out)
{
    value += out.zero;
    value = value < out.min ? out.min : value;
    return (int8_t)(value > out.max ? out.max : value);
}

/* Shifts right by `bits`, at least 1; ties go up. */
static int64_t rounded_off(int64_t value, int32_t bits)
{
    return (value + (INT64_C(1) << (bits - 1))) >> bits;
}

static void add(const struct sl_binary_qs8_args *args)
{
    const struct sl_binary_qs8_plan *p = &args->plan;
    for (size_t i = 0; i < args->count; i++) {
        int64_t sum = (int64_t)p->a_multiplier * (args->a[i * args->a_step] - p->a_zero) +
                      (int64_t)p->b_multiplier * (args->b[i * args->b_step] - p->b_zero);
        args->out[i] = finish(rounded_off(sum, p->shift), args->out_quant);
    }
}

static void multiply(const struct sl_binary_qs8_args *args)
{
    const struct sl_binary_qs8_plan *p = &args->plan;
    for (size_t i = 0; i < args->count; i++) {
        int64_t product = (int64_t)(args->a[i * args->a_step] - p->a_zero) *
                          (args->b[i * args->b_step] - p->b_zero);
        int64_t high = (product * (INT64_C(2) << p->pre_shift) * p->a_multiplier) >> 32;
        args->out[i] = finish(rounded_off(high, p->shift), args->out_quant);
    }
}

const struct sl_binary_qs8 sl_binary_add_qs8_qs8_qs8_1x1_scalar = {
    .name = "sl_binary_add_qs8_qs8_qs8_1x1_scalar",
    .needs = SL_ISA_NONE,
    .op = SL_BINARY_ADD,
    .run = add,
};

const struct sl_binary_qs8 sl_binary_multiply_qs8_qs8_qs8_1x1_scalar = {
    .name = "sl_binary_multiply_qs8_qs8_qs8_1x1_scalar",
    .needs = SL_ISA_NONE,
    .op = SL_BINARY_MULTIPLY,
    .run = multiply,
};
