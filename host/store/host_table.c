/* host/store/host_table.c */
#include "host/store/host_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/records.h"
#include "host/spec/columns.h"
#include "host/spec/device_kind.h"
#include "host/store/database.h"
#include "host/store/request.h"
#include "host/store/statement.h"

static int carry_out(struct sl_statement *statement)
{
    int rc = sl_statement_step(statement);
    sl_statement_fini(statement);
    return rc < 0 ? rc : 0;
}

/* Since when a host must have been seen to be there. */
static uint64_t alive_since(const struct sl_request *request)
{
    uint64_t lease_ms = request->host->lease_ms;
    return request->now_ms > lease_ms ? request->now_ms - lease_ms : 0;
}

/* The store's row says which directory this host had. Another one in its place is no word of who
 * runs it: a disk that was not mounted looks so. */
int sl_host_table_check_directory(struct sl_database *db, const char *name)
{
    struct sl_statement statement;
    if (!db->shared)
        return 0;
    sl_statement_init(&statement, db,
                      "SELECT 1 FROM hosts WHERE name = ? AND runs_id <> '' AND runs_id <> ?");
    sl_statement_bind_text(&statement, name);
    sl_statement_bind_text(&statement, db->directory_id);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc == 1 ? SL_E_MISMATCH : rc;
}

/* A lock of this session alone is not enough: after a host's machine has failed the server may keep
 * its session for long. */
int sl_host_table_take_name(const struct sl_request *request, struct sl_database *db)
{
    static const char sql[] =
        "SELECT CASE WHEN pg_try_advisory_lock(hashtextextended(current_schema() || '/' || ?1, 0)) "
        "THEN 1 WHEN EXISTS (SELECT 1 FROM hosts WHERE name = ?1 AND started_ms <> ?2 AND seen_ms "
        "> ?3) THEN 0 ELSE 1 END";
    struct sl_statement statement;
    if (!db->shared)
        return 0;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_text(&statement, request->host->name);
    sl_statement_bind_u64(&statement, request->host->started_ms);
    sl_statement_bind_u64(&statement, alive_since(request));
    int rc = sl_statement_step(&statement);
    bool taken = rc == 1 && sl_statement_int(&statement, 0) == 0;
    sl_statement_fini(&statement);
    if (taken)
        return -EADDRINUSE;
    return rc < 0 ? rc : sl_host_table_check_directory(db, request->host->name);
}

int sl_host_table_note(const struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    const struct sl_store_host *host = request->host;
    sl_statement_init(
        &statement, db,
        "INSERT INTO hosts (name, address, started_ms, seen_ms, url, token_sha256, "
        "runs_id) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET address = "
        "excluded.address, started_ms = excluded.started_ms, seen_ms = "
        "excluded.seen_ms, url = excluded.url, token_sha256 = "
        "excluded.token_sha256, runs_id = excluded.runs_id");
    sl_statement_bind_text(&statement, host->name);
    sl_statement_bind_text(&statement, host->address);
    sl_statement_bind_u64(&statement, host->started_ms);
    sl_statement_bind_u64(&statement, request->now_ms);
    sl_statement_bind_text(&statement, host->url);
    sl_statement_bind_text(&statement, host->shown_sha256);
    sl_statement_bind_text(&statement, db->directory_id);
    return carry_out(&statement);
}

void sl_host_table_list(struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    bool more = false;
    size_t limit = sl_request_rows(request, 0, sizeof(struct sl_host_record));
    if (limit == 0)
        return;
    sl_statement_init(&statement, db,
                      "SELECT name" SL_HOST_COLUMNS(
                          SL_SQL_NAME) " FROM hosts WHERE seen_ms > ? ORDER BY name LIMIT ?");
    sl_statement_bind_u64(&statement, request->now_ms > SL_HOST_FORGOTTEN_MS
                                          ? request->now_ms - SL_HOST_FORGOTTEN_MS
                                          : 0);
    sl_statement_bind_u64(&statement, limit);
    request->rc = sl_statement_page(&statement, &sl_host_columns, request->rows, limit,
                                    &request->count, &more);
}

static int drop_device(const struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "DELETE FROM host_devices WHERE host = ? AND name = ?");
    sl_statement_bind_text(&statement, request->host->name);
    sl_statement_bind_text(&statement, request->device.name);
    return carry_out(&statement);
}

void sl_host_table_note_device(struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    struct sl_device_record *device = &request->device;
    memcpy(device->host, request->host->name, sizeof(device->host));
    device->queued = 0; /* changes more often than hosts tell each other of a device */
    request->rc = drop_device(request, db);
    if (request->rc < 0 || device->state == 0)
        return;
    sl_statement_init(&statement, db,
                      "INSERT INTO host_devices (noted_ms" SL_DEVICE_COLUMNS(
                          SL_SQL_NAME) ") VALUES "
                                       "(?" SL_DEVICE_COLUMNS(SL_SQL_MARK) ")");
    sl_statement_bind_u64(&statement, request->now_ms);
    sl_statement_bind_text(&statement, device->name);
    sl_statement_bind(&statement, &sl_device_columns, device); /* all but the first */
    request->rc = carry_out(&statement);
}

int sl_host_table_may_keep(const struct sl_request *request, struct sl_database *db,
                           const struct sl_job_record *job)
{
    struct sl_statement statement;
    int rc;
    sl_statement_init(&statement, db,
                      "SELECT kind FROM host_devices WHERE name = ? AND host <> ? AND host IN "
                      "(SELECT hosts.name FROM hosts WHERE seen_ms >= ?)");
    sl_statement_bind_text(&statement, job->device);
    sl_statement_bind_text(&statement, job->host);
    sl_statement_bind_u64(&statement, alive_since(request));
    while ((rc = sl_statement_step(&statement)) == 1 &&
           !sl_device_kind_traits(sl_statement_int(&statement, 0)).needs_push)
        ;
    sl_statement_fini(&statement);
    return rc;
}

void sl_host_table_list_devices(struct sl_request *request, struct sl_database *db)
{
    static const char columns[] = SL_DEVICE_COLUMNS(SL_SQL_NAME);
    char sql[1024];
    struct sl_statement statement;
    bool more = false;
    request->rows = sl_calloc(SL_MAX_DEVICES, sizeof(struct sl_device_record));
    if (!request->rows) {
        request->rc = -ENOMEM;
        return;
    }
    snprintf(sql, sizeof(sql),
             "SELECT %s FROM host_devices WHERE host <> ? AND host IN (SELECT hosts.name FROM "
             "hosts WHERE seen_ms >= ?) ORDER BY name, host LIMIT ?",
             columns + 2); /* without the first comma */
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_text(&statement, request->host->name);
    sl_statement_bind_u64(&statement, alive_since(request));
    sl_statement_bind_u64(&statement, SL_MAX_DEVICES);
    request->rc = sl_statement_page(&statement, &sl_device_columns, request->rows, SL_MAX_DEVICES,
                                    &request->count, &more);
}
