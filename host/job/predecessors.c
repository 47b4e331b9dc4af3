/* host/job/predecessors.c */
#include "host/job/predecessors.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/spec/after.h"

enum { PLACE_SHIFT = 56 };

uint64_t sl_predecessors_rest(uint64_t job, int place)
{
    return SL_AFTER_GROUP | (uint64_t)place << PLACE_SHIFT | job;
}

void sl_predecessors_say(uint64_t number, char out[SL_DETAIL_BYTES])
{
    if ((number & SL_AFTER_GROUP) != 0)
        snprintf(out, SL_DETAIL_BYTES,
                 "a job of a group that it comes after failed, or the group has none before it");
    else
        snprintf(out, SL_DETAIL_BYTES,
                 "job %" PRIu64 ", which it comes after, failed or is not there", number);
}

/* Room for so many more. */
static int grow(struct sl_predecessors *all, size_t more)
{
    uint64_t *numbers = sl_realloc(all->numbers, all->count + more, sizeof(*numbers));
    if (numbers)
        all->numbers = numbers;
    return numbers ? 0 : -ENOMEM;
}

static int add_group(uint64_t job, const uint64_t *members, size_t count, uint64_t rest,
                     struct sl_predecessors *all)
{
    int rc = grow(all, count + 1);
    for (size_t i = 0; rc == 0 && i < count; i++)
        if (members[i] < job)
            all->numbers[all->count++] = members[i];
    if (rc == 0)
        all->numbers[all->count++] = rest;
    return rc;
}

int sl_predecessors_find(const struct sl_queue *queue, sl_predecessors_group_fn open_jobs,
                         const struct sl_job_record *job, struct sl_predecessors *out)
{
    uint64_t after[SL_AFTER_MOST];
    struct sl_predecessors all = {.numbers = NULL};
    int count = sl_after_read(job->after_jobs, after, NULL), rc = 0;
    for (int i = 0; rc == 0 && i < count; i++) {
        if ((after[i] & SL_AFTER_GROUP) != 0) {
            uint64_t *members = NULL;
            size_t members_count = 0;
            rc = open_jobs(queue, after[i] & ~SL_AFTER_GROUP, &members, &members_count);
            if (rc == 0)
                rc = add_group(job->id, members, members_count, sl_predecessors_rest(job->id, i),
                               &all);
            sl_free(members);
            continue;
        }
        rc = grow(&all, 1);
        if (rc == 0)
            all.numbers[all.count++] = after[i];
        if (after[i] >= job->id)
            all.circle = after[i];
    }
    if (rc < 0) {
        sl_free(all.numbers);
        all = (struct sl_predecessors){.numbers = NULL};
    }
    *out = all;
    return rc;
}
