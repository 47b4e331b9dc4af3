/* agent/run/inputs.h: input files and shapes given on the command line. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"

struct sl_diag;

enum { SL_AGENT_RUN_MAX_INPUTS = 1024, SL_AGENT_RUN_MAX_RANK = 16 };
#define SL_AGENT_RUN_MAX_INPUT_BYTES ((size_t)1 << 30) /* of all files together */

struct sl_input_files {
    size_t count;
    struct sl_buf *files; /* owned */
};

/* Reads the files of a comma list; an empty list is none. 0, a file's -errno, SL_E_LIMIT or
 * -ENOMEM; `scratch` of `scratch_size` bytes then has the name that failed. */
int sl_input_files_read(const char *list, struct sl_input_files *out, char *scratch,
                        size_t scratch_size);
void sl_input_files_fini(struct sl_input_files *files);

struct sl_input_shape {
    size_t rank; /* 0: not given */
    int32_t sizes[SL_AGENT_RUN_MAX_RANK];
};

/* Parses "1x3x32x32;;2x4" into at most `max` shapes; returns how many, or SL_E_FORMAT or SL_E_LIMIT
 * with words. */
int sl_input_shapes_parse(const char *text, struct sl_input_shape *out, size_t max,
                          struct sl_diag *diag);
