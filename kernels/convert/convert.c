/* kernels/convert/convert.c: which kernel of the list serves a run. */
#include "kernels/convert/convert.h"

#include "kernels/cpu/policy.h"

static const struct sl_convert *const list[] = {
#define SL_CONVERT(kernel) &kernel,
#include "kernels/convert/convert.inc"
#undef SL_CONVERT
};

const struct sl_convert *sl_convert_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_convert *sl_convert_select(uint32_t isa, int op)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_CONVERT);
    while ((list[i]->needs & ~isa) != 0 || list[i]->op != op)
        i++; /* ends: a portable kernel serves every op */
    return list[i];
}
