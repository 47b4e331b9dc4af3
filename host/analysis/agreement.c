/* host/analysis/agreement.c */
#include "host/analysis/agreement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/format/distance.h"
#include "common/format/scalar_type.h"

/* Two roundings of one number that lie anywhere in their steps differ by sqrt(2/12) of a step in
 * the root mean square, and a step is a 255th of a range that holds 3 root mean squares either way.
 */
#define ROUNDING_RMS (0.408248 * 6 / 255)
/* One rounding spreads to its neighbours alone: the tails are heavier than those of normal errors.
 */
#define PEAK_OF_RMS 8.0
#define MOST_RMS 0.1          /* whatever the depth */
#define ONE_STEP (1.0 + 1e-3) /* a step's float is rounded itself */

void sl_agreement_init(struct sl_agreement *agreement)
{
    *agreement = (struct sl_agreement){.tolerance = SL_AGREEMENT_FLOAT, .cosine = 1, .agree = true};
}

/* A complex number is two real ones. */
static int part_of(int scalar_type)
{
    switch (scalar_type) {
    case SL_SCALAR_COMPLEX32:
        return SL_SCALAR_HALF;
    case SL_SCALAR_COMPLEX64:
        return SL_SCALAR_FLOAT;
    case SL_SCALAR_COMPLEX128:
        return SL_SCALAR_DOUBLE;
    default:
        return scalar_type;
    }
}

static void add_numbers(struct sl_agreement *agreement, const struct sl_output_type *type,
                        const struct sl_distance *d)
{
    bool whole = type->scalar_type == SL_SCALAR_BYTE || type->scalar_type == SL_SCALAR_CHAR;
    int part = part_of(type->scalar_type);
    bool single = part == SL_SCALAR_FLOAT || part == SL_SCALAR_DOUBLE;
    double step = whole ? 1.0 : type->step, norms = sqrt(d->squares) * sqrt(d->squares2);
    double tolerance = whole ? 0.0 : single ? SL_AGREEMENT_FLOAT : SL_AGREEMENT_HALF;
    double rms_limit = INFINITY, relative = sl_distance_of_peak(d);
    double rms = sl_distance_of_rms(d);
    if (type->quantised_values > 0) {
        rms_limit = fmin(sqrt((double)type->quantised_values) * ROUNDING_RMS, MOST_RMS);
        double typical = d->finite > 0 ? sqrt(d->squares / (double)d->finite) : 0;
        tolerance =
            fmax(tolerance, PEAK_OF_RMS * rms_limit * (d->peak > 0 ? typical / d->peak : 0));
    }
    bool one_step = agreement->asked <= 0 && step > 0 && d->worst <= step * ONE_STEP;
    if (agreement->asked > 0) {
        tolerance = agreement->asked;
        rms_limit = INFINITY;
    }
    agreement->agree =
        agreement->agree && (one_step || (relative <= tolerance && rms <= rms_limit));
    agreement->odd += d->odd;
    agreement->max_abs = fmax(agreement->max_abs, d->worst);
    agreement->max_rel = fmax(agreement->max_rel, relative);
    agreement->tolerance = agreement->asked > 0 ? tolerance : fmax(agreement->tolerance, tolerance);
    if (type->quantised_values > 0 && isfinite(rms_limit))
        agreement->rms_tolerance = fmax(agreement->rms_tolerance, rms_limit);
    agreement->rms_rel = fmax(agreement->rms_rel, rms);
    agreement->cosine = fmin(agreement->cosine, norms == 0.0 ? 1.0 : fmin(d->product / norms, 1.0));
    agreement->steps = fmax(agreement->steps, step > 0 ? d->worst / step : 0.0);
}

const char *sl_agreement_more_text(const struct sl_agreement *agreement,
                                   char text[SL_AGREEMENT_TEXT_BYTES])
{
    int len = 0;
    text[0] = '\0';
    if (agreement->unlike) {
        snprintf(text, SL_AGREEMENT_TEXT_BYTES, "; %s", agreement->unlike);
        return text;
    }
    if (agreement->rms_tolerance > 0 && isfinite(agreement->rms_rel))
        len = snprintf(text, SL_AGREEMENT_TEXT_BYTES, "; rms %.2g (up to %.2g), cosine %.5f",
                       agreement->rms_rel, agreement->rms_tolerance, agreement->cosine);
    if (agreement->steps >= 0.5)
        len +=
            snprintf(text + len, SL_AGREEMENT_TEXT_BYTES - (size_t)len, "; %.3g %s of quantisation",
                     agreement->steps, agreement->steps < 1.5 ? "step" : "steps");
    if (agreement->odd > 0)
        snprintf(text + len, SL_AGREEMENT_TEXT_BYTES - (size_t)len, "; %zu %s NaN or infinite",
                 agreement->odd, agreement->odd == 1 ? "value is" : "values are");
    return text;
}

/* The element's bytes where it is compared as a number; 0: compared byte for byte. */
static size_t bytes_of(const struct sl_output_type *type, bool asked)
{
    switch (part_of(type->scalar_type)) {
    case SL_SCALAR_DOUBLE:
        return 8;
    case SL_SCALAR_FLOAT:
        return 4;
    case SL_SCALAR_HALF:
    case SL_SCALAR_BFLOAT16:
        return 2;
    case SL_SCALAR_BYTE:
    case SL_SCALAR_CHAR:
        return type->quantised_values > 0 || asked ? 1 : 0;
    default:
        return 0;
    }
}

static void disagree(struct sl_agreement *agreement)
{
    agreement->max_abs = agreement->max_rel = agreement->rms_rel = INFINITY;
    agreement->agree = false;
}

void sl_agreement_refuse(struct sl_agreement *agreement, const char *why)
{
    disagree(agreement);
    agreement->unlike = why;
}

void sl_agreement_add(struct sl_agreement *agreement, const struct sl_output_type *type,
                      struct sl_bytes a, struct sl_bytes b)
{
    size_t bytes = bytes_of(type, agreement->asked > 0);
    agreement->outputs++;
    if (a.size == b.size && bytes != 0 && a.size % bytes == 0) {
        struct sl_distance d = sl_distance_between(part_of(type->scalar_type), a, b);
        add_numbers(agreement, type, &d);
        return;
    }
    bool same = a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
    if (same)
        return;
    disagree(agreement);
}
