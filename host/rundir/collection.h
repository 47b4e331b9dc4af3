/* host/rundir/collection.h: the comparisons that run directories hold, ours and imported ones,
 * each ready to be reported. */
#pragma once

#include <stddef.h>

#include "host/report/report.h"

struct sl_buf;
struct sl_style;
struct sl_categories;
struct sl_compared;
struct sl_diag;
struct sl_origin_plan;

enum { SL_COLLECTION_MAX = 256 };

/* All zero at first; end with sl_collection_fini(). */
struct sl_collection {
    struct sl_compared **compared; /* owned */
    struct sl_report *reports;     /* of each; borrow from it */
    size_t count;
    const struct sl_origin_plan *plans; /* for what is added, as of sl_compared; or NULL */
};

/* Adds every comparison of a directory: SME2 off against on of each experiment of `sme2lab run`;
 * of an imported directory its pair, once for each number of threads that both have. `experiment`
 * takes only the one of that name (of an import: the candidate's), NULL all. Returns 0 or a
 * negative code with `diag` set: no run directory, no such experiment, an import without a pair. */
int sl_collection_add(struct sl_collection *collection, const char *path, const char *experiment,
                      const struct sl_categories *categories, struct sl_diag *diag);
void sl_collection_fini(struct sl_collection *collection);

/* The comparisons of a directory, taken together. */
struct sl_collection_told {
    const struct sl_style *style; /* NULL: without tables */
    struct sl_buf *words;         /* combined_findings.c's are appended */
    struct sl_buf *members;       /* NULL, or what both runtimes say is appended, an object */
    double threshold_percent;     /* as of sl_verdict_exit_code() */
    int exit_code;                /* out: the gravest of what several processes say */
    bool outputs_agree;           /* out: those of both runtimes were compared, and do */
};

/* combined_report.md and .html into a directory that holds several comparisons, over older ones;
 * nothing where it holds one. `told` may be NULL. */
int sl_collection_write(const char *directory, const struct sl_categories *categories,
                        struct sl_collection_told *told, struct sl_diag *diag);
