/* host/analysis/replication.c */
#include "host/analysis/replication.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"
#include "host/analysis/verdict.h"

/* Mean end to end of the measured runs of `pair`, which stand together at *at or later; 0: none. */
static double mean_of_pair(const struct sl_attribution *a, size_t *at, uint32_t pair)
{
    double sum = 0, runs = 0;
    for (; *at < a->run_count && (a->runs[*at].warmup || a->runs[*at].pair <= pair); (*at)++) {
        const struct sl_attribution_run *run = &a->runs[*at];
        if (run->warmup || run->pair != pair)
            continue;
        sum += (double)run->end_to_end;
        runs++;
    }
    return runs > 0 ? sum / runs : 0;
}

/* The steady pairs of one process; how many. */
static size_t take_pairs(const struct sl_replica *replica, uint32_t process,
                         struct sl_time_pair *out)
{
    const struct sl_attribution *sides[2] = {replica->baseline, replica->candidate};
    size_t at[2] = {0, 0}, n = 0;
    while (at[0] < sides[0]->run_count) {
        const struct sl_attribution_run *run = &sides[0]->runs[at[0]];
        if (run->warmup || run->pair == UINT32_MAX) {
            at[0]++;
            continue;
        }
        uint32_t pair = run->pair;
        double baseline = mean_of_pair(sides[0], &at[0], pair);
        double candidate = mean_of_pair(sides[1], &at[1], pair);
        if (baseline > 0 && candidate > 0)
            out[n++] = (struct sl_time_pair){baseline, candidate, process};
    }
    return n;
}

static int judge_times(const struct sl_replica *replicas, size_t count, struct sl_comparison *out)
{
    const struct sl_comparison *first = replicas[0].comparison;
    const struct sl_comparison_options options = {.seed = first->seed,
                                                  .confidence = first->confidence,
                                                  .margin = first->margin,
                                                  .noise_floor = first->noise_floor,
                                                  .looks = first->looks};
    size_t most = 0, n = 0;
    for (size_t i = 0; i < count; i++)
        most += replicas[i].baseline->run_count;
    struct sl_time_pair *pairs = sl_malloc(most + 1, sizeof(*pairs));
    if (!pairs)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        n += take_pairs(&replicas[i], (uint32_t)i, pairs + n);
    int rc = sl_comparison_make_pairs(pairs, n, &options, out);
    sl_free(pairs);
    if (rc == 0 && out->method != SL_METHOD_PROCESSES)
        sl_comparison_overrule(out, SL_VERDICT_INCONCLUSIVE,
                               "fewer than two of the %zu processes have steady pairs", count);
    else if (rc == 0 && out->blocks < count)
        sl_comparison_note(out, "%zu of the %zu processes have no steady pair", count - out->blocks,
                           count);
    return rc;
}

static void judge_counts(const struct sl_replica *replicas, size_t count, struct sl_comparison *out)
{
    bool same = true;
    *out = *replicas[0].comparison;
    out->operators = NULL;
    out->operator_count = out->reason_count = 0;
    out->blocks = count;
    for (size_t i = 1; i < count; i++)
        same = same && replicas[i].comparison->baseline == out->baseline &&
               replicas[i].comparison->candidate == out->candidate;
    if (same)
        sl_comparison_note(out, "%zu processes counted the same to the instruction", count);
    else
        sl_comparison_overrule(out, SL_VERDICT_UNFIT,
                               "the counts of %zu processes differ; counted runs must be equal",
                               count);
}

int sl_replication_make(const struct sl_replica *replicas, size_t count, struct sl_comparison *out)
{
    int rc = 0;
    if (replicas[0].comparison->unit == SL_TRACE_INSTRUCTIONS)
        judge_counts(replicas, count, out);
    else
        rc = judge_times(replicas, count, out);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const struct sl_comparison *one = replicas[i].comparison;
        if (one->verdict > SL_VERDICT_INCONCLUSIVE && one->verdict > out->verdict)
            sl_comparison_overrule(out, one->verdict, "process %zu is %s by itself", i + 1,
                                   sl_verdict_name(one));
    }
    return rc;
}
