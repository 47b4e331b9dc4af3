/* kernels/layout/permute.c: any permutation of 32-bit elements. */
#include "kernels/layout/layout.h"

#define SL_ELEMENT uint32_t
#define SL_NAME(before, after) before##after
#define SL_PERMUTE sl_permute_x32
#include "kernels/layout/permute.h"

bool sl_permute_transposes(size_t rank, const size_t *dims, const size_t *perm)
{
    struct plan plan;
    size_t count = plan_make(rank, dims, perm, &plan);
    return count != 0 && plan.rank > 1 && plan.in[plan.rank - 1] != 1;
}
