/* host/report/next_step.h: the one thing to look at next, by rule, with the number that says so. */
#pragma once

#include <stddef.h>

struct sl_comparison_report;

struct sl_next_step {
    const char *rule; /* name of the rule; static */
    char text[320];   /* a sentence with the number that triggered it */
    double value;     /* that number: a share of end to end with SME2 on, or a factor; NAN: none */
    double limit;     /* what it passed; NAN: none */
};

/* First rule that holds: outputs differ; the verdict is none; no operator was recorded; an operator
 * that SME2 is for ran without; an operator slower with SME2 (where pairs tell: at a
 * false-discovery rate of 5 %); a portable operator over 5 %; data movement over 10 %; framework
 * over 10 %; else the largest category. */
void sl_next_step_find(const struct sl_comparison_report *report, struct sl_next_step *out);
