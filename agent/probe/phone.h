/* agent/probe/phone.h: which phone this is, however it is named, plugged in or started. */
#pragma once

#include <stdbool.h>

enum { SL_PROBE_PHONE_BYTES = 17, SL_PROBE_BUILD_BYTES = 256 };

struct sl_probe_phone {
    /* Sixteen hexadecimal digits over serial number, SoC and product: nobody reads the serial
     * number in a report. */
    char id[SL_PROBE_PHONE_BYTES];
    char build[SL_PROBE_BUILD_BYTES]; /* the system's own name of its build; "": not known */
};

/* Is it the serial number of one device, and not what many have for want of one? */
bool sl_probe_is_serial(const char *serial);

/* Asks the system's `getprop` below `root`, for up to some seconds; a Mac says it itself. False
 * where there is none: it is no Android; where it does not answer, as half an answer would name
 * another phone; or where the serial number is none that a single phone has. */
bool sl_probe_phone_read(const char *root, struct sl_probe_phone *out);
