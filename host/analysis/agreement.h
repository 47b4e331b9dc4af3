/* host/analysis/agreement.h: do two variants compute the same? Asked before any ratio is shown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_agreement {
    double max_abs;   /* largest absolute difference; INFINITY where only one side is finite */
    double max_rel;   /* the largest of each output's difference over its largest magnitude */
    double tolerance; /* that max_rel may reach */
    size_t outputs;   /* compared so far */
    size_t odd;       /* floats that are NaN or infinite, on either side or on both */
    bool agree;
};

#define SL_AGREEMENT_FLOAT 1e-4 /* of the reference's peak */
/* What 16-bit floats may differ by: kernels that add in half precision do. */
#define SL_AGREEMENT_HALF 2e-2

/* `tolerance` is relative to an output's peak: SL_AGREEMENT_FLOAT for f32. An output of 16-bit
 * floats makes it SL_AGREEMENT_HALF. */
void sl_agreement_init(struct sl_agreement *agreement, double tolerance);

/* What is to be said of floats that are no numbers, to stand behind a sentence: "; 10 values are
 * NaN or infinite", or nothing. Two variants agree where both compute NaN, and that is not hidden.
 */
#define SL_AGREEMENT_TEXT_BYTES 64
const char *sl_agreement_odd_text(const struct sl_agreement *agreement,
                                  char text[SL_AGREEMENT_TEXT_BYTES]);

/* Compares one output, `a` being the reference. Floats within the tolerance; every other type byte
 * for byte. Different sizes never agree. `scalar_type` is enum sl_scalar_type. */
void sl_agreement_add(struct sl_agreement *agreement, int scalar_type, struct sl_bytes a,
                      struct sl_bytes b);
