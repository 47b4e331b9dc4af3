/* host/rundir/run_manifest.c: manifest.json of a run's directory. `validate` takes members that
 * manifest_again.c does not write for forged: a new one goes in there, too. */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "host/device/count_log.h"
#include "host/device/launch.h"
#include "host/rundir/json_copy.h"
#include "host/rundir/run.h"
#include "host/rundir/run_parts.h"
#include "host/spec/device_kind.h"
#include "host/spec/experiment.h"

enum { MAX_MANIFEST_BYTES = 256 << 20, MAX_INPUT_BYTES = 1 << 30 };

/* Path of a file below the run's directory, as the manifest has it. */
static const char *relative(const struct sl_run *run, const char *path)
{
    size_t len = strlen(run->out_dir);
    return strncmp(path, run->out_dir, len) == 0 && path[len] == '/' ? path + len + 1 : path;
}

static const char *said(const char *text)
{
    return text[0] ? text : NULL;
}

static void put_device(struct sl_json *json, const struct sl_run *run)
{
    const struct sl_device *device = run->device;
    sl_json_open_object(json, "device");
    sl_json_text(json, "kind", sl_device_kind_name(device->kind));
    sl_json_bool(json, "emulated", device->traits.emulated);
    sl_json_text(json, "cpu", said(device->cpu));
    sl_json_text(json, "emulator", said(device->emulator.path));
    sl_json_text(json, "emulator_version", said(device->emulator.version));
    sl_json_copy(json, "probe", run->probe);
    sl_json_close_object(json);
}

static int put_inputs(struct sl_json *json, const struct sl_run *run, struct sl_diag *diag)
{
    sl_json_open_array(json, "inputs");
    for (size_t i = 0; i < run->experiment->input_count; i++) {
        struct sl_buf bytes;
        char hash[SL_SHA256_HEX_SIZE];
        const char *path = run->experiment->inputs[i];
        int rc = sl_buf_read_file(path, MAX_INPUT_BYTES, &bytes);
        if (rc < 0)
            return sl_diag_set(diag, rc, path, "The input cannot be read (%s)", sl_strerror(rc));
        sl_sha256_hex(bytes.data, bytes.size, hash);
        sl_json_open_object(json, NULL);
        sl_json_text(json, "file", run->shown_inputs ? run->shown_inputs[i] : path);
        sl_json_u64(json, "bytes", bytes.size);
        sl_json_text(json, "sha256", hash);
        sl_json_close_object(json);
        sl_buf_fini(&bytes);
    }
    sl_json_close_array(json);
    return 0;
}

/* What each execution of the method executed, by class of instruction: the raw trace still has the
 * ordinals of the marks, which the log knows more about than their counts. */
