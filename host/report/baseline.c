/* host/report/baseline.c */
#include "host/report/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/spec/json_doc.h"

#define MOST_INSNS 9007199254740992.0 /* 2^53: all whole numbers up to it are doubles */

static void drop_arm(struct sl_baseline_arm *arm)
{
    sl_free(arm->operators);
    arm->operators = NULL;
}

void sl_baseline_fini(struct sl_baseline *baseline)
{
    for (size_t i = 0; i < baseline->count; i++)
        drop_arm(&baseline->arms[i]);
    sl_free(baseline->arms);
    *baseline = (struct sl_baseline){.arms = NULL};
}

/* The order of the file; 0: both ran the same thing the same way. */
static int order(const struct sl_baseline_arm *a, const struct sl_baseline_arm *b)
{
    int by_text = strcmp(a->model, b->model);
    if (by_text == 0)
        by_text = strcmp(a->experiment, b->experiment);
    if (by_text == 0)
        by_text = strcmp(a->runtime, b->runtime);
    if (by_text != 0)
        return by_text;
    if (a->threads != b->threads)
        return a->threads < b->threads ? -1 : 1;
    if (a->svl_bits != b->svl_bits)
        return a->svl_bits < b->svl_bits ? -1 : 1;
    return (int)a->on - (int)b->on;
}

static int by_name(const void *a, const void *b)
{
    const struct sl_baseline_operator *x = a, *y = b;
    return strcmp(x->name, y->name);
}

int sl_baseline_add(struct sl_baseline *baseline, struct sl_baseline_arm *arm, struct sl_diag *diag)
{
    size_t at = 0;
    while (at < baseline->count && order(&baseline->arms[at], arm) < 0)
        at++;
    bool there = at < baseline->count && order(&baseline->arms[at], arm) == 0;
    int rc = there ? SL_E_FORMAT : baseline->count == SL_BASELINE_MAX_ARMS ? SL_E_LIMIT : 0;
    if (rc == SL_E_FORMAT)
        sl_diag_set(diag, rc, arm->model,
                    "experiment '%s' with SME2 %s is there twice; give the models names (--name)",
                    arm->experiment, arm->on ? "on" : "off");
    struct sl_baseline_arm *grown =
        rc == 0 ? sl_realloc(baseline->arms, baseline->count + 1, sizeof(*grown)) : NULL;
    if (!grown) {
        drop_arm(arm);
        return rc < 0 ? rc : -ENOMEM;
    }
    if (arm->operator_count > 0)
        qsort(arm->operators, arm->operator_count, sizeof(*arm->operators), by_name);
    memmove(&grown[at + 1], &grown[at], (baseline->count - at) * sizeof(*grown));
    grown[at] = *arm;
    arm->operators = NULL;
    baseline->arms = grown;
    baseline->count++;
    return 0;
}

const struct sl_baseline_arm *sl_baseline_find(const struct sl_baseline *baseline,
                                               const struct sl_baseline_arm *like)
{
    for (size_t i = 0; i < baseline->count; i++) {
        if (order(&baseline->arms[i], like) == 0)
            return &baseline->arms[i];
    }
    return NULL;
}

/* --- text --- */

void sl_baseline_put_key(struct sl_json *json, const struct sl_baseline_arm *arm)
{
    sl_json_text(json, "model", arm->model);
    sl_json_text(json, "experiment", arm->experiment);
    sl_json_text(json, "runtime", arm->runtime);
    sl_json_u64(json, "threads", arm->threads);
    sl_json_u64(json, "svl_bits", arm->svl_bits);
    sl_json_text(json, "sme2", arm->on ? "on" : "off");
}

