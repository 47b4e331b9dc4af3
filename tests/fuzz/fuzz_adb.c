/* tests/fuzz/fuzz_adb.c: what an adb server and the device behind it say: statuses, texts, lists of
 * devices, packets of a shell, answers about files, messages without a server, transfers of a USB
 * device, packets of a pairing, properties. The first byte says which, the second how the rest is
 * cut. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "host/device/adb/listing.h"
#include "host/device/adb/message.h"
#include "host/device/adb/pair_packet.h"
#include "host/device/adb/shell_packet.h"
#include "host/device/adb/smart_socket.h"
#include "host/device/adb/sync_record.h"
#include "host/device/adb/usb_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct parsers {
    struct sl_adb_status status;
    struct sl_adb_texts texts;
    struct sl_adb_packets packets;
    struct sl_adb_sync_answer answer;
    struct sl_adb_messages messages;
    struct sl_adb_usb_frames frames;
    struct sl_buf text, payload;
};

static void list(void *user, const char *text, size_t len)
{
    static struct sl_adb_listed listed[8];
    (void)user;
    size_t count = sl_adb_parse_devices(text, len, listed, 8);
    for (size_t i = 0; i < count; i++) {
        if (!listed[i].serial[0] || !sl_adb_state_why(listed[i].state) ||
            !sl_adb_state_fix(listed[i].state))
            abort();
        for (size_t j = 0; j < count; j++)
            if (sl_adb_same_phone(&listed[i], &listed[j]) !=
                sl_adb_same_phone(&listed[j], &listed[i]))
                abort();
    }
}

static void output(void *user, int id, const uint8_t *bytes, size_t len)
{
    volatile uint8_t last = bytes[len - 1];
    (void)user;
    (void)id;
    (void)last;
}

static int take_messages(struct sl_adb_messages *messages, const uint8_t *bytes, size_t len)
{
    struct sl_adb_identity identity;
    int rc = 0;
    while (rc >= 0 && len > 0) {
        rc = sl_adb_messages_take(messages, &bytes, &len);
        if (rc == 1)
            sl_adb_identity_parse(messages->message.payload, messages->message.len, &identity);
    }
    return rc < 0 ? rc : 0;
}

/* Blocks as a host controller hands them over: a byte of length, then they. */
static int take_transfers(struct sl_adb_usb_frames *frames, const uint8_t *bytes, size_t len)
{
    frames->packet_bytes = 64;
    frames->piece_bytes = SL_ADB_USB_PIECE_BYTES;
    for (size_t at = 0, n; at < len; at += 1 + n) {
        size_t wants = sl_adb_usb_frames_wants(frames);
        if (wants == 0 || wants % 64 != 0 || wants > SL_ADB_USB_PIECE_BYTES)
            abort();
        n = bytes[at] < len - at - 1 ? bytes[at] : len - at - 1;
        int rc = sl_adb_usb_frames_take(frames, bytes + at + 1, n);
        if (rc < 0)
            return rc;
        if ((size_t)rc != n && rc != 0)
            abort();
    }
    return 0;
}

static int take_pairing(const uint8_t *bytes, size_t len)
{
    static uint8_t info[SL_ADB_PAIR_INFO_BYTES];
    char name[SL_ADB_PAIR_NAME_BYTES];
    struct sl_adb_pair_packet packet;
    int used = sl_adb_pair_read(bytes, len, &packet);
    if (used > 0 && ((size_t)used > len || packet.payload + packet.len > bytes + len))
        abort();
    memcpy(info, bytes, len < sizeof(info) ? len : sizeof(info));
    sl_adb_pair_name(info, name);
    return used < 0 ? used : 0;
}

static int take(struct parsers *p, int kind, const uint8_t *bytes, size_t len)
{
    size_t wants = sl_adb_status_wants(&p->status);
    switch (kind) {
    case 0:
        return sl_adb_status_take(&p->status, bytes, len < wants ? len : wants);
    case 1:
        return sl_adb_texts_take(&p->texts, bytes, len, list, NULL);
    case 2:
        return sl_adb_packets_take(&p->packets, bytes, len, output, NULL);
    case 6:
        return take_messages(&p->messages, bytes, len);
    case 8:
        return take_pairing(bytes, len);
    case 7:
        return take_transfers(&p->frames, bytes, len);
    default:
        return sl_adb_sync_take(&p->answer, bytes, len);
    }
}

/* In a block of exactly its size, so that a byte too many is seen. */
static void whole(int kind, const uint8_t *bytes, size_t len)
{
    char value[16], *text = malloc(len + 1);
    if (!text)
        return;
    memcpy(text, bytes, len);
    char *exact = realloc(text, len > 0 ? len : 1);
    if (kind == 4)
        list(NULL, exact, len);
    else
        sl_adb_find_property(exact, len, "ro.product.model", value, sizeof(value));
    free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct parsers parsers = {.texts.text = &parsers.text, .messages.payload = &parsers.payload};
    if (size < 2)
        return 0;
    int kind = data[0] % 9;
    size_t step = (size_t)data[1] + 1;
    sl_buf_init(&parsers.text, SL_ADB_MAX_TEXT);
    sl_buf_init(&parsers.payload, SL_ADB_PAYLOAD_BYTES);
    if (kind == 4 || kind == 5) {
        whole(kind, data + 2, size - 2);
        return 0;
    }
    int rc = 0;
    for (size_t at = 2; at < size && rc == 0; at += step)
        rc = take(&parsers, kind, data + at, step < size - at ? step : size - at);
    sl_buf_fini(&parsers.text);
    sl_buf_fini(&parsers.payload);
    return 0;
}
