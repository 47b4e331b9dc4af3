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

static void put_anchor(struct sl_json *json, const struct sl_kernel_anchor *anchor)
{
    if (!anchor) {
        sl_json_null(json, "anchor");
        return;
    }
    sl_json_open_object(json, "anchor");
    sl_json_text(json, "kernel", anchor->kernel);
    sl_json_u64(json, "instructions", anchor->instructions);
    sl_json_text(json, "source", sl_kernel_anchor_source);
    sl_json_close_object(json);
}

static void put_row(struct sl_json *json, const struct sl_kernel_row *row, unsigned svl)
{
    uint64_t goal = sl_kernel_goal(row, svl);
    sl_json_open_object(json, NULL);
    sl_json_text(json, "family", row->family);
    sl_json_text(json, "kernel", row->kernel);
    sl_json_text(json, "type", row->type[0] ? row->type : "f32");
    sl_json_u64(json, "m", row->m);
    sl_json_u64(json, "n", row->n);
    sl_json_u64(json, "k", row->k);
    sl_json_text(json, "stage", row->stage);
    sl_json_text(json, "engine", sl_kernel_engine(row));
    put_u64(json, "instructions", row->counted, row->instructions);
    put_u64(json, "mac_instructions", row->counted, row->mac_instructions);
    sl_json_u64(json, "min_mac_instructions", sl_kernel_min_mac(row, svl));
    put_u64(json, "ns", !row->counted, row->ns);
    put_anchor(json, sl_kernel_anchor(row, svl));
    put_u64(json, "goal", goal > 0, goal);
    if (goal > 0 && row->counted)
        sl_json_bool(json, "met", row->instructions <= goal);
    else
        sl_json_null(json, "met");
    sl_json_close_object(json);
}

int sl_kernel_bench_json(struct sl_json *json, const struct sl_kernel_row *rows, size_t count,
                         unsigned svl)
{
    bool counted = count == 0 || rows[0].counted;
    sl_json_open_object(json, NULL);
    sl_json_text(json, "schema", "sme2lab.kernels/1");
    sl_json_u64(json, "svl", svl);
    sl_json_text(json, "clock", counted ? "instructions" : "ns");
    sl_json_open_array(json, "rows");
    for (size_t i = 0; i < count; i++)
        put_row(json, &rows[i], svl);
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

static int put_line(struct sl_buf *out, const struct sl_kernel_row *row, unsigned svl)
{
    const struct sl_kernel_anchor *anchor = sl_kernel_anchor(row, svl);
    uint64_t cost = row->counted ? row->instructions : row->ns;
    uint64_t goal = row->counted ? sl_kernel_goal(row, svl) : 0;
    char least[24];
    char other[24];
    char wanted[24];
    ratio_text(least, sizeof(least), row->instructions, sl_kernel_min_mac(row, svl));
    ratio_text(other, sizeof(other), row->instructions, anchor ? anchor->instructions : 0);
    ratio_text(wanted, sizeof(wanted), row->instructions, goal);
    return sl_buf_printf(out, "  %-9s %13" PRIu64 " %13" PRIu64 " %8s %8s %8s%s\n", row->stage,
                         cost, sl_kernel_min_mac(row, svl), row->counted ? least : "-",
                         row->counted ? other : "-", wanted,
                         goal == 0                   ? ""
                         : row->instructions <= goal ? "  met"
                                                     : "  PAST");
}

static bool same_kernel(const struct sl_kernel_row *a, const struct sl_kernel_row *b)
{
    return a->m == b->m && a->n == b->n && a->k == b->k && strcmp(a->kernel, b->kernel) == 0;
}

int sl_kernel_bench_text(struct sl_buf *out, const struct sl_style *style,
                         const struct sl_kernel_row *rows, size_t count, unsigned svl)
{
    char line[256];
    bool counted = count == 0 || rows[0].counted;
    int rc = sl_buf_printf(out, "%s; vectors of %u bits\n",
                           counted ? "executed instructions (emulated, counted): not time"
                                   : "nanoseconds, best of some rounds",
                           svl);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const struct sl_kernel_row *row = &rows[i];
        if (i == 0 || !same_kernel(row, row - 1)) {
            snprintf(line, sizeof(line), "\n%" PRIu64 "x%" PRIu64 "x%" PRIu64 " %s\n", row->m,
                     row->n, row->k, row->kernel);
            rc = sl_style_put(out, style, SL_TONE_STRONG, line);
            if (rc == 0)
                rc = sl_buf_printf(out, "  %-9s %13s %13s %8s %8s %8s\n", "stage",
                                   counted ? "instructions" : "ns", "least MACs", "x least",
                                   "x anchor", "x goal");
        }
        if (rc == 0)
            rc = put_line(out, row, svl);
    }
    return rc;
}
