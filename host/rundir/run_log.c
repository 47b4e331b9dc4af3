/* host/rundir/run_log.c: what the kit appends to a log: a block of figures for each variant. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/device/launch.h"
#include "host/report/kit_files.h"
#include "host/rundir/run.h"
#include "host/spec/experiment.h"

#define MAX_LOG_BYTES ((size_t)1 << 30)

/* "12.5 ms" or "2716247 instructions" of the file's figures; "-" for none. */
static int put_cost(struct sl_buf *out, const char *name, const struct sl_analysis *analysis,
                    double value)
{
    bool counted = analysis->attribution.unit == SL_TRACE_INSTRUCTIONS;
    if (!isfinite(value))
        return sl_buf_printf(out, "%s: -\n", name);
    return sl_buf_printf(out, "%s: %.12g %s\n", name, sl_kit_figure(analysis, value),
                         counted ? "instructions" : "ms");
}

/* Nothing is known of the wall clock where an earlier daemon began the run. */
static int put_wall(struct sl_buf *out, const char *name, double wall_s, const char *note)
{
    return wall_s > 0 ? sl_buf_printf(out, "%s: %.6f s (%s)\n", name, wall_s, note)
                      : sl_buf_printf(out, "%s: -\n", name);
}

static int put_block(struct sl_buf *out, const struct sl_run *run, int variant)
{
    const struct sl_analysis *a = &run->variants[variant].analysis;
    const struct sl_attribution *runs = &a->attribution;
    char shown[SL_RUN_PATH_BYTES];
    size_t measured = runs->measured_count;
    double wall_s = (double)run->wall_ns / 1e9;
    int rc = sl_buf_printf(out,
                           "\n===== PERFORMANCE SUMMARY =====\nExperiment: %s\nModel: %s\n"
                           "Warmup Iterations: %zu\nExecution Iterations: %zu\n",
                           run->variants[variant].experiment,
                           run->shown_model ? run->shown_model : run->plan->model,
                           runs->run_count - measured, measured);
    if (rc == 0)
        rc = put_wall(out, "Execution Total Wall", wall_s, "both variants, loading included");
    if (rc == 0)
        rc = put_cost(out, "Execution Total Runner", a, a->latency.mean * (double)measured);
    if (rc == 0)
        rc = put_wall(out, "Avg Wall/Run", wall_s / (double)(2 * runs->run_count),
                      "the same, over all executions");
    if (rc == 0)
        rc = put_cost(out, "Avg Runner/Run", a, a->latency.mean);
    return rc < 0 ? rc
                  : sl_buf_printf(out,
                                  "CPU Threads: %u\nQuiet Runner: %s\nModel Size: %zu bytes\n"
                                  "ETDump Path: %s\n",
                                  run->experiment->threads[0], run->device->agent.path,
                                  run->model.size,
                                  sl_run_shown(run, run->variants[variant].etdump_path, shown));
}

int sl_run_log(const struct sl_run *run, struct sl_diag *diag)
{
    char path[SL_RUN_PATH_BYTES];
    struct sl_buf text;
    snprintf(path, sizeof(path), "%.900s_latency.log", run->raw_base);
    int rc = sl_buf_read_file(path, MAX_LOG_BYTES, &text);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "The log cannot be read (%s)", sl_strerror(rc));
    for (int i = 0; rc == 0 && i < SL_RUN_VARIANTS; i++)
        rc = put_block(&text, run, i);
    if (rc == 0)
        rc = sl_run_write(path, &text, diag);
    sl_buf_fini(&text);
    return rc;
}
