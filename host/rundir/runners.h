/* host/rundir/runners.h: a run directory of what external runners left: for each experiment one
 * ETDump of all its processes, its log and its outputs; import.json, the kit's files, the reports.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/records.h"

struct sl_categories;
struct sl_diag;
struct sl_plan;

/* Everything is borrowed. */
struct sl_runners {
    const struct sl_plan *plan;
    const char *directory; /* absolute; `files` in it has what the agent's processes left */
    const char *model;     /* the file */
    const char *command, *generated_at;
    const char *cpu; /* of the emulator that they ran in; NULL: they ran on the machine itself */
    int device_kind;
    bool whole; /* the job came to its end: an experiment without all its processes failed */
    double threshold_percent;
    const struct sl_categories *categories;
};

/* Makes the directory of its `files`; an experiment that failed is in it with its last words, and
 * is exit code 1. Of `record` the comparisons' part is set: the first pair's verdict and ratio, and
 * the gravest exit code; verdict "" where no pair has times. 0 or a negative code with `diag` set.
 */
int sl_runners_finish(const struct sl_runners *runners, struct sl_run_record *record,
                      struct sl_diag *diag);

/* The kit's files and the reports of a directory with import.json, made again. */
int sl_runners_report(const char *directory, const struct sl_categories *categories,
                      double threshold_percent, struct sl_run_record *record, struct sl_diag *diag);
