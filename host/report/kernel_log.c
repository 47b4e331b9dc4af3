/* host/report/kernel_log.c */
#include "host/report/kernel_log.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/analysis/attribution.h"
#include "host/report/kernel_csv.h"

static const char lead[] = "Using ";
static const char middle[] = " microkernel '";

/* One line: true if it names a kernel, whose category and name are then filled in. */
static bool parse_line(const char *line, size_t len, struct sl_logged_kernel *out)
{
    const char *end = line + len;
    for (const char *at = line; at + sizeof(lead) <= end; at++) {
        if (memcmp(at, lead, sizeof(lead) - 1) != 0)
            continue;
        const char *word = at + sizeof(lead) - 1;
        const char *stop = word;
        while (stop < end && (isalnum((unsigned char)*stop) || *stop == '_'))
            stop++;
        if (stop == word || (size_t)(end - stop) <= sizeof(middle) - 1 ||
            memcmp(stop, middle, sizeof(middle) - 1) != 0)
            continue;
        const char *name = stop + sizeof(middle) - 1;
        const char *quote = memchr(name, '\'', (size_t)(end - name));
        if (!quote || quote == name || (size_t)(quote - name) >= sizeof(out->name) ||
            (size_t)(stop - word) >= sizeof(out->category))
            continue;
        *out = (struct sl_logged_kernel){.lines = 1};
        memcpy(out->name, name, (size_t)(quote - name));
        memcpy(out->category, word, (size_t)(stop - word));
        if (strcmp(out->category, "transposec") == 0)
            out->category[sizeof("transpose") - 1] = '\0';
        sl_kernel_name_parse(out->name, strlen(out->name), &out->parts);
        return true;
    }
    return false;
}

static int add_kernel(struct sl_kernel_log *log, const struct sl_logged_kernel *kernel,
                      struct sl_diag *diag)
{
    for (size_t i = 0; i < log->count; i++) {
        if (strcmp(log->kernels[i].name, kernel->name) == 0 &&
            strcmp(log->kernels[i].category, kernel->category) == 0) {
            log->kernels[i].lines++;
            return 0;
        }
    }
    if (log->count == SL_KERNEL_LOG_MAX)
        return sl_diag_set(diag, SL_E_LIMIT, NULL, "the log names more than %d different kernels",
                           SL_KERNEL_LOG_MAX);
    log->kernels[log->count++] = *kernel;
    return 0;
}

int sl_kernel_log_parse(struct sl_bytes text, struct sl_kernel_log *out, struct sl_diag *diag)
{
    struct sl_kernel_log log = {.count = 0};
    const char *at = (const char *)text.data;
    const char *end = at + text.size;
    int rc = 0;
    log.kernels = sl_calloc(SL_KERNEL_LOG_MAX, sizeof(*log.kernels));
    if (!log.kernels)
        return -ENOMEM;
    while (rc == 0 && at < end) {
        struct sl_logged_kernel kernel;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((newline ? newline : end) - at);
        if (parse_line(at, len, &kernel))
            rc = add_kernel(&log, &kernel, diag);
        at += len + 1;
    }
    if (rc == 0 && log.count == 0) {
        sl_diag_hint(diag, "XNNPACK logs its kernels when it is built with XNN_LOG_LEVEL=4 or 5");
        rc = sl_diag_set(diag, SL_E_NOT_FOUND, NULL,
                         "the log has no line \"Using ... microkernel '...'\"");
    }
    if (rc < 0)
        sl_kernel_log_fini(&log);
    else
        *out = log;
    return rc;
}

void sl_kernel_log_fini(struct sl_kernel_log *log)
{
    sl_free(log->kernels);
    *log = (struct sl_kernel_log){0};
}

/* "Fully Connected (NC, QP8, F32, QC4W) GEMM" becomes "qp8_f32_qc4w" and "gemm"; false for a name
 * without either. */
