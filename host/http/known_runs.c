/* host/http/known_runs.c */
#include "host/http/known_runs.h"

#include <string.h>

static struct sl_known_run *find(const struct sl_known_runs *known, uint64_t id)
{
    for (size_t i = 0; i < SL_KNOWN_RUNS; i++) {
        if (known->runs[i].id == id && id != 0)
            return (struct sl_known_run *)&known->runs[i];
    }
    return NULL;
}

void sl_known_runs_add(struct sl_known_runs *known, const struct sl_run_record *run,
                       uint64_t now_ms)
{
    struct sl_known_run *to = find(known, run->id);
    if (!to) {
        to = &known->runs[known->next];
        known->next = (known->next + 1) % SL_KNOWN_RUNS;
    }
    to->id = run->id;
    to->until_ms = now_ms + SL_KNOWN_RUNS_MS;
    memcpy(to->directory, run->directory, sizeof(to->directory));
}

void sl_known_runs_drop(struct sl_known_runs *known, uint64_t id)
{
    struct sl_known_run *run = find(known, id);
    if (run)
        run->id = 0;
}

const char *sl_known_runs_find(const struct sl_known_runs *known, uint64_t id, uint64_t now_ms)
{
    const struct sl_known_run *run = find(known, id);
    return run && now_ms < run->until_ms ? run->directory : NULL;
}
