/* host/daemon/probes.h: what each device's agent says of its CPU, asked once a device.
 *
 * An agent that is built anew has another answer only after the daemon's next start. Any thread. */
#pragma once

#include <signal.h>

struct cJSON;
struct sl_device;
struct sl_probes;

int sl_probes_new(struct sl_probes **out);     /* 0 or -ENOMEM */
void sl_probes_free(struct sl_probes *probes); /* NULL is a no-op */

/* Returns the agent's probe if it sent one, else runs `sme2lab-agent probe --json` on the device;
 * blocks when it is asked the first time, until *interrupted is not 0 (NULL: to the end). End it
 * with cJSON_Delete(); NULL when the device does not answer. */
struct cJSON *sl_probes_get(struct sl_probes *probes, const struct sl_device *device,
                            const volatile sig_atomic_t *interrupted);
