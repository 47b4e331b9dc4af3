/* host/report/measured_silicon.h: a silicon profile made of what the loops of kernels/peak took on
 * a device (`kernels bench --peaks`), and of a shipped profile where no loop measures. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_buf;
struct sl_diag;

/* A loop as one worker ran it. */
struct sl_silicon_loop {
    const char *peak; /* "sl_peak_mopa_f32_sme2" */
    double ns;        /* of one of the measured instructions */
    double bytes;     /* that one of them moves; 0: none */
};

struct sl_measured_silicon {
    const char *base;        /* a built-in profile */
    const char *fingerprint; /* of the device: small letters, digits and '-' */
    const struct sl_silicon_loop *loops;
    size_t count;
};

/* The shipped profile to begin with. Without streaming loops it is one without a unit. */
const char *sl_measured_silicon_base(bool apple, const struct sl_silicon_loop *loops, size_t count);

/* Appends a profile of schema sme2lab.silicon/1 named "measured-FINGERPRINT". Cycles are what was
 * measured at the clock of the base, so that the time is right whatever the device's clock. 0,
 * SL_E_NOT_FOUND, SL_E_UNSUPPORTED of a base without a unit where the device has one, SL_E_FORMAT
 * with `diag` naming the loop whose figure cannot be, or -ENOMEM. */
int sl_measured_silicon_write(const struct sl_measured_silicon *of, struct sl_buf *out,
                              struct sl_diag *diag);
