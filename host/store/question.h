/* host/store/question.h: a question in SQL, and the limits of its answer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
