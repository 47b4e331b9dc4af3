/* host/device/adb/sync_record.h: what adb's file service is sent and answers. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/device/adb/smart_socket.h"

struct sl_buf;

enum { SL_ADB_SYNC_DATA_BYTES = 64 << 10, SL_ADB_SYNC_PATH_BYTES = 1024 };

/* Appends the request to write a file with these rights. SL_E_LIMIT, -ENOMEM. */
int sl_adb_sync_send(struct sl_buf *out, const char *path, unsigned mode);
/* The same for one whose data comes compressed: enum sl_adb_pack_kind of pack.h. */
int sl_adb_sync_send_packed(struct sl_buf *out, const char *path, unsigned mode, int kind);
/* So many bytes of the file follow it, at most SL_ADB_SYNC_DATA_BYTES. */
int sl_adb_sync_data(struct sl_buf *out, size_t len);
/* The file is whole; `mtime` in seconds. */
int sl_adb_sync_done(struct sl_buf *out, uint32_t mtime);

/* The answer to a file. Zeroed before its first byte. */
struct sl_adb_sync_answer {
    uint8_t head[8];
    size_t have, left;
    char reason[SL_ADB_REASON_BYTES]; /* printable, cut to fit */
};

/* 0: more is to come; 1: written; SL_E_STATE: refused, with the reason; SL_E_FORMAT. */
int sl_adb_sync_take(struct sl_adb_sync_answer *answer, const uint8_t *bytes, size_t len);
