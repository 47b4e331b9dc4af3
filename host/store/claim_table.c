/* host/store/claim_table.c */
#include "host/store/claim_table.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/records.h"
#include "host/spec/columns.h"
#include "host/store/attempt_table.h"
#include "host/store/database.h"
#include "host/store/directory_id.h"
#include "host/store/host_table.h"
#include "host/store/job_table.h"
#include "host/store/request.h"
#include "host/store/run_end.h"
#include "host/store/run_table.h"
#include "host/store/statement.h"

#define SELECT "SELECT id" SL_JOB_COLUMNS(SL_SQL_NAME) " FROM jobs "

static uint64_t lease_end(const struct sl_request *request)
{
    return request->now_ms + request->host->lease_ms;
}

/* Why a write changed nothing. */
static int why_not(struct sl_database *db, uint64_t job)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT 1 FROM jobs WHERE id = ?");
    sl_statement_bind_u64(&statement, job);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc < 0 ? rc : rc == 1 ? SL_E_MISMATCH : SL_E_NOT_FOUND;
}

/* A job that goes back to the queue goes there with the wish of somebody elsewhere to cancel it:
 * the row is this transaction's from here on, so no wish comes in between. */
static int take_wish(struct sl_database *db, struct sl_job_record *job)
{
    struct sl_statement statement;
    if (job->state != SL_JOB_QUEUED)
        return 0;
    sl_statement_init(&statement, db,
                      "UPDATE jobs SET cancel_wanted = cancel_wanted WHERE id = ? AND state <= 1 "
                      "RETURNING cancel_wanted");
    sl_statement_bind_u64(&statement, job->id);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        job->cancel_wanted = job->cancel_wanted || sl_statement_int(&statement, 0) != 0;
    sl_statement_fini(&statement);
    return rc < 0 ? rc : 0;
}

/* A lost job that waits has a lease too, where its result may be kept: until then it is meant for
 * the devices of that name (host/job/rest.h). */
static int lease_row(const struct sl_request *request, struct sl_database *db, bool expired,
                     struct sl_job_record *row)
{
    bool lost = expired && row->state == SL_JOB_QUEUED;
    int rc = lost ? sl_host_table_may_keep(request, db, row) : 0;
    row->lease_until_ms = row->state == SL_JOB_RUNNING || rc == 1 ? lease_end(request) : 0;
    return rc < 0 ? rc : 0;
}

/* With `expired` the row of a job that another host lost. 0, SL_E_MISMATCH, SL_E_NOT_FOUND or the
 * database's code. */
static int write_job(const struct sl_request *request, struct sl_database *db,
                     const struct sl_job_record *job, bool expired)
{
    static const char sql[] = "UPDATE jobs SET changed_by = ?" SL_JOB_COLUMNS(
        SL_SQL_SET) " WHERE id = ? AND "
                    "attempts <= ? AND ((state = 0 AND ? = 0) OR (state = 1 AND host = ? AND "
                    "lease_until_ms < "
                    "?)) RETURNING id";
    struct sl_statement statement;
    struct sl_job_record row = *job;
    uint64_t id;
    int rc = take_wish(db, &row);
    if (rc == 0)
        rc = lease_row(request, db, expired, &row);
    if (rc < 0)
        return rc;
    row.written_ms = request->now_ms;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_text(&statement, request->host->name);
    sl_statement_bind(&statement, &sl_job_columns, &row);
    sl_statement_bind_u64(&statement, job->id);
    sl_statement_bind_i64(&statement, job->attempts);
    sl_statement_bind_i64(&statement, expired);
    sl_statement_bind_text(&statement, expired ? job->host : request->host->name);
    sl_statement_bind_u64(&statement, expired ? request->now_ms : INT64_MAX);
    rc = sl_statement_write(&statement, SL_E_MISMATCH, &id);
    if (rc == SL_E_MISMATCH)
        return why_not(db, job->id);
    return rc < 0 ? rc : sl_attempt_table_note(db, job);
}

void sl_claim_table_update(struct sl_request *request, struct sl_database *db)
{
    request->id = request->job.id;
    request->rc = write_job(request, db, &request->job, false);
}

/* None while this host's runs would go into the place where their directory is not mounted.
 * The second half: the answer to an earlier claim was lost, or the store has not heard how the
 * attempt before ended. */
