/* host/store/attempt_table.c */
#include "host/store/attempt_table.h"

#include <stdint.h>

#include "common/base/clock.h"
#include "host/records.h"
#include "host/spec/columns.h"
#include "host/store/request.h"
#include "host/store/statement.h"

/* One whose end was not written down ended when the next began. */
static int end_earlier(struct sl_database *db, const struct sl_job_record *job)
{
    struct sl_statement statement;
    sl_statement_init(
        &statement, db,
        "UPDATE attempts SET ended_ms = CASE WHEN started_ms > ?1 THEN started_ms ELSE "
        "?1 END, cause = ?2 WHERE job = ?3 "
        "AND number < ?4 AND ended_ms = 0");
    sl_statement_bind_u64(&statement, job->started_ms);
    sl_statement_bind_i64(&statement, SL_CAUSE_LAB);
    sl_statement_bind_u64(&statement, job->id);
    sl_statement_bind_i64(&statement, job->attempts);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc;
}

int sl_attempt_table_note(struct sl_database *db, const struct sl_job_record *job)
{
    struct sl_statement statement;
    bool running = job->state == SL_JOB_RUNNING;
    uint64_t ended_ms = running ? 0 : job->ended_ms > 0 ? job->ended_ms : sl_clock_utc_ms();
    if (job->attempts == 0)
        return 0;
    int rc = end_earlier(db, job);
    if (rc < 0)
        return rc;
    sl_statement_init(
        &statement, db,
        "INSERT INTO attempts (job, number, device, started_ms, ended_ms, cause, detail, run, "
        "host) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job, number) DO UPDATE SET ended_ms = "
        "excluded.ended_ms, cause = excluded.cause, detail = excluded.detail, run = excluded.run "
        "WHERE attempts.ended_ms = 0 OR excluded.run > 0");
    sl_statement_bind_u64(&statement, job->id);
    sl_statement_bind_i64(&statement, job->attempts);
    sl_statement_bind_text(&statement, job->device);
    sl_statement_bind_u64(&statement, job->started_ms);
    sl_statement_bind_u64(&statement, ended_ms);
    sl_statement_bind_i64(&statement, running ? SL_CAUSE_NONE : job->cause);
    sl_statement_bind_text(&statement, running ? "" : job->detail);
    sl_statement_bind_u64(&statement, running ? 0 : job->run);
    sl_statement_bind_text(&statement, job->host);
    rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc;
}

void sl_attempt_table_list(struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    size_t limit = sl_request_rows(request, 0, sizeof(struct sl_attempt_record));
    bool more = false;
    if (limit == 0)
        return;
    sl_statement_init(&statement, db,
                      "SELECT number" SL_ATTEMPT_COLUMNS(
                          SL_SQL_NAME) " FROM attempts WHERE job = ? ORDER BY number");
    sl_statement_bind_u64(&statement, request->id);
    request->rc = sl_statement_page(&statement, &sl_attempt_columns, request->rows, limit,
                                    &request->count, &more);
}
