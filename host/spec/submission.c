/* host/spec/submission.c */
#include "host/spec/submission.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/spec/experiment.h"
#include "host/spec/json_doc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_RUNS = 1000000, MAX_TIMEOUT_SECONDS = 24 * 3600, DEFAULT_TIMEOUT_SECONDS = 1800 };

static const char *const keys[] = {
    "model",          "model_name",   "inputs",           "device",
    "priority",       "runs",         "warmup",           "seed",
    "method",         "input_shapes", "timeout_seconds",  "threshold_percent",
    "confidence",     "experiment",   "shared_directory", "labels",
    "shown",          "threads",      "sme_threads",      "cpu_affinity",
    "mode",           "processes",    "weight_cache",     "precision_percent",
    "budget_seconds", "data",
};
static const char *const shown_keys[] = {"command", "model", "data", "inputs", "directory"};

static int read_digest(const struct sl_json_at *at, char out[SL_DIGEST_BYTES], struct sl_diag *diag)
{
    const char *text = NULL;
    int rc = sl_json_get_text(at, &text, diag);
    if (rc == 0 && (!text || strlen(text) != SL_DIGEST_BYTES - 1 ||
                    strspn(text, "0123456789abcdef") != SL_DIGEST_BYTES - 1)) {
        sl_diag_hint(diag, "PUT the file to /api/v1/blobs/{sha256} and name it by that digest");
        rc = sl_json_refuse(at, diag, "This must be a SHA-256: 64 lower-case hexadecimal digits");
    }
    if (rc == 0)
        memcpy(out, text, SL_DIGEST_BYTES);
    return rc;
}

static int read_text(const struct sl_json_at *root, const char *key, char *out, size_t size,
                     struct sl_diag *diag)
{
    const char *text = NULL;
    struct sl_json_at at = sl_json_member(root, key);
    int rc = sl_json_get_text(&at, &text, diag);
    if (rc == 0 && text && strlen(text) >= size)
        rc = sl_json_refuse(&at, diag, "This is longer than %zu bytes", size - 1);
    if (rc == 0 && text)
        snprintf(out, size, "%s", text);
    return rc;
}

static int read_files(const struct sl_json_at *root, struct sl_submitted *out, struct sl_diag *diag)
{
    struct sl_json_at model = sl_json_member(root, "model"), data = sl_json_member(root, "data"),
                      inputs = sl_json_member(root, "inputs");
    if (!model.value)
        return sl_json_refuse(root, diag, "A job needs a 'model'");
    int rc = read_digest(&model, out->model, diag);
    if (rc == 0 && data.value)
        rc = read_digest(&data, out->data, diag);
    if (rc < 0 || !inputs.value)
        return rc;
    rc = sl_json_need_array(&inputs, diag);
    if (rc == 0 && sl_json_size(&inputs) > SL_SUBMISSION_MAX_INPUTS)
        rc = sl_json_refuse(&inputs, diag, "More than %d inputs", SL_SUBMISSION_MAX_INPUTS);
    for (size_t i = 0; rc == 0 && i < sl_json_size(&inputs); i++) {
        struct sl_json_at item = sl_json_item(&inputs, i);
        rc = read_digest(&item, out->inputs[i], diag);
        out->input_count = i + 1;
    }
    return rc;
}

static int read_numbers(const struct sl_json_at *root, struct sl_submitted *out,
                        struct sl_diag *diag)
{
    const struct {
        const char *key;
        uint32_t low, high, *value;
    } integers[] = {
        {"runs", 1, MAX_RUNS, &out->runs},
        {"warmup", 0, MAX_RUNS, &out->warmup},
        {"seed", 0, UINT32_MAX, &out->seed},
        {"timeout_seconds", 0, MAX_TIMEOUT_SECONDS, &out->timeout_seconds},
    };
    struct sl_json_at threshold = sl_json_member(root, "threshold_percent"),
                      confidence = sl_json_member(root, "confidence");
    int rc = sl_json_get_real(&threshold, 0, 1000, &out->threshold_percent, diag);
    if (rc == 0)
        rc = sl_json_get_real(&confidence, 0.5, 0.9999, &out->confidence, diag);
    for (size_t i = 0; rc == 0 && i < COUNT(integers); i++) {
        struct sl_json_at at = sl_json_member(root, integers[i].key);
        rc = sl_json_get_integer(&at, integers[i].low, integers[i].high, integers[i].value, diag);
    }
    if (rc == 0)
        rc = sl_experiment_read_looks(root, &out->precision_percent, &out->budget_seconds, diag);
    const struct sl_experiment_looks looks = {out->precision_percent, out->budget_seconds,
                                              out->runs, out->timeout_seconds};
    return rc < 0 ? rc : sl_experiment_check_looks(&looks, "/precision_percent", diag);
}

