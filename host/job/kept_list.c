/* host/job/kept_list.c */
#include "host/job/kept_list.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/digest.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "host/device/link_job.h"
#include "host/records.h"

/* This bit of the lower half says that it is a run's comparison. */
#define REFERENCE (UINT64_C(1) << 62)

static bool is_reference(struct sl_run_id id)
{
    return (id.low & REFERENCE) != 0;
}

struct sl_run_id sl_kept_reference(struct sl_run_id id)
{
    return (struct sl_run_id){id.high, id.low | REFERENCE};
}

struct sl_run_id sl_kept_id(const struct sl_kept_start *start)
{
    char text[2 * SL_NAME_BYTES], digits[SL_SHA256_HEX_SIZE];
    struct sl_run_id id;
    int size = snprintf(text, sizeof(text), "%s %" PRIu64 " %" PRIu64 " %" PRIu32, start->store,
                        start->job, start->submitted_ms, start->attempt);
    assert(size > 0 && (size_t)size < sizeof(text)); /* the store's text is our own */
    sl_sha256_hex(text, (size_t)size, digits);
    digits[SL_RUN_ID_TEXT - 1] = '\0';
    bool is_number = sl_run_id_read(digits, &id);
    assert(is_number); /* 128 zeros do not come */
    (void)is_number;
    id.low &= ~REFERENCE;
    return id;
}

bool sl_kept_is_of(struct sl_run_id id, const struct sl_kept_start *latest)
{
    struct sl_kept_start start = *latest;
    bool found = false;
    for (; start.attempt > 0 && !found; start.attempt--)
        found = sl_run_ids_equal(id, sl_kept_id(&start));
    return found;
}

static struct sl_kept *find(const struct sl_kept_list *list, struct sl_run_id id)
{
    for (size_t i = 0; i < list->count; i++) {
        if (sl_run_ids_equal(list->all[i].id, id))
            return &list->all[i];
    }
    return NULL;
}

const struct sl_kept *sl_kept_list_find(const struct sl_kept_list *list, struct sl_run_id id)
{
    return find(list, id);
}

bool sl_kept_is_worth(const struct sl_kept *kept)
{
    return kept->outcome == 0 || kept->outcome == SL_OUTCOME_DONE ||
           kept->outcome == SL_OUTCOME_FAILED || kept->outcome == SL_OUTCOME_CRASHED ||
           kept->outcome == SL_OUTCOME_TIMED_OUT;
}

/* The comparison of a run that is there is a part of that. */
static bool join(const struct sl_kept_list *list, const struct sl_link_kept *kept)
{
    struct sl_run_id measured = {kept->job.high, kept->job.low & ~REFERENCE};
    struct sl_kept *run = find(list, measured);
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
        if (!is_reference(kept[i].job))
            add(&fresh, list, &kept[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (is_reference(kept[i].job) && !join(&fresh, &kept[i]))
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
