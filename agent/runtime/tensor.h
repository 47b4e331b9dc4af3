/* agent/runtime/tensor.h: a tensor at run time: shape now, bounds, and where its bytes are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/format/pte.h"

struct sl_diag;

struct sl_tensor {
    int scalar_type; /* enum sl_scalar_type */
    uint32_t rank;
    bool dynamic;                      /* sizes may shrink below the bounds */
    bool constant;                     /* read only: lies in the program file */
    bool planned;                      /* memory stays for the method's life */
    int32_t sizes[SL_TENSOR_MAX_RANK]; /* logical, now */
    uint8_t dim_order[SL_TENSOR_MAX_RANK];
    const int32_t *bounds; /* logical upper bounds, borrowed from the program */
    size_t element_bytes;
    size_t nbytes;     /* of the sizes now */
    size_t max_nbytes; /* of the bounds */
    size_t room_bytes; /* that `data` has; 0 while data is NULL */
    uint8_t *data;
    uint64_t stamp; /* changes whenever sizes or data do: whoever prepared for them compares it */
};

/* Sets up zeros from the program's description, without data. Returns 0, SL_ET_NOT_SUPPORTED for a
 * type or dynamism we lack, SL_ET_INVALID_PROGRAM for a size that overflows. */
int sl_tensor_init(struct sl_tensor *tensor, const struct sl_pte_tensor *from,
                   struct sl_diag *diag);

/* Gives the tensor new logical sizes by ExecuTorch's rule: a static tensor only its own, a dynamic
 * one any of the same rank that fits its bounds' bytes. 0 or SL_ET_NOT_SUPPORTED. */
int sl_tensor_resize(struct sl_tensor *tensor, uint32_t rank, const int32_t *sizes,
                     struct sl_diag *diag);

/* Points the tensor at `room_bytes` of data. */
void sl_tensor_bind(struct sl_tensor *tensor, void *data, size_t room_bytes);

/* Elements now. */
size_t sl_tensor_count(const struct sl_tensor *tensor);
/* True if memory order is logical order. */
bool sl_tensor_contiguous(const struct sl_tensor *tensor);
/* Memory-order sizes: dims[j] = sizes[dim_order[j]]. */
void sl_tensor_memory_dims(const struct sl_tensor *tensor, size_t *dims);
