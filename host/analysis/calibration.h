/* host/analysis/calibration.h: what a device shows between runs that are the same: A against A. */
#pragma once

struct sl_attribution;
struct sl_comparison;
struct sl_comparison_options;

/* Compares the measured runs of one variant with each other: each with its neighbour, the order
 * swapped from pair to pair as in ABBA, by the method and with the options of interleaved pairs.
 * The truth is 1, so how far the interval reaches from it is the noise floor, which goes to
 * out->noise_floor (a share; 0 for counted runs that are equal, NAN without an interval). The
 * options' own floor, agreement and looks are not used. 0 or -ENOMEM. End with
 * sl_comparison_fini(). */
int sl_calibration_make(const struct sl_attribution *runs,
                        const struct sl_comparison_options *options, struct sl_comparison *out);
