/* tests/support/old_store.h: stores of earlier versions (tests/data/store). */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "tests/support/test.h"
#include "tests/support/unit.h"

/* A store of that schema in `path`, as the version that had it left it. */
static inline void make_store_of(int number, const char *path)
{
    char name[64];
    sqlite3 *db = NULL;
    snprintf(name, sizeof(name), "store/schema-%d.sql", number);
    struct sl_bytes file = sl_test_file(name);
    char *sql = malloc(file.size + 1);
    assert_non_null(sql);
    memcpy(sql, file.data, file.size);
    sql[file.size] = '\0';
    unlink(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", name, sqlite3_errmsg(db));
    sqlite3_close(db);
    free(sql);
    free((void *)file.data);
}
