/* host/report/analysis.c */
#include "host/report/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "common/base/mem.h"
#include "host/analysis/run_kinds.h"
#include "host/analysis/steady_runs.h"
#include "host/report/categories_file.h"
#include "host/report/unit.h"

static int describe_latency(struct sl_analysis *analysis)
{
    const struct sl_attribution *attribution = &analysis->attribution;
    int64_t *values = sl_malloc(attribution->run_count, sizeof(*values));
    size_t n = 0;
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < attribution->run_count; i++) {
        if (!attribution->runs[i].warmup)
            values[n++] = attribution->runs[i].end_to_end;
    }
    int rc = sl_statistics_of(values, n, &analysis->latency);
    if (rc == 0)
        rc = sl_statistics_without_outliers(values, n, &analysis->latency,
                                            &analysis->without_outliers);
    sl_free(values);
    return rc;
}

/* The same figures of the steady state alone. */
static int describe_steady(struct sl_analysis *analysis)
{
    const struct sl_attribution *a = &analysis->attribution;
    int rc = sl_steadiness_of_runs(a, &analysis->steadiness, &analysis->warming);
    int64_t *values = sl_malloc(a->run_count, sizeof(*values));
    size_t n = 0;
    if (!values)
        rc = -ENOMEM;
    bool steady = rc == 0 && analysis->steadiness.state == SL_STEADINESS_STEADY;
    for (size_t i = analysis->steadiness.from; steady && i < a->run_count; i++) {
        if (!a->runs[i].warmup)
            values[n++] = a->runs[i].end_to_end;
    }
    if (rc == 0)
        rc = sl_statistics_of(values, n, &analysis->steady);
    sl_free(values);
    return rc;
}

int sl_analysis_make(const struct sl_analysis_request *request, struct sl_analysis *out,
                     struct sl_diag *diag)
{
    const struct sl_bytes *bytes = &request->etdump->file;
    struct sl_analysis made = {.file = request->file,
                               .categories = request->categories,
                               .bytes = bytes->size,
                               .etdump = request->etdump};
    struct sl_attribution_options options = {&request->categories->rules,
                                             request->trace,
                                             request->only_run,
                                             request->plan,
                                             request->rounds,
                                             request->cold};
    sl_sha256_hex(bytes->data, bytes->size, made.sha256);
    int rc = sl_attribution_make(request->etdump, &options, &made.attribution, diag);
    if (rc == 0)
        sl_attribution_kinds_warn(&made.attribution);
    if (rc == 0)
        rc = describe_latency(&made);
    if (rc == 0)
        rc = describe_steady(&made);
    if (rc < 0)
        sl_analysis_fini(&made);
    else
        *out = made;
    return rc;
}

const char *sl_analysis_cold_text(const struct sl_analysis *analysis,
                                  char text[SL_ANALYSIS_COLD_BYTES])
{
    const struct sl_attribution *a = &analysis->attribution;
    char first[32];
    text[0] = '\0';
    if (a->run_count == 0 || !a->runs[0].warmup)
        return text;
    double time = (double)a->runs[0].end_to_end;
    /* A first run like the others is nothing to say. */
    if (a->cold_count == 0 && fabs(time / analysis->latency.median - 1) < 0.01)
        return text;
    int len = snprintf(text, SL_ANALYSIS_COLD_BYTES, "first run %s",
                       sl_unit_format(first, sizeof(first), time, a->unit));
    if (analysis->latency.median > 0)
        len += snprintf(text + len, SL_ANALYSIS_COLD_BYTES - (size_t)len,
                        ", %.3g times a steady one", time / analysis->latency.median);
    if (a->cold_count > 0)
        snprintf(text + len, SL_ANALYSIS_COLD_BYTES - (size_t)len,
                 a->cold_count == 1 ? "; %zu measured run was cold and is set aside"
                                    : "; %zu measured runs were cold and are set aside",
                 a->cold_count);
    return text;
}

void sl_analysis_fini(struct sl_analysis *analysis)
{
    sl_attribution_fini(&analysis->attribution);
}