/* A mask may be given without its 0x, as taskset takes it. */
static int read_threads(const struct sl_json_at *root, struct sl_submitted *out,
                        struct sl_diag *diag)
{
    struct sl_experiment read = {
        .threads = {1}, .thread_count = 1, .processes = {1}, .process_count = 1};
    struct sl_json_at threads = sl_json_member(root, "threads");
    int rc = sl_experiment_read_threads(&threads, root, &read, diag);
    if (rc == 0 && (read.thread_count != 1 || read.process_count != 1))
        rc = sl_json_refuse(root, diag, "A job has one number of threads and one of processes");
    if (rc < 0)
        return rc;
    out->threads = read.threads[0];
    out->processes = read.processes[0];
    out->sme_threads = read.sme_threads;
    const char *cpus = read.affinity ? read.affinity : "";
    bool mask = strspn(cpus, "0123456789abcdefABCDEF") == strlen(cpus) && cpus[0];
    snprintf(out->affinity, sizeof(out->affinity), "%s%s", mask ? "0x" : "", cpus);
    return 0;
}

/* It becomes part of file names. */
static int read_experiment(const struct sl_json_at *root, struct sl_submitted *out,
                           struct sl_diag *diag)
{
    struct sl_json_at at = sl_json_member(root, "experiment"),
                      shared = sl_json_member(root, "shared_directory");
    int rc = read_text(root, "experiment", out->experiment, sizeof(out->experiment), diag);
    if (rc == 0 && !sl_experiment_name_ok(out->experiment))
        rc = sl_json_refuse(&at, diag,
                            "The name of an experiment is letters, digits, '.', '_', '-'");
    return rc < 0 ? rc : sl_json_get_bool(&shared, &out->shared_directory, diag);
}

static int read_labels(const struct sl_json_at *root, struct sl_submitted *out,
                       struct sl_diag *diag)
{
    const char *keys_of[SL_SUBMISSION_MAX_LABELS], *values[SL_SUBMISSION_MAX_LABELS];
    struct sl_json_at labels = sl_json_member(root, "labels");
    size_t count = 0;
    int rc = sl_json_get_texts(&labels, SL_SUBMISSION_MAX_LABELS, keys_of, values, &count, diag);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct sl_submitted_label *label = &out->labels[i];
        if (strlen(keys_of[i]) >= sizeof(label->key) || strlen(values[i]) >= sizeof(label->value))
            return sl_json_refuse(&labels, diag, "A label has %zu bytes at most, its key %zu",
                                  sizeof(label->value) - 1, sizeof(label->key) - 1);
        snprintf(label->key, sizeof(label->key), "%s", keys_of[i]);
        snprintf(label->value, sizeof(label->value), "%s", values[i]);
        out->label_count = i + 1;
    }
    return rc;
}

static int read_shown_inputs(const struct sl_json_at *shown, struct sl_submitted *out,
                             struct sl_diag *diag)
{
    struct sl_json_at list = sl_json_member(shown, "inputs");
    if (!list.value)
        return 0;
    int rc = sl_json_need_array(&list, diag);
    if (rc == 0 && sl_json_size(&list) != out->input_count)
        rc = sl_json_refuse(&list, diag, "The job has %zu inputs", out->input_count);
    for (size_t i = 0; rc == 0 && i < sl_json_size(&list); i++) {
        const char *path = "";
        struct sl_json_at item = sl_json_item(&list, i);
        rc = sl_json_get_text(&item, &path, diag);
        if (rc == 0 && strlen(path) >= SL_SUBMISSION_PATH_BYTES)
            rc = sl_json_refuse(&item, diag, "This is longer than %d bytes",
                                SL_SUBMISSION_PATH_BYTES - 1);
        if (rc == 0)
            snprintf(out->shown.inputs[i], SL_SUBMISSION_PATH_BYTES, "%s", path);
        out->shown.input_count = i + 1;
    }
    return rc;
}

