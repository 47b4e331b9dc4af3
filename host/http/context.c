/* host/http/context.c */
#include "host/http/context.h"

#include "common/base/mem.h"

static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_http *http = handle->data;
    if (--http->open_handles > 0)
        return;
    void (*closed)(void *) = http->closed;
    void *user = http->closed_user;
    sl_auth_fini(&http->auth);
    sl_tls_identity_free(http->identity);
    sl_free(http);
    if (closed)
        closed(user);
}

/* The listeners and connections are gone, and nothing is owed to an exchange: the timers are last.
 */
void sl_http_settle(struct sl_http *http)
{
    if (!http->stopping || http->ending || http->exchanges > 0 || http->clients.count > 0)
        return;
    for (size_t i = 0; i < http->listener_count; i++) {
        if (http->listeners[i].open)
            return;
    }
    http->ending = true;
    uv_close((uv_handle_t *)&http->beat, on_handle_closed);
    uv_close((uv_handle_t *)&http->retry, on_handle_closed);
    uv_close((uv_handle_t *)&http->turn, on_handle_closed);
}
