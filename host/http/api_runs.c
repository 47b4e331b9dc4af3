/* host/http/api_runs.c: /api/v1/runs and below. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/paging.h"
#include "host/http/record_json.h"
#include "host/http/relay.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/spec/path_stem.h"
#include "host/store/run_file.h"
#include "host/store/run_removal.h"
#include "host/store/store.h"

enum {
    MAX_LIST_BYTES = 4 << 20,
    MAX_DIGESTING = 2 /* lists at a time: streams and runs that end need libuv's threads too */
};

typedef void (*row_fn)(struct sl_json *json, const struct sl_run_record *row);

/* A page of records under one key, unless the request ended meanwhile. */
static void answer_page(struct sl_http_exchange *exchange, int rc, const char *key, row_fn put,
                        const struct sl_run_record *rows, size_t count, uint64_t next_cursor)
{
    struct sl_http_json text;
    if (!sl_http_reply_due(exchange, rc))
        return;
    sl_http_page_begin(&text, key);
    for (size_t i = 0; i < count; i++)
        put(&text.json, &rows[i]);
    sl_http_page_end(exchange, &text, next_cursor);
}

static void put_run(struct sl_json *json, const struct sl_run_record *run)
{
    sl_json_of_run(json, NULL, run);
}

static void on_runs(void *user, int rc, const struct sl_run_record *rows, size_t count,
                    uint64_t next_cursor)
{
    answer_page(user, rc, "runs", put_run, rows, count, next_cursor);
}

static void list(struct sl_http_exchange *exchange, const struct sl_runs_filter *filter,
                 sl_store_runs_fn done)
{
    sl_http_exchange_owe(exchange);
    int rc = sl_store_list_runs(sl_lab_store(exchange->http->lab), filter, done, exchange);
    if (rc < 0 && sl_http_exchange_settle(exchange))
        sl_http_problem_of(exchange, rc, NULL);
}

void sl_api_run_list(struct sl_http_exchange *exchange)
{
    struct sl_runs_filter filter;
    if (sl_http_runs_filter(exchange, &filter))
        list(exchange, &filter, on_runs);
}

static void on_series(void *user, int rc, const struct sl_run_record *rows, size_t count,
                      uint64_t next_cursor)
{
    answer_page(user, rc, "series", sl_json_of_series, rows, count, next_cursor);
}

void sl_api_series_list(struct sl_http_exchange *exchange)
{
    struct sl_runs_filter filter = {.newest_of_series = true};
    if (sl_http_page(exchange, &filter.cursor, &filter.limit))
        list(exchange, &filter, on_series);
}

static void on_points(void *user, int rc, const struct sl_run_record *rows, size_t count,
                      uint64_t next_cursor)
{
    answer_page(user, rc, "points", sl_json_of_point, rows, count, next_cursor);
}

void sl_api_series_points(struct sl_http_exchange *exchange)
{
    struct sl_runs_filter filter;
    if (sl_http_series_filter(exchange, &filter) &&
        sl_http_page(exchange, &filter.cursor, &filter.limit))
        list(exchange, &filter, on_points);
}

/* The one run of the path; false: answered. */
static bool the_run(struct sl_http_exchange *exchange, int rc, size_t count)
{
    if (!sl_http_exchange_settle(exchange))
        return false;
    if (rc == 0 && count == 1)
        return true;
    sl_http_problem_of(exchange, rc < 0 ? rc : SL_E_NOT_FOUND, NULL);
    return false;
}

static void one(struct sl_http_exchange *exchange, sl_store_runs_fn done)
{
    struct sl_runs_filter filter = {.limit = 1};
    if (sl_http_id(exchange, &filter.id))
        list(exchange, &filter, done);
}

static void on_run(void *user, int rc, const struct sl_run_record *rows, size_t count,
                   uint64_t next_cursor)
{
    struct sl_http_exchange *exchange = user;
    struct sl_http_json text;
    (void)next_cursor;
    if (!the_run(exchange, rc, count))
        return;
    sl_http_json_begin(&text, 8192);
    sl_json_of_run(&text.json, NULL, &rows[0]);
    sl_http_reply_json(exchange, 200, &text);
}

