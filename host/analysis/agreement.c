/* host/analysis/agreement.c */
#include "host/analysis/agreement.h"

#include <math.h>
#include <string.h>

#include "common/format/scalar_type.h"

void sl_agreement_init(struct sl_agreement *agreement, double tolerance)
{
    *agreement = (struct sl_agreement){.tolerance = tolerance, .agree = true};
}

/* NaN meets NaN and an infinity its like; otherwise both must be finite. */
static double difference(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0.0;
    return isfinite(a) && isfinite(b) ? fabs(a - b) : INFINITY;
}

static void add_floats(struct sl_agreement *agreement, struct sl_bytes a, struct sl_bytes b)
{
    double peak = 0.0;
    double worst = 0.0;
    for (size_t at = 0; at + 4 <= a.size; at += 4) {
        double x = (double)sl_load_f32(a.data + at);
        worst = fmax(worst, difference(x, (double)sl_load_f32(b.data + at)));
        if (isfinite(x))
            peak = fmax(peak, fabs(x));
    }
    double relative = worst == 0.0 ? 0.0 : peak == 0.0 ? INFINITY : worst / peak;
    agreement->max_abs = fmax(agreement->max_abs, worst);
    agreement->max_rel = fmax(agreement->max_rel, relative);
    agreement->agree = agreement->agree && relative <= agreement->tolerance;
}

void sl_agreement_add(struct sl_agreement *agreement, int scalar_type, struct sl_bytes a,
                      struct sl_bytes b)
{
    agreement->outputs++;
    if (a.size == b.size && scalar_type == SL_SCALAR_FLOAT && a.size % 4 == 0) {
        add_floats(agreement, a, b);
        return;
    }
    bool same = a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
    if (same)
        return;
    agreement->max_abs = agreement->max_rel = INFINITY;
    agreement->agree = false;
}
