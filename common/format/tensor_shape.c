/* common/format/tensor_shape.c */
#include "common/format/tensor_shape.h"

#include <inttypes.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/format/pte.h"
#include "common/format/scalar_type.h"

static void check_dim_order(struct sl_flatbuf *fb, const struct sl_tensor_shape *tensor,
                            uint32_t at)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < tensor->rank && fb->error == 0; i++) {
        uint8_t dim = tensor->dim_order[i];
        if (dim >= tensor->rank || (seen >> dim & 1) != 0)
            sl_flatbuf_fail(fb, SL_E_FORMAT, at, "the dimension order is not a permutation");
        else
            seen |= 1u << dim;
    }
}

static void read_sizes(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                       struct sl_tensor_slots slots, struct sl_tensor_shape *tensor)
{
    struct sl_flatbuf_vector sizes = sl_flatbuf_vector(fb, table, slots.sizes, 4);
    struct sl_flatbuf_vector order = sl_flatbuf_vector(fb, table, slots.dim_order, 1);
    if (fb->error != 0)
        return;
    if (!sizes.present || !order.present || sizes.count != order.count ||
        sizes.count > SL_PTE_MAX_RANK) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at,
                        "a tensor has %" PRIu32 " sizes and a dimension order of %" PRIu32,
                        sizes.count, order.count);
        return;
    }
    int32_t *own = sl_flatbuf_alloc(fb, sizes.count, sizeof(*own));
    for (uint32_t i = 0; i < sizes.count && fb->error == 0; i++) {
        own[i] = (int32_t)sl_load_u32(fb->data + sizes.at + 4 * i);
        if (own[i] < 0)
            sl_flatbuf_fail(fb, SL_E_FORMAT, sizes.at + 4 * i, "a tensor's size is negative");
    }
    tensor->rank = sizes.count;
    tensor->sizes = own;
    tensor->dim_order = fb->data + order.at;
    check_dim_order(fb, tensor, order.at);
}

/* Bytes of the tensor's data, checked: no use of them can wrap. */
static uint64_t tensor_bytes(struct sl_flatbuf *fb, const struct sl_tensor_shape *tensor,
                             uint32_t at)
{
    uint64_t bytes = sl_scalar_size(tensor->scalar_type);
    if (fb->error == 0 && bytes == 0)
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "a tensor has unknown element type %d",
                        tensor->scalar_type);
    for (uint32_t i = 0; i < tensor->rank && fb->error == 0; i++) {
        if (__builtin_mul_overflow(bytes, (uint64_t)tensor->sizes[i], &bytes) || bytes > INT64_MAX)
            sl_flatbuf_fail(fb, SL_E_FORMAT, at, "a tensor's sizes multiply to more than can be");
    }
    return bytes;
}

void sl_tensor_shape_read(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                          struct sl_tensor_slots slots, struct sl_tensor_shape *out)
{
    *out = (struct sl_tensor_shape){.scalar_type = (int8_t)sl_flatbuf_u8(fb, table, slots.type, 0)};
    read_sizes(fb, table, slots, out);
    out->nbytes = tensor_bytes(fb, out, table->at);
}
