/* tests/support/sme2_report.h: two analyses compared as the factor SME2 off and on, as reports show
 * them. */
#pragma once

#include "host/report/analysis.h"
#include "host/report/comparison.h"

static inline struct sl_comparison_report sme2_report(const struct sl_comparison *comparison,
                                                      const struct sl_analysis sides[2])
{
    return (struct sl_comparison_report){.comparison = comparison,
                                         .baseline = &sides[0],
                                         .candidate = &sides[1],
                                         .factor = "sme2",
                                         .baseline_level = "off",
                                         .candidate_level = "on",
                                         .emulated = true};
}
