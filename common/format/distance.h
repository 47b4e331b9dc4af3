/* common/format/distance.h: how far the numbers of one tensor are from another's. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/bytes.h"

struct sl_distance {
    double worst, peak;       /* the largest difference; the largest magnitude of the reference */
    double squares, squares2; /* sums over pairs of finite numbers: the reference's, the other's */
    double product, error;
    size_t odd, finite; /* pairs with a NaN or an infinity on either side; the others */
};

/* Can its elements be read as numbers? */
bool sl_distance_reads(int scalar_type);

/* How far `b` is from the reference `a`: as many bytes, whole elements. NaN meets NaN and an
 * infinity its like; any other meeting of what is not finite is infinitely far. */
struct sl_distance sl_distance_between(int scalar_type, struct sl_bytes a, struct sl_bytes b);

/* The largest difference, of the reference's peak. */
double sl_distance_of_peak(const struct sl_distance *distance);
/* The differences' root mean square, of the reference's. */
double sl_distance_of_rms(const struct sl_distance *distance);
