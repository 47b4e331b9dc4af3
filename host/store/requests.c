/* host/store/requests.c: each question to the store, put into a request for its thread. */
#include "host/store/request.h"
#include "host/store/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"

static struct sl_request *request_new(int kind, void *user)
{
    struct sl_request *request = sl_calloc(1, sizeof(*request));
    if (request) {
        request->kind = kind;
        request->user = user;
    }
    return request;
}

/* A request that is about a configuration and a key. */
static int request_job(struct sl_store *store, int kind, const struct sl_job_record *job,
                       const char *config_json, const char *key, uint32_t max_open,
                       sl_store_id_fn done, void *user)
{
    size_t len = strlen(config_json);
    if (len > SL_STORE_MAX_CONFIG_BYTES)
        return SL_E_LIMIT;
    struct sl_request *request = request_new(kind, user);
    if (!request)
        return -ENOMEM;
    request->job = *job;
    request->max_open = max_open;
    request->id_done = done;
    request->config = sl_strndup(config_json, len);
    request->key = key ? sl_strndup(key, strlen(key)) : NULL;
    if (!request->config || (key && !request->key)) {
        sl_request_free(request);
        return -ENOMEM;
    }
    return sl_store_post(store, request);
}

int sl_store_add_job(struct sl_store *store, const struct sl_job_record *job,
                     const char *config_json, const char *idempotency_key, uint32_t max_open,
                     sl_store_id_fn done, void *user)
{
    return request_job(store, SL_REQUEST_ADD_JOB, job, config_json, idempotency_key, max_open, done,
                       user);
}

int sl_store_find_job(struct sl_store *store, const char *config_json, const char *idempotency_key,
                      sl_store_id_fn done, void *user)
{
    const struct sl_job_record none = {0};
    return request_job(store, SL_REQUEST_FIND_JOB, &none, config_json, idempotency_key, 0, done,
                       user);
}

