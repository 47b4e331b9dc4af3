/* host/http/exchange.c */
#include "host/http/exchange.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "host/http/internal.h"
#include "host/http/live.h"

enum { MAX_HEADER_LINES = 4096, MAX_ANSWER_BYTES = 8 << 20 };

static int read_method(struct lws *wsi, char *path, size_t size, bool *out_too_long)
{
    static const struct {
        enum lws_token_indexes token;
        int method;
    } methods[] = {
        {WSI_TOKEN_GET_URI, SL_HTTP_GET},
        {WSI_TOKEN_HEAD_URI, SL_HTTP_HEAD},
        {WSI_TOKEN_POST_URI, SL_HTTP_POST},
        {WSI_TOKEN_PUT_URI, SL_HTTP_PUT},
        {WSI_TOKEN_DELETE_URI, SL_HTTP_DELETE},
        {WSI_TOKEN_PATCH_URI, 0},
        {WSI_TOKEN_OPTIONS_URI, 0},
    };
    path[0] = '\0';
    *out_too_long = false;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        int len = lws_hdr_total_length(wsi, methods[i].token);
        if (len <= 0)
            continue;
        *out_too_long = (size_t)len >= size;
        if (!*out_too_long)
            lws_hdr_copy(wsi, path, (int)size, methods[i].token);
        if (strlen(path) != (size_t)len)
            path[0] = '\0'; /* too long, or with a zero in it: no such path */
        return methods[i].method;
    }
    return 0;
}

struct sl_http_exchange *sl_http_exchange_new(struct sl_http *http, struct lws *wsi)
{
    struct sl_http_exchange *exchange = sl_calloc(1, sizeof(*exchange));
    if (!exchange)
        return NULL;
    exchange->http = http;
    exchange->wsi = wsi;
    exchange->file = -1;
    exchange->started_ms = uv_now(http->loop);
    sl_buf_init(&exchange->body, SL_HTTP_MAX_JSON_BYTES);
    sl_buf_init(&exchange->headers, MAX_HEADER_LINES);
    sl_buf_init(&exchange->out, MAX_ANSWER_BYTES);
    exchange->method =
        read_method(wsi, exchange->path, sizeof(exchange->path), &exchange->path_too_long);
    http->exchanges++;
    return exchange;
}

static void release(struct sl_http_exchange *exchange)
{
    if (!exchange->finished || exchange->owed > 0)
        return;
    exchange->http->exchanges--;
    sl_buf_fini(&exchange->body);
    sl_buf_fini(&exchange->headers);
    sl_buf_fini(&exchange->out);
    sl_blob_upload_free(exchange->upload);
    if (exchange->file >= 0)
        close(exchange->file);
    sl_free(exchange);
}

void sl_http_exchange_end(struct sl_http_exchange *exchange)
{
    int hundreds = exchange->head_sent ? exchange->status / 100 : 0;
    exchange->http->counts.requests[hundreds >= 1 && hundreds <= 5 ? hundreds : 0]++;
    sl_live_free(exchange->live);
    exchange->live = NULL;
    exchange->wsi = NULL;
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
    bool alive = exchange->wsi != NULL;
    release(exchange);
    return alive;
}

void sl_http_exchange_pause(struct sl_http_exchange *exchange, bool pause)
{
    if (!exchange->wsi || exchange->paused == pause)
        return;
    exchange->paused = pause;
    lws_rx_flow_control(exchange->wsi, pause ? 0 : 1);
}

void sl_http_exchange_deadline(struct sl_http_exchange *exchange, int seconds)
{
    if (seconds == 0) {
        lws_set_timeout(exchange->wsi, NO_PENDING_TIMEOUT, 0);
        return;
    }
    lws_set_timeout(exchange->wsi, PENDING_TIMEOUT_HTTP_CONTENT,
                    seconds > 0 ? seconds : LWS_TO_KILL_ASYNC);
    /* From outside its callbacks the library sets its timer only when it is woken. */
    lws_cancel_service(exchange->http->context);
}

static int printable(const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c < ' ' || *c > '~')
            return -1;
    }
    return 0;
}

/* Headers that the library knows by number; it keeps all others by name. */
static int known_header(const char *name)
{
    static const struct {
        const char *name;
        int token;
    } known[] = {
        {"authorization:", WSI_TOKEN_HTTP_AUTHORIZATION},
        {"content-length:", WSI_TOKEN_HTTP_CONTENT_LENGTH},
        {"content-type:", WSI_TOKEN_HTTP_CONTENT_TYPE},
        {"content-range:", WSI_TOKEN_HTTP_CONTENT_RANGE},
        {"transfer-encoding:", WSI_TOKEN_HTTP_TRANSFER_ENCODING},
        {"expect:", WSI_TOKEN_HTTP_EXPECT},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) == 0)
            return known[i].token;
    }
    return -1;
}

int sl_http_header(const struct sl_http_exchange *exchange, const char *name, char *out,
                   size_t size)
{
    int token = known_header(name);
    int len = token >= 0 ? lws_hdr_total_length(exchange->wsi, (enum lws_token_indexes)token)
                         : lws_hdr_custom_length(exchange->wsi, name, (int)strlen(name));
    out[0] = '\0';
    if (len <= 0)
        return 0;
    if ((size_t)len >= size)
        return -1;
    if (token >= 0)
        len = lws_hdr_copy(exchange->wsi, out, (int)size, (enum lws_token_indexes)token);
    else
        len = lws_hdr_custom_copy(exchange->wsi, out, (int)size, name, (int)strlen(name));
    return len < 0 ? -1 : printable(out);
}

/* The library passes over a parameter that is longer than the place for it. */
static bool query_is_too_long(const struct sl_http_exchange *exchange, size_t size)
{
    int len;
    for (int i = 0; (len = lws_hdr_fragment_length(exchange->wsi, WSI_TOKEN_HTTP_URI_ARGS, i)) > 0;
         i++) {
        if ((size_t)len >= size)
            return true;
    }
    return false;
}

int sl_http_query(const struct sl_http_exchange *exchange, const char *name, char *out, size_t size)
{
    char value[SL_HTTP_PARAM_BYTES];
    out[0] = '\0';
    if (query_is_too_long(exchange, sizeof(value)))
        return -1;
    const char *found = lws_get_urlarg_by_name(exchange->wsi, name, value, sizeof(value));
    if (!found)
        return 0;
    size_t len = strlen(found);
    if (len >= size)
        return -1;
    memcpy(out, found, len + 1);
    return printable(out);
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
