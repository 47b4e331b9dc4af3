/* host/daemon/service_manager.h: what systemd is told of the daemon, as sd_notify(3) describes it.
 */
#pragma once

#include <stdint.h>

/* Sends "READY=1", "STOPPING=1" or "WATCHDOG=1" to $NOTIFY_SOCKET; nothing where it is unset. */
void sl_service_tell(const char *state);

/* How often the daemon is to say that it lives, by $WATCHDOG_USEC and $WATCHDOG_PID: half of what
 * the manager waits, in milliseconds. 0: it does not wait. */
uint64_t sl_service_watchdog_ms(void);
