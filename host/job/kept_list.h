/* host/job/kept_list.h: the results that a device keeps and this daemon has no run for: another
 * daemon sent the run, or the state is lost. Each may be collected or forgotten. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/run_id.h"

struct sl_link_kept;
struct sl_link_told;

enum { SL_KEPT_HOST_BYTES = 64 };

/* A measured run, with what its comparison with the portable kernels left; or one of the two. */
struct sl_kept {
    struct sl_run_id id;
    uint64_t bytes, started_ms;    /* the latter Unix time, 0: not known */
    int outcome;                   /* enum sl_link_outcome; 0: it still runs */
    bool asked;                    /* what it was */
    char host[SL_KEPT_HOST_BYTES]; /* that sent it; "": not known */
    char *config;                  /* owned; as it was asked for there, NULL: not known */
};

struct sl_kept_list {
    struct sl_kept *all; /* owned */
    size_t count;
};

/* A start of a job, as each host of the job's store knows it. */
struct sl_kept_start {
    const char *store; /* whose job it is: another text for each */
    uint64_t job, submitted_ms;
    uint32_t attempt;
};

/* The number of its run on the wire and on its device, a digest of these: no other start has it, of
 * another lab's job neither, and whoever takes the job over finds it. */
struct sl_run_id sl_kept_id(const struct sl_kept_start *start);
/* Is it of that start, or of an earlier one of the job? */
bool sl_kept_is_of(struct sl_run_id id, const struct sl_kept_start *latest);
/* The number of a run's comparison with the portable kernels, from the run's own. */
struct sl_run_id sl_kept_reference(struct sl_run_id id);

/* Makes these the list; what is known of those that were on it stays. -ENOMEM leaves it. */
int sl_kept_list_take(struct sl_kept_list *list, const struct sl_link_kept *kept, size_t count);

/* Adds what the agent says of one that is on the list. Its words are made fit for a terminal; a
 * begin in the future counts as not known. 0 or -ENOMEM. */
int sl_kept_list_told(struct sl_kept_list *list, const struct sl_link_told *told);

const struct sl_kept *sl_kept_list_find(const struct sl_kept_list *list, struct sl_run_id id);
/* Is a result worth having: does the run go on, or did it end by itself? */
bool sl_kept_is_worth(const struct sl_kept *kept);
void sl_kept_list_fini(struct sl_kept_list *list); /* and it is empty */
