/* host/job/predecessors.h: what a job waits for before it may begin: the jobs that it names, and
 * those of the groups that it names which came before it. No job waits for a later one, so none
 * wait in a circle. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/records.h"

struct sl_queue;

struct sl_predecessors {
    uint64_t *numbers; /* owned; NULL: none */
    size_t count;
    uint64_t circle; /* one of them that was not there when the job came; 0: none */
};

/* The open jobs of a group: *out_jobs is owned by the caller. 0 or -ENOMEM. */
typedef int (*sl_predecessors_group_fn)(const struct sl_queue *queue, uint64_t group,
                                        uint64_t **out_jobs, size_t *out_count);

/* Among the numbers are of a group the jobs that `queue` has, and sl_predecessors_rest(), which the
 * store settles: what it knows and the queue does not. 0, or -ENOMEM and there are none; end the
 * numbers with sl_free(). */
int sl_predecessors_find(const struct sl_queue *queue, sl_predecessors_group_fn open_jobs,
                         const struct sl_job_record *job, struct sl_predecessors *out);

/* The number that stands for the rest of the group in `place` of what the job comes after. */
uint64_t sl_predecessors_rest(uint64_t job, int place);

/* Says that the job of that number did not end well. */
void sl_predecessors_say(uint64_t number, char out[SL_DETAIL_BYTES]);
