/* host/store/run_table.c */
#include "host/store/run_table.h"

#include <errno.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "host/spec/columns.h"
#include "host/store/database.h"
#include "host/store/directory_id.h"
#include "host/store/figures.h"
#include "host/store/host_table.h"
#include "host/store/request.h"
#include "host/store/statement.h"

/* A run is one without them too: fsck tells of it, and mends it once its files can be read. */
static void fill_figures(struct sl_database *db, uint64_t run)
{
    int rc = sl_figures_fill(db, run);
    if (rc < 0 && rc != SL_E_NOT_FOUND)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("figures_not_stored"), SL_LOG_NUMBER("run", run),
               SL_LOG_REASON(sl_strerror(rc)));
}

int sl_run_table_insert(struct sl_database *db, const struct sl_run_record *run, uint64_t *out_id)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db,
                      "INSERT INTO runs (labelled" SL_RUN_COLUMNS(
                          SL_SQL_NAME) ") VALUES (0" SL_RUN_COLUMNS(SL_SQL_MARK) ") RETURNING id");
    sl_statement_bind(&statement, &sl_run_columns, run);
    int rc = sl_statement_write(&statement, SL_E_FORMAT, out_id);
    if (rc == 0)
        fill_figures(db, *out_id);
    return rc;
}

void sl_run_table_add(struct sl_request *request, struct sl_database *db)
{
    request->rc = sl_run_table_insert(db, &request->run, &request->id);
}

/* One statement for every filter: what is empty matches all. The planner walks the primary key
 * backwards, so a page costs what it skips; the indexes on model and device serve the rare ones. */
/* A series that a phone took over is found by its former name too. */
#define ASKED_SERIES                                                                               \
    "coalesce((SELECT series FROM runs WHERE series = ?8 LIMIT 1), (SELECT series FROM "           \
    "series_taken_over WHERE former = ?8 ORDER BY run LIMIT 1))"

static const char *list_sql(const struct sl_runs_filter *filter)
{
#define SELECT "SELECT id" SL_RUN_COLUMNS(SL_SQL_NAME) " FROM runs "
#define REST                                                                                       \
    " id < ?1 AND (?2 = 0 OR id = ?2) AND (?3 = 0 OR job = ?3) AND (?4 = '' OR model = ?4) AND "   \
    "(?5 = '' OR device = ?5)"                                                                     \
    " AND started_ms >= ?6 AND (?9 = '' OR EXISTS (SELECT 1 FROM "                                 \
    "labels WHERE run = runs.id AND key = ?9 AND value = ?10)) ORDER BY id DESC LIMIT ?7"
    if (filter->id != 0)
        return SELECT "WHERE id = ?2 AND" REST;
    if (filter->job != 0)
        return SELECT "INDEXED BY runs_job WHERE job = ?3 AND" REST;
    if (filter->series[0])
        return SELECT "INDEXED BY runs_series WHERE series = " ASKED_SERIES " AND" REST;
    if (filter->newest_of_series)
        return SELECT "WHERE series <> '' AND id = (SELECT id FROM runs AS other INDEXED BY "
                      "runs_series_start WHERE other.series = runs.series ORDER BY started_ms "
                      "DESC, id DESC LIMIT 1) AND" REST;
    if (filter->model[0])
        return SELECT "INDEXED BY runs_model WHERE model = ?4 AND" REST;
    if (filter->device[0])
        return SELECT "INDEXED BY runs_device WHERE device = ?5 AND" REST;
    return SELECT "WHERE" REST;
#undef SELECT
#undef REST
}

void sl_run_table_list(struct sl_request *request, struct sl_database *db)
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
    request->rc = sl_statement_page(&statement, &sl_run_columns, request->rows, limit,
                                    &request->count, &more);
    if (more)
        request->next_cursor = ((const struct sl_run_record *)request->rows)[request->count - 1].id;
}

/* How many that began later its series has, counted up to `most`: an import brings old runs in
 * under new ids. */
#define NEWER(most)                                                                                \
    "(SELECT count(*) FROM (SELECT 1 FROM runs AS newer INDEXED BY runs_series_start WHERE "       \
    "newer.series = runs.series AND runs.series <> '' AND (newer.started_ms, newer.id) > "         \
    "(runs.started_ms, runs.id) LIMIT " most ") AS newest)"

/* SL_STORE_MAX_KEEP_LABELS of them. */
enum { FIRST_RULE = 3, FIRST_KEPT = 7 };
#define KEPT "?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22"

#define SELECT_RUNS "SELECT id" SL_RUN_COLUMNS(SL_SQL_NAME) " FROM runs "
#define IS_OLD "((started_ms < ?3 AND " NEWER("?4") " >= ?4) OR (?5 > 0 AND " NEWER("?5") " >= ?5))"
#define IS_KEPT                                                                                    \
    "EXISTS (SELECT 1 FROM labels WHERE run = runs.id AND (key IN (" KEPT                          \
    ") OR key || '=' || value IN (" KEPT ")))"

