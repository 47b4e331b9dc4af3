/* common/format/tensor_shape.h: the shape of a tensor as several of ExecuTorch's schemas write it:
 * an element type, sizes and the order of dimensions in memory. */
#pragma once

#include <stdint.h>

#include "common/format/flatbuf.h"

enum { SL_TENSOR_MAX_RANK = 16 };

/* A CPU's address space holds no more: shapes of more bytes are damage, whether or not the product
 * of their sizes wraps. */
#define SL_TENSOR_MAX_BYTES ((uint64_t)1 << 47)

/* The slots of these fields in a schema's table. */
struct sl_tensor_slots {
    unsigned type, sizes, dim_order;
};

struct sl_tensor_shape {
    int scalar_type;          /* enum sl_scalar_type */
    uint32_t rank;            /* at most SL_TENSOR_MAX_RANK */
    const int32_t *sizes;     /* of the arena; none negative */
    const uint8_t *dim_order; /* permutation of 0..rank-1, borrowed from the file */
    uint64_t nbytes;          /* at most SL_TENSOR_MAX_BYTES */
};

/* Failures stick in fb->error; *out then means nothing. */
void sl_tensor_shape_check(struct sl_flatbuf *fb, int scalar_type, struct sl_flatbuf_vector sizes,
                           struct sl_flatbuf_vector dim_order, uint32_t at,
                           struct sl_tensor_shape *out);
/* The same of what a table has in these slots. */
void sl_tensor_shape_read(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                          struct sl_tensor_slots slots, struct sl_tensor_shape *out);
