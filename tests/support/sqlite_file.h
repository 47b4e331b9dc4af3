/* tests/support/sqlite_file.h: a file of SQLite as it is, whoever wrote it. */
#pragma once

#include <sqlite3.h>

#include "host/store/sqlite.h"
#include "tests/support/test.h"

static inline struct sl_database *open_sqlite_file(const char *path)
{
    sqlite3 *handle = NULL;
    struct sl_database *db = NULL;
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    assert_int_equal(sl_sqlite_wrap(handle, &db), 0);
    return db;
}
