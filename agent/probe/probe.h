/* agent/probe/probe.h: what this device is and has, as JSON. */
#pragma once

struct sl_buf;

/* Appends the JSON object of the device whose /sys and /proc stand under `root` ("": our own). 0,
 * SL_E_LIMIT or -ENOMEM; whatever cannot be read is null. */
int sl_probe_write(const char *root, struct sl_buf *out);

/* The verb: prints it. argv[0] is the verb. Returns the exit code. */
int sl_probe_main(int argc, char **argv);
