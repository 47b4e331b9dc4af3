/* agent/run/run.c: the order of the steps, and what they share. */
#include "agent/run/run.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "agent/probe/cores.h"
#include "agent/run/bundled.h"
#include "agent/run/etlog.h"
#include "agent/run/load_mode.h"
#include "agent/run/server_mode.h"
#include "agent/run/state.h"
#include "agent/run/watchdog.h"
#include "agent/runtime/runtime.h"
#include "common/base/mem.h"
#include "kernels/cpu/isa.h"

uint64_t sl_run_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void sl_run_log_diag(struct sl_run *run)
{
    const struct sl_diag *diag = &run->diag;
    if (diag->what[0])
        SL_ETLOG('E', "%s%s%s%s%s%s", diag->where, diag->where[0] ? ": " : "", diag->what,
                 diag->hint[0] ? " (" : "", diag->hint, diag->hint[0] ? ")" : "");
    run->diag = (struct sl_diag){0};
}

/* executor_runner resets its pool before anything else. */
static void log_threads(const struct sl_run *run)
{
    int32_t asked = run->options.cpu_threads;
    sl_etlog('I', "executor_runner.cpp", 341, "Resetting threadpool with num threads = %d",
             asked == -1 ? (int32_t)run->threads.count : asked);
    if (asked == -1 && run->threads.efficient_cores != 0)
        sl_etlog('I', "cpuinfo_utils.cpp", 120, "Number of efficient cores %u",
                 run->threads.efficient_cores);
    if (asked != 0)
        sl_etlog('I', "threadpool.cpp", 66, "Resetting threadpool to %u threads.",
                 asked == -1 ? run->threads.count : (uint32_t)asked);
    if (asked > SL_WORKERS_MAX)
        SL_ETLOG('I', "A run has at most %d threads", SL_WORKERS_MAX);
}

static int decide_threads(struct sl_run *run)
{
    const struct sl_run_options *o = &run->options;
    bool allowed[SL_WORKERS_MAX_CPUS];
    struct sl_probe_cores *cores = sl_calloc(1, sizeof(*cores));
    if (!cores) {
        SL_ETLOG('E', "%s", sl_strerror(-ENOMEM));
        return 1;
    }
    sl_workers_allowed(allowed);
    sl_probe_cores_read("", cores);
    const struct sl_run_threads_asked asked = {
        .cpu_threads = o->counted ? 1 : o->cpu_threads, /* where instructions are counted */
        .sme_threads = o->sme_threads,
        .affinity = o->affinity,
        .place = o->place,
    };
    int rc = sl_run_threads_decide(&asked, cores, allowed, &run->threads, &run->diag);
    sl_free(cores);
    if (rc < 0)
        sl_run_log_diag(run);
    return rc < 0;
}

/* After the trace's own thread, which is not to stay on the caller's CPU. */
static int start_workers(struct sl_run *run)
{
    const struct sl_run_threads *t = &run->threads;
    int rc = 0;
    if (t->count > 1)
        rc = sl_workers_new(&(struct sl_workers_config){.count = t->count,
                                                        .streaming = t->streaming,
                                                        .cpus = t->cpus,
                                                        .cpu_count = t->cpu_count},
                            &run->workers);
    else if (t->cpu_count != 0)
        rc = sl_workers_pin(t->cpus[0]);
    if (rc < 0)
        SL_ETLOG('E', "%u threads cannot be started as asked: %s", t->count, sl_strerror(rc));
    return rc < 0;
}

int sl_run_read_inputs(struct sl_run *run)
{
    char name[4200];
    sl_input_files_fini(&run->inputs);
    if (!run->options.inputs[0] || run->bundled)
        return 0;
    int rc = sl_input_files_read(run->options.inputs, &run->inputs, name, sizeof(name));
    if (rc == 0)
        return 0;
    if (rc == SL_E_LIMIT)
        SL_ETLOG('E', "Input files are limited to %d and 1 GiB in all: %s", SL_RUN_MAX_INPUTS,
                 name);
    else
        sl_etlog('E', "executor_runner.cpp", 156, "Failed to open input file: %s", name);
    sl_etlog('F', "executor_runner.cpp", 408,
             "In function main(), assert failed (load_status == Error::Ok): Could not load inputs: "
             "0x%x",
             SL_ET_ACCESS_FAILED);
    return 1;
}

