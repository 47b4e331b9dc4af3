/* host/device/adb/sync_record.c */
#include "host/device/adb/sync_record.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/base/error.h"

enum { RECORD_BYTES = 8, REGULAR_FILE = 0100000 };

static int put(struct sl_buf *out, const char *id, uint32_t number)
{
    uint8_t record[RECORD_BYTES];
    memcpy(record, id, 4);
    sl_store_u32(record + 4, number);
    return sl_buf_append(out, record, sizeof(record));
}

int sl_adb_sync_send(struct sl_buf *out, const char *path, unsigned mode)
{
    char name[SL_ADB_SYNC_PATH_BYTES + 16];
    int len = snprintf(name, sizeof(name), "%s,%u", path, REGULAR_FILE | (mode & 0777));
    if (len < 0 || len > SL_ADB_SYNC_PATH_BYTES)
        return SL_E_LIMIT;
    int rc = put(out, "SEND", (uint32_t)len);
    return rc < 0 ? rc : sl_buf_append(out, name, (size_t)len);
}

int sl_adb_sync_send_packed(struct sl_buf *out, const char *path, unsigned mode, int kind)
{
    uint8_t flags[4];
    size_t len = strlen(path);
    if (len > SL_ADB_SYNC_PATH_BYTES)
        return SL_E_LIMIT;
    sl_store_u32(flags, (uint32_t)kind);
    int rc = put(out, "SND2", (uint32_t)len);
    if (rc == 0)
        rc = sl_buf_append(out, path, len);
    if (rc == 0)
        rc = put(out, "SND2", REGULAR_FILE | (mode & 0777));
    return rc < 0 ? rc : sl_buf_append(out, flags, sizeof(flags));
}

int sl_adb_sync_data(struct sl_buf *out, size_t len)
{
    return len == 0 || len > SL_ADB_SYNC_DATA_BYTES ? SL_E_LIMIT : put(out, "DATA", (uint32_t)len);
}

int sl_adb_sync_done(struct sl_buf *out, uint32_t mtime)
{
    return put(out, "DONE", mtime);
}

int sl_adb_sync_take(struct sl_adb_sync_answer *answer, const uint8_t *bytes, size_t len)
{
    for (size_t at = 0; at < len; at++) {
        if (answer->have == RECORD_BYTES) {
            size_t end = strlen(answer->reason);
            if (end + 1 < sizeof(answer->reason))
                sl_adb_printable((const char *)&bytes[at], 1, answer->reason + end, 2);
            if (--answer->left == 0)
                return SL_E_STATE;
            continue;
        }
        answer->head[answer->have++] = bytes[at];
        if (answer->have < RECORD_BYTES)
            continue;
        answer->left = sl_load_u32(answer->head + 4);
        if (memcmp(answer->head, "OKAY", 4) == 0)
            return 1;
        if (memcmp(answer->head, "FAIL", 4) != 0 || answer->left > SL_ADB_MAX_TEXT)
            return SL_E_FORMAT;
        if (answer->left == 0)
            return SL_E_STATE;
    }
    return 0;
}
