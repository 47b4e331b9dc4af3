/* host/device/adb/message.h: the messages of adb's own protocol, between a host and an adbd without
 * a server. Pure.
 *
 * A message is 24 bytes, little-endian, and so many bytes of payload as they say. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_buf;

enum sl_adb_command {
    SL_ADB_CNXN = 0x4e584e43, /* version, most payload; what the sender is */
    SL_ADB_AUTH = 0x48545541, /* enum sl_adb_auth; token, signature or key */
    SL_ADB_STLS = 0x534c5453, /* TLS from here on */
    SL_ADB_OPEN = 0x4e45504f, /* own id, window; service */
    SL_ADB_OKAY = 0x59414b4f, /* own id, the other's; taken bytes where acks are delayed */
    SL_ADB_WRTE = 0x45545257, /* own id, the other's; data */
    SL_ADB_CLSE = 0x45534c43, /* own id or 0, the other's */
};

enum sl_adb_auth { SL_ADB_TOKEN = 1, SL_ADB_SIGNATURE = 2, SL_ADB_PUBLIC_KEY = 3 };

enum {
    SL_ADB_HEAD_BYTES = 24,
    SL_ADB_PAYLOAD_BYTES = 1 << 20, /* as many as we take, and the most there can be */
    SL_ADB_FIRST_BYTES = 4096,      /* of payload, before the device has said what it takes */
    SL_ADB_CHECKED = 0x01000000,    /* the version whose messages carry a sum of their payload */
    SL_ADB_VERSION = 0x01000001,    /* ours: they carry none */
    SL_ADB_STLS_VERSION = 0x01000000,
};

struct sl_adb_message {
    uint32_t command, arg0, arg1;
    const uint8_t *payload; /* borrowed */
    size_t len;
};

/* Writes the head of a message whose payload is in its place already; `checked`: with the sum of
 * the payload. */
void sl_adb_message_head(uint8_t head[SL_ADB_HEAD_BYTES], const struct sl_adb_message *message,
                         bool checked);
/* Appends a message, head and payload. SL_E_LIMIT, -ENOMEM. */
int sl_adb_message_append(struct sl_buf *out, const struct sl_adb_message *message, bool checked);

/* A stream of messages. Zeroed, with a payload, before the first byte. */
struct sl_adb_messages {
    uint8_t head[SL_ADB_HEAD_BYTES];
    size_t have;
    struct sl_adb_message message; /* the one that is whole, until the next call */
    struct sl_buf *payload;        /* borrowed; its limit bounds what a message may carry */
};

/* Takes bytes up to the end of one message. 1: it is whole; 0: all were taken, more are to come;
 * SL_E_FORMAT: no adbd says that; -ENOMEM. Sums are not looked at: no adbd of today does. */
int sl_adb_messages_take(struct sl_adb_messages *messages, const uint8_t **bytes, size_t *len);

/* Which compressions of files are in a list of features, separated by commas: bits of enum
 * sl_adb_pack_kind in pack.h. */
unsigned sl_adb_packs(const char *features, size_t len);

/* How a device introduces itself. */
struct sl_adb_identity {
    int state; /* enum sl_adb_state of listing.h: online, or elsewhere */
    bool shell_v2, delayed_ack;
    unsigned packs; /* as sl_adb_packs() */
};

void sl_adb_identity_parse(const uint8_t *text, size_t len, struct sl_adb_identity *out);