int sl_store_update_job(struct sl_store *store, const struct sl_job_record *job,
                        sl_store_done_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_UPDATE_JOB, user);
    if (request) {
        request->job = *job;
        request->done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_claim_job(struct sl_store *store, const struct sl_job_record *job,
                       sl_store_job_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_CLAIM_JOB, user);
    if (request) {
        request->id = job->id;
        request->job = *job;
        request->job_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_end_job(struct sl_store *store, const struct sl_store_ending *ending,
                     sl_store_id_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_END_JOB, user);
    if (request) {
        request->ending = *ending;
        request->id_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_want_cancel(struct sl_store *store, uint64_t job, uint64_t group,
                         sl_store_done_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_WANT_CANCEL, user);
    if (request) {
        request->jobs_filter.cursor = job;
        request->jobs_filter.group = group;
        request->done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_list_changed(struct sl_store *store, const struct sl_changed_filter *filter,
                          sl_store_jobs_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_CHANGED, user);
    if (request) {
        request->changed_filter = *filter;
        request->jobs_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_beat(struct sl_store *store, sl_store_beat_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_BEAT, user);
    if (request)
        request->beat_done = done;
    return sl_store_post(store, request);
}

int sl_store_list_hosts(struct sl_store *store, sl_store_hosts_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_HOSTS, user);
    if (request)
        request->hosts_done = done;
    return sl_store_post(store, request);
}

int sl_store_note_host_device(struct sl_store *store, const struct sl_device_record *device,
                              sl_store_done_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_NOTE_HOST_DEVICE, user);
    if (request) {
        request->device = *device;
        request->done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_list_host_devices(struct sl_store *store, sl_store_devices_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_HOST_DEVICES, user);
    if (request)
        request->devices_done = done;
    return sl_store_post(store, request);
}

int sl_store_get_job(struct sl_store *store, uint64_t id, sl_store_job_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_GET_JOB, user);
    if (request) {
        request->id = id;
        request->job_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_list_jobs(struct sl_store *store, const struct sl_jobs_filter *filter,
                       sl_store_jobs_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_JOBS, user);
    if (request) {
        request->jobs_filter = *filter;
        request->jobs_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_add_group(struct sl_store *store, const struct sl_group_record *group,
                       sl_store_id_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_ADD_GROUP, user);
    if (request) {
        request->group = *group;
        request->id_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_list_groups(struct sl_store *store, const struct sl_groups_filter *filter,
                         sl_store_groups_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_GROUPS, user);
    if (request) {
        request->groups_filter = *filter;
        request->groups_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_add_run(struct sl_store *store, const struct sl_run_record *run, sl_store_id_fn done,
                     void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_ADD_RUN, user);
    if (request) {
        request->run = *run;
        request->id_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_import_run(struct sl_store *store, const char *staged, const char *key,
                        const char *owner, sl_store_id_fn done, void *user)
{
    struct sl_job_record job = {.id = 0};
    snprintf(job.owner, sizeof(job.owner), "%s", owner);
    return request_job(store, SL_REQUEST_IMPORT_RUN, &job, staged, key, 0, done, user);
}

int sl_store_label_run(struct sl_store *store, uint64_t id, const char *wanted, const char *owner,
                       sl_store_text_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LABEL_RUN, user);
    if (!request)
        return -ENOMEM;
    request->id = id;
    request->text_done = done;
    request->config = wanted ? sl_strndup(wanted, strlen(wanted)) : NULL;
    request->key = owner ? sl_strndup(owner, strlen(owner)) : NULL;
    if ((wanted && !request->config) || (owner && !request->key)) {
        sl_request_free(request);
        return -ENOMEM;
    }
    return sl_store_post(store, request);
}

int sl_store_list_runs(struct sl_store *store, const struct sl_runs_filter *filter,
                       sl_store_runs_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_RUNS, user);
    if (request) {
        request->runs_filter = *filter;
        request->runs_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_list_expired(struct sl_store *store, const struct sl_store_retention *wish,
                          sl_store_runs_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_EXPIRED, user);
    if (request) {
        request->retention = *wish;
        request->runs_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_list_tokens(struct sl_store *store, sl_store_tokens_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_TOKENS, user);
    if (request)
        request->tokens_done = done;
    return sl_store_post(store, request);
}

int sl_store_add_token(struct sl_store *store, const struct sl_token_record *token,
                       sl_store_id_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_ADD_TOKEN, user);
    if (request) {
        request->token = *token;
        request->id_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_note_device(struct sl_store *store, const struct sl_device_record *device,
                         sl_store_done_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_NOTE_DEVICE, user);
    if (request) {
        request->device = *device;
        request->done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_note_audit(struct sl_store *store, const struct sl_audit_record *record,
                        sl_store_done_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_NOTE_AUDIT, user);
    if (request) {
        request->audit = *record;
        request->done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_remove_token(struct sl_store *store, uint64_t id, sl_store_done_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_REMOVE_TOKEN, user);
    if (request) {
        request->id = id;
        request->done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_remove_run(struct sl_store *store, uint64_t id, const struct sl_store_retention *rules,
                        sl_store_done_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_REMOVE_RUN, user);
    if (request) {
        request->id = id;
        if (rules)
            request->retention = *rules;
        request->done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_check(struct sl_store *store, const struct sl_store_check *wish,
                   sl_store_findings_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_CHECK, user);
    if (request) {
        request->check = *wish;
        request->findings_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_list_attempts(struct sl_store *store, uint64_t job, sl_store_attempts_fn done,
                           void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_ATTEMPTS, user);
    if (request) {
        request->id = job;
        request->attempts_done = done;
    }
    return sl_store_post(store, request);
}

int sl_store_list_left(struct sl_store *store, uint64_t job, sl_store_findings_fn done, void *user)
{
    struct sl_request *request = request_new(SL_REQUEST_LIST_LEFT, user);
    if (request) {
        request->id = job;
        request->findings_done = done;
    }
    return sl_store_post(store, request);
}
