/* host/job/kept_list.h: the results that a device keeps and this daemon has no run for: another
 * daemon sent the run, or the state is lost. Each may be collected or forgotten. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_link_kept;
struct sl_link_told;

enum { SL_KEPT_HOST_BYTES = 64 };

/* A measured run, with what its comparison with the portable kernels left; or one of the two. */
struct sl_kept {
    uint64_t id, bytes, started_ms; /* the last Unix time, 0: not known */
    int outcome;                    /* enum sl_link_outcome; 0: it still runs */
    bool asked;                     /* what it was */
    char host[SL_KEPT_HOST_BYTES];  /* that sent it; "": not known */
    char *config;                   /* owned; as it was asked for there, NULL: not known */
};

struct sl_kept_list {
    struct sl_kept *all; /* owned */
    size_t count;
};

/* The number of a run's comparison, by that of the run. */
uint64_t sl_kept_reference(uint64_t id);

/* Makes these the list; what is known of those that were on it stays. -ENOMEM leaves it. */
int sl_kept_list_take(struct sl_kept_list *list, const struct sl_link_kept *kept, size_t count);

/* Adds what the agent says of one that is on the list. Its words are made fit for a terminal; a
 * begin in the future counts as not known. 0 or -ENOMEM. */
int sl_kept_list_told(struct sl_kept_list *list, const struct sl_link_told *told);

const struct sl_kept *sl_kept_list_find(const struct sl_kept_list *list, uint64_t id);
/* The number that a job's start has on the wire, `own` telling it from those of other labs, and
 * whether a number may be of that job. */
uint64_t sl_kept_number(uint64_t job, uint32_t own, uint32_t attempt);
bool sl_kept_may_be_of(uint64_t id, uint64_t job);
/* The result of that start of a job, if it is kept and worth having: it runs, or ended by itself.
 * NULL: nothing. */
const struct sl_kept *sl_kept_list_of(const struct sl_kept_list *list, uint64_t job,
                                      uint32_t attempt);
void sl_kept_list_fini(struct sl_kept_list *list); /* and it is empty */
