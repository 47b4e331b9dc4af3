/* host/job/run_count.h: what the emulator's log has counted so far, into a run's progress. */
#pragma once

#include <stddef.h>

#include "common/base/run_id.h"

struct sl_count_reader;
struct sl_job_run_progress;

/* On the loop's thread, while the reader reads. */
void sl_job_run_count_look(struct sl_count_reader *reader, struct sl_job_run_progress *progress);

/* The emulator's log of that job of the agent's: each attempt has its own, so that an emulator that
 * an earlier daemon had started late writes into none of ours. */
void sl_job_run_count_fifo(const char *workdir, struct sl_run_id id, char *out, size_t size);
/* Removes those that earlier daemons left in `workdir`. */
void sl_job_run_count_sweep(const char *workdir);
