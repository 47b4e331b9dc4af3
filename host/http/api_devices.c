/* host/http/api_devices.c: /api/v1/devices. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/utf8.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/record_json.h"
#include "host/http/reply.h"
#include "host/job/kept_list.h"
#include "host/job/lab.h"
#include "host/job/peers.h"
#include "host/job/queue.h"
#include "host/job/result_json.h"
#include "host/spec/job_body.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/spec/spec.h"

enum { MAX_LIST_BYTES = 1 << 20, MAX_BODY_BYTES = 1 << 20 };

enum { MAX_RESERVED_S = 7 * 86400, MAX_REASON_BYTES = 121 };

static void put_device(const struct sl_http_exchange *exchange, struct sl_json *json,
                       const struct sl_device_record *device)
{
    const struct sl_http_devices *devices = &exchange->http->devices;
    sl_json_of_device(json, devices->way ? devices->way(devices->user, device->name) : NULL,
                      device);
}

/* The device of that name as it is now. */
static void answer_device(struct sl_http_exchange *exchange, int status, const char *name)
{
    struct sl_lab *lab = exchange->http->lab;
    const struct sl_device_record *device = sl_lab_device(lab, name);
    struct sl_http_json text;
    if (!device) {
        sl_http_problem_absent(exchange);
        return;
    }
    struct sl_device_record shown = *device;
    shown.queued = sl_queue_waiting_for(sl_lab_queue(lab), name);
    sl_http_json_begin(&text, MAX_LIST_BYTES);
    put_device(exchange, &text.json, &shown);
    sl_http_reply_json(exchange, status, &text);
}

void sl_api_device_list(struct sl_http_exchange *exchange)
{
    const struct sl_device_record *devices = NULL;
    size_t count = sl_lab_devices_with_queues(exchange->http->lab, &devices);
    struct sl_http_json text;
    sl_http_json_begin(&text, MAX_LIST_BYTES);
    sl_json_open_object(&text.json, NULL);
    sl_json_open_array(&text.json, "devices");
    for (size_t i = 0; i < count; i++)
        put_device(exchange, &text.json, &devices[i]);
    const struct sl_peers *peers = sl_lab_peers(exchange->http->lab);
    for (size_t i = 0; i < peers->device_count; i++)
        sl_json_of_device(&text.json, NULL, &peers->devices[i]);
    sl_json_close_array(&text.json);
    sl_json_close_object(&text.json);
    sl_http_reply_json(exchange, 200, &text);
}

void sl_api_device_get(struct sl_http_exchange *exchange)
{
    answer_device(exchange, 200, exchange->param[0]);
}

void sl_api_device_add(struct sl_http_exchange *exchange)
{
    const struct sl_http_devices *devices = &exchange->http->devices;
    char name[SL_NAME_BYTES] = "";
    struct sl_diag diag = {0};
    struct sl_bytes body = {exchange->body.data, exchange->body.size};
    int rc = devices->add ? devices->add(devices->user, body, name, &diag) : SL_E_STATE;
    if (rc < 0)
        sl_http_problem_of(exchange, rc, &diag);
    else
        answer_device(exchange, 201, name);
}

void sl_api_device_remove(struct sl_http_exchange *exchange)
{
    const struct sl_http_devices *devices = &exchange->http->devices;
    struct sl_diag diag = {0};
    int rc =
        devices->remove ? devices->remove(devices->user, exchange->param[0], &diag) : SL_E_STATE;
    if (rc < 0)
        sl_http_problem_of(exchange, rc, &diag);
    else
        sl_http_reply_empty(exchange, 204, 0);
}

/* --- what can be done with one --- */

struct wish {
    char reason[MAX_REASON_BYTES], who[SL_NAME_BYTES];
    uint32_t seconds;
};

static void read_keys(const struct sl_json_at *root, struct wish *out)
{
    static const char *const keys[] = {"reason", "who", "seconds"};
    sl_json_need_object(root, keys, sizeof(keys) / sizeof(keys[0]), 0);
    sl_json_copy_text(sl_json_member(root, "reason"), out->reason, sizeof(out->reason));
    sl_json_copy_text(sl_json_member(root, "who"), out->who, sizeof(out->who));
    sl_json_get_integer(sl_json_member(root, "seconds"), 1, MAX_RESERVED_S, &out->seconds);
    sl_utf8_clean(out->reason, "");
    sl_utf8_clean(out->who, "");
}

