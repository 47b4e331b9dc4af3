/* agent/runtime/ops/fourier.h: discrete Fourier transforms of any length, in double precision. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_complex {
    double re, im;
};

/* out[k] = e^(-2 pi i k / count), k below `count`. */
void sl_fourier_roots(size_t count, struct sl_complex *out);
/* Numbers of workspace that a transform of `count` takes. */
size_t sl_fourier_workspace(size_t count);
/* out[k] = sum of in[j] e^(-2 pi i j k / count), or with + for `back`, by the prime factors of
 * `count`, which is not 0. No memory is shared. */
void sl_fourier(size_t count, bool back, const struct sl_complex *roots,
                const struct sl_complex *in, struct sl_complex *out, struct sl_complex *workspace);
