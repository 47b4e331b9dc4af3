/* host/http/api_compare.c: GET /api/v1/compare: two runs set against each other; GET
 * /api/v1/combined and its page /combined: two runs side by side; and what is made of one run in
 * the same way, off the loop: /api/v1/runs/{id}/trace.perfetto and a device's noise floor, POST
 * /api/v1/devices/{name}/calibrate. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/base/tree_remove.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/pages.h"
#include "host/http/relay.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/peer/run_copy.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/store/store.h"

#define MAX_JSON_BYTES ((size_t)1 << 28)

enum {
    MAX_COPYING = 8, /* comparisons with other hosts' runs, at a time */
    WHY_BYTES = 320
};

/* One request from its query to its answer. */
struct comparing {
    struct sl_http_exchange *exchange;
    uint64_t runs[2];                  /* baseline, candidate */
    int side;                          /* whose record is asked for */
    char copies[2][2 * SL_PATH_BYTES]; /* where files of other hosts' runs lie; "": none do */
    char host[SL_NAME_BYTES];          /* whose files are copied, or whose answer is passed on */
    char why[WHY_BYTES];               /* why the copy failed; "": it did not */
    struct sl_http_comparison what;
    uv_work_t work;
    struct sl_buf json;
    struct sl_diag diag;
    int rc;
    void (*say)(struct comparing *c); /* the answer, once the copies are removed */
};

static int ask_for_side(struct comparing *c);

/* --- the end: the copies go, then the answer is given --- */

static void say_result(struct comparing *c)
{
    const char *type =
        c->what.kind == SL_HTTP_TRACE ? "application/octet-stream" : "application/json";
    if (c->rc != 0)
        sl_http_problem_of(c->exchange, c->rc, c->diag.what[0] ? &c->diag : NULL);
    else if (c->what.kind == SL_HTTP_COMBINED_PAGE)
        sl_http_reply_page(c->exchange, &c->json);
    else
        sl_http_reply_buf(c->exchange, 200, type, &c->json);
}

static void say_refused(struct comparing *c)
{
    sl_http_relay_refused(c->exchange, c->host, c->why);
}

static void relay(struct comparing *c)
{
    sl_http_relay(c->exchange, c->host);
}

static bool has_copies(const struct comparing *c)
{
    return c->copies[0][0] || c->copies[1][0];
}

static void do_remove(uv_work_t *work)
{
    struct comparing *c = work->data;
    for (int i = 0; i < 2; i++) {
        if (c->copies[i][0])
            sl_tree_remove(c->copies[i]);
    }
}

static void after_remove(uv_work_t *work, int status)
{
    struct comparing *c = work->data;
    (void)status;
    c->exchange->http->copying -= has_copies(c);
    if (sl_http_exchange_settle(c->exchange))
        c->say(c);
    sl_buf_fini(&c->json);
    sl_free(c);
}

/* Each comparison that has begun ends here. The copies have up to 2 GiB: they are removed off the
 * loop. */
static void end(struct comparing *c, void (*say)(struct comparing *c))
{
    c->say = say;
    if (!has_copies(c) ||
        uv_queue_work(c->exchange->http->loop, &c->work, do_remove, after_remove) < 0)
        after_remove(&c->work, 0);
}

static void answer(struct comparing *c, int rc)
{
    c->rc = rc;
    end(c, say_result);
}

static void do_compare(uv_work_t *work)
{
    struct comparing *c = work->data;
    const struct sl_http *http = c->exchange->http;
    c->rc = http->compare.call(http->compare.user, &c->what, &c->json, &c->diag);
}

static void after_compare(uv_work_t *work, int status)
{
    struct comparing *c = work->data;
    answer(c, status < 0 ? status : c->rc);
}

/* --- files of another host --- */

static bool is_wanted(void *user)
{
    const struct comparing *c = user;
    return c->exchange->turn.connection && !c->exchange->http->stopping;
}

static void go_on_after(struct comparing *c);

static void on_copied(void *user, int rc, const char *why)
{
    struct comparing *c = user;
    if (rc == 0) {
        go_on_after(c);
        return;
    }
    if (rc == SL_E_LIMIT || rc == -ENOSPC) {
        sl_diag_hint(&c->diag, "ask that host for it");
        sl_diag_set(&c->diag, rc, NULL,
                    "the files of run %" PRIu64 " on host %s do not go here: %s", c->runs[c->side],
                    c->host, why);
        answer(c, rc);
        return;
    }
    snprintf(c->why, sizeof(c->why), "%s", why);
    end(c, say_refused);
}

