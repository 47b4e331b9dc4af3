/* host/rundir/kit_summary.h: AF-42, what users of Arm's profiling kit read of
 * analysis_summary.json: categories and files of each ETDump of a directory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "common/base/json.h"

struct sl_analysis;

enum { SL_ARMKIT_SUMMARY_LISTS = 3 };

/* Grows ETDump by ETDump. */
struct sl_armkit_summary {
    struct sl_buf texts[SL_ARMKIT_SUMMARY_LISTS];  /* of the lists that one ETDump adds to */
    struct sl_json lists[SL_ARMKIT_SUMMARY_LISTS]; /* totals, per_etdump, csv_files */
    bool counted;                                  /* the first one's unit is instructions */
    size_t count;
};

void sl_armkit_summary_init(struct sl_armkit_summary *summary);
/* `name`: of the ETDump among the totals; `etdump`: relative to the directory. */
void sl_armkit_summary_add(struct sl_armkit_summary *summary, const struct sl_analysis *analysis,
                           const char *name, const char *etdump);
/* Writes members run_dir, etrecord, etdump_count, category_totals_ms, per_etdump and csv_files.
 * Category totals are of each ETDump: their sum would mean nothing. 0 or a negative code. */
int sl_armkit_summary_put(struct sl_armkit_summary *summary, struct sl_json *json);
void sl_armkit_summary_fini(struct sl_armkit_summary *summary);
