/* agent/probe/device.h: what each system tells of its device its own way. Linux tells it below a
 * root that tests replace ("": the device's own); macOS has no such tree and looks at no root. */
#pragma once

#include <stdbool.h>

struct sl_json;
struct sl_probe_cores;

/* The names of the SoC and its board; "" where nothing says it. */
struct sl_device_soc {
    char id[64], machine[64], board[64];
};
void sl_device_read_soc(const char *root, struct sl_device_soc *out);

/* The cores and their clusters. */
void sl_device_read_cores(const char *root, struct sl_probe_cores *out);

/* True on an emulated CPU, whose times mean nothing: QEMU's own one, by its identification. */
bool sl_device_is_emulated(void);

/* Each adds members to the probe's JSON object; what is not known is null. */
void sl_device_put_hwcap2(struct sl_json *json); /* as the kernel gives it */
void sl_device_put_system(const char *root, struct sl_json *json);
void sl_device_put_memory(const char *root, struct sl_json *json);
void sl_device_put_thermal(const char *root, struct sl_json *json);
