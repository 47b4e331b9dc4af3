/* kernels/pack/pack_rhs_sme2.h: panels of weights for elements of SL_ELEMENT: what does not depend
 * on how [k][n] is copied.
 *
 * The including file defines PACK_RHS_JOB (the struct of the job), SEGMENTS(job), LINES(job) (lanes
 * of k of a segment), TURN (turns 2 VL rows to columns, with the struct TURN_JOB of TURN_LANE
 * columns) and PACK (packs VL rows, struct PACK_JOB); and after the struct panel below the
 * functions put_biases() and copy_rows(). */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/streaming.h"

enum { MOST_ROWS = 2 * 64 }; /* of one strip at the longest vector */

struct panel {
    const struct PACK_RHS_JOB *job;
    size_t first, columns, width; /* columns: those that exist */
    float *out;
};

static void put_biases(const struct panel *p) __arm_streaming __arm_inout("za");
static void copy_rows(const struct panel *p, float *out) __arm_streaming __arm_inout("za");

/* Each row of a segment of k weights becomes a column. */
static void turn_rows(const struct panel *p, size_t segment,
                      float *out) __arm_streaming __arm_inout("za")
{
    static const int64_t start = 0;
    const struct PACK_RHS_JOB *job = p->job;
    const SL_ELEMENT *rows[MOST_ROWS];
    size_t vl = svcntw(), strip = p->width > vl ? 2 * vl : vl, row = job->k * SEGMENTS(job);
    if (sl_pack_eights_serves(p->columns, p->width)) {
        struct sl_pack_eights eight = {job->weights + p->first * row + segment * job->k,
                                       row * sizeof(SL_ELEMENT), job->k * sizeof(SL_ELEMENT), out};
        sl_pack_eights_sme2_asm(&eight);
        return;
    }
    for (size_t j = 0; j < p->width; j += strip) {
        size_t from = j < p->columns ? j : p->columns - 1;
        sl_pack_rows_sme2(rows, job->weights + (p->first + from) * row + segment * job->k,
                          row * sizeof(SL_ELEMENT), p->columns - from, strip);
        if (strip == vl) {
            struct PACK_JOB pack = {rows, &start, 1, job->k, 1, (void *)out};
            PACK(&pack);
            continue;
        }
        struct TURN_JOB turn = {(const void *)rows, job->k, (void *)(out + j), p->width, strip};
        TURN(&turn);
    }
}

/* The panels of the columns from `first` on. */
static inline __attribute__((always_inline)) void
pack_panels_from(const struct PACK_RHS_JOB *job, size_t first,
                 float *out) __arm_streaming __arm_inout("za")
{
    size_t most = job->panel_vl * svcntw(), least = job->least_vl * svcntw();
    struct panel p = {.job = job, .first = first, .out = out};
    for (; p.first < job->n; p.first += most) {
        size_t left = job->n - p.first;
        p.width = left < most ? (left + least - 1) / least * least : most;
        p.columns = left < p.width ? left : p.width;
        put_biases(&p);
        p.out += p.width;
        for (size_t s = 0; s < SEGMENTS(job) && job->k > 0; s++) {
            if (job->transposed)
                copy_rows(&p, p.out);
            else
                turn_rows(&p, s, p.out);
            p.out += p.width * LINES(job);
        }
    }
}

static void pack_panels(const void *args) __arm_streaming __arm_inout("za")
{
    const struct PACK_RHS_JOB *job = args;
    pack_panels_from(job, 0, job->packed);
}
