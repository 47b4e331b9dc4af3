/* tests/support/usb_rig.h: phones on a USB bus of umockdev. What libusb asks of the kernel a
 * handler answers, which is as strict as an adbd and a host controller are: a head that is merged
 * with its payload, a missing empty packet, a read that is no multiple of the packets' size, are
 * violations. Behind each phone is an adbd, or what plays one, at a TCP address: a connection for
 * each claim.
 *
 * The process runs with LD_PRELOAD=libumockdev-preload.so.0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_address;
struct sl_usb_rig;

enum { SL_USB_RIG_PORTS = 32 };

struct sl_usb_phone {
    const char *serial;               /* NULL: it has none */
    const struct sl_address *backend; /* copied */
    unsigned packet_bytes;            /* 64, 512 or 1024 */
    bool fastboot;                    /* its interface is not adb's */
    const uint8_t *stale;             /* borrowed; sent before anything else, after each claim */
    size_t stale_len;
};

/* The behaviour of a phone, and what it saw. */
struct sl_usb_seen {
    int claims, clears, resets, out_urbs, empty_packets;
    char violation[128]; /* the first; "" */
};

enum sl_usb_fault {
    SL_USB_NO_FAULT,
    SL_USB_HELD,     /* another program has the interface */
    SL_USB_SILENT,   /* it takes all and says nothing */
    SL_USB_STALLED,  /* each transfer, until the endpoints are cleared */
    SL_USB_OVERFLOW, /* the next message that comes is more than was asked for */
    SL_USB_NO_MEMORY /* the kernel has none for transfers of more than 16 KiB */
};

struct sl_usb_rig *sl_usb_rig_new(void); /* aborts where umockdev is not preloaded */
void sl_usb_rig_plug(struct sl_usb_rig *rig, unsigned port, const struct sl_usb_phone *phone);
void sl_usb_rig_unplug(struct sl_usb_rig *rig, unsigned port);
/* Stays while phones are plugged in and out. */
void sl_usb_rig_fault(struct sl_usb_rig *rig, unsigned port, enum sl_usb_fault fault);
struct sl_usb_seen sl_usb_rig_seen(struct sl_usb_rig *rig, unsigned port);
/* The file that stands for the phone's device node; overwritten by the next call. */
const char *sl_usb_rig_node(struct sl_usb_rig *rig, unsigned port);
void sl_usb_rig_free(struct sl_usb_rig *rig);
