/* agent/probe/dumpsys.h: what Android's `dumpsys` and `settings` print of a device's health. Pure;
 * of missing or damaged text nothing is known. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SL_HEALTH_NAME_BYTES = 64 };

struct sl_health {
    int32_t millidegrees;               /* Celsius, of the warmest place that it can read, */
    char warmest[SL_HEALTH_NAME_BYTES]; /* which is called so; "": none can be read */
    uint32_t battery_percent;           /* 0: it has none, or does not say */
    int power_saver;                    /* 1: on, 0: off, -1: not known */
};

/* A reading of `name`, if it is the warmest so far and can be a temperature at all: some zones tell
 * volts or shares. */
void sl_health_warm(struct sl_health *health, int64_t millidegrees, const char *name);

/* `dumpsys thermalservice`: temperatures as the hardware tells them now, else as they were told
 * last. */
void sl_dumpsys_thermal(const char *text, size_t len, struct sl_health *out);

/* `dumpsys battery`: its level, and its temperature. */
void sl_dumpsys_battery(const char *text, size_t len, struct sl_health *out);

/* `settings get global low_power`. */
void sl_dumpsys_power_saver(const char *text, size_t len, struct sl_health *out);
