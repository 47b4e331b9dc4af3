/* host/store/request.c */
#include "host/store/request.h"

#include <errno.h>
#include <stdbool.h>

#include "common/base/mem.h"

size_t sl_request_rows(struct sl_request *request, uint32_t wanted, size_t row_bytes)
{
    size_t limit = wanted == 0 || wanted > SL_STORE_PAGE_ROWS ? SL_STORE_PAGE_ROWS : wanted;
    request->rows = sl_calloc(limit, row_bytes);
    if (request->rows)
        return limit;
    request->rc = -ENOMEM;
    return 0;
}

static const char *text_of(const struct sl_request *request)
{
    return request->text.data ? (const char *)request->text.data : "";
}

/* To what hosts ask of one another; false: it was something else. */
static bool answer_host(struct sl_request *request)
{
    int rc = request->rc;
    size_t count = rc == 0 ? request->count : 0;
    switch (request->kind) {
    case SL_REQUEST_BEAT:
        request->beat_done(request->user, rc, request->now_ms, request->rows, count);
        return true;
    case SL_REQUEST_LIST_HOSTS:
        request->hosts_done(request->user, rc, request->rows, count, request->now_ms);
        return true;
    case SL_REQUEST_LIST_HOST_DEVICES:
        request->devices_done(request->user, rc, request->rows, count);
        return true;
    default:
        return false;
    }
}

void sl_request_answer(struct sl_request *request)
{
    int rc = request->rc;
    if (answer_host(request))
        return;
    switch (request->kind) {
    case SL_REQUEST_ADD_JOB:
    case SL_REQUEST_FIND_JOB:
    case SL_REQUEST_ADD_GROUP:
    case SL_REQUEST_ADD_RUN:
    case SL_REQUEST_END_JOB:
    case SL_REQUEST_IMPORT_RUN:
    case SL_REQUEST_ADD_TOKEN:
        request->id_done(request->user, rc, rc >= 0 ? request->id : 0);
        break;
    case SL_REQUEST_UPDATE_JOB:
    case SL_REQUEST_REMOVE_TOKEN:
    case SL_REQUEST_REMOVE_RUN:
    case SL_REQUEST_NOTE_DEVICE:
    case SL_REQUEST_NOTE_AUDIT:
    case SL_REQUEST_WANT_CANCEL:
    case SL_REQUEST_NOTE_HOST_DEVICE:
        request->done(request->user, rc);
        break;
    case SL_REQUEST_GET_JOB:
    case SL_REQUEST_CLAIM_JOB:
        request->job_done(request->user, rc, rc == 0 ? &request->job : NULL,
                          rc == 0 ? text_of(request) : NULL);
        break;
    case SL_REQUEST_LIST_JOBS:
    case SL_REQUEST_LIST_CHANGED:
        request->jobs_done(request->user, rc, request->rows, rc == 0 ? request->count : 0,
                           request->next_cursor);
        break;
    case SL_REQUEST_LIST_GROUPS:
        request->groups_done(request->user, rc, request->rows, rc == 0 ? request->count : 0,
                             request->next_cursor);
        break;
    case SL_REQUEST_LIST_RUNS:
    case SL_REQUEST_LIST_EXPIRED:
        request->runs_done(request->user, rc, request->rows, rc == 0 ? request->count : 0,
                           request->next_cursor);
        break;
    case SL_REQUEST_LABEL_RUN:
        request->text_done(request->user, rc, rc == 0 ? text_of(request) : NULL);
        break;
    case SL_REQUEST_LIST_TOKENS:
        request->tokens_done(request->user, rc, request->rows, rc == 0 ? request->count : 0);
        break;
    case SL_REQUEST_CHECK:
    case SL_REQUEST_LIST_LEFT:
        request->findings_done(request->user, rc, request->rows, rc == 0 ? request->count : 0,
                               request->next_cursor);
        break;
    case SL_REQUEST_LIST_ATTEMPTS:
        request->attempts_done(request->user, rc, request->rows, rc == 0 ? request->count : 0);
        break;
    }
}

void sl_request_reset(struct sl_request *request)
{
    sl_buf_fini(&request->text);
    sl_free(request->rows);
    request->rows = NULL;
    request->count = 0;
    request->next_cursor = 0;
    request->rc = 0;
    request->changed = false;
}

void sl_request_free(struct sl_request *request)
{
    sl_buf_fini(&request->text);
    sl_free(request->config);
    sl_free(request->key);
    sl_free(request->rows);
    sl_free(request);
}
