/* host/peer/call.c */
#include "host/peer/call.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <curl/curl.h>
#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"

enum { URL_BYTES = 2048, TOKEN_BYTES = 160 };

struct sl_peer_call {
    struct sl_peer_call *next;
    struct sl_peer_calls *of;
    CURL *curl;
    struct curl_slist *headers;
    struct sl_peer_call_events events;
    void *user;
    bool told, stopped, goes_on;
};

/* A socket of libcurl's that it wants to hear of. */
struct watch {
    uv_poll_t poll;
    struct sl_peer_calls *of;
    curl_socket_t socket;
};

struct sl_peer_calls {
    uv_loop_t *loop;
    CURLM *multi;
    uv_timer_t timer;
    char authorization[TOKEN_BYTES];
    char *certificates; /* owned; NULL: the system's */
    struct sl_peer_call *all;
    size_t count, handles;
    struct sl_peer_counts counts;
    bool inside; /* libcurl works: no call may be taken from it */
    bool closing;
    void (*closed)(void *user);
    void *closed_user;
};

/* --- one call --- */

static void free_call(struct sl_peer_call *call)
{
    struct sl_peer_call **at = &call->of->all;
    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    call->of->count--;
    curl_multi_remove_handle(call->of->multi, call->curl);
    curl_easy_cleanup(call->curl);
    curl_slist_free_all(call->headers);
    sl_free(call);
}

static void tell_head(struct sl_peer_call *call)
{
    long status = 0;
    curl_easy_getinfo(call->curl, CURLINFO_RESPONSE_CODE, &status);
    if (call->told || call->stopped || status < 200)
        return;
    call->told = true;
    call->events.head(call->user, (int)status);
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct sl_peer_call *call = user;
    tell_head(call);
    if (call->stopped)
        return CURL_WRITEFUNC_ERROR;
    return call->events.body(call->user, bytes, size * count) ? size * count : CURL_WRITEFUNC_PAUSE;
}

static int code_of(CURLcode result)
{
    switch (result) {
    case CURLE_OK:
        return 0;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
        return -ECONNREFUSED;
    case CURLE_OPERATION_TIMEDOUT:
        return -ETIMEDOUT;
    case CURLE_OUT_OF_MEMORY:
        return -ENOMEM;
    default:
        return -EPROTO;
    }
}

static void end_call(struct sl_peer_call *call, CURLcode result)
{
    call->of->inside = true; /* an event may stop this call */
    if (result == CURLE_OK)
        tell_head(call);
    if (!call->stopped)
        call->events.ended(call->user, code_of(result),
                           result == CURLE_OK ? "" : curl_easy_strerror(result));
    call->of->inside = false;
    free_call(call);
}

/* Tells which calls have ended by libcurl's work. */
static void settle(struct sl_peer_calls *calls)
{
    int left = 0;
    for (CURLMsg *message;
         !calls->closing && (message = curl_multi_info_read(calls->multi, &left));) {
        struct sl_peer_call *call = NULL;
        CURLcode result = message->data.result;
        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&call);
        end_call(call, result);
    }
    for (struct sl_peer_call *call = calls->all, *next; call; call = next) {
        next = call->next;
        if (call->stopped)
            free_call(call);
    }
}

static void work(struct sl_peer_calls *calls, curl_socket_t socket, int events)
{
    int running = 0;
    calls->inside = true;
    curl_multi_socket_action(calls->multi, socket, events, &running);
    calls->inside = false;
    settle(calls);
}

/* --- libcurl on the loop --- */

static void on_timer(uv_timer_t *timer)
{
    struct sl_peer_calls *calls = timer->data;
    calls->inside = true;
    for (struct sl_peer_call *call = calls->all; call; call = call->next) {
        if (call->goes_on && !call->stopped) {
            call->goes_on = false;
            curl_easy_pause(call->curl, CURLPAUSE_CONT);
        }
    }
    work(calls, CURL_SOCKET_TIMEOUT, 0);
}

static bool any_goes_on(const struct sl_peer_calls *calls)
{
    const struct sl_peer_call *call = calls->all;
    while (call && (!call->goes_on || call->stopped))
        call = call->next;
    return call != NULL;
}