void sl_api_run_get(struct sl_http_exchange *exchange)
{
    one(exchange, on_run);
}

/* --- removing one --- */

static void on_removed(void *user, int rc)
{
    struct sl_http_exchange *exchange = user;
    sl_known_runs_drop(&exchange->http->known_runs, strtoull(exchange->param[0], NULL, 10));
    bool gone = rc == SL_E_STATE;
    if (rc != -EBUSY && rc != SL_E_MISMATCH && !gone) {
        if (sl_http_reply_due(exchange, rc))
            sl_http_reply_empty(exchange, 204, 0);
    } else if (!sl_http_exchange_settle(exchange)) {
        return;
    } else if (rc == -EBUSY) {
        sl_http_problem(exchange, 409, "pinned", "'sme2lab label RUN --unpin' first",
                        "run %.20s is pinned", exchange->param[0]);
    } else if (gone) {
        if (!sl_http_directory_problem(exchange))
            sl_http_problem_of(exchange, rc, NULL);
    } else {
        sl_http_problem(exchange, 409, "another-host",
                        "ask that host, or 'sme2lab fsck --mend' here if the files are here",
                        "run %.20s is another host's, which has its files", exchange->param[0]);
    }
}

static void on_run_to_remove(void *user, int rc, const struct sl_run_record *rows, size_t count,
                             uint64_t next_cursor)
{
    struct sl_http_exchange *exchange = user;
    struct sl_lab *lab = exchange->http->lab;
    (void)next_cursor;
    if (rc == 0)
        rc = count != 1 ? SL_E_NOT_FOUND
                        : sl_run_removal_start(exchange->http->loop, sl_lab_store(lab),
                                               sl_lab_state_dir(lab), &rows[0], NULL, on_removed,
                                               exchange);
    if (rc < 0)
        on_removed(exchange, rc);
}

void sl_api_run_delete(struct sl_http_exchange *exchange)
{
    one(exchange, on_run_to_remove);
}

/* The list of a run's files, made off the loop where it has their digests. */
struct listing {
    struct sl_http_exchange *exchange;
    char directory[SL_PATH_BYTES];
    bool digests; /* of the artifacts: the others are large, and nobody compares them */
    struct sl_http_json text;
    uv_work_t work;
    int rc;
};

/* A file that has gone meanwhile has no digest. */
static void put_digest(struct listing *listing, const char *path)
{
    const char *root = sl_lab_state_dir(listing->exchange->http->lab);
    char sha256[SL_SHA256_HEX_SIZE];
    uint64_t size;
    int fd = sl_run_file_open(root, listing->directory, path, &size);
    if (fd < 0)
        return;
    if (sl_sha256_fd(fd, sha256) == 0)
        sl_json_text(&listing->text.json, "sha256", sha256);
    close(fd);
}

static int put_file(void *user, const char *path, uint64_t size)
{
    struct listing *listing = user;
    struct sl_json *json = &listing->text.json;
    sl_json_open_object(json, NULL);
    sl_json_text(json, "path", path);
    sl_json_u64(json, "bytes", size);
    if (listing->digests && sl_path_is_artifact(path))
        put_digest(listing, path);
    sl_json_close_object(json);
    return json->error;
}

static void list_files(struct listing *listing)
{
    struct sl_json *json = &listing->text.json;
    sl_http_json_begin(&listing->text, MAX_LIST_BYTES);
    sl_json_open_object(json, NULL);
    sl_json_open_array(json, "files");
    listing->rc = sl_run_file_list(sl_lab_state_dir(listing->exchange->http->lab),
                                   listing->directory, put_file, listing);
    sl_json_close_array(json);
    sl_json_close_object(json);
}

