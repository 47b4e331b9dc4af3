/* tests/support/wrong_kernel.c: a mistake in one kernel, for the agent of integration/wrong_kernel:
 * 1 is added to every bias of packed SME2 weights in f32. The linker puts this in place of the
 * packing (-Wl,--wrap). */
#include <stdlib.h>

#include "kernels/pack/pack_rhs_f32.h"

void __real_sl_pack_rhs_f32_sme2(const struct sl_pack_rhs_f32 *job);
void __wrap_sl_pack_rhs_f32_sme2(const struct sl_pack_rhs_f32 *job);

void __wrap_sl_pack_rhs_f32_sme2(const struct sl_pack_rhs_f32 *job)
{
    struct sl_pack_rhs_f32 wrong = *job;
    float *biases = calloc(job->n + 1, sizeof(*biases));
    if (!biases)
        abort();
    for (size_t i = 0; i < job->n; i++)
        biases[i] = (job->bias ? job->bias[i] : 0) + 1;
    wrong.bias = biases;
    __real_sl_pack_rhs_f32_sme2(&wrong);
    free(biases);
}
