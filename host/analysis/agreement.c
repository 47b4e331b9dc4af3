/* host/analysis/agreement.c */
#include "host/analysis/agreement.h"

#include <math.h>
#include <stdio.h>
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

static double half_at(const uint8_t *at)
{
    uint16_t bits = sl_load_u16(at);
    int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double magnitude = exponent == 0    ? ldexp(fraction, -24)
                       : exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                                        : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static double number_at(int scalar_type, const uint8_t *at)
{
    const uint8_t wide[4] = {0, 0, at[0], at[1]};
    return scalar_type == SL_SCALAR_FLOAT  ? (double)sl_load_f32(at)
           : scalar_type == SL_SCALAR_HALF ? half_at(at)
                                           : (double)sl_load_f32(wide);
}

static void add_floats(struct sl_agreement *agreement, int scalar_type, size_t bytes,
                       struct sl_bytes a, struct sl_bytes b)
{
    double peak = 0.0, worst = 0.0;
    for (size_t at = 0; at < a.size; at += bytes) {
        double x = number_at(scalar_type, a.data + at), y = number_at(scalar_type, b.data + at);
        worst = fmax(worst, difference(x, y));
        agreement->odd += !isfinite(x) || !isfinite(y);
        if (isfinite(x))
            peak = fmax(peak, fabs(x));
    }
    double relative = worst == 0.0 ? 0.0 : peak == 0.0 ? INFINITY : worst / peak;
    if (scalar_type != SL_SCALAR_FLOAT)
        agreement->tolerance = fmax(agreement->tolerance, SL_AGREEMENT_HALF);
    agreement->max_abs = fmax(agreement->max_abs, worst);
    agreement->max_rel = fmax(agreement->max_rel, relative);
    agreement->agree = agreement->agree && relative <= agreement->tolerance;
}

const char *sl_agreement_odd_text(const struct sl_agreement *agreement,
                                  char text[SL_AGREEMENT_TEXT_BYTES])
{
    text[0] = '\0';
    if (agreement->odd > 0)
        snprintf(text, SL_AGREEMENT_TEXT_BYTES, "; %zu %s NaN or infinite", agreement->odd,
                 agreement->odd == 1 ? "value is" : "values are");
    return text;
}

void sl_agreement_add(struct sl_agreement *agreement, int scalar_type, struct sl_bytes a,
                      struct sl_bytes b)
{
    agreement->outputs++;
    size_t bytes = scalar_type == SL_SCALAR_FLOAT                                       ? 4
                   : scalar_type == SL_SCALAR_HALF || scalar_type == SL_SCALAR_BFLOAT16 ? 2
                                                                                        : 0;
    if (a.size == b.size && bytes != 0 && a.size % bytes == 0) {
        add_floats(agreement, scalar_type, bytes, a, b);
        return;
    }
    bool same = a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
    if (same)
        return;
    agreement->max_abs = agreement->max_rel = INFINITY;
    agreement->agree = false;
}
