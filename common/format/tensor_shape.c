/* common/format/tensor_shape.c */
#include "common/format/tensor_shape.h"

#include <inttypes.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/format/flatbuf.h"
#include "common/format/scalar_type.h"

enum { COMPLEX_HALF = 8, COMPLEX_DOUBLE = 10 }; /* ExecuTorch's numbers, single precision between */

/* Sizes, order and bytes of data in one pass: no use of the bytes can wrap. */
static void check_dimensions(struct sl_flatbuf *fb, struct sl_tensor_shape *tensor, uint32_t at)
{
    const int32_t *sizes = tensor->sizes;
    const uint8_t *order = tensor->dim_order;
    uint64_t bytes = sl_scalar_size(tensor->scalar_type);
    uint32_t seen = 0; /* a rank is far below 31 */
    int32_t signs = 0;
    bool over = false;
    if (bytes == 0)
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "a tensor has unknown element type %d%s",
                        tensor->scalar_type,
                        tensor->scalar_type >= COMPLEX_HALF && tensor->scalar_type <= COMPLEX_DOUBLE
                            ? ": complex numbers, which no operator here takes"
                            : "");
    for (uint32_t i = 0; i < tensor->rank; i++) {
        seen |= 1u << (order[i] < 31 ? order[i] : 31);
        signs |= sizes[i];
        over |= __builtin_mul_overflow(bytes, (uint64_t)sizes[i], &bytes);
        over |= bytes > SL_TENSOR_MAX_BYTES;
    }
    if (signs < 0)
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "a tensor's size is negative");
    if (seen != (1u << tensor->rank) - 1)
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "the dimension order is not a permutation");
    if (over)
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "a tensor's sizes multiply to more than can be");
    tensor->nbytes = bytes;
}

/* Returns the sizes in place if this machine can read them so, else a copy, bounded by the rank. */
static const int32_t *sizes_of(struct sl_flatbuf *fb, const struct sl_flatbuf_vector *sizes)
{
    const uint8_t *at = fb->data + sizes->at;
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && (uintptr_t)at % sizeof(int32_t) == 0
               ? (const int32_t *)(const void *)at
               : sl_flatbuf_numbers(fb, sizes, sizeof(int32_t));
}

void sl_tensor_shape_check(struct sl_flatbuf *fb, int scalar_type, struct sl_flatbuf_vector sizes,
                           struct sl_flatbuf_vector dim_order, uint32_t at,
                           struct sl_tensor_shape *out)
{
    if (fb->error != 0)
        return;
    if (!sizes.present || !dim_order.present || sizes.count != dim_order.count ||
        sizes.count > SL_TENSOR_MAX_RANK) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, at,
                        "a tensor has %" PRIu32 " sizes and a dimension order of %" PRIu32,
                        sizes.count, dim_order.count);
        return;
    }
    out->scalar_type = scalar_type;
    out->rank = sizes.count;
    out->sizes = sizes_of(fb, &sizes);
    out->dim_order = fb->data + dim_order.at;
    if (out->sizes)
        check_dimensions(fb, out, at);
}

void sl_tensor_shape_read(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                          struct sl_tensor_slots slots, struct sl_tensor_shape *out)
{
    *out = (struct sl_tensor_shape){0};
    sl_tensor_shape_check(fb, (int8_t)sl_flatbuf_u8(fb, table, slots.type, 0),
                          sl_flatbuf_vector(fb, table, slots.sizes, 4),
                          sl_flatbuf_vector(fb, table, slots.dim_order, 1), table->at, out);
}