static void put_arm(struct sl_json *json, const struct sl_baseline_arm *arm)
{
    sl_json_open_object(json, NULL);
    sl_baseline_put_key(json, arm);
    sl_json_text(json, "model_sha256", arm->model_sha256);
    sl_json_u64(json, "instructions", arm->insns);
    sl_json_open_array(json, "estimates");
    for (size_t i = 0; i < arm->estimate_count; i++) {
        sl_json_open_object(json, NULL);
        sl_json_text(json, "profile", arm->estimates[i].profile);
        sl_json_text(json, "profile_sha256", arm->estimates[i].profile_sha256);
        sl_json_f64(json, "mid_ns", arm->estimates[i].mid_ns);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_open_object(json, "operators");
    for (size_t i = 0; i < arm->operator_count; i++)
        sl_json_u64(json, arm->operators[i].name, arm->operators[i].insns);
    sl_json_close_object(json);
    sl_json_close_object(json);
}

/* A line a figure: a change of the file is read in a review. */
static int spread(const struct sl_buf *compact, struct sl_buf *out)
{
    cJSON *document = cJSON_ParseWithLength((const char *)compact->data, compact->size);
    char *text = document ? cJSON_Print(document) : NULL;
    int rc = text ? sl_buf_printf(out, "%s\n", text) : -ENOMEM;
    cJSON_free(text);
    cJSON_Delete(document);
    return rc;
}

int sl_baseline_write(const struct sl_baseline *baseline, struct sl_buf *out)
{
    struct sl_buf compact;
    struct sl_json json;
    sl_buf_init(&compact, SL_JSON_DOC_MAX_BYTES);
    sl_json_init(&json, &compact);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.baseline/1");
    sl_json_open_array(&json, "arms");
    for (size_t i = 0; i < baseline->count; i++)
        put_arm(&json, &baseline->arms[i]);
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    int rc = json.error == 0 ? spread(&compact, out) : json.error;
    sl_buf_fini(&compact);
    return rc;
}

static int read_text(const struct sl_json_at *object, const char *key, char *out, size_t size,
                     struct sl_diag *diag)
{
    struct sl_json_at at = sl_json_member(object, key);
    const char *text = NULL;
    int rc = sl_json_get_text(&at, &text, diag);
    if (rc == 0 && (!text || strlen(text) >= size))
        rc = sl_json_refuse(&at, diag, "a text of less than %zu bytes is expected", size);
    if (rc == 0)
        snprintf(out, size, "%s", text);
    return rc;
}

static int read_figure(const struct sl_json_at *at, double *out, struct sl_diag *diag)
{
    double value = NAN;
    int rc = sl_json_get_real(at, 0, MOST_INSNS, &value, diag);
    if (rc == 0 && isnan(value))
        rc = sl_json_refuse(at, diag, "a figure is expected");
    *out = value;
    return rc;
}

static int read_count(const struct sl_json_at *at, uint64_t *out, struct sl_diag *diag)
{
    double value;
    int rc = read_figure(at, &value, diag);
    if (rc == 0 && value != floor(value))
        rc = sl_json_refuse(at, diag, "a whole number is expected");
    if (rc == 0)
        *out = (uint64_t)value;
    return rc;
}

static int read_estimates(const struct sl_json_at *list, struct sl_baseline_arm *out,
                          struct sl_diag *diag)
{
    static const char *const keys[] = {"profile", "profile_sha256", "mid_ns"};
    int rc = sl_json_need_array(list, diag);
    size_t count = sl_json_size(list);
    if (rc == 0 && count > SL_BASELINE_MAX_ESTIMATES)
        rc = sl_json_refuse(list, diag, "more than %d profiles", SL_BASELINE_MAX_ESTIMATES);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct sl_baseline_estimate *one = &out->estimates[i];
        struct sl_json_at item = sl_json_item(list, i);
        rc = sl_json_need_object(&item, diag);
        if (rc == 0)
            rc = sl_json_check_keys(&item, keys, sizeof(keys) / sizeof(keys[0]), diag);
        if (rc == 0)
            rc = read_text(&item, "profile", one->profile, sizeof(one->profile), diag);
        if (rc == 0)
            rc = read_text(&item, "profile_sha256", one->profile_sha256,
                           sizeof(one->profile_sha256), diag);
        struct sl_json_at time = sl_json_member(&item, "mid_ns");
        if (rc == 0)
            rc = read_figure(&time, &one->mid_ns, diag);
    }
    out->estimate_count = rc == 0 ? count : 0;
    return rc;
}

