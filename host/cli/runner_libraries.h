/* host/cli/runner_libraries.h: which shared libraries an external runner is sent with. */
#pragma once

#include <stddef.h>

#include "host/spec/spec.h"

struct sl_diag;

/* The .so files beside the program `runner` and in ../lib from there, sorted; of two of one name
 * the one beside it. None are taken from the system's own folders (/usr/bin, /usr/lib and their
 * like). The paths are owned by the caller, who ends each with sl_free(), also those before an
 * error. 0, SL_E_LIMIT where there are more, with `diag` set, or -ENOMEM. */
int sl_runner_libraries_find(const char *runner, char *out[SL_SPEC_MAX_LIBRARIES],
                             size_t *out_count, struct sl_diag *diag);
