/* host/store/request_queue.h: requests in the order they came, and which of them go together. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_request;

/* Who did what waits so long for more of its kind, and no longer than until it is so many. */
enum { SL_NOTES_WAIT_MS = 20, SL_NOTES_ENOUGH = 64 };

/* A list that is appended to at its end. */
struct sl_request_queue {
    struct sl_request *first, **end;
};

/* Makes the queue empty; requests that are in it are not freed. */
void sl_request_queue_init(struct sl_request_queue *queue);
void sl_request_queue_append(struct sl_request_queue *queue, struct sl_request *request);
struct sl_request *sl_request_queue_take_all(struct sl_request_queue *queue);

/* Does somebody wait for the answer? Nobody does for rows of the audit log. */
bool sl_request_is_urgent(const struct sl_request *request);

/* Does it change nothing? Then it needs no transaction. */
bool sl_request_only_reads(const struct sl_request *request);

/* May it be answered beside those that were posted before? A list of runs, groups or jobs may. Who
 * asks for one job, for a group's or for all open ones may go on to wait for an end, which must not
 * come between the answer and the change. */
bool sl_request_goes_beside(const struct sl_request *request);

/* Takes the first ones, `most` at most: *out_count. */
struct sl_request *sl_request_queue_take_first(struct sl_request_queue *queue, size_t most,
                                               size_t *out_count);

/* Takes those that go into one transaction: the urgent ones, and behind them the others, if those
 * have waited long enough, are many, or are alone. `single`: the first of the urgent ones alone,
 * and not all of them. `now_ns` by sl_clock_ns(). */
struct sl_request *sl_request_queue_take_batch(struct sl_request_queue *queue, bool single,
                                               uint64_t now_ns);
