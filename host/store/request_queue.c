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

struct sl_request *sl_request_queue_take_batch(struct sl_request_queue *queue, uint64_t now_ns)
{
    struct sl_request_queue batch, notes;
    size_t noted = 0;
    sl_request_queue_init(&batch);
    sl_request_queue_init(&notes);
    for (struct sl_request *request = sl_request_queue_take_all(queue), *next; request;
         request = next) {
        next = request->next;
        bool urgent = sl_request_is_urgent(request);
        sl_request_queue_append(urgent ? &batch : &notes, request);
        noted += !urgent;
    }
    bool wait = batch.first && noted < SL_NOTES_ENOUGH && notes.first &&
                now_ns - notes.first->queued_ns < SL_NOTES_WAIT_MS * NS_A_MS;
    if (wait)
        *queue = notes;
    else
        *batch.end = notes.first;
    return batch.first;
}
