/* common/format/tensor_shape.c */
#include "common/format/tensor_shape.h"

#include <inttypes.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/format/flatbuf_fast.h"
#include "common/format/pte.h"
#include "common/format/scalar_type.h"

static void check_dim_order(struct sl_flatbuf *fb, const struct sl_tensor_shape *tensor,
                            uint32_t at)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < tensor->rank; i++) /* a rank is far below 31 */
        seen |= 1u << (tensor->dim_order[i] < 31 ? tensor->dim_order[i] : 31);
    if (fb->error == 0 && seen != (1u << tensor->rank) - 1)
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "the dimension order is not a permutation");
}

/* The sizes where they stand, if they are numbers of this machine there, else a copy. */
static const int32_t *own_sizes(struct sl_flatbuf *fb, const struct sl_flatbuf_vector *sizes)
{
    const uint8_t *at = fb->data + sizes->at;
    const int32_t *in_place = (const int32_t *)(const void *)at;
    int32_t *own = NULL, any = 0;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || (uintptr_t)at % sizeof(*own) != 0) {
        own = sl_flatbuf_alloc(fb, sizes->count, sizeof(*own));
        for (uint32_t i = 0; own && i < sizes->count; i++)
            own[i] = (int32_t)sl_load_u32(at + 4 * i);
        in_place = own;
    }
    for (uint32_t i = 0; in_place && i < sizes->count; i++)
        any |= in_place[i];
    if (any < 0)
        sl_flatbuf_fail(fb, SL_E_FORMAT, sizes->at, "a tensor's size is negative");
    return in_place;
}

static void read_sizes(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                       struct sl_tensor_slots slots, struct sl_tensor_shape *tensor)
{
    struct sl_flatbuf_vector sizes = sl_flatbuf_fast_vector(fb, table, slots.sizes, 4);
    struct sl_flatbuf_vector order = sl_flatbuf_fast_vector(fb, table, slots.dim_order, 1);
    if (fb->error != 0)
        return;
    if (!sizes.present || !order.present || sizes.count != order.count ||
        sizes.count > SL_PTE_MAX_RANK) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at,
                        "a tensor has %" PRIu32 " sizes and a dimension order of %" PRIu32,
                        sizes.count, order.count);
        return;
    }
    tensor->rank = sizes.count;
    tensor->sizes = own_sizes(fb, &sizes);
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
    bool over = false;
    for (uint32_t i = 0; i < tensor->rank && fb->error == 0; i++)
        over |=
            __builtin_mul_overflow(bytes, (uint64_t)tensor->sizes[i], &bytes) | (bytes > INT64_MAX);
    if (over)
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "a tensor's sizes multiply to more than can be");
    return bytes;
}

void sl_tensor_shape_read(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                          struct sl_tensor_slots slots, struct sl_tensor_shape *out)
{
    *out = (struct sl_tensor_shape){.scalar_type =
                                        (int8_t)sl_flatbuf_fast_u8(fb, table, slots.type, 0)};
    read_sizes(fb, table, slots, out);
    out->nbytes = tensor_bytes(fb, out, table->at);
}
