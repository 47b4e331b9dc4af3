/* agent/runtime/model.c: opening a program: by mmap, or from bytes. */
#include "agent/runtime/model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Maps the whole file; an empty one stays unmapped. Returns 0 or -errno. */
static int map_file(struct sl_model *model, const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = fstat(fd, &info) != 0 ? -errno : 0;
    if (rc == 0 && !S_ISREG(info.st_mode))
        rc = S_ISDIR(info.st_mode) ? -EISDIR : -EINVAL;
    if (rc == 0 && info.st_size > 0) {
        void *at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at == MAP_FAILED)
            rc = -errno;
        else
            model->mapping = at;
    }
    close(fd);
    if (rc == 0)
        model->file = (struct sl_bytes){model->mapping, (size_t)info.st_size};
    return rc;
}

int sl_model_open(const char *path, const struct sl_runtime_log *log, struct sl_model **out,
                  struct sl_diag *diag)
{
    struct sl_model *model = model_alloc(log, NULL);
    if (!model)
        return sl_diag_set(diag, -ENOMEM, path, "out of memory");
    int rc = map_file(model, path);
    if (rc < 0) {
        sl_model_log(model, 'E', "file_data_loader.cpp", 111, "Failed to open %s: %s (%d)", path,
                     strerror(-rc), -rc);
        sl_diag_set(diag, rc, path, "the program file cannot be opened: %s", strerror(-rc));
        rc = SL_ET_ACCESS_FAILED;
        goto fail;
    }
    rc = parse(model, path, diag);
    if (rc < 0)
        goto fail;
    *out = model;
    return 0;
fail:
    sl_model_free(model);
    return rc;
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
    if (model->mapping)
        munmap(model->mapping, model->file.size);
    sl_free(model);
}
