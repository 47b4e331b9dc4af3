/* host/analysis/false_discovery.h: many operators, few false alarms: an exact test for each and
 * Benjamini and Hochberg's correction over all of them. */
#pragma once

#include <stddef.h>

/* Two-sided exact sign test: how probable so lopsided a split is when either sign is as likely. 1
 * for none of both; ties are in neither count. */
double sl_sign_test(size_t positive, size_t negative);

/* Puts the smallest false-discovery rate at which each of `n` p-values would be called to `q`. NAN
 * stays NAN and counts for nothing. 0 or -ENOMEM. */
int sl_false_discovery(const double *p, size_t n, double *q);
