/* host/job/early_ends.c */
#include "host/job/early_ends.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"

int sl_early_ends_put(struct sl_early_end **list, uint64_t job, const char *device, int cause,
                      const char *detail, const struct sl_run_record *run)
{
    struct sl_early_end *end = sl_calloc(1, sizeof(*end));
    if (!end)
        return -ENOMEM;
    *end = (struct sl_early_end){.next = *list, .job = job, .cause = cause, .has_run = run != NULL};
    snprintf(end->device, sizeof(end->device), "%s", device);
    snprintf(end->detail, sizeof(end->detail), "%s", detail);
    if (run)
        end->run = *run;
    *list = end;
    return 0;
}

bool sl_early_ends_have(const struct sl_early_end *list, uint64_t job, const char *device)
{
    for (; list; list = list->next) {
        if (list->job == job && strcmp(list->device, device) == 0)
            return true;
    }
    return false;
}

struct sl_early_end *sl_early_ends_take(struct sl_early_end **list)
{
    struct sl_early_end *first = *list;
    if (first)
        *list = first->next;
    return first;
}
