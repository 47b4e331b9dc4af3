/* host/report/kernel_bench_out.c: rows of the kernel bench as JSON and as a table. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/json.h"
#include "host/report/doc.h"
#include "host/report/estimate_out.h"
#include "host/report/kernel_anchors.h"
#include "host/report/kernel_bench.h"
#include "host/report/published.h"
#include "host/report/style.h"
#include "host/report/table.h"

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

/* Finds published timings of the row's product, on the silicon that it is estimated for. */
static bool find_published(const struct sl_kernel_row *row, struct sl_published *out)
{
    const struct sl_published_wish wish = {.profile = row->estimate.profile,
                                           .type = row->type[0] ? row->type : "f32",
                                           .engine = sl_kernel_engine(row),
                                           .m = row->m,
                                           .n = row->n,
                                           .k = row->k};
    return strcmp(row->family, "matmul") == 0 && strcmp(row->stage, "whole") == 0 &&
           sl_published_find(&wish, out);
}

/* Members that are there where a silicon was named. */
static void put_estimate(struct sl_json *json, const struct sl_kernel_row *row)
{
    const struct sl_kernel_estimate *e = &row->estimate;
    struct sl_published published;
    if (!e->profile[0])
        return;
    sl_json_open_object(json, "estimate");
    sl_json_text(json, "profile", e->profile);
    sl_json_f64(json, "low_ns", e->low_ns);
    sl_json_f64(json, "mid_ns", e->mid_ns);
    sl_json_f64(json, "high_ns", e->high_ns);
    sl_json_text(json, "bound", e->bound);
    sl_json_close_object(json);
    if (!find_published(row, &published)) {
        sl_json_null(json, "published");
        return;
    }
    sl_json_open_object(json, "published");
    sl_json_text(json, "code", published.code);
    sl_json_f64(json, "ns", published.ns);
    sl_json_close_object(json);
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
    put_estimate(json, row);
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
static void put_ratio(struct sl_table *t, uint64_t a, uint64_t b)
{
    if (b == 0)
        sl_table_text(t, "-");
    else
        sl_table_printf(t, "%.2f", (double)a / (double)b);
}

static void put_counted(struct sl_table *t, const struct sl_kernel_row *row,
                        const struct sl_kernel_bench *bench)
{
    const struct sl_kernel_anchor *a = sl_kernel_anchors_find(bench->anchors, row, bench->svl);
    uint64_t min_mac = sl_kernel_min_mac(row, bench->svl), goal = a ? a->goal : 0;
    sl_table_text(t, row->stage);
    sl_table_printf(t, "%" PRIu64, row->instructions);
    sl_table_printf(t, "%.3f", (double)row->instructions / (double)sl_kernel_elements(row));
    sl_table_printf(t, "%" PRIu64, min_mac);
    put_ratio(t, row->instructions, min_mac);
    if (!bench->anchors)
        return;
    put_ratio(t, row->instructions, a ? a->instructions : 0);
    put_ratio(t, row->instructions, goal);
    sl_table_text(t, goal == 0 ? "" : row->instructions <= goal ? "met" : "PAST");
}

/* "12.3", "4.5 %", or that there is none. */
static void put_known(struct sl_table *t, double value, const char *unit)
{
    if (value > 0)
        sl_table_printf(t, value < 10 ? "%.2f%s" : "%.1f%s", value, unit);
    else
        sl_table_text(t, "-");
}

static void put_timed(struct sl_table *t, const struct sl_kernel_row *row,
                      const struct sl_kernel_bench *bench)
{
    unsigned threads = threads_of(bench);
    sl_table_text(t, row->stage);
    sl_table_printf(t, "%" PRIu64, row->ns);
    put_known(t, gflops(row, threads), "");
    put_known(t, row->ns > 0 ? threads * (double)sl_kernel_bytes(row) / (double)row->ns : 0, "");
    put_known(t, 100 * sl_kernel_share_of_peak(row, bench->roof), " %");
}

static bool same_kernel(const struct sl_kernel_row *a, const struct sl_kernel_row *b)
{
    return a->m == b->m && a->n == b->n && a->k == b->k && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->shape, b->shape) == 0;
}

