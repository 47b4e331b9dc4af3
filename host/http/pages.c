/* host/http/pages.c */
#include "host/http/pages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/paging.h"
#include "host/http/relay.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/job/queue.h"
#include "host/report/doc.h"
#include "host/report/lab_doc.h"
#include "host/report/series_doc.h"
#include "host/spec/url.h"
#include "host/store/run_file.h"
#include "host/store/store.h"

enum { MAX_PAGE_BYTES = 16 << 20, HREF_BYTES = 600, LATEST = 20 };

/* A page while the store is asked for what it shows. */
struct page {
    struct sl_http_exchange *exchange; /* owed its answer */
    struct sl_doc doc;
    struct sl_run_record run; /* the one that it is of */
};

static struct page *begin(struct sl_http_exchange *exchange, const char *title)
{
    struct page *page = sl_calloc(1, sizeof(*page));
    if (!page) {
        sl_http_problem_of(exchange, -ENOMEM, NULL);
        return NULL;
    }
    page->exchange = exchange;
    sl_doc_init(&page->doc, SL_DOC_PAGE);
    sl_lab_doc_begin(&page->doc, title);
    sl_http_exchange_owe(exchange);
    return page;
}

/* Answers with the page, or with why there is none. */
static void end(struct page *page, int rc)
{
    struct sl_http_exchange *exchange = page->exchange;
    struct sl_buf body;
    sl_buf_init(&body, MAX_PAGE_BYTES);
    if (rc == 0)
        rc = sl_doc_html(&body, &page->doc);
    sl_doc_fini(&page->doc);
    sl_free(page);
    if (!sl_http_reply_due(exchange, rc)) {
        sl_buf_fini(&body);
        return;
    }
    sl_http_reply_page(exchange, &body);
}

static struct sl_store *store_of(const struct page *page)
{
    return sl_lab_store(page->exchange->http->lab);
}

/* Asks for runs; `done` goes on with the page. */
static void ask_runs(struct page *page, const struct sl_runs_filter *filter, sl_store_runs_fn done)
{
    int rc = sl_store_list_runs(store_of(page), filter, done, page);
    if (rc < 0)
        end(page, rc);
}

static void ask_jobs(struct page *page, const struct sl_jobs_filter *filter, sl_store_jobs_fn done)
{
    int rc = sl_store_list_jobs(store_of(page), filter, done, page);
    if (rc < 0)
        end(page, rc);
}

/* This page's path and query with another cursor; NULL: there are no older ones. */
static const char *older(const struct page *page, uint64_t cursor, char out[HREF_BYTES])
{
    static const char *const kept[] = {"state", "group", "model", "device", "label"};
    char value[SL_HTTP_VALUE_BYTES], number[24];
    const struct sl_http_exchange *exchange = page->exchange;
    if (cursor == 0)
        return NULL;
    snprintf(number, sizeof(number), "%" PRIu64, cursor);
    snprintf(out, HREF_BYTES, "%.64s", exchange->path);
    bool fits = sl_url_query(out, HREF_BYTES, "cursor", number);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (sl_http_query(exchange, kept[i], value, sizeof(value)) == 0 && value[0])
            fits = fits && sl_url_query(out, HREF_BYTES, kept[i], value);
    return fits ? out : NULL;
}

/* --- the lab: its devices, what is under way, what came of it --- */

static void on_lab_series(void *user, int rc, const struct sl_run_record *rows, size_t count,
                          uint64_t next_cursor)
{
    struct page *page = user;
    if (rc == 0)
        sl_lab_doc_series(&page->doc, rows, count, next_cursor != 0 ? "/series" : NULL);
    end(page, rc);
}

static void on_lab_runs(void *user, int rc, const struct sl_run_record *rows, size_t count,
                        uint64_t next_cursor)
{
    const struct sl_runs_filter filter = {.newest_of_series = true, .limit = LATEST};
    struct page *page = user;
    if (rc < 0) {
        end(page, rc);
        return;
    }
    sl_lab_doc_runs(&page->doc, "Latest runs", rows, count, next_cursor != 0 ? "/runs" : NULL);
    ask_runs(page, &filter, on_lab_series);
}

