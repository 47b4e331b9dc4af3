/* kernels/conv/conv_qs8.c: which kernel of the list serves a run. */
#include "kernels/conv/conv_qs8.h"

#include "kernels/cpu/policy.h"

static const struct sl_conv_qs8 *const list[] = {
#define SL_CONV_QS8(kernel) &kernel,
#include "kernels/conv/conv_qs8.inc"
#undef SL_CONV_QS8
};

const struct sl_conv_qs8 *sl_conv_qs8_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_conv_qs8 *sl_conv_qs8_select(uint32_t isa)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_CONV_INT8);
    while ((list[i]->needs & ~isa) != 0)
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}

void sl_conv_qs8_dense(struct sl_conv_qs8_args *args)
{
    args->out_pixel = args->shape.groups * args->shape.group_out_c;
    args->out_row = args->shape.out_w * args->out_pixel;
    args->out_image = args->shape.out_h * args->out_row;
}
