/* agent/runtime/ops/lookup.c */
#include "agent/runtime/ops/lookup.h"

#include <string.h>

#include "common/format/scalar_type.h"

bool sl_lookup_read(const struct sl_op_call *call, uint32_t arg, struct sl_lookup *l)
{
    ptrdiff_t strides[SL_PTE_MAX_RANK];
    uint32_t listed = sl_op_list_count(call, arg), last = 0;
    bool together = true;
    sl_walk_strides(l->whole, strides);
    if (listed > l->whole->rank)
        return false;
    for (uint32_t d = 0; d < listed; d++) {
        const struct sl_tensor *index = sl_op_list_tensor(call, arg, d);
        if (!index)
            continue;
        if (l->count == SL_LOOKUP_INDICES ||
            (index->scalar_type != SL_SCALAR_LONG && index->scalar_type != SL_SCALAR_INT))
            return false;
        together = together && (l->count == 0 || last + 1 == d);
        last = d;
        l->index[l->count] = index;
        l->limit[l->count] = (size_t)l->whole->sizes[d];
        l->stride[l->count] = strides[d];
        l->load[l->count++] = sl_cast_load(SL_CAST_I64, index->scalar_type);
        l->mask |= 1u << d;
    }
    l->first = together && l->mask ? (uint32_t)__builtin_ctz(l->mask) : 0;
    return l->count != 0;
}

bool sl_lookup_list(const struct sl_lookup *l, ptrdiff_t *out)
{
    struct sl_walk_at at = {{0}, {0}};
    int64_t block[SL_CAST_BLOCK];
    bool inside = true;
    do {
        for (size_t done = 0, count; done < l->places.dims[0]; done += count, out += count) {
            size_t left = l->places.dims[0] - done;
            count = left < SL_CAST_BLOCK ? left : SL_CAST_BLOCK;
            memset(out, 0, count * sizeof(*out));
            for (uint32_t k = 0; k < l->count; k++) {
                ptrdiff_t step = l->places.strides[k][0], stride = l->stride[k];
                int64_t limit = (int64_t)l->limit[k];
                l->load[k](l->index[k]->data + at.offset[k] + (ptrdiff_t)done * step, step, count,
                           block);
                for (size_t i = 0; i < count; i++) {
                    int64_t place = block[i] + (block[i] < 0 ? limit : 0);
                    inside = inside && (uint64_t)place < (uint64_t)limit;
                    out[i] += (ptrdiff_t)((uint64_t)place * (uint64_t)stride);
                }
            }
        }
    } while (inside && sl_walk_next(&l->places, &at));
    return inside;
}

/* The sizes that the indices broadcast to. */
static int broadcast_rank(const struct sl_lookup *l, int32_t *sizes)
{
    uint32_t rank = 0;
    for (uint32_t k = 0; k < l->count; k++)
        rank = l->index[k]->rank > rank ? l->index[k]->rank : rank;
    for (uint32_t d = 0; d < rank; d++)
        sizes[d] = 1;
    for (uint32_t k = 0; k < l->count; k++)
        for (uint32_t i = 1; i <= l->index[k]->rank; i++) {
            int32_t own = l->index[k]->sizes[l->index[k]->rank - i], *size = &sizes[rank - i];
            if (*size != own && *size != 1 && own != 1)
                return -1;
            *size = *size == 1 ? own : *size;
        }
    return (int)rank;
}

int sl_lookup_sizes(struct sl_lookup *l, int32_t *sizes)
{
    int32_t common[SL_PTE_MAX_RANK];
    int count = broadcast_rank(l, common), rank = 0;
    if (count < 0)
        return -1;
    for (uint32_t d = 0; d <= l->whole->rank; d++) {
        if (d == l->first) {
            memcpy(sizes + rank, common, (size_t)count * sizeof(*sizes));
            rank += count;
        }
        if (d < l->whole->rank && (l->mask >> d & 1u) == 0)
            sizes[rank++] = l->whole->sizes[d];
    }
    return rank;
}

bool sl_lookup_walk(struct sl_lookup *l, const int32_t *sizes, const ptrdiff_t *part_strides,
                    size_t *out_places)
{
    ptrdiff_t strides[SL_PTE_MAX_RANK], index_strides[SL_LOOKUP_INDICES][SL_PTE_MAX_RANK];
    ptrdiff_t column[SL_WALK_OPERANDS];
    int32_t common[SL_PTE_MAX_RANK];
    uint32_t count = (uint32_t)broadcast_rank(l, common);
    sl_walk_strides(l->whole, strides);
    for (uint32_t k = 0; k < l->count; k++)
        sl_walk_broadcast(l->index[k], count, index_strides[k]);
    l->places.operands = l->count + 1;
    l->box.operands = 2;
    for (uint32_t d = 0; d < count; d++) {
        for (uint32_t k = 0; k < l->count; k++)
            column[k] = index_strides[k][d];
        column[l->count] = part_strides[l->first + d];
        sl_walk_add(&l->places, (size_t)sizes[l->first + d], column);
    }
    for (uint32_t d = 0, to = 0; d < l->whole->rank; d++) {
        to += to == l->first ? count : 0;
        if ((l->mask >> d & 1u) != 0)
            continue;
        sl_walk_add(&l->box, (size_t)l->whole->sizes[d],
                    (const ptrdiff_t[2]){strides[d], part_strides[to++]});
    }
    if (!sl_walk_fold(&l->places) || !sl_walk_fold(&l->box))
        return false;
    *out_places = 1; /* as many as elements of the part, at most */
    for (uint32_t d = 0; d < l->places.rank; d++)
        *out_places *= l->places.dims[d];
    return true;
}
