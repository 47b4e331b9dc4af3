/* host/store/figures.h: the figures of runs as rows: labels, device, variants, categories,
 * operators, changes. What stands in a run's directory is the authority; rows are made of it. */
#pragma once

#include <stdint.h>

struct sl_database;

/* The file of a run's directory that has the figures. */
#define SL_FIGURES_FILE "analysis_summary.json"

/* Makes the rows of a run anew, from its job's labels and from the manifest and the summary in its
 * directory. Inside a transaction; a failure leaves the rows as they were. 0;
 * SL_E_NOT_FOUND: the directory has no summary (a run of external runners), and labels and device
 * alone are made; SL_E_FORMAT: it has one that is none; SL_E_LIMIT; -ENOMEM; -EIO. */
int sl_figures_fill(struct sl_database *db, uint64_t run);
