/* host/store/pq_schema.c */
#include "host/store/pq_schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/database.h"
#include "host/store/dialect.h"
#include "host/store/statement.h"

int sl_pq_number(struct sl_database *db, const char *sql, uint64_t *out)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, sql);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        *out = sl_statement_u64(&statement, 0);
    sl_statement_fini(&statement);
    return rc == 1 ? 0 : rc < 0 ? rc : SL_E_NOT_FOUND;
}

int sl_pq_define(struct sl_database *db, const char *sql)
{
    size_t size = 2 * strlen(sql) + 1;
    char *theirs = sl_malloc(size, 2);
    int rc = theirs ? sl_dialect_definition(sql, theirs, 2 * size) : -ENOMEM;
    if (rc == 0)
        rc = sl_database_exec(db, theirs);
    sl_free(theirs);
    return rc;
}

int sl_pq_version(struct sl_database *db, int *out)
{
    uint64_t found = 0;
    int rc = sl_pq_number(db,
                          "SELECT count(*) FROM pg_tables WHERE tablename = "
                          "'store_version' AND schemaname = current_schema()",
                          &found);
    *out = 0;
    if (rc < 0 || found == 0)
        return rc;
    rc = sl_pq_number(db, "SELECT number FROM store_version", &found);
    *out = (int)found;
    return rc;
}

int sl_pq_set_version(struct sl_database *db, int number)
{
    char sql[200];
    snprintf(sql, sizeof(sql),
             "CREATE TABLE IF NOT EXISTS store_version (one BIGINT PRIMARY KEY, number BIGINT); "
             "INSERT INTO store_version VALUES (1, %d) ON CONFLICT (one) DO UPDATE SET number = "
             "excluded.number",
             number);
    return sl_database_exec(db, sql);
}

int sl_pq_last_number(struct sl_database *db, const char *table, uint64_t *out)
{
    char sql[128];
    snprintf(sql, sizeof(sql),
             "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM %s_id_seq", table);
    return sl_pq_number(db, sql, out);
}

int sl_pq_next_number(struct sl_database *db, const char *table, uint64_t *out)
{
    char sql[64];
    snprintf(sql, sizeof(sql), "SELECT nextval('%s_id_seq')", table);
    return sl_pq_number(db, sql, out);
}

int sl_pq_raise_number(struct sl_database *db, const char *table, uint64_t last)
{
    char sql[256];
    snprintf(sql, sizeof(sql),
             "SELECT setval('%s_id_seq', n.most) FROM (SELECT greatest(%" PRIu64
             ", (SELECT max(id) FROM %s)) AS most) AS n, %s_id_seq AS s WHERE n.most > "
             "s.last_value OR (n.most > 0 AND NOT s.is_called)",
             table, last, table, table);
    return sl_database_exec(db, sql);
}
