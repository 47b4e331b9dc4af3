/* host/device/adb/usb_frames.h: which bytes of a USB device's transfers are messages to us. Pure.
 *
 * A message comes as a transfer of 24 bytes and, where it has a payload, transfers of that many
 * bytes in all; a transfer ends with a packet that is not full. What an earlier owner of the
 * interface left behind comes first: all is passed over until the device introduces itself or asks
 * who we are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SL_ADB_USB_PIECE_BYTES = 64 << 10,    /* of one transfer, at most */
    SL_ADB_USB_PAYLOAD_BYTES = 256 << 10, /* that we take: all transfers of a machine have 16 MiB */
    SL_ADB_USB_PASSED_OVER = 1 << 16,     /* packets, at most */
};

struct sl_adb_usb_frames {
    size_t packet_bytes; /* of the endpoint, a power of two from 8 to 1024 */
    size_t piece_bytes;  /* for which a transfer asks at most: whole packets */
    size_t left;         /* of the payload under way */
    bool in_step;        /* nothing is passed over any more */
    unsigned passed_over;
};

/* For how many bytes the next transfer asks: never fewer than the device may send. */
size_t sl_adb_usb_frames_wants(const struct sl_adb_usb_frames *frames);

/* A transfer brought these. How many of them, from the first, belong to messages: all or none;
 * SL_E_FORMAT: the device is out of step. */
int sl_adb_usb_frames_take(struct sl_adb_usb_frames *frames, const uint8_t *bytes, size_t len);
