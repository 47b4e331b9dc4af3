/* host/job/unsaved.c */
#include "host/job/unsaved.h"

#include <errno.h>
#include <stddef.h>

#include "common/base/mem.h"

/* Returns the link to the job's entry, or the list's end. */
static struct sl_unsaved **place_of(struct sl_unsaved **list, uint64_t job)
{
    while (*list && (*list)->ending.job.id != job)
        list = &(*list)->next;
    return list;
}

int sl_unsaved_put(struct sl_unsaved **list, const struct sl_store_ending *ending, uint64_t change)
{
    struct sl_unsaved **place = place_of(list, ending->job.id);
    if (!*place) {
        *place = sl_calloc(1, sizeof(**place));
        if (!*place)
            return -ENOMEM;
    }
    if (change >= (*place)->change) {
        (*place)->change = change;
        (*place)->ending = *ending;
    }
    return 0;
}

void sl_unsaved_saved(struct sl_unsaved **list, uint64_t job, uint64_t change)
{
    struct sl_unsaved **place = place_of(list, job), *entry = *place;
    if (!entry || entry->change > change)
        return;
    *place = entry->next;
    sl_free(entry);
}

const struct sl_job_record *sl_unsaved_find(const struct sl_unsaved *list, uint64_t job)
{
    while (list && list->ending.job.id != job)
        list = list->next;
    return list ? &list->ending.job : NULL;
}

struct sl_unsaved *sl_unsaved_take(struct sl_unsaved **list)
{
    struct sl_unsaved *first = *list;
    if (first)
        *list = first->next;
    return first;
}
