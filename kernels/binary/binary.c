/* kernels/binary/binary.c: which kernel of the list serves a run. */
#include "kernels/binary/binary.h"

#include "kernels/cpu/policy.h"

static const struct sl_binary *const list[] = {
#define SL_BINARY(kernel) &kernel,
#include "kernels/binary/binary.inc"
#undef SL_BINARY
};

const struct sl_binary *sl_binary_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_binary *sl_binary_select(uint32_t isa, int op)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_BINARY);
    while ((list[i]->needs & ~isa) != 0 || list[i]->op != op)
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}
