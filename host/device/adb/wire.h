/* host/device/adb/wire.h: one connection to an adbd, without an adb server, and the services that
 * run over it side by side.
 *
 * A service is handed out as a connected socket that begins as the adb server's does, with OKAY or
 * FAIL and a text: who speaks to a server speaks to a wire. The connection is made with the first
 * service, and again with the first after it was lost. On the loop's thread. */
#pragma once

#include <stdbool.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_address;
struct sl_adb_wire;

enum {
    SL_ADB_WIRE_CONNECT_MS = 5000,
    SL_ADB_WIRE_HANDSHAKE_MS = 10000,
    SL_ADB_WIRE_USB_HANDSHAKE_MS = 5000,
    SL_ADB_WIRE_MAX_SERVICES = 64,
};

struct sl_adb_wire_options {
    const struct sl_address *address; /* copied */
    const char *usb;                  /* what sl_adb_usb_open() takes; copied; NULL: the address */
    bool allow_plain; /* the device need not encrypt what goes over the wire; over USB none does */
};

/* Begins nothing. -ENOMEM. */
int sl_adb_wire_new(uv_loop_t *loop, const struct sl_adb_wire_options *options,
                    struct sl_adb_wire **out);

/* A socket for a service of the device; the caller closes it, and so ends the service. SL_E_LIMIT,
 * SL_E_FULL, -ENOMEM, -errno. */
int sl_adb_wire_open(struct sl_adb_wire *wire, const char *service, int *out_fd);

/* Which compressions of files the device has (pack.h), once a service of it is open. */
unsigned sl_adb_wire_packs(const struct sl_adb_wire *wire);

/* Does the device wait for its owner to allow this machine's key? */
bool sl_adb_wire_unauthorised(const struct sl_adb_wire *wire);

/* From the next connection on, where it is reached over USB: what sl_adb_usb_open() takes. */
void sl_adb_wire_move(struct sl_adb_wire *wire, const char *usb);

/* Drops the connection; before the next one the device's USB port is reset. SL_E_UNSUPPORTED where
 * it is reached otherwise. */
int sl_adb_wire_reset(struct sl_adb_wire *wire);

/* Ends all; `closed` comes last, from the loop. */
void sl_adb_wire_close(struct sl_adb_wire *wire, void (*closed)(void *user), void *user);
