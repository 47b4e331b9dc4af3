/* host/device/adb/usb.h: phones on this machine's USB ports, without an adb server. usb.c is the
 * one file that knows libusb.
 *
 * Each connection, and the look-out for phones, has a thread and a context of libusb of its own: a
 * device that hangs holds up nobody else. A device is named by its serial, or by the port that it
 * is plugged into: "usb:BUS-PORT[.PORT...]". */
#pragma once

#include <stddef.h>

#include "host/device/adb/listing.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_adb_carrier;
struct sl_adb_carrier_events;
struct sl_adb_usb_watch;

/* The phones that are plugged in: how many went to out[max]. Their state is online or no
 * permissions; whether another program holds them is seen only on opening. A serial that is
 * missing, cannot be used or is there twice is given as the port. Blocks for some milliseconds. 0
 * where USB cannot be had. */
size_t sl_adb_usb_list(struct sl_adb_listed *out, size_t max);

/* Which phones there are: at the start, and after each change. Borrowed for the call. */
typedef void (*sl_adb_usb_watch_fn)(void *user, const struct sl_adb_listed *listed, size_t count);

/* -ENOMEM, -errno. */
int sl_adb_usb_watch_new(uv_loop_t *loop, sl_adb_usb_watch_fn changed, void *user,
                         struct sl_adb_usb_watch **out);

/* Nothing is told any more; `closed` comes last, from the loop. */
void sl_adb_usb_watch_close(struct sl_adb_usb_watch *watch, void (*closed)(void *user), void *user);

enum { SL_ADB_USB_RESETS_AT = 2 };

/* Claims the phone's interface and carries messages over it (carrier.h). `stuck`: so many
 * connections in a row were silent or out of step: after one the endpoints are cleared, at
 * SL_ADB_USB_RESETS_AT the device is reset, once. -ENOMEM, -errno. */
int sl_adb_usb_open(uv_loop_t *loop, const char *name, unsigned stuck,
                    const struct sl_adb_carrier_events *events, void *user,
                    struct sl_adb_carrier **out);
