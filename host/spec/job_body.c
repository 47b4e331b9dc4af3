/* host/spec/job_body.c */
#include "host/spec/job_body.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/spec/param.h"
#include "host/spec/plan.h"
#include "host/spec/selector_json.h"

/* A mask may be given without its 0x, as taskset takes it. Zeros alone would be one without a CPU:
 * they are a list of the first. */
static void mark_mask(struct sl_spec *spec)
{
    char cpus[SL_NAME_BYTES];
    size_t len = strlen(spec->affinity);
    memcpy(cpus, spec->affinity, len + 1);
    if (strspn(cpus, "0123456789abcdefABCDEF") == len && strspn(cpus, "0") < len)
        snprintf(spec->affinity, sizeof(spec->affinity), "0x%.61s", cpus);
}

static void set_defaults(struct sl_spec *spec)
{
    sl_spec_init(spec);
    for (size_t i = 0; i < sl_param_count; i++)
        if (sl_params[i].job_initial > 0)
            *(double *)sl_param_value(&sl_params[i], spec) = sl_params[i].job_initial;
}

/* --- external runners: a configuration, and which blob each path in it is --- */

/* `user` is 'files'. */
static int find_file(void *user, const struct sl_param *param, const char *path,
                     const char **sha256)
{
    (void)param;
    const struct sl_json_at *files = user;
    struct sl_json_at at = sl_json_member(files, path);
    if (!at.value)
        sl_json_refuse(files, "'files' has no blob for '%.200s'", path);
    *sha256 = sl_param_get_digest(at);
    return files->reader->error;
}

static void read_runners(const struct sl_json_at *root, struct sl_spec *spec)
{
    struct sl_json_at configuration = sl_json_member(root, "configuration"),
                      files = sl_json_member(root, "files");
    bool runners = spec->task == SL_TASK_RUNNERS;
    if (!runners && (configuration.value || files.value))
        sl_json_refuse(root, "'configuration' and 'files' are for the task runners");
    if (runners && (!configuration.value || !files.value))
        sl_json_refuse(root, "The task runners has 'configuration' and 'files'");
    if (!runners || root->reader->error < 0)
        return;
    spec->plan = sl_calloc(1, sizeof(*spec->plan));
    if (!spec->plan) {
        sl_json_stop(root, -ENOMEM);
        return;
    }
    sl_plan_read_runners(&configuration, spec->plan);
    sl_json_need_members(&files, SL_PLAN_MAX_FILES, "files");
    if (root->reader->error == 0)
        sl_json_stop(root, sl_plan_each_file(spec->plan, find_file, &files));
    for (size_t i = 0; i < spec->plan->count; i++)
        mark_mask(&spec->plan->specs[i]);
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

static void read_kept(const struct sl_json_at *root, struct sl_spec *spec)
{
    static const char *const keys[] = {"id", "started_ms"};
    struct sl_json_at kept = sl_json_member(root, "kept");
    if (!kept.value)
        return;
    sl_json_need_object(&kept, keys, 2, 2);
    struct sl_json_at id = sl_json_member(&kept, "id");
    const char *text = sl_json_get_text(id);
    sl_json_get_count(sl_json_member(&kept, "started_ms"), &spec->kept_started_ms);
    if (root->reader->error == 0 && !sl_run_id_read(text, &spec->kept_id))
        sl_json_refuse(&id, "This is no number of a result");
}

static void read_body(const struct sl_json_at *root, struct sl_spec *spec)
{
    static const char *const other[] = {"shown", "configuration", "files", "kept"};
    struct sl_json_at shown = sl_json_member(root, "shown");
    set_defaults(spec);
    sl_params_read(root, SL_IN_JOB, other, sizeof(other) / sizeof(other[0]), spec);
    bool needs_model = sl_spec_task_runs(spec->task) || spec->task == SL_TASK_PLAN;
    if (needs_model && !spec->model_sha256)
        sl_json_refuse(root, "A job needs a 'model'");
    if (spec->arguments_count > 0 && !sl_spec_task_measures(spec->task))
        sl_json_refuse(root, "Only the tasks bench and peaks take 'arguments'");
    if (spec->concurrency[0] > 1 && spec->task != SL_TASK_RUN)
        sl_json_refuse(root, "Only the task run takes 'concurrency'");
    read_runners(root, spec);
    read_kept(root, spec);
    if (shown.value)
        sl_params_read(&shown, SL_IN_SHOWN, NULL, 0, spec);
    if (spec->process > spec->processes || (spec->processes > 1 && spec->process == 0))
        sl_json_refuse(root, "A job is one of its 'processes': 'process' says which");
    mark_mask(spec);
    if (root->reader->error == 0)
        sl_json_stop(root, sl_spec_check_looks(spec, NULL, root->reader->diag));
}

int sl_job_body_read(struct sl_bytes text, struct sl_spec *out, struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    int rc = sl_json_doc_parse(text, "body", &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.error = sl_selector_fold(document, diag), .diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    read_body(&root, out);
    out->document = document;
    if (reader.error < 0)
        sl_spec_fini(out);
    return reader.error;
}

static void put_kept(const struct sl_spec *spec, struct sl_json *json)
{
    char id[SL_RUN_ID_TEXT];
    if (sl_run_id_is_none(spec->kept_id))
        return;
    sl_run_id_text(spec->kept_id, id);
    sl_json_open_object(json, "kept");
    sl_json_text(json, "id", id);
    sl_json_u64(json, "started_ms", spec->kept_started_ms);
    sl_json_close_object(json);
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
    put_kept(spec, &json);
    sl_json_close_object(&json);
    return rc < 0 ? rc : json.error;
}

int sl_job_body_collect(struct sl_bytes text, const char *device, struct sl_run_id id,
                        uint64_t started_ms, struct sl_buf *out, struct sl_diag *diag)
{
    struct sl_spec spec;
    int rc = sl_job_body_read(text, &spec, diag);
    if (rc < 0)
        return rc;
    spec.device = device;
    spec.kept_id = id;
    spec.kept_started_ms = started_ms;
    rc = sl_job_body_put(&spec, out);
    sl_spec_fini(&spec);
    return rc;
}
