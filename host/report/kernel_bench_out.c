/* host/report/kernel_bench_out.c: rows of the kernel bench as JSON and as a table. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/report/kernel_anchors.h"
#include "host/report/kernel_bench.h"
#include "host/report/style.h"

static void put_u64(struct sl_json *json, const char *key, bool known, uint64_t value)
{
    if (known)
        sl_json_u64(json, key, value);
    else
        sl_json_null(json, key);
}

/* Members that are there where a file of anchors is. */
static void put_anchor(struct sl_json *json, const struct sl_kernel_row *row,
                       const struct sl_kernel_bench *bench)
{
    const struct sl_kernel_anchor *a = sl_kernel_anchors_find(bench->anchors, row, bench->svl);
    if (!bench->anchors)
        return;
    if (a && a->kernel[0]) {
        sl_json_open_object(json, "anchor");
        sl_json_text(json, "kernel", a->kernel);
        sl_json_u64(json, "instructions", a->instructions);
        sl_json_text(json, "source", bench->anchors->source);
        sl_json_close_object(json);
    } else {
        sl_json_null(json, "anchor");
    }
    put_u64(json, "goal", a && a->goal > 0, a ? a->goal : 0);
    if (a && a->goal > 0 && row->counted)
        sl_json_bool(json, "met", row->instructions <= a->goal);
    else
        sl_json_null(json, "met");
}

/* 0: not known. */
static void put_f64(struct sl_json *json, const char *key, double value)
{
    if (value > 0)
        sl_json_f64(json, key, value);
    else
        sl_json_null(json, key);
}

/* Floating-point operations, or of int8 integer ones, in a nanosecond: two for a multiply-add. */
static double gflops(const struct sl_kernel_row *row, unsigned threads)
{
    return row->counted || row->ns == 0
               ? 0
               : 2 * threads * (double)sl_kernel_multiply_adds(row) / (double)row->ns;
}

static unsigned threads_of(const struct sl_kernel_bench *bench)
{
    return bench->threads > 1 ? bench->threads : 1;
}

static void put_row(struct sl_json *json, const struct sl_kernel_row *row,
                    const struct sl_kernel_bench *bench)
{
    unsigned svl = bench->svl;
    sl_json_open_object(json, NULL);
    sl_json_text(json, "family", row->family);
    sl_json_text(json, "kernel", row->kernel);
    sl_json_text(json, "type", row->type[0] ? row->type : "f32");
    sl_json_text(json, "shape", row->shape);
    sl_json_u64(json, "m", row->m);
    sl_json_u64(json, "n", row->n);
    sl_json_u64(json, "k", row->k);
    sl_json_text(json, "stage", row->stage);
    sl_json_text(json, "engine", sl_kernel_engine(row));
    put_u64(json, "instructions", row->counted, row->instructions);
    put_u64(json, "mac_instructions", row->counted, row->mac_instructions);
    sl_json_u64(json, "min_mac_instructions", sl_kernel_min_mac(row, svl));
    put_f64(json, "per_element",
            row->counted ? (double)row->instructions / (double)sl_kernel_elements(row) : 0);
    put_u64(json, "ns", !row->counted, row->ns);
    put_f64(json, "gflops", gflops(row, threads_of(bench)));
    put_f64(json, "share_of_peak", sl_kernel_share_of_peak(row, bench->roof));
    put_anchor(json, row, bench);
    put_f64(json, "most_ulp", row->most_ulp);
    sl_json_close_object(json);
}

static bool is_counted(const struct sl_kernel_bench *bench)
{
    return bench->count == 0 || bench->rows[0].counted;
}

int sl_kernel_bench_json(struct sl_json *json, const struct sl_kernel_bench *bench)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "schema", "sme2lab.kernels/1");
    sl_json_u64(json, "svl", bench->svl);
    sl_json_text(json, "clock", is_counted(bench) ? "instructions" : "ns");
    sl_json_u64(json, "threads", threads_of(bench));
    sl_json_bool(json, "emulated", bench->emulated);
    sl_json_text(json, "roofline", bench->roofline);
    sl_json_open_array(json, "rows");
    for (size_t i = 0; i < bench->count; i++)
        put_row(json, &bench->rows[i], bench);
    sl_json_close_array(json);
    sl_json_close_object(json);
    return json->error;
}

/* "1.66": instructions for each that could not be avoided. */
static void ratio_text(char *out, size_t size, uint64_t a, uint64_t b)
{
    if (b == 0)
        snprintf(out, size, "-");
    else
        snprintf(out, size, "%.2f", (double)a / (double)b);
}

