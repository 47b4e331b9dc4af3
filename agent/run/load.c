/* agent/run/load.c: model, method, variants, inputs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/run/bundled.h"
#include "agent/run/etlog.h"
#include "agent/run/state.h"
#include "agent/run/watchdog.h"
#include "agent/runtime/runtime.h"
#include "agent/trace/recorder.h"
#include "common/format/sltrace.h"
#include "kernels/cpu/isa.h"

static void log_line(void *user, char level, const char *file, int line, const char *message)
{
    (void)user;
    sl_etlog(level, file, line, "%s", message);
}

static int open_data(struct sl_run *run)
{
    const struct sl_runtime_log log = {.log = log_line};
    const char *path = run->options.data_path;
    if (!path[0])
        return 0;
    sl_etlog('I', "executor_runner.cpp", 416, "Loading tensor data from .ptd file.");
    int rc = sl_data_open(path, &log, &run->data, &run->diag);
    if (rc == SL_ET_ACCESS_FAILED) {
        run->diag = (struct sl_diag){0}; /* the log has it */
        sl_etlog('F', "executor_runner.cpp", 422,
                 "In function main(), assert failed (ptd_loader_result.ok()): "
                 "FileDataLoader::from() failed for PTD file: 0x%x",
                 (unsigned)rc);
        return 1;
    }
    sl_etlog('I', "executor_runner.cpp", 425, "PTD file %s is loaded.", path);
    if (rc != 0) {
        sl_run_log_diag(run);
        SL_ETLOG('E', "%s is no tensor data file that can be used", path);
        return 1;
    }
    sl_etlog('I', "executor_runner.cpp", 438, "PTD data map created with %u keys.",
             (unsigned)sl_data_keys(run->data));
    return 0;
}

static int open_model(struct sl_run *run)
{
    const struct sl_runtime_log log = {.log = log_line};
    const char *path = run->options.model_path;
    const struct sl_runtime_limits limits = {run->options.max_memory, SL_RUNTIME_MAX_INSTRUCTIONS};
    int rc = sl_model_open(path, &limits, &log, &run->model, &run->diag);
    if (rc == 0) {
        sl_model_set_data(run->model, run->data);
        if (run->options.weight_cache[0] &&
            sl_model_set_weight_cache(run->model, run->options.weight_cache,
                                      run->options.weight_cache_max) != 0)
            SL_ETLOG('E', "No memory for a weight cache: going on without");
        sl_etlog('I', "executor_runner.cpp", 476, "Model file %s is loaded.", path);
        return 0;
    }
    sl_run_log_diag(run);
    if (rc == SL_ET_ACCESS_FAILED)
        sl_etlog('F', "executor_runner.cpp", 464,
                 "In function main(), assert failed (file_loader.ok()): FileDataLoader::from() "
                 "failed: 0x%x",
                 (unsigned)rc);
    else
        sl_etlog('E', "executor_runner.cpp", 473, "Failed to parse model file %s", path);
    return 1;
}

/* The code as the real runtime prints it: ours have no number there. */
static unsigned et_code(int rc)
{
    return rc > 0 ? (unsigned)rc : SL_ET_INTERNAL;
}

static int load_failed(struct sl_run *run, const char *name, int rc)
{
    sl_run_log_diag(run);
    sl_etlog('F', "executor_runner.cpp", 621,
             "In function main(), assert failed (method.ok()): Loading of method %s failed with "
             "status 0x%x",
             name, et_code(rc));
    return 1;
}

static int open_method(struct sl_run *run)
{
    const char *asked = run->options.method_name;
    if (asked[0])
        sl_etlog('I', "executor_runner.cpp", 486, "Using method %s", asked);
    int rc = sl_method_new(run->model, asked, &run->method, &run->diag);
    if (rc == SL_ET_INVALID_ARGUMENT && asked[0]) {
        sl_etlog('F', "executor_runner.cpp", 494,
                 "In function main(), assert failed (method_meta.ok()): Failed to get method_meta "
                 "for %s: 0x%x",
                 asked, (unsigned)rc);
        return 1;
    }
    if (rc != 0)
        return load_failed(run, asked[0] ? asked : "forward", rc);
    run->method_name = sl_method_name(run->method);
    sl_method_set_workers(run->method, run->workers);
    if (!asked[0])
        sl_etlog('I', "executor_runner.cpp", 486, "Using method %s", run->method_name);
    for (size_t b = 0; b < sl_method_planned_buffers(run->method); b++)
        sl_etlog('I', "executor_runner.cpp", 560, "Setting up CPU planned buffer %zu, size %zu.", b,
                 sl_method_planned_bytes(run->method, b));
    return 0;
}

static int resize_inputs(struct sl_run *run)
{
    struct sl_input_shape shapes[SL_RUN_MAX_INPUTS];
    size_t inputs = sl_method_input_count(run->method);
    int count =
        sl_input_shapes_parse(run->options.input_shapes, shapes,
                              inputs < SL_RUN_MAX_INPUTS ? inputs : SL_RUN_MAX_INPUTS, &run->diag);
    int rc = count < 0 ? count : 0;
    for (int i = 0; i < count && rc == 0; i++) {
        struct sl_tensor_view view;
        if (shapes[i].rank == 0)
            continue;
        rc = sl_method_input(run->method, (size_t)i, &view);
        if (rc == 0 && (view.scalar_type < 0 || view.rank != shapes[i].rank))
            rc = sl_diag_set(&run->diag, SL_E_FORMAT, "--input-shapes",
                             "Input %d has %zu dimensions, not %zu", i,
                             view.scalar_type < 0 ? (size_t)0 : view.rank, shapes[i].rank);
        if (rc == 0)
            rc = sl_method_resize_input(run->method, (size_t)i, shapes[i].sizes, &run->diag);
    }
    if (rc != 0)
        sl_run_log_diag(run);
    return rc != 0;
}

