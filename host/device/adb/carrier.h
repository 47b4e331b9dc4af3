/* host/device/adb/carrier.h: what carries a wire's messages to a device and back: TCP, or USB
 * (usb.h). On the loop's thread; no event comes from within one of these calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_address;
struct sl_adb_carrier;
struct sl_buf;

struct sl_adb_carrier_events {
    void (*connected)(void *user);
    void (*bytes)(void *user, const uint8_t *bytes, size_t len); /* borrowed for the call */
    void (*written)(void *user);                                 /* some of what was sent is gone */
    void (*failed)(void *user, const char *why); /* it is over, and must be closed */
    void (*closed)(void *user);                  /* the last; the carrier is freed */
};

struct sl_adb_carrier_ops {
    int (*send)(struct sl_adb_carrier *carrier, struct sl_buf *message);
    size_t (*unsent)(const struct sl_adb_carrier *carrier);
    void (*close)(struct sl_adb_carrier *carrier);
};

struct sl_adb_carrier { /* the head of each kind */
    const struct sl_adb_carrier_ops *ops;
    struct sl_adb_carrier_events events;
    void *user;
    bool out_of_step; /* it failed because the device stalled, or both lost each other's place */
};

/* Connects to an adbd's address. -ENOMEM, -errno. */
int sl_adb_carrier_open_tcp(uv_loop_t *loop, const struct sl_address *address,
                            const struct sl_adb_carrier_events *events, void *user,
                            struct sl_adb_carrier **out);

/* Sends one whole message, whose bytes it moves and frees in any case. SL_E_FULL: too many wait;
 * -ENOMEM, -errno. */
int sl_adb_carrier_send(struct sl_adb_carrier *carrier, struct sl_buf *message);

size_t sl_adb_carrier_unsent(const struct sl_adb_carrier *carrier); /* bytes */

/* Once; only `closed` comes after it. */
void sl_adb_carrier_close(struct sl_adb_carrier *carrier);
