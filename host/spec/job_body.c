/* host/spec/job_body.c */
#include "host/spec/job_body.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/spec/json_doc.h"
#include "host/spec/param.h"
#include "host/spec/plan.h"

/* A mask may be given without its 0x, as taskset takes it. */
static void mark_mask(struct sl_spec *spec)
{
    char cpus[SL_NAME_BYTES];
    size_t len = strlen(spec->affinity);
    memcpy(cpus, spec->affinity, len + 1);
    if (len > 0 && strspn(cpus, "0123456789abcdefABCDEF") == len)
        snprintf(spec->affinity, sizeof(spec->affinity), "0x%.61s", cpus);
}

struct finding {
    const struct sl_json_at *files;
    struct sl_diag *diag;
};

static void set_defaults(struct sl_spec *spec)
{
    sl_spec_init(spec);
    for (size_t i = 0; i < sl_param_count; i++)
        if (sl_params[i].job_initial > 0)
            *(double *)sl_param_value(&sl_params[i], spec) = sl_params[i].job_initial;
}

/* --- external runners: a configuration, and which blob each path in it is --- */

static int find_file(void *user, const struct sl_param *param, const char *path,
                     const char **sha256)
{
    (void)param;
    const struct finding *finding = user;
    struct sl_json_at at = sl_json_member(finding->files, path);
    const char *digest = NULL;
    int rc = at.value ? sl_param_get_digest(&at, &digest, finding->diag)
                      : sl_json_refuse(finding->files, finding->diag,
                                       "'files' has no blob for '%.200s'", path);
    if (rc == 0)
        *sha256 = digest;
    return rc;
}

static int read_runners(const struct sl_json_at *root, struct sl_spec *spec, struct sl_diag *diag)
{
    struct sl_json_at configuration = sl_json_member(root, "configuration"),
                      files = sl_json_member(root, "files");
    struct finding finding = {&files, diag};
    if (spec->task != SL_TASK_RUNNERS)
        return configuration.value || files.value
                   ? sl_json_refuse(root, diag,
                                    "'configuration' and 'files' are for the task runners")
                   : 0;
    if (!configuration.value || !files.value)
        return sl_json_refuse(root, diag, "The task runners has 'configuration' and 'files'");
    spec->plan = sl_calloc(1, sizeof(*spec->plan));
    int rc = spec->plan ? sl_plan_read_runners(&configuration, spec->plan, diag) : -ENOMEM;
    if (rc == 0)
        rc = sl_json_need_object(&files, diag);
    if (rc == 0 && sl_json_size(&files) > SL_PLAN_MAX_FILES)
        rc = sl_json_refuse(&files, diag, "These are more than %d files", SL_PLAN_MAX_FILES);
    if (rc == 0)
        rc = sl_plan_each_file(spec->plan, find_file, &finding);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < spec->plan->count; i++)
        mark_mask(&spec->plan->specs[i]);
    return 0;
}

struct listing {
    struct sl_json *json;
    const char *paths[SL_PLAN_MAX_FILES];
    size_t count;
};

static int put_file(void *user, const struct sl_param *param, const char *path, const char **sha256)
{
    (void)param;
    struct listing *listing = user;
    for (size_t i = 0; i < listing->count; i++)
        if (strcmp(listing->paths[i], path) == 0)
            return 0;
    if (listing->count == SL_PLAN_MAX_FILES)
        return SL_E_LIMIT;
    listing->paths[listing->count++] = path;
    sl_json_text(listing->json, path, *sha256);
    return 0;
}

static int put_runners(struct sl_plan *plan, struct sl_json *json)
{
    struct listing listing = {.json = json};
    sl_json_open_object(json, "configuration");
    sl_plan_put(plan, json);
    sl_json_close_object(json);
    sl_json_open_object(json, "files");
    int rc = sl_plan_each_file(plan, put_file, &listing);
    sl_json_close_object(json);
    return rc;
}

static int read_body(const struct sl_json_at *root, struct sl_spec *spec, struct sl_diag *diag)
{
    static const char *const other[] = {"shown", "configuration", "files"};
    struct sl_json_at shown;
    set_defaults(spec);
    int rc = sl_params_read(root, SL_IN_JOB, other, sizeof(other) / sizeof(other[0]), spec, diag);
    bool needs_model = sl_spec_task_runs(spec->task) || spec->task == SL_TASK_PLAN;
    if (rc == 0 && needs_model && !spec->model_sha256)
        rc = sl_json_refuse(root, diag, "A job needs a 'model'");
    if (rc == 0 && spec->arguments_count > 0 && !sl_spec_task_measures(spec->task))
        rc = sl_json_refuse(root, diag, "Only the tasks bench and peaks take 'arguments'");
    if (rc == 0 && spec->concurrency[0] > 1 && spec->task != SL_TASK_RUN)
        rc = sl_json_refuse(root, diag, "Only the task run takes 'concurrency'");
    if (rc == 0)
        rc = read_runners(root, spec, diag);
    if (rc < 0)
        return rc;
    shown = sl_json_member(root, "shown");
    if (shown.value)
        rc = sl_params_read(&shown, SL_IN_SHOWN, NULL, 0, spec, diag);
    if (spec->process > spec->processes || (spec->processes > 1 && spec->process == 0))
        return sl_json_refuse(root, diag, "A job is one of its 'processes': 'process' says which");
    mark_mask(spec);
    return rc < 0 ? rc : sl_spec_check_looks(spec, "/precision_percent", diag);
}

int sl_job_body_read(struct sl_bytes text, struct sl_spec *out, struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    int rc = text.size == 0
                 ? sl_diag_set(diag, SL_E_FORMAT, "body", "there is no JSON in the request")
                 : sl_json_doc_parse(text, "body", &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_at root = sl_json_root(document);
    rc = read_body(&root, out, diag);
    out->document = document;
    if (rc < 0)
        sl_spec_fini(out);
    return rc;
}

int sl_job_body_put(const struct sl_spec *spec, struct sl_buf *out)
{
    struct sl_json json;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_params_put(&json, SL_IN_JOB, 0, spec);
    sl_json_open_object(&json, "shown");
    sl_params_put(&json, SL_IN_SHOWN, 0, spec);
    sl_json_close_object(&json);
    int rc = spec->plan ? put_runners(spec->plan, &json) : 0;
    sl_json_close_object(&json);
    return rc < 0 ? rc : json.error;
}
