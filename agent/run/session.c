/* agent/run/session.c */
#include "agent/run/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/probe/cores.h"
#include "agent/probe/device.h"
#include "agent/run/etlog.h"
#include "agent/run/vector_length.h"
#include "agent/run/watchdog.h"
#include "agent/runtime/runtime.h"
#include "agent/trace/recorder.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/bundle.h"
#include "common/format/sltrace.h"
#include "kernels/cpu/isa.h"

void sl_session_log_diag(struct sl_session *session)
{
    const struct sl_diag *diag = &session->diag;
    if (diag->what[0])
        SL_ETLOG('E', "%s%s%s%s%s%s", diag->where, diag->where[0] ? ": " : "", diag->what,
                 diag->hint[0] ? " (" : "", diag->hint, diag->hint[0] ? ")" : "");
    session->diag = (struct sl_diag){0};
}

int sl_session_path(const struct sl_session *session, size_t v, const char *base, size_t base_len,
                    const char *tail, char *out, size_t out_size)
{
    const char *name = session->variant[v].spec->name;
    bool factor = strcmp(name, "off") == 0 || strcmp(name, "on") == 0;
    int len = snprintf(out, out_size, "%.*s%s%s%s", (int)base_len, base,
                       !session->options.paired ? ""
                       : factor                 ? "_sme2-"
                                                : "_",
                       session->options.paired ? name : "", tail);
    return len < 0 || (size_t)len >= out_size ? -ENAMETOOLONG : 0;
}

int sl_session_etdump_path(const struct sl_session *session, size_t v, char *out, size_t out_size)
{
    static const char tail[] = ".etdump";
    const char *base = session->options.etdump_path;
    size_t len = strlen(base), tail_len = sizeof(tail) - 1;
    if (!session->options.paired)
        return sl_session_path(session, v, base, len, "", out, out_size);
    if (len > tail_len && strcmp(base + len - tail_len, tail) == 0)
        len -= tail_len;
    return sl_session_path(session, v, base, len, tail, out, out_size);
}

void sl_session_drop_outputs(struct sl_session_variant *variant)
{
    for (size_t i = 0; i < variant->output_count; i++)
        sl_free(variant->outputs[i].data);
    sl_free(variant->outputs);
    variant->outputs = NULL;
    variant->output_count = 0;
}

int sl_session_execution_failed(struct sl_session *session, int rc)
{
    sl_session_log_diag(session);
    sl_etlog('F', "executor_runner.cpp", 779,
             "In function main(), assert failed (status == Error::Ok): Execution of method %s "
             "failed with status 0x%x",
             session->method_name, sl_et_code(rc));
    return rc;
}

/* executor_runner resets its pool before anything else. */
static void log_threads(const struct sl_session *session)
{
    int32_t asked = session->options.cpu_threads;
    sl_etlog('I', "executor_runner.cpp", 341, "Resetting threadpool with num threads = %d",
             asked == -1 ? (int32_t)session->threads.count : asked);
    if (asked == -1 && session->threads.efficient_cores != 0)
        sl_etlog('I', "cpuinfo_utils.cpp", 120, "Number of efficient cores %u",
                 session->threads.efficient_cores);
    if (asked != 0)
        sl_etlog('I', "threadpool.cpp", 66, "Resetting threadpool to %u threads.",
                 asked == -1 ? session->threads.count : (uint32_t)asked);
    if (asked > SL_WORKERS_MAX)
        SL_ETLOG('I', "A run has at most %d threads", SL_WORKERS_MAX);
}

static int decide_threads(struct sl_session *session)
{
    const struct sl_agent_run_options *o = &session->options;
    bool allowed[SL_AFFINITY_CPUS];
    struct sl_probe_cores *cores = sl_calloc(1, sizeof(*cores));
    if (!cores) {
        SL_ETLOG('E', "%s", sl_strerror(-ENOMEM));
        return SL_E_LOGGED;
    }
    sl_affinity_read(allowed);
    sl_device_read_cores("", cores);
    const struct sl_threads_asked asked = {
        .cpu_threads = o->counted ? 1 : o->cpu_threads, /* where instructions are counted */
        .sme_threads = o->sme_threads,
        .affinity = o->affinity,
        .place = o->place,
    };
    int rc = sl_threads_decide(&asked, cores, allowed, &session->threads, &session->diag);
    sl_free(cores);
    if (rc < 0)
        sl_session_log_diag(session);
    return rc;
}

