/* host/store/request.h: one request to the store, from its queueing to its answer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "host/records.h"
#include "host/store/answers.h"

struct sl_store;

struct sl_database;

enum sl_request_kind {
    SL_REQUEST_ADD_JOB,
    SL_REQUEST_FIND_JOB,
    SL_REQUEST_UPDATE_JOB,
    SL_REQUEST_GET_JOB,
    SL_REQUEST_LIST_JOBS,
    SL_REQUEST_ADD_GROUP,
    SL_REQUEST_LIST_GROUPS,
    SL_REQUEST_ADD_RUN,
    SL_REQUEST_IMPORT_RUN,
    SL_REQUEST_LIST_RUNS,
    SL_REQUEST_REMOVE_RUN,
    SL_REQUEST_LABEL_RUN,
    SL_REQUEST_LIST_EXPIRED,
    SL_REQUEST_ADD_TOKEN,
    SL_REQUEST_REMOVE_TOKEN,
    SL_REQUEST_LIST_TOKENS,
    SL_REQUEST_NOTE_DEVICE,
    SL_REQUEST_NOTE_AUDIT,
    SL_REQUEST_CHECK,
    SL_REQUEST_LIST_LEFT,
    SL_REQUEST_LIST_ATTEMPTS,
    SL_REQUEST_CLAIM_JOB,
    SL_REQUEST_END_JOB,
    SL_REQUEST_WANT_CANCEL,
    SL_REQUEST_LIST_CHANGED,
    SL_REQUEST_BEAT,
    SL_REQUEST_LIST_HOSTS,
    SL_REQUEST_NOTE_HOST_DEVICE,
    SL_REQUEST_LIST_HOST_DEVICES,
};

struct sl_request {
    struct sl_request *next;
    int kind; /* enum sl_request_kind */
    int rc;
    uint64_t queued_ns; /* when, by sl_clock_ns() */
    uint64_t id;        /* in: which; out: the new one */
    uint32_t max_open;  /* jobs of the owner; 0: any number */
    bool changed;       /* out, of labels: they may be others than before */
    /* Who asks: the store's host, and how long it has a job; and the store's time. */
    const struct sl_store_host *host;
    uint64_t now_ms;
    union {
        struct sl_job_record job;
        struct sl_run_record run;
        struct sl_token_record token;
        struct sl_device_record device;
        struct sl_audit_record audit;
        struct sl_group_record group;
        struct sl_store_ending ending;
        struct sl_changed_filter changed_filter;
        struct sl_jobs_filter jobs_filter;
        struct sl_groups_filter groups_filter;
        struct sl_runs_filter runs_filter;
        struct sl_store_check check;
        struct sl_store_retention retention;
    };
    char *config, *key; /* owned; NULL when absent */
    bool own_key;       /* the key is one that give_key() of adder.c made */
    bool again;         /* it was sent before, and may have taken place: its key tells */
    struct sl_buf text; /* owned: what a job is of, what a run has */
    void *rows;         /* owned: the records of a list */
    size_t count;
    uint64_t next_cursor; /* of findings: how many more there are */
    union {
        sl_store_done_fn done;
        sl_store_id_fn id_done;
        sl_store_job_fn job_done;
        sl_store_jobs_fn jobs_done;
        sl_store_groups_fn groups_done;
        sl_store_beat_fn beat_done;
        sl_store_hosts_fn hosts_done;
        sl_store_devices_fn devices_done;
        sl_store_runs_fn runs_done;
        sl_store_text_fn text_done;
        sl_store_tokens_fn tokens_done;
        sl_store_findings_fn findings_done;
        sl_store_attempts_fn attempts_done;
    };
    void *user;
};

/* Makes room for the rows of a list: how many (`wanted`, 0 for a whole page, and never more), or 0
 * when out of memory, which `rc` then says. */
size_t sl_request_rows(struct sl_request *request, uint32_t wanted, size_t row_bytes);

/* Calls its owner back; then it can be freed. */
void sl_request_answer(struct sl_request *request);

/* Takes the request back to before it was carried out, to carry it out once more. */
void sl_request_reset(struct sl_request *request);

void sl_request_free(struct sl_request *request);

/* Puts the request behind those that wait for the store's thread, and takes it over, also when it
 * fails: -ENOMEM for NULL, SL_E_STATE of a store that closes, SL_E_FULL. In store.c. */
int sl_store_post(struct sl_store *store, struct sl_request *request);
