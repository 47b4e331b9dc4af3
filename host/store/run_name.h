/* host/store/run_name.h: where a run's directory lies below the state directory:
 * runs/YYYY-MM-DD/HHMMSS.mmm-JOB, by the time (UTC) at which it started. */
#pragma once

#include <stdint.h>

enum { SL_RUN_NAME_BYTES = 64 };

/* `started_ms` lies before the year 10000. */
void sl_run_name(uint64_t started_ms, uint64_t job, char out[SL_RUN_NAME_BYTES]);

/* The folder beside the days in which files of removed runs wait for their end. */
#define SL_REMOVED_RUNS "removed"

/* The job in the last part of such a name; 0: it is none. */
uint64_t sl_run_name_job(const char *last);