static void on_lab_jobs(void *user, int rc, const struct sl_job_record *rows, size_t count,
                        uint64_t next_cursor)
{
    const struct sl_runs_filter filter = {.limit = LATEST};
    struct page *page = user;
    if (rc < 0) {
        end(page, rc);
        return;
    }
    sl_lab_doc_jobs(&page->doc, "Open jobs", rows, count, next_cursor != 0 ? "/jobs" : NULL);
    ask_runs(page, &filter, on_lab_runs);
}

void sl_page_lab(struct sl_http_exchange *exchange)
{
    const struct sl_jobs_filter open = {.state = -1, .open_only = true, .limit = LATEST};
    const struct sl_device_record *devices = NULL;
    struct sl_lab *lab = exchange->http->lab;
    const struct sl_queue *queue = sl_lab_queue(lab);
    char problem[SL_STORE_WHY_BYTES] = "";
    struct page *page = begin(exchange, "sme2lab: the lab");
    if (!page)
        return;
    size_t count = sl_lab_devices_with_queues(lab, &devices);
    size_t running = sl_queue_count(queue, SL_JOB_RUNNING) + sl_queue_count(queue, SL_JOB_DETACHED);
    if (sl_store_health(store_of(page), problem) == 0)
        problem[0] = '\0';
    sl_lab_doc_state(&page->doc, devices, count, running, sl_queue_count(queue, SL_JOB_QUEUED),
                     problem);
    sl_lab_doc_devices(&page->doc, devices, count);
    ask_jobs(page, &open, on_lab_jobs);
}

/* --- lists --- */

static void on_jobs(void *user, int rc, const struct sl_job_record *rows, size_t count,
                    uint64_t next_cursor)
{
    struct page *page = user;
    char href[HREF_BYTES];
    if (rc == 0)
        sl_lab_doc_jobs(&page->doc, "Jobs, newest first", rows, count,
                        older(page, next_cursor, href));
    end(page, rc);
}

void sl_page_jobs(struct sl_http_exchange *exchange)
{
    struct sl_jobs_filter filter;
    struct page *page =
        sl_http_jobs_filter(exchange, &filter) ? begin(exchange, "sme2lab: jobs") : NULL;
    if (page)
        ask_jobs(page, &filter, on_jobs);
}

static void on_runs(void *user, int rc, const struct sl_run_record *rows, size_t count,
                    uint64_t next_cursor)
{
    struct page *page = user;
    char href[HREF_BYTES];
    if (rc == 0)
        sl_lab_doc_runs(&page->doc, "Runs, newest first", rows, count,
                        older(page, next_cursor, href));
    end(page, rc);
}

void sl_page_runs(struct sl_http_exchange *exchange)
{
    struct sl_runs_filter filter;
    struct page *page =
        sl_http_runs_filter(exchange, &filter) ? begin(exchange, "sme2lab: runs") : NULL;
    if (page)
        ask_runs(page, &filter, on_runs);
}

static void on_all_series(void *user, int rc, const struct sl_run_record *rows, size_t count,
                          uint64_t next_cursor)
{
    struct page *page = user;
    char href[HREF_BYTES];
    if (rc == 0)
        sl_lab_doc_series(&page->doc, rows, count, older(page, next_cursor, href));
    end(page, rc);
}

void sl_page_all_series(struct sl_http_exchange *exchange)
{
    struct sl_runs_filter filter = {.newest_of_series = true};
    struct page *page = sl_http_page(exchange, &filter.cursor, &filter.limit)
                            ? begin(exchange, "sme2lab: series")
                            : NULL;
    if (page)
        ask_runs(page, &filter, on_all_series);
}

/* --- one of them --- */

static void on_job(void *user, int rc, const struct sl_job_record *job, const char *config_json)
{
    struct page *page = user;
    if (rc == 0) {
        const struct sl_job_record *open = sl_lab_job(page->exchange->http->lab, job->id);
        sl_lab_doc_job(&page->doc, open ? open : job, config_json);
    }
    end(page, rc);
}

void sl_page_job(struct sl_http_exchange *exchange)
{
    char title[64];
    uint64_t id;
    if (!sl_http_id(exchange, &id))
        return;
    snprintf(title, sizeof(title), "sme2lab: job %" PRIu64, id);
    struct page *page = begin(exchange, title);
    int rc = page ? sl_store_get_job(store_of(page), id, on_job, page) : 0;
    if (rc < 0)
        end(page, rc);
}

struct files {
    struct sl_lab_file all[SL_RUN_FILES_MAX];
    size_t count;
};

