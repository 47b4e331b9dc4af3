/* host/report/analysis.h: the analysis of one ETDump: its figures, and what file they are of. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/digest.h"
#include "common/format/etdump.h"
#include "host/analysis/attribution.h"
#include "host/analysis/statistics.h"
#include "host/analysis/steadiness.h"

struct sl_categories;
struct sl_diag;
struct sl_etrecord;
struct sl_origin_plan;
struct sl_reach_report;
struct sl_rounds;
struct sl_trace;

/* A condition that was known when the run began. */
struct sl_analysis_reading {
    char name[80];    /* "temperature of cpu-0-0, before the run" */
    const char *unit; /* "millidegrees Celsius" */
    int64_t value;
};
enum { SL_ANALYSIS_MAX_READINGS = 32 };

struct sl_analysis {
    const char *file;                       /* as the user named it; borrowed */
    const struct sl_categories *categories; /* borrowed */
    uint64_t bytes;
    char sha256[SL_SHA256_HEX_SIZE];
    const struct sl_etdump *etdump;             /* borrowed */
    const struct sl_etrecord *record;           /* borrowed; NULL: none */
    const struct sl_reach_report *reach;        /* headroom; borrowed; NULL: not measured */
    const struct sl_analysis_reading *readings; /* borrowed; [reading_count] */
    size_t reading_count;
    struct sl_attribution attribution;
    struct sl_statistics latency, without_outliers; /* end to end of the measured runs */
    struct sl_steadiness steadiness;                /* places are indices of the runs */
    size_t warming;              /* measured runs before the steady state, if there is one */
    struct sl_statistics steady; /* end to end of the measured runs in it; n is 0 without one */
};

/* A file and the options of its analysis. */
struct sl_analysis_request {
    const char *file; /* all of this is borrowed and must outlive the analysis */
    const struct sl_etdump *etdump;
    const struct sl_categories *categories;
    const struct sl_trace *trace;      /* or NULL */
    int64_t only_run;                  /* or -1 */
    const struct sl_origin_plan *plan; /* of the model, or NULL */
    const struct sl_rounds *rounds;    /* of a file of several processes, or NULL */
    const uint32_t *cold;              /* leading runs, or NULL: found (attribution.h) */
};

/* Returns 0 or a negative code with `diag` set. End with
 * sl_analysis_fini(). */
int sl_analysis_make(const struct sl_analysis_request *request, struct sl_analysis *out,
                     struct sl_diag *diag);
void sl_analysis_fini(struct sl_analysis *analysis);

/* The first run in words where it is no steady one and is set aside ("first run 33.1 ms, 2.4 times
 * a steady one; 1 measured run was cold and is set aside"); else "". */
#define SL_ANALYSIS_COLD_BYTES 160
const char *sl_analysis_cold_text(const struct sl_analysis *analysis,
                                  char text[SL_ANALYSIS_COLD_BYTES]);
