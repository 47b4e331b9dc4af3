/* host/cli/kernels_measure.c */
#include "host/cli/kernels_measure.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/cli/answer.h"
#include "host/cli/task.h"
#include "host/spec/spec.h"

enum { TIMEOUT_S = 600 };

bool sl_kernels_take_text(const struct cJSON *object, const char *key, char *out, size_t size)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsString(item) || strlen(item->valuestring) >= size)
        return false;
    memcpy(out, item->valuestring, strlen(item->valuestring) + 1);
    return true;
}

bool sl_kernels_take_count(const struct cJSON *object, const char *key, uint64_t *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble < 9e15))
        return false;
    *out = (uint64_t)item->valuedouble;
    return true;
}

static bool read_row(const cJSON *object, bool counted, struct sl_kernel_row *row)
{
    *row = (struct sl_kernel_row){.counted = counted};
    bool good = sl_kernels_take_text(object, "family", row->family, sizeof(row->family)) &&
                sl_kernels_take_text(object, "type", row->type, sizeof(row->type)) &&
                sl_kernels_take_text(object, "shape", row->shape, sizeof(row->shape)) &&
                sl_kernels_take_text(object, "kernel", row->kernel, sizeof(row->kernel)) &&
                sl_kernels_take_text(object, "stage", row->stage, sizeof(row->stage)) &&
                sl_kernels_take_count(object, "m", &row->m) &&
                sl_kernels_take_count(object, "n", &row->n) &&
                sl_kernels_take_count(object, "k", &row->k) &&
                (counted || sl_kernels_take_count(object, "ns", &row->ns));
    (void)sl_kernels_take_count(object, "outputs", &row->outputs); /* 0: as the family has them */
    const cJSON *ulp = cJSON_GetObjectItemCaseSensitive(object, "most_ulp");
    if (cJSON_IsNumber(ulp) && ulp->valuedouble > 0)
        row->most_ulp = ulp->valuedouble;
    return good;
}

/* Takes the estimate of the first profile; some stages have none. */
static void take_estimate(const cJSON *stage, struct sl_kernel_row *row)
{
    const cJSON *one = stage ? stage->child : NULL;
    struct sl_kernel_estimate *out = &row->estimate;
    if (!sl_kernels_take_text(one, "profile", out->profile, sizeof(out->profile)) ||
        !sl_kernels_take_text(one, "bound", out->bound, sizeof(out->bound)))
        out->profile[0] = '\0';
    out->low_ns = sl_answer_f64(one, "low_ns");
    out->mid_ns = sl_answer_f64(one, "mid_ns");
    out->high_ns = sl_answer_f64(one, "high_ns");
}

static int add_row(const cJSON *object, bool counted, struct sl_kernel_row *rows, size_t *count,
                   struct sl_diag *diag)
{
    if (*count == SL_KERNELS_MAX_ROWS || !read_row(object, counted, &rows[*count]))
        return sl_diag_set(diag, SL_E_FORMAT, "the agent's output",
                           "row %zu is not what sme2lab-agent prints", *count + 1);
    ++*count;
    return 0;
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

/* What the agent said last, without its usage. */
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
        rows[*count - 1].instructions = sl_answer_u64(counts, "all");
        rows[*count - 1].mac_instructions =
            sl_answer_u64(counts, "outer") + sl_answer_u64(counts, "vector_mac");
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