/* A body may be absent. */
static int read_wish(const struct sl_http_exchange *exchange, struct wish *out,
                     struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    *out = (struct wish){.reason = "taken out by hand", .who = "somebody", .seconds = 3600};
    if (exchange->body.size == 0)
        return 0;
    int rc = sl_http_body_json(exchange, &document, diag);
    if (rc < 0)
        return rc;
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at root = sl_json_root(&reader, document);
    read_keys(&root, out);
    sl_json_doc_free(document);
    return reader.error;
}

static int act(struct sl_lab *lab, const char *name, const char *verb, const struct wish *wish)
{
    if (strcmp(verb, "quarantine") == 0)
        return sl_lab_quarantine(lab, name, wish->reason);
    if (strcmp(verb, "probe") == 0)
        return sl_lab_probe(lab, name);
    if (strcmp(verb, "reserve") == 0)
        return sl_lab_reserve(lab, name, sl_clock_utc_ms() + wish->seconds * 1000ULL, wish->who);
    if (strcmp(verb, "release") != 0)
        return SL_E_NOT_FOUND;
    int rc = sl_lab_quarantine(lab, name, NULL);
    return rc < 0 ? rc : sl_lab_reserve(lab, name, 0, "");
}

void sl_api_device_act(struct sl_http_exchange *exchange)
{
    const char *name = exchange->param[0], *verb = exchange->param[1];
    struct wish wish;
    struct sl_diag diag = {0};
    int rc = read_wish(exchange, &wish, &diag);
    if (rc < 0) {
        sl_http_problem_of(exchange, rc, &diag);
        return;
    }
    rc = act(exchange->http->lab, name, verb, &wish);
    if (rc < 0 && rc != SL_E_NOT_FOUND)
        sl_http_problem(exchange, 500, "not-kept", "free space where the daemon keeps its state",
                        "it could not be written down: %s", sl_strerror(rc));
    else if (rc < 0 && !sl_lab_device(exchange->http->lab, name))
        sl_http_problem_absent(exchange);
    else if (rc < 0)
        sl_http_problem(exchange, 404, "not-found", "quarantine, release, probe or reserve it",
                        "nothing called %.60s can be done with a device", verb);
    else
        answer_device(exchange, 200, name);
}

static void out_of_reach(struct sl_http_exchange *exchange)
{
    sl_http_problem(exchange, 409, "out-of-reach", "'sme2lab device show' says why",
                    "%.60s cannot be reached now", exchange->param[0]);
}

static void refuse_clean(struct sl_http_exchange *exchange, int rc)
{
    if (rc == -EBUSY)
        sl_http_problem(exchange, 409, "busy", "try again after its job",
                        "%.60s has a job, or is being cleaned", exchange->param[0]);
    else if (rc == SL_E_NOT_FOUND)
        sl_http_problem_absent(exchange);
    else if (rc == -ETIMEDOUT)
        sl_http_problem(exchange, 503, "no-answer", "'sme2lab device probe' tries it anew",
                        "the agent of %.60s does not answer, or is too old to clean",
                        exchange->param[0]);
    else if (rc == SL_E_STATE)
        out_of_reach(exchange);
    else
        sl_http_problem_of(exchange, rc, NULL);
}

static void on_cleaned(void *user, int rc, const struct sl_devices_cleaned *cleaned)
{
    struct sl_http_exchange *exchange = user;
    struct sl_http_json text;
    if (!sl_http_exchange_settle(exchange))
        return;
    if (rc < 0) {
        refuse_clean(exchange, rc);
        return;
    }
    sl_http_json_begin(&text, MAX_LIST_BYTES);
    sl_json_open_object(&text.json, NULL);
    sl_json_text(&text.json, "name", exchange->param[0]);
    sl_json_u64(&text.json, "files", cleaned->files);
    sl_json_u64(&text.json, "bytes", cleaned->bytes);
    sl_json_close_object(&text.json);
    sl_http_reply_json(exchange, 200, &text);
}

void sl_api_device_clean(struct sl_http_exchange *exchange)
{
    const struct sl_http_devices *devices = &exchange->http->devices;
    sl_http_exchange_owe(exchange);
    int rc = devices->clean
                 ? devices->clean(devices->user, exchange->param[0], on_cleaned, exchange)
                 : SL_E_STATE;
    if (rc < 0 && sl_http_exchange_settle(exchange))
        refuse_clean(exchange, rc);
}

/* --- what one keeps of runs that this daemon does not know --- */

static void no_result(struct sl_http_exchange *exchange)
{
    sl_http_problem(exchange, 404, "not-found", "GET /api/v1/devices/{name}/results lists them",
                    "%.60s keeps no result %.32s", exchange->param[0], exchange->param[1]);
}

