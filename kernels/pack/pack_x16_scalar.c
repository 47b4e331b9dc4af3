/* kernels/pack/pack_x16_scalar.c: the statement of what packing pairs of 16-bit elements computes.
 */
#include "kernels/pack/pack_x16.h"

void sl_pack_x16_1vl_scalar(const struct sl_pack_x16 *job, size_t vl)
{
    uint16_t *out = job->packed;
    for (size_t tile = 0; tile < job->tiles; tile++) {
        const uint16_t *const *rows = job->rows + tile * vl;
        for (size_t s = 0; s < job->segments; s++)
            for (size_t i = 0; i < job->segment_length; i += 2)
                for (size_t row = 0; row < vl; row++) {
                    const uint16_t *at = rows[row] + job->segment_offsets[s] + i;
                    *out++ = at[0];
                    *out++ = i + 1 < job->segment_length ? at[1] : 0;
                }
    }
}
