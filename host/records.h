/* host/records.h: the plain structs that the daemon's parts hand to one another; no pointers into
 * any of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/spec/device_kind.h"
#include "host/spec/records.inc"
#include "host/spec/scopes.h"

enum {
    SL_NAME_BYTES = 64,
    SL_LABEL_BYTES = 256, /* of a label's value */
    SL_SELECTOR_BYTES = 256,
    SL_AFTER_BYTES = 8 * 18, /* eight groups of 16 digits */
    SL_TAGS_BYTES = 192,     /* of a device, with commas */
    SL_DETAIL_BYTES = 256,
    SL_PATH_BYTES = 512,
    SL_URL_BYTES = 256,   /* of a host, without a path */
    SL_DIGEST_BYTES = 65, /* SHA-256 in hexadecimal, terminated */
    SL_SERIES_BYTES = 17, /* the first digits of one */
    SL_MAX_ATTEMPTS = 3,
    SL_MAX_DEVICES = 512, /* of one daemon, however they came; as many as an adb server can list */
};

/* A job goes down this list, or back to QUEUED when the lab failed and attempts are left. */
enum sl_job_state {
    SL_JOB_QUEUED = 0,
    SL_JOB_RUNNING = 1, /* a device has it, until its lease ends */
    SL_JOB_DONE = 2,    /* from here on: for good */
    SL_JOB_FAILED = 3,  /* `cause` says whose failure */
    SL_JOB_CANCELLED = 4,
    /* RUNNING on a device that cannot be reached: the run goes on there and is collected when it
     * is back. Kept as RUNNING in the store. */
    SL_JOB_DETACHED = 5,
};

/* Whose failure it is: a result is about the measured thing, a user error about the request, a lab
 * error about devices and links. Only lab errors are tried again. */
enum sl_job_cause {
    SL_CAUSE_NONE = 0,
    SL_CAUSE_RESULT = 1, /* crash, hang, wrong output, model cannot run */
    SL_CAUSE_USER = 2,
    SL_CAUSE_LAB = 3,
    SL_CAUSE_DEADLINE = 4,   /* no device was free in time */
    SL_CAUSE_DEPENDENCY = 5, /* a job that it comes after did not end well */
};

/* Only READY takes a job. */
enum sl_device_state {
    SL_DEVICE_READY = 1,
    SL_DEVICE_BUSY = 2,
    SL_DEVICE_OFFLINE = 3,
    SL_DEVICE_QUARANTINED = 4, /* takes no jobs until released */
    SL_DEVICE_DISCOVERED = 5,  /* it is there, and has not said what it is */
    SL_DEVICE_PROBING = 6,     /* it is being reached, for the first time or again */
    SL_DEVICE_UNAUTHORISED = 7,
    SL_DEVICE_NO_PERMISSIONS = 8,
    SL_DEVICE_RESERVED = 9, /* a person has it for a time */
    SL_DEVICE_STATES,
};

/* Why it takes none; each has its state, and what to do about it (host/spec/names.h). */
enum sl_device_cause {
#define SL_DEVICE_CAUSE(cause, word, state, fix) SL_CAUSE_DEVICE_##cause,
#include "host/spec/device_causes.inc"
#undef SL_DEVICE_CAUSE
    SL_DEVICE_CAUSES,
};

/* Yes, no, or not known. */
enum sl_maybe { SL_MAYBE_UNKNOWN = 0, SL_MAYBE_NO = 1, SL_MAYBE_YES = 2 };

/* The members of a record are the columns of host/spec/records.inc. */
#define SL_MEMBER_ID(name, extra) uint64_t name;
#define SL_MEMBER_TIME(name, extra) uint64_t name;
#define SL_MEMBER_U32(name, extra) uint32_t name;
#define SL_MEMBER_INT(name, extra) int name;
#define SL_MEMBER_WORD(name, extra) int name;
#define SL_MEMBER_MAYBE(name, extra) int name;
#define SL_MEMBER_FLAG(name, extra) bool name;
#define SL_MEMBER_TEXT(name, extra) char name[extra];
#define SL_MEMBER_NAME(name, extra) char name[extra];
#define SL_MEMBER_REAL(name, extra) double name;
#define SL_MEMBER(kind, name, extra, copy, views, place, head) SL_MEMBER_##kind(name, extra)

struct sl_job_record {
    uint64_t id; /* from 1, never used again */
    SL_JOB_COLUMNS(SL_MEMBER)
};

struct sl_device_record {
    SL_DEVICE_COLUMNS(SL_MEMBER)
    struct sl_device_traits traits;
};

/* A finished measurement: one job that got as far as events. Its directory under the state
 * directory is the authority; the row can be made again from it. */
struct sl_run_record {
    uint64_t id; /* from 1 */
    SL_RUN_COLUMNS(SL_MEMBER)
};

struct sl_attempt_record {
    uint64_t number; /* from 1 */
    SL_ATTEMPT_COLUMNS(SL_MEMBER)
};

struct sl_group_record {
    uint64_t id;
    SL_GROUP_COLUMNS(SL_MEMBER)
};

/* A daemon that takes jobs from the store. */
struct sl_host_record {
    char name[SL_NAME_BYTES];
    SL_HOST_COLUMNS(SL_MEMBER)
};

struct sl_token_record {
    uint64_t id;
    SL_TOKEN_COLUMNS(SL_MEMBER)
};
