/* kernels/pool/argmax.c: which kernel of the list serves a run. */
#include "kernels/pool/argmax.h"

#include "kernels/cpu/policy.h"

static const struct sl_argmax *const list[] = {
#define SL_ARGMAX(kernel) &kernel,
#include "kernels/pool/argmax.inc"
#undef SL_ARGMAX
};

const struct sl_argmax *sl_argmax_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_argmax *sl_argmax_select(uint32_t isa)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_POOL);
    while ((list[i]->needs & ~isa) != 0)
        i++; /* ends: the last kernel of the list is portable */
    return list[i];
}
