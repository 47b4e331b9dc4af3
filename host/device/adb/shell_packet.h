/* host/device/adb/shell_packet.h: the packets of adb's shell service, version 2. Pure.
 *
 * A packet is a byte that says what it is, four bytes of length, little-endian, and so many bytes.
 * Payloads are handed on as they come and never kept, so no length that a device claims costs
 * memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_buf;

enum sl_adb_packet {
    SL_ADB_STDIN = 0, /* to the device */
    SL_ADB_STDOUT = 1,
    SL_ADB_STDERR = 2,
    SL_ADB_EXIT = 3, /* one byte: the status; the last packet */
    SL_ADB_CLOSE_STDIN = 4,
};

/* Appends a packet to the device. SL_E_LIMIT, -ENOMEM. */
int sl_adb_packet_append(struct sl_buf *out, int id, const void *bytes, size_t len);

/* Zeroed before the first byte. */
struct sl_adb_packets {
    uint8_t head[5];
    size_t have, left;
    int exit_code; /* once it is over */
};

/* Called for pieces of output and of errors alone. */
typedef void (*sl_adb_output_fn)(void *user, int id, const uint8_t *bytes, size_t len);

/* 0: more is to come; 1: the exit status has come, whatever follows; SL_E_FORMAT: an exit packet
 * of another length than one. Packets of unknown kinds are passed over. */
int sl_adb_packets_take(struct sl_adb_packets *packets, const uint8_t *bytes, size_t len,
                        sl_adb_output_fn output, void *user);
