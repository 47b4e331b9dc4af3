/* host/cli/run_place.h: may a run put its files there? */
#pragma once

struct sl_diag;

/* A directory with the results of another run is no place, nor is one with a file of their names:
 * 0, or -EEXIST with `diag` set. One that is not there yet is free. */
int sl_run_place_check(const char *directory, struct sl_diag *diag);
