/* host/analysis/run_kinds.c */
#include "host/analysis/run_kinds.h"

#include <stdbool.h>
#include <string.h>

#include "host/analysis/attribution.h"

static bool same_work(const struct sl_attribution *a, size_t x, size_t y)
{
    const struct sl_attribution_run *one = &a->runs[x], *other = &a->runs[y];
    return one->event_count == other->event_count &&
           memcmp(&a->event_operators[one->first_event], &a->event_operators[other->first_event],
                  one->event_count * sizeof(*a->event_operators)) == 0;
}

size_t sl_run_kinds(const struct sl_attribution *a, struct sl_run_kind out[SL_RUN_KINDS_MAX])
{
    size_t places[SL_RUN_KINDS_MAX]; /* of each kind's first run among the runs here */
    size_t count = 0;
    for (size_t i = 0; i < a->run_count; i++) {
        size_t k = 0;
        if (a->runs[i].warmup)
            continue;
        while (k < count && !same_work(a, places[k], i))
            k++;
        if (k == SL_RUN_KINDS_MAX)
            continue;
        if (k == count) {
            places[count++] = i;
            out[k] = (struct sl_run_kind){.first = a->runs[i].run};
        }
        out[k].count++;
        out[k].mean += ((double)a->runs[i].end_to_end - out[k].mean) / (double)out[k].count;
    }
    return count;
}

static bool is_execute(const struct sl_attribution *a, size_t event)
{
    static const char name[] = "Method::execute";
    uint32_t index = a->event_operators[event];
    if (index == SL_POSITION_NO_OPERATOR)
        return false;
    const struct sl_operator *op = &a->operators[index];
    return !op->delegated && op->name_len == sizeof(name) - 1 &&
           memcmp(op->name, name, sizeof(name) - 1) == 0;
}

size_t sl_run_methods(const struct sl_attribution *a, struct sl_run_method out[SL_RUN_KINDS_MAX])
{
    size_t counts[SL_RUN_KINDS_MAX] = {0}, most = 0;
    for (size_t i = 0; i < a->run_count; i++) {
        const struct sl_attribution_run *run = &a->runs[i];
        size_t k = 0, events = 0;
        double sum = 0; /* own times of a tree add up to its root's duration */
        for (size_t e = 0; !run->warmup && e < run->event_count && k < SL_RUN_KINDS_MAX; e++) {
            sum += (double)a->event_self[run->first_event + e];
            events++;
            if (!is_execute(a, run->first_event + e))
                continue;
            if (counts[k]++ == 0)
                out[k] = (struct sl_run_method){.events = events};
            out[k].mean += (sum - out[k].mean) / (double)counts[k];
            k++;
            sum = 0;
            events = 0;
        }
        most = k > most ? k : most;
    }
    return most > 1 ? most : 0;
}
