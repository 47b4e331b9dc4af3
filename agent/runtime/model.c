/* agent/runtime/model.c: opening a program: by mmap, or from bytes; its external data. */
#include "agent/runtime/model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/file_map.h"
#include "common/base/mem.h"

enum { HEAD_BYTES = 64, LINE_BYTES = 256 }; /* what the real runtime reads first; its line limit */

static void log_line(const struct sl_runtime_log *log, char level, const char *file, int line,
                     const char *format, va_list args)
{
    char text[LINE_BYTES];
    if (!log->log)
        return;
    vsnprintf(text, sizeof(text), format, args);
    log->log(log->user, level, file, line, text);
}

void sl_model_log(const struct sl_model *model, char level, const char *file, int line,
                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_line(&model->log, level, file, line, format, args);
    va_end(args);
}

/* The sentence that executor_runner would log for a file it cannot read as a program. */
static void log_unreadable(const struct sl_model *model, const char *path)
{
    const uint8_t *at = model->file.data;
    size_t size = model->file.size;
    if (size < HEAD_BYTES) {
        sl_model_log(model, 'E', "file_data_loader.cpp", 162,
                     "File %s: offset 0 + size %d > file_size_ %zu, or overflow detected", path,
                     HEAD_BYTES, size);
        return;
    }
    if (memcmp(at + 8, "eh00", 4) == 0 && sl_load_u32(at + 12) >= 24) {
        uint64_t program = sl_load_u64(at + 16), base = sl_load_u64(at + 24);
        uint64_t data = sl_load_u32(at + 12) >= 32 ? sl_load_u64(at + 32) : 0;
        uint64_t expected = data != 0 ? base + data : program;
        if (expected > size) {
            sl_model_log(model, 'E', "program.cpp", 119,
                         "File size is too small. Expected file size from extended header is %llu, "
                         "actual file size from data loader is %zu",
                         (unsigned long long)expected, size);
            return;
        }
    }
    if (memcmp(at + 4, "ET12", 4) != 0)
        sl_model_log(model, 'E', "program.cpp", 172, "Program identifier '%.4s' != expected '%s'",
                     (const char *)at + 4, "ET12");
}

static int parse(struct sl_model *model, const char *path, struct sl_diag *diag)
{
    int rc = sl_pte_parse(model->file, &model->pte, diag);
    if (rc == 0)
        return 0;
    log_unreadable(model, path);
    return rc;
}

static struct sl_model *model_alloc(const struct sl_runtime_log *log,
                                    const struct sl_runtime_limits *limits)
{
    struct sl_model *model = sl_calloc(1, sizeof(*model));
    if (!model)
        return NULL;
    model->limits =
        limits ? *limits
               : (struct sl_runtime_limits){SL_RUNTIME_MAX_BYTES, SL_RUNTIME_MAX_INSTRUCTIONS};
    if (log)
        model->log = *log;
    return model;
}

/* A bundled program is the program in it, with more. */
static int open_program(struct sl_model *model, const char *path, struct sl_diag *diag)
{
    int rc = 0;
    if (sl_bundle_is(model->file)) {
        rc = sl_bundle_parse(model->file, &model->bundle, diag);
        if (rc == 0)
            model->file = model->bundle.program;
    }
    return rc < 0 ? rc : parse(model, path, diag);
}

static int map_failed(const struct sl_model *model, const char *path, const char *what, int rc,
                      struct sl_diag *diag)
{
    sl_model_log(model, 'E', "file_data_loader.cpp", 111, "Failed to open %s: %s (%d)", path,
                 strerror(-rc), -rc);
    sl_diag_set(diag, rc, path, "the %s cannot be opened: %s", what, strerror(-rc));
    return SL_ET_ACCESS_FAILED;
}

int sl_model_open(const char *path, const struct sl_runtime_limits *limits,
                  const struct sl_runtime_log *log, struct sl_model **out, struct sl_diag *diag)
{
    struct sl_model *model = model_alloc(log, limits);
    if (!model)
        return sl_diag_set(diag, -ENOMEM, path, "out of memory");
    int rc = sl_file_map(path, &model->mapping, &model->identity);
    model->file = model->mapping;
    rc = rc < 0 ? map_failed(model, path, "program file", rc, diag)
                : open_program(model, path, diag);
    if (rc != 0)
        sl_model_free(model);
    else
        *out = model;
    return rc;
}

int sl_data_open(const char *path, const struct sl_runtime_log *log, struct sl_data **out,
                 struct sl_diag *diag)
{
    const struct sl_model speaker = {.log = log ? *log : (struct sl_runtime_log){0}};
    struct sl_data *data = sl_calloc(1, sizeof(*data));
    if (!data)
        return sl_diag_set(diag, -ENOMEM, path, "out of memory");
    int rc = sl_file_map(path, &data->mapping, &data->identity);
    rc = rc < 0 ? map_failed(&speaker, path, "data file", rc, diag)
                : sl_ptd_parse(data->mapping, &data->ptd, diag);
    if (rc != 0)
        sl_data_free(data);
    else
        *out = data;
    return rc;
}

size_t sl_data_keys(const struct sl_data *data)
{
    return data->ptd.count;
}

void sl_data_free(struct sl_data *data)
{
    if (!data)
        return;
    sl_ptd_fini(&data->ptd);
    sl_file_unmap(&data->mapping);
    sl_free(data);
}

void sl_model_set_data(struct sl_model *model, const struct sl_data *data)
{
    model->data = data;
}

int sl_model_set_weight_cache(struct sl_model *model, const char *directory, uint64_t max_bytes)
{
    if (!model->mapping.data)
        return SL_E_UNSUPPORTED;
    char *copy = sl_strndup(directory, strlen(directory));
    if (!copy)
        return -ENOMEM;
    sl_free(model->weight_cache);
    model->weight_cache = copy;
    model->weight_cache_bytes = max_bytes;
    return 0;
}

const struct sl_bundle *sl_model_bundle(const struct sl_model *model)
{
    return model->bundle.pool ? &model->bundle : NULL;
}

int sl_model_find_named(const struct sl_model *model, const char *key, struct sl_bytes *out)
{
    const struct sl_ptd_entry *entry = model->data ? sl_ptd_find(&model->data->ptd, key) : NULL;
    if (!entry)
        return sl_pte_find_named(&model->pte, key, out);
    *out = entry->data;
    return 0;
}

int sl_model_open_bytes(const void *bytes, size_t size, const struct sl_runtime_limits *limits,
                        const struct sl_runtime_log *log, struct sl_model **out,
                        struct sl_diag *diag)
{
    struct sl_model *model = model_alloc(log, limits);
    if (!model)
        return sl_diag_set(diag, -ENOMEM, NULL, "out of memory");
    model->file = (struct sl_bytes){bytes, size};
    int rc = parse(model, "(memory)", diag);
    if (rc < 0) {
        sl_model_free(model);
        return rc;
    }
    *out = model;
    return 0;
}

void sl_model_free(struct sl_model *model)
{
    if (!model)
        return;
    if (model->pte.pool)
        sl_pte_fini(&model->pte);
    sl_bundle_fini(&model->bundle);
    sl_file_unmap(&model->mapping);
    sl_free(model->weight_cache);
    sl_free(model);
}

const char *sl_runtime_version(void)
{
    return "sme2lab " SL_VERSION;
}
