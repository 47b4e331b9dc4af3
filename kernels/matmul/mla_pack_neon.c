/* kernels/matmul/mla_pack_neon.c */
#include "kernels/matmul/mla_neon.h"

void sl_mla_pack_panels(size_t n, size_t k, const float *rhs, size_t n_stride, size_t k_stride,
                        const float *bias, float *packed)
{
    for (size_t j0 = 0; j0 < n; j0 += SL_MLA_NR) {
        size_t end = j0 + 4 * sl_mla_panel_vectors(n, j0);
        for (size_t j = j0; j < end; j++)
            *packed++ = bias && j < n ? bias[j] : 0;
        for (size_t p = 0; p < k; p++)
            for (size_t j = j0; j < end; j++)
                *packed++ = j < n ? rhs[j * n_stride + p * k_stride] : 0;
    }
}
