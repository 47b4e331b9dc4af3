/* host/job/kit.h: what a run needs of the rest of the daemon, and what it hands to it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/records.h"
#include "host/spec/policy_file.h"

struct sl_count_log;
struct sl_device;
struct sl_diag;
struct sl_histogram;
struct sl_json;
struct sl_link_result;
struct sl_plugins;
struct sl_spec;

/* How a job is run on a device, which its sender has no say in. */
struct sl_job_means {
    const char *variants; /* a pair of --isa's words */
    bool marks;           /* ordinals in place of nanoseconds, which are equal in equal runs */
    bool alone;           /* without the run of the portable kernels */
};

/* A run whose streams are all here, for `finish`. Everything is borrowed. */
struct sl_job_ended {
    /* Absolute. trace.sltrace (resolved if counted), streams/ as they came,
     * files/output_sme2-off-0.bin and so on, reference/files/output-0.bin and so on. */
    const char *directory;
    const char *state_dir;
    uint64_t job;
    const struct sl_spec *spec; /* with runs and warm-ups as they were */
    const struct sl_device *device;
    const struct sl_link_result *result;
    const struct sl_count_log *log; /* of a counted device, else NULL */
    bool has_trace, has_reference;
    bool recorded; /* `is_recorded` said so: what is there is not made again */
    const char *started_utc;
    uint64_t
        wall_ns; /* from the first message to the agent to its last; 0: an earlier daemon sent it */
};

/* The result of a look at the pairs so far. */
struct sl_job_look {
    double half_width; /* of the ratio's interval, relative */
    bool enough;
    uint32_t next; /* pairs at the look after it */
};

/* The services of the daemon that a run uses. */
struct sl_job_kit {
    const char *store; /* whose jobs these are, as struct sl_kept_start has it; NULL: nobody's */
    /* NULL: {"off,on"} on every device. */
    struct sl_job_means (*means)(void *user, const struct sl_device *device);
    /* Writes the operators that stay out of streaming mode, by the table that came with the job,
     * else by the device's own, of which the run's directory gets a copy; "": there is none. Off
     * the loop. NULL: no device has one. */
    int (*policy)(void *user, const struct sl_device *device, const struct sl_spec *spec,
                  const char *state_dir, const char *directory, char out[SL_POLICY_WORDS_BYTES],
                  struct sl_diag *diag);
    /* Writes the member "estimates" of a counted task's answer, by the profiles of spec->silicon:
     * for each pair of the log's marks one. Off the loop. NULL: there are none. */
    int (*estimates)(void *user, const struct sl_spec *spec, const struct sl_count_log *log,
                     struct sl_json *json, struct sl_diag *diag);
    /* Looks at `n` log ratios of off to on, in the order measured: with a precision, at the numbers
     * of pairs that the first look and each `next` say. Off the loop. 0 or -ENOMEM. */
    int (*look)(void *user, const struct sl_spec *spec, const double *log_ratios, size_t n,
                struct sl_job_look *out);
    /* Can a run be made of the directory that an earlier daemon left, without the log of what was
     * counted? Off the loop. NULL: never. */
    bool (*is_recorded)(void *user, const char *directory);
    /* Writes the artifacts into the directory and fills in verdict and ratio. Off the loop. NULL:
     * the streams are all. */
    int (*finish)(void *user, const struct sl_job_ended *ended, struct sl_run_record *record,
                  struct sl_diag *diag);
    /* "runs" or "blobs": that directory went away (sl_store_gone_directory()), and nothing may be
     * written into the place where it was. Off the loop. NULL: none can. */
    const char *(*gone)(void *user);
    void *user;
    struct sl_plugins *plugins;      /* who measures beside the devices; NULL: nobody */
    struct sl_histogram *ingest_lag; /* as sl_ingest_measure() takes it */
};
