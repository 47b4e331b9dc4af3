/* host/spec/job_body.c */
#include "host/spec/job_body.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "host/spec/json_doc.h"
#include "host/spec/param.h"

/* A mask may be given without its 0x, as taskset takes it. */
static void mark_mask(struct sl_spec *spec)
{
    char cpus[SL_NAME_BYTES];
    size_t len = strlen(spec->affinity);
    memcpy(cpus, spec->affinity, len + 1);
    if (len > 0 && strspn(cpus, "0123456789abcdefABCDEF") == len)
        snprintf(spec->affinity, sizeof(spec->affinity), "0x%.61s", cpus);
}

static void set_defaults(struct sl_spec *spec)
{
    sl_spec_init(spec);
    for (size_t i = 0; i < sl_param_count; i++)
        if (sl_params[i].job_initial > 0)
            *(double *)sl_param_value(&sl_params[i], spec) = sl_params[i].job_initial;
}

static int read_body(const struct sl_json_at *root, struct sl_spec *spec, struct sl_diag *diag)
{
    static const char *const other[] = {"shown"};
    struct sl_json_at shown;
    set_defaults(spec);
    int rc = sl_params_read(root, SL_IN_JOB, other, 1, spec, diag);
    bool needs_model = spec->task == SL_TASK_RUN || spec->task == SL_TASK_PLAN;
    if (rc == 0 && needs_model && !spec->model_sha256)
        rc = sl_json_refuse(root, diag, "A job needs a 'model'");
    if (rc == 0 && spec->arguments_count > 0 && !sl_spec_task_measures(spec->task))
        rc = sl_json_refuse(root, diag, "Only the tasks bench and peaks take 'arguments'");
    if (rc == 0 && spec->concurrency[0] > 1 && spec->task != SL_TASK_RUN)
        rc = sl_json_refuse(root, diag, "Only the task run takes 'concurrency'");
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
    sl_json_close_object(&json);
    return json.error;
}
