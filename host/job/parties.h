/* host/job/parties.h: who has jobs in the queue: each submitter, apart for each priority. One stays
 * when its jobs have gone, so that who sends them one by one is served no oftener than others; when
 * there are many, those without jobs go. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/records.h"

struct sl_share; /* the queue's */

/* Those who were served longest ago go first, so that each gets a job begun in each round. */
struct sl_party {
    char owner[SL_NAME_BYTES];
    int priority;
    uint64_t served;         /* when a job was begun last, in begun jobs; 0: none was yet */
    struct sl_share *shares; /* borrowed: with jobs that wait or run; NULL: it may go */
    struct sl_party *next;   /* of the same hash */
};

enum { SL_PARTIES_HASHES = 4096, SL_PARTIES_KEPT = 4096 /* without jobs, and as many with jobs */ };

/* All zero: nobody is there. */
struct sl_parties {
    struct sl_party *all[SL_PARTIES_HASHES]; /* owned */
    size_t count, limit;
};

/* Finds the party of the name and the priority, or makes it; NULL: there is no memory. */
struct sl_party *sl_parties_find(struct sl_parties *parties, const char *owner, int priority);
void sl_parties_fini(struct sl_parties *parties);
