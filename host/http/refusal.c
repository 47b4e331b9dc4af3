/* host/http/refusal.c */
#include "host/http/refusal.h"

#include <stdbool.h>

#include "common/base/log.h"

enum { MAX_SHOWN_BYTES = 200 };

static void clean(const char *text, char out[MAX_SHOWN_BYTES])
{
    size_t i = 0;
    for (; text[i] && i + 1 < MAX_SHOWN_BYTES; i++)
        out[i] = text[i] < ' ' || text[i] > '~' || text[i] == '"' ? '?' : text[i];
    out[i] = '\0';
}

/* The first of a second also says how many of those before it were not told of. */
static bool has_room(struct sl_http_refusals *refusals, uint64_t now_ms)
{
    if (now_ms / 1000 != refusals->second) {
        refusals->second = now_ms / 1000;
        refusals->told = 0;
        if (refusals->untold > 0)
            sl_log(SL_LOG_WARNING, SL_LOG_EVENT("http_refusals_untold"),
                   SL_LOG_NUMBER("count", refusals->untold));
        refusals->untold = 0;
    }
    if (refusals->told < SL_HTTP_REFUSALS_A_SECOND) {
        refusals->told++;
        return true;
    }
    refusals->untold++;
    return false;
}

void sl_http_refusal_tell(struct sl_http_refusals *refusals, uint64_t now_ms, int status,
                          const char *path, const char *reason)
{
    char shown_path[MAX_SHOWN_BYTES], shown_reason[MAX_SHOWN_BYTES];
    if (!has_room(refusals, now_ms))
        return;
    clean(path, shown_path);
    clean(reason, shown_reason);
    sl_log(SL_LOG_WARNING, SL_LOG_EVENT("http_peer_refused"), SL_LOG_NUMBER("status", status),
           SL_LOG_QUOTED("path", shown_path), SL_LOG_REASON(shown_reason));
}