/* The last run of the look; 0: the last of all. */
static int end_of_look(struct sl_database *db, uint64_t cursor, size_t count, uint64_t *out)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db,
                      "SELECT id FROM runs WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?");
    sl_statement_bind_u64(&statement, cursor);
    sl_statement_bind_u64(&statement, count - 1);
    int rc = sl_statement_step(&statement);
    *out = rc == 1 ? sl_statement_u64(&statement, 0) : 0;
    sl_statement_fini(&statement);
    return rc < 0 ? rc : 0;
}

/* The labels that keep a run, for the statement's parameters from ?7 on; those that are not given
 * keep none. */
static void bind_labels(struct sl_statement *statement, const struct sl_store_retention *wish)
{
    for (size_t i = 0; i < SL_STORE_MAX_KEEP_LABELS; i++)
        sl_statement_bind_text(statement, i < wish->label_count ? wish->labels[i] : NULL);
}

void sl_run_table_list_expired(struct sl_request *request, struct sl_database *db)
{
    static const char sql[] = SELECT_RUNS
        "WHERE id > ?1 AND (?2 = 0 OR id <= ?2) AND pinned = 0 AND " IS_OLD " AND NOT " IS_KEPT
        " AND (?23 IS NULL OR host = ?23 OR host = '' OR host IN (" SL_SQL_SHARING(
            "?24") " AND heard_ms < ?25)) ORDER BY id LIMIT ?6";
    const struct sl_store_retention wish = request->retention;
    struct sl_statement statement;
    uint64_t last = 0;
    bool more = false;
    size_t limit = sl_request_rows(request, 0, sizeof(struct sl_run_record));
    if (limit == 0)
        return;
    if (!sl_directory_id_is_there(db)) {
        request->rc = SL_E_STATE;
        return;
    }
    request->rc = end_of_look(db, wish.cursor, limit, &last);
    if (request->rc < 0)
        return;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_u64(&statement, wish.cursor);
    sl_statement_bind_u64(&statement, last);
    sl_statement_bind_u64(&statement, wish.before_ms);
    sl_statement_bind_u64(&statement, wish.newest);
    sl_statement_bind_u64(&statement, wish.per_series);
    sl_statement_bind_u64(&statement, limit);
    bind_labels(&statement, &wish);
    /* Files of another host's are not here, or are that host's to remove as long as it lives. */
    sl_statement_bind_text(&statement, db->shared ? request->host->name : NULL);
    sl_statement_bind_text(&statement, db->directory_id);
    sl_statement_bind_u64(&statement, request->now_ms > SL_HOST_FORGOTTEN_MS
                                          ? request->now_ms - SL_HOST_FORGOTTEN_MS
                                          : 0);
    request->rc = sl_statement_page(&statement, &sl_run_columns, request->rows, limit,
                                    &request->count, &more);
    request->next_cursor = last;
}

/* 1: it stays. The keeper's list of old runs may be from before a pin, or before newer runs went.
 */
static int is_kept(struct sl_database *db, uint64_t id, const struct sl_store_retention *rules)
{
    static const char sql[] = "SELECT 1 FROM runs WHERE id = ?1 AND (pinned <> 0 OR " IS_KEPT
                              " OR ((?3 > 0 OR ?5 > 0) AND NOT " IS_OLD "))";
    struct sl_statement statement;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_u64(&statement, id);
    statement.next = FIRST_RULE;
    sl_statement_bind_u64(&statement, rules->before_ms);
    sl_statement_bind_u64(&statement, rules->newest);
    sl_statement_bind_u64(&statement, rules->per_series);
    statement.next = FIRST_KEPT;
    bind_labels(&statement, rules);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc;
}

/* 1: it is another host's, and its files are not here. */
static int is_elsewhere(const struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    if (!db->shared)
        return 0;
    if (!sl_directory_id_is_there(db))
        return SL_E_STATE;
    sl_statement_init(
        &statement, db,
        "SELECT 1 FROM runs WHERE id = ? AND host <> '' AND host <> ? AND host NOT IN "
        "(" SL_SQL_SHARING("?") ")");
    sl_statement_bind_u64(&statement, request->id);
    sl_statement_bind_text(&statement, request->host->name);
    sl_statement_bind_text(&statement, db->directory_id);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc;
}

void sl_run_table_remove(struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    uint64_t id = request->id, job = 0;
    int rc = is_kept(db, id, &request->retention);
    request->rc = rc == 1 ? -EBUSY : rc;
    if (rc == 0) {
        rc = is_elsewhere(request, db);
        request->rc = rc == 1 ? SL_E_MISMATCH : rc;
    }
    if (rc != 0)
        return;
    sl_statement_init(&statement, db, "UPDATE jobs SET run = 0 WHERE run = ? RETURNING id");
    sl_statement_bind_u64(&statement, id);
    request->rc = sl_statement_write(&statement, 0, &job); /* none has it: an imported run */
    if (request->rc < 0)
        return;
    sl_statement_init(&statement, db, "DELETE FROM runs WHERE id = ? RETURNING id");
    sl_statement_bind_u64(&statement, id);
    request->rc = sl_statement_write(&statement, SL_E_NOT_FOUND, &request->id);
}
