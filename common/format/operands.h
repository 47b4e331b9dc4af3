/* common/format/operands.h: the shapes of an operator's operands, and its multiply-accumulates. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_OPERANDS_MAX = 8, SL_OPERANDS_RANK = 8, SL_OPERANDS_WORDS_BYTES = 896 };

/* Outermost dimension first; a scalar is one of 1. */
struct sl_dims {
    uint32_t rank;
    uint32_t of[SL_OPERANDS_RANK];
};

/* No padding: equal operands have equal bytes. */
struct sl_operands {
    uint64_t macs; /* multiply-accumulates; 0 for what has none; saturates */
    uint32_t count;
    struct sl_dims in[SL_OPERANDS_MAX]; /* those from `count` on are all zeros */
    struct sl_dims out;
};

/* One dimension more. Those beyond SL_OPERANDS_RANK are counted only. */
void sl_dims_add(struct sl_dims *dims, uint64_t size);

/* The next operand to fill in; those beyond SL_OPERANDS_MAX are counted only and go to *beyond. */
struct sl_dims *sl_operands_add(struct sl_operands *operands, struct sl_dims *beyond);

/* True where nothing is beyond the limits; an output may be missing. */
bool sl_operands_are_whole(const struct sl_operands *operands);

/* Saturates. The second takes the dimensions from `first` to before `end`. */
uint64_t sl_dims_count(const struct sl_dims *dims);
uint64_t sl_dims_product(const struct sl_dims *dims, uint32_t first, uint32_t end);
/* Dimension `back` from the innermost; 1 outside the rank. */
uint64_t sl_dims_back(const struct sl_dims *dims, uint32_t back);

/* When all are filled in: counts the multiply-accumulates of an operator of this kind, which is the
 * serialized node's ("Conv2d") or the operator's full name ("aten::mm.out"). `turned`: the left
 * matrix is [k][m]; an aten::convolution is a transposed one. Clears what is not whole. */
void sl_operands_finish(struct sl_operands *operands, const char *kind, bool turned);

/* "1x56x56x64 * 128x3x3x64 -> 1x56x56x128", cut at `size`. The second writes "1x56x56x64". Both
 * return `text`. */
const char *sl_operands_words(const struct sl_operands *operands, char *text, size_t size);
const char *sl_dims_words(const struct sl_dims *dims, char *text, size_t size);
