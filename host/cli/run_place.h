/* host/cli/run_place.h: may a run put its files there? */
#pragma once

#include <stdbool.h>

struct sl_diag;
struct sl_plan;

enum { SL_RUN_PLACE_BYTES = 1024 };

/* A directory with the results of another run is no place, nor is one with a file of their names:
 * 0, or -EEXIST with `diag` set. One that is not there yet is free. */
int sl_run_place_check(const char *directory, struct sl_diag *diag);

/* Where the files go: output_root, else out/MODEL-TIME. Chosen before anything runs, and made,
 * since it may not be possible. Unless `force`, checked as above. */
int sl_run_place_choose(const struct sl_plan *plan, bool force, char out[SL_RUN_PLACE_BYTES],
                        struct sl_diag *diag);
