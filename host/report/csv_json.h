/* host/report/csv_json.h: a table of ours as JSON, for those who load the kit's .json beside its
 * .csv. */
#pragma once

struct sl_buf;

/* Appends an array to `out` with an object for each row of `csv`, which sl_csv_operators() or
 * sl_csv_timeline() made; its keys are the columns in their order. Texts are strings without the
 * space before what a spreadsheet would take for a formula; all else are numbers. Returns 0,
 * SL_E_LIMIT or -ENOMEM. */
int sl_csv_json(struct sl_buf *out, const struct sl_buf *csv);
