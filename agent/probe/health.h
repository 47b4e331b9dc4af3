/* agent/probe/health.h: how warm the device is and how its battery stands, at this moment. */
#pragma once

#include <signal.h>

struct sl_health;

/* Reads thermal zones and power supplies below `root`; of an Android what its `dumpsys` and
 * `settings` say of what those do not show. Blocks, for some seconds at most, or until
 * *interrupted is not 0. */
void sl_health_read(const char *root, const volatile sig_atomic_t *interrupted,
                    struct sl_health *out);
