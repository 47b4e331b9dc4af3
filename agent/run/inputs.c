/* agent/run/inputs.c */
#include "agent/run/inputs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"

void sl_input_files_fini(struct sl_input_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        sl_buf_fini(&files->files[i]);
    sl_free(files->files);
    *files = (struct sl_input_files){0};
}

/* Any character of `separators` ends a part. */
static size_t count_parts(const char *text, const char *separators)
{
    size_t parts = 1;
    for (; *text; text++)
        parts += strchr(separators, *text) != NULL;
    return parts;
}

int sl_input_files_read(const char *list, struct sl_input_files *out, char *scratch,
                        size_t scratch_size)
{
    struct sl_input_files files = {0};
    size_t room = SL_AGENT_RUN_MAX_INPUT_BYTES, total = list[0] ? count_parts(list, ",") : 0;
    int rc = 0;
    snprintf(scratch, scratch_size, "%s", list);
    if (total > SL_AGENT_RUN_MAX_INPUTS)
        return SL_E_LIMIT;
    files.files = sl_calloc(total, sizeof(*files.files));
    if (!files.files)
        return -ENOMEM;
    for (const char *at = list; files.count < total;) {
        size_t len = strcspn(at, ",");
        snprintf(scratch, scratch_size, "%.*s", (int)(len < 4096 ? len : 4096), at);
        rc = len < scratch_size ? sl_buf_read_file(scratch, room, &files.files[files.count])
                                : -ENAMETOOLONG;
        if (rc < 0)
            break;
        room -= files.files[files.count++].size;
        at += len + (at[len] == ',');
    }
    if (rc < 0)
        sl_input_files_fini(&files);
    else
        *out = files;
    return rc;
}

/* Reads a size at *at and moves behind it. */
static int parse_size(const char **at, const char *end, int32_t *out)
{
    int64_t size = 0;
    const char *digits = *at;
    for (; *at < end && isdigit((unsigned char)**at); (*at)++) {
        size = size * 10 + (**at - '0');
        if (size > INT32_MAX)
            return SL_E_LIMIT;
    }
    *out = (int32_t)size;
    return *at == digits ? SL_E_FORMAT : 0;
}

/* Parses "1x3x32" up to `end`; nothing at all is "not given". */
static int parse_shape(const char *at, const char *end, struct sl_input_shape *out)
{
    *out = (struct sl_input_shape){0};
    while (at < end || out->rank > 0) {
        if (out->rank == SL_AGENT_RUN_MAX_RANK)
            return SL_E_LIMIT;
        int rc = parse_size(&at, end, &out->sizes[out->rank]);
        if (rc < 0)
            return rc;
        out->rank++;
        if (at == end)
            break;
        if (*at++ != 'x')
            return SL_E_FORMAT;
    }
    return 0;
}

#define SHAPE_ENDS ";," /* the comma too, as --inputs has it */

int sl_input_shapes_parse(const char *text, struct sl_input_shape *out, size_t max,
                          struct sl_diag *diag)
{
    size_t count = 0, total = text[0] ? count_parts(text, SHAPE_ENDS) : 0;
    if (total > max)
        return sl_diag_set(diag, SL_E_LIMIT, "--input-shapes",
                           "%zu shapes are given, but the method has %zu inputs", total, max);
    for (const char *at = text; count < total; count++) {
        size_t len = strcspn(at, SHAPE_ENDS);
        int rc = parse_shape(at, at + len, &out[count]);
        if (rc < 0) {
            sl_diag_hint(diag, "a shape is written 1x3x32x32; shapes are separated by ; or ,");
            return sl_diag_set(diag, rc, "--input-shapes", "'%.*s' is not a shape", (int)len, at);
        }
        at += len + (at[len] != '\0');
    }
    return (int)count;
}
