/* host/http/exchange.c */
#include "host/http/exchange.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "host/http/context.h"
#include "host/spec/json_doc.h"

enum { MAX_HEADER_LINES = 4096, MAX_ANSWER_BYTES = 8 << 20 };

struct sl_http_exchange *sl_http_exchange_new(struct sl_http *http,
                                              struct sl_http_connection *connection)
{
    struct sl_http_exchange *exchange = sl_calloc(1, sizeof(*exchange));
    if (!exchange)
        return NULL;
    exchange->http = http;
    exchange->number = ++http->last_request;
    exchange->turn = (struct sl_http_turn){.connection = connection, .read = true};
    exchange->file = -1;
    exchange->started_ms = uv_now(http->loop);
    sl_buf_init(&exchange->body, SL_HTTP_MAX_JSON_BYTES);
    sl_buf_init(&exchange->headers, MAX_HEADER_LINES);
    sl_buf_init(&exchange->out, MAX_ANSWER_BYTES);
    http->exchanges++;
    return exchange;
}

static void release(struct sl_http_exchange *exchange)
{
    if (!exchange->finished || exchange->owed > 0)
        return;
    struct sl_http *http = exchange->http;
    if (exchange->has_place)
        sl_http_places_free(&http->places, exchange->who.name);
    sl_buf_fini(&exchange->body);
    sl_buf_fini(&exchange->headers);
    sl_buf_fini(&exchange->out);
    http->packers -= exchange->packer != NULL;
    sl_http_packer_free(exchange->packer);
    sl_blob_upload_free(exchange->upload);
    if (exchange->file >= 0)
        close(exchange->file);
    sl_free(exchange->head_text);
    sl_free(exchange);
    http->exchanges--;
    sl_http_settle(http);
}

void sl_http_exchange_end(struct sl_http_exchange *exchange)
{
    if (!exchange->turn.answered && exchange->turn.wants_more && !exchange->http->stopping)
        sl_http_refusal_tell(&exchange->http->clients.refusals, uv_now(exchange->http->loop), 0,
                             exchange->path, "its request did not come to an end");
    int hundreds = exchange->head_sent ? exchange->status / 100 : 0;
    exchange->http->counts.requests[hundreds >= 1 && hundreds <= 5 ? hundreds : 0]++;
    if (exchange->source)
        exchange->source->free(exchange->source_user);
    exchange->source = NULL;
    exchange->turn.connection = NULL;
    exchange->finished = true;
    release(exchange);
}

void sl_http_exchange_owe(struct sl_http_exchange *exchange)
{
    exchange->owed++;
}

bool sl_http_exchange_settle(struct sl_http_exchange *exchange)
{
    assert(exchange->owed > 0);
    exchange->owed--;
    bool alive = exchange->turn.connection != NULL;
    release(exchange);
    return alive;
}

static int printable(const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c < ' ' || *c > '~')
            return -1;
    }
    return 0;
}

int sl_http_header(const struct sl_http_exchange *exchange, const char *name, char *out,
                   size_t size)
{
    const char *value = sl_http_head_field(&exchange->head, name);
    size_t len = value ? strlen(value) : size;
    out[0] = '\0';
    if (len >= size)
        return -1;
    memcpy(out, value, len + 1);
    return printable(out);
}

int sl_http_query(const struct sl_http_exchange *exchange, const char *name, char *out, size_t size)
{
    bool found = sl_http_query_find(exchange->query, name, out, size) >= 0;
    return found && sl_utf8_is_plain(out) ? 0 : -1;
}

bool sl_http_query_names(const struct sl_http_exchange *exchange, const char *name)
{
    return sl_http_query_has(exchange->query, name);
}

bool sl_http_query_number(const struct sl_http_exchange *exchange, const char *name, uint64_t *out)
{
    char text[32];
    if (!sl_http_query_names(exchange, name))
        return true;
    return sl_http_query(exchange, name, text, sizeof(text)) == 0 && sl_http_number(text, out) &&
           *out <= INT64_MAX;
}

int sl_http_body_json(const struct sl_http_exchange *exchange, struct cJSON **out,
                      struct sl_diag *diag)
{
    struct sl_bytes body = {exchange->body.data, exchange->body.size};
    return sl_json_doc_parse(body, "body", out, diag);
}

bool sl_http_number(const char *text, uint64_t *out)
{
    uint64_t number = 0;
    if (!*text)
        return false;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9')
            return false;
        uint64_t digit = (uint64_t)(*c - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *out = number;
    return true;
}
