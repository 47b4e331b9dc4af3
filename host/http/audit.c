/* host/http/audit.c */
#include "host/http/audit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The number behind `start` in the text; 0: there is none. */
static uint64_t number_behind(const char *text, const char *start)
{
    const char *at = strstr(text, start);
    return at ? strtoull(at + strlen(start), NULL, 10) : 0;
}

/* The first of a second also says how many of those before it were not told of. */
static bool has_room(struct sl_http_told *told, uint64_t now_ms)
{
    if (now_ms / 1000 != told->second) {
        if (told->untold > 0)
            sl_log(SL_LOG_INFO, SL_LOG_EVENT("requests_untold"),
                   SL_LOG_NUMBER("count", told->untold));
        *told = (struct sl_http_told){.second = now_ms / 1000};
    }
    if (told->told == SL_HTTP_TOLD_A_SECOND) {
        told->untold++;
        return false;
    }
    told->told++;
    return true;
}

/* The path names what the request changed, the Location of its answer what it made. */
static void tell(struct sl_http_exchange *exchange)
{
    struct sl_log_field fields[9] = {
        SL_LOG_EVENT("request"),
        SL_LOG_REQUEST(exchange->number),
        SL_LOG_TEXT("who", exchange->who.name),
        SL_LOG_TEXT("method", exchange->head.method),
        SL_LOG_TEXT("path", exchange->path),
        SL_LOG_NUMBER("status", exchange->head_sent ? exchange->status : 0)};
    const char *made = exchange->headers.size > 0 ? (const char *)exchange->headers.data : "";
    uint64_t job = number_behind(exchange->path, "/api/v1/jobs/"),
             run = number_behind(exchange->path, "/api/v1/runs/");
    size_t count = 6;
    if (job == 0)
        job = number_behind(made, "location: /api/v1/jobs/");
    if (run == 0)
        run = number_behind(made, "location: /api/v1/runs/");
    if (job != 0)
        fields[count++] = (struct sl_log_field)SL_LOG_JOB(job);
    if (run != 0)
        fields[count] = (struct sl_log_field)SL_LOG_RUN(run);
    if (has_room(&exchange->http->told, uv_now(exchange->http->loop)))
        sl_log_write(exchange->status == 500 ? SL_LOG_ERROR : SL_LOG_INFO, fields);
}

void sl_http_audit(struct sl_http_exchange *exchange)
{
    struct sl_http *http = exchange->http;
    if (is_write(exchange) || exchange->status == 500)
        tell(exchange);
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
