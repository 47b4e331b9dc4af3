/* host/store/query.h: questions in SQL: read-only, on a connection of their own, in the words of
 * either database, within limits of time, rows and bytes. What they may read: README.md. */
#pragma once

#include "host/store/question.h"

struct sl_diag;
struct sl_json;

/* Writes the members "columns" (names), "rows" (arrays of texts, numbers and nulls) and "truncated"
 * (rows were left out) into the open object `json`. Waits for no writer and keeps none waiting;
 * blocks: off the loop. 0; SL_E_FORMAT: the statement is wrong, or may not be asked, with words;
 * -ETIMEDOUT; -ENOMEM; -EIO. */
int sl_query_run(const char *where, const struct sl_query *query, struct sl_json *json,
                 struct sl_diag *diag);
