/* host/report/kernel_anchors.c */
#include "host/report/kernel_anchors.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/report/kernel_bench.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"

/* An anchor has a kernel and its instructions; without them there must be a goal. */
static void read_row(const struct sl_json_at *at, struct sl_kernel_anchor *row)
{
    sl_json_need_members(at, SL_JSON_DOC_MAX_VALUES, "members");
    sl_json_copy_text(sl_json_member(at, "shape"), row->shape, sizeof(row->shape));
    sl_json_copy_text(sl_json_member(at, "engine"), row->engine, sizeof(row->engine));
    sl_json_copy_text(sl_json_member(at, "stage"), row->stage, sizeof(row->stage));
    sl_json_copy_text(sl_json_member(at, "part"), row->part, sizeof(row->part));
    sl_json_copy_text(sl_json_member(at, "kernel"), row->kernel, sizeof(row->kernel));
    sl_json_get_count(sl_json_member(at, "svl"), &row->svl);
    sl_json_get_count(sl_json_member(at, "instructions"), &row->instructions);
    sl_json_get_count(sl_json_member(at, "goal"), &row->goal);
    if (!row->shape[0] || !row->engine[0] || !row->stage[0] ||
        (row->kernel[0] != '\0') != (row->instructions > 0) || (!row->kernel[0] && row->goal == 0))
        sl_json_refuse(at, "An anchor needs shape, engine, stage and a kernel's instructions or a "
                           "goal");
}

static void read_root(const struct sl_json_at *root, struct sl_kernel_anchors *out)
{
    struct sl_json_at list = sl_json_member(root, "rows");
    sl_json_need_members(root, SL_JSON_DOC_MAX_VALUES, "members");
    sl_json_copy_text(sl_json_member(root, "source"), out->source, sizeof(out->source));
    size_t count = sl_json_need_array(&list, SL_KERNEL_ANCHORS_MAX, "anchors");
    if (count == 0) {
        sl_json_refuse(&list, "This must be a list of anchors");
        return;
    }
    out->rows = sl_calloc(count, sizeof(*out->rows));
    if (!out->rows)
        sl_json_stop(root, -ENOMEM);
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at))
        read_row(&at, &out->rows[out->count++]);
}

int sl_kernel_anchors_parse(struct sl_bytes json, const char *file, struct sl_kernel_anchors *out,
                            struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    *out = (struct sl_kernel_anchors){.count = 0};
    int rc = sl_json_doc_parse(json, file, &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    read_root(&root, out);
    sl_json_doc_free(document);
    if (reader.error < 0) {
        sl_json_name_file(file, diag);
        sl_kernel_anchors_fini(out);
    }
    return reader.error;
}

int sl_kernel_anchors_load(const char *path, struct sl_kernel_anchors *out, struct sl_diag *diag)
{
    struct sl_buf text;
    int rc = sl_buf_read_file(path, SL_KERNEL_ANCHORS_MAX_BYTES, &text);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "%s", sl_strerror(rc));
    rc = sl_kernel_anchors_parse((struct sl_bytes){text.data, text.size}, path, out, diag);
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
