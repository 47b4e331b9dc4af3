/* host/job/run_looks.h: the looks of one run: at fixed numbers of pairs the kit says whether they
 * are enough, and what it said is what the agent is told.
 *
 * Everything comes out of the pairs, so a later daemon that reads them again says the same. On the
 * loop's thread; the look itself is taken off it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "host/job/kit.h"
#include "host/job/run_progress.h"

struct sl_job_run_looks {
    uv_loop_t *loop;
    const struct sl_job_kit *kit;
    const struct sl_spec *spec; /* NULL: nothing is looked at */
    void (*looked)(void *user); /* after each look */
    void *user;
    double *log_ratios; /* owned: of the pairs so far, off to on */
    size_t count, capacity;
    double *seen;     /* owned: the copy that a look reads */
    bool broken;      /* a pair is missing: nothing is looked at any more */
    uint32_t next;    /* pairs at the next look */
    uint32_t allowed; /* pairs that the agent may measure; 0: nothing was said yet */
    bool last;        /* and ends with them */
    bool looking;     /* off the loop now */
    struct sl_job_run_looked so_far;
    struct sl_job_look at; /* of the look under way */
    int rc;
    uv_work_t request;
};

/* `kit` and `spec`, which may be NULL, are borrowed. End with sl_job_run_looks_fini(), while
 * `looking` is false. */
void sl_job_run_looks_init(struct sl_job_run_looks *looks, uv_loop_t *loop,
                           const struct sl_job_kit *kit, const struct sl_spec *spec);
void sl_job_run_looks_fini(struct sl_job_run_looks *looks);

/* The precision that `spec` (borrowed) asks for is looked at from now on. */
void sl_job_run_looks_want(struct sl_job_run_looks *looks, const struct sl_spec *spec);

/* Another pair, in any unit. */
void sl_job_run_looks_add(struct sl_job_run_looks *looks, uint64_t off, uint64_t on);

/* Takes the look that is due, if one is; `looked` comes after it. */
void sl_job_run_looks_take(struct sl_job_run_looks *looks);
