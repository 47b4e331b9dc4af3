/* host/analysis/verdict.c */
#include "host/analysis/verdict.h"

#include <math.h>
#include <stdbool.h>

#include "host/analysis/comparison.h"
#include "host/analysis/stopping.h"

/* Does every interval there is lie on one side of 1? */
static bool excludes_one(const struct sl_comparison *c)
{
    bool signs = !isfinite(c->sign_low) || c->sign_low > 1 || c->sign_high < 1;
    return signs && (c->low > 1 || c->high < 1);
}

static bool within(double low, double high, double margin)
{
    return low > 1 / (1 + margin) && high < 1 + margin;
}

/* How many standard errors either way hold that share of a normal distribution. */
static double normal_quantile(double confidence)
{
    double low = 0;
    double high = 10;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (erf(middle / sqrt(2)) < confidence)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Half an interval is so many standard errors; to find a change in four of five experiments takes
 * 0.84 more of them. */
static double detectable(const struct sl_comparison *c)
{
    double errors = normal_quantile(sl_stopping_confidence(c->confidence, c->looks));
    return expm1((log(c->high) - log(c->low)) / 2 * (errors + 0.8416) / errors);
}

/* Of pairs the medians' bootstrap and the exact interval by signs must both say so: under drift and
 * heavy tails the former alone errs somewhat more often than it promises. */
void sl_verdict_of_interval(struct sl_comparison *c)
{
    c->detectable = detectable(c);
    c->verdict = SL_VERDICT_INCONCLUSIVE;
    if (c->blocks < SL_COMPARISON_MIN_BLOCKS) {
        sl_comparison_note(c, "only %zu %s; at least %d are needed", c->blocks,
                           c->method == SL_METHOD_PAIRED ? "pairs" : "runs on the smaller side",
                           SL_COMPARISON_MIN_BLOCKS);
    } else if (within(c->low, c->high, c->margin)) {
        c->verdict = SL_VERDICT_EQUIVALENT;
        sl_comparison_note(c, "the whole interval lies within the margin of %.2g %%",
                           100 * c->margin);
    } else if (!excludes_one(c)) {
        sl_comparison_note(c, "%s includes 1; changes below %.2g %% would often go unseen",
                           c->low <= 1 && c->high >= 1 ? "the interval of the ratio"
                                                       : "the exact interval by signs",
                           100 * c->detectable);
    } else if (within(c->ratio, c->ratio, c->noise_floor)) {
        sl_comparison_note(c, "no difference detected: %.2g %% is below the noise floor of %.2g %%",
                           100 * fabs(c->ratio - 1), 100 * c->noise_floor);
    } else {
        c->verdict = c->low > 1 ? SL_VERDICT_FASTER : SL_VERDICT_SLOWER;
    }
}
