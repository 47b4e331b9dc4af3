/* agent/runtime/ops/rank.h: the first of many numbers, equals in the order in which ExecuTorch has
 * them: that of the heap and of the selection in GCC's C++ library, which it is built with. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_ranked {
    union {
        double real; /* exact for f32 */
        int64_t whole;
    } value;
    int64_t index;
};

struct sl_rank_order {
    bool whole;   /* else real: NaN is larger than any number */
    bool largest; /* stand first; else the smallest */
};

/* Makes a heap of `count` >= 1 elements, whose root is the one that would stand last. */
void sl_rank_heap(const struct sl_rank_order *order, struct sl_ranked *heap, size_t count);
/* Puts `next` in the place of the root, if it stands before that. */
void sl_rank_offer(const struct sl_rank_order *order, struct sl_ranked *heap, size_t count,
                   struct sl_ranked next);
/* From a heap to its elements in order. */
void sl_rank_sort_heap(const struct sl_rank_order *order, struct sl_ranked *heap, size_t count);

/* Brings the first `count` >= 1 of `length` elements to the front, in order if `sorted`. */
void sl_rank_select(const struct sl_rank_order *order, struct sl_ranked *all, size_t length,
                    size_t count, bool sorted);