static int read_operators(const struct sl_json_at *list, struct sl_baseline_arm *out,
                          struct sl_diag *diag)
{
    int rc = sl_json_need_object(list, diag);
    size_t count = sl_json_size(list);
    if (rc == 0 && count > SL_BASELINE_MAX_OPERATORS)
        rc = sl_json_refuse(list, diag, "more than %d operators", SL_BASELINE_MAX_OPERATORS);
    out->operators = rc == 0 ? sl_calloc(count + 1, sizeof(*out->operators)) : NULL;
    if (rc == 0 && !out->operators)
        rc = -ENOMEM;
    for (const cJSON *at = rc == 0 ? list->value->child : NULL; rc == 0 && at; at = at->next) {
        struct sl_json_at item = sl_json_member(list, at->string);
        struct sl_baseline_operator *one = &out->operators[out->operator_count];
        if (strlen(at->string) >= sizeof(one->name)) {
            rc = sl_json_refuse(list, diag, "a name has %zu bytes or more", sizeof(one->name));
            break;
        }
        snprintf(one->name, sizeof(one->name), "%s", at->string);
        item.value = at;
        rc = read_count(&item, &one->insns, diag);
        out->operator_count += rc == 0;
    }
    return rc;
}

static int read_sme2(const struct sl_json_at *object, bool *out, struct sl_diag *diag)
{
    char word[8];
    struct sl_json_at at = sl_json_member(object, "sme2");
    int rc = read_text(object, "sme2", word, sizeof(word), diag);
    if (rc == 0 && strcmp(word, "on") != 0 && strcmp(word, "off") != 0)
        rc = sl_json_refuse(&at, diag, "\"off\" or \"on\" is expected");
    *out = rc == 0 && strcmp(word, "on") == 0;
    return rc;
}

static int read_arm(const struct sl_json_at *object, struct sl_baseline_arm *out,
                    struct sl_diag *diag)
{
    static const char *const keys[] = {"model",     "experiment", "runtime",      "threads",
                                       "svl_bits",  "sme2",       "model_sha256", "instructions",
                                       "estimates", "operators"};
    struct sl_json_at threads = sl_json_member(object, "threads");
    struct sl_json_at svl = sl_json_member(object, "svl_bits");
    struct sl_json_at insns = sl_json_member(object, "instructions");
    struct sl_json_at estimates = sl_json_member(object, "estimates");
    struct sl_json_at operators = sl_json_member(object, "operators");
    int rc = sl_json_need_object(object, diag);
    if (rc == 0)
        rc = sl_json_check_keys(object, keys, sizeof(keys) / sizeof(keys[0]), diag);
    if (rc == 0)
        rc = read_text(object, "model", out->model, sizeof(out->model), diag);
    if (rc == 0)
        rc = read_text(object, "experiment", out->experiment, sizeof(out->experiment), diag);
    if (rc == 0)
        rc = read_text(object, "runtime", out->runtime, sizeof(out->runtime), diag);
    if (rc == 0)
        rc = sl_json_get_integer(&threads, 0, 4096, &out->threads, diag);
    if (rc == 0)
        rc = sl_json_get_integer(&svl, 0, 2048, &out->svl_bits, diag);
    if (rc == 0)
        rc = read_sme2(object, &out->on, diag);
    if (rc == 0)
        rc = read_text(object, "model_sha256", out->model_sha256, sizeof(out->model_sha256), diag);
    if (rc == 0)
        rc = read_count(&insns, &out->insns, diag);
    if (rc == 0)
        rc = read_estimates(&estimates, out, diag);
    return rc == 0 ? read_operators(&operators, out, diag) : rc;
}

