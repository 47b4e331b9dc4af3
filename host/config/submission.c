/* host/config/submission.c */
#include "host/config/submission.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/config/json_doc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_RUNS = 1000000, MAX_TIMEOUT_SECONDS = 24 * 3600, DEFAULT_TIMEOUT_SECONDS = 1800 };

static const char *const keys[] = {
    "model",      "model_name", "inputs", "device",       "priority",        "runs",
    "warmup",     "seed",       "method", "input_shapes", "timeout_seconds", "threshold_percent",
    "confidence",
};

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
    struct sl_json_at model = sl_json_member(root, "model"),
                      inputs = sl_json_member(root, "inputs");
    if (!model.value)
        return sl_json_refuse(root, diag, "A job needs a 'model'");
    int rc = read_digest(&model, out->model, diag);
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
        {"timeout_seconds", 1, MAX_TIMEOUT_SECONDS, &out->timeout_seconds},
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
    return rc;
}

int sl_submitted_parse(struct sl_bytes text, struct sl_submitted *out, struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    struct sl_submitted job = {.runs = UINT32_MAX,
                               .warmup = UINT32_MAX,
                               .seed = 1,
                               .timeout_seconds = DEFAULT_TIMEOUT_SECONDS,
                               .threshold_percent = 1.0,
                               .confidence = 0.95,
                               .model_name = "model.pte"};
    int rc = sl_json_doc_parse(text, "job", &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_at root = sl_json_root(document);
    rc = sl_json_need_object(&root, diag);
    if (rc == 0)
        rc = sl_json_check_keys(&root, keys, COUNT(keys), diag);
    if (rc == 0)
        rc = read_files(&root, &job, diag);
    if (rc == 0)
        rc = read_numbers(&root, &job, diag);
    if (rc == 0)
        rc = read_text(&root, "model_name", job.model_name, sizeof(job.model_name), diag);
    if (rc == 0)
        rc = read_text(&root, "method", job.method, sizeof(job.method), diag);
    if (rc == 0)
        rc = read_text(&root, "input_shapes", job.input_shapes, sizeof(job.input_shapes), diag);
    sl_json_doc_free(document);
    if (rc == 0)
        *out = job;
    return rc;
}
