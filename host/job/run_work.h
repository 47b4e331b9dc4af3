/* host/job/run_work.h: what a run does off the loop: prepares its directory and blobs, and makes a
 * finished run of its streams. Plain functions that block. */
#pragma once

#include <stdbool.h>

#include "common/base/error.h"
#include "host/device/link.h"
#include "host/job/kit.h"

struct sl_count_reader;
struct sl_plugin_run;
struct sl_job_run_progress;

enum { SL_JOB_RUN_WORK_PATH = 1024, SL_JOB_RUN_PARTS = 2 };

struct sl_job_run_work {
    /* In: borrowed. */
    const char *state_dir, *directory, *config_json, *started_utc;
    const struct sl_spec *spec;
    const struct sl_device *device;
    const struct sl_job_kit *kit;
    const char *device_name;
    uint64_t job, wall_ns, started_ms, ended_ms; /* the last two Unix time */
    uint32_t attempt;
    struct sl_count_reader *reader; /* of a counted device, else NULL */
    const struct sl_link_result
        *parts[SL_JOB_RUN_PARTS];        /* measured, reference; NULL: was not run */
    const struct sl_plugin_run *plugins; /* settled; NULL: nobody measured beside the device */
    bool resumed;                        /* an earlier daemon began it */
    bool unwanted, collected; /* cancelled before this; as a person asked, from another job */
    bool kept;                /* it ran earlier: collected so, or left by a start before */
    /* Out. */
    bool found_recorded; /* nothing but its last files is to be made, by preparing */
    bool unstored;       /* a result of this start that is worth having could not be written here */
    bool measured_some;  /* external runners that were ended early: their run is worth its row */
    int rc;
    struct sl_diag diag;
    int cause; /* enum sl_job_cause: of the end */
    char detail[SL_DETAIL_BYTES];
    bool has_record; /* it is worth its row */
    struct sl_run_record record;
    char policy[SL_POLICY_WORDS_BYTES]; /* of the kit, by preparing */
};

/* The directory of a job that starts then (Unix time), and that time in words. */
enum { SL_JOB_RUN_WORK_TIME_BYTES = 32 };
void sl_job_run_work_name(const char *state_dir, uint64_t started_ms, uint64_t job,
                          char out_directory[SL_JOB_RUN_WORK_PATH],
                          char out_utc[SL_JOB_RUN_WORK_TIME_BYTES]);

/* 0, or -ENODEV with words while STATE/runs or STATE/blobs is not mounted. */
int sl_job_run_work_check_directories(struct sl_job_run_work *work);

/* Makes the directory with config.json durable, and asks the kit for the device's policy. */
void sl_job_run_work_prepare(struct sl_job_run_work *work);

/* Does the result stay on the device, for a person or another start to collect? By the end. */
bool sl_job_run_work_leaves(const struct sl_job_run_work *work);

/* Streams to files: trace.sltrace (of a counted device resolved), log, output, files; then the
 * kit's finish. All of it, and the results before it, in one group that is durable when this
 * returns. */
void sl_job_run_work_finish(struct sl_job_run_work *work);

/* Tells `progress` all of the measured run's trace that is here, of an earlier daemon. */
void sl_job_run_work_replay(const char *directory, struct sl_job_run_progress *progress);

/* A result that has come, for a later daemon: durable as above. `part`: 0 measured, 1 reference. 0
 * or -errno. */
int sl_job_run_work_keep_result(const char *directory, int part,
                                const struct sl_link_result *result);
int sl_job_run_work_read_result(const char *directory, int part, struct sl_link_result *out);

/* The folder of a part's streams. */
void sl_job_run_work_part(const char *directory, int part, char out[SL_JOB_RUN_WORK_PATH]);
