/* tests/support/store_query.h: what a store answers to a SELECT, as text. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/store/query.h"
#include "tests/support/store_folder.h"

/* The whole answer, cut at `size`. */
static inline int store_ask_as(const char *path, const char *sql, uint32_t rows, uint32_t ms,
                               char *out, size_t size, struct sl_diag *diag)
{
    const struct sl_query query = {.sql = sql, .max_rows = rows, .max_ms = ms};
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, 64 << 20);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    int rc = sl_query_run(path, &query, &json, diag);
    sl_json_close_object(&json);
    snprintf(out, size, "%s", text.data ? (const char *)text.data : "");
    sl_buf_fini(&text);
    return rc;
}

static inline int store_ask(const char *sql, uint32_t rows, uint32_t ms, char *out, size_t size,
                            struct sl_diag *diag)
{
    return store_ask_as(store_path, sql, rows, ms, out, size, diag);
}

/* The rows alone: "[[1,\"a\"],[2,null]]", cut at `size`. What sl_query_run() returns. */
static inline int store_rows(const char *sql, char *out, size_t size)
{
    const struct sl_query query = {.sql = sql, .max_rows = 1000, .max_ms = SL_QUERY_MAX_MS};
    struct sl_diag diag = {0};
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, 1 << 20);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    int rc = sl_query_run(store_path, &query, &json, &diag);
    sl_json_close_object(&json);
    const char *rows = rc == 0 ? strstr((const char *)text.data, "\"rows\":") : NULL;
    const char *end = rows ? strstr(rows, ",\"truncated\"") : NULL;
    snprintf(out, size, "%.*s", end ? (int)(end - rows) - 7 : 0, rows ? rows + 7 : "");
    sl_buf_fini(&text);
    return rc;
}

#define assert_store_rows(sql, rows)                                                               \
    do {                                                                                           \
        char store_rows_text[4096];                                                                \
        assert_int_equal(store_rows(sql, store_rows_text, sizeof(store_rows_text)), 0);            \
        assert_string_equal(store_rows_text, rows);                                                \
    } while (0)
