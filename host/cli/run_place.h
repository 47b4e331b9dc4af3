/* host/cli/run_place.h: may a run put its files there? */
#pragma once

#include <stdbool.h>

struct sl_diag;
struct sl_plan;

enum { SL_CLI_RUN_PLACE_BYTES = 1024 };

struct sl_cli_run_place {
    char path[SL_CLI_RUN_PLACE_BYTES];
    int lock;                /* holds the directory against other runs; -1: nothing is held */
    bool is_new, is_default; /* made by this run; below out/ */
};

/* A directory with the results of another run is no place, nor is one with a file of their names:
 * 0, -EEXIST, or -ENOTDIR for a file, with `diag` set. One that is not there yet is free. */
int sl_cli_run_place_check(const char *directory, struct sl_diag *diag);

/* Takes the folder for the files: output_root, else out/MODEL-TIME. It is made before anything
 * runs, since that may not be possible. Unless `force`, checked as above; -EEXIST too while another
 * run writes there. End it with sl_cli_run_place_leave(), whatever this returns. */
int sl_cli_run_place_take(const struct sl_plan *plan, bool force, struct sl_cli_run_place *out,
                          struct sl_diag *diag);

/* Lets other runs have it. What this run made and put nothing into goes. */
void sl_cli_run_place_leave(struct sl_cli_run_place *place);
