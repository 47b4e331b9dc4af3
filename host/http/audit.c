/* host/http/audit.c */
#include "host/http/audit.h"

#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/router.h"
#include "host/job/lab.h"
#include "host/store/store.h"

static void on_noted(void *user, int rc)
{
    struct sl_http *http = user;
    if (rc < 0 && !http->stopping)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("audit_not_stored"), SL_LOG_REASON(sl_strerror(rc)));
    http->exchanges--;
    sl_http_settle(http);
}

/* A route that takes the scope read changes nothing, whatever its method. */
static bool is_write(const struct sl_http_exchange *exchange)
{
    return exchange->route && exchange->who.scopes != 0 &&
           (exchange->method & (SL_HTTP_POST | SL_HTTP_PUT | SL_HTTP_DELETE)) &&
           !(exchange->route->scopes & SL_SCOPE_READ);
}

void sl_http_audit(struct sl_http_exchange *exchange)
{
    struct sl_http *http = exchange->http;
    if (!is_write(exchange))
        return;
    struct sl_audit_record record = {.at_ms = sl_clock_utc_ms(),
                                     .status = exchange->head_sent ? exchange->status : 0};
    snprintf(record.who, sizeof(record.who), "%s", exchange->who.name);
    snprintf(record.method, sizeof(record.method), "%s", exchange->head.method);
    snprintf(record.path, sizeof(record.path), "%.*s", (int)sizeof(record.path) - 1,
             exchange->path);
    http->exchanges++; /* the end waits for it */
    int rc = sl_store_note_audit(sl_lab_store(http->lab), &record, on_noted, http);
    if (rc < 0)
        on_noted(http, rc);
}
