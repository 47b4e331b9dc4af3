/* agent/runtime/ops/lookup.h: places that index tensors name in a tensor: x[i0, :, i1, ...], where
 * some dimensions are indexed by tensors that broadcast together. A mask, of Bool or bytes, stands
 * for the places along its dimensions where it is not zero: how many is known when it runs. */
#pragma once

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/op.h"
#include "agent/runtime/ops/walk.h"

enum { SL_LOOKUP_INDICES = SL_WALK_OPERANDS - 1 };
#define SL_LOOKUP_TAKES "it takes up to five index tensors, of Int or Long, or masks that fit"

struct sl_lookup {
    const struct sl_tensor *whole, *part; /* what is indexed; what lies at its places */
    const struct sl_tensor *index[SL_LOOKUP_INDICES];
    uint32_t count, first; /* of the part's dimensions the first that the indices span */
    size_t limit[SL_LOOKUP_INDICES];
    ptrdiff_t stride[SL_LOOKUP_INDICES]; /* of the whole along the indexed dimensions */
    sl_cast_load_fn load[SL_LOOKUP_INDICES];
    const struct sl_tensor *by_mask[SL_LOOKUP_INDICES]; /* or NULL */
    struct sl_tensor found[SL_LOOKUP_INDICES]; /* what a mask becomes: offsets into the whole */
    size_t found_at[SL_LOOKUP_INDICES];        /* their place in the workspace */
    bool masked;                               /* one of them is a mask */
    unsigned mask;                             /* dimensions of the whole that are indexed */
    size_t bytes;                              /* moved at a time */
    size_t dense;          /* how many places, when what they write lies without gaps; or 0 */
    size_t table;          /* offsets into the whole for all places, in the workspace */
    struct sl_walk places; /* the indices, then the part: over the broadcast sizes */
    struct sl_walk box;    /* whole, part: over what is not indexed */
};

/* Reads the list of indices, argument 1 or as `arg` says, of a whole that is set, and reserves the
 * table. False where it has too many, or one that is none of Int, Long, Bool and bytes. */
bool sl_lookup_read(struct sl_op_call *call, uint32_t arg, struct sl_lookup *l);
/* Turns masks into places; then sizes and walks can be laid, as long as the masks stay. */
void sl_lookup_find(const struct sl_op_call *call, struct sl_lookup *l);
/* The sizes of the part: those of the indices where the first indexed dimension was, or first when
 * they lie apart, and those that are not indexed. Room for 2 * SL_TENSOR_MAX_RANK; returns the
 * rank, or -1 where the indices do not broadcast. */
int sl_lookup_sizes(struct sl_lookup *l, int32_t *sizes);
/* Lays the walks for a part of these sizes and strides. How many places there are; 0: nothing to
 * walk. */
size_t sl_lookup_walk(struct sl_lookup *l, const int32_t *sizes, const ptrdiff_t *part_strides);
/* Lists the offset of each place in the whole, in bytes, in the order of the walk. False: one is
 * outside. */
bool sl_lookup_list(const struct sl_lookup *l, ptrdiff_t *out);
