/* host/rundir/arms.c */
#include "host/rundir/arms.h"

#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/gain.h"
#include "host/rundir/compared.h"

/* A comparison that outlives the files it is of: its operators point into those. */
static void take(struct sl_compared *compared, struct sl_comparison *out)
{
    *out = compared->comparison;
    out->operators = NULL;
    out->operator_count = 0;
}

static int compare_arm(const struct sl_compared *compared, const char *experiment,
                       const struct sl_comparison_options *options,
                       const struct sl_categories *categories, struct sl_arms *out,
                       struct sl_diag *diag)
{
    struct sl_compared *other = sl_calloc(1, sizeof(*other));
    int rc = other ? 0 : -ENOMEM;
    for (int i = 0; rc == 0 && i < 2; i++) {
        const struct sl_compared_source source = {compared->sides[i].directory.path, experiment,
                                                  out->level};
        other->cold = compared->cold;
        rc = sl_compared_open(other, i, &source, categories, diag);
    }
    if (rc == 0)
        rc = sl_compared_make(other, sl_condition_parse(compared->report.factor), options, diag);
    if (rc == 0) {
        take(other, &out->arm);
        out->has_arm = true;
    }
    if (other)
        sl_compared_close(other);
    sl_free(other);
    return rc;
}

static int compare_gains(const struct sl_compared *compared, const char *experiment,
                         const struct sl_categories *categories, struct sl_arms *out,
                         struct sl_diag *diag)
{
    struct sl_comparison gains[2];
    int rc = 0;
    for (int i = 0; rc == 0 && i < 2; i++) {
        struct sl_compared *one = sl_calloc(1, sizeof(*one));
        if (!one)
            return -ENOMEM;
        one->cold = compared->cold;
        rc = sl_compared_directory(one, compared->sides[i].directory.path, experiment, categories,
                                   diag);
        if (rc == 0)
            take(one, &gains[i]);
        sl_compared_close(one);
        sl_free(one);
    }
    if (rc == 0)
        out->has_gain = sl_gain_of(&gains[0], &gains[1], &out->gain);
    return rc;
}

static bool is_of_both(const struct sl_compared_side *side)
{
    return side->has_directory && sl_rundir_result(&side->directory, 0) &&
           sl_rundir_result(&side->directory, 1);
}

int sl_arms_find(const struct sl_compared *compared, const char *experiment,
                 const struct sl_comparison_options *options,
                 const struct sl_categories *categories, struct sl_arms *out, struct sl_diag *diag)
{
    const struct sl_compared_side *sides = compared->sides;
    *out = (struct sl_arms){.has_arm = false};
    if (compared->comparison.verdict == SL_VERDICT_INCOMPARABLE || !is_of_both(&sides[0]) ||
        !is_of_both(&sides[1]) || sides[0].level != sides[1].level ||
        strcmp(sides[0].directory.path, sides[1].directory.path) == 0)
        return 0;
    out->level = 1 - sides[0].level;
    int rc = compare_arm(compared, experiment, options, categories, out, diag);
    return rc < 0 ? rc : compare_gains(compared, experiment, categories, out, diag);
}