void sl_claim_table_claim(struct sl_request *request, struct sl_database *db)
{
    static const char sql[] =
        "UPDATE jobs SET state = 1, cause = 0, attempts = ?, started_ms = ?, device = ?, host = ?, "
        "lease_until_ms = ?, written_ms = ?, changed_by = ? WHERE id = ? AND ((state = 0 AND "
        "cancel_wanted = 0 AND attempts = ?) OR (state = 1 AND host = ? AND (attempts = ? OR "
        "attempts = ?))) RETURNING id";
    const char *host = request->host->name;
    struct sl_job_record job = request->job;
    struct sl_statement statement;
    if (!sl_directory_id_is_there(db)) {
        request->rc = SL_E_STATE;
        return;
    }
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_i64(&statement, job.attempts);
    sl_statement_bind_u64(&statement, job.started_ms);
    sl_statement_bind_text(&statement, job.device);
    sl_statement_bind_text(&statement, host);
    sl_statement_bind_u64(&statement, lease_end(request));
    sl_statement_bind_u64(&statement, request->now_ms);
    sl_statement_bind_text(&statement, host);
    sl_statement_bind_u64(&statement, job.id);
    sl_statement_bind_i64(&statement, (int64_t)job.attempts - 1);
    sl_statement_bind_text(&statement, host);
    sl_statement_bind_i64(&statement, (int64_t)job.attempts - 1);
    sl_statement_bind_i64(&statement, job.attempts);
    request->rc = sl_statement_write(&statement, SL_E_MISMATCH, &request->id);
    if (request->rc == SL_E_MISMATCH)
        request->rc = why_not(db, job.id);
    if (request->rc < 0)
        return;
    sl_job_table_get(request, db);
    if (request->rc == 0)
        request->rc = sl_attempt_table_note(db, &request->job);
}

static int note_run(struct sl_store_ending *ending, struct sl_database *db, const char *host)
{
    struct sl_statement statement;
    struct sl_run_record run = ending->run;
    struct sl_job_record *job = &ending->job;
    uint64_t id;
    snprintf(run.host, sizeof(run.host), "%s", host);
    int rc = sl_run_table_insert(db, &run, &job->run);
    if (rc < 0)
        return rc;
    sl_statement_init(&statement, db, "UPDATE jobs SET run = ? WHERE id = ? RETURNING id");
    sl_statement_bind_u64(&statement, job->run);
    sl_statement_bind_u64(&statement, job->id);
    rc = sl_statement_write(&statement, SL_E_NOT_FOUND, &id);
    return rc < 0 ? rc : sl_attempt_table_note(db, job);
}

/* A run that lies whole in a shared directory has ended: its host died before it told the store. A
 * run that was found is not looked for again. */
void sl_claim_table_look(struct sl_request *request, struct sl_database *db)
{
    struct sl_store_ending *ending = &request->ending;
    struct sl_job_record *job = &ending->job;
    struct sl_run_end end;
    if (!ending->expired || ending->has_run || job->cancel_wanted)
        return;
    ending->looked = sl_directory_id_gone(db) ? SL_E_STATE : sl_run_end_find(db, job, &end);
    if (ending->looked != 1)
        return;
    ending->run = end.run;
    ending->has_run = true;
    job->state = end.cause == SL_CAUSE_NONE ? SL_JOB_DONE : SL_JOB_FAILED;
    job->cause = end.cause;
    job->ended_ms = end.ended_ms;
    memcpy(job->detail, end.detail, sizeof(job->detail));
}

/* The lost job's detail says that no run was found. */
static void tell_no_run(struct sl_job_record *job)
{
    size_t said = strlen(job->detail);
    snprintf(job->detail + said, sizeof(job->detail) - said,
             ", and this host's directory has no whole run of it");
}

void sl_claim_table_end(struct sl_request *request, struct sl_database *db)
{
    struct sl_store_ending ending = request->ending;
    bool looks = ending.has_run || ending.expired;
    if (looks && !sl_directory_id_is_there(db)) { /* it is told again when that is back */
        request->rc = SL_E_STATE;
        return;
    }
    int rc = sl_database_part_begin(db);
    if (rc == 0 && ending.looked < 0)
        rc = ending.looked;
    if (ending.expired && !ending.has_run && !ending.job.cancel_wanted)
        tell_no_run(&ending.job);
    if (rc == 0)
        rc = write_job(request, db, &ending.job, ending.expired);
    if (rc == 0 && ending.has_run)
        rc = note_run(&ending, db, ending.expired ? ending.job.host : request->host->name);
    request->rc = sl_database_part_end(db, rc);
    request->id = request->rc == 0 ? ending.job.run : 0;
}

