/* host/analysis/agreement.h: do two variants compute the same? Asked before any ratio is shown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_agreement {
    double max_abs;       /* largest absolute difference; INFINITY where only one side is finite */
    double max_rel;       /* the largest of each output's difference over its largest magnitude */
    double asked;         /* tolerance of max_rel in place of what types promise; 0: none */
    double tolerance;     /* that max_rel may reach */
    double rms_rel;       /* the largest root mean square of an output's differences over its own */
    double rms_tolerance; /* that rms_rel may reach; 0: no quantised output, none is asked */
    double cosine;        /* the smallest between an output and its reference */
    double steps;   /* largest difference in steps of the outputs' quantisation; 0: none has one */
    size_t outputs; /* compared so far */
    size_t odd;     /* floats that are NaN or infinite, on either side or on both */
    bool agree;
    const char *unlike; /* static: why outputs cannot be set beside one another; NULL: they can */
};

/* The type of an output, as the program declares it. */
struct sl_output_type {
    int scalar_type;           /* enum sl_scalar_type; -1: no tensor */
    uint32_t quantised_values; /* of 8 bits, or sums of halves that keep no more, one after another
                                  on the way to it; 0: none */
    double step;               /* of the quantisation that it comes out of; 0: none */
};

#define SL_AGREEMENT_FLOAT 1e-4 /* of the reference's peak */
/* The tolerance for 16-bit floats: kernels that add in half precision differ so much. */
#define SL_AGREEMENT_HALF 2e-2

/* Nothing compared yet; agrees. */
void sl_agreement_init(struct sl_agreement *agreement);

/* Writes the details behind the largest difference, as the tail of a sentence: steps of
 * quantisation, and floats that are no numbers ("; 10 values are NaN or infinite"); or nothing. Two
 * variants agree where both compute NaN, and that is not hidden. */
#define SL_AGREEMENT_TEXT_BYTES 128
const char *sl_agreement_more_text(const struct sl_agreement *agreement,
                                   char text[SL_AGREEMENT_TEXT_BYTES]);

/* The outputs are of different kinds, as `why` (static) says: they disagree beyond measure. */
void sl_agreement_refuse(struct sl_agreement *agreement, const char *why);

/* Compares one output, `a` being the reference. Floats agree within SL_AGREEMENT_FLOAT or _HALF of
 * their peak, complex numbers by their parts. Where the program rounds to 8 bits, the last bit of a
 * float decides between two steps, and where it adds products in half precision the order of
 * additions does. Two programs that are right round independently after the first such difference:
 * each rounding adds 0.0096 of the root mean square (agreement.c), and n of them sqrt(n) times as
 * much. The root mean square may reach that, and one value eight times as much of the output's; one
 * step of the output's own quantisation agrees always. Every other type agrees byte for byte, int8
 * that was rounded to one step. Different sizes never agree. With a tolerance that was asked for,
 * numbers agree within it of their peak, whatever their type. */
void sl_agreement_add(struct sl_agreement *agreement, const struct sl_output_type *type,
                      struct sl_bytes a, struct sl_bytes b);