/* 0: on_copied() comes. */
static int copy_side(struct comparing *c, const char *host, const char *url)
{
    static const struct sl_run_copy_events events = {is_wanted, on_copied};
    struct sl_http *http = c->exchange->http;
    char *folder = c->copies[c->side];
    bool first = !has_copies(c);
    if (first && http->copying >= MAX_COPYING)
        return sl_diag_set(&c->diag, SL_E_FULL, NULL,
                           "%d comparisons with runs of other hosts are under way; ask again later",
                           MAX_COPYING);
    int rc = sl_api_imports_stage(http, folder);
    if (rc < 0)
        return rc;
    http->copying += first;
    snprintf(c->host, sizeof(c->host), "%s", host);
    snprintf(c->what.directories[c->side], SL_PATH_BYTES, "%s", folder);
    const struct sl_run_copy_setup setup = {.calls = http->peers,
                                            .keeper = http->keeper,
                                            .url = url,
                                            .folder = folder,
                                            .run = c->runs[c->side]};
    return sl_run_copy_start(http->loop, &setup, &events, c);
}

static void on_side(void *user, int rc, const struct sl_run_record *rows, size_t count,
                    uint64_t next_cursor)
{
    struct comparing *c = user;
    struct sl_http *http = c->exchange->http;
    (void)next_cursor;
    if (rc == 0 && count != 1) {
        sl_diag_hint(&c->diag, "GET /api/v1/runs lists them");
        rc = sl_diag_set(&c->diag, SL_E_NOT_FOUND,
                         c->what.kind == SL_HTTP_TRACE       ? NULL
                         : c->what.kind == SL_HTTP_CALIBRATE ? "run"
                         : c->what.kind != SL_HTTP_COMPARE   ? "runs"
                         : c->side == 0                      ? "baseline"
                                                             : "candidate",
                         "there is no run %" PRIu64, c->runs[c->side]);
    }
    if (rc == 0 && c->what.kind == SL_HTTP_CALIBRATE &&
        strcmp(rows[0].device, c->exchange->param[0]) != 0)
        rc = sl_diag_set(&c->diag, SL_E_FORMAT, "run", "run %" PRIu64 " is of the device %s",
                         c->runs[0], rows[0].device);
    if (rc == 0 && sl_http_relay_is_due(c->exchange, &rows[0])) {
        const char *url = sl_http_relay_url(c->exchange, rows[0].host);
        if (c->what.kind == SL_HTTP_TRACE || !url) {
            snprintf(c->host, sizeof(c->host), "%s", rows[0].host);
            end(c, relay);
            return;
        }
        rc = copy_side(c, rows[0].host, url);
    } else if (rc == 0) {
        char *path = c->what.directories[c->side];
        sl_path_join(path, SL_PATH_BYTES, sl_lab_state_dir(http->lab), "%s", rows[0].directory);
        go_on_after(c);
    }
    if (rc < 0)
        answer(c, rc);
}

/* The files of this side are here. */
static void go_on_after(struct comparing *c)
{
    int rc, sides = sl_http_compared_runs(c->what.kind);
    c->side++;
    if (c->side < sides && c->runs[1] == c->runs[0])
        memcpy(c->what.directories[c->side++], c->what.directories[0], SL_PATH_BYTES);
    if (c->side < sides)
        rc = ask_for_side(c);
    else
        rc = uv_queue_work(c->exchange->http->loop, &c->work, do_compare, after_compare);
    if (rc < 0)
        answer(c, rc);
}

static int ask_for_side(struct comparing *c)
{
    const struct sl_runs_filter filter = {.limit = 1, .id = c->runs[c->side]};
    return sl_store_list_runs(sl_lab_store(c->exchange->http->lab), &filter, on_side, c);
}

static bool read_run(struct sl_http_exchange *exchange, const char *name, uint64_t *out)
{
    char text[32];
    return sl_http_query(exchange, name, text, sizeof(text)) == 0 && sl_http_number(text, out) &&
           *out != 0 && *out <= INT64_MAX;
}

/* `variant` is off or on, and on when it is left out. */
static bool read_variant(struct sl_http_exchange *exchange, bool *out_on)
{
    char text[8];
    int rc = sl_http_query(exchange, "variant", text, sizeof(text));
    *out_on = strcmp(text, "off") != 0;
    return rc == 0 &&
           (!sl_http_query_names(exchange, "variant") || !*out_on || strcmp(text, "on") == 0);
}

/* off and on of one run, whatever the query says; of two the same variant. */
static bool read_levels(struct sl_http_exchange *exchange, struct comparing *c)
{
    bool on, same = c->runs[0] == c->runs[1];
    if (!read_variant(exchange, &on))
        return false;
    c->what.levels[0] = !same && on;
    c->what.levels[1] = same || on;
    return true;
}

