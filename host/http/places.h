/* host/http/places.h: how many requests of each client are under way, streams of events among them,
 * so that none takes all the places there are. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/http/auth.h"
#include "host/records.h"

enum { SL_HTTP_PLACES_NAMES = SL_AUTH_MAX_TOKENS + 128 }; /* with hosts and users of the machine */

struct sl_http_places {
    unsigned most; /* of each name */
    struct sl_http_places_client {
        char name[SL_NAME_BYTES]; /* as of struct sl_http_who */
        unsigned taken;           /* not 0 */
    } clients[SL_HTTP_PLACES_NAMES];
    size_t count;
};

/* Takes one more place for `name`. false, and nothing is taken: it has as many as it may, or as
 * many names as there is room for have some. */
bool sl_http_places_take(struct sl_http_places *places, const char *name);
/* Gives back one place that the same name took. */
void sl_http_places_free(struct sl_http_places *places, const char *name);