static bool kernel_of(const struct sl_operator *op, char types[SL_KERNEL_PART_SIZE],
                      const char **out_operation)
{
    char name[256];
    size_t used = 0;
    snprintf(name, sizeof(name), "%.*s", (int)(op->name_len < 200 ? op->name_len : 200), op->name);
    const char *from = strstr(name, ", ");
    const char *to = strchr(name, ')');
    if (!op->xnnpack || !from || !to || to < from)
        return false;
    *out_operation = strstr(to, " IGEMM") ? "igemm" : strstr(to, " GEMM") ? "gemm" : NULL;
    for (const char *c = from + 2; c < to && used + 1 < SL_KERNEL_PART_SIZE; c++) {
        if (*c == ',')
            types[used++] = '_';
        else if (*c != ' ')
            types[used++] = (char)tolower((unsigned char)*c);
    }
    types[used] = '\0';
    return *out_operation != NULL;
}

/* Kernels leave types out that the operator's name has ("PQS8, QS8, QC8W" is pqs8_qc8w): the first
 * and the last have to be the same. */
static bool same_types(const char *op, const char *kernel)
{
    size_t first = strcspn(op, "_");
    const char *last = strrchr(op, '_');
    const char *kernel_last = strrchr(kernel, '_');
    if (strncmp(op, kernel, first) != 0 || (kernel[first] != '_' && kernel[first] != '\0'))
        return false;
    return !last || !kernel_last || strcmp(last, kernel_last) == 0;
}

const struct sl_logged_kernel *sl_kernel_log_find(const struct sl_kernel_log *log,
                                                  const struct sl_operator *op)
{
    char types[SL_KERNEL_PART_SIZE];
    const char *operation = NULL;
    if (!kernel_of(op, types, &operation))
        return NULL;
    for (size_t i = 0; i < log->count; i++) {
        const struct sl_kernel_name *parts = &log->kernels[i].parts;
        if (parts->sme2 && strcmp(parts->operation, operation) == 0 &&
            same_types(types, parts->types))
            return &log->kernels[i];
    }
    return NULL;
}

int sl_kernel_log_csv(struct sl_buf *out, const struct sl_kernel_log *log, const char *model_id)
{
    int rc = sl_kernel_csv_head(out);
    for (size_t i = 0; rc == 0 && i < log->count; i++)
        rc = sl_kernel_csv_row(out, model_id, log->kernels[i].name, strlen(log->kernels[i].name),
                               log->kernels[i].category, log->kernels[i].lines);
    return rc;
}

static bool has(const struct sl_kernel_log *log, const char *name)
{
    for (size_t i = 0; i < log->count; i++) {
        if (strcmp(log->kernels[i].name, name) == 0)
            return true;
    }
    return false;
}

static int put_view_row(struct sl_buf *out, const struct sl_logged_kernel *kernel, bool on,
                        bool off)
{
    return sl_buf_printf(out, "| %s | %s | %s | %s | %s |\n", kernel->name, on ? "yes" : "",
                         off ? "yes" : "", sl_kernel_architecture(&kernel->parts),
                         kernel->portable ? "portable" : "XNNPACK");
}

size_t sl_kernel_log_sme1(const struct sl_kernel_log *log)
{
    size_t count = 0;
    for (size_t i = 0; i < log->count; i++)
        count += log->kernels[i].parts.sme;
    return count;
}

int sl_kernel_log_view(struct sl_buf *out, const struct sl_kernel_log *on,
                       const struct sl_kernel_log *off, bool executed)
{
    int rc = sl_buf_printf(
        out,
        "# Kernels that the %s name\n\n%s\n\n"
        "| Kernel Name | SME2-On | SME2-Off | Architecture | Delegation |\n"
        "|---|---|---|---|---|\n",
        executed ? "runs" : "logs",
        executed ? "A kernel stands here when the run's own record says that it was executed."
                 : "A kernel stands here when XNNPACK chose it for this CPU: it was available. "
                   "That it ran is not proven.");
    for (size_t i = 0; rc == 0 && i < on->count; i++)
        rc = put_view_row(out, &on->kernels[i], true, has(off, on->kernels[i].name));
    for (size_t i = 0; rc == 0 && i < off->count; i++)
        rc = has(on, off->kernels[i].name) ? 0 : put_view_row(out, &off->kernels[i], false, true);
    if (rc == 0 && sl_kernel_log_sme1(off) > 0)
        rc = sl_buf_printf(out,
                           "\nThe off arm still has %zu kernels of SME1: only SME2 was switched "
                           "off in its build, so it is no baseline without SME.\n",
                           sl_kernel_log_sme1(off));
    return rc;
}
