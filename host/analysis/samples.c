/* host/analysis/samples.c */
#include "host/analysis/samples.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"

/* Runs are counted in whole units, and an iteration may take less than a nanosecond. */
static const double PARTS_OF_NS = 1 / SL_SAMPLES_SHORTEST_NS;

static int take(const struct sl_samples *samples, struct sl_attribution *out)
{
    struct sl_attribution_run *runs = sl_calloc(samples->count, sizeof(*runs));
    if (!runs)
        return -ENOMEM;
    for (size_t i = 0; i < samples->count; i++) {
        if (!(samples->ns[i] <= SL_SAMPLES_LONGEST_NS)) {
            sl_free(runs);
            return SL_E_LIMIT;
        }
        runs[i] = (struct sl_attribution_run){.run = (uint32_t)i,
                                              .pair = UINT32_MAX,
                                              .end_to_end = llround(PARTS_OF_NS * samples->ns[i])};
    }
    *out = (struct sl_attribution){.unit = SL_TRACE_NS,
                                   .runs = runs,
                                   .run_count = samples->count,
                                   .measured_count = samples->count};
    return 0;
}

static void back_to_ns(struct sl_comparison *c)
{
    double *const times[] = {&c->baseline,        &c->candidate, &c->whole_baseline,
                             &c->whole_candidate, &c->whole_low, &c->whole_high};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        *times[i] /= PARTS_OF_NS;
}

int sl_samples_compare(const struct sl_samples sides[2],
                       const struct sl_comparison_options *options, struct sl_comparison *out)
{
    static const char *const names[] = {"baseline", "candidate"};
    struct sl_attribution taken[2] = {{.runs = NULL}, {.runs = NULL}};
    int rc = take(&sides[0], &taken[0]);
    if (rc == 0)
        rc = take(&sides[1], &taken[1]);
    if (rc == 0)
        rc = sl_comparison_make(&taken[0], &taken[1], options, out);
    for (int i = 0; i < 2; i++)
        sl_free(taken[i].runs);
    if (rc < 0)
        return rc;
    back_to_ns(out);
    for (int i = 0; i < 2; i++) {
        if (sides[i].count == 1 && out->verdict != SL_VERDICT_INCOMPARABLE)
            sl_comparison_overrule(out, SL_VERDICT_INCONCLUSIVE,
                                   "the %s tells one time and no repetitions: how much it varies "
                                   "is not known",
                                   names[i]);
    }
    return 0;
}
