/* host/cli/submit_request.c */
#include "host/cli/submit_request.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/config/json_doc.h"

enum { MAX_PRIORITY = 1000000, MODEL_NAME_BYTES = 64 };

static bool ends_with(const char *text, const char *ending)
{
    size_t len = strlen(text), tail = strlen(ending);
    return len >= tail && strcmp(text + len - tail, ending) == 0;
}

/* What the lab and not the experiment is told. */
static int take_lab_keys(cJSON *document, struct sl_submit_plan *out, struct sl_diag *diag)
{
    struct sl_json_at root = sl_json_root(document);
    struct sl_json_at device = sl_json_member(&root, "device");
    struct sl_json_at priority = sl_json_member(&root, "priority");
    const char *name = "";
    double number = 0;
    int rc = sl_json_get_text(&device, &name, diag);
    if (rc == 0 && strlen(name) >= sizeof(out->device))
        rc = sl_json_refuse(&device, diag, "No device has so long a name");
    if (rc == 0)
        rc = sl_json_get_real(&priority, -MAX_PRIORITY, MAX_PRIORITY, &number, diag);
    if (rc < 0)
        return rc;
    snprintf(out->device, sizeof(out->device), "%s", name);
    out->priority = (int)number;
    cJSON_DeleteItemFromObjectCaseSensitive(document, "device");
    cJSON_DeleteItemFromObjectCaseSensitive(document, "priority");
    return 0;
}

/* What `sme2lab run` acts on and a daemon's job has no place for. */
static int refuse_agents_keys(const cJSON *document, struct sl_diag *diag)
{
    static const char *const whys[][2] = {
        {"cpu",
         "The emulated CPU belongs to the device, which the daemon's configuration describes"},
        {"labels", "Jobs of the daemon carry no labels in this version"},
        {"output_root", "The daemon keeps a job's files itself; 'sme2lab show RUN' names them"},
    };
    struct sl_json_at root = sl_json_root(document);
    for (size_t i = 0; i < sizeof(whys) / sizeof(whys[0]); i++) {
        struct sl_json_at at = sl_json_member(&root, whys[i][0]);
        if (at.value) {
            sl_diag_hint(diag, "take '%s' out, or measure without the daemon: sme2lab run",
                         whys[i][0]);
            return sl_json_refuse(&at, diag, "%s", whys[i][1]);
        }
    }
    return 0;
}

static int parse(struct sl_bytes text, const char *file, struct sl_submit_plan *out,
                 struct sl_diag *diag)
{
    cJSON *document = NULL;
    int rc = sl_json_doc_parse(text, file, &document, diag);
    if (rc == 0)
        rc = take_lab_keys(document, out, diag);
    char *rest = rc == 0 ? cJSON_PrintUnformatted(document) : NULL;
    if (rc == 0 && !rest)
        rc = sl_diag_set(diag, -ENOMEM, file, "There is no memory for the configuration");
    if (rc == 0)
        rc = sl_experiment_plan_parse((struct sl_bytes){(const uint8_t *)rest, strlen(rest)}, file,
                                      &out->plan, diag);
    if (rc == 0 && cJSON_HasObjectItem(document, "svl"))
        out->svl = out->plan.svl;
    if (rc == 0)
        rc = refuse_agents_keys(document, diag);
    cJSON_free(rest);
    sl_json_doc_free(document);
    return rc;
}

int sl_submit_plan_load(const char *target, struct sl_submit_plan *out, struct sl_diag *diag)
{
    struct sl_buf text;
    memset(out, 0, sizeof(*out));
    sl_experiment_plan_init(&out->plan, target);
    if (!ends_with(target, ".json"))
        return 0;
    int rc = sl_buf_read_file(target, SL_JSON_DOC_MAX_BYTES, &text);
    if (rc < 0) {
        sl_diag_hint(diag, "name a configuration that can be read, or a .pte");
        return sl_diag_set(diag, rc, target, "The configuration cannot be read (%s)",
                           sl_strerror(rc));
    }
    rc = parse((struct sl_bytes){text.data, text.size}, target, out, diag);
    sl_buf_fini(&text);
    if (rc < 0)
        sl_experiment_plan_fini(&out->plan); /* it may have come so far before a key was refused */
    return rc;
}

void sl_submit_plan_fini(struct sl_submit_plan *plan)
{
    sl_experiment_plan_fini(&plan->plan);
}

static void name_model(struct sl_json *json, const char *path)
{
    char name[MODEL_NAME_BYTES];
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
    sl_json_text(json, "model_name", name);
}

int sl_submit_body(const struct sl_submit_plan *submit, size_t experiment, const char *model_sha256,
                   char (*inputs_sha256)[SL_SHA256_HEX_SIZE], struct sl_buf *out)
{
    struct sl_json json;
    const struct sl_experiment_plan *plan = &submit->plan;
    const struct sl_experiment *e = &plan->experiments[experiment];
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "model", model_sha256);
    name_model(&json, plan->model);
    if (submit->device[0])
        sl_json_text(&json, "device", submit->device);
    if (submit->priority != 0)
        sl_json_i64(&json, "priority", submit->priority);
    sl_json_f64(&json, "confidence", plan->confidence);
    sl_json_f64(&json, "threshold_percent", plan->threshold_percent);
    if (e->runs != UINT32_MAX)
        sl_json_u64(&json, "runs", e->runs);
    if (e->warmup != UINT32_MAX)
        sl_json_u64(&json, "warmup", e->warmup);
    sl_json_u64(&json, "seed", e->seed);
    if (e->input_shapes)
        sl_json_text(&json, "input_shapes", e->input_shapes);
    if (e->input_count > 0) {
        sl_json_open_array(&json, "inputs");
        for (size_t i = 0; i < e->input_count; i++)
            sl_json_text(&json, NULL, inputs_sha256[i]);
        sl_json_close_array(&json);
    }
    sl_json_close_object(&json);
    return json.error;
}