static int on_wait(CURLM *multi, long wait_ms, void *user)
{
    struct sl_peer_calls *calls = user;
    (void)multi;
    if (calls->closing)
        return 0;
    if (any_goes_on(calls))
        wait_ms = 0; /* it was promised a turn of this timer */
    if (wait_ms < 0)
        uv_timer_stop(&calls->timer);
    else
        uv_timer_start(&calls->timer, on_timer, (uint64_t)wait_ms, 0);
    return 0;
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct watch *watch = poll->data;
    int what = (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
               (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0) | (status < 0 ? CURL_CSELECT_ERR : 0);
    work(watch->of, watch->socket, what);
}

static void handle_gone(struct sl_peer_calls *calls)
{
    if (--calls->handles > 0 || !calls->closing)
        return;
    void (*closed)(void *) = calls->closed;
    void *user = calls->closed_user;
    curl_multi_cleanup(calls->multi);
    curl_global_cleanup();
    sl_free(calls->certificates);
    sl_free(calls);
    closed(user);
}

static void on_watch_closed(uv_handle_t *handle)
{
    struct watch *watch = handle->data;
    struct sl_peer_calls *calls = watch->of;
    sl_free(watch);
    handle_gone(calls);
}

static void on_timer_closed(uv_handle_t *handle)
{
    handle_gone(handle->data);
}

static struct watch *new_watch(struct sl_peer_calls *calls, curl_socket_t socket)
{
    struct watch *watch = sl_calloc(1, sizeof(*watch));
    if (!watch)
        return NULL;
    watch->of = calls;
    watch->socket = socket;
    if (uv_poll_init_socket(calls->loop, &watch->poll, socket) < 0) {
        sl_free(watch);
        return NULL;
    }
    watch->poll.data = watch;
    calls->handles++;
    curl_multi_assign(calls->multi, socket, watch);
    return watch;
}

static int on_socket(CURL *curl, curl_socket_t socket, int what, void *user, void *of_socket)
{
    struct sl_peer_calls *calls = user;
    struct watch *watch = of_socket;
    (void)curl;
    if (what == CURL_POLL_REMOVE) {
        if (watch)
            uv_close((uv_handle_t *)&watch->poll, on_watch_closed);
        curl_multi_assign(calls->multi, socket, NULL);
        return 0;
    }
    if (calls->closing)
        return 0;
    if (!watch)
        watch = new_watch(calls, socket);
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    return watch && uv_poll_start(&watch->poll, events, on_ready) == 0 ? 0 : -1;
}

/* --- life --- */

int sl_peer_calls_new(uv_loop_t *loop, const char *token, const char *certificates,
                      struct sl_peer_calls **out)
{
    struct sl_peer_calls *calls = sl_calloc(1, sizeof(*calls));
    if (!calls)
        return -ENOMEM;
    *calls = (struct sl_peer_calls){.loop = loop};
    if (certificates)
        calls->certificates = sl_strndup(certificates, strlen(certificates));
    if ((certificates && !calls->certificates) || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        goto fail;
    calls->multi = curl_multi_init();
    if (!calls->multi) {
        curl_global_cleanup();
        goto fail;
    }
    snprintf(calls->authorization, sizeof(calls->authorization), "Authorization: Bearer %.128s",
             token);
    curl_multi_setopt(calls->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(calls->multi, CURLMOPT_SOCKETDATA, calls);
    curl_multi_setopt(calls->multi, CURLMOPT_TIMERFUNCTION, on_wait);
    curl_multi_setopt(calls->multi, CURLMOPT_TIMERDATA, calls);
    uv_timer_init(loop, &calls->timer);
    calls->timer.data = calls;
    calls->handles = 1;
    *out = calls;
    return 0;
fail:
    sl_free(calls->certificates);
    sl_free(calls);
    return -ENOMEM;
}

void sl_peer_calls_close(struct sl_peer_calls *calls, void (*closed)(void *user), void *user)
{
    calls->closing = true;
    calls->closed = closed;
    calls->closed_user = user;
    while (calls->all)
        free_call(calls->all);
    uv_close((uv_handle_t *)&calls->timer, on_timer_closed);
}

struct sl_peer_counts *sl_peer_counts(struct sl_peer_calls *calls)
{
    return &calls->counts;
}

/* Letters, digits and `marks` stay; what else there is becomes %XX. */
static int put_escaped(struct sl_buf *url, const char *text, const char *marks)
{
    int rc = 0;
    for (const char *at = text; *at && rc == 0; at++) {
        bool stays = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                     (*at >= '0' && *at <= '9') || strchr(marks, *at);
        rc = stays ? sl_buf_append(url, at, 1) : sl_buf_printf(url, "%%%02X", (unsigned char)*at);
    }
    return rc;
}

static int put_url(struct sl_buf *url, const struct sl_peer_request *request)
{
    int rc = sl_buf_printf(url, "%s", request->url);
    if (rc == 0)
        rc = put_escaped(url, request->path, "-._~/");
    if (rc == 0 && request->query)
        rc = sl_buf_append(url, "?", 1);
    return rc == 0 && request->query ? put_escaped(url, request->query, "-._~/=&%+,") : rc;
}

static int add_header(struct sl_peer_call *call, const char *line)
{
    struct curl_slist *more = curl_slist_append(call->headers, line);
    if (!more)
        return -ENOMEM;
    call->headers = more;
    return 0;
}

static int set_up(struct sl_peer_call *call, const struct sl_peer_request *request)
{
    struct sl_buf url;
    CURL *curl = call->curl;
    sl_buf_init(&url, URL_BYTES);
    int rc = put_url(&url, request);
    if (rc == 0 && curl_easy_setopt(curl, CURLOPT_URL, (const char *)url.data) != CURLE_OK)
        rc = -ENOMEM;
    sl_buf_fini(&url);
    if (rc == 0)
        rc = add_header(call, call->of->authorization);
    for (size_t i = 0; i < request->header_count && rc == 0; i++)
        rc = add_header(call, request->headers[i]);
    if (rc < 0)
        return rc;
    bool good = curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_PROXY, "") == CURLE_OK &&
                (!call->of->certificates ||
                 curl_easy_setopt(curl, CURLOPT_CAINFO, call->of->certificates) == CURLE_OK);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, call->headers);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_NOBODY, request->head ? 1L : 0L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)SL_PEER_CONNECT_MS);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT,
                     request->least_rate > 0 ? (long)request->least_rate : 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)SL_PEER_STALL_S);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "sme2labd/" SL_VERSION);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, call);
    curl_easy_setopt(curl, CURLOPT_PRIVATE, call);
    return good ? 0 : -ENOMEM;
}

