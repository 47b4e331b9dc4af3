/* host/rundir/run_verdict.c: off against on, and what that means for a script. */
#include <math.h>

#include "common/base/error.h"
#include "host/device/launch.h"
#include "host/rundir/run.h"
#include "host/rundir/trace_beside.h"
#include "host/rundir/verdict_exit.h"
#include "host/spec/experiment.h"

/* The one that speaks loudest against a ratio: a disagreement, else the largest difference. */
static const struct sl_agreement *worst_agreement(const struct sl_run *run)
{
    const struct sl_agreement *all[] = {&run->off_on, &run->off_portable, &run->on_portable};
    const struct sl_agreement *worst = all[0];
    for (size_t i = 1; i < sizeof(all) / sizeof(all[0]); i++) {
        if ((worst->agree && !all[i]->agree) ||
            (worst->agree == all[i]->agree &&
             (all[i]->max_rel > worst->max_rel ||
              (all[i]->max_rel == worst->max_rel && all[i]->odd > worst->odd))))
            worst = all[i];
    }
    return worst;
}

bool sl_run_rule(const struct sl_run *run, struct sl_stopping_rule *out)
{
    const struct sl_experiment *e = run->experiment;
    *out = (struct sl_stopping_rule){.precision_percent = e->precision_percent,
                                     .budget_s = e->budget_seconds,
                                     .max_pairs = e->runs,
                                     .spent = sl_trace_budget_spent(&run->trace)};
    return e->precision_percent > 0 || e->budget_seconds > 0;
}

int sl_run_judge(struct sl_run *run, struct sl_diag *diag)
{
    struct sl_comparison_options options = {
        .seed = run->experiment->seed,
        .confidence = run->plan->confidence,
        .noise_floor = run->noise_floor > 0 ? run->noise_floor : (double)NAN,
        .agreement = worst_agreement(run),
    };
    struct sl_stopping_rule rule;
    if (sl_run_rule(run, &rule))
        options.rule = &rule;
    int rc = sl_comparison_make(&run->variants[SL_RUN_OFF].analysis.attribution,
                                &run->variants[SL_RUN_ON].analysis.attribution, &options,
                                &run->comparison);
    run->compared = rc == 0;
    if (rc == 0 && run->device->traits.emulated && !run->device->traits.counted)
        sl_comparison_overrule(
            &run->comparison, SL_VERDICT_UNFIT,
            "times of an emulated CPU mean nothing; --device counted counts instructions");
    if (rc < 0)
        sl_diag_set(diag, rc, NULL, "Off and on cannot be compared (%s)", sl_strerror(rc));
    return rc;
}

int sl_run_exit_code(const struct sl_run *run)
{
    return sl_verdict_exit_code(&run->comparison, run->plan->threshold_percent);
}
