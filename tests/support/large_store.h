/* tests/support/large_store.h: a store so large that its pages are read beside its use. */
#pragma once

#include <stdio.h>

#include <sqlite3.h>

#include "tests/support/unit.h"

enum { LARGE_STORE_PAGE = 3000 }; /* amid what makes it large; pages have 4096 bytes */

/* Gives the database a table of its own that no request reads. */
static inline void make_store_large(const char *path)
{
    static const char sql[] =
        "PRAGMA synchronous = OFF; CREATE TABLE ballast (bytes); INSERT INTO ballast SELECT "
        "zeroblob(1 << 20) FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
        "WHERE i < 20) SELECT i FROM n); PRAGMA wal_checkpoint(TRUNCATE)";
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static inline void damage_large_store(const char *path)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, LARGE_STORE_PAGE * 4096L, SEEK_SET), 0);
    assert_int_equal(fwrite("\xa5\xa5\xa5\xa5", 4, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}