static struct comparing *begin(struct sl_http_exchange *exchange)
{
    struct comparing *c = exchange->http->compare.call ? sl_calloc(1, sizeof(*c)) : NULL;
    if (!c) {
        sl_http_problem_of(exchange, -ENOMEM, NULL);
        return NULL;
    }
    c->exchange = exchange;
    c->what.state_dir = sl_lab_state_dir(exchange->http->lab);
    c->work.data = c;
    sl_buf_init(&c->json, MAX_JSON_BYTES);
    return c;
}

/* Goes on when the store has told where the runs lie. */
static void go_on(struct comparing *c)
{
    for (int i = 0; i < 2; i++)
        snprintf(c->what.names[i], sizeof(c->what.names[i]), "runs/%llu",
                 (unsigned long long)c->runs[i]);
    sl_http_exchange_owe(c->exchange);
    int rc = ask_for_side(c);
    if (rc < 0)
        answer(c, rc);
}

void sl_api_run_trace(struct sl_http_exchange *exchange)
{
    bool on;
    struct comparing *c = begin(exchange);
    if (!c)
        return;
    bool known = read_variant(exchange, &on);
    c->what.kind = SL_HTTP_TRACE;
    c->what.levels[0] = on;
    if (known && sl_http_number(exchange->param[0], &c->runs[0]) && c->runs[0] != 0 &&
        c->runs[0] <= INT64_MAX) {
        go_on(c);
        return;
    }
    if (known)
        sl_http_problem_of(exchange, SL_E_NOT_FOUND, NULL);
    else
        sl_http_problem(exchange, 400, "bad-query", "leave it out for on", "variant is off or on");
    sl_free(c);
}

void sl_api_compare(struct sl_http_exchange *exchange)
{
    struct comparing *c = begin(exchange);
    if (!c)
        return;
    bool ok =
        read_run(exchange, "baseline", &c->runs[0]) && read_run(exchange, "candidate", &c->runs[1]);
    if (!ok)
        sl_http_problem(exchange, 400, "bad-query", "say ?baseline=ID&candidate=ID",
                        "baseline and candidate are numbers of runs");
    else if (!(ok = read_levels(exchange, c)))
        sl_http_problem(exchange, 400, "bad-query", "leave it out for on", "variant is off or on");
    if (!ok) {
        sl_free(c);
        return;
    }
    go_on(c);
}

/* "3,4". */
static bool read_runs(struct sl_http_exchange *exchange, uint64_t runs[2])
{
    char text[64];
    int rc = sl_http_query(exchange, "runs", text, sizeof(text));
    char *comma = rc == 0 ? strchr(text, ',') : NULL;
    if (!comma)
        return false;
    *comma = '\0';
    return sl_http_number(text, &runs[0]) && sl_http_number(comma + 1, &runs[1]) && runs[0] != 0 &&
           runs[0] <= INT64_MAX && runs[1] != 0 && runs[1] <= INT64_MAX && runs[0] != runs[1];
}

static void combine(struct sl_http_exchange *exchange, enum sl_http_compared kind)
{
    struct comparing *c = begin(exchange);
    if (!c)
        return;
    c->what.kind = kind;
    if (read_runs(exchange, c->runs)) {
        go_on(c);
        return;
    }
    sl_http_problem(exchange, 400, "bad-query", "say ?runs=ID,ID",
                    "runs are the numbers of two runs");
    sl_free(c);
}

void sl_api_combined(struct sl_http_exchange *exchange)
{
    combine(exchange, SL_HTTP_COMBINE);
}

void sl_page_combined(struct sl_http_exchange *exchange)
{
    combine(exchange, SL_HTTP_COMBINED_PAGE);
}

static int read_calibration(struct sl_http_exchange *exchange, uint64_t *out_run,
                            struct sl_diag *diag)
{
    static const char *const keys[] = {"run"};
    struct cJSON *document = NULL;
    int rc = sl_http_body_json(exchange, &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    sl_json_need_object(&root, keys, 1, 1);
    sl_json_get_count(sl_json_member(&root, "run"), out_run);
    sl_json_doc_free(document);
    return reader.error;
}

void sl_api_device_calibrate(struct sl_http_exchange *exchange)
{
    struct comparing *c = begin(exchange);
    if (!c)
        return;
    int rc = read_calibration(exchange, &c->runs[0], &c->diag);
    c->what.kind = SL_HTTP_CALIBRATE;
    if (rc == 0 && sl_lab_device(exchange->http->lab, exchange->param[0])) {
        go_on(c);
        return;
    }
    if (rc < 0)
        sl_http_problem_of(exchange, rc, &c->diag);
    else
        sl_http_problem_absent(exchange);
    sl_free(c);
}
