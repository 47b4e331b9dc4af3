/* common/format/distance.c */
#include "common/format/distance.h"

#include <math.h>
#include <stdint.h>

#include "common/format/scalar_type.h"

/* NaN meets NaN and an infinity its like; otherwise both must be finite. */
static double difference(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0.0;
    return isfinite(a) && isfinite(b) ? fabs(a - b) : (double)INFINITY;
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

static double brain_at(const uint8_t *at)
{
    const uint8_t wide[4] = {0, 0, at[0], at[1]};
    return (double)sl_load_f32(wide);
}

static double number_at(int scalar_type, const uint8_t *at)
{
    switch (scalar_type) {
    case SL_SCALAR_FLOAT:
        return (double)sl_load_f32(at);
    case SL_SCALAR_HALF:
        return half_at(at);
    case SL_SCALAR_BFLOAT16:
        return brain_at(at);
    case SL_SCALAR_DOUBLE:
        return sl_load_f64(at);
    case SL_SCALAR_CHAR:
        return (double)(int8_t)at[0];
    case SL_SCALAR_SHORT:
        return (double)(int16_t)sl_load_u16(at);
    case SL_SCALAR_INT:
        return (double)(int32_t)sl_load_u32(at);
    case SL_SCALAR_LONG:
        return (double)(int64_t)sl_load_u64(at);
    default:
        return (double)at[0];
    }
}

bool sl_distance_reads(int scalar_type)
{
    return (scalar_type >= SL_SCALAR_BYTE && scalar_type <= SL_SCALAR_DOUBLE) ||
           scalar_type == SL_SCALAR_BOOL || scalar_type == SL_SCALAR_BFLOAT16;
}

struct sl_distance sl_distance_between(int scalar_type, struct sl_bytes a, struct sl_bytes b)
{
    struct sl_distance d = {.worst = 0};
    size_t bytes = sl_scalar_size(scalar_type);
    for (size_t at = 0; at < a.size; at += bytes) {
        double x = number_at(scalar_type, a.data + at);
        double y = number_at(scalar_type, b.data + at);
        d.worst = fmax(d.worst, difference(x, y));
        if (isfinite(x))
            d.peak = fmax(d.peak, fabs(x));
        if (!isfinite(x) || !isfinite(y)) {
            d.odd++;
            continue;
        }
        d.finite++;
        d.squares += x * x;
        d.squares2 += y * y;
        d.product += x * y;
        d.error += (x - y) * (x - y);
    }
    return d;
}

/* `part` of `whole`; nothing of nothing is nothing. */
static double share(double part, double whole)
{
    return part == 0.0 ? 0.0 : whole == 0.0 ? (double)INFINITY : part / whole;
}

double sl_distance_of_peak(const struct sl_distance *distance)
{
    return share(distance->worst, distance->peak);
}

double sl_distance_of_rms(const struct sl_distance *distance)
{
    return share(sqrt(distance->error), sqrt(distance->squares));
}
