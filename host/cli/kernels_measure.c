/* host/cli/kernels_measure.c */
#include "host/cli/kernels_measure.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/cli/task.h"
#include "host/spec/json_read.h"
#include "host/spec/json_value.h"
#include "host/spec/spec.h"

enum { TIMEOUT_S = 600 };

static void read_row(const struct sl_json_at *at, bool counted, struct sl_kernel_row *row)
{
    static const char *const keys[] = {"family", "type", "shape", "kernel", "stage",
                                       "m",      "n",    "k",     "ns"};
    *row = (struct sl_kernel_row){.counted = counted};
    sl_json_need_keys(at, keys, counted ? 8 : 9);
    sl_json_copy_text(sl_json_member(at, "family"), row->family, sizeof(row->family));
    sl_json_copy_text(sl_json_member(at, "type"), row->type, sizeof(row->type));
    sl_json_copy_text(sl_json_member(at, "shape"), row->shape, sizeof(row->shape));
    sl_json_copy_text(sl_json_member(at, "kernel"), row->kernel, sizeof(row->kernel));
    sl_json_copy_text(sl_json_member(at, "stage"), row->stage, sizeof(row->stage));
    sl_json_get_count(sl_json_member(at, "m"), &row->m);
    sl_json_get_count(sl_json_member(at, "n"), &row->n);
    sl_json_get_count(sl_json_member(at, "k"), &row->k);
    if (!counted)
        sl_json_get_count(sl_json_member(at, "ns"), &row->ns);
    sl_json_get_count(sl_json_member(at, "outputs"), &row->outputs); /* 0: as the family has them */
    sl_json_get_real(sl_json_member(at, "most_ulp"), 0, 1e300, &row->most_ulp);
}

/* Takes the estimate of the first profile; some stages have none. */
static void take_estimate(const cJSON *stage, struct sl_kernel_row *row)
{
    const cJSON *one = stage ? stage->child : NULL;
    struct sl_kernel_estimate *out = &row->estimate;
    snprintf(out->profile, sizeof(out->profile), "%s", sl_value_text(one, "profile", ""));
    snprintf(out->bound, sizeof(out->bound), "%s", sl_value_text(one, "bound", ""));
    out->low_ns = sl_value_number(one, "low_ns", 0);
    out->mid_ns = sl_value_number(one, "mid_ns", 0);
    out->high_ns = sl_value_number(one, "high_ns", 0);
}

static int add_row(const cJSON *object, bool counted, struct sl_kernel_row *rows, size_t *count,
                   struct sl_diag *diag)
{
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at at = sl_json_root(&reader, object);
    if (*count == SL_KERNELS_MAX_ROWS)
        sl_json_refuse(&at, "The agent prints more than %d rows", SL_KERNELS_MAX_ROWS);
    else
        read_row(&at, counted, &rows[*count]);
    if (reader.error != 0)
        sl_json_name_file("the agent's output", diag);
    *count += reader.error == 0;
    return reader.error;
}

int sl_kernels_read_rows(const struct sl_buf *out, struct sl_kernel_row *rows, size_t *count,
                         struct sl_diag *diag)
{
    const char *at = (const char *)out->data;
    const char *end = at + out->size;
    int rc = 0;
    while (rc == 0 && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        cJSON *object = cJSON_ParseWithLength(at, stop ? (size_t)(stop - at) : 0);
        rc = add_row(object, false, rows, count, diag);
        cJSON_Delete(object);
        at = stop ? stop + 1 : end;
    }
    return rc;
}

/* Fails with what the agent said up to its first newline, without its name. */
static int agent_failed(const struct sl_task_answer *answer, struct sl_diag *diag)
{
    static const char prefix[] = "sme2lab-agent: kernels: ";
    char said[200] = "it said nothing";
    const char *text = answer->said;
    if (text[0]) {
        text += strncmp(text, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
        snprintf(said, sizeof(said), "%.*s", (int)strcspn(text, "\n"), text);
    }
    if (answer->exit_code == 2) {
        sl_diag_hint(diag,
                     "'sme2lab kernels' lists the kernels, 'sme2lab kernels bench --help' how "
                     "shapes are written");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "%s", said);
    }
    return sl_diag_set(diag, answer->timed_out ? SL_E_TIMEOUT : SL_E_CRASHED, "sme2lab-agent",
                       "the kernels could not be run: %s", said);
}

int sl_kernels_task(struct sl_task_device *device, int task, const char *const *arguments,
                    struct sl_task_answer *out, struct sl_diag *diag)
{
    const struct sl_task ask = {.task = task, .arguments = arguments, .timeout_seconds = TIMEOUT_S};
    int rc = sl_task_ask(device, &ask, out, diag);
    if (rc < 0 || out->done)
        return rc;
    rc = agent_failed(out, diag);
    cJSON_Delete(out->document);
    return rc;
}

int sl_kernels_measure(struct sl_task_device *device, const char *const *arguments,
                       struct sl_kernel_row *rows, size_t *count, struct sl_diag *diag)
{
    struct sl_task_answer answer;
    const cJSON *object;
    bool counted = device->traits.counted;
    int rc = sl_kernels_task(device, SL_TASK_BENCH, arguments, &answer, diag);
    if (rc < 0)
        return rc;
    const cJSON *counts = answer.counts ? answer.counts->child : NULL,
                *estimates = answer.estimates ? answer.estimates->child : NULL;
    cJSON_ArrayForEach(object, answer.answers)
    {
        if (rc == 0)
            rc = add_row(object, counted, rows, count, diag);
        if (rc < 0 || !counted)
            continue;
        rows[*count - 1].instructions = sl_value_u64(counts, "all");
        rows[*count - 1].mac_instructions =
            sl_value_u64(counts, "outer") + sl_value_u64(counts, "vector_mac");
        take_estimate(estimates, &rows[*count - 1]);
        counts = counts ? counts->next : NULL;
        estimates = estimates ? estimates->next : NULL;
    }
    cJSON_Delete(answer.document);
    return rc;
}

int sl_kernels_ask(struct sl_task_device *device, int task, struct cJSON **out,
                   struct sl_diag *diag)
{
    struct sl_task_answer answer;
    int rc = sl_kernels_task(device, task, NULL, &answer, diag);
    if (rc < 0)
        return rc;
    *out = cJSON_DetachItemFromArray((cJSON *)(uintptr_t)answer.answers, 0);
    cJSON_Delete(answer.document);
    return *out ? 0
                : sl_diag_set(diag, SL_E_FORMAT, "the agent's output",
                              "This is not the JSON that sme2lab-agent prints");
}
