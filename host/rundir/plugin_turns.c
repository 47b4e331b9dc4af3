/* host/rundir/plugin_turns.c */
#include "host/rundir/plugin_turns.h"

#include <errno.h>
#include <math.h>

#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/plugin/record.h"
#include "host/rundir/trace_beside.h"

enum { US = 1000, LEVELS = 2 };

#define MAX_UNIX_US (INT64_C(1) << 53)

/* Unix time of the trace's zero. The agent looked at it before the executions and after them. */
static bool find_zero(const struct sl_trace *trace, uint64_t *out_us)
{
    int64_t before, after;
    if (trace->unit != SL_TRACE_NS || !sl_trace_meta_integer(trace, "zero_unix_us", &before) ||
        !sl_trace_meta_integer(trace, "zero_unix_us.end", &after) || before < 0 || after < 0 ||
        before > MAX_UNIX_US || after > MAX_UNIX_US)
        return false;
    int64_t moved = after - before;
    *out_us = (uint64_t)before;
    return moved <= SL_PLUGIN_TURN_SLACK_MS * US && moved >= -SL_PLUGIN_TURN_SLACK_MS * US;
}

/* False for an execution that cannot follow what was there before. */
static bool add(struct sl_plugin_turns *turns, const struct sl_plugin_turn *one)
{
    struct sl_plugin_turn *last = turns->count > 0 ? &turns->list[turns->count - 1] : NULL;
    if (one->level >= LEVELS || one->end_us < one->begin_us ||
        (last && one->begin_us < last->end_us))
        return false;
    if (last && last->level == one->level &&
        one->begin_us - last->end_us <= SL_PLUGIN_TURN_PAUSE_MS * US)
        last->end_us = one->end_us;
    else
        turns->list[turns->count++] = *one;
    return true;
}

int sl_plugin_turns_init(struct sl_plugin_turns *turns, const struct sl_trace *trace)
{
    uint64_t zero_us;
    size_t executions = 0;
    *turns = (struct sl_plugin_turns){.count = 0};
    if (!find_zero(trace, &zero_us))
        return 0;
    for (size_t i = 0; i < trace->record_count; i++)
        executions += sl_trace_is_execution(trace, &trace->records[i]);
    if (executions == 0)
        return 0;
    turns->list = sl_calloc(executions, sizeof(*turns->list));
    if (!turns->list)
        return -ENOMEM;
    turns->known = true;
    for (size_t i = 0; i < trace->record_count && turns->known; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        const struct sl_plugin_turn one = {zero_us + record->event.start / US,
                                           zero_us + record->event.end / US, record->variant};
        if (sl_trace_is_execution(trace, record))
            turns->known = add(turns, &one);
    }
    return 0;
}

void sl_plugin_turns_fini(struct sl_plugin_turns *turns)
{
    sl_free(turns->list);
    *turns = (struct sl_plugin_turns){.count = 0};
}

void sl_plugin_turns_split(const struct sl_plugin_turns *turns, const struct sl_plugin_clock *clock,
                           const uint64_t *at_ms, const double *values, size_t first, size_t end,
                           struct sl_plugin_apart *out)
{
    double sums[LEVELS] = {0};
    size_t turn = 0;
    int64_t slack_us = SL_PLUGIN_TURN_SLACK_MS * US + (int64_t)clock->uncertain_us;
    *out = (struct sl_plugin_apart){.neither = 0};
    for (size_t i = first; i < end; i++) {
        int64_t until_us = (int64_t)at_ms[i] * US + clock->ahead_us + slack_us;
        while (turn < turns->count && (int64_t)turns->list[turn].end_us < until_us)
            turn++;
        const struct sl_plugin_turn *one = turn < turns->count ? &turns->list[turn] : NULL;
        if (one && i > 0 &&
            (int64_t)one->begin_us + slack_us <= (int64_t)at_ms[i - 1] * US + clock->ahead_us) {
            out->samples[one->level]++;
            sums[one->level] += values[i];
        } else {
            out->neither++;
        }
    }
    for (int level = 0; level < LEVELS; level++)
        out->means[level] = sums[level] / (double)out->samples[level];
}
