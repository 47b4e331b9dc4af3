/* host/daemon/phones.h: what an adb server has, and what is plugged in without one, as devices of
 * the lab: new ones are added under their serials, each is away while it cannot be used, with the
 * reason and the fix. */
#pragma once

#include <stdbool.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_devices;
struct sl_host_config;
struct sl_lab;
struct sl_phones;
struct sl_roster;

/* Follows the server once the configuration asks for its phones ("adb": true) or names one
 * (adb:SERIAL, adb-usb:SERIAL). What is there now is added before this returns. 0 or -ENOMEM. */
int sl_phones_new(uv_loop_t *loop, const struct sl_host_config *config, struct sl_devices *devices,
                  struct sl_lab *lab, struct sl_roster *roster, struct sl_phones **out);

/* The phones that the configuration names now: to be called once they are devices of the lab. 0 or
 * -ENOMEM. */
int sl_phones_configure(struct sl_phones *phones, const struct sl_host_config *config);

/* Does a step to bring a phone back: SL_STEP_PROBE, SL_STEP_ADB_RECONNECT. SL_E_NOT_FOUND,
 * SL_E_UNSUPPORTED, or why it cannot begin. */
int sl_phones_recover(struct sl_phones *phones, const char *name, int step);

/* Was the device found, and not configured? */
bool sl_phones_found(const struct sl_phones *phones, const char *name);

/* Before lab and devices are closed; `closed` comes last. */
void sl_phones_close(struct sl_phones *phones, void (*closed)(void *user), void *user);
