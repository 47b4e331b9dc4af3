/* host/spec/selector.h: which devices a job takes: one by its name, or each that meets all of some
 * conditions, with commas. Pure.
 *
 *     counted-512
 *     sme2,svl>=256,memory>=4g,system=android,tag=bench
 *
 * A condition is `sme2`, or a fact with what it shall be: name, kind and tag, which are compared
 * whole; soc, model and system, which hold the text, upper or lower case; sme2 (yes or no); svl
 * (bits, as the device starts), android (its release: 16) and memory (bytes, or with k, m, g, t),
 * which compare by =, <, <=, > and >=. A device that has not said yet what it is may meet a
 * condition, and takes no job for it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/records.h"

struct sl_diag;

enum { SL_SELECTOR_MAX_TERMS = 8 };

struct sl_selector_term {
    int fact;        /* place in the list of facts */
    int relation;    /* enum in selector.c */
    uint64_t number; /* of numbers; of sme2 enum sl_maybe */
    char text[SL_NAME_BYTES];
};

struct sl_selector {
    size_t count; /* 0: any device fits */
    struct sl_selector_term terms[SL_SELECTOR_MAX_TERMS];
};

/* SL_E_FORMAT with `diag` (may be NULL) set. Any text without ',', '=', '<' and '>' but `sme2` is a
 * name; "" is any device. */
int sl_selector_read(const char *text, struct sl_selector *out, struct sl_diag *diag);

/* enum sl_maybe: UNKNOWN where the device has not said what it is, and might fit. */
int sl_selector_fits(const struct sl_selector *selector, const struct sl_device_record *device);

/* 0 where one of the devices fits or might; else SL_E_NOT_FOUND, and `diag` names the one that
 * comes nearest and what it lacks. `text` is what the selector was read from. */
int sl_selector_find(const struct sl_selector *selector, const char *text,
                     const struct sl_device_record *devices, size_t count, struct sl_diag *diag);
