/* host/store/label_table.c */
#include "host/store/label_table.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/database.h"
#include "host/store/request.h"
#include "host/store/statement.h"

/* 32 labels, each byte of them escaped. */
enum { MAX_TEXT_BYTES = 128 << 10 };

/* ?1: the run; ?2: what is wanted. Once its labels are changed by hand the job's configuration says
 * no longer what they are. */
static const char *const steps[] = {
    "DELETE FROM labels WHERE run = ?1 AND key IN (SELECT key FROM json_each(?2, '$.labels'))",
    "INSERT INTO labels (run, key, value) SELECT ?1, key, value FROM json_each(?2, '$.labels') "
    "WHERE type = 'text'",
    "UPDATE runs SET labelled = labelled OR EXISTS (SELECT 1 FROM json_each(?2, '$.labels')), "
    "pinned = coalesce(json_extract(?2, '$.pinned'), pinned) WHERE id = ?1",
};
static const char told[] =
    "SELECT json_object('run', id, 'pinned', json(CASE pinned WHEN 0 THEN 'false' ELSE 'true' "
    "END), 'labels', json((SELECT json_group_object(key, value) FROM (SELECT key, value FROM "
    "labels WHERE run = ?1 ORDER BY key)))) FROM runs WHERE id = ?1 AND ?2 IS ?2";

/* 1, 0 or a failure. */
_Static_assert(SL_NAME_BYTES == 64 && SL_LABEL_BYTES == 256 && SL_STORE_MAX_LABELS == 32,
               "as SL_SQL_IS_LABEL and SL_SQL_LABELS_END have it");

static int ask(struct sl_database *db, const char *sql, uint64_t run, const char *text, char *out,
               size_t size)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_u64(&statement, run);
    sl_statement_bind_text(&statement, text);
    int rc = sl_statement_step(&statement);
    if (rc == 1 && out)
        sl_statement_text(&statement, 0, out, size);
    sl_statement_fini(&statement);
    return rc;
}

/* 0; SL_E_NOT_FOUND for no such run, -EACCES for another's. */
static int check_owner(struct sl_database *db, uint64_t run, const char *owner)
{
    char is_theirs[2] = "0";
    int rc = ask(db,
                 "SELECT ?2 IS NULL OR coalesce(jobs.owner, '') = ?2 FROM runs LEFT JOIN jobs ON "
                 "jobs.id = runs.job WHERE runs.id = ?1",
                 run, owner, is_theirs, sizeof(is_theirs));
    if (rc != 1)
        return rc == 0 ? SL_E_NOT_FOUND : rc;
    return is_theirs[0] == '1' ? 0 : -EACCES;
}

static int change(struct sl_database *db, uint64_t run, const char *wanted)
{
    char count[16] = "";
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
        rc = ask(db, steps[i], run, wanted, NULL, 0);
    if (rc == 0)
        rc = ask(db, "SELECT count(*) FROM labels WHERE run = ?1 AND ?2 IS NOT NULL", run, wanted,
                 count, sizeof(count));
    if (rc == 1)
        rc = strtoul(count, NULL, 10) > SL_STORE_MAX_LABELS ? SL_E_LIMIT : 0;
    return rc;
}

/* All of it or nothing. */
static int change_whole(struct sl_database *db, uint64_t run, const char *wanted)
{
    int rc = sl_database_part_begin(db);
    return rc < 0 ? rc : sl_database_part_end(db, change(db, run, wanted));
}

void sl_label_table_change(struct sl_request *request, struct sl_database *db)
{
    char *text = sl_malloc(MAX_TEXT_BYTES, 1);
    int rc = text ? check_owner(db, request->id, request->key) : -ENOMEM;
    if (rc == 0 && request->config)
        rc = change_whole(db, request->id, request->config);
    request->changed = rc == 0 && request->config;
    if (rc == 0)
        rc = ask(db, told, request->id, NULL, text, MAX_TEXT_BYTES);
    request->rc = rc == 1 ? 0 : rc == 0 ? SL_E_NOT_FOUND : rc;
    if (request->rc == 0) {
        sl_free(request->config);
        request->config = text;
    } else {
        sl_free(text);
    }
}