/* After the trace's own thread, which is not to stay on the caller's CPU. */
static int start_workers(struct sl_session *session)
{
    const struct sl_threads *t = &session->threads;
    int rc = 0;
    if (t->count > 1)
        rc = sl_workers_new(&(struct sl_workers_config){.count = t->count,
                                                        .streaming = t->streaming,
                                                        .cpus = t->cpus,
                                                        .cpu_count = t->cpu_count},
                            &session->workers);
    else if (t->cpu_count != 0)
        rc = sl_affinity_pin(t->cpus[0]);
    if (rc < 0)
        SL_ETLOG('E', "%u threads cannot be started as asked: %s", t->count, sl_strerror(rc));
    return rc;
}

int sl_session_read_inputs(struct sl_session *session)
{
    char name[4200];
    sl_input_files_fini(&session->inputs);
    if (!session->options.inputs[0] || session->bundled)
        return 0;
    int rc = sl_input_files_read(session->options.inputs, &session->inputs, name, sizeof(name));
    if (rc == 0)
        return 0;
    if (rc == SL_E_LIMIT)
        SL_ETLOG('E', "Input files are limited to %d and 1 GiB in all: %s", SL_AGENT_RUN_MAX_INPUTS,
                 name);
    else
        sl_etlog('E', "executor_runner.cpp", 156, "Failed to open input file: %s", name);
    sl_etlog('F', "executor_runner.cpp", 408,
             "In function main(), assert failed (load_status == Error::Ok): Could not load inputs: "
             "0x%x",
             sl_et_code(SL_ET_ACCESS_FAILED));
    return SL_E_LOGGED;
}

/* Does the file begin as a bundled program does? One that cannot be read does not. */
static bool is_bundled(const char *path)
{
    uint8_t head[8];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t got = fread(head, 1, sizeof(head), file);
    fclose(file);
    return sl_bundle_is((struct sl_bytes){head, got});
}

static int read_inputs(struct sl_session *session)
{
    session->bundled = is_bundled(session->options.model_path);
    if (session->options.inputs[0] && !session->bundled)
        sl_etlog('I', "executor_runner.cpp", 393, "Loading inputs from input file(s).");
    return sl_session_read_inputs(session);
}

static int start_watchdog(struct sl_session *session)
{
    if (session->options.timeout == 0)
        return 0;
    if (session->options.counted) {
        SL_ETLOG('E', "--timeout is not for --clock marks: there the parent watches, since a "
                      "thread would be counted");
        return SL_E_LOGGED;
    }
    int rc = sl_watchdog_start(session->options.timeout, &session->watchdog);
    if (rc < 0)
        SL_ETLOG('E', "The watchdog cannot be started: %s", sl_strerror(rc));
    return rc;
}

static int choose_variants(struct sl_session *session)
{
    int rc = sl_agent_run_options_variants(&session->options, sl_isa_detect(), &session->diag);
    if (rc < 0)
        sl_session_log_diag(session);
    for (size_t v = 0; v < session->options.variant_count; v++)
        session->variant[v].spec = &session->options.variant[v];
    return rc;
}

static void log_line(void *user, char level, const char *file, int line, const char *message)
{
    (void)user;
    sl_etlog(level, file, line, "%s", message);
}

static int open_data(struct sl_session *session)
{
    const struct sl_runtime_log log = {.log = log_line};
    const char *path = session->options.data_path;
    if (!path[0])
        return 0;
    sl_etlog('I', "executor_runner.cpp", 416, "Loading tensor data from .ptd file.");
    int rc = sl_data_open(path, &log, &session->data, &session->diag);
    if (rc == SL_ET_ACCESS_FAILED) {
        session->diag = (struct sl_diag){0}; /* the log has it */
        sl_etlog('F', "executor_runner.cpp", 422,
                 "In function main(), assert failed (ptd_loader_result.ok()): "
                 "FileDataLoader::from() failed for PTD file: 0x%x",
                 sl_et_code(rc));
        return SL_E_LOGGED;
    }
    sl_etlog('I', "executor_runner.cpp", 425, "PTD file %s is loaded.", path);
    if (rc != 0) {
        sl_session_log_diag(session);
        SL_ETLOG('E', "%s is no tensor data file that can be used", path);
        return SL_E_LOGGED;
    }
    sl_etlog('I', "executor_runner.cpp", 438, "PTD data map created with %u keys.",
             (unsigned)sl_data_keys(session->data));
    return 0;
}

