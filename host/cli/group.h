/* host/cli/group.h: groups of jobs, which words of the command line call g7. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_cli;
struct sl_client;
struct sl_diag;

enum { SL_GROUP_MAX_JOBS = 4096, SL_GROUP_WORD_BYTES = 24 };

/* Is the word a group's? */
bool sl_group_named(const char *word, uint64_t *out_id);

/* "g7", or "7" as well: 0 or SL_E_UNSUPPORTED with `diag` set. */
int sl_group_id(const char *word, uint64_t *out_id, struct sl_diag *diag);

/* Makes one; of the name what is printable is taken. 0 or a code with `diag` set. */
int sl_group_make(struct sl_client *client, const char *name, uint64_t *out_id,
                  struct sl_diag *diag);

/* A job of it, and the run that it made, 0: none. */
struct sl_group_job {
    uint64_t job, run;
};
/* Its jobs, oldest first; *out_jobs is owned by the caller. SL_E_NOT_FOUND for a group without any,
 * SL_E_LIMIT for more than SL_GROUP_MAX_JOBS. */
int sl_group_jobs(struct sl_client *client, uint64_t id, struct sl_group_job **out_jobs,
                  size_t *out_count, struct sl_diag *diag);

/* Puts the numbers of the runs of groups in their place among `words`; `texts` are theirs, as many.
 * SL_E_LIMIT when they do not fit. */
int sl_group_expand(const struct sl_cli *cli, const char **words, size_t *count, size_t most,
                    char (*texts)[SL_GROUP_WORD_BYTES], struct sl_diag *diag);
