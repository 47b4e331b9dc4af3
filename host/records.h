/* host/records.h: the plain structs that the daemon's parts hand to one another; no pointers into
 * any of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/spec/device_kind.h"

enum {
    SL_NAME_BYTES = 64,
    SL_LABEL_BYTES = 160, /* of a label's value where one is asked for */
    SL_SELECTOR_BYTES = 256,
    SL_DETAIL_BYTES = 256,
    SL_PATH_BYTES = 512,
    SL_DIGEST_BYTES = 65, /* SHA-256 in hexadecimal, terminated */
    SL_SERIES_BYTES = 17, /* the first digits of one */
    SL_MAX_ATTEMPTS = 3,
};

/* A job goes down this list, or back to QUEUED when the lab failed and attempts are left. */
enum sl_job_state {
    SL_JOB_QUEUED = 0,
    SL_JOB_RUNNING = 1, /* a device has it, until its lease ends */
    SL_JOB_DONE = 2,    /* from here on: for good */
    SL_JOB_FAILED = 3,  /* `cause` says whose failure */
    SL_JOB_CANCELLED = 4,
};

/* Whose failure it is: a result is about the measured thing, a user error about the request, a lab
 * error about devices and links. Only lab errors are tried again. */
enum sl_job_cause {
    SL_CAUSE_NONE = 0,
    SL_CAUSE_RESULT = 1, /* crash, hang, wrong output, model cannot run */
    SL_CAUSE_USER = 2,
    SL_CAUSE_LAB = 3,
};

enum sl_device_state {
    SL_DEVICE_READY = 1,
    SL_DEVICE_BUSY = 2,
    SL_DEVICE_OFFLINE = 3,
    SL_DEVICE_QUARANTINED = 4, /* takes no jobs until released */
};

struct sl_job_record {
    uint64_t id; /* from 1, never used again */
    int state, cause;
    int32_t priority;                            /* higher goes first */
    uint32_t attempts;                           /* started so far */
    uint64_t submitted_ms, started_ms, ended_ms; /* Unix time; 0: not yet */
    uint64_t lease_until_ms;                     /* RUNNING */
    uint64_t run;                                /* id of the run it made; 0: none */
    bool cancel_wanted;                          /* RUNNING: the device was asked to stop */
    char selector[SL_SELECTOR_BYTES];            /* device name, "" for any */
    char device[SL_NAME_BYTES];                  /* that has or had it */
    char detail[SL_DETAIL_BYTES];                /* one line: why it failed or what it waits for */
};

struct sl_device_record {
    char name[SL_NAME_BYTES];
    int kind, state;
    struct sl_device_traits traits;
    uint64_t job; /* BUSY: which */
    char detail[SL_DETAIL_BYTES];
    char cpu[64]; /* the emulator's -cpu; "" where there is none */
    bool away;    /* its link says that it cannot be reached; `detail` why */
    char model[SL_NAME_BYTES], system[SL_NAME_BYTES]; /* what a phone says of itself; else "" */
};

/* A finished measurement: one job that got as far as events. Its directory under the state
 * directory is the authority; the row can be made again from it. */
struct sl_run_record {
    uint64_t id; /* from 1 */
    uint64_t job;
    uint64_t started_ms, ended_ms;
    int device_kind;           /* enum sl_device_kind: tells what its times mean */
    char model[SL_NAME_BYTES]; /* the file's name without directory and suffix */
    char model_sha256[SL_DIGEST_BYTES];
    char device[SL_NAME_BYTES];
    char verdict[SL_NAME_BYTES]; /* "" when none was asked for or made */
    double ratio;                /* baseline ÷ candidate; 0: none */
    double baseline, candidate;  /* median of a run of either arm, in ns or counts; 0: not known */
    int exit_code;               /* of verdict and threshold (rundir/verdict_exit.h) */
    char directory[SL_PATH_BYTES]; /* below the state directory */
    char series[SL_SERIES_BYTES];  /* runs that may be compared over time have the same; "": none */
};

/* What a token may do; each role may do what those before it may. */
enum sl_token_role { SL_TOKEN_READ = 1, SL_TOKEN_SUBMIT = 2, SL_TOKEN_ADMIN = 3 };

struct sl_token_record {
    uint64_t id;
    int role;                        /* enum sl_token_role */
    uint64_t created_ms, expires_ms; /* 0: never */
    char name[SL_NAME_BYTES];
    char sha256[SL_DIGEST_BYTES]; /* of the token: the token itself is nowhere */
};
