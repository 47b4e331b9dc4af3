/* host/report/series_doc.h: one series of runs as a page: what each arm took over time, and where
 * that changed (host/analysis/history.h). */
#pragma once

#include <stddef.h>

struct sl_doc;
struct sl_run_record;

/* Adds a figure, the changes and the table of `runs` (borrowed, the newest first). Runs without a
 * ratio are in the table alone. 0, or -ENOMEM. */
int sl_series_doc(struct sl_doc *doc, const struct sl_run_record *runs, size_t count);
