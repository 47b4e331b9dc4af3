/* host/store/run_table.c */
#include "host/store/run_table.h"

#include "common/base/error.h"
#include "host/store/request.h"
#include "host/store/statement.h"

static void read_record(struct sl_statement *statement, void *row)
{
    struct sl_run_record *run = row;
    *run = (struct sl_run_record){
        .id = sl_statement_u64(statement, 0),
        .job = sl_statement_u64(statement, 1),
        .started_ms = sl_statement_u64(statement, 2),
        .ended_ms = sl_statement_u64(statement, 3),
        .device_kind = sl_statement_int(statement, 4),
        .ratio = sl_statement_f64(statement, 9),
        .exit_code = sl_statement_int(statement, 12),
        .baseline = sl_statement_f64(statement, 13),
        .candidate = sl_statement_f64(statement, 14),
    };
    sl_statement_text(statement, 5, run->model, sizeof(run->model));
    sl_statement_text(statement, 6, run->model_sha256, sizeof(run->model_sha256));
    sl_statement_text(statement, 7, run->device, sizeof(run->device));
    sl_statement_text(statement, 8, run->verdict, sizeof(run->verdict));
    sl_statement_text(statement, 10, run->directory, sizeof(run->directory));
    sl_statement_text(statement, 11, run->series, sizeof(run->series));
}

void sl_run_table_add(struct sl_request *request, sqlite3 *db)
{
    const struct sl_run_record *run = &request->run;
    struct sl_statement statement;
    sl_statement_init(&statement, db,
                      "INSERT INTO runs (job, started_ms, ended_ms, device_kind, model, "
                      "model_sha256, device, verdict, ratio,"
                      " directory, series, exit_code, baseline, candidate) VALUES "
                      "(?,?,?,?,?,?,?,?,?,?,?,?,?,?) RETURNING id");
    sl_statement_bind_u64(&statement, run->job);
    sl_statement_bind_u64(&statement, run->started_ms);
    sl_statement_bind_u64(&statement, run->ended_ms);
    sl_statement_bind_i64(&statement, run->device_kind);
    sl_statement_bind_text(&statement, run->model);
    sl_statement_bind_text(&statement, run->model_sha256);
    sl_statement_bind_text(&statement, run->device);
    sl_statement_bind_text(&statement, run->verdict);
    sl_statement_bind_f64(&statement, run->ratio);
    sl_statement_bind_text(&statement, run->directory);
    sl_statement_bind_text(&statement, run->series);
    sl_statement_bind_i64(&statement, run->exit_code);
    sl_statement_bind_f64(&statement, run->baseline);
    sl_statement_bind_f64(&statement, run->candidate);
    request->rc = sl_statement_write(&statement, SL_E_FORMAT, &request->id);
}

void sl_run_table_remove(struct sl_request *request, sqlite3 *db)
{
    struct sl_statement statement;
    uint64_t id = request->id, job = 0;
    sl_statement_init(&statement, db, "UPDATE jobs SET run = 0 WHERE run = ? RETURNING id");
    sl_statement_bind_u64(&statement, id);
    request->rc = sl_statement_write(&statement, 0, &job); /* none has it: an imported run */
    if (request->rc < 0)
        return;
    sl_statement_init(&statement, db, "DELETE FROM runs WHERE id = ? RETURNING id");
    sl_statement_bind_u64(&statement, id);
    request->rc = sl_statement_write(&statement, SL_E_NOT_FOUND, &request->id);
}

/* One statement for every filter: what is empty matches all. The planner walks the primary key
 * backwards, so a page costs what it skips; the indexes on model and device serve the rare ones. */
static const char *list_sql(const struct sl_runs_filter *filter)
{
#define SELECT                                                                                     \
    "SELECT id, job, started_ms, ended_ms, device_kind, model, model_sha256, device, verdict, "    \
    "ratio, directory, series, exit_code, baseline, candidate FROM runs "
#define REST                                                                                       \
    " id < ?1 AND (?2 = 0 OR id = ?2) AND (?3 = 0 OR job = ?3) AND (?4 = '' OR model = ?4) AND "   \
    "(?5 = '' OR device = ?5)"                                                                     \
    " AND started_ms >= ?6 AND (?8 = '' OR series = ?8) AND (?9 = '' OR EXISTS (SELECT 1 FROM "    \
    "jobs, json_each(jobs.config, '$.labels') AS label WHERE jobs.id = runs.job AND label.key = "  \
    "?9 AND label.value = ?10)) ORDER BY id DESC LIMIT ?7"
    if (filter->id != 0)
        return SELECT "WHERE id = ?2 AND" REST;
    if (filter->job != 0)
        return SELECT "INDEXED BY runs_job WHERE job = ?3 AND" REST;
    if (filter->series[0])
        return SELECT "INDEXED BY runs_series WHERE series = ?8 AND" REST;
    if (filter->newest_of_series)
        return SELECT "WHERE series <> '' AND id = (SELECT MAX(id) FROM runs AS other WHERE "
                      "other.series = runs.series) AND" REST;
    if (filter->model[0])
        return SELECT "INDEXED BY runs_model WHERE model = ?4 AND" REST;
    if (filter->device[0])
        return SELECT "INDEXED BY runs_device WHERE device = ?5 AND" REST;
    return SELECT "WHERE" REST;
#undef SELECT
#undef REST
}

void sl_run_table_list(struct sl_request *request, sqlite3 *db)
{
    const struct sl_runs_filter filter = request->runs_filter;
    struct sl_statement statement;
    size_t limit = sl_request_rows(request, filter.limit, sizeof(struct sl_run_record));
    bool more = false;
    if (limit == 0)
        return;
    sl_statement_init(&statement, db, list_sql(&filter));
    sl_statement_bind_u64(&statement, filter.cursor != 0 ? filter.cursor : INT64_MAX);
    sl_statement_bind_u64(&statement, filter.id);
    sl_statement_bind_u64(&statement, filter.job);
    sl_statement_bind_text(&statement, filter.model);
    sl_statement_bind_text(&statement, filter.device);
    sl_statement_bind_u64(&statement, filter.since_ms);
    sl_statement_bind_u64(&statement, limit + 1);
    sl_statement_bind_text(&statement, filter.series);
    sl_statement_bind_text(&statement, filter.label);
    sl_statement_bind_text(&statement, filter.value);
    request->rc = sl_statement_page(&statement, read_record, request->rows,
                                    sizeof(struct sl_run_record), limit, &request->count, &more);
    if (more)
        request->next_cursor = ((const struct sl_run_record *)request->rows)[request->count - 1].id;
}
