/* agent/runtime/model.h: the open program file. */
#pragma once

#include <stddef.h>

#include "agent/runtime/runtime.h"
#include "common/format/pte.h"

struct sl_model {
    struct sl_bytes file;
    void *mapping; /* owned; NULL when the bytes are the caller's */
    struct sl_pte pte;
    struct sl_runtime_limits limits;
    struct sl_runtime_log log;
};

/* Emits a line of the real runtime, printf-like, to the model's log. */
__attribute__((format(printf, 5, 6))) void sl_model_log(const struct sl_model *model, char level,
                                                        const char *file, int line,
                                                        const char *format, ...);
