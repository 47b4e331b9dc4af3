/* host/report/analysis_text.h: an analysis as a table for people. */
#pragma once

struct sl_analysis;
struct sl_buf;
struct sl_style;

/* Appends the table. Returns 0, SL_E_LIMIT or -ENOMEM. */
int sl_analysis_text(struct sl_buf *out, const struct sl_style *style,
                     const struct sl_analysis *analysis);
