/* host/rundir/task_estimate.h: estimates of time of what a counted task measured. */
#pragma once

struct sl_count_log;
struct sl_diag;
struct sl_json;

/* Writes the member "estimates": for each pair of marks in the log, in their order, an array with
 * an object ({"profile","profile_sha256","low_ns","mid_ns","high_ns","bound",...}) for each of the
 * profiles `names` (with commas). Memory and hand-over cost nothing. 0, -ENOMEM or what
 * sl_silicon_load() finds. */
int sl_task_estimates_put(struct sl_json *json, const struct sl_count_log *log, const char *names,
                          struct sl_diag *diag);
