/* host/cli/device_shell.h: how a person gets at a device that is reserved for them. */
#pragma once

#include <stdbool.h>

struct cJSON;
struct sl_cli;

/* Says how to reach the device that the daemon answered with. */
void sl_device_shell_say(const struct cJSON *device);

/* Opens a shell on the device at `path` of the daemon's interface with the program adb, once its
 * job has ended, and returns the shell's exit code, else one of ours. */
int sl_device_shell_open(const struct sl_cli *cli, const char *path);
