/* host/store/job_table.c */
#include "host/store/job_table.h"

#include <errno.h>
#include <string.h>

#include "common/base/error.h"
#include "host/spec/columns.h"
#include "host/store/database.h"
#include "host/store/request.h"
#include "host/store/statement.h"

#define COLUMNS "id" SL_JOB_COLUMNS(SL_SQL_NAME)

static void begin_find(struct sl_statement *statement, const struct sl_request *request,
                       struct sl_database *db)
{
    sl_statement_init(statement, db, "SELECT id, config = ? FROM jobs WHERE idempotency_key = ?");
    sl_statement_bind_text(statement, request->config);
    sl_statement_bind_text(statement, request->key);
    sl_statement_post(statement);
}

static int end_find(struct sl_statement *statement, struct sl_request *request)
{
    int rc = sl_statement_step(statement);
    if (rc == 1)
        request->id = sl_statement_u64(statement, 0);
    if (rc == 1 && sl_statement_int(statement, 1) == 0)
        rc = SL_E_MISMATCH;
    sl_statement_fini(statement);
    return rc;
}

/* The job that an earlier request with the same key added: 1, 0 for none, or a failure;
 * SL_E_MISMATCH if it asked for something else. */
static int find_by_key(struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    if (!request->key)
        return 0;
    begin_find(&statement, request, db);
    return end_find(&statement, request);
}

/* May its owner have one more? 0, SL_E_LIMIT or a failure. */
static int check_quota(const struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    if (request->max_open == 0)
        return 0;
    sl_statement_init(&statement, db,
                      "SELECT count(*) < ? FROM jobs WHERE state <= 1 AND owner = ?");
    sl_statement_bind_i64(&statement, request->max_open);
    sl_statement_bind_text(&statement, request->job.owner);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        rc = sl_statement_int(&statement, 0) ? 0 : SL_E_LIMIT;
    sl_statement_fini(&statement);
    return rc;
}

/* May the job join its group? 0; SL_E_NOT_FOUND for no such group, -EACCES for another's, or a
 * failure. */
static int check_group(const struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT owner = ? FROM job_groups WHERE id = ?");
    sl_statement_bind_text(&statement, request->job.owner);
    sl_statement_bind_u64(&statement, request->job.group_id);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        rc = sl_statement_int(&statement, 0) ? 0 : -EACCES;
    else if (rc == 0)
        rc = SL_E_NOT_FOUND;
    sl_statement_fini(&statement);
    return rc;
}

static void begin_insert(struct sl_statement *statement, struct sl_request *request,
                         struct sl_database *db)
{
    request->job.written_ms = request->now_ms;
    sl_statement_init(
        statement, db,
        "INSERT INTO jobs (config, idempotency_key, changed_by" SL_JOB_COLUMNS(
            SL_SQL_NAME) ") VALUES (?, ?, ?" SL_JOB_COLUMNS(SL_SQL_MARK) ") RETURNING id");
    sl_statement_bind_text(statement, request->config);
    sl_statement_bind_text(statement, request->key);
    sl_statement_bind_text(statement, request->host->name);
    sl_statement_bind(statement, &sl_job_columns, &request->job);
    sl_statement_post(statement);
}

static int end_insert(struct sl_statement *statement, struct sl_request *request)
{
    return sl_statement_write(statement, SL_E_FORMAT, &request->id);
}

void sl_job_table_add(struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    int found = find_by_key(request, db);
    if (found != 0) {
        request->rc = found == 1 && request->own_key ? 0 : found;
        return;
    }
    request->rc = check_quota(request, db);
    if (request->rc == 0 && request->job.group_id != 0)
        request->rc = check_group(request, db);
    if (request->rc < 0)
        return;
    begin_insert(&statement, request, db);
    request->rc = end_insert(&statement, request);
}

bool sl_job_table_is_plain(const struct sl_request *request)
{
    return request->kind == SL_REQUEST_ADD_JOB && request->max_open == 0 &&
           request->job.group_id == 0;
}

/* SQLite adds jobs one after the other. */
size_t sl_job_table_count_together(const struct sl_request *first, const struct sl_database *db)
{
    size_t count = 0, most = db->kind->post ? SL_STATEMENTS_TOGETHER : 1;
    while (first && count < most && sl_job_table_is_plain(first) && first->rc == 0) {
        first = first->next;
        count++;
    }
    return count;
}

void sl_job_table_find_keys(struct sl_request *first, size_t count, struct sl_database *db,
                            struct sl_statement *statements)
{
    struct sl_request *request = first;
    size_t i;
    for (i = 0; i < count; i++, request = request->next)
        if (request->key)
            begin_find(&statements[i], request, db);
    for (i = 0, request = first; i < count; i++, request = request->next)
        if (request->key)
            request->rc = end_find(&statements[i], request);
}