int sl_peer_call_start(struct sl_peer_calls *calls, const struct sl_peer_request *request,
                       const struct sl_peer_call_events *events, void *user,
                       struct sl_peer_call **out)
{
    size_t most = request->ours ? SL_PEER_MAX_CALLS : SL_PEER_MAX_CALLS - SL_PEER_KEPT_CALLS;
    if (calls->closing || calls->count >= most)
        return SL_E_FULL;
    struct sl_peer_call *call = sl_calloc(1, sizeof(*call));
    if (!call)
        return -ENOMEM;
    *call = (struct sl_peer_call){
        .of = calls, .events = *events, .user = user, .curl = curl_easy_init()};
    int rc = call->curl ? set_up(call, request) : -ENOMEM;
    if (rc == 0 && curl_multi_add_handle(calls->multi, call->curl) != CURLM_OK)
        rc = -ENOMEM;
    if (rc < 0) {
        curl_easy_cleanup(call->curl);
        curl_slist_free_all(call->headers);
        sl_free(call);
        return rc;
    }
    call->next = calls->all;
    calls->all = call;
    calls->count++;
    *out = call;
    return 0;
}

const char *sl_peer_call_header(struct sl_peer_call *call, const char *name)
{
    struct curl_header *header = NULL;
    return curl_easy_header(call->curl, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK
               ? header->value
               : NULL;
}

void sl_peer_call_go_on(struct sl_peer_call *call)
{
    call->goes_on = true;
    uv_timer_start(&call->of->timer, on_timer, 0, 0);
}

void sl_peer_call_stop(struct sl_peer_call *call)
{
    struct sl_peer_calls *calls = call->of;
    call->stopped = true;
    if (!calls->inside)
        free_call(call);
}
