/* host/device/adb/pack.h: compresses a file for adb's file service, by what the device has. Not
 * pure only in that it needs zstd, LZ4 and Brotli. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_adb_pack;
struct sl_buf;

/* As the file service counts them; sl_adb_packs() of message.h says which a device has. */
enum sl_adb_pack_kind {
    SL_ADB_PACK_NONE = 0,
    SL_ADB_PACK_BROTLI = 1,
    SL_ADB_PACK_LZ4 = 2,
    SL_ADB_PACK_ZSTD = 4,
};

enum {
    SL_ADB_PACK_BYTES = 64 << 10, /* that one call takes, at most */
    SL_ADB_PACK_OUT_BYTES = 3 << 20,
};

/* The best of these kinds, none of none. */
int sl_adb_pack_choose(unsigned kinds);

/* -ENOMEM. */
int sl_adb_pack_new(int kind, struct sl_adb_pack **out);
void sl_adb_pack_free(struct sl_adb_pack *pack); /* NULL is a no-op */

/* In a hurry zstd compresses less and several times as fast, or else well again; both begin with
 * about the next bytes. For links that are faster than compressing well is. */
void sl_adb_pack_hurry(struct sl_adb_pack *pack, bool hurry);

/* Appends what these bytes become, which may be nothing yet; `last`: all that is left. At most
 * SL_ADB_PACK_OUT_BYTES at once. SL_E_LIMIT, -ENOMEM. */
int sl_adb_pack_put(struct sl_adb_pack *pack, const void *bytes, size_t len, bool last,
                    struct sl_buf *out);

/* How much of what it has become a record is to hold, at most SL_ADB_PACK_BYTES: adbd writes 64 KiB
 * of the file for each one, and keeps the rest in the device's memory until all has come. */
size_t sl_adb_pack_record(const struct sl_adb_pack *pack);
