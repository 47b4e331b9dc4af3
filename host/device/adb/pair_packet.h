/* host/device/adb/pair_packet.h: what is said within the TLS of a pairing: packets of six bytes of
 * head and their payload, and what each side says of itself, sealed by the key that both agreed on.
 * Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_buf;

enum {
    SL_ADB_PAIR_HEAD_BYTES = 6,
    SL_ADB_PAIR_PAYLOAD_BYTES = 16384, /* at most */
    SL_ADB_PAIR_INFO_BYTES = 8192,     /* of what a side says of itself: a kind, then text */
    SL_ADB_PAIR_SEALED_BYTES = SL_ADB_PAIR_INFO_BYTES + 16,
    SL_ADB_PAIR_SECRET_BYTES = 64, /* that both sides of the TLS export, and that were agreed on */
    SL_ADB_PAIR_NAME_BYTES = 64,
};

enum sl_adb_pair_type { SL_ADB_PAIR_SPAKE2 = 0, SL_ADB_PAIR_INFO = 1 };
enum sl_adb_pair_kind { SL_ADB_PAIR_KEY = 0, SL_ADB_PAIR_NAME = 1 };

struct sl_adb_pair_packet {
    int type;               /* enum sl_adb_pair_type */
    const uint8_t *payload; /* borrowed */
    size_t len;
};

/* Appends a packet. SL_E_LIMIT, -ENOMEM. */
int sl_adb_pair_append(struct sl_buf *out, const struct sl_adb_pair_packet *packet);

/* Reads the packet at the beginning: how many bytes it has; 0: it is not whole; SL_E_FORMAT: no
 * device says that. */
int sl_adb_pair_read(const uint8_t *bytes, size_t len, struct sl_adb_pair_packet *out);

/* The name in what a device says of itself, printable; "" where it says none. */
void sl_adb_pair_name(const uint8_t info[SL_ADB_PAIR_INFO_BYTES], char out[SL_ADB_PAIR_NAME_BYTES]);
