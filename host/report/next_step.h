/* host/report/next_step.h: what to look at next, by rule, with the number that says so and with
 * what it would save. */
#pragma once

#include <stddef.h>

struct sl_comparison_report;

struct sl_next_step {
    const char *rule; /* name of the rule; static */
    char text[480];   /* a sentence with the number that triggered it, and what it would save */
    double value; /* that number: a share of the candidate's end to end, or a factor; NAN: none */
    double limit; /* what it passed; NAN: none */
    double saves; /* share of the candidate's end to end, at most; NAN: not known */
};

enum { SL_NEXT_STEPS_MAX = 5 };

/* At least one step, what saves most first. Alone: outputs differ; the two sides differ in more
 * than they may, which measuring again does not change; the verdict is none; no operator was
 * recorded. Else all that hold: an operator that SME2 is for ran without it; one became costlier
 * (where pairs tell: at a false-discovery rate of 5 %); operators outside delegates over 5 %, by
 * the model's source line where an ETRecord tells, all of them as one step and first where nothing
 * is delegated; data movement or the framework over 10 %; packing inside convolutions or products
 * over 5 %, where counts tell it apart; another part of a category over 10 % whose share grew by
 * half and by 5 points: the bottleneck moved there if no other category costs as much now; else to
 * a category that became the largest and grew so. If none of these is about the largest category,
 * it is the step from half of all on; below that nothing stands out. Last comes the policy of a
 * silicon on which SME2 loses time by the estimate; it saves no instructions. SME2 is spoken of
 * only if the sides differ in it, and not of operators that the run's own policy keeps off it one
 * by one. */
size_t sl_next_steps_find(const struct sl_comparison_report *report,
                          struct sl_next_step out[SL_NEXT_STEPS_MAX]);

/* The first of them. */
void sl_next_step_find(const struct sl_comparison_report *report, struct sl_next_step *out);
