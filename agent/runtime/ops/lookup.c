/* agent/runtime/ops/lookup.c */
#include "agent/runtime/ops/lookup.h"

#include <string.h>

#include "common/format/scalar_type.h"

/* True if a mask has the sizes of the whole from `dim` on. */
static bool covers(const struct sl_tensor *mask, const struct sl_tensor *whole, uint32_t dim)
{
    bool fits = mask->rank != 0 && dim + mask->rank <= whole->rank;
    for (uint32_t d = 0; fits && d < mask->rank; d++)
        fits = mask->sizes[d] == whole->sizes[dim + d];
    return fits;
}

/* A mask becomes a list of offsets, as many as it has elements at most. */
static void take_mask(struct sl_op_call *call, struct sl_lookup *l, const struct sl_tensor *mask)
{
    size_t count = sl_tensor_count(mask);
    struct sl_tensor *found = &l->found[l->count];
    *found = (struct sl_tensor){.scalar_type = SL_SCALAR_LONG, .rank = 1};
    found->element_bytes = sizeof(int64_t);
    found->sizes[0] = (int32_t)count; /* a tensor's count of elements fits: so do its sizes */
    found->nbytes = count * sizeof(int64_t);
    l->found_at[l->count] = sl_ref_scratch(call, found->nbytes).offset;
    l->by_mask[l->count] = mask;
    l->index[l->count] = found;
    l->limit[l->count] = l->whole->nbytes;
    l->stride[l->count] = 1;
    l->masked = true;
}

/* Takes an index that begins at dimension *dim of the whole, which moves on. */
static bool take_index(struct sl_op_call *call, struct sl_lookup *l, const struct sl_tensor *index,
                       const ptrdiff_t *strides, uint32_t *dim)
{
    int type = index->scalar_type;
    bool mask = type == SL_SCALAR_BOOL || type == SL_SCALAR_BYTE;
    uint32_t width = mask ? index->rank : 1;
    if (l->count == SL_LOOKUP_INDICES || *dim + width > l->whole->rank ||
        (!mask && type != SL_SCALAR_LONG && type != SL_SCALAR_INT) ||
        (mask && !covers(index, l->whole, *dim)))
        return false;
    if (mask) {
        take_mask(call, l, index);
    } else {
        l->index[l->count] = index;
        l->limit[l->count] = (size_t)l->whole->sizes[*dim];
        l->stride[l->count] = strides[*dim];
    }
    l->load[l->count] = sl_cast_load(SL_CAST_I64, mask ? SL_SCALAR_LONG : type);
    l->count++;
    for (; width > 0; width--)
        l->mask |= 1u << (*dim)++;
    return true;
}

/* The most places that the indices can broadcast to. */
static size_t most_places(const struct sl_lookup *l)
{
    size_t places = 1;
    for (uint32_t i = 1; i <= SL_TENSOR_MAX_RANK; i++) {
        size_t most = 0;
        for (uint32_t k = 0; k < l->count; k++) {
            const struct sl_tensor *index = l->index[k];
            size_t own = i <= index->rank ? (size_t)index->sizes[index->rank - i] : 1;
            most = own > most ? own : most;
        }
        if (most > 1 && __builtin_mul_overflow(places, most, &places))
            return SIZE_MAX / sizeof(ptrdiff_t);
    }
    return places;
}

bool sl_lookup_read(struct sl_op_call *call, uint32_t arg, struct sl_lookup *l)
{
    ptrdiff_t strides[SL_TENSOR_MAX_RANK];
    uint32_t listed = sl_op_list_count(call, arg), dim = 0;
    sl_walk_strides(l->whole, strides);
    for (uint32_t i = 0; i < listed; i++) {
        const struct sl_tensor *index = sl_op_list_tensor(call, arg, i);
        if (!index && dim < l->whole->rank)
            dim++;
        else if (!index || !take_index(call, l, index, strides, &dim))
            return false;
    }
    unsigned lowest = l->mask & (0 - l->mask); /* together: one run of bits */
    l->first =
        l->mask && ((l->mask + lowest) & l->mask) == 0 ? (uint32_t)__builtin_ctz(l->mask) : 0;
    l->table = sl_ref_scratch(call, most_places(l) * sizeof(ptrdiff_t)).offset;
    return true;
}

/* Lists the places where the mask is not zero, in its logical order, as offsets along the strides
 * of the whole. Returns how many there are. */
static size_t find_places(const struct sl_tensor *mask, const ptrdiff_t *strides, int64_t *out)
{
    size_t at[SL_TENSOR_MAX_RANK] = {0}, found = 0, count = sl_tensor_count(mask);
    ptrdiff_t own[SL_TENSOR_MAX_RANK], from = 0, to = 0;
    sl_walk_strides(mask, own);
    for (size_t i = 0; i < count; i++) {
        if (mask->data[from] != 0)
            out[found++] = (int64_t)to;
        for (uint32_t d = mask->rank; d > 0; d--) {
            from += own[d - 1];
            to += strides[d - 1];
            if (++at[d - 1] < (size_t)mask->sizes[d - 1])
                break;
            from -= own[d - 1] * (ptrdiff_t)at[d - 1];
            to -= strides[d - 1] * (ptrdiff_t)at[d - 1];
            at[d - 1] = 0;
        }
    }
    return found;
}

void sl_lookup_find(const struct sl_op_call *call, struct sl_lookup *l)
{
    ptrdiff_t strides[SL_TENSOR_MAX_RANK];
    unsigned left = l->mask;
    sl_walk_strides(l->whole, strides);
    for (uint32_t k = 0; k < l->count; k++) {
        const struct sl_tensor *mask = l->by_mask[k];
        uint32_t dim = (uint32_t)__builtin_ctz(left);
        for (uint32_t width = mask ? mask->rank : 1; width > 0; width--)
            left &= left - 1;
        if (!mask)
            continue;
        int64_t *to = (int64_t *)(void *)(call->method->workspace.base + l->found_at[k]);
        size_t found = find_places(mask, strides + dim, to);
        l->found[k].data = (uint8_t *)to;
        l->found[k].sizes[0] = (int32_t)found;
        l->found[k].nbytes = found * sizeof(*to);
    }
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
    int32_t common[SL_TENSOR_MAX_RANK];
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

size_t sl_lookup_walk(struct sl_lookup *l, const int32_t *sizes, const ptrdiff_t *part_strides)
{
    size_t places = 1; /* as many as elements of the part, at most */
    ptrdiff_t strides[SL_TENSOR_MAX_RANK], index_strides[SL_LOOKUP_INDICES][SL_TENSOR_MAX_RANK];
    ptrdiff_t column[SL_WALK_OPERANDS];
    int32_t common[SL_TENSOR_MAX_RANK];
    uint32_t count = (uint32_t)broadcast_rank(l, common);
    sl_walk_strides(l->whole, strides);
    for (uint32_t k = 0; k < l->count; k++)
        sl_walk_broadcast(l->index[k], count, index_strides[k]);
    l->places = (struct sl_walk){.operands = l->count + 1};
    l->box = (struct sl_walk){.operands = 2};
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
        return 0;
    for (uint32_t d = 0; d < l->places.rank; d++)
        places *= l->places.dims[d];
    return places;
}
