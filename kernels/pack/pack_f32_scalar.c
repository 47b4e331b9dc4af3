/* kernels/pack/pack_f32_scalar.c: the statement of what packing the left operand computes, and how
 * much is packed at a time. */
#include "kernels/pack/pack_f32.h"

void sl_pack_f32_1vl_scalar(const struct sl_pack_f32 *job, size_t vl)
{
    float *out = job->packed;
    for (size_t tile = 0; tile < job->tiles; tile++) {
        const float *const *rows = job->rows + tile * vl;
        for (size_t s = 0; s < job->segments; s++) {
            for (size_t i = 0; i < job->segment_length; i++) {
                for (size_t row = 0; row < vl; row++)
                    *out++ = rows[row][job->segment_offsets[s] + (int64_t)i];
            }
        }
    }
}
