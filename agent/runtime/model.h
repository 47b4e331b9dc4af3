/* agent/runtime/model.h: the open program file. */
#pragma once

#include <stddef.h>

#include "agent/runtime/file_map.h"
#include "agent/runtime/runtime.h"
#include "common/format/bundle.h"
#include "common/format/ptd.h"
#include "common/format/pte.h"

struct sl_data {
    struct sl_bytes mapping; /* owned */
    struct sl_file_identity identity;
    struct sl_ptd ptd;
};

struct sl_model {
    struct sl_bytes file;             /* the program */
    struct sl_bytes mapping;          /* owned; none when the bytes are the caller's */
    struct sl_file_identity identity; /* of the mapping */
    char *weight_cache;               /* owned: its directory; NULL: none */
    uint64_t weight_cache_bytes;      /* that it may hold */
    struct sl_bundle bundle;          /* all zero when the program is not bundled */
    const struct sl_data *data;       /* borrowed; NULL: none */
    struct sl_pte pte;
    struct sl_runtime_limits limits;
    struct sl_runtime_log log;
};

/* Named data: of the external file, else of the program. 0 or SL_E_NOT_FOUND. */
int sl_model_find_named(const struct sl_model *model, const char *key, struct sl_bytes *out);

/* Emits a line of the real runtime, printf-like, to the model's log. */
__attribute__((format(printf, 5, 6))) void sl_model_log(const struct sl_model *model, char level,
                                                        const char *file, int line,
                                                        const char *format, ...);
