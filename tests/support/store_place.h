/* tests/support/store_place.h: a fresh folder with the place of a store, for each test of a group:
 * a file in it; or, where SL_TEST_POSTGRES names the file with the URL of a server
 * (tests/support/postgres.py), a schema of its own on that server. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/postgres.h"
#include "host/store/pq.h"
#include "tests/support/store_folder.h"
#include "tests/support/test.h"

static const char *store_root; /* NULL: the folder of the file */

enum { STORE_SKIPPED = 77 }; /* as CMake is told */

/* The server's URL; "": tests are of files. Ends the program where there is no server. */
static inline void read_store_server(char *out, size_t size)
{
    const char *name = getenv("SL_TEST_POSTGRES");
    FILE *file = name ? fopen(name, "r") : NULL;
    out[0] = '\0';
    if (name && (!file || !fgets(out, (int)size, file)))
        snprintf(out, size, "%s cannot be read", name);
    if (file)
        fclose(file);
    if (name && !sl_pq_is_url(out)) {
        fprintf(stderr, "skipped: %s\n", out);
        exit(STORE_SKIPPED);
    }
}

/* CREATE or DROP of this test's schema, which is named as its folder. */
static inline int change_store_schema(const char *server, const char *sql)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    int rc = sl_postgres_open(server, store_folder, &db, &diag);
    if (rc == 0)
        rc = sl_database_exec(db, sql);
    if (rc < 0)
        fprintf(stderr, "%s: %s %s\n", sql, diag.what, db ? db->kind->message(db) : "");
    sl_database_close(db);
    return rc;
}

static inline int make_store_place(void **state)
{
    char server[160], sql[128];
    read_store_server(server, sizeof(server));
    if (make_store_folder(state) != 0 || !server[0])
        return server[0] ? -1 : 0;
    const char *name = strrchr(store_folder, '-') + 1;
    store_root = store_folder;
    snprintf(store_path, sizeof(store_path),
             "%s&application_name=%s&options=-csearch_path%%3D%%22%s%%22", server, name, name);
    snprintf(sql, sizeof(sql), "CREATE SCHEMA \"%s\"", name);
    return change_store_schema(server, sql);
}

static inline int remove_store_place(void **state)
{
    char server[160], sql[128];
    read_store_server(server, sizeof(server));
    snprintf(sql, sizeof(sql), "DROP SCHEMA \"%s\" CASCADE", strrchr(store_folder, '-') + 1);
    if (server[0] && change_store_schema(server, sql) < 0)
        return -1;
    return remove_store_folder(state);
}

/* Tests of either kind of store, and of a file alone. */
#define STORE_ANY_TEST(name) TEST_WITH(name, make_store_place, remove_store_place)
#define STORE_FILE_TEST(name)                                                                      \
    static void name##_of_a_file(void **state);                                                    \
    STORE_ANY_TEST(name)                                                                           \
    {                                                                                              \
        if (store_root)                                                                            \
            skip();                                                                                \
        name##_of_a_file(state);                                                                   \
    }                                                                                              \
    static void name##_of_a_file(__attribute__((unused)) void **state)
