/* agent/executorch/variant.h: a variant of a method on ExecuTorch: a plan of its own, with its own
 * memory, in this process, or what is known here of one in the process beside (apart_variant.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/executorch/executorch.h"
#include "agent/runtime/runtime.h"
#include "common/base/buf.h"

struct sl_variant {
    struct sl_method *method;           /* borrowed */
    struct sl_recorder *recorder;       /* borrowed; NULL: untraced */
    struct sl_runtime_events *events;   /* owned */
    struct sl_executorch_span *buffers; /* owned, as what they point to */
    struct sl_executorch_plan *plan;    /* owned; NULL: not loaded here */
    struct sl_kept_state *kept;         /* owned: as before the first execution */
    struct sl_tensor_view *outputs;     /* owned; of the execution that was last */
    struct sl_buf *packed;              /* borrowed; in the process beside: where its events go */
    bool apart;                         /* it is there: */
    struct sl_buf answer;               /* what `outputs` lie in */
};

/* One that is not loaded. Moves it to *out; end it with sl_variant_free(). 0 or
 * SL_ET_MEMORY_ALLOCATION_FAILED. */
int sl_variant_prepare(struct sl_method *method, struct sl_recorder *recorder,
                       struct sl_variant **out);

/* In this process. 0, SL_FEATURES_APART (features.h) where it cannot be, or a failure as runtime.h
 * says. */
int sl_variant_load_here(struct sl_variant *variant, uint32_t isa, struct sl_diag *diag);
int sl_variant_execute_here(struct sl_variant *variant, int traced, struct sl_diag *diag);
