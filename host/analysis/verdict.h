/* host/analysis/verdict.h: what a comparison's verdict is called, and whether a gate lets it pass.
 * Pure. */
#pragma once

struct sl_comparison;

/* As JSON has them: "faster", "slower", "equivalent" of times; of counted instructions, which are
 * no speed, "fewer-instructions", "more-instructions", "equal"; the others are the same of both. */
const char *sl_verdict_name(const struct sl_comparison *comparison);

/* May the candidate pass a gate that allows it to be slower by `threshold` (0.05: 5 %)? A test of
 * non-inferiority: passed where the whole interval, widened by the noise floor, lies within the
 * threshold; failed where it lies beyond; else nothing can be told. A larger slow-down never passes
 * more often than a smaller one. */
enum sl_gate { SL_GATE_PASSED, SL_GATE_FAILED, SL_GATE_OPEN };
int sl_verdict_gate(const struct sl_comparison *comparison, double threshold);
