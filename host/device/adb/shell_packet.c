/* host/device/adb/shell_packet.c */
#include "host/device/adb/shell_packet.h"

#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/base/error.h"

enum { HEAD_BYTES = 5 };

int sl_adb_packet_append(struct sl_buf *out, int id, const void *bytes, size_t len)
{
    uint8_t head[HEAD_BYTES] = {(uint8_t)id};
    if (len > UINT32_MAX)
        return SL_E_LIMIT;
    sl_store_u32(head + 1, (uint32_t)len);
    int rc = sl_buf_append(out, head, sizeof(head));
    return rc < 0 || len == 0 ? rc : sl_buf_append(out, bytes, len);
}

static int take_payload(struct sl_adb_packets *packets, const uint8_t *bytes, size_t len,
                        sl_adb_output_fn output, void *user)
{
    int id = packets->head[0];
    if (id == SL_ADB_EXIT) {
        packets->exit_code = bytes[0];
        return 1;
    }
    if (id == SL_ADB_STDOUT || id == SL_ADB_STDERR)
        output(user, id, bytes, len);
    packets->left -= len;
    return 0;
}

int sl_adb_packets_take(struct sl_adb_packets *packets, const uint8_t *bytes, size_t len,
                        sl_adb_output_fn output, void *user)
{
    for (size_t at = 0; at < len;) {
        if (packets->have < HEAD_BYTES) {
            packets->head[packets->have++] = bytes[at++];
            if (packets->have < HEAD_BYTES)
                continue;
            packets->left = sl_load_u32(packets->head + 1);
            if (packets->head[0] == SL_ADB_EXIT && packets->left != 1)
                return SL_E_FORMAT;
        }
        size_t n = len - at < packets->left ? len - at : packets->left;
        if (n > 0) {
            int rc = take_payload(packets, bytes + at, n, output, user);
            if (rc != 0)
                return rc;
        }
        at += n;
        if (packets->left == 0)
            packets->have = 0;
    }
    return 0;
}
