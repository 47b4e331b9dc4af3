/* agent/probe/probe.h: what this device is and has, as JSON. */
#pragma once

#include <stdbool.h>

#include "agent/probe/phone.h"

struct sl_buf;

/* Appends the JSON object of the device whose /sys and /proc stand under `root` ("": our own). 0,
 * SL_E_LIMIT or -ENOMEM; whatever cannot be read is null. */
int sl_probe_write(const char *root, struct sl_buf *out);

/* Writes the key under which things are kept for this device: sixteen hexadecimal digits over its
 * operating system, instructions, vector length and SoC. Cores that are offline do not change it;
 * if no SoC is named, the kinds of cores count, and one of each has to be online. For a
 * phone, its identity (also written to out_phone, else ""), its system's build and this agent's
 * version stand in place of the SoC, as nothing measured before an update holds after it. 0 or
 * -ENOMEM. */
enum { SL_PROBE_FINGERPRINT_BYTES = 17 };
int sl_probe_fingerprint(const char *root, char out[SL_PROBE_FINGERPRINT_BYTES],
                         char out_phone[SL_PROBE_PHONE_BYTES]);

/* The verb: prints it. argv[0] is the verb. Returns the exit code. */
int sl_probe_main(int argc, char **argv);
