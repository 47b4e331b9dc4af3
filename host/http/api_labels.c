/* host/http/api_labels.c: /api/v1/runs/{id}/labels: what people say of a run that is there. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/utf8.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/paging.h"
#include "host/http/reply.h"
#include "host/job/lab.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/store/store.h"

enum { MAX_LABELS_BYTES = 128 << 10 };

static void on_labels(void *user, int rc, const char *json)
{
    struct sl_http_exchange *exchange = user;
    struct sl_buf body;
    if (!sl_http_exchange_settle(exchange))
        return;
    sl_buf_init(&body, MAX_LABELS_BYTES);
    if (rc == 0)
        rc = sl_buf_append(&body, json, strlen(json));
    if (rc == 0) {
        sl_http_reply_buf(exchange, 200, "application/json", &body);
        return;
    }
    sl_buf_fini(&body);
    if (rc == -EACCES)
        sl_http_problem(exchange, 403, "not-yours", "ask who submitted it, or take the scope admin",
                        "run %.20s is another's", exchange->param[0]);
    else if (rc == SL_E_LIMIT)
        sl_http_problem(exchange, 422, "invalid", "remove one with null",
                        "a run has %d labels at most", (int)SL_STORE_MAX_LABELS);
    else
        sl_http_problem_of(exchange, rc, NULL);
}

static void ask(struct sl_http_exchange *exchange, const char *wanted, const char *owner)
{
    uint64_t id;
    if (!sl_http_id(exchange, &id))
        return;
    sl_http_exchange_owe(exchange);
    int rc = sl_store_label_run(sl_lab_store(exchange->http->lab), id, wanted, owner, on_labels,
                                exchange);
    if (rc < 0)
        on_labels(exchange, rc, NULL);
}

void sl_api_run_labels(struct sl_http_exchange *exchange)
{
    ask(exchange, NULL, NULL);
}

static void check_labels(const struct sl_json_at *labels)
{
    sl_json_need_members(labels, 2 * SL_STORE_MAX_LABELS, "labels");
    for (struct sl_json_at at = sl_json_first(labels); sl_json_more(&at); sl_json_next(&at)) {
        const char *value = cJSON_IsNull(at.value) ? "" : sl_json_get_text(at);
        if (value && (at.key[0] == '\0' || strlen(at.key) >= SL_NAME_BYTES ||
                      strlen(value) >= SL_LABEL_BYTES))
            sl_json_refuse(labels, "A label has 1 to %d bytes, its key 1 to %d", SL_LABEL_BYTES - 1,
                           SL_NAME_BYTES - 1);
        else if (value && !(sl_utf8_is_plain(at.key) && sl_utf8_is_plain(value)))
            sl_json_refuse(labels, "A label must not have control characters");
    }
}

void sl_api_run_label(struct sl_http_exchange *exchange)
{
    static const char *const keys[] = {"labels", "pinned"};
    struct cJSON *document = NULL;
    struct sl_diag diag = {0};
    bool pinned;
    int rc = sl_http_body_json(exchange, &document, &diag);
    if (rc == 0) {
        struct sl_json_reader reader = {.diag = &diag};
        struct sl_json_at root = sl_json_root(&reader, document);
        struct sl_json_at labels = sl_json_member(&root, "labels");
        sl_json_need_object(&root, keys, sizeof(keys) / sizeof(keys[0]), 0);
        sl_json_get_bool(sl_json_member(&root, "pinned"), &pinned);
        if (labels.value)
            check_labels(&labels);
        rc = reader.error;
        sl_json_doc_free(document);
    }
    if (rc < 0)
        sl_http_problem_of(exchange, rc, &diag);
    else
        ask(exchange, (const char *)exchange->body.data,
            exchange->who.scopes & SL_SCOPE_ADMIN ? NULL : exchange->who.name);
}
