/* host/device/adb/usb_frames.c */
#include "host/device/adb/usb_frames.h"

#include "common/base/error.h"
#include "host/device/adb/message.h"

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

size_t sl_adb_usb_frames_wants(const struct sl_adb_usb_frames *frames)
{
    size_t most = frames->left < frames->piece_bytes ? frames->left : frames->piece_bytes;
    if (!frames->in_step) /* a payload of another's may end without a sign */
        return frames->packet_bytes;
    most = most < SL_ADB_HEAD_BYTES ? SL_ADB_HEAD_BYTES : most;
    return (most + frames->packet_bytes - 1) / frames->packet_bytes * frames->packet_bytes;
}

/* A device that has not met us says one of these first. */
static bool begins(const uint8_t *head, size_t len)
{
    uint32_t command = len == SL_ADB_HEAD_BYTES ? get32(head) : 0;
    return (command == SL_ADB_CNXN || command == SL_ADB_AUTH) && get32(head + 20) == ~command &&
           get32(head + 12) <= SL_ADB_FIRST_BYTES;
}

int sl_adb_usb_frames_take(struct sl_adb_usb_frames *frames, const uint8_t *bytes, size_t len)
{
    if (len == 0) /* a packet of no bytes ends what was full */
        return 0;
    if (!frames->in_step && !begins(bytes, len))
        return ++frames->passed_over > SL_ADB_USB_PASSED_OVER ? SL_E_FORMAT : 0;
    frames->in_step = true;
    if (frames->left > 0) {
        if (len > frames->left)
            return SL_E_FORMAT;
        frames->left -= len;
        return (int)len;
    }
    if (len != SL_ADB_HEAD_BYTES || get32(bytes + 20) != ~get32(bytes))
        return SL_E_FORMAT;
    frames->left = get32(bytes + 12);
    return frames->left > SL_ADB_USB_PAYLOAD_BYTES ? SL_E_FORMAT : (int)len;
}
