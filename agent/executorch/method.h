/* agent/executorch/method.h: models, external data and methods on ExecuTorch, and what the inputs
 * of a method are set to. Their functions are those of agent/runtime/runtime.h: in method.c, but
 * sl_method_output(), which is the last variant's: in variant.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/executorch/executorch.h"
#include "agent/runtime/runtime.h"
#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/format/bundle.h"
#include "common/format/tensor_shape.h"

struct sl_model {
    char *path;                            /* owned */
    struct sl_bytes file;                  /* owned: mapped; none where it is not to be had */
    struct sl_bundle bundle;               /* in `file`; no pool: it is a plain program */
    struct sl_bytes bytes;                 /* the program in `file` */
    struct sl_executorch_program *program; /* owned */
    const struct sl_data *data;            /* borrowed; NULL: none was given */
};

struct sl_input {
    struct sl_tensor_view view;        /* its bytes are `bytes`; `plain` has the kind alone */
    const int32_t *bounds;             /* of the program */
    int32_t sizes[SL_TENSOR_MAX_RANK]; /* of the view */
    struct sl_buf bytes;               /* as they were set last */
};

struct sl_method {
    struct sl_model *model;         /* borrowed */
    struct sl_executorch_method of; /* the program */
    struct sl_input *inputs;        /* owned */
    bool renewed;            /* every execution begins with the state that the first one had */
    struct sl_variant *last; /* whose outputs are the method's: executed last, or made */
};
