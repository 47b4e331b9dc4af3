/* host/store/label_table.c */
#include "host/store/label_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/store/database.h"
#include "host/store/documents.h"
#include "host/store/request.h"
#include "host/store/statement.h"

/* 32 labels, each byte of them escaped. */
enum { MAX_TEXT_BYTES = 128 << 10 };

/* The wanted change of a run; once its labels are changed by hand the job's configuration says no
 * longer what they are. */
static const char removed[] = "SELECT key FROM json_each(?1, '$.labels')",
                  added[] = "SELECT key, value FROM json_each(?1, '$.labels') WHERE type = 'text'",
                  changed[] = "SELECT EXISTS (SELECT 1 FROM json_each(?1, '$.labels')), "
                              "json_extract(?1, '$.pinned')";

_Static_assert(SL_NAME_BYTES == 64 && SL_LABEL_BYTES == 256 && SL_STORE_MAX_LABELS == 32,
               "as SL_SQL_IS_LABEL and SL_SQL_LABELS_END have it");

/* 0; SL_E_NOT_FOUND for no such run, -EACCES for another's. `owner` NULL: anybody's. */
static int check_owner(struct sl_database *db, uint64_t run, const char *owner)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db,
                      "SELECT coalesce(jobs.owner, '') = ? FROM runs LEFT JOIN jobs ON jobs.id = "
                      "runs.job WHERE runs.id = ?");
    sl_statement_bind_text(&statement, owner);
    sl_statement_bind_u64(&statement, run);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        rc = !owner || sl_statement_int(&statement, 0) != 0 ? 0 : -EACCES;
    else if (rc == 0)
        rc = SL_E_NOT_FOUND;
    sl_statement_fini(&statement);
    return rc;
}

/* 0, SL_E_LIMIT or a failure. */
static int check_count(struct sl_database *db, uint64_t run)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT count(*) FROM labels WHERE run = ?");
    sl_statement_bind_u64(&statement, run);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        rc = sl_statement_u64(&statement, 0) > SL_STORE_MAX_LABELS ? SL_E_LIMIT : 0;
    sl_statement_fini(&statement);
    return rc;
}

static int change(struct sl_database *db, uint64_t run, const char *wanted)
{
    int rc =
        sl_document_carry(db, removed, wanted, "DELETE FROM labels WHERE run = ? AND key = ?", run);
    if (rc == 0)
        rc = sl_document_carry(db, added, wanted,
                               "INSERT INTO labels (run, key, value) VALUES (?, ?, ?)", run);
    if (rc == 0)
        rc = sl_document_carry(db, changed, wanted,
                               "UPDATE runs SET labelled = CASE WHEN ?2 = 1 THEN 1 ELSE labelled "
                               "END, pinned = coalesce(?3, pinned) WHERE id = ?1",
                               run);
    return rc == 0 ? check_count(db, run) : rc;
}

/* All of it or nothing. */
static int change_whole(struct sl_database *db, uint64_t run, const char *wanted)
{
    int rc = sl_database_part_begin(db);
    return rc < 0 ? rc : sl_database_part_end(db, change(db, run, wanted));
}

int sl_label_table_put(struct sl_database *db, uint64_t run, struct sl_json *json)
{
    struct sl_statement statement;
    int rc;
    sl_json_open_object(json, "labels");
    sl_statement_init(&statement, db, "SELECT key, value FROM labels WHERE run = ? ORDER BY key");
    sl_statement_bind_u64(&statement, run);
    while ((rc = sl_statement_step(&statement)) == 1) {
        struct sl_value key, value;
        sl_statement_value(&statement, 0, &key);
        sl_statement_value(&statement, 1, &value);
        sl_json_text(json, key.text, value.text);
    }
    sl_statement_fini(&statement);
    sl_json_close_object(json);
    return rc;
}

/* Puts down what the run has. */
static int tell(struct sl_database *db, uint64_t run, struct sl_json *json)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT pinned FROM runs WHERE id = ?");
    sl_statement_bind_u64(&statement, run);
    int rc = sl_statement_step(&statement);
    bool pinned = rc == 1 && sl_statement_int(&statement, 0) != 0;
    sl_statement_fini(&statement);
    if (rc != 1)
        return rc == 0 ? SL_E_NOT_FOUND : rc;
    sl_json_open_object(json, NULL);
    sl_json_u64(json, "run", run);
    sl_json_bool(json, "pinned", pinned);
    rc = sl_label_table_put(db, run, json);
    sl_json_close_object(json);
    return rc < 0 ? rc : json->error;
}

void sl_label_table_change(struct sl_request *request, struct sl_database *db)
{
    struct sl_json json;
    int rc = check_owner(db, request->id, request->key);
    if (rc == 0 && request->config)
        rc = change_whole(db, request->id, request->config);
    request->changed = rc == 0 && request->config;
    sl_buf_init(&request->text, MAX_TEXT_BYTES);
    sl_json_init(&json, &request->text);
    request->rc = rc == 0 ? tell(db, request->id, &json) : rc;
}
