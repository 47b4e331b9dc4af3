/* host/store/request_queue.c */
#include "host/store/request_queue.h"

#include "host/store/request.h"

#define NS_A_MS UINT64_C(1000000)

void sl_request_queue_init(struct sl_request_queue *queue)
{
    queue->first = NULL;
    queue->end = &queue->first;
}

void sl_request_queue_append(struct sl_request_queue *queue, struct sl_request *request)
{
    request->next = NULL;
    *queue->end = request;
    queue->end = &request->next;
}

struct sl_request *sl_request_queue_take_all(struct sl_request_queue *queue)
{
    struct sl_request *first = queue->first;
    sl_request_queue_init(queue);
    return first;
}

bool sl_request_is_urgent(const struct sl_request *request)
{
    return request->kind != SL_REQUEST_NOTE_AUDIT;
}

bool sl_request_only_reads(const struct sl_request *request)
{
    switch (request->kind) {
    case SL_REQUEST_FIND_JOB:
    case SL_REQUEST_GET_JOB:
    case SL_REQUEST_LIST_JOBS:
    case SL_REQUEST_LIST_GROUPS:
    case SL_REQUEST_LIST_RUNS:
    case SL_REQUEST_LIST_EXPIRED:
    case SL_REQUEST_LIST_TOKENS:
    case SL_REQUEST_LIST_ATTEMPTS:
    case SL_REQUEST_LIST_CHANGED:
    case SL_REQUEST_LIST_HOSTS:
    case SL_REQUEST_LIST_HOST_DEVICES:
        return true;
    default:
        return false;
    }
}

bool sl_request_goes_beside(const struct sl_request *request)
{
    switch (request->kind) {
    case SL_REQUEST_LIST_JOBS:
        return !request->jobs_filter.open_only && request->jobs_filter.group == 0;
    case SL_REQUEST_LIST_GROUPS:
        return request->groups_filter.id == 0;
    case SL_REQUEST_LIST_RUNS:
        return true;
    default:
        return false;
    }
}

struct sl_request *sl_request_queue_take_first(struct sl_request_queue *queue, size_t most,
                                               size_t *out_count)
{
    struct sl_request *first = queue->first, **end = &queue->first;
    for (*out_count = 0; *end && *out_count < most; end = &(*end)->next)
        ++*out_count;
    queue->first = *end;
    *end = NULL;
    if (!queue->first)
        queue->end = &queue->first;
    return *out_count > 0 ? first : NULL;
}

struct sl_request *sl_request_queue_take_batch(struct sl_request_queue *queue, bool single,
                                               uint64_t now_ns)
{
    struct sl_request_queue batch, notes, rest;
    size_t noted = 0;
    sl_request_queue_init(&batch);
    sl_request_queue_init(&notes);
    sl_request_queue_init(&rest);
    for (struct sl_request *request = sl_request_queue_take_all(queue), *next; request;
         request = next) {
        next = request->next;
        bool urgent = sl_request_is_urgent(request), later = single && batch.first;
        sl_request_queue_append(!urgent ? &notes : later ? &rest : &batch, request);
        noted += !urgent;
    }
    bool wait = batch.first && noted < SL_NOTES_ENOUGH && notes.first &&
                now_ns - notes.first->queued_ns < SL_NOTES_WAIT_MS * NS_A_MS;
    if (wait)
        *queue = notes;
    else
        *batch.end = notes.first;
    *queue->end = rest.first;
    if (rest.first)
        queue->end = rest.end;
    return batch.first;
}
