/* host/job/parties.c */
#include "host/job/parties.h"

#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"

static void purge(struct sl_parties *parties)
{
    for (size_t i = 0; i < SL_PARTIES_HASHES; i++) {
        for (struct sl_party **link = &parties->all[i]; *link;) {
            struct sl_party *party = *link;
            if (party->shares) {
                link = &party->next;
                continue;
            }
            *link = party->next;
            parties->count--;
            sl_free(party);
        }
    }
    parties->limit = 2 * parties->count + SL_PARTIES_KEPT;
}

struct sl_party *sl_parties_find(struct sl_parties *parties, const char *owner, int priority)
{
    uint64_t hash = (uint64_t)(uint32_t)priority * UINT64_C(0x9e3779b97f4a7c15);
    for (const char *at = owner; *at; at++)
        hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
    struct sl_party **bucket = &parties->all[(hash >> 32) % SL_PARTIES_HASHES], *party = *bucket;
    while (party && (party->priority != priority || strcmp(party->owner, owner) != 0))
        party = party->next;
    if (party)
        return party;
    if (parties->count >= parties->limit)
        purge(parties);
    party = sl_calloc(1, sizeof(*party));
    if (!party)
        return NULL;
    snprintf(party->owner, sizeof(party->owner), "%s", owner);
    party->priority = priority;
    party->next = *bucket;
    *bucket = party;
    parties->count++;
    return party;
}

void sl_parties_fini(struct sl_parties *parties)
{
    for (size_t i = 0; i < SL_PARTIES_HASHES; i++) {
        for (struct sl_party *party = parties->all[i], *next; party; party = next) {
            next = party->next;
            sl_free(party);
        }
        parties->all[i] = NULL;
    }
    parties->count = parties->limit = 0;
}