static void answer_files(struct listing *listing)
{
    if (listing->rc == 0) {
        sl_http_reply_json(listing->exchange, 200, &listing->text);
        return;
    }
    sl_buf_fini(&listing->text.body);
    if (listing->rc != SL_E_NOT_FOUND)
        sl_http_problem_of(listing->exchange, listing->rc, NULL);
    else if (!sl_http_directory_problem(listing->exchange))
        sl_http_problem(listing->exchange, 404, "files-lost",
                        "'sme2lab fsck' lists such runs; 'sme2lab rm' removes one, and then "
                        "'sme2lab import' takes it from an archive again",
                        "the files of run %.20s are gone", listing->exchange->param[0]);
}

static void do_list(uv_work_t *work)
{
    list_files(work->data);
}

static void after_list(uv_work_t *work, int status)
{
    struct listing *listing = work->data;
    listing->exchange->http->digesting--;
    if (sl_http_exchange_settle(listing->exchange) && status == 0)
        answer_files(listing);
    else
        sl_buf_fini(&listing->text.body);
    sl_free(listing);
}

static void list_with_digests(const struct listing *wish)
{
    struct sl_http *http = wish->exchange->http;
    if (http->digesting >= MAX_DIGESTING) {
        sl_http_problem(wish->exchange, 503, "busy", "ask again later",
                        "%d lists of files with digests are under way already", MAX_DIGESTING);
        return;
    }
    struct listing *listing = sl_calloc(1, sizeof(*listing));
    if (!listing) {
        sl_http_problem_of(wish->exchange, -ENOMEM, NULL);
        return;
    }
    *listing = *wish;
    listing->work.data = listing;
    http->digesting++;
    sl_http_exchange_owe(listing->exchange);
    uv_queue_work(http->loop, &listing->work, do_list, after_list);
}

static void on_run_files(void *user, int rc, const struct sl_run_record *rows, size_t count,
                         uint64_t next_cursor)
{
    struct sl_http_exchange *exchange = user;
    struct listing listing = {.exchange = exchange};
    uint64_t digests = 0;
    (void)next_cursor;
    if (!the_run(exchange, rc, count))
        return;
    if (sl_http_relay_is_due(exchange, &rows[0])) {
        sl_http_relay(exchange, rows[0].host);
        return;
    }
    snprintf(listing.directory, sizeof(listing.directory), "%s", rows[0].directory);
    if (!sl_http_query_number(exchange, "sha256", &digests) || digests > 1) {
        sl_http_problem(exchange, 400, "bad-query", "leave it out for 0", "sha256 is 0 or 1");
        return;
    }
    listing.digests = digests == 1;
    if (listing.digests) {
        list_with_digests(&listing);
        return;
    }
    list_files(&listing);
    answer_files(&listing);
}

void sl_api_run_files(struct sl_http_exchange *exchange)
{
    one(exchange, on_run_files);
}

/* A kind of file that a run has one of, or several: /etdump, /log, /analysis, /report.html. */
struct search {
    const char *end;
    char path[SL_RUN_FILE_PATH_BYTES]; /* the first */
    size_t found;
    struct sl_buf names;
};

static int match(void *user, const char *path, uint64_t size)
{
    struct search *search = user;
    size_t len = strlen(path), end = strlen(search->end);
    (void)size;
    if (len < end || strcmp(path + len - end, search->end) != 0)
        return 0;
    if (search->found++ == 0)
        snprintf(search->path, sizeof(search->path), "%s", path);
    sl_buf_printf(&search->names, " files/%s", path);
    return 0;
}

static const char *ending_of(const char *kind)
{
    static const char *const kinds[][2] = {{"etdump", ".etdump"},
                                           {"log", ".log"},
                                           {"analysis", "analysis_summary.json"},
                                           {"report.html", "report.html"}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i][0], kind) == 0)
            return kinds[i][1];
    }
    return NULL;
}

