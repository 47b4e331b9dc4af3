/* kernels/convert/quantise.c: which kernel of the list serves a run. */
#include "kernels/convert/quantise.h"

#include "kernels/cpu/policy.h"

static const struct sl_quantise *const list[] = {
#define SL_QUANTISE(kernel) &kernel,
#include "kernels/convert/quantise.inc"
#undef SL_QUANTISE
};

const struct sl_quantise *sl_quantise_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_quantise *sl_quantise_select(uint32_t isa)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_CONVERT);
    while ((list[i]->needs & ~isa) != 0)
        i++; /* ends: the last kernel of the list is portable */
    return list[i];
}
