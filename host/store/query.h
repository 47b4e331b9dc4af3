/* host/store/query.h: questions in SQL: read-only, on a connection of their own, within limits of
 * time, rows and bytes. What they may read: README.md. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_diag;
struct sl_json;

enum {
    SL_QUERY_MAX_SQL_BYTES = 64 << 10,
    SL_QUERY_DEFAULT_ROWS = 1000,
    SL_QUERY_MAX_ROWS = 100000,
    SL_QUERY_MAX_ANSWER_BYTES = 16 << 20, /* of rows; what is further is left out */
    SL_QUERY_MAX_MS = 10000,
};

struct sl_query {
    const char *sql;   /* one statement that reads; borrowed */
    uint32_t max_rows; /* from 1 on */
    uint32_t max_ms;
    bool with_audit; /* who did what may be read too */
};

/* Writes the members "columns" (names), "rows" (arrays of texts, numbers and nulls) and "truncated"
 * (rows were left out) into the open object `json`. Waits for no writer and keeps none waiting;
 * blocks: off the loop. 0; SL_E_FORMAT: the statement is wrong, or may not be asked, with words;
 * -ETIMEDOUT; -ENOMEM; -EIO. */
int sl_query_run(const char *path, const struct sl_query *query, struct sl_json *json,
                 struct sl_diag *diag);