/* The run of the path is there, and has no such file. */
static void file_absent(struct sl_http_exchange *exchange, const char *before, const char *name)
{
    char hint[96];
    snprintf(hint, sizeof(hint), "GET /api/v1/runs/%.20s/files lists what it has",
             exchange->param[0]);
    sl_http_problem(exchange, 404, "not-found", hint, "run %.20s has no %s%.200s",
                    exchange->param[0], before, name);
}

static void send_opened(struct sl_http_exchange *exchange, const char *path, int fd, uint64_t size)
{
    /* Another lab's page may be among them: in a browser it is nobody's, and asks us for nothing.
     */
    sl_http_reply_header(exchange, "content-security-policy",
                         "sandbox allow-scripts allow-downloads");
    sl_http_reply_file(exchange, sl_run_file_type(path), fd, size);
}

static void send_file(struct sl_http_exchange *exchange, const char *directory, const char *path)
{
    uint64_t size = 0;
    int fd = sl_run_file_open(sl_lab_state_dir(exchange->http->lab), directory, path, &size);
    if (fd >= 0)
        send_opened(exchange, path, fd, size);
    else if (fd == SL_E_NOT_FOUND)
        file_absent(exchange, "file ", path);
    else
        sl_http_problem_of(exchange, fd, NULL);
}

/* The path of a file in its run, of what follows the run in the address; NULL: it names a kind. */
static const char *path_in_run(const char *wanted)
{
    static const char prefix[] = "files/";
    return strncmp(wanted, prefix, sizeof(prefix) - 1) == 0 ? wanted + sizeof(prefix) - 1 : NULL;
}

/* A file of a run that was asked for a moment ago is sent without a question to the store, if it is
 * there. */
static bool send_known(struct sl_http_exchange *exchange)
{
    struct sl_http *http = exchange->http;
    const char *path = path_in_run(exchange->param[1]);
    uint64_t id = 0, size = 0;
    const char *directory = sl_http_number(exchange->param[0], &id)
                                ? sl_known_runs_find(&http->known_runs, id, uv_now(http->loop))
                                : NULL;
    int fd = path && directory
                 ? sl_run_file_open(sl_lab_state_dir(http->lab), directory, path, &size)
                 : SL_E_NOT_FOUND;
    if (fd >= 0)
        send_opened(exchange, path, fd, size);
    return fd >= 0;
}

static void send_kind(struct sl_http_exchange *exchange, const char *directory, const char *end)
{
    struct search search = {.end = end};
    sl_buf_init(&search.names, 400);
    int rc = sl_run_file_list(sl_lab_state_dir(exchange->http->lab), directory, match, &search);
    if (rc < 0)
        sl_http_problem_of(exchange, rc, NULL);
    else if (search.found == 0)
        file_absent(exchange, "*", end);
    else if (search.found > 1)
        sl_http_problem(exchange, 409, "several", "take one of them by its name",
                        "the run has %zu of these:%s", search.found,
                        (const char *)search.names.data);
    else
        send_file(exchange, directory, search.path);
    sl_buf_fini(&search.names);
}

static void on_run_file(void *user, int rc, const struct sl_run_record *rows, size_t count,
                        uint64_t next_cursor)
{
    struct sl_http_exchange *exchange = user;
    struct sl_http *http = exchange->http;
    (void)next_cursor;
    if (!the_run(exchange, rc, count))
        return;
    const char *wanted = exchange->param[1], *path = path_in_run(wanted);
    const char *end = ending_of(wanted);
    if (sl_http_relay_is_due(exchange, &rows[0])) {
        sl_http_relay(exchange, rows[0].host);
        return;
    }
    sl_known_runs_add(&http->known_runs, &rows[0], uv_now(http->loop));
    if (path)
        send_file(exchange, rows[0].directory, path);
    else if (end)
        send_kind(exchange, rows[0].directory, end);
    else
        file_absent(exchange, "", wanted);
}

void sl_api_run_file(struct sl_http_exchange *exchange)
{
    if (!send_known(exchange))
        one(exchange, on_run_file);
}
