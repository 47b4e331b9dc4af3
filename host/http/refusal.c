/* host/http/refusal.c */
#include "host/http/refusal.h"

#include <stdbool.h>
#include <stdio.h>

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
            fprintf(stderr, "level=warning event=http_refusals_untold count=%zu\n",
                    refusals->untold);
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
    fprintf(stderr, "level=warning event=http_peer_refused status=%d path=\"%s\" reason=\"%s\"\n",
            status, shown_path, shown_reason);
}