static int read_arms(const struct sl_json_at *root, struct sl_baseline *out, struct sl_diag *diag)
{
    static const char *const keys[] = {"schema", "arms"};
    char schema[32];
    struct sl_json_at arms = sl_json_member(root, "arms");
    struct sl_json_at said = sl_json_member(root, "schema");
    int rc = sl_json_need_object(root, diag);
    if (rc == 0)
        rc = sl_json_check_keys(root, keys, sizeof(keys) / sizeof(keys[0]), diag);
    if (rc == 0)
        rc = read_text(root, "schema", schema, sizeof(schema), diag);
    if (rc == 0 && strcmp(schema, "sme2lab.baseline/1") != 0)
        rc = sl_json_refuse(&said, diag, "this is no baseline of this version");
    if (rc == 0)
        rc = sl_json_need_array(&arms, diag);
    for (const cJSON *at = rc == 0 ? arms.value->child : NULL; rc == 0 && at; at = at->next) {
        struct sl_baseline_arm arm = {.on = false};
        struct sl_json_at item = sl_json_item(&arms, out->count);
        item.value = at;
        rc = read_arm(&item, &arm, diag);
        if (rc == 0)
            rc = sl_baseline_add(out, &arm, diag);
        drop_arm(&arm);
    }
    return rc;
}

int sl_baseline_read(struct sl_bytes text, const char *file, struct sl_baseline *out,
                     struct sl_diag *diag)
{
    cJSON *document;
    *out = (struct sl_baseline){.arms = NULL};
    int rc = sl_json_doc_parse(text, file, &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_at root = sl_json_root(document);
    rc = read_arms(&root, out, diag);
    sl_json_doc_free(document);
    if (rc < 0) {
        sl_json_name_file(file, diag);
        sl_baseline_fini(out);
    }
    return rc;
}

/* --- comparison --- */

static double insns_of(const struct sl_baseline_arm *arm, const char *name)
{
    for (size_t i = 0; i < arm->operator_count; i++) {
        if (strcmp(arm->operators[i].name, name) == 0)
            return (double)arm->operators[i].insns;
    }
    return 0;
}

/* Takes the operator where it moved further in the arm's direction than those before. */
static void take_operator(struct sl_baseline_change *change, const char *name, double before,
                          double now)
{
    double sign = change->now >= change->before ? 1 : -1;
    double moved = sign * (now - before);
    if (moved <= sign * (change->operator_now - change->operator_before))
        return;
    change->operator_name = name;
    change->operator_before = before;
    change->operator_now = now;
}

size_t sl_baseline_compare(const struct sl_baseline_arm *before, const struct sl_baseline_arm *now,
                           struct sl_baseline_change out[SL_BASELINE_MAX_CHANGES])
{
    size_t count = 1;
    out[0] = (struct sl_baseline_change){
        .arm = before, .before = (double)before->insns, .now = (double)now->insns};
    for (size_t i = 0; i < before->operator_count; i++) {
        const struct sl_baseline_operator *one = &before->operators[i];
        take_operator(&out[0], one->name, (double)one->insns, insns_of(now, one->name));
    }
    for (size_t i = 0; i < now->operator_count; i++) {
        const struct sl_baseline_operator *one = &now->operators[i];
        take_operator(&out[0], one->name, insns_of(before, one->name), (double)one->insns);
    }
    for (size_t i = 0; i < before->estimate_count; i++) {
        const struct sl_baseline_estimate *was = &before->estimates[i];
        for (size_t j = 0; j < now->estimate_count; j++) {
            const struct sl_baseline_estimate *is = &now->estimates[j];
            if (count < SL_BASELINE_MAX_CHANGES && strcmp(was->profile, is->profile) == 0 &&
                strcmp(was->profile_sha256, is->profile_sha256) == 0)
                out[count++] = (struct sl_baseline_change){.arm = before,
                                                           .profile = was->profile,
                                                           .before = was->mid_ns,
                                                           .now = is->mid_ns};
        }
    }
    return count;
}
