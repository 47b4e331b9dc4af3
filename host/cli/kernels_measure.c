/* host/cli/kernels_measure.c */
#include "host/cli/kernels_measure.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/device/count_log.h"
#include "host/device/launch.h"

enum { TIMEOUT_MS = 600000 };

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

static bool read_row(const char *line, size_t len, bool counted, struct sl_kernel_row *row)
{
    *row = (struct sl_kernel_row){.counted = counted};
    cJSON *object = cJSON_ParseWithLength(line, len);
    bool good = object &&
                sl_kernels_take_text(object, "family", row->family, sizeof(row->family)) &&
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
    cJSON_Delete(object);
    return good;
}

int sl_kernels_read_rows(const struct sl_buf *out, bool counted, struct sl_kernel_row *rows,
                         size_t *count, struct sl_diag *diag)
{
    const char *at = (const char *)out->data;
    const char *end = at + out->size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop || *count == SL_KERNELS_MAX_ROWS ||
            !read_row(at, (size_t)(stop - at), counted, &rows[*count]))
            return sl_diag_set(diag, SL_E_FORMAT, "the agent's output",
                               "row %zu is not what sme2lab-agent prints", *count + 1);
        ++*count;
        at = stop + 1;
    }
    return 0;
}

/* Each row is one pair of begin and end. */
static int join_counts(struct sl_kernel_row *rows, size_t row_count, const struct sl_count_log *log,
                       struct sl_diag *diag)
{
    size_t count;
    const struct sl_count_mark *marks = sl_count_log_marks(log, &count);
    if (count != 2 * row_count)
        return sl_diag_set(diag, SL_E_MISMATCH, "the emulator's log",
                           "%zu marks for %zu measured stages", count, row_count);
    for (size_t i = 0; i < row_count; i++) {
        const struct sl_count_mark *begin = &marks[2 * i];
        const struct sl_count_mark *end = &marks[2 * i + 1];
        if (begin->is_end || !end->is_end)
            return sl_diag_set(diag, SL_E_MISMATCH, "the emulator's log", "marks do not alternate");
        rows[i].instructions = end->insns[SL_INSN_ANY] - begin->insns[SL_INSN_ANY];
        rows[i].mac_instructions = end->insns[SL_INSN_OUTER] - begin->insns[SL_INSN_OUTER] +
                                   end->insns[SL_INSN_VECTOR_MAC] -
                                   begin->insns[SL_INSN_VECTOR_MAC];
    }
    return 0;
}

/* What the agent said last, without its usage. */
static int agent_failed(const struct sl_child_result *result, struct sl_diag *diag)
{
    static const char prefix[] = "sme2lab-agent: kernels: ";
    char said[200] = "it said nothing";
    const char *text = (const char *)result->err.data;
    if (result->err.size > 0) {
        text += strncmp(text, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
        snprintf(said, sizeof(said), "%.*s", (int)strcspn(text, "\n"), text);
    }
    if (result->exit_code == 2) {
        sl_diag_hint(diag,
                     "'sme2lab kernels' lists the kernels, 'sme2lab kernels bench --help' how "
                     "shapes are written");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "%s", said);
    }
    return sl_diag_set(diag, result->timed_out ? SL_E_TIMEOUT : SL_E_CRASHED, "sme2lab-agent",
                       "the kernels could not be run: %s", said);
}

int sl_kernels_run_agent(const struct sl_device *device, const char *const *args,
                         struct sl_count_log *log, struct sl_child_result *out,
                         struct sl_diag *diag)
{
    struct sl_launch launch = {.args = args, .timeout_ms = TIMEOUT_MS, .log = log};
    int rc = sl_device_launch(device, &launch, out, diag);
    if (rc < 0)
        return rc;
    if (out->exit_code != 0) {
        rc = agent_failed(out, diag);
        sl_child_fini(out);
    }
    return rc;
}

int sl_kernels_measure(const struct sl_device *device, const char *const *args,
                       struct sl_kernel_row *rows, size_t *count, struct sl_diag *diag)
{
    struct sl_child_result result;
    struct sl_count_log *log = NULL;
    size_t first = *count;
    int rc = 0;
    if (device->traits.counted)
        rc = sl_device_new_log(device, &log, diag);
    if (rc == 0)
        rc = sl_kernels_run_agent(device, args, log, &result, diag);
    if (rc < 0) {
        sl_count_log_free(log);
        return rc;
    }
    rc = sl_kernels_read_rows(&result.out, log != NULL, rows, count, diag);
    if (rc == 0 && log)
        rc = join_counts(rows + first, *count - first, log, diag);
    sl_child_fini(&result);
    sl_count_log_free(log);
    return rc;
}

int sl_kernels_ask(const struct sl_device *device, const char *const *args, struct cJSON **out,
                   struct sl_diag *diag)
{
    struct sl_child_result result;
    int rc = sl_kernels_run_agent(device, args, NULL, &result, diag);
    if (rc < 0)
        return rc;
    *out = cJSON_ParseWithLength((const char *)result.out.data, result.out.size);
    sl_child_fini(&result);
    return *out ? 0
                : sl_diag_set(diag, SL_E_FORMAT, "the agent's output",
                              "This is not the JSON that sme2lab-agent prints");
}
