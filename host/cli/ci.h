/* host/cli/ci.h: what a CI job gets of a run: an exit code by its gate, and the files and lines
 * that a CI server shows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/cli/fail_on.h"
#include "host/cli/options.h"
#include "host/spec/plan.h"

struct sl_categories;
struct sl_cli;
struct sl_diag;

enum { SL_CI_TEXT_BYTES = 384, SL_CI_MAX_CASES = 3 * SL_PLAN_MAX, SL_CI_OPTIONS = 4 };

/* Texts are borrowed from argv; NULL: not asked for. */
struct sl_ci_wish {
    const char *fail_on, *junit, *comment, *codequality;
};

/* The options that fill it. */
void sl_ci_options(struct sl_ci_wish *wish, struct sl_option out[SL_CI_OPTIONS]);

struct sl_ci {
    struct sl_ci_wish wish;
    struct sl_fail_on fail_on;
    struct sl_ci_case {
        size_t experiment;           /* of the plan */
        const char *name;            /* static: "run", "verdict", "processes", "baseline" */
        int code;                    /* not 0 */
        char text[SL_CI_TEXT_BYTES]; /* what happened */
    } cases[SL_CI_MAX_CASES];        /* that do not pass */
    size_t count;
};

/* Before anything runs: reads the gate, and looks whether the files can be written. 0 or a code
 * with `diag` set. */
int sl_ci_take(struct sl_ci *ci, const struct sl_ci_wish *wish, bool has_baseline,
               struct sl_diag *diag);

/* Notes what came of an experiment: nothing where `code` is 0. */
__attribute__((format(printf, 5, 6))) void
sl_ci_add(struct sl_ci *ci, size_t experiment, const char *name, int code, const char *format, ...);

/* Writes the files of what lies in `directory` (NULL: nothing does) and the lines for GitHub. 0 or
 * a code with `diag` set. */
int sl_ci_write(const struct sl_ci *ci, const struct sl_plan *plan, const char *directory,
                const struct sl_categories *categories, struct sl_diag *diag);