static void put_clock(struct sl_doc *doc, const struct sl_kernel_bench *bench)
{
    unsigned threads = threads_of(bench);
    if (is_counted(bench)) {
        sl_doc_say(doc, SL_DOC_LINE, NULL,
                   "executed instructions (emulated, counted): not time; vectors of %u bits",
                   bench->svl);
        sl_doc_say(doc, SL_DOC_LINE, NULL,
                   "each: for each output, or input of a reduction or of a pack");
    } else if (bench->emulated) {
        sl_doc_say(doc, SL_DOC_LINE, NULL,
                   "nanoseconds of the emulator, vectors of %u bits: they say nothing of a device",
                   bench->svl);
    } else {
        sl_doc_say(doc, SL_DOC_LINE, NULL, "nanoseconds, best of some rounds");
        if (bench->roofline)
            sl_doc_say(doc, SL_DOC_LINE, NULL, "peak: %.70s", bench->roofline);
    }
    if (threads > 1)
        sl_doc_say(doc, SL_DOC_LINE, NULL,
                   "%u threads at once, each with operands of its own: ns from first start to last "
                   "end, rates of all",
                   threads);
}

/* Columns of counted rows, the last three with anchors; and of timed ones. */
static void open_table(struct sl_table *t, bool counted, bool anchors)
{
    static const char *const beside[] = {"stage",    ">instructions", ">each",   ">least MACs",
                                         ">x least", ">x anchor",     ">x goal", "",
                                         NULL};
    static const char *const alone[] = {"stage",       ">instructions", ">each",
                                        ">least MACs", ">x least",      NULL};
    static const char *const timed[] = {"stage",          ">ns", ">GFLOP/s", ">GB/s",
                                        ">share of peak", NULL};
    static const struct sl_table_column counts[] = {{11, 2}, {12, 1}, {9, 1}, {10, 1},
                                                    {7, 1},  {8, 1},  {7, 1}, {4, 2}};
    static const struct sl_table_column times[] = {{11, 2}, {13, 1}, {13, 1}, {13, 1}, {14, 1}};
    sl_table_init(t, "stages", "Stages", !counted ? timed : anchors ? beside : alone);
    sl_table_widths(t, counted ? counts : times);
}

/* A line below the stage: the table has no room for more columns. */
static void put_estimated(struct sl_table *t, const struct sl_kernel_row *row)
{
    const struct sl_kernel_estimate *e = &row->estimate;
    struct sl_published published;
    char low[32], mid[32], high[32], ns[32], beside[80] = "";
    if (!e->profile[0])
        return;
    sl_estimate_words(e->low_ns, low, sizeof(low));
    sl_estimate_words(e->mid_ns, mid, sizeof(mid));
    sl_estimate_words(e->high_ns, high, sizeof(high));
    if (find_published(row, &published)) {
        sl_estimate_words(published.ns, ns, sizeof(ns));
        snprintf(beside, sizeof(beside), "; %.23s published %s", published.code, ns);
    }
    sl_table_line(t, SL_TONE_PLAIN, "  estimated on %s: %s (%s to %s), bound by %s%s", e->profile,
                  mid, low, high, e->bound, beside);
}

/* The stages of the kernel that begins at `first`; returns the first row behind them. */
static size_t put_kernel(struct sl_doc *doc, const struct sl_kernel_bench *bench, size_t first)
{
    const struct sl_kernel_row *row = &bench->rows[first];
    struct sl_table t;
    size_t i = first;
    sl_doc_begin(doc, SL_DOC_LINE, NULL);
    sl_doc_say(doc, SL_DOC_HEADING, row->kernel, "%" PRIu64 "x%" PRIu64 "x%" PRIu64 " %s", row->m,
               row->n, row->k, row->kernel);
    if (row->shape[0] != '\0' && !strstr(row->shape, "matmul")) /* it says more than the product */
        sl_doc_say(doc, SL_DOC_LINE, NULL, "  %.76s", row->shape);
    open_table(&t, row->counted, bench->anchors != NULL);
    for (; i < bench->count && same_kernel(row, &bench->rows[i]); i++) {
        if (row->counted)
            put_counted(&t, &bench->rows[i], bench);
        else
            put_timed(&t, &bench->rows[i], bench);
        put_estimated(&t, &bench->rows[i]);
        if (bench->rows[i].most_ulp > 0)
            sl_table_line(&t, SL_TONE_PLAIN, "  results are at most %.2f ulp off",
                          bench->rows[i].most_ulp);
    }
    sl_doc_table(doc, &t);
    return i;
}

int sl_kernel_bench_text(struct sl_buf *out, const struct sl_style *style,
                         const struct sl_kernel_bench *bench)
{
    struct sl_doc doc;
    sl_doc_init(&doc, SL_DOC_TERMINAL);
    put_clock(&doc, bench);
    for (size_t i = 0; i < bench->count;)
        i = put_kernel(&doc, bench, i);
    int rc = sl_doc_text(out, style, &doc);
    sl_doc_fini(&doc);
    return rc;
}