static int read_inputs(struct sl_run *run)
{
    run->bundled = sl_run_file_is_bundled(run->options.model_path);
    if (run->options.inputs[0] && !run->bundled)
        sl_etlog('I', "executor_runner.cpp", 393, "Loading inputs from input file(s).");
    return sl_run_read_inputs(run);
}

static int start_watchdog(struct sl_run *run)
{
    if (run->options.timeout == 0)
        return 0;
    if (run->options.counted) {
        SL_ETLOG('E', "--timeout is not for --clock marks: there the parent watches, since a "
                      "thread would be counted");
        return 1;
    }
    int rc = sl_watchdog_start(run->options.timeout, &run->watchdog);
    if (rc < 0)
        SL_ETLOG('E', "The watchdog cannot be started: %s", sl_strerror(rc));
    return rc < 0;
}

static int choose_variants(struct sl_run *run)
{
    int rc = sl_run_options_variants(&run->options, sl_isa_detect(), &run->diag);
    if (rc < 0)
        sl_run_log_diag(run);
    for (size_t v = 0; v < run->options.variant_count; v++)
        run->variant[v].spec = &run->options.variant[v];
    return rc < 0;
}

static int load(struct sl_run *run)
{
    if (decide_threads(run))
        return 1;
    log_threads(run);
    int failed = choose_variants(run);
    if (!failed)
        failed = start_watchdog(run);
    if (!failed)
        failed = read_inputs(run);
    if (!failed)
        failed = sl_run_open_trace(run);
    if (!failed)
        failed = start_workers(run);
    return failed ? failed : sl_run_load(run);
}

static int run_steps(struct sl_run *run)
{
    if (load(run))
        return 1;
    if (run->options.server_mode)
        return sl_run_server_mode(run);
    if (run->options.load[0])
        return sl_run_load_mode(run);
    int failed = sl_run_execute_all(run);
    sl_watchdog_kick(run->watchdog, "Writing the results");
    if (!failed)
        failed = sl_run_write_outputs(run);
    /* After a failure the stream gets no END, but end() still drains what was recorded. */
    if (!failed)
        failed = sl_run_close_trace(run);
    if (!failed)
        failed = sl_run_verify(run);
    if (!failed && run->options.json)
        failed = sl_run_write_json(run);
    return failed;
}

static void end(struct sl_run *run)
{
    for (size_t v = 0; v < SL_RUN_MAX_VARIANTS; v++) {
        sl_run_drop_outputs(&run->variant[v]);
        sl_variant_free(run->variant[v].plan);
    }
    sl_method_free(run->method);
    sl_workers_free(run->workers);
    sl_model_free(run->model);
    sl_data_free(run->data);
    sl_input_files_fini(&run->inputs);
    if (run->trace.recorder)
        sl_trace_session_fini(&run->trace);
    sl_watchdog_stop(run->watchdog);
    sl_free(run);
}

int sl_run_main(int argc, char **argv)
{
    int code;
    sl_etlog_start();
    struct sl_run *run = sl_calloc(1, sizeof(*run));
    if (!run) {
        SL_ETLOG('F', "%s", sl_strerror(-ENOMEM));
        return 1;
    }
    run->last_variant = -1;
    run->trace.fd = -1;
    int parsed = sl_run_options_parse(&run->options, argc, argv, stderr, &code);
    if (parsed == SL_RUN_GO)
        code = run_steps(run);
    else if (parsed == SL_RUN_STOP)
        code = 1;
    end(run);
    return code;
}