void sl_job_table_begin_adds(struct sl_request *first, size_t count, struct sl_database *db,
                             struct sl_statement *statements)
{
    for (size_t i = 0; i < count; i++, first = first->next)
        if (first->rc == 0)
            begin_insert(&statements[i], first, db);
}

void sl_job_table_end_adds(struct sl_request *first, size_t count, struct sl_statement *statements)
{
    for (size_t i = 0; i < count; i++, first = first->next)
        if (first->rc == 0)
            first->rc = end_insert(&statements[i], first);
        else if (first->rc == 1 && first->own_key)
            first->rc = 0; /* it took place when it was sent before */
}

void sl_job_table_find(struct sl_request *request, struct sl_database *db)
{
    int found = find_by_key(request, db);
    request->rc = found == 0 ? SL_E_NOT_FOUND : found < 0 ? found : 0;
}

void sl_job_table_get(struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT " COLUMNS ", config FROM jobs WHERE id = ?");
    sl_statement_bind_u64(&statement, request->id);
    int rc = sl_statement_step(&statement);
    request->rc = rc == 0 ? SL_E_NOT_FOUND : rc < 0 ? rc : 0;
    if (rc == 1) {
        sl_statement_read(&statement, &sl_job_columns, &request->job);
        struct sl_value config;
        sl_statement_value(&statement, (int)sl_job_columns.count, &config);
        sl_buf_init(&request->text, SL_STORE_MAX_CONFIG_BYTES);
        if (config.kind == SL_VALUE_TEXT)
            request->rc = sl_buf_append(&request->text, config.text, strlen(config.text));
    }
    sl_statement_fini(&statement);
}

static const char *list_sql(const struct sl_jobs_filter *filter)
{
    if (filter->group != 0) /* the index is of those in groups */
        return "SELECT " COLUMNS
               " FROM jobs WHERE id < ?1 AND group_id = ?4 AND group_id > 0 AND (?2 < 0 OR state = "
               "?2) ORDER BY id DESC LIMIT ?3";
    if (filter->open_only)
        return "SELECT " COLUMNS " FROM jobs WHERE state <= 1 AND id > ?1 AND ?2 = ?2 AND ?4 = ?4 "
               "ORDER BY id LIMIT ?3";
    if (filter->state >= 0)
        return "SELECT " COLUMNS " FROM jobs WHERE id < ?1 AND state = ?2 AND ?4 = ?4 "
               "ORDER BY id DESC LIMIT ?3";
    return "SELECT " COLUMNS " FROM jobs WHERE id < ?1 AND ?2 = ?2 AND ?4 = ?4 "
           "ORDER BY id DESC LIMIT ?3";
}

void sl_job_table_list(struct sl_request *request, struct sl_database *db)
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
    sl_statement_bind_u64(&statement, filter.group);
    request->rc = sl_statement_page(&statement, &sl_job_columns, request->rows, limit,
                                    &request->count, &more);
    if (more)
        request->next_cursor = ((const struct sl_job_record *)request->rows)[request->count - 1].id;
}

void sl_job_table_add_group(struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db,
                      "INSERT INTO job_groups (name, owner, created_ms) VALUES (?, ?, ?) "
                      "RETURNING id");
    sl_statement_bind_text(&statement, request->group.name);
    sl_statement_bind_text(&statement, request->group.owner);
    sl_statement_bind_u64(&statement, request->group.created_ms);
    request->rc = sl_statement_write(&statement, SL_E_FORMAT, &request->id);
}

#define COUNT(state) ", sum(CASE WHEN j.state = " state " THEN 1 ELSE 0 END)"

void sl_job_table_list_groups(struct sl_request *request, struct sl_database *db)
{
    const struct sl_groups_filter filter = request->groups_filter;
    struct sl_statement statement;
    size_t limit = sl_request_rows(request, filter.limit, sizeof(struct sl_group_record));
    bool more = false;
    if (limit == 0)
        return;
    sl_statement_init(&statement, db,
                      "SELECT g.id, g.name, g.owner, g.created_ms" COUNT("0") COUNT("1") COUNT("2")
                          COUNT("3")
                              COUNT("4") " FROM (SELECT * FROM job_groups "
                                         "WHERE id < ?1 AND (?2 = 0 OR id = ?2) ORDER BY id DESC "
                                         "LIMIT ?3) g LEFT JOIN jobs j ON "
                                         "j.group_id = g.id AND j.group_id > 0 GROUP BY g.id, "
                                         "g.name, g.owner, g.created_ms ORDER BY g.id DESC");
    sl_statement_bind_u64(&statement, filter.cursor != 0 ? filter.cursor : INT64_MAX);
    sl_statement_bind_u64(&statement, filter.id);
    sl_statement_bind_u64(&statement, limit + 1); /* one more tells whether the list goes on */
    request->rc = sl_statement_page(&statement, &sl_group_columns, request->rows, limit,
                                    &request->count, &more);
    if (more)
        request->next_cursor =
            ((const struct sl_group_record *)request->rows)[request->count - 1].id;
}
