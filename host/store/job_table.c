/* host/store/job_table.c */
#include "host/store/job_table.h"

#include <errno.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/request.h"
#include "host/store/statement.h"

#define COLUMNS                                                                                    \
    "id, state, cause, priority, attempts, submitted_ms, started_ms, ended_ms, lease_until_ms, "   \
    "run, cancel_wanted, "                                                                         \
    "selector, device, detail"

static void bind_record(struct sl_statement *statement, const struct sl_job_record *job)
{
    sl_statement_bind_i64(statement, job->state);
    sl_statement_bind_i64(statement, job->cause);
    sl_statement_bind_i64(statement, job->priority);
    sl_statement_bind_i64(statement, job->attempts);
    sl_statement_bind_u64(statement, job->submitted_ms);
    sl_statement_bind_u64(statement, job->started_ms);
    sl_statement_bind_u64(statement, job->ended_ms);
    sl_statement_bind_u64(statement, job->lease_until_ms);
    sl_statement_bind_u64(statement, job->run);
    sl_statement_bind_i64(statement, job->cancel_wanted);
    sl_statement_bind_text(statement, job->selector);
    sl_statement_bind_text(statement, job->device);
    sl_statement_bind_text(statement, job->detail);
}

static void read_record(struct sl_statement *statement, void *row)
{
    struct sl_job_record *job = row;
    *job = (struct sl_job_record){
        .id = sl_statement_u64(statement, 0),
        .state = sl_statement_int(statement, 1),
        .cause = sl_statement_int(statement, 2),
        .priority = sl_statement_int(statement, 3),
        .attempts = (uint32_t)sl_statement_u64(statement, 4),
        .submitted_ms = sl_statement_u64(statement, 5),
        .started_ms = sl_statement_u64(statement, 6),
        .ended_ms = sl_statement_u64(statement, 7),
        .lease_until_ms = sl_statement_u64(statement, 8),
        .run = sl_statement_u64(statement, 9),
        .cancel_wanted = sl_statement_int(statement, 10) != 0,
    };
    sl_statement_text(statement, 11, job->selector, sizeof(job->selector));
    sl_statement_text(statement, 12, job->device, sizeof(job->device));
    sl_statement_text(statement, 13, job->detail, sizeof(job->detail));
}

/* The job that an earlier request with the same key added: 1, 0 for none, or a failure;
 * SL_E_MISMATCH if it asked for something else. */
static int find_by_key(struct sl_request *request, sqlite3 *db)
{
    struct sl_statement statement;
    if (!request->key)
        return 0;
    sl_statement_init(&statement, db, "SELECT id, config = ? FROM jobs WHERE idempotency_key = ?");
    sl_statement_bind_text(&statement, request->config);
    sl_statement_bind_text(&statement, request->key);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        request->id = sl_statement_u64(&statement, 0);
    if (rc == 1 && sl_statement_int(&statement, 1) == 0)
        rc = SL_E_MISMATCH;
    sl_statement_fini(&statement);
    return rc;
}

void sl_job_table_add(struct sl_request *request, sqlite3 *db)
{
    struct sl_statement statement;
    int found = find_by_key(request, db);
    if (found != 0) {
        request->rc = found;
        return;
    }
    sl_statement_init(&statement, db,
                      "INSERT INTO jobs (state, cause, priority, attempts, submitted_ms, "
                      "started_ms, ended_ms, lease_until_ms,"
                      " run, cancel_wanted, selector, device, detail, config, idempotency_key)"
                      " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) RETURNING id");
    bind_record(&statement, &request->job);
    sl_statement_bind_text(&statement, request->config);
    sl_statement_bind_text(&statement, request->key);
    request->rc = sl_statement_write(&statement, SL_E_FORMAT, &request->id);
}

void sl_job_table_find(struct sl_request *request, sqlite3 *db)
{
    int found = find_by_key(request, db);
    request->rc = found == 0 ? SL_E_NOT_FOUND : found < 0 ? found : 0;
}

void sl_job_table_update(struct sl_request *request, sqlite3 *db)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db,
                      "UPDATE jobs SET state=?, cause=?, priority=?, attempts=?, submitted_ms=?, "
                      "started_ms=?, ended_ms=?,"
                      " lease_until_ms=?, run=?, cancel_wanted=?, selector=?, device=?, detail=? "
                      "WHERE id=? RETURNING id");
    bind_record(&statement, &request->job);
    sl_statement_bind_u64(&statement, request->job.id);
    request->rc = sl_statement_write(&statement, SL_E_NOT_FOUND, &request->id);
}

void sl_job_table_get(struct sl_request *request, sqlite3 *db)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT " COLUMNS ", config FROM jobs WHERE id = ?");
    sl_statement_bind_u64(&statement, request->id);
    int rc = sl_statement_step(&statement);
    request->rc = rc == 0 ? SL_E_NOT_FOUND : rc < 0 ? rc : 0;
    if (rc == 1) {
        read_record(&statement, &request->job);
        request->config = sl_malloc(SL_STORE_MAX_CONFIG_BYTES + 1, 1);
        if (request->config)
            sl_statement_text(&statement, 14, request->config, SL_STORE_MAX_CONFIG_BYTES + 1);
        else
            request->rc = -ENOMEM;
    }
    sl_statement_fini(&statement);
}

static const char *list_sql(const struct sl_jobs_filter *filter)
{
    if (filter->open_only)
        return "SELECT " COLUMNS
               " FROM jobs WHERE state <= 1 AND id > ?1 AND ?2 = ?2 ORDER BY id LIMIT ?3";
    if (filter->state >= 0)
        return "SELECT " COLUMNS
               " FROM jobs WHERE id < ?1 AND state = ?2 ORDER BY id DESC LIMIT ?3";
    return "SELECT " COLUMNS " FROM jobs WHERE id < ?1 AND ?2 = ?2 ORDER BY id DESC LIMIT ?3";
}

void sl_job_table_list(struct sl_request *request, sqlite3 *db)
{
    const struct sl_jobs_filter filter = request->jobs_filter;
    struct sl_statement statement;
    size_t limit = sl_request_rows(request, filter.limit, sizeof(struct sl_job_record));
    bool more = false;
    if (limit == 0)
        return;
    sl_statement_init(&statement, db, list_sql(&filter));
    sl_statement_bind_u64(&statement,
                          filter.cursor != 0 || filter.open_only ? filter.cursor : INT64_MAX);
    sl_statement_bind_i64(&statement, filter.state);
    sl_statement_bind_u64(&statement, limit + 1); /* one more tells whether the list goes on */
    request->rc = sl_statement_page(&statement, read_record, request->rows,
                                    sizeof(struct sl_job_record), limit, &request->count, &more);
    if (more)
        request->next_cursor = ((const struct sl_job_record *)request->rows)[request->count - 1].id;
}
