/* host/peer/run_list.h: which files of a run another host has, with their digests, as it answers.
 * Pure: bytes of another machine. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/digest.h"

struct sl_diag;

enum {
    SL_RUN_LIST_MAX_FILES = 512, /* artifacts; what else the run has is passed over */
    SL_RUN_LIST_PATH_BYTES = 512
};
#define SL_RUN_LIST_MAX_BYTES (UINT64_C(1) << 30) /* of all files */

struct sl_run_list_file {
    char path[SL_RUN_LIST_PATH_BYTES]; /* below the run's directory, of three steps at most */
    char sha256[SL_SHA256_HEX_SIZE];
    uint64_t bytes;
};

struct sl_run_list {
    struct sl_run_list_file *files; /* owned */
    size_t count;
    uint64_t bytes; /* of all */
};

/* Reads the answer to GET /api/v1/runs/ID/files?sha256=1. 0; SL_E_FORMAT, SL_E_LIMIT or -ENOMEM
 * with words, and an empty list. */
int sl_run_list_read(struct sl_bytes text, struct sl_run_list *out, struct sl_diag *diag);
void sl_run_list_fini(struct sl_run_list *list);
