/* host/report/runtime_outputs.h: do ExecuTorch and our runtime compute the same? Outputs of both,
 * with SME2 off and on, with each other and with what was expected. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/analysis/agreement.h"

struct sl_buf;
struct sl_json;
struct sl_report;
struct sl_table;

/* ExecuTorch's with SME2 off (0) and on against ours, the reference, off and on. */
struct sl_runtime_outputs {
    struct sl_agreement pairs[2][2];
};

/* How many of the reports are ExecuTorch's whose outputs were compared with those of ours. */
size_t sl_runtime_outputs_count(const struct sl_report *reports, size_t count);
/* Do all of them agree? */
bool sl_runtime_outputs_agree(const struct sl_report *reports, size_t count);

/* Every pair; end it with sl_table_fini(). */
void sl_runtime_outputs_table(const struct sl_report *reports, size_t count, struct sl_table *out);

/* A line for each: all agree, and by how much, or the worst pair. 0, SL_E_LIMIT or -ENOMEM. */
int sl_runtime_outputs_words(struct sl_buf *out, const struct sl_report *reports, size_t count);

/* The array "outputs": every pair. */
void sl_runtime_outputs_json(struct sl_json *json, const struct sl_report *reports, size_t count);
