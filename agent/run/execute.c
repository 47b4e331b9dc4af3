/* agent/run/execute.c: which variant is executed when, and each execution. */
#include <inttypes.h>
#include <stdio.h>

#include "agent/run/etlog.h"
#include "agent/run/schedule.h"
#include "agent/run/state.h"
#include "agent/run/watchdog.h"
#include "agent/runtime/runtime.h"
#include "agent/trace/recorder.h"

/* What one execution is for. */
struct purpose {
    uint32_t pair; /* index in the schedule; UINT32_MAX outside it */
    bool warmup;
};

int sl_run_execution_failed(struct sl_run *run, int rc)
{
    sl_run_log_diag(run);
    sl_etlog('F', "executor_runner.cpp", 779,
             "In function main(), assert failed (status == Error::Ok): Execution of method %s "
             "failed with status 0x%x",
             run->method_name, rc > 0 ? (unsigned)rc : SL_ET_INTERNAL);
    return 1;
}

/* Room for the block's events, its BLOCK record and that of a stall. */
static int make_ready(struct sl_run *run, const struct sl_run_variant *variant)
{
    size_t events = sl_variant_events(variant->plan);
    int rc = sl_recorder_ready(run->trace.recorder, events + 2);
    if (rc < 0)
        SL_ETLOG('E', "One execution records %zu events, more than the trace's ring can hold: %s",
                 events, sl_strerror(rc));
    return rc < 0;
}

/* `out_ns` is the time of the execution alone, inputs excluded. */
static int execute(struct sl_run *run, size_t v, struct purpose purpose, uint64_t *out_ns)
{
    struct sl_run_variant *variant = &run->variant[v];
    sl_watchdog_kick(run->watchdog, "An execution");
    sl_trace_session_between(&run->trace);
    if (sl_run_set_inputs(run) || make_ready(run, variant))
        return 1;
    sl_recorder_block(run->trace.recorder, run->execute_name, (uint16_t)v, variant->executed++,
                      purpose.pair, purpose.warmup);
    uint64_t start = sl_run_clock_ns();
    int rc = sl_variant_execute(
        variant->plan, run->options.clean ? SL_VARIANT_WHOLE : SL_VARIANT_TRACED, &run->diag);
    *out_ns = sl_run_clock_ns() - start;
    if (rc != 0)
        return sl_run_execution_failed(run, rc);
    if (!purpose.warmup)
        variant->execute_ns += *out_ns;
    run->last_variant = (int)v;
    return 0;
}

static int warm_up(struct sl_run *run, size_t v, uint32_t count)
{
    const struct purpose purpose = {.pair = UINT32_MAX, .warmup = true};
    uint64_t ns;
    for (uint32_t i = 0; i < count; i++) {
        if (execute(run, v, purpose, &ns))
            return 1;
    }
    return 0;
}

static int execute_plain(struct sl_run *run)
{
    uint32_t count = run->options.num_executions;
    uint64_t ns;
    if (warm_up(run, 0, run->options.warmup))
        return 1;
    for (uint32_t i = 0; i < count; i++) {
        if (execute(run, 0, (struct purpose){.pair = i}, &ns))
            return 1;
        sl_etlog('I', "executor_runner.cpp", 785, "Iteration %" PRIu32 " of %" PRIu32 ": %f ms",
                 i + 1, count, (double)ns / 1e6);
    }
    return sl_run_keep_outputs(run, &run->variant[0]);
}

/* One execution of a pair. In time, what ran before leaves caches and frequency behind, so the
 * first execution after a switch of variant is thrown away; instructions know no such thing. */
static int execute_half(struct sl_run *run, size_t v, uint32_t pair)
{
    uint64_t ns;
    uint32_t count = run->options.num_executions;
    if (!run->options.counted && run->last_variant != (int)v && warm_up(run, v, 1))
        return 1;
    if (execute(run, v, (struct purpose){.pair = pair}, &ns))
        return 1;
    SL_ETLOG('I', "Pair %" PRIu32 " of %" PRIu32 ", variant %s: %f ms", pair + 1, count,
             run->variant[v].spec->name, (double)ns / 1e6);
    return pair + 1 == count ? sl_run_keep_outputs(run, &run->variant[v]) : 0;
}

static int execute_pairs(struct sl_run *run)
{
    uint32_t count = run->options.num_executions;
    uint64_t seed = run->options.seed;
    size_t first = sl_schedule_first(seed, 0);
    /* The variant that begins is warmed up last, so the first pair starts without a switch. */
    if (warm_up(run, 1 - first, run->options.warmup) || warm_up(run, first, run->options.warmup))
        return 1;
    for (uint32_t pair = 0; pair < count; pair++) {
        first = sl_schedule_first(seed, pair);
        if (execute_half(run, first, pair) || execute_half(run, 1 - first, pair))
            return 1;
    }
    for (size_t v = 0; v < run->options.variant_count && count == 0; v++) {
        if (sl_run_keep_outputs(run, &run->variant[v]))
            return 1;
    }
    return 0;
}

int sl_run_execute_all(struct sl_run *run)
{
    run->execute_name = sl_recorder_name(run->trace.recorder, "Execute");
    if (run->options.paired ? execute_pairs(run) : execute_plain(run))
        return 1;
    uint64_t total_ns = run->variant[0].execute_ns + run->variant[1].execute_ns;
    uint64_t executions =
        (uint64_t)run->options.num_executions * (uint64_t)run->options.variant_count;
    sl_etlog('I', "executor_runner.cpp", 794,
             "Model executed successfully %" PRIu64 " time(s) in %f ms.", executions,
             (double)total_ns / 1e6);
    return 0;
}
