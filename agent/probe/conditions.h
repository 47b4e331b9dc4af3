/* agent/probe/conditions.h: how warm the device is and how its battery stands, at this moment. */
#pragma once

#include <signal.h>
#include <stdint.h>

enum { SL_CONDITIONS_NAME_BYTES = 64 };

struct sl_conditions {
    int32_t millidegrees;                   /* Celsius, of the warmest place that it can read, */
    char warmest[SL_CONDITIONS_NAME_BYTES]; /* which is called so; "": none can be read */
    uint32_t battery_percent;               /* 0: it has none, or does not say */
    int power_saver;                        /* 1: on, 0: off, -1: not known */
};

/* Reads thermal zones and power supplies below `root`; of an Android what its `dumpsys` and
 * `settings` say of what those do not show. Blocks, for some seconds at most, or until
 * *interrupted is not 0. */
void sl_conditions_read(const char *root, const volatile sig_atomic_t *interrupted,
                        struct sl_conditions *out);

/* A reading of `name`, if it is the warmest so far and can be a temperature at all: some zones tell
 * volts or shares. */
void sl_conditions_warm(struct sl_conditions *conditions, int64_t millidegrees, const char *name);