/* The model that was measured, and whether this daemon can collect it. */
static void put_asked(struct sl_json *json, const struct sl_kept *kept)
{
    struct sl_spec spec;
    struct sl_diag diag = {0};
    char model[SL_NAME_BYTES];
    struct sl_bytes text = {(const uint8_t *)kept->config, kept->config ? strlen(kept->config) : 0};
    if (text.size == 0 || sl_job_body_read(text, &spec, &diag) < 0) {
        sl_json_null(json, "model");
        sl_json_bool(json, "collectable", false);
        return;
    }
    sl_spec_model_title(&spec, model, sizeof(model));
    sl_json_text(json, "model", model[0] ? model : NULL);
    sl_json_bool(json, "collectable", sl_spec_task_runs(spec.task));
    sl_spec_fini(&spec);
}

static void put_kept(struct sl_json *json, const struct sl_kept *kept)
{
    char id[SL_RUN_ID_TEXT];
    sl_run_id_text(kept->id, id);
    sl_json_open_object(json, NULL);
    sl_json_text(json, "id", id);
    sl_json_text(json, "outcome",
                 kept->outcome == 0 ? "running" : sl_result_outcome_name(kept->outcome));
    sl_json_u64(json, "bytes", kept->bytes);
    if (kept->started_ms != 0)
        sl_json_u64(json, "started_ms", kept->started_ms);
    else
        sl_json_null(json, "started_ms");
    sl_json_text(json, "host", kept->host[0] ? kept->host : NULL);
    put_asked(json, kept);
    sl_json_close_object(json);
}

void sl_api_result_list(struct sl_http_exchange *exchange)
{
    const struct sl_http_devices *devices = &exchange->http->devices;
    const struct sl_kept_list *list =
        devices->kept ? devices->kept(devices->user, exchange->param[0]) : NULL;
    struct sl_http_json text;
    if (!list) {
        sl_http_problem_absent(exchange);
        return;
    }
    sl_http_json_begin(&text, MAX_LIST_BYTES);
    sl_json_open_object(&text.json, NULL);
    sl_json_open_array(&text.json, "results");
    for (size_t i = 0; i < list->count; i++)
        put_kept(&text.json, &list->all[i]);
    sl_json_close_array(&text.json);
    sl_json_close_object(&text.json);
    sl_http_reply_json(exchange, 200, &text);
}

/* A result as a job of this daemon, whose files are as if it had run it. */
static int make_body(const struct sl_http_exchange *exchange, const struct sl_kept *kept,
                     struct sl_buf *out, struct sl_diag *diag)
{
    const struct sl_device_record *device = sl_lab_device(exchange->http->lab, exchange->param[0]);
    if (!kept->config)
        return sl_diag_set(
            diag, SL_E_UNSUPPORTED, "result",
            "Its agent does not say what it was asked for: it can only be forgotten, "
            "or collected by the host that sent it");
    if (device && device->traits.counted)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "result",
                           "The counts of this run went with the daemon that counted them");
    struct sl_bytes text = {(const uint8_t *)kept->config, strlen(kept->config)};
    return sl_job_body_collect(text, exchange->param[0], kept->id, kept->started_ms, out, diag);
}

static const struct sl_kept *find(const struct sl_http_exchange *exchange)
{
    const struct sl_http_devices *devices = &exchange->http->devices;
    struct sl_run_id id;
    const struct sl_kept_list *list =
        devices->kept ? devices->kept(devices->user, exchange->param[0]) : NULL;
    return list && sl_run_id_read(exchange->param[1], &id) ? sl_kept_list_find(list, id) : NULL;
}

void sl_api_result_collect(struct sl_http_exchange *exchange)
{
    const struct sl_kept *kept = find(exchange);
    struct sl_diag diag = {0};
    struct sl_buf body;
    if (!kept) {
        no_result(exchange);
        return;
    }
    sl_buf_init(&body, MAX_BODY_BYTES);
    int rc = make_body(exchange, kept, &body, &diag);
    if (rc < 0) {
        sl_buf_fini(&body);
        sl_http_problem_of(exchange, rc, &diag);
        return;
    }
    sl_api_job_collect(exchange, &body);
}

void sl_api_result_forget(struct sl_http_exchange *exchange)
{
    const struct sl_http_devices *devices = &exchange->http->devices;
    const struct sl_kept *kept = find(exchange);
    int rc =
        kept ? devices->forget_kept(devices->user, exchange->param[0], kept->id) : SL_E_NOT_FOUND;
    if (rc == SL_E_STATE)
        out_of_reach(exchange);
    else if (rc == SL_E_NOT_FOUND)
        no_result(exchange);
    else if (rc < 0)
        sl_http_problem_of(exchange, rc, NULL);
    else
        sl_http_reply_empty(exchange, 204, 0);
}
