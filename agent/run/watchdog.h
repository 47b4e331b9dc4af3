/* agent/run/watchdog.h: a thread that ends the process when a load or an execution hangs. */
#pragma once

#include <stdint.h>

struct sl_watchdog;

/* Nothing may take longer than `timeout_s` seconds between two kicks, or the process says what hung
 * and exits with 1. 0, -ENOMEM or -errno. */
int sl_watchdog_start(uint32_t timeout_s, struct sl_watchdog **out);

/* `what` begins now; borrowed until the next kick. NULL watchdog: nothing. Outside measured windows
 * only. */
void sl_watchdog_kick(struct sl_watchdog *watchdog, const char *what);

/* Nothing is watched until the next kick. */
void sl_watchdog_pause(struct sl_watchdog *watchdog);

void sl_watchdog_stop(struct sl_watchdog *watchdog); /* NULL is a no-op */