void sl_claim_table_want_cancel(struct sl_request *request, struct sl_database *db)
{
#define WANT                                                                                       \
    "UPDATE jobs SET cancel_wanted = 1, written_ms = ?1, changed_by = ?2 WHERE state <= 1 AND "
#define WANTED "(id = ?3 OR (?4 > 0 AND group_id = ?4))"
    /* each row in turn, so that two who do so never wait for one another */
    static const char in_turn[] =
        WANT "id IN (SELECT id FROM jobs WHERE state <= 1 AND " WANTED " ORDER BY id FOR UPDATE)";
    static const char at_once[] = WANT WANTED;
    struct sl_statement statement;
    sl_statement_init(&statement, db, db->shared ? in_turn : at_once);
    sl_statement_bind_u64(&statement, request->now_ms);
    sl_statement_bind_text(&statement, request->host->name);
    sl_statement_bind_u64(&statement, request->jobs_filter.cursor);
    sl_statement_bind_u64(&statement, request->jobs_filter.group);
#undef WANT
#undef WANTED
    request->rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
}

void sl_claim_table_list_changed(struct sl_request *request, struct sl_database *db)
{
    static const char sql[] = SELECT "WHERE written_ms >= ?1 AND (written_ms > ?1 OR id > ?2) AND "
                                     "changed_by <> ?3 ORDER BY written_ms, id LIMIT ?4";
    const struct sl_changed_filter filter = request->changed_filter;
    struct sl_statement statement;
    size_t limit = sl_request_rows(request, filter.limit, sizeof(struct sl_job_record));
    bool more = false;
    if (limit == 0)
        return;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_u64(&statement, filter.since_ms);
    sl_statement_bind_u64(&statement, filter.after_job);
    sl_statement_bind_text(&statement, request->host->name);
    sl_statement_bind_u64(&statement, limit + 1); /* one more tells whether the list goes on */
    request->rc = sl_statement_page(&statement, &sl_job_columns, request->rows, limit,
                                    &request->count, &more);
    if (more)
        request->next_cursor = ((const struct sl_job_record *)request->rows)[request->count - 1].id;
}

/* Jobs that ran when an earlier version ended are the first host's to ask; and all are a host's
 * that is alone: its state directory is another's copy, or its name was lost. A row that somebody
 * is about to change is not waited for: there are more beats in a lease. */
static int renew(const struct sl_request *request, struct sl_database *db)
{
#define RENEW "UPDATE jobs SET host = ?1, lease_until_ms = ?2 WHERE state = 1 AND "
#define OWN "(host = ?1 OR host = '' OR ?3 = 1)"
    static const char free_ones[] = RENEW "id IN (SELECT id FROM jobs WHERE state = 1 AND " OWN
                                          " ORDER BY id FOR UPDATE SKIP LOCKED)";
    static const char all[] = RENEW OWN;
    struct sl_statement statement;
    sl_statement_init(&statement, db, db->shared ? free_ones : all);
    sl_statement_bind_text(&statement, request->host->name);
    sl_statement_bind_u64(&statement, lease_end(request));
    sl_statement_bind_i64(&statement, request->host->alone);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc;
#undef RENEW
#undef OWN
}

/* The jobs that other hosts lost. One whose host shared its directory of runs with a living one is
 * that one's for a lease: the whole run may lie there. */
static void list_lost(struct sl_request *request, struct sl_database *db, size_t limit)
{
    static const char sql[] = SELECT
        "WHERE state = 1 AND lease_until_ms < ?1 AND host <> ?2 AND (lease_until_ms < ?3 OR host "
        "IN (" SL_SQL_SHARING("?4") ") OR host NOT IN (SELECT dead.host FROM host_directories AS "
                                    "dead JOIN host_directories AS heir ON heir.directory = "
                                    "dead.directory AND heir.host <> "
                                    "dead.host WHERE heir.heard_ms >= ?3)) ORDER BY id LIMIT ?5";
    uint64_t lease_ms = request->host->lease_ms;
    struct sl_statement statement;
    bool more = false;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_u64(&statement, request->now_ms);
    sl_statement_bind_text(&statement, request->host->name);
    sl_statement_bind_u64(&statement, request->now_ms > lease_ms ? request->now_ms - lease_ms : 0);
    sl_statement_bind_text(&statement, db->directory_id);
    sl_statement_bind_u64(&statement, limit);
    request->rc = sl_statement_page(&statement, &sl_job_columns, request->rows, limit,
                                    &request->count, &more);
}

void sl_claim_table_beat(struct sl_request *request, struct sl_database *db)
{
    size_t limit = sl_request_rows(request, 0, sizeof(struct sl_job_record));
    if (limit == 0)
        return;
    request->rc = sl_host_table_take_name(request, db);
    if (request->rc == 0)
        request->rc = sl_host_table_note(request, db);
    if (request->rc == 0)
        request->rc = renew(request, db);
    if (request->rc == 0)
        list_lost(request, db, limit);
}
