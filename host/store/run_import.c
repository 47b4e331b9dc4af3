/* host/store/run_import.c */
#include "host/store/run_import.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/durable.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/records.h"
#include "host/store/database.h"
#include "host/store/directory_id.h"
#include "host/store/documents.h"
#include "host/store/request.h"
#include "host/store/row_copy.h"
#include "host/store/run_file.h"
#include "host/store/run_name.h"
#include "host/store/statement.h"

#define LATEST_MS "253402300799999" /* the last one of the year 9999 */

/* The run's place now and later, and its rows with the numbers of this store. */
struct import {
    const char *root; /* borrowed */
    char directory[SL_RUN_NAME_BYTES];
    const char *staged; /* borrowed; below the root */
    uint64_t job;
    char *rows; /* owned; JSON */
};

/* The run that came with this key and is still there: 1, 0 or a negative code. */
static int find_run(struct sl_database *db, const char *key, uint64_t *out_run)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db,
                      "SELECT run FROM jobs WHERE idempotency_key = ? AND run IN (SELECT id FROM "
                      "runs)");
    sl_statement_bind_text(&statement, key);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        *out_run = sl_statement_u64(&statement, 0);
    sl_statement_fini(&statement);
    return rc;
}

/* Together these tell a run from any other, here and in another store. */
static const char told[] =
    "SELECT run, job, started, model, device FROM (SELECT json_extract(?1, '$.run.id') AS run, "
    "json_extract(?1, '$.job.id') AS job, json_extract(?1, '$.run.started_ms') AS started, "
    "json_extract(?1, '$.run.model') AS model, json_extract(?1, '$.run.device') AS device) WHERE "
    "typeof(run) = 'integer' AND typeof(job) = 'integer' AND typeof(started) = 'integer' AND "
    "typeof(model) = 'text' AND typeof(device) = 'text'";

/* The run that the copy is of, where that is one of this store, as when runs are read in where they
 * were exported: 1, 0 or a negative code. */
static int find_own(struct sl_database *db, const char *copy, uint64_t *out_run)
{
    struct sl_statement asked, statement;
    sl_document_ask(&asked, db, told, copy);
    int rc = sl_statement_step(&asked);
    if (rc == 1) {
        sl_statement_init(&statement, db,
                          "SELECT id FROM runs WHERE id = ? AND job = ? AND started_ms = ? AND "
                          "model = ? AND device = ?");
        sl_statement_bind_row(&statement, &asked, 0);
        rc = sl_statement_step(&statement);
        if (rc == 1)
            *out_run = sl_statement_u64(&statement, 0);
        sl_statement_fini(&statement);
    }
    sl_statement_fini(&asked);
    return rc;
}

/* ?1: the copy; ?2, ?3: the numbers of its job and run here; ?4: the key; ?5: the owner; ?6: this
 * database; ?7: this host. */
static const char renumbered[] =
    "SELECT started, json_set(json_remove(copy, '$.job.group', '$.run.former_series'), "
    "'$.store', ?6, '$.run.host', ?7, '$.job.id', ?2, '$.run.id', ?3, '$.job.key', ?4, "
    "'$.job.owner', ?5, "
    "'$.job.detail', CASE "
    "json_extract(copy, '$.run.id') WHEN 0 THEN 'imported' ELSE printf('imported: run %d of "
    "another store', json_extract(copy, '$.run.id')) END) FROM (SELECT ?1 AS copy, "
    "json_extract(?1, '$.run.started_ms') AS started) WHERE typeof(started) = 'integer' AND "
    "started BETWEEN 0 AND " LATEST_MS " AND json_type(copy, '$.run.id') = 'integer'";

