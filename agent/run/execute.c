/* agent/run/execute.c: which variant is executed when, and each execution. */
#include <inttypes.h>
#include <stdio.h>

#include "agent/run/etlog.h"
#include "agent/run/looks.h"
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

/* The outputs of a last pair that was not known to be it: the variants share memory, so each is
 * executed once more, as a warm-up that counts nowhere. */
static int keep_last_outputs(struct sl_run *run)
{
    for (size_t v = 0; v < run->options.variant_count; v++) {
        if ((run->pairs > 0 && warm_up(run, v, 1)) || sl_run_keep_outputs(run, &run->variant[v]))
            return 1;
    }
    return 0;
}

static void record_end(struct sl_run *run, const struct sl_run_looks *looks)
{
    static const char *const words[] = {"pairs", "host", "budget"};
    if (run->options.first_look == 0 && run->options.budget_ms == 0)
        return;
    sl_recorder_meta_text(run->trace.recorder, "ended", words[looks->ended]);
    SL_ETLOG('I', "Measured %" PRIu32 " pairs; ended by: %s", run->pairs, words[looks->ended]);
}

static int execute_pairs(struct sl_run *run)
{
    uint32_t count = run->options.num_executions;
    uint64_t seed = run->options.seed;
    size_t first = sl_schedule_first(seed, 0);
    struct sl_run_looks looks;
    /* The variant that begins is warmed up last, so the first pair starts without a switch. */
    if (warm_up(run, 1 - first, run->options.warmup) || warm_up(run, first, run->options.warmup))
        return 1;
    sl_run_looks_init(run, &looks);
    for (; run->pairs < count && sl_run_looks_go_on(run, &looks, run->pairs); run->pairs++) {
        first = sl_schedule_first(seed, run->pairs);
        if (execute_half(run, first, run->pairs) || execute_half(run, 1 - first, run->pairs))
            return 1;
    }
    record_end(run, &looks);
    return run->pairs < count || count == 0 ? keep_last_outputs(run) : 0;
}

int sl_run_execute_all(struct sl_run *run)
{
    run->execute_name = sl_recorder_name(run->trace.recorder, "Execute");
    if (run->options.paired ? execute_pairs(run) : execute_plain(run))
        return 1;
    uint64_t total_ns = run->variant[0].execute_ns + run->variant[1].execute_ns;
    uint64_t executions = run->options.paired
                              ? (uint64_t)run->pairs * (uint64_t)run->options.variant_count
                              : (uint64_t)run->options.num_executions;
    sl_etlog('I', "executor_runner.cpp", 794,
             "Model executed successfully %" PRIu64 " time(s) in %f ms.", executions,
             (double)total_ns / 1e6);
    return 0;
}
