/* host/job/unsaved.h: jobs whose last change the store could not take, with the run that
 * they made, until it can. Pure. */
#pragma once

#include <stdint.h>

#include "host/store/answers.h"

struct sl_unsaved {
    struct sl_unsaved *next;
    uint64_t change; /* numbered in order */
    struct sl_store_ending ending;
};

/* Keeps the job as it is after `change`, in place of an earlier one. 0 or -ENOMEM. */
int sl_unsaved_put(struct sl_unsaved **list, const struct sl_store_ending *ending, uint64_t change);

/* The store has this change of the job: earlier ones need not be kept. */
void sl_unsaved_saved(struct sl_unsaved **list, uint64_t job, uint64_t change);
/* The job as it is; NULL: the store has it. */
const struct sl_job_record *sl_unsaved_find(const struct sl_unsaved *list, uint64_t job);

/* One of them, the caller's to sl_free(); NULL when there is none. */
struct sl_unsaved *sl_unsaved_take(struct sl_unsaved **list);