static int take_file(void *user, const char *path, uint64_t size)
{
    struct files *files = user;
    if (files->count == SL_RUN_FILES_MAX)
        return 1;
    char *copy = sl_strndup(path, strlen(path));
    if (!copy)
        return -ENOMEM;
    files->all[files->count++] = (struct sl_lab_file){copy, size};
    return 0;
}

/* A run whose files are gone has a page all the same. */
static int put_run(struct page *page, const struct sl_run_record *other)
{
    const struct sl_run_record *run = &page->run;
    struct files *files = sl_calloc(1, sizeof(*files));
    if (!files)
        return -ENOMEM;
    int rc = sl_run_file_list(sl_lab_state_dir(page->exchange->http->lab), run->directory,
                              take_file, files);
    rc = rc > 0 || rc == SL_E_NOT_FOUND ? 0 : rc;
    if (rc == 0)
        sl_lab_doc_run(&page->doc, run, other, files->all, files->count);
    for (size_t i = 0; i < files->count; i++)
        sl_free(files->all[i].path);
    sl_free(files);
    return rc;
}

/* The run on the other runtime that is next to it in time, of the same program and device; NULL:
 * there is none. */
static const struct sl_run_record *find_other(const struct sl_run_record *run,
                                              const struct sl_run_record *rows, size_t count)
{
    const struct sl_run_record *found = NULL;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct sl_run_record *row = &rows[i];
        uint64_t apart = row->id > run->id ? row->id - run->id : run->id - row->id;
        if (apart >= least || strcmp(row->runtime, run->runtime) == 0 || !sl_lab_doc_pairs(row) ||
            strcmp(row->model_sha256, run->model_sha256) != 0)
            continue;
        least = apart;
        found = row;
    }
    return found;
}

static void on_others(void *user, int rc, const struct sl_run_record *rows, size_t count,
                      uint64_t next_cursor)
{
    struct page *page = user;
    (void)next_cursor;
    if (rc == 0)
        rc = put_run(page, find_other(&page->run, rows, count));
    end(page, rc);
}

/* The host that has the run's files has its page too. */
static void relay(struct page *page, const char *host)
{
    struct sl_http_exchange *exchange = page->exchange;
    sl_doc_fini(&page->doc);
    sl_free(page);
    if (sl_http_exchange_settle(exchange))
        sl_http_relay(exchange, host);
}

static void on_run(void *user, int rc, const struct sl_run_record *rows, size_t count,
                   uint64_t next_cursor)
{
    struct page *page = user;
    struct sl_runs_filter near = {.limit = LATEST};
    (void)next_cursor;
    if (rc == 0 && count != 1)
        rc = SL_E_NOT_FOUND;
    if (rc == 0 && sl_http_relay_is_due(page->exchange, &rows[0]) &&
        sl_http_relay_url(page->exchange, rows[0].host)) {
        relay(page, rows[0].host);
        return;
    }
    if (rc == 0)
        page->run = rows[0];
    if (rc == 0 && sl_lab_doc_pairs(&page->run)) {
        near.cursor = page->run.id + LATEST / 2;
        snprintf(near.model, sizeof(near.model), "%s", page->run.model);
        snprintf(near.device, sizeof(near.device), "%s", page->run.device);
        ask_runs(page, &near, on_others);
        return;
    }
    end(page, rc == 0 ? put_run(page, NULL) : rc);
}

void sl_page_run(struct sl_http_exchange *exchange)
{
    struct sl_runs_filter filter = {.limit = 1};
    char title[64];
    if (!sl_http_id(exchange, &filter.id))
        return;
    snprintf(title, sizeof(title), "sme2lab: run %" PRIu64, filter.id);
    struct page *page = begin(exchange, title);
    if (page)
        ask_runs(page, &filter, on_run);
}

static void on_series(void *user, int rc, const struct sl_run_record *rows, size_t count,
                      uint64_t next_cursor)
{
    struct page *page = user;
    (void)next_cursor; /* the newest are enough for a figure; GET /api/v1/series has all */
    if (rc == 0)
        rc = count > 0 ? sl_series_doc(&page->doc, rows, count) : SL_E_NOT_FOUND;
    end(page, rc);
}

void sl_page_series(struct sl_http_exchange *exchange)
{
    struct sl_runs_filter filter;
    struct page *page =
        sl_http_series_filter(exchange, &filter) ? begin(exchange, "sme2lab: one series") : NULL;
    if (page)
        ask_runs(page, &filter, on_series);
}