static int read_shown(const struct sl_json_at *root, struct sl_submitted *out, struct sl_diag *diag)
{
    struct sl_json_at shown = sl_json_member(root, "shown");
    if (!shown.value)
        return 0;
    int rc = sl_json_need_object(&shown, diag);
    if (rc == 0)
        rc = sl_json_check_keys(&shown, shown_keys, COUNT(shown_keys), diag);
    if (rc == 0)
        rc = read_text(&shown, "command", out->shown.command, sizeof(out->shown.command), diag);
    if (rc == 0)
        rc = read_text(&shown, "model", out->shown.model, sizeof(out->shown.model), diag);
    if (rc == 0)
        rc = read_text(&shown, "data", out->shown.data, sizeof(out->shown.data), diag);
    if (rc == 0)
        rc = read_text(&shown, "directory", out->shown.directory, sizeof(out->shown.directory),
                       diag);
    return rc < 0 ? rc : read_shown_inputs(&shown, out, diag);
}

static int read_mode(const struct sl_json_at *root, struct sl_submitted *out, struct sl_diag *diag)
{
    const char *mode = "timing";
    struct sl_json_at at = sl_json_member(root, "mode"),
                      cache = sl_json_member(root, "weight_cache");
    int rc = sl_json_get_bool(&cache, &out->weight_cache, diag);
    if (rc == 0)
        rc = sl_json_get_text(&at, &mode, diag);
    out->clean = rc == 0 && strcmp(mode, "clean") == 0;
    if (rc == 0 && !out->clean && strcmp(mode, "timing") != 0)
        rc = sl_json_refuse(&at, diag, "A mode is timing or clean");
    return rc;
}

/* All but the files. */
static int read_rest(const struct sl_json_at *root, struct sl_submitted *out, struct sl_diag *diag)
{
    int rc = read_numbers(root, out, diag);
    if (rc == 0)
        rc = read_threads(root, out, diag);
    if (rc == 0)
        rc = read_text(root, "model_name", out->model_name, sizeof(out->model_name), diag);
    if (rc == 0)
        rc = read_text(root, "method", out->method, sizeof(out->method), diag);
    if (rc == 0)
        rc = read_text(root, "input_shapes", out->input_shapes, sizeof(out->input_shapes), diag);
    if (rc == 0)
        rc = read_experiment(root, out, diag);
    if (rc == 0)
        rc = read_mode(root, out, diag);
    if (rc == 0)
        rc = read_labels(root, out, diag);
    return rc < 0 ? rc : read_shown(root, out, diag);
}

static void set_defaults(struct sl_submitted *job)
{
    memset(job, 0, sizeof(*job));
    job->runs = job->warmup = UINT32_MAX;
    job->seed = 1;
    job->timeout_seconds = DEFAULT_TIMEOUT_SECONDS;
    job->threshold_percent = 1.0;
    job->confidence = 0.95;
    snprintf(job->model_name, sizeof(job->model_name), "model.pte");
    snprintf(job->experiment, sizeof(job->experiment), "run");
}

int sl_submitted_parse(struct sl_bytes text, struct sl_submitted *out, struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    int rc = sl_json_doc_parse(text, "job", &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_at root = sl_json_root(document);
    set_defaults(out);
    rc = sl_json_need_object(&root, diag);
    if (rc == 0)
        rc = sl_json_check_keys(&root, keys, COUNT(keys), diag);
    if (rc == 0)
        rc = read_files(&root, out, diag);
    if (rc == 0)
        rc = read_rest(&root, out, diag);
    sl_json_doc_free(document);
    return rc;
}
