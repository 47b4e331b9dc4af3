/* host/http/api_tokens.c: /api/v1/tokens, for admins. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/paging.h"
#include "host/http/record_json.h"
#include "host/http/reply.h"
#include "host/http/token_wish.h"
#include "host/job/lab.h"
#include "host/store/store.h"

enum { MAX_LIST_BYTES = 1 << 20 };

/* From now on the tokens in the store let clients in. */
static int take(struct sl_http *http, int rc, const struct sl_token_record *rows, size_t count)
{
    if (rc == 0)
        rc = sl_auth_set(&http->auth, rows, count);
    if (rc < 0 && !http->stopping)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("tokens_not_read"), SL_LOG_REASON(sl_strerror(rc)));
    return rc;
}

static void on_loaded(void *user, int rc, const struct sl_token_record *rows, size_t count)
{
    struct sl_http *http = user;
    take(http, rc, rows, count);
    http->exchanges--;
    sl_http_settle(http);
}

void sl_api_tokens_load(struct sl_http *http)
{
    http->exchanges++; /* the end waits for it */
    int rc = sl_store_list_tokens(sl_lab_store(http->lab), on_loaded, http);
    if (rc < 0)
        on_loaded(http, rc, NULL, 0);
}

void sl_api_token_list(struct sl_http_exchange *exchange)
{
    const struct sl_auth *auth = &exchange->http->auth;
    struct sl_http_json text;
    sl_http_json_begin(&text, MAX_LIST_BYTES);
    sl_json_open_object(&text.json, NULL);
    sl_json_open_array(&text.json, "tokens");
    for (size_t i = 0; i < auth->count; i++)
        sl_json_of_token(&text.json, NULL, &auth->tokens[i]);
    sl_json_close_array(&text.json);
    sl_json_close_object(&text.json);
    sl_http_reply_json(exchange, 200, &text);
}

struct adding {
    struct sl_http_exchange *exchange;
    struct sl_token_record record;
    char token[SL_AUTH_TOKEN_BYTES];
};

static void answer_added(struct adding *adding, int rc)
{
    struct sl_http_exchange *exchange = adding->exchange;
    struct sl_http_json text;
    bool alive = sl_http_exchange_settle(exchange);
    if (alive && rc < 0) {
        sl_http_problem_of(exchange, rc, NULL);
    } else if (alive) {
        sl_http_json_begin(&text, 4096);
        sl_json_open_object(&text.json, NULL);
        sl_json_text(&text.json, "token", adding->token);
        sl_json_of_token(&text.json, "record", &adding->record);
        sl_json_close_object(&text.json);
        sl_http_reply_header(exchange, "location", "/api/v1/tokens/%" PRIu64, adding->record.id);
        sl_http_reply_header(exchange, "cache-control", "no-store");
        sl_http_reply_json(exchange, 201, &text);
    }
    memset(adding->token, 0, sizeof(adding->token));
    sl_free(adding);
}

/* Only now does it let in, so only now is it told. */
static void on_known(void *user, int rc, const struct sl_token_record *rows, size_t count)
{
    struct adding *adding = user;
    answer_added(adding, take(adding->exchange->http, rc, rows, count));
}

static void on_added(void *user, int rc, uint64_t id)
{
    struct adding *adding = user;
    adding->record.id = id;
    if (rc == 0)
        rc = sl_store_list_tokens(sl_lab_store(adding->exchange->http->lab), on_known, adding);
    if (rc < 0)
        answer_added(adding, rc);
}

static void on_expired_removed(void *user, int rc)
{
    struct sl_http *http = user;
    if (rc < 0 && !http->stopping)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("token_not_removed"), SL_LOG_REASON(sl_strerror(rc)));
    http->exchanges--;
    sl_http_settle(http);
}

/* Those that have expired make room. How many are left. */
static size_t remove_expired(struct sl_http *http)
{
    size_t left = 0;
    uint64_t now = sl_clock_utc_ms();
    for (size_t i = 0; i < http->auth.count; i++) {
        const struct sl_token_record *token = &http->auth.tokens[i];
        if (token->expires_ms == 0 || token->expires_ms > now) {
            left++;
            continue;
        }
        http->exchanges++; /* the end waits for it */
        int rc =
            sl_store_remove_token(sl_lab_store(http->lab), token->id, on_expired_removed, http);
        if (rc < 0)
            on_expired_removed(http, rc);
    }
    return left;
}

void sl_api_token_post(struct sl_http_exchange *exchange)
{
    struct sl_http_token_wish wish;
    struct sl_diag diag = {0};
    struct sl_bytes body = {exchange->body.data, exchange->body.size};
    struct adding *adding = NULL;
    int rc = sl_http_token_wish_read(body, &wish, &diag);
    if (rc == 0 && (wish.scopes & ~exchange->who.scopes)) {
        char words[SL_SCOPES_BYTES];
        sl_http_problem(exchange, 403, "forbidden",
                        "ask somebody who has it, or who runs the daemon",
                        "nobody gives what he has not: %s",
                        sl_scopes_words(wish.scopes & ~exchange->who.scopes, words));
        return;
    }
    if (rc == 0 && remove_expired(exchange->http) >= SL_AUTH_MAX_TOKENS)
        rc = SL_E_FULL;
    if (rc == 0) {
        adding = sl_calloc(1, sizeof(*adding));
        rc = adding ? 0 : -ENOMEM;
    }
    if (adding) {
        adding->exchange = exchange;
        adding->record =
            (struct sl_token_record){.max_jobs = wish.max_jobs, .created_ms = sl_clock_utc_ms()};
        sl_scopes_words(wish.scopes, adding->record.scopes);
        if (wish.expires_in_s > 0)
            adding->record.expires_ms = adding->record.created_ms + wish.expires_in_s * 1000ull;
        memcpy(adding->record.name, wish.name, sizeof(wish.name));
        sl_auth_make(adding->token, adding->record.sha256);
        sl_http_exchange_owe(exchange);
        rc = sl_store_add_token(sl_lab_store(exchange->http->lab), &adding->record, on_added,
                                adding);
        if (rc < 0) {
            sl_http_exchange_settle(exchange);
            sl_free(adding);
        }
    }
    if (rc < 0)
        sl_http_problem_of(exchange, rc, &diag);
}

static void answer_removed(struct sl_http_exchange *exchange, int rc)
{
    if (!sl_http_exchange_settle(exchange))
        return;
    if (rc < 0)
        sl_http_problem_of(exchange, rc, NULL);
    else
        sl_http_reply_empty(exchange, 204, 0);
}

/* Only now does it let nobody in any more. */
static void on_forgotten(void *user, int rc, const struct sl_token_record *rows, size_t count)
{
    struct sl_http_exchange *exchange = user;
    answer_removed(exchange, take(exchange->http, rc, rows, count));
}

static void on_removed(void *user, int rc)
{
    struct sl_http_exchange *exchange = user;
    if (rc == 0)
        rc = sl_store_list_tokens(sl_lab_store(exchange->http->lab), on_forgotten, exchange);
    if (rc < 0)
        answer_removed(exchange, rc);
}

void sl_api_token_delete(struct sl_http_exchange *exchange)
{
    uint64_t id;
    if (!sl_http_id(exchange, &id))
        return;
    sl_http_exchange_owe(exchange);
    int rc = sl_store_remove_token(sl_lab_store(exchange->http->lab), id, on_removed, exchange);
    if (rc < 0 && sl_http_exchange_settle(exchange))
        sl_http_problem_of(exchange, rc, NULL);
}
