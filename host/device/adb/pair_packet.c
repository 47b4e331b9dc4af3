/* host/device/adb/pair_packet.c */
#include "host/device/adb/pair_packet.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/device/adb/smart_socket.h"

enum { VERSION = 1 };

int sl_adb_pair_append(struct sl_buf *out, const struct sl_adb_pair_packet *packet)
{
    uint8_t *at;
    if (packet->len > SL_ADB_PAIR_PAYLOAD_BYTES)
        return SL_E_LIMIT;
    int rc = sl_buf_extend(out, SL_ADB_PAIR_HEAD_BYTES + packet->len, &at);
    if (rc < 0)
        return rc;
    at[0] = VERSION;
    at[1] = (uint8_t)packet->type;
    for (int i = 0; i < 4; i++) /* the one length of adb that is big-endian */
        at[2 + i] = (uint8_t)(packet->len >> (24 - 8 * i));
    memcpy(at + SL_ADB_PAIR_HEAD_BYTES, packet->payload, packet->len);
    return 0;
}

int sl_adb_pair_read(const uint8_t *bytes, size_t len, struct sl_adb_pair_packet *out)
{
    size_t size = 0;
    if (len < SL_ADB_PAIR_HEAD_BYTES)
        return 0;
    for (int i = 0; i < 4; i++)
        size = size << 8 | bytes[2 + i];
    if (bytes[0] != VERSION || bytes[1] > SL_ADB_PAIR_INFO || size == 0 ||
        size > SL_ADB_PAIR_PAYLOAD_BYTES)
        return SL_E_FORMAT;
    if (len - SL_ADB_PAIR_HEAD_BYTES < size)
        return 0;
    *out = (struct sl_adb_pair_packet){bytes[1], bytes + SL_ADB_PAIR_HEAD_BYTES, size};
    return (int)(SL_ADB_PAIR_HEAD_BYTES + size);
}

void sl_adb_pair_name(const uint8_t info[SL_ADB_PAIR_INFO_BYTES], char out[SL_ADB_PAIR_NAME_BYTES])
{
    const char *text = (const char *)info + 1;
    size_t len = strnlen(text, SL_ADB_PAIR_INFO_BYTES - 1);
    out[0] = '\0';
    if (info[0] == SL_ADB_PAIR_NAME)
        sl_adb_printable(text, len, out, SL_ADB_PAIR_NAME_BYTES);
}