/* Numbers that were never given out, and who and what belong to this store. */
static int renumber(struct sl_database *db, const char *copy, const struct sl_request *request,
                    struct import *import)
{
    size_t room = strlen(copy) + 1024; /* a copy with a few longer values */
    struct sl_statement statement;
    uint64_t run = 0;
    import->rows = sl_malloc(room, 1);
    if (!import->rows)
        return -ENOMEM;
    int rc = db->kind->next_number(db, "jobs", &import->job);
    if (rc == 0)
        rc = db->kind->next_number(db, "runs", &run);
    if (rc < 0)
        return rc;
    sl_document_ask(&statement, db, renumbered, copy);
    sl_statement_bind_u64(&statement, import->job);
    sl_statement_bind_u64(&statement, run);
    sl_statement_bind_text(&statement, request->key);
    sl_statement_bind_text(&statement, request->job.owner);
    sl_statement_bind_text(&statement, db->identity);
    sl_statement_bind_text(&statement, request->host->name);
    rc = sl_statement_step(&statement);
    if (rc == 1) {
        sl_run_name(sl_statement_u64(&statement, 0), import->job, import->directory);
        sl_statement_text(&statement, 1, import->rows, room);
    }
    sl_statement_fini(&statement);
    return rc == 0 ? SL_E_MISMATCH : rc < 0 ? rc : 0;
}

/* 1: the run is in the store already. */
static int read_rows(struct sl_database *db, struct sl_request *request, struct import *import)
{
    struct sl_buf copy;
    int rc =
        sl_run_file_read(import->root, import->staged, SL_ROW_COPY, SL_ROW_COPY_MAX_BYTES, &copy);
    if (rc < 0)
        return rc == SL_E_NOT_FOUND || rc == SL_E_LIMIT ? SL_E_MISMATCH : rc;
    const char *text = copy.size > 0 ? (const char *)copy.data : "";
    rc = sl_document_is_json(db, text);
    if (rc == 0)
        rc = SL_E_MISMATCH;
    else if (rc == 1)
        rc = find_own(db, text, &request->id);
    if (rc == 0)
        rc = renumber(db, text, request, import);
    sl_buf_fini(&copy);
    return rc;
}

/* Makes runs/ and the day's folder where they are not there yet, and moves the run into it. */
static int move_in(const struct import *import)
{
    char from[2 * SL_PATH_BYTES], to[2 * SL_PATH_BYTES];
    sl_path_join(from, sizeof(from), import->root, "%s", import->staged);
    sl_path_join(to, sizeof(to), import->root, "%s", import->directory);
    char *last = strrchr(to, '/');
    for (char *slash = to + strlen(import->root); slash && slash < last;) {
        slash = strchr(slash + 1, '/');
        *slash = '\0';
        int rc = mkdir(to, 0700) < 0 && errno != EEXIST ? -errno : 0;
        *slash = '/';
        if (rc < 0)
            return rc;
    }
    if (rename(from, to) < 0)
        return -errno;
    *last = '\0';
    return sl_durable_folder(to);
}

/* The copy has its new numbers before it has its place: a database that loses the rows finds them
 * there. */
static int place(const struct import *import)
{
    char path[2 * SL_PATH_BYTES];
    sl_path_join(path, sizeof(path), import->root, "%s/%s", import->staged, SL_ROW_COPY);
    int rc = sl_buf_write_file(path, import->rows, strlen(import->rows));
    return rc < 0 ? rc : move_in(import);
}

static int add_rows(struct sl_database *db, const struct import *import, uint64_t *out_run)
{
    int rc = sl_row_copy_restore(db, import->directory, import->job, out_run);
    if (rc == 1)
        return 0;
    sl_run_file_remove(import->root, import->directory);
    return rc < 0 ? rc : SL_E_MISMATCH; /* a column is missing, or of another type */
}

void sl_run_import_carry_out(struct sl_request *request, struct sl_database *db)
{
    struct import import = {.root = db->root, .staged = request->config};
    int rc = find_run(db, request->key, &request->id);
    if (rc == 0) {
        rc = sl_directory_id_is_there(db) ? read_rows(db, request, &import) : SL_E_STATE;
        if (rc == 0)
            rc = place(&import);
        if (rc == 0)
            rc = add_rows(db, &import, &request->id);
        request->job.id = import.job;
    }
    sl_free(import.rows);
    request->rc = rc;
}
