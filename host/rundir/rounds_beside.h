/* host/rundir/rounds_beside.h: what import.json says of the processes that an ETDump of
 * external runners is of. */
#pragma once

#include <stdbool.h>

#include "common/base/bytes.h"
#include "host/analysis/rounds.h"

struct cJSON;

/* "rounds", "warmup" and "together" of a run in import.json. False without any, or where they
 * cannot be. */
bool sl_rounds_read(const struct cJSON *run, struct sl_rounds *out);

/* Looks into the import.json of the file's directory and of the one above for the run whose ETDump
 * has the SHA-256 of `file`, its bytes. */
bool sl_rounds_beside(const char *etdump_path, struct sl_bytes file, struct sl_rounds *out);
