/* host/cli/stored_run.h: runs of the store named by their numbers, fetched for verbs that read
 * directories. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_cli;
struct sl_client;
struct sl_diag;

enum { SL_STORED_RUN_PATH_BYTES = 256 };

struct sl_stored_run {
    char directory[SL_STORED_RUN_PATH_BYTES]; /* temporary; "": nothing was fetched */
    char name[32];                            /* "runs/7", as the daemon calls it */
};

/* Is `word` the number of a run and not the name of a file that is there? */
bool sl_stored_run_named(const char *word, uint64_t *out_id);

/* Each of `words` that numbers a run is fetched and becomes the directory where it lies; the others
 * stay. `runs` (all zero at first) has `count` places. 0 or a negative code with `diag` set; end
 * with sl_stored_runs_remove() in both cases. */
int sl_stored_runs_fetch(const struct sl_cli *cli, const char **words, size_t count,
                         struct sl_stored_run *runs, struct sl_diag *diag);

/* The same of one run with all its files, the daemon's own too. */
int sl_stored_run_fetch_whole(struct sl_client *client, uint64_t id, struct sl_stored_run *run,
                              struct sl_diag *diag);

/* An empty one, for what is no run yet. */
int sl_stored_run_directory(struct sl_stored_run *run, struct sl_diag *diag);

void sl_stored_runs_remove(struct sl_stored_run *runs, size_t count);
