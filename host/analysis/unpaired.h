/* host/analysis/unpaired.h: what speaks against comparing two series that were not interleaved.
 * Drift, throttling and modes shift one side and not the other, and no interval of either side
 * knows. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Two processes of one program differ for as long as they live (where memory lies, which core):
 * one process a side cannot tell a smaller difference than this from that, and its intervals are
 * wider by it. */
#define SL_UNPAIRED_FLOOR 0.075

enum sl_unpaired_doubt_kind {
    SL_UNPAIRED_SOUND,
    SL_UNPAIRED_TREND,     /* a side rises or falls while it is measured */
    SL_UNPAIRED_DEPENDENT, /* a side is worth fewer than four independent runs */
    SL_UNPAIRED_EDGE,      /* a side begins or ends at the other side's level */
    SL_UNPAIRED_OVERLAP,   /* more than a run in ten lies at the wrong side of the other's */
};

struct sl_unpaired_doubt {
    int kind;    /* enum sl_unpaired_doubt_kind; the first in that order */
    int side;    /* 0 the baseline, 1 the candidate */
    double size; /* TREND: of the side, relative; DEPENDENT: runs; OVERLAP: share of the runs */
};

/* Logarithms of the steady runs of one side in the order measured. */
struct sl_unpaired_side {
    const double *logs;
    size_t n;
};

/* The first doubt of the two; sides of fewer than five runs have none. 0 or -ENOMEM. */
int sl_unpaired_doubt(const struct sl_unpaired_side sides[2], struct sl_unpaired_doubt *out);

/* How far the logarithms of two runs, one of either side, lie from each other at least and at most:
 * an interval of the ratio that needs no distribution. Of six runs a side it misses the ratio of
 * medians in less than one case of sixteen. False of fewer. */
enum { SL_UNPAIRED_FEW = 6 };
bool sl_unpaired_range(const struct sl_unpaired_side sides[2], double *out_low, double *out_high);

/* How far the ratio's logarithm may lie below and above what the medians say because the device
 * changed its speed near an end of a recording: the first or last run of a side shows the level
 * that all of the other side may have been measured at. Both >= 0. Each side has a run at least. 0
 * or -ENOMEM. */
int sl_unpaired_edges(const struct sl_unpaired_side sides[2], double *out_down, double *out_up);
