/* host/spec/columns.h: the columns of the daemon's records (host/spec/records.inc) as tables:
 * one reader, writer and printer serves all records. */
#pragma once

#include <stddef.h>

enum sl_column_kind {
    SL_COLUMN_ID,   /* uint64_t; 0: none, null in JSON */
    SL_COLUMN_TIME, /* the same, a Unix time in ms */
    SL_COLUMN_U32,
    SL_COLUMN_INT,
    SL_COLUMN_WORD,  /* int; a word in JSON */
    SL_COLUMN_FLAG,  /* bool */
    SL_COLUMN_MAYBE, /* enum sl_maybe: true, false, or null in JSON and in SQL */
    SL_COLUMN_TEXT,  /* bytes with a terminator */
    SL_COLUMN_NAME,  /* the same; "" is null in JSON */
    SL_COLUMN_REAL,  /* double; null in JSON where it is not above 0 */
};

/* The objects of JSON that have a column. */
enum sl_column_view { SL_IN_ROW = 1, SL_IN_POINT = 2, SL_IN_SERIES = 4 };

struct sl_column {
    const char *name, *head;
    const char *(*word)(int value); /* WORD */
    size_t offset, size;
    int kind, views, place;
};

struct sl_columns {
    const struct sl_column *all; /* of a stored record the first is its id */
    size_t count, record_bytes;
};

/* The column of that place in a table; NULL: there is none. */
const struct sl_column *sl_column_at(const struct sl_columns *columns, size_t place);

extern const struct sl_columns sl_job_columns, sl_attempt_columns, sl_group_columns, sl_run_columns,
    sl_token_columns, sl_device_columns, sl_host_columns;
