/* kernels/pack/pack_x8.c: the statements of what packing bytes computes. */
#include "kernels/pack/pack_x8.h"

/* Byte i of a row of `count`, zero behind its end. */
static uint8_t byte_at(const int8_t *row, size_t i, size_t count)
{
    return i < count ? (uint8_t)row[i] : 0;
}

void sl_pack_x8_1vl_scalar(const struct sl_pack_x8 *job, size_t vl)
{
    uint8_t *out = job->packed;
    size_t length = job->segment_length;
    for (size_t tile = 0; tile < job->tiles; tile++) {
        const int8_t *const *rows = job->rows + tile * vl;
        for (size_t s = 0; s < job->segments; s++)
            for (size_t i = 0; i < length; i += 4)
                for (size_t j = 0; j < 4 * vl; j++)
                    *out++ = byte_at(rows[j / 4] + job->segment_offsets[s], i + j % 4, length);
    }
}

void sl_pack_x8_2vl_scalar(const struct sl_pack_x8_pair *job, size_t vl)
{
    uint8_t *out = job->packed;
    for (size_t i = 0; i < job->k; i += 4, out += job->stride_bytes)
        for (size_t j = 0; j < 8 * vl; j++)
            out[j] = byte_at(job->rows[j / 4], i + j % 4, job->k);
}
