/* host/job/run_lines.h: the lines of a run's log as they stream in, for those who watch. Pure: fed
 * with bytes and the time, it makes the objects of `log` events. The whole log is in the run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_JOB_RUN_LINE_BYTES = 256, SL_JOB_RUN_LINES_A_SECOND = 5 };

struct sl_job_run_lines {
    const char *part; /* of the run: "measured" or "reference" */
    void (*tell)(void *user, const char *type, const char *json);
    void *user;
    uint64_t offset; /* of the next byte of the stream */
    char line[SL_JOB_RUN_LINE_BYTES];
    size_t len;
    bool cut;          /* the open line is longer than that */
    bool torn;         /* its begin is missing */
    uint64_t second;   /* of the last line that was told */
    unsigned told;     /* within that second */
    uint64_t left_out; /* lines since the last one that was told */
};

/* `reference`: of the portable kernels' part. */
void sl_job_run_lines_init(struct sl_job_run_lines *lines, bool reference,
                           void (*tell)(void *user, const char *type, const char *json),
                           void *user);

/* A stretch of the log's stream at `offset`; bytes that came before are passed over, and a line
 * whose begin is missing is left out. Calls `tell` with "log" for each whole line that is not
 * empty, for the first SL_JOB_RUN_LINES_A_SECOND in each second of `now_ms`:
 * {"part":…,"line":…[,"cut":true][,"left_out":how many lines before it were not told]}.
 * A line may hold anything; control characters become blanks. */
void sl_job_run_lines_take(struct sl_job_run_lines *lines, uint64_t offset, const uint8_t *bytes,
                           size_t len, uint64_t now_ms);
