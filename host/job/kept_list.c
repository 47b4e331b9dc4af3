/* host/job/kept_list.c */
#include "host/job/kept_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "host/device/link_job.h"

#define REFERENCE (UINT64_C(1) << 62) /* as host/job/run.c numbers a run's second part */
enum { JOB_BITS = 0xffffff, ATTEMPT_BITS = 0xff, ATTEMPT_AT = 48, OWN_AT = 24 };

uint64_t sl_kept_reference(uint64_t id)
{
    return id | REFERENCE;
}

static struct sl_kept *find(const struct sl_kept_list *list, uint64_t id)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->all[i].id == id)
            return &list->all[i];
    }
    return NULL;
}

const struct sl_kept *sl_kept_list_find(const struct sl_kept_list *list, uint64_t id)
{
    return find(list, id);
}

uint64_t sl_kept_number(uint64_t job, uint32_t own, uint32_t attempt)
{
    return (job & JOB_BITS) | (uint64_t)(own & JOB_BITS) << OWN_AT |
           (uint64_t)(attempt & ATTEMPT_BITS) << ATTEMPT_AT;
}

bool sl_kept_may_be_of(uint64_t id, uint64_t job)
{
    return (id & JOB_BITS) == (job & JOB_BITS);
}

static bool is_worth(const struct sl_kept *kept)
{
    return kept->outcome == 0 || kept->outcome == SL_OUTCOME_DONE ||
           kept->outcome == SL_OUTCOME_FAILED || kept->outcome == SL_OUTCOME_CRASHED ||
           kept->outcome == SL_OUTCOME_TIMED_OUT;
}

const struct sl_kept *sl_kept_list_of(const struct sl_kept_list *list, uint64_t job,
                                      uint32_t attempt)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct sl_kept *one = &list->all[i];
        if (sl_kept_may_be_of(one->id, job) && !(one->id & REFERENCE) && is_worth(one) &&
            (one->id >> ATTEMPT_AT & ATTEMPT_BITS) == (attempt & ATTEMPT_BITS))
            return one;
    }
    return NULL;
}

/* The comparison of a run that is there is a part of that. */
static bool join(const struct sl_kept_list *list, const struct sl_link_kept *kept)
{
    struct sl_kept *run = kept->job & REFERENCE ? find(list, kept->job & ~REFERENCE) : NULL;
    if (!run)
        return false;
    run->bytes += kept->bytes;
    run->outcome = kept->outcome == 0 ? 0 : run->outcome;
    return true;
}

/* With what is known of it, which moves from the old list. */
static void add(struct sl_kept_list *list, struct sl_kept_list *old,
                const struct sl_link_kept *kept)
{
    struct sl_kept *known = find(old, kept->job), *one = &list->all[list->count++];
    if (known) {
        *one = *known;
        known->config = NULL;
    }
    one->id = kept->job;
    one->bytes = kept->bytes;
    one->outcome = kept->outcome;
}

int sl_kept_list_take(struct sl_kept_list *list, const struct sl_link_kept *kept, size_t count)
{
    struct sl_kept_list fresh = {.count = 0};
    if (count > 0 && !(fresh.all = sl_calloc(count, sizeof(*fresh.all))))
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (!(kept[i].job & REFERENCE))
            add(&fresh, list, &kept[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (kept[i].job & REFERENCE && !join(&fresh, &kept[i]))
            add(&fresh, list, &kept[i]);
    }
    sl_kept_list_fini(list);
    *list = fresh;
    return 0;
}

int sl_kept_list_told(struct sl_kept_list *list, const struct sl_link_told *told)
{
    struct sl_kept *one = find(list, told->job);
    char *config = NULL;
    if (!one)
        return 0;
    if (told->config[0] && !(config = sl_strndup(told->config, strlen(told->config))))
        return -ENOMEM;
    sl_free(one->config);
    one->config = config;
    one->started_ms = told->started_ms <= sl_clock_utc_ms() ? told->started_ms : 0;
    snprintf(one->host, sizeof(one->host), "%s", told->host);
    sl_utf8_clean(one->host, "");
    return 0;
}

void sl_kept_list_fini(struct sl_kept_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        sl_free(list->all[i].config);
    sl_free(list->all);
    *list = (struct sl_kept_list){.count = 0};
}
