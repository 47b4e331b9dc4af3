/* host/http/places.c */
#include "host/http/places.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static struct sl_http_places_client *find(struct sl_http_places *places, const char *name)
{
    for (size_t i = 0; i < places->count; i++) {
        if (strcmp(places->clients[i].name, name) == 0)
            return &places->clients[i];
    }
    return NULL;
}

bool sl_http_places_take(struct sl_http_places *places, const char *name)
{
    struct sl_http_places_client *client = find(places, name);
    if (client ? client->taken >= places->most : places->count == SL_HTTP_PLACES_NAMES)
        return false;
    if (!client) {
        client = &places->clients[places->count++];
        client->taken = 0;
        snprintf(client->name, sizeof(client->name), "%s", name);
    }
    client->taken++;
    return true;
}

void sl_http_places_free(struct sl_http_places *places, const char *name)
{
    struct sl_http_places_client *client = find(places, name);
    assert(client && client->taken > 0);
    if (--client->taken == 0)
        *client = places->clients[--places->count];
}
