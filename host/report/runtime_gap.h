/* host/report/runtime_gap.h: what ExecuTorch could still gain: its figures beside those of our own
 * runtime for the same model, device and threads, ordered by what closing the gap would save. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_json;
struct sl_report;
struct sl_table;

/* How many of the reports are ExecuTorch's with an own one among them. */
size_t sl_runtime_gap_count(const struct sl_report *reports, size_t count);

/* The largest gaps of the report at `index` in words; false where it is not ExecuTorch's, has no
 * own one, or nothing is left. `size` of at least 256. */
bool sl_runtime_gap_words(const struct sl_report *reports, size_t count, size_t index, char *out,
                          size_t size);

/* The whole and the operators with the most left; end it with sl_table_fini(). */
void sl_runtime_gap_table(const struct sl_report *reports, size_t count, struct sl_table *out);

/* The array "left": every operator that both runtimes have. */
void sl_runtime_gap_json(struct sl_json *json, const struct sl_report *reports, size_t count);