static int open_model(struct sl_session *session)
{
    const struct sl_runtime_log log = {.log = log_line};
    const char *path = session->options.model_path;
    const struct sl_runtime_limits limits = {session->options.max_memory,
                                             SL_RUNTIME_MAX_INSTRUCTIONS};
    int rc = sl_model_open(path, &limits, &log, &session->model, &session->diag);
    if (rc == 0) {
        sl_model_set_data(session->model, session->data);
        if (session->options.weight_cache[0] &&
            sl_model_set_weight_cache(session->model, session->options.weight_cache,
                                      session->options.weight_cache_max) != 0)
            SL_ETLOG('E', "No memory for a weight cache: going on without");
        sl_etlog('I', "executor_runner.cpp", 476, "Model file %s is loaded.", path);
        return 0;
    }
    sl_session_log_diag(session);
    if (rc == SL_ET_ACCESS_FAILED)
        sl_etlog('F', "executor_runner.cpp", 464,
                 "In function main(), assert failed (file_loader.ok()): FileDataLoader::from() "
                 "failed: 0x%x",
                 sl_et_code(rc));
    else
        sl_etlog('E', "executor_runner.cpp", 473, "Failed to parse model file %s", path);
    return SL_E_LOGGED;
}

static int load_failed(struct sl_session *session, const char *name, int rc)
{
    sl_session_log_diag(session);
    sl_etlog('F', "executor_runner.cpp", 621,
             "In function main(), assert failed (method.ok()): Loading of method %s failed with "
             "status 0x%x",
             name, sl_et_code(rc));
    return rc;
}

int sl_session_keep_out(struct sl_session *session, struct sl_method *method)
{
    const char *operators = strstr(session->options.policy, SL_AGENT_RUN_END_OF_FAMILIES);
    int rc = operators ? sl_method_keep_out(method, operators + 1) : 0;
    if (rc < 0) {
        sl_diag_set(&session->diag, rc, "--policy",
                    "Behind '%s' stand operators, as 0.3 or "
                    "0.3.17-20 (chain, instruction, nodes), with commas",
                    SL_AGENT_RUN_END_OF_FAMILIES);
        sl_session_log_diag(session);
    }
    return rc;
}

static int open_method(struct sl_session *session)
{
    const char *asked = session->options.method_name;
    if (asked[0])
        sl_etlog('I', "executor_runner.cpp", 486, "Using method %s", asked);
    int rc = sl_method_new(session->model, asked, &session->method, &session->diag);
    if (rc == SL_ET_INVALID_ARGUMENT && asked[0]) {
        sl_etlog('F', "executor_runner.cpp", 494,
                 "In function main(), assert failed (method_meta.ok()): Failed to get method_meta "
                 "for %s: 0x%x",
                 asked, sl_et_code(rc));
        return SL_E_LOGGED;
    }
    if (rc != 0)
        return load_failed(session, asked[0] ? asked : "forward", rc);
    session->method_name = sl_method_name(session->method);
    sl_method_set_workers(session->method, session->workers);
    rc = sl_session_keep_out(session, session->method);
    if (rc != 0)
        return rc;
    if (!asked[0])
        sl_etlog('I', "executor_runner.cpp", 486, "Using method %s", session->method_name);
    for (size_t b = 0; b < sl_method_planned_buffers(session->method); b++)
        sl_etlog('I', "executor_runner.cpp", 560, "Setting up CPU planned buffer %zu, size %zu.", b,
                 sl_method_planned_bytes(session->method, b));
    return 0;
}

static int resize_inputs(struct sl_session *session)
{
    struct sl_input_shape shapes[SL_AGENT_RUN_MAX_INPUTS];
    size_t inputs = sl_method_input_count(session->method);
    int count = sl_input_shapes_parse(
        session->options.input_shapes, shapes,
        inputs < SL_AGENT_RUN_MAX_INPUTS ? inputs : SL_AGENT_RUN_MAX_INPUTS, &session->diag);
    int rc = count < 0 ? count : 0;
    for (int i = 0; i < count && rc == 0; i++) {
        struct sl_tensor_view view;
        if (shapes[i].rank == 0)
            continue;
        rc = sl_method_input(session->method, (size_t)i, &view);
        if (rc == 0 && (view.scalar_type < 0 || view.rank != shapes[i].rank))
            rc = sl_diag_set(&session->diag, SL_E_FORMAT, "--input-shapes",
                             "Input %d has %zu dimensions, not %zu", i,
                             view.scalar_type < 0 ? (size_t)0 : view.rank, shapes[i].rank);
        if (rc == 0)
            rc =
                sl_method_resize_input(session->method, (size_t)i, shapes[i].sizes, &session->diag);
    }
    if (rc != 0)
        sl_session_log_diag(session);
    return rc;
}

/* The block of what is done before a variant's first execution. */
static void open_block(struct sl_session *session, size_t v)
{
    sl_recorder_block(session->trace.recorder, sl_recorder_name(session->trace.recorder, "Default"),
                      (uint16_t)v, UINT32_MAX, UINT32_MAX, false);
}

