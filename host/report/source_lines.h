/* host/report/source_lines.h: what operators outside delegates cost, by the line of the model's
 * source that they came from: a transformer's where, eq and any are all of one call. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_analysis;
struct sl_comparison_report;
struct sl_table;

struct sl_source_line {
    char place[128]; /* "model.py:123" */
    char call[96];   /* "scaled_dot_product_attention" where the line calls one function, else it */
    size_t operators; /* instructions of the program */
    double cost;      /* own work, mean per measured run */
};

enum { SL_SOURCE_MAX_LINES = 1024 };

struct sl_source_lines {
    struct sl_source_line *lines; /* owned; largest cost first */
    size_t count;
};

/* None where the analysis has no ETRecord, or another program's: the names of an event and of the
 * operator its instruction came from must agree. Returns 0 or -ENOMEM; end with
 * sl_source_lines_fini(). */
int sl_source_lines_make(const struct sl_analysis *analysis, struct sl_source_lines *out);
void sl_source_lines_fini(struct sl_source_lines *lines);

/* Both sides, of these names; false, and no table to end, where nothing is known. */
bool sl_source_lines_table(const struct sl_comparison_report *report, const char *const names[2],
                           struct sl_table *out);