static int put_line(struct sl_buf *out, const struct sl_kernel_row *row,
                    const struct sl_kernel_bench *bench)
{
    const struct sl_kernel_anchor *a = sl_kernel_anchors_find(bench->anchors, row, bench->svl);
    uint64_t min_mac = sl_kernel_min_mac(row, bench->svl), goal = a ? a->goal : 0;
    char least[24], other[24], wanted[24], element[24];
    snprintf(element, sizeof(element), "%.3f",
             (double)row->instructions / (double)sl_kernel_elements(row));
    ratio_text(least, sizeof(least), row->instructions, min_mac);
    int rc = sl_buf_printf(out, "  %-11s %12" PRIu64 " %9s %10" PRIu64 " %7s", row->stage,
                           row->instructions, element, min_mac, least);
    if (rc < 0 || !bench->anchors)
        return rc < 0 ? rc : sl_buf_append(out, "\n", 1);
    ratio_text(other, sizeof(other), row->instructions, a ? a->instructions : 0);
    ratio_text(wanted, sizeof(wanted), row->instructions, goal);
    return sl_buf_printf(out, " %8s %7s%s\n", other, wanted,
                         goal == 0                   ? ""
                         : row->instructions <= goal ? "  met"
                                                     : "  PAST");
}

/* "12.3", "4.5 %", or that there is none. */
static void known_text(char *out, size_t size, double value, const char *unit)
{
    if (value > 0)
        snprintf(out, size, value < 10 ? "%.2f%s" : "%.1f%s", value, unit);
    else
        snprintf(out, size, "-");
}

static int put_timed_line(struct sl_buf *out, const struct sl_kernel_row *row,
                          const struct sl_kernel_bench *bench)
{
    unsigned threads = threads_of(bench);
    char rate[24], bytes[24], share[24];
    known_text(rate, sizeof(rate), gflops(row, threads), "");
    known_text(bytes, sizeof(bytes),
               row->ns > 0 ? threads * (double)sl_kernel_bytes(row) / (double)row->ns : 0, "");
    known_text(share, sizeof(share), 100 * sl_kernel_share_of_peak(row, bench->roof), " %");
    return sl_buf_printf(out, "  %-11s %13" PRIu64 " %13s %13s %14s\n", row->stage, row->ns, rate,
                         bytes, share);
}

static bool same_kernel(const struct sl_kernel_row *a, const struct sl_kernel_row *b)
{
    return a->m == b->m && a->n == b->n && a->k == b->k && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->shape, b->shape) == 0;
}

/* What a time of several threads is. */
static int put_threads(struct sl_buf *out, unsigned threads)
{
    return threads == 1 ? 0
                        : sl_buf_printf(out,
                                        "%u threads at once, each with operands of its own: ns "
                                        "from first start to last end, rates of all\n",
                                        threads);
}

static int put_clock(struct sl_buf *out, const struct sl_kernel_bench *bench)
{
    if (is_counted(bench))
        return sl_buf_printf(out, "%s; vectors of %u bits\n%s\n",
                             "executed instructions (emulated, counted): not time", bench->svl,
                             "each: for each output, or input of a reduction or of a pack");
    if (bench->emulated)
        return sl_buf_printf(
            out, "nanoseconds of the emulator, vectors of %u bits: they say nothing of a device\n",
            bench->svl);
    int rc = sl_buf_printf(out, "nanoseconds, best of some rounds\n");
    return rc == 0 && bench->roofline ? sl_buf_printf(out, "peak: %.70s\n", bench->roofline) : rc;
}

/* The kernel's name and the heads of its columns. */
static int put_kernel(struct sl_buf *out, const struct sl_style *style,
                      const struct sl_kernel_row *row, bool anchors)
{
    char line[256];
    snprintf(line, sizeof(line), "\n%" PRIu64 "x%" PRIu64 "x%" PRIu64 " %s\n", row->m, row->n,
             row->k, row->kernel);
    int rc = sl_style_put(out, style, SL_TONE_STRONG, line);
    if (rc == 0 && row->shape[0] != '\0' && !strstr(row->shape, "matmul"))
        rc = sl_buf_printf(out, "  %.76s\n", row->shape); /* which says more than the product */
    if (rc == 0 && row->counted)
        return sl_buf_printf(out, "  %-11s %12s %9s %10s %7s%s\n", "stage", "instructions", "each",
                             "least MACs", "x least", anchors ? " x anchor  x goal" : "");
    return rc == 0 ? sl_buf_printf(out, "  %-11s %13s %13s %13s %14s\n", "stage", "ns", "GFLOP/s",
                                   "GB/s", "share of peak")
                   : rc;
}

int sl_kernel_bench_text(struct sl_buf *out, const struct sl_style *style,
                         const struct sl_kernel_bench *bench)
{
    int rc = put_clock(out, bench);
    if (rc == 0)
        rc = put_threads(out, threads_of(bench));
    for (size_t i = 0; rc == 0 && i < bench->count; i++) {
        const struct sl_kernel_row *row = &bench->rows[i];
        if (i == 0 || !same_kernel(row, row - 1))
            rc = put_kernel(out, style, row, bench->anchors != NULL);
        if (rc == 0)
            rc = row->counted ? put_line(out, row, bench) : put_timed_line(out, row, bench);
        if (rc == 0 && row->most_ulp > 0)
            rc = sl_buf_printf(out, "  results are at most %.2f ulp off\n", row->most_ulp);
    }
    return rc;
}
