/* host/report/runtime_gap.h: what ExecuTorch could still gain: its figures beside those of our own
 * runtime for the same model, device and threads, ordered by what closing the gap would save. */
#pragma once

#include <stddef.h>

struct sl_buf;
struct sl_json;
struct sl_report;
struct sl_style;
struct sl_table;

/* The own run of the same experiment, process, model, inputs and conditions as the report at
 * `index`, if that is ExecuTorch's: the first of its directory, else the first; NULL: none. */
const struct sl_report *sl_runtime_gap_ours(const struct sl_report *reports, size_t count,
                                            size_t index);

/* How many of the reports are ExecuTorch's with an own one among them. */
size_t sl_runtime_gap_count(const struct sl_report *reports, size_t count);

/* Off and on of both runtimes and what is left: of the whole, of each category, of the operators
 * with the most left, with the kernels of both; end it with sl_table_fini(). */
void sl_runtime_gap_table(const struct sl_report *reports, size_t count, struct sl_table *out);

/* The same on a terminal, shorter, for each report of ExecuTorch's. 0 or sl_table_show()'s. */
int sl_runtime_gap_show(struct sl_buf *out, const struct sl_style *style,
                        const struct sl_report *reports, size_t count);

/* The array "left": every operator that both runtimes have. */
void sl_runtime_gap_json(struct sl_json *json, const struct sl_report *reports, size_t count);