static int put_executed(struct sl_json *json, const struct sl_run *run)
{
    struct sl_trace raw;
    size_t mark_count = 0;
    const struct sl_count_mark *marks = sl_count_log_marks(run->log, &mark_count);
    uint32_t iterations[SL_RUN_VARIANTS] = {0};
    int rc =
        sl_trace_parse((struct sl_bytes){run->raw_trace.data, run->raw_trace.size}, &raw, NULL);
    if (rc < 0)
        return rc;
    sl_json_open_array(json, "executed");
    for (size_t i = 0; i < raw.record_count; i++) {
        const struct sl_trace_record *record = &raw.records[i];
        if (record->kind != SL_TRACE_EVENT || record->variant >= SL_RUN_VARIANTS ||
            strcmp(raw.names[record->name], "Method::execute") != 0 ||
            record->event.end >= mark_count)
            continue;
        const uint64_t *begin = marks[record->event.start].insns;
        const uint64_t *end = marks[record->event.end].insns;
        sl_json_open_object(json, NULL);
        sl_json_text(json, "variant", sl_run_variant_names[record->variant]);
        sl_json_u64(json, "iteration", iterations[record->variant]++);
        sl_json_u64(json, "insns", end[SL_INSN_ANY] - begin[SL_INSN_ANY]);
        sl_json_u64(json, "outer_products", end[SL_INSN_OUTER] - begin[SL_INSN_OUTER]);
        sl_json_u64(json, "vector_macs", end[SL_INSN_VECTOR_MAC] - begin[SL_INSN_VECTOR_MAC]);
        sl_json_u64(json, "smstarts", end[SL_INSN_SMSTART] - begin[SL_INSN_SMSTART]);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_trace_fini(&raw);
    return 0;
}

static void put_results(struct sl_json *json, const struct sl_run *run)
{
    char log[SL_RUN_PATH_BYTES];
    snprintf(log, sizeof(log), "%.900s_latency.log", run->raw_base);
    sl_json_open_array(json, "results");
    for (int i = 0; i < SL_RUN_VARIANTS; i++)
        sl_run_put_result(
            json, &(struct sl_run_result){.experiment = run->variants[i].experiment,
                                          .etdump = relative(run, run->variants[i].etdump_path),
                                          .log = relative(run, log),
                                          .level = i,
                                          .threads = run->experiment->threads[0],
                                          .analysis = &run->variants[i].analysis});
    sl_json_close_array(json);
}

static void put_outputs(struct sl_json *json, const struct sl_run *run)
{
    sl_json_open_array(json, "outputs");
    for (size_t i = 0; i < run->output_count; i++)
        sl_run_put_output(json, relative(run, run->raw_base), i, run->output_types[i]);
    sl_json_close_array(json);
}

/* External weights: null for a program that has its own. */
static void put_data(struct sl_json *json, const struct sl_run *run)
{
    if (!run->data_sha256[0]) {
        sl_json_text(json, "data", NULL);
        return;
    }
    sl_json_open_object(json, "data");
    sl_json_text(json, "file", run->shown_data ? run->shown_data : run->experiment->data_path);
    sl_json_text(json, "sha256", run->data_sha256);
    sl_json_close_object(json);
}

static void put_stopping(struct sl_json *json, const struct sl_run *run)
{
    struct sl_stopping_rule rule;
    if (!sl_run_rule(run, &rule))
        return;
    sl_json_open_object(json, "stopping");
    if (rule.precision_percent > 0)
        sl_json_f64(json, "precision_percent", rule.precision_percent);
    if (rule.budget_s > 0)
        sl_json_f64(json, "budget_seconds", rule.budget_s);
    sl_json_u64(json, "max_pairs", rule.max_pairs);
    sl_json_close_object(json);
}

static void put_model(struct sl_json *json, const struct sl_run *run)
{
    sl_json_text(json, "model", run->shown_model ? run->shown_model : run->plan->model);
    sl_json_u64(json, "model_bytes", run->model.size);
    sl_json_text(json, "model_sha256", run->model_sha256);
    put_data(json, run);
    sl_json_text(json, "method", run->experiment->method);
    sl_json_text(json, "agent", run->device->agent.path);
    sl_json_text(json, "agent_sha256", run->agent_sha256);
    sl_json_text(json, "input_shapes", run->experiment->input_shapes);
    sl_json_text(json, "mode", run->experiment->clean ? "clean" : "timing");
    sl_json_u64(json, "runs", run->experiment->runs);
    sl_json_u64(json, "warmup", run->experiment->warmup);
    if (run->experiment->sme_threads != 0)
        sl_json_u64(json, "sme_threads", run->experiment->sme_threads);
    if (run->experiment->processes[0] > 1) {
        sl_json_u64(json, "processes", run->experiment->processes[0]);
        sl_json_copy(json, "load", run->load);
    }
    if (run->experiment->affinity)
        sl_json_text(json, "cpu_affinity", run->experiment->affinity);
    if (run->experiment->weight_cache)
        sl_json_bool(json, "weight_cache", true);
    put_stopping(json, run);
    if (run->noise_floor > 0)
        sl_json_f64(json, "noise_floor", run->noise_floor);
    if (run->wall_ns != 0)
        sl_json_u64(json, "wall_ns", run->wall_ns);
    else
        sl_json_null(json, "wall_ns");
    sl_json_open_object(json, "labels");
    for (size_t i = 0; i < run->plan->label_count; i++)
        sl_json_text(json, run->plan->label_keys[i], run->plan->label_values[i]);
    sl_json_close_object(json);
}

static int put_manifest(struct sl_json *json, const struct sl_run *run, struct sl_diag *diag)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "schema", "sme2lab.manifest/1");
    sl_json_text(json, "generated_at", run->started_utc);
    sl_json_text(json, "sme2lab_version", SL_VERSION);
    sl_json_text(json, "command", run->command);
    sl_json_text(json, "time_unit", run->log ? "instructions" : "ns");
    sl_json_text(json, "experiment", run->experiment->name);
    put_model(json, run);
    int rc = put_inputs(json, run, diag);
    if (rc < 0)
        return rc;
    put_device(json, run);
    sl_run_put_policy(json, run->policy);
    sl_run_put_schedule(json, &run->trace, run->experiment->seed);
    if (run->log) {
        sl_json_u64(json, "counted_insns", sl_count_log_counted(run->log, SL_INSN_ANY));
        sl_json_u64(json, "uncounted_insns", sl_count_log_uncounted(run->log));
        rc = put_executed(json, run);
    }
    sl_json_copy(json, "agent_report", run->agent_report);
    sl_run_put_executorch(json);
    put_results(json, run);
    put_outputs(json, run);
    sl_json_close_object(json);
    return rc < 0 ? rc : json->error;
}

int sl_run_manifest(const struct sl_run *run, struct sl_diag *diag)
{
    struct sl_buf text;
    struct sl_json json;
    char path[SL_RUN_PATH_BYTES], suffix[SL_RUN_SUFFIX_BYTES];
    /* One experiment is the directory's manifest; of several each has its own. */
    snprintf(path, sizeof(path), "%.900s/manifest%s.json", run->out_dir,
             sl_run_suffix(run, suffix));
    sl_buf_init(&text, MAX_MANIFEST_BYTES);
    sl_json_init(&json, &text);
    int rc = put_manifest(&json, run, diag);
    if (rc == 0)
        rc = sl_run_write(path, &text, diag);
    else if (diag && !diag->what[0])
        sl_diag_set(diag, rc, path, "The manifest cannot be made (%s)", sl_strerror(rc));
    sl_buf_fini(&text);
    return rc;
}
