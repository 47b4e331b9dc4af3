/* host/report/kernel_anchors.c */
#include "host/report/kernel_anchors.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/report/kernel_bench.h"

/* An absent text is "" and an absent number 0; false for what is there and does not fit. */
static bool take_text(const cJSON *object, const char *key, char *out, size_t size)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (item && (!cJSON_IsString(item) || strlen(item->valuestring) >= size))
        return false;
    strcpy(out, item ? item->valuestring : "");
    return true;
}

static bool take_count(const cJSON *object, const char *key, uint64_t *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (item && !(cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 9e15))
        return false;
    *out = item ? (uint64_t)item->valuedouble : 0;
    return true;
}

/* An anchor has a kernel and its instructions; without them there must be a goal. */
static bool take_row(const cJSON *object, struct sl_kernel_anchor *row)
{
    return cJSON_IsObject(object) && take_text(object, "shape", row->shape, sizeof(row->shape)) &&
           take_text(object, "engine", row->engine, sizeof(row->engine)) &&
           take_text(object, "stage", row->stage, sizeof(row->stage)) &&
           take_text(object, "part", row->part, sizeof(row->part)) &&
           take_text(object, "kernel", row->kernel, sizeof(row->kernel)) &&
           take_count(object, "svl", &row->svl) &&
           take_count(object, "instructions", &row->instructions) &&
           take_count(object, "goal", &row->goal) && row->shape[0] && row->engine[0] &&
           row->stage[0] && (row->kernel[0] != '\0') == (row->instructions > 0) &&
           (row->kernel[0] || row->goal > 0);
}

static int take_rows(const cJSON *rows, struct sl_kernel_anchors *out, struct sl_diag *diag)
{
    const cJSON *object;
    size_t count = cJSON_IsArray(rows) ? (size_t)cJSON_GetArraySize(rows) : 0;
    if (count == 0)
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "rows: a list of anchors is expected");
    if (count > SL_KERNEL_ANCHORS_MAX)
        return sl_diag_set(diag, SL_E_LIMIT, NULL, "rows: more than %d anchors",
                           SL_KERNEL_ANCHORS_MAX);
    out->rows = sl_calloc(count, sizeof(*out->rows));
    if (!out->rows)
        return sl_diag_set(diag, -ENOMEM, NULL, "no memory for %zu anchors", count);
    cJSON_ArrayForEach(object, rows)
    {
        if (!take_row(object, &out->rows[out->count]))
            return sl_diag_set(diag, SL_E_FORMAT, NULL,
                               "row %zu needs shape, engine, stage and a kernel's instructions or "
                               "a goal",
                               out->count);
        out->count++;
    }
    return 0;
}

int sl_kernel_anchors_parse(struct sl_bytes json, struct sl_kernel_anchors *out,
                            struct sl_diag *diag)
{
    *out = (struct sl_kernel_anchors){.count = 0};
    cJSON *object = cJSON_ParseWithLength((const char *)json.data, json.size);
    int rc = 0;
    if (!cJSON_IsObject(object) || !take_text(object, "source", out->source, sizeof(out->source)))
        rc = sl_diag_set(diag, SL_E_FORMAT, NULL, "this is no JSON object with a source");
    if (rc == 0)
        rc = take_rows(cJSON_GetObjectItemCaseSensitive(object, "rows"), out, diag);
    cJSON_Delete(object);
    if (rc < 0)
        sl_kernel_anchors_fini(out);
    return rc;
}

int sl_kernel_anchors_load(const char *path, struct sl_kernel_anchors *out, struct sl_diag *diag)
{
    struct sl_buf text;
    int rc = sl_buf_read_file(path, SL_KERNEL_ANCHORS_MAX_BYTES, &text);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "%s", sl_strerror(rc));
    snprintf(diag->where, sizeof(diag->where), "%s", path);
    rc = sl_kernel_anchors_parse((struct sl_bytes){text.data, text.size}, out, diag);
    sl_buf_fini(&text);
    return rc;
}

void sl_kernel_anchors_fini(struct sl_kernel_anchors *anchors)
{
    sl_free(anchors->rows);
    *anchors = (struct sl_kernel_anchors){.count = 0};
}

const struct sl_kernel_anchor *sl_kernel_anchors_find(const struct sl_kernel_anchors *anchors,
                                                      const struct sl_kernel_row *row, unsigned svl)
{
    for (size_t i = 0; anchors && i < anchors->count; i++) {
        const struct sl_kernel_anchor *a = &anchors->rows[i];
        if (strcmp(a->shape, row->shape) == 0 && strcmp(a->stage, row->stage) == 0 &&
            strcmp(a->engine, sl_kernel_engine(row)) == 0 && (a->svl == 0 || a->svl == svl) &&
            strstr(row->kernel, a->part))
            return a;
    }
    return NULL;
}
