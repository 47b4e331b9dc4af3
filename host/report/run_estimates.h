/* host/report/run_estimates.h: what a counted run's manifest estimates of time, shown. `estimates`
 * is the manifest's member of that name (host/rundir/run_estimate.h); it may be any JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cJSON;
struct sl_attribution;
struct sl_buf;
struct sl_json;
struct sl_table;

/* True if there is an estimate to show. */
bool sl_report_estimates_any(const struct cJSON *estimates);

/* True if all of it has its form and adds up: each side of a profile is the sum of its operators,
 * and of its parts. */
bool sl_report_estimates_fit(const struct cJSON *estimates);

/* The members "estimate" (of the first profile) and "estimates" (of all) of a comparison:
 * {"profile","profile_sha256","estimated":true,"ratio","baseline_ns","candidate_ns",
 * "baseline_spent_ns","candidate_spent_ns","threads","crossover_threads","bound_by"}. `names`, of
 * off and on, know the operators' categories. */
void sl_report_estimates_json(struct sl_json *json, const struct cJSON *estimates,
                              const struct sl_attribution *const names[2]);

/* End to end and by category, of each profile; `brief`: without ranges, for terminals. End the
 * table with sl_table_fini(). */
void sl_report_estimates_table(const struct cJSON *estimates,
                               const struct sl_attribution *const names[2], bool brief,
                               struct sl_table *out);
/* The parts of either side's time, of each profile; `bars`: drawn too, on terminals. */
void sl_report_estimates_bounds(const struct cJSON *estimates, bool bars, struct sl_table *out);
/* The profile of that `index`, borrowed, NULL behind the last; and what share of its side's time,
 * 0 for off, is spent on an enum sl_bound. */
const char *sl_report_estimates_profile(const struct cJSON *estimates, size_t index);
double sl_report_estimates_share(const struct cJSON *estimates, size_t index, int side, int bound);
/* Both sides on more threads, and from how many on NEON alone is as fast: the unit is shared. */
void sl_report_estimates_threads(const struct cJSON *estimates,
                                 const struct sl_attribution *const names[2], struct sl_table *out);
/* The `most` operators that take longest by one profile; false, and no table, where there is none
 * of that `index`. */
bool sl_report_estimates_operators(const struct cJSON *estimates, size_t index, size_t most,
                                   bool brief, struct sl_table *out);

/* One sentence of the profile of that `index`; false where there is none. `size` of at least 256.
 */
bool sl_report_estimates_line(const struct cJSON *estimates, size_t index, char *out, size_t size);
/* The ratios of all profiles in one line, which says where SME2 may be slower: "estimated time off
 * / on: apple-m4 2.00 (1.33-3.00)"; false where there are none. Of two profiles it fits 88 columns.
 */
bool sl_report_estimates_brief(const struct cJSON *estimates, char *out, size_t size);

/* The silicon on which SME2 loses most end to end, and off / on there, which is below 1; false
 * where it loses on none. The name is borrowed from `estimates`. */
bool sl_report_estimates_slower(const struct cJSON *estimates, const char **out_profile,
                                double *out_ratio);

/* profile,operator,sme2,low_ns,mid_ns,high_ns,bound,kind and nanoseconds by bound. 0, SL_E_LIMIT or
 * -ENOMEM. */
int sl_report_estimates_csv(struct sl_buf *out, const struct cJSON *estimates);