/* The block of what is done before a variant's first execution. */
static void open_block(struct sl_run *run, size_t v)
{
    sl_recorder_block(run->trace.recorder, sl_recorder_name(run->trace.recorder, "Default"),
                      (uint16_t)v, UINT32_MAX, UINT32_MAX, false);
}

static int load_variant(struct sl_run *run, size_t v)
{
    struct sl_recorder *recorder = run->trace.recorder;
    struct sl_run_variant *variant = &run->variant[v];
    char key[64], isa[128];
    sl_watchdog_kick(run->watchdog, "Loading the method");
    if (v != 0)
        open_block(run, v);
    uint64_t start = sl_run_clock_ns();
    int rc = sl_variant_new(run->method, variant->spec->isa, (uint16_t)v, recorder, &variant->plan,
                            &run->diag);
    if (rc != 0)
        return load_failed(run, run->method_name, rc);
    variant->load_ns = sl_run_clock_ns() - start;
    size_t packed = sl_variant_packed_bytes(variant->plan);
    snprintf(key, sizeof(key), "variant.%zu.packed_bytes", v);
    sl_recorder_meta_integer(recorder, key, (int64_t)packed);
    if (!run->options.counted) {
        snprintf(key, sizeof(key), "variant.%zu.load_ns", v);
        sl_recorder_meta_integer(recorder, key, (int64_t)variant->load_ns);
    }
    sl_isa_format(variant->spec->isa, isa, sizeof(isa));
    if (run->options.paired)
        SL_ETLOG('I', "Variant %s (%s): loaded in %f ms, %zu bytes packed.", variant->spec->name,
                 isa, (double)variant->load_ns / 1e6, packed);
    sl_trace_session_between(&run->trace);
    return 0;
}

/* All that the variants share. Counted runs have an event for it, which the real runtime has not.
 */
static int open_program(struct sl_run *run)
{
    struct sl_recorder *recorder = run->options.counted ? run->trace.recorder : NULL;
    struct sl_trace_label label = {.node = SL_TRACE_NO_NODE, .chain = -1};
    struct sl_span span;
    label.name = sl_recorder_name(recorder, "Program::load");
    open_block(run, 0);
    sl_recorder_begin(recorder, &span, &label);
    int failed = open_data(run) || open_model(run) || open_method(run);
    if (!failed)
        sl_recorder_end(recorder, &span, &label);
    return failed;
}

int sl_run_load(struct sl_run *run)
{
    uint64_t start = sl_run_clock_ns();
    sl_watchdog_kick(run->watchdog, "Reading the model");
    int failed = open_program(run);
    if (!failed)
        sl_recorder_meta_text(run->trace.recorder, "method", run->method_name);
    for (size_t v = 0; v < run->options.variant_count && !failed; v++)
        failed = load_variant(run, v);
    if (failed)
        return 1;
    sl_etlog('I', "executor_runner.cpp", 629, "Model loaded in %f ms.",
             (double)(sl_run_clock_ns() - start) / 1e6);
    return resize_inputs(run);
}

static int inputs_failed(int rc)
{
    sl_etlog('F', "executor_runner.cpp", 754,
             "In function main(), assert failed (res.ok()): Could not prepare inputs: 0x%x",
             et_code(rc));
    return 1;
}

/* The real runtime's line does not say which of the files it means. */
static void log_input_size(const struct sl_run *run, size_t index, size_t nbytes)
{
    const char *name = run->options.inputs;
    for (size_t i = 0; i < index; i++)
        name += strcspn(name, ",") + 1;
    SL_ETLOG('E', "%.*s: input %zu takes %zu bytes, the file has %zu", (int)strcspn(name, ","),
             name, index, nbytes, run->inputs.files[index].size);
}

int sl_run_set_inputs(struct sl_run *run)
{
    size_t count = sl_method_input_count(run->method);
    if (run->bundled)
        return sl_run_set_bundled_inputs(run);
    if (!run->options.inputs[0]) {
        int rc = sl_method_fill_inputs(run->method, &run->diag);
        if (rc != 0)
            sl_run_log_diag(run);
        return rc != 0 ? inputs_failed(rc) : 0;
    }
    if (run->inputs.count != count) {
        sl_etlog('E', "inputs.cpp", 42,
                 "Wrong number of inputs allocated compared to method  %zu ? %zu", count,
                 run->inputs.count);
        return inputs_failed(SL_ET_INVALID_ARGUMENT);
    }
    for (size_t i = 0; i < count; i++) {
        const struct sl_buf *file = &run->inputs.files[i];
        struct sl_tensor_view view;
        int rc = sl_method_input(run->method, i, &view);
        if (rc == 0 && view.scalar_type >= 0 && view.nbytes != file->size) {
            sl_etlog('E', "inputs.cpp", 182, "input size (%zu) and tensor size (%zu) mismatch!",
                     file->size, view.nbytes);
            log_input_size(run, i, view.nbytes);
            return inputs_failed(SL_ET_INVALID_ARGUMENT);
        }
        if (rc == 0)
            rc = sl_method_set_input(run->method, i, file->data, file->size, &run->diag);
        if (rc != 0) {
            sl_run_log_diag(run);
            return inputs_failed(rc);
        }
    }
    return 0;
}
