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
#include "host/spec/json_read.h"
#include "host/spec/json_value.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

static void read_estimates(const struct sl_json_at *list, struct sl_baseline_arm *out)
{
    static const char *const keys[] = {"profile", "profile_sha256", "mid_ns"};
    sl_json_need_array(list, SL_BASELINE_MAX_ESTIMATES, "profiles");
    for (struct sl_json_at at = sl_json_first(list); sl_json_more(&at); sl_json_next(&at)) {
        struct sl_baseline_estimate *one = &out->estimates[out->estimate_count++];
        sl_json_need_object(&at, keys, COUNT(keys), COUNT(keys));
        sl_json_copy_text(sl_json_member(&at, "profile"), one->profile, sizeof(one->profile));
        sl_json_copy_text(sl_json_member(&at, "profile_sha256"), one->profile_sha256,
                          sizeof(one->profile_sha256));
        sl_json_get_real(sl_json_member(&at, "mid_ns"), 0, SL_JSON_MAX_WHOLE, &one->mid_ns);
    }
}

static void read_operators(const struct sl_json_at *list, struct sl_baseline_arm *out)
{
    size_t count = sl_json_need_members(list, SL_BASELINE_MAX_OPERATORS, "operators");
    out->operators = sl_calloc(count + 1, sizeof(*out->operators));
    if (!out->operators)
        sl_json_stop(list, -ENOMEM);
    for (struct sl_json_at at = sl_json_first(list); sl_json_more(&at); sl_json_next(&at)) {
        struct sl_baseline_operator *one = &out->operators[out->operator_count++];
        if (strlen(at.key) >= sizeof(one->name))
            sl_json_refuse(list, "A name has %zu bytes or more", sizeof(one->name));
        snprintf(one->name, sizeof(one->name), "%s", at.key);
        sl_json_get_count(at, &one->insns);
    }
}

static bool read_sme2(struct sl_json_at at)
{
    const char *word = sl_json_get_text(at);
    bool on = sl_json_is_text(at, "on");
    if (word && !on && strcmp(word, "off") != 0)
        sl_json_refuse(&at, "This must be \"off\" or \"on\"");
    return on;
}

static void read_arm(const struct sl_json_at *object, struct sl_baseline_arm *out)
{
    static const char *const keys[] = {"model",     "experiment", "runtime",      "threads",
                                       "svl_bits",  "sme2",       "model_sha256", "instructions",
                                       "estimates", "operators"};
    struct sl_json_at estimates = sl_json_member(object, "estimates");
    struct sl_json_at operators = sl_json_member(object, "operators");
    sl_json_need_object(object, keys, COUNT(keys), COUNT(keys));
    sl_json_copy_text(sl_json_member(object, "model"), out->model, sizeof(out->model));
    sl_json_copy_text(sl_json_member(object, "experiment"), out->experiment,
                      sizeof(out->experiment));
    sl_json_copy_text(sl_json_member(object, "runtime"), out->runtime, sizeof(out->runtime));
    sl_json_get_integer(sl_json_member(object, "threads"), 0, 4096, &out->threads);
    sl_json_get_integer(sl_json_member(object, "svl_bits"), 0, 2048, &out->svl_bits);
    out->on = read_sme2(sl_json_member(object, "sme2"));
    sl_json_copy_text(sl_json_member(object, "model_sha256"), out->model_sha256,
                      sizeof(out->model_sha256));
    sl_json_get_count(sl_json_member(object, "instructions"), &out->insns);
    read_estimates(&estimates, out);
    read_operators(&operators, out);
}

static void read_arms(const struct sl_json_at *root, struct sl_baseline *out)
{
    static const char *const keys[] = {"schema", "arms"};
    struct sl_json_at schema = sl_json_member(root, "schema");
    struct sl_json_at list = sl_json_member(root, "arms");
    sl_json_need_object(root, keys, COUNT(keys), COUNT(keys));
    if (!sl_json_is_text(schema, "sme2lab.baseline/1"))
        sl_json_refuse(&schema, "this is no baseline of this version");
    sl_json_need_array(&list, SL_BASELINE_MAX_ARMS, "arms");
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at)) {
        struct sl_baseline_arm arm = {.on = false};
        read_arm(&at, &arm);
        if (at.reader->error == 0)
            sl_json_stop(&at, sl_baseline_add(out, &arm, at.reader->diag));
        drop_arm(&arm);
    }
}

int sl_baseline_read(struct sl_bytes text, const char *file, struct sl_baseline *out,
                     struct sl_diag *diag)
{
    cJSON *document;
    *out = (struct sl_baseline){.arms = NULL};
    int rc = sl_json_doc_parse(text, file, &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    read_arms(&root, out);
    sl_json_doc_free(document);
    if (reader.error < 0) {
        sl_json_name_file(file, diag);
        sl_baseline_fini(out);
    }
    return reader.error;
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
