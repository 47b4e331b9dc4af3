/* host/store/run_end.h: how a run ended, written into its directory when the rest of it is whole
 * and before the store hears of it: a host that shares the directory stores the run when the one
 * that measured it died in between. */
#pragma once

#include "host/records.h"

struct sl_database;

/* Below the run's directory. */
#define SL_RUN_END "streams/end.json"
enum { SL_RUN_END_MAX_BYTES = 64 << 10 };

struct sl_run_end {
    uint64_t job, ended_ms; /* Unix time */
    uint32_t attempt;
    int cause; /* SL_CAUSE_NONE or SL_CAUSE_RESULT */
    char detail[SL_DETAIL_BYTES];
    struct sl_run_record run; /* without its number, host and directory */
};

/* Writes it below the run's absolute `directory`, durable. 0 or -errno. */
int sl_run_end_write(const char *directory, const struct sl_run_end *end);

/* Looks below the state directory for a whole run of the job's latest attempt, in the directory of
 * the day on which the attempt began, or in two around midnight. 1 and `out` with the run's
 * directory; 0: there is none; or a negative code: the database's or -ENOMEM. */
int sl_run_end_find(struct sl_database *db, const struct sl_job_record *job,
                    struct sl_run_end *out);