static int load_variant(struct sl_session *session, size_t v)
{
    struct sl_recorder *recorder = session->trace.recorder;
    struct sl_session_variant *variant = &session->variant[v];
    char key[64], isa[128];
    sl_watchdog_kick(session->watchdog, "Loading the method");
    if (v != 0)
        open_block(session, v);
    uint64_t start = sl_clock_ns();
    int rc = sl_variant_new(session->method, variant->spec->isa, (uint16_t)v, recorder,
                            &variant->plan, &session->diag);
    if (rc != 0)
        return load_failed(session, session->method_name, rc);
    variant->load_ns = sl_clock_ns() - start;
    size_t packed = sl_variant_packed_bytes(variant->plan);
    if (packed != SIZE_MAX) {
        snprintf(key, sizeof(key), "variant.%zu.packed_bytes", v);
        sl_recorder_meta_integer(recorder, key, (int64_t)packed);
    }
    if (!session->options.counted) {
        snprintf(key, sizeof(key), "variant.%zu.load_ns", v);
        sl_recorder_meta_integer(recorder, key, (int64_t)variant->load_ns);
    }
    sl_isa_format(variant->spec->isa, isa, sizeof(isa));
    if (session->options.paired && packed != SIZE_MAX)
        SL_ETLOG('I', "Variant %s (%s): loaded in %f ms, %zu bytes packed.", variant->spec->name,
                 isa, (double)variant->load_ns / 1e6, packed);
    else if (session->options.paired)
        SL_ETLOG('I', "Variant %s (%s): loaded in %f ms.", variant->spec->name, isa,
                 (double)variant->load_ns / 1e6);
    sl_trace_session_between(&session->trace);
    return 0;
}

const struct sl_bundle_case *sl_session_bundle_case(const struct sl_session *session)
{
    const struct sl_bundle *bundle = sl_model_bundle(session->model);
    return bundle ? sl_bundle_find(bundle, session->method_name, 0) : NULL;
}

/* All that the variants share. Counted runs have an event for it, which the real runtime has not.
 */
static int open_program(struct sl_session *session)
{
    struct sl_recorder *recorder = session->options.counted ? session->trace.recorder : NULL;
    struct sl_trace_label label = {.node = SL_TRACE_NO_NODE, .chain = -1};
    struct sl_trace_span span;
    label.name = sl_recorder_name(recorder, "Program::load");
    open_block(session, 0);
    sl_recorder_begin(recorder, &span, &label);
    if (open_data(session) || open_model(session) || open_method(session))
        return SL_E_LOGGED;
    sl_recorder_end(recorder, &span, &label);
    return 0;
}

static int set_vector_length(struct sl_session *session)
{
    int rc = sl_vector_length_set(session->options.svl, &session->diag);
    if (rc < 0)
        sl_session_log_diag(session);
    return rc < 0 ? SL_E_LOGGED : 0;
}

int sl_session_prepare(struct sl_session *session)
{
    if (set_vector_length(session) || decide_threads(session))
        return SL_E_LOGGED;
    log_threads(session);
    if (choose_variants(session) || start_watchdog(session))
        return SL_E_LOGGED;
    return read_inputs(session);
}

int sl_session_load(struct sl_session *session)
{
    if (start_workers(session))
        return SL_E_LOGGED;
    uint64_t start = sl_clock_ns();
    sl_watchdog_kick(session->watchdog, "Reading the model");
    int failed = open_program(session);
    if (!failed)
        sl_recorder_meta_text(session->trace.recorder, "method", session->method_name);
    for (size_t v = 0; v < session->options.variant_count && !failed; v++)
        failed = load_variant(session, v);
    if (failed)
        return SL_E_LOGGED;
    sl_etlog('I', "executor_runner.cpp", 629, "Model loaded in %f ms.",
             (double)(sl_clock_ns() - start) / 1e6);
    return resize_inputs(session);
}

void sl_session_fini(struct sl_session *session)
{
    for (size_t v = 0; v < SL_AGENT_RUN_MAX_VARIANTS; v++) {
        sl_session_drop_outputs(&session->variant[v]);
        sl_variant_free(session->variant[v].plan);
    }
    sl_method_free(session->method);
    sl_workers_free(session->workers);
    sl_model_free(session->model);
    sl_data_free(session->data);
    sl_input_files_fini(&session->inputs);
    if (session->trace.recorder)
        sl_trace_session_fini(&session->trace);
    sl_watchdog_stop(session->watchdog);
}
