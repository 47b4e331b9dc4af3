/* agent/run/outputs.c */
#include "agent/run/outputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/run/etlog.h"
#include "agent/run/print_value.h"
#include "agent/run/session.h"
#include "agent/runtime/runtime.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/scalar_type.h"

enum { MAX_PRINT_BYTES = 1 << 30, PATH_BYTES = 4096 };

static int keep(struct sl_session_output *out, const struct sl_tensor_view *view)
{
    out->scalar_type = view->scalar_type;
    out->plain = view->plain;
    if (view->scalar_type < 0)
        return 0;
    if (view->rank > SL_AGENT_RUN_MAX_RANK)
        return SL_E_LIMIT;
    out->rank = view->rank;
    memcpy(out->sizes, view->sizes, view->rank * sizeof(out->sizes[0]));
    memcpy(out->dim_order, view->dim_order, view->rank);
    out->nbytes = view->nbytes;
    out->data = sl_calloc(view->nbytes, 1); /* zero where nothing was executed */
    if (!out->data)
        return -ENOMEM;
    if (view->data)
        memcpy(out->data, view->data, view->nbytes);
    return 0;
}

/* Floats that are NaN: all bits of the exponent set, and one of the fraction. */
static size_t count_nan(const struct sl_session_output *output, size_t *out_count)
{
    static const uint64_t infinity[] = {0x7c00, 0x7f80, 0x7f800000, 0x7ff0000000000000};
    enum { HALF, BRAIN, SINGLE, DOUBLE, OTHER };
    int kind = output->scalar_type == SL_SCALAR_HALF       ? HALF
               : output->scalar_type == SL_SCALAR_BFLOAT16 ? BRAIN
               : output->scalar_type == SL_SCALAR_FLOAT    ? SINGLE
               : output->scalar_type == SL_SCALAR_DOUBLE   ? DOUBLE
                                                           : OTHER;
    size_t bytes = kind <= BRAIN ? 2 : kind == SINGLE ? 4 : 8, found = 0;
    *out_count = output->nbytes / bytes;
    for (size_t i = 0; kind != OTHER && i < *out_count; i++) {
        uint64_t value = 0; /* little-endian, as all that this runs on */
        memcpy(&value, (const uint8_t *)output->data + i * bytes, bytes);
        found += (value & (UINT64_MAX >> 1 >> (64 - 8 * bytes))) > infinity[kind];
    }
    return found;
}

/* executor_runner passes over a NaN; a lab that compares runs must not. */
static void report_nan(const struct sl_session *session, const struct sl_session_variant *variant)
{
    for (size_t i = 0; i < variant->output_count; i++) {
        size_t values, found = count_nan(&variant->outputs[i], &values);
        if (found > 0)
            SL_ETLOG('E', "Output %zu%s%s: %zu of %zu values are NaN", i,
                     session->options.paired ? " of variant " : "",
                     session->options.paired ? variant->spec->name : "", found, values);
    }
}

int sl_outputs_keep(struct sl_session *session, size_t v)
{
    struct sl_session_variant *variant = &session->variant[v];
    size_t count = sl_method_output_count(session->method);
    sl_session_drop_outputs(variant);
    variant->outputs = sl_calloc(count, sizeof(*variant->outputs));
    int rc = variant->outputs ? 0 : -ENOMEM;
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct sl_tensor_view view;
        variant->output_count = i + 1;
        rc = sl_method_output(session->method, i, &view);
        if (rc == 0)
            rc = keep(&variant->outputs[i], &view);
    }
    if (rc != 0)
        SL_ETLOG('E', "The outputs cannot be kept: %s", sl_strerror(rc));
    else
        report_nan(session, variant);
    return rc;
}

static int write_raw(const char *path, const struct sl_session_output *output)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return -errno;
    bool good = fwrite(output->data, 1, output->nbytes, file) == output->nbytes;
    int rc = good ? 0 : -EIO;
    if (fclose(file) != 0 && rc == 0)
        rc = -errno;
    return rc;
}

int sl_outputs_write_files(struct sl_session *session, size_t v, int line)
{
    const struct sl_session_variant *variant = &session->variant[v];
    const char *base = session->options.output_file;
    for (size_t i = 0; i < variant->output_count; i++) {
        char path[PATH_BYTES], tail[32];
        if (variant->outputs[i].scalar_type < 0)
            continue;
        snprintf(tail, sizeof(tail), "-%zu.bin", i);
        int rc = sl_session_path(session, v, base, strlen(base), tail, path, sizeof(path));
        if (rc == 0) {
            sl_etlog('I', "executor_runner.cpp", line, "Writing output to file: %s", path);
            rc = write_raw(path, &variant->outputs[i]);
        }
        if (rc < 0) {
            sl_etlog('F', "executor_runner.cpp", 814,
                     "In function main(), assert failed (out_file != nullptr): Failed to open "
                     "output file: %s",
                     path);
            return SL_E_LOGGED;
        }
    }
    return 0;
}

static int print_all(const struct sl_session *session, const struct sl_session_variant *variant)
{
    bool summary = strcmp(session->options.print_output, "summary") == 0;
    struct sl_buf text;
    int rc = 0;
    sl_buf_init(&text, MAX_PRINT_BYTES);
    if (session->options.paired)
        rc = sl_buf_printf(&text, "Variant %s:\n", variant->spec->name);
    for (size_t i = 0; i < variant->output_count && rc == 0; i++) {
        const struct sl_session_output *output = &variant->outputs[i];
        const struct sl_tensor_view view = {.scalar_type = output->scalar_type,
                                            .rank = output->rank,
                                            .sizes = output->sizes,
                                            .nbytes = output->nbytes,
                                            .data = output->data,
                                            .plain = output->plain};
        rc = summary ? sl_print_summary(&text, i, &view) : sl_print_all(&text, i, &view);
    }
    if (rc == 0 && fwrite(text.data ? text.data : (uint8_t *)"", 1, text.size, stdout) != text.size)
        rc = -EIO;
    sl_buf_fini(&text);
    if (rc < 0)
        SL_ETLOG('E', "The outputs cannot be printed: %s", sl_strerror(rc));
    return rc;
}

int sl_outputs_write(struct sl_session *session)
{
    int failed = 0;
    sl_etlog('I', "executor_runner.cpp", 798,
             "%zu outputs: ", sl_method_output_count(session->method));
    for (size_t v = 0; v < session->options.variant_count && !failed; v++) {
        if (session->options.output_file[0])
            failed = sl_outputs_write_files(session, v, 809);
    }
    for (size_t v = 0; v < session->options.variant_count && !failed; v++) {
        if (strcmp(session->options.print_output, "none") != 0)
            failed = print_all(session, &session->variant[v]);
    }
    fflush(stdout);
    return failed;
}
