/* agent/serve/job_dir.h: what the agent keeps of one job on its disk: streams, request, result.
 *
 * <workdir>/jobs/<id>/ holds `request` (a packed Job), the spools `trace` `log` `output` `files`,
 * the folder `out` that the inference process writes results into, `runtime` (runtime_folder.h),
 * and `result` (a packed Result) once there is one. All of it survives the agent. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/run_id.h"

typedef struct Sme2lab__Proto__Job Sme2lab__Proto__Job;
typedef struct Sme2lab__Proto__Result Sme2lab__Proto__Result;
struct sl_spool;

enum sl_stream {
    SL_STREAM_TRACE = 0,
    SL_STREAM_LOG = 1,
    SL_STREAM_OUTPUT = 2,
    SL_STREAM_FILES = 3,
    SL_STREAM_COUNT = 4
};

struct sl_job_dir {
    struct sl_run_id id;
    char name[SL_RUN_ID_TEXT], path[512]; /* the former the id's text */
    uint64_t max_bytes; /* of a stream, and of the files of each external runner */
    struct sl_spool *streams[SL_STREAM_COUNT]; /* owned */
    Sme2lab__Proto__Result
        *result; /* owned; NULL while it runs. Free with protobuf-c's default allocator */
};

/* Makes the directory of a new job and stores its request. -EEXIST if it is known, -errno, -ENOMEM.
 * `max_bytes` bounds each spool; that of the files has as much for each external runner. */
int sl_job_dir_create(const char *workdir, const Sme2lab__Proto__Job *job, uint64_t max_bytes,
                      struct sl_job_dir **out);

/* Opens a job that an earlier agent left. One without a result gets OUTCOME_LOST: nobody knows how
 * it would have ended. */
int sl_job_dir_open(const char *workdir, struct sl_run_id id, uint64_t max_bytes,
                    struct sl_job_dir **out);

/* The job as its host sent it. End it with sme2lab__proto__job__free_unpacked(*out, NULL). -errno,
 * SL_E_FORMAT. */
int sl_job_dir_request(const struct sl_job_dir *dir, Sme2lab__Proto__Job **out);

/* Stores the result with the lengths of the streams filled in; it is durable when this returns 0,
 * but where the disk is full: that is logged. */
int sl_job_dir_finish(struct sl_job_dir *dir, const Sme2lab__Proto__Result *result);

/* Appends the regular files of `out`, each behind its FileHeader, to the files stream. 0, or a
 * negative code when some are not there whole: the disk's -errno, SL_E_FULL past the bound. */
int sl_job_dir_collect(struct sl_job_dir *dir);

void sl_job_dir_free(struct sl_job_dir *dir); /* the files stay */
void sl_job_dir_remove(
    struct sl_job_dir *dir); /* the host has it all: deletes the files, and frees */
