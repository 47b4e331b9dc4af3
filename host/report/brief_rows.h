/* host/report/brief_rows.h: which categories have a row of their own where few lines are to be. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SL_BRIEF_ROWS = 2, SL_BRIEF_NAMES_BYTES = 128 };

/* Decides for each of `count` categories by its `shares`, the largest part that it has of any
 * side's whole (0: it is not there). Rows are SL_BRIEF_ROWS at most, one of which all others share;
 * what is below 5 % shares it too, but nothing does so alone. */
void sl_brief_rows(const double *shares, size_t count, bool *out_alone);

/* Names the row that several share: adds one more to the `before` that are in `names`, which begins
 * as "". Four are named, more are counted. */
void sl_brief_rows_name(char names[SL_BRIEF_NAMES_BYTES], size_t before, const char *name);
