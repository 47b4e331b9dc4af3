/* host/rundir/run_estimate.h: estimates of time of a counted run, operator by operator. */
#pragma once

struct sl_buf;
struct sl_count_log;
struct sl_diag;
struct sl_json;
struct sl_trace;

/* Takes the table of what stays out of streaming mode on a profile (run_policy.h), as the text of a
 * file. */
struct sl_rundir_policy_taker {
    int (*take)(void *user, const char *profile, struct sl_buf *text);
    void *user;
};

/* Writes the member "estimates" of the manifest: for each profile an object with "profile",
 * "profile_sha256", "title", "units" (that threads share), "off", "on"
 * ({"low_ns","mid_ns","high_ns","confidence","unclassified", "spent_ns"}), "operators", each
 * {"operator","off","on"} (one for both where its name differs with SME2, under that name), and
 * "policy_sha256" where `taker` took one. They are of the last execution of either variant, all of
 * which are equal. `raw` is the trace whose events have marks for times, `log` is finished and
 * keeps spans. `names` are of built-in profiles, with commas; NULL: apple-m4 and arm-c1-ultra.
 * `taker` (NULL: nobody) gets a table for each profile with a unit. Returns 0, -ENOMEM or what
 * sl_silicon_load() finds. */
int sl_rundir_estimate_put(struct sl_json *json, const struct sl_trace *raw,
                           const struct sl_count_log *log, const char *names,
                           const struct sl_rundir_policy_taker *taker, struct sl_diag *diag);
