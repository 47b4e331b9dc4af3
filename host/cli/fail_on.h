/* host/cli/fail_on.h: what a run may not do: the list that --fail-on takes, and what it makes of
 * exit codes. Pure. */
#pragma once

#include <stdbool.h>

struct sl_diag;
struct sl_plan;

enum sl_fail_kind {
    SL_FAIL_SLOWER,            /* SME2 on against off, in time */
    SL_FAIL_MORE_INSTRUCTIONS, /* the same, counted */
    SL_FAIL_REGRESSION,        /* against the baseline */
    SL_FAIL_WRONG,             /* outputs; always fails, alone: nothing else of a run that ended */
    SL_FAIL_KINDS
};

struct sl_fail_on {
    bool any; /* a list was given; without one every verdict counts */
    bool has[SL_FAIL_KINDS];
    double percent[SL_FAIL_KINDS]; /* allowed; below 0: --threshold's */
};

/* "slower:3%,wrong" and the like. 0, or SL_E_UNSUPPORTED with `diag` set. */
int sl_fail_on_parse(const char *text, struct sl_fail_on *out, struct sl_diag *diag);

/* Thresholds of the runs, on a device that counts or that has a clock. */
void sl_fail_on_apply(const struct sl_fail_on *gate, bool counted, struct sl_plan *plan);

/* The exit code of a verdict of that kind with the gate before it: a regression (3), and that
 * nothing was shown (4), count only if they were asked about. */
int sl_fail_on_code(const struct sl_fail_on *gate, enum sl_fail_kind kind, int code);
