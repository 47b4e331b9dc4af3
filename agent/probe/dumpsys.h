/* agent/probe/dumpsys.h: what Android's `dumpsys` and `settings` print. Pure; of what is missing or
 * garbage nothing is known. */
#pragma once

#include <stddef.h>

struct sl_conditions;

/* `dumpsys thermalservice`: temperatures as the hardware tells them now, else as they were told
 * last. */
void sl_dumpsys_thermal(const char *text, size_t len, struct sl_conditions *out);

/* `dumpsys battery`: its level, and its temperature. */
void sl_dumpsys_battery(const char *text, size_t len, struct sl_conditions *out);

/* `settings get global low_power`. */
void sl_dumpsys_power_saver(const char *text, size_t len, struct sl_conditions *out);
