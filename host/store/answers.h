/* host/store/answers.h: how the store answers, and what its lists may be asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/records.h"

enum { SL_STORE_MAX_QUEUED = 10000, SL_STORE_PAGE_ROWS = 200, SL_STORE_MAX_CONFIG_BYTES = 1 << 20 };

/* A write that somebody asked for. */
struct sl_audit_record {
    uint64_t at_ms;
    int status; /* of the answer; 0: none was sent */
    char who[SL_NAME_BYTES], method[16], path[SL_DETAIL_BYTES];
};
enum { SL_AUDIT_MAX_ROWS = 200000 };

/* rc: 0 (or what a request says) or a negative code; SL_E_FORMAT means the database is damaged. */
typedef void (*sl_store_done_fn)(void *user, int rc);
typedef void (*sl_store_id_fn)(void *user, int rc, uint64_t id);
/* Rows are borrowed for the call. `next_cursor` is 0 at the end of the list. */
typedef void (*sl_store_jobs_fn)(void *user, int rc, const struct sl_job_record *rows, size_t count,
                                 uint64_t next_cursor);
typedef void (*sl_store_groups_fn)(void *user, int rc, const struct sl_group_record *rows,
                                   size_t count, uint64_t next_cursor);
typedef void (*sl_store_runs_fn)(void *user, int rc, const struct sl_run_record *rows, size_t count,
                                 uint64_t next_cursor);
typedef void (*sl_store_attempts_fn)(void *user, int rc, const struct sl_attempt_record *rows,
                                     size_t count);
typedef void (*sl_store_job_fn)(void *user, int rc, const struct sl_job_record *job,
                                const char *config_json);
/* A document of JSON, borrowed for the call. */
typedef void (*sl_store_text_fn)(void *user, int rc, const char *json);
typedef void (*sl_store_tokens_fn)(void *user, int rc, const struct sl_token_record *rows,
                                   size_t count);

/* The store's time, and jobs of other hosts whose leases have ended: borrowed for the call. */
typedef void (*sl_store_beat_fn)(void *user, int rc, uint64_t now_ms,
                                 const struct sl_job_record *expired, size_t count);
typedef void (*sl_store_hosts_fn)(void *user, int rc, const struct sl_host_record *rows,
                                  size_t count, uint64_t now_ms);
typedef void (*sl_store_devices_fn)(void *user, int rc, const struct sl_device_record *rows,
                                    size_t count);

/* Who asks of a store that several hosts may share. */
struct sl_store_host {
    char name[SL_NAME_BYTES];           /* "": a host alone, as tests and tools are */
    char address[SL_PATH_BYTES];        /* where it serves */
    char url[SL_URL_BYTES];             /* where other hosts reach it; "": nowhere */
    char shown_sha256[SL_DIGEST_BYTES]; /* of the token that it shows them */
    uint64_t started_ms;
    uint32_t lease_ms; /* a job is its host's for so long after each beat */
    bool sealed;       /* asks other hosts over TLS or not at all */
    bool alone;        /* nobody else has the store: all in it is this host's, whatever its name */
};

/* The end of a start on a device: the job as it is now, and the run that it made. */
struct sl_store_ending {
    struct sl_job_record job;
    struct sl_run_record run;
    bool has_run;
    bool expired; /* it is another host's (its `host`), whose lease has ended */
    int looked;   /* set by sl_claim_table_look(): 1 for a run, 0 for none, or why it failed */
};

/* Jobs that other hosts changed at or after a time of the store's. */
struct sl_changed_filter {
    uint64_t since_ms, after_job; /* of that time alone, those with higher numbers */
    uint32_t limit;
};

struct sl_jobs_filter {
    int state;       /* enum sl_job_state, -1: any */
    bool open_only;  /* QUEUED and RUNNING, oldest first: for a start */
    uint64_t group;  /* 0: any */
    uint64_t cursor; /* 0: from the newest */
    uint32_t limit;  /* at most SL_STORE_PAGE_ROWS */
};

struct sl_groups_filter {
    uint64_t id;     /* 0: any; else this one alone */
    uint64_t cursor; /* 0: from the newest */
    uint32_t limit;
};

struct sl_runs_filter {
    uint64_t id;                                      /* 0: any; else this one alone */
    uint64_t job;                                     /* 0: any */
    char model[SL_NAME_BYTES], device[SL_NAME_BYTES]; /* "": any */
    char series[SL_SERIES_BYTES];                     /* "": any */
    char label[SL_NAME_BYTES], value[SL_LABEL_BYTES]; /* "": any */
    bool newest_of_series;                            /* of each series the newest run alone */
    uint64_t since_ms;
    uint64_t cursor; /* 0: from the newest */
    uint32_t limit;
};

enum { SL_STORE_MAX_LABELS = 32 }; /* of a run */

enum { SL_STORE_MAX_KEEP_LABELS = 16 };

/* Which runs may go: those that began before `before_ms` but for the newest `newest` of each
 * series, and of each series all but the newest `per_series` (0: they all may stay). A run that is
 * pinned or has one of the labels stays: "KEY=VALUE", or "KEY" for any value. A run without a
 * series is its own. */
struct sl_store_retention {
    uint64_t before_ms; /* 0: age is no reason */
    uint32_t newest, per_series;
    char labels[SL_STORE_MAX_KEEP_LABELS][SL_NAME_BYTES + SL_LABEL_BYTES];
    size_t label_count;
    uint64_t cursor; /* 0: from the oldest */
};

/* The folder of task answers in the state directory, as JOB.json. */
#define SL_TASK_FOLDER "tasks"

/* The kinds of contradiction between the files of the state directory and the rows. */
enum sl_store_finding_kind {
    SL_FOUND_LOST_ROW = 1,     /* a finished run without its row; mended: made again */
    SL_FOUND_LOST_FILES = 2,   /* a row whose directory is not there */
    SL_FOUND_DEAD_ATTEMPT = 3, /* a directory of no run, its job not open; mended: removed */
    SL_FOUND_UNUSED_BLOB = 4,  /* no open job and no stored run names it; mended: removed */
    SL_FOUND_TASK_ANSWER = 5,  /* of a task that is over; mended: removed */
    SL_FOUND_LOST_FIGURES = 6, /* a run without rows of its figures; mended: made of its files */
    SL_FOUND_STRAY = 7,        /* among the runs, and named as none; nothing removes it */
    SL_FOUND_DAMAGED_BLOB = 8, /* its bytes are not those of its name; mended: set aside */
};
enum { SL_STORE_MAX_FINDINGS = 20000, SL_STORE_BLOB_KEEP_MS = 3600 * 1000 };

struct sl_store_finding {
    int kind; /* enum sl_store_finding_kind */
    bool mended;
    uint64_t run, job; /* 0: none */
    uint64_t bytes;
    char name[SL_DIGEST_BYTES + 16]; /* below the state directory, or the blob's */
};

struct sl_store_check {
    bool mend;
    /* Dead attempts, answers of tasks and unused blobs that were not touched since are told, and
     * with `mend` removed; 0: none. Blobs of the last SL_STORE_BLOB_KEEP_MS stay in any case: a job
     * may be about to name them. */
    uint64_t free_before_ms;
};

/* `more`: findings beyond SL_STORE_MAX_FINDINGS. */
typedef void (*sl_store_findings_fn)(void *user, int rc, const struct sl_store_finding *rows,
                                     size_t count, uint64_t more);
