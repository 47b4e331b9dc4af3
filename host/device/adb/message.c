/* host/device/adb/message.c */
#include "host/device/adb/message.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/device/adb/listing.h"
#include "host/device/adb/pack.h"

static void put32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

void sl_adb_message_head(uint8_t head[SL_ADB_HEAD_BYTES], const struct sl_adb_message *message,
                         bool checked)
{
    uint32_t sum = 0;
    for (size_t i = 0; checked && i < message->len; i++)
        sum += message->payload[i];
    put32(head, message->command);
    put32(head + 4, message->arg0);
    put32(head + 8, message->arg1);
    put32(head + 12, (uint32_t)message->len);
    put32(head + 16, sum);
    put32(head + 20, ~message->command);
}

int sl_adb_message_append(struct sl_buf *out, const struct sl_adb_message *message, bool checked)
{
    uint8_t head[SL_ADB_HEAD_BYTES];
    if (message->len > SL_ADB_PAYLOAD_BYTES || out->limit - out->size < sizeof(head) + message->len)
        return SL_E_LIMIT;
    sl_adb_message_head(head, message, checked);
    int rc = sl_buf_append(out, head, sizeof(head));
    return rc == 0 && message->len > 0 ? sl_buf_append(out, message->payload, message->len) : rc;
}

static bool is_command(uint32_t command)
{
    static const uint32_t commands[] = {SL_ADB_CNXN, SL_ADB_AUTH, SL_ADB_STLS, SL_ADB_OPEN,
                                        SL_ADB_OKAY, SL_ADB_WRTE, SL_ADB_CLSE};
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (commands[i] == command)
            return true;
    }
    return false;
}

static int read_head(struct sl_adb_messages *messages)
{
    const uint8_t *head = messages->head;
    uint32_t command = get32(head), len = get32(head + 12);
    if (!is_command(command) || get32(head + 20) != ~command || len > messages->payload->limit)
        return SL_E_FORMAT;
    messages->message = (struct sl_adb_message){
        .command = command, .arg0 = get32(head + 4), .arg1 = get32(head + 8), .len = len};
    messages->payload->size = 0;
    return 0;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

int sl_adb_messages_take(struct sl_adb_messages *messages, const uint8_t **bytes, size_t *len)
{
    size_t take = smaller(SL_ADB_HEAD_BYTES - messages->have, *len);
    int rc = 0;
    memcpy(messages->head + messages->have, *bytes, take);
    messages->have += take;
    *bytes += take;
    *len -= take;
    if (messages->have < SL_ADB_HEAD_BYTES)
        return 0;
    if (take > 0)
        rc = read_head(messages);
    if (rc < 0)
        return rc;
    take = smaller(messages->message.len - messages->payload->size, *len);
    rc = take > 0 ? sl_buf_append(messages->payload, *bytes, take) : 0;
    *bytes += take;
    *len -= take;
    if (rc < 0 || messages->payload->size < messages->message.len)
        return rc;
    messages->message.payload = messages->payload->data;
    messages->have = 0;
    return 1;
}

/* Is the word in a list of words between commas? */
static bool lists(const char *list, size_t len, const char *word)
{
    size_t size = strlen(word);
    while (len > 0) {
        const char *comma = memchr(list, ',', len);
        size_t item = comma ? (size_t)(comma - list) : len;
        if (item == size && memcmp(list, word, size) == 0)
            return true;
        item += comma != NULL;
        list += item;
        len -= item;
    }
    return false;
}

unsigned sl_adb_packs(const char *features, size_t len)
{
    static const struct {
        const char *word;
        unsigned kind;
    } all[] = {{"sendrecv_v2_brotli", SL_ADB_PACK_BROTLI},
               {"sendrecv_v2_lz4", SL_ADB_PACK_LZ4},
               {"sendrecv_v2_zstd", SL_ADB_PACK_ZSTD}};
    unsigned kinds = 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (lists(features, len, "sendrecv_v2") && lists(features, len, all[i].word))
            kinds |= all[i].kind;
    }
    return kinds;
}

/* TYPE:SERIAL:NAME=VALUE;NAME=VALUE;..., of which the features are looked at. */
void sl_adb_identity_parse(const uint8_t *text, size_t len, struct sl_adb_identity *out)
{
    static const char device[] = "device:", features[] = "features=";
    const char *at = (const char *)text, *end = at + len;
    *out = (struct sl_adb_identity){.state = SL_ADB_ELSEWHERE};
    if (len >= sizeof(device) - 1 && memcmp(at, device, sizeof(device) - 1) == 0)
        out->state = SL_ADB_ONLINE;
    for (int colons = 0; colons < 2 && at < end; at++)
        colons += *at == ':';
    while (at < end) {
        const char *stop = memchr(at, ';', (size_t)(end - at));
        const char *item_end = stop ? stop : end;
        size_t size = (size_t)(item_end - at);
        if (size > sizeof(features) - 1 && memcmp(at, features, sizeof(features) - 1) == 0) {
            at += sizeof(features) - 1;
            size_t left = (size_t)(item_end - at);
            left -= left > 0 && at[left - 1] == '\0';
            out->shell_v2 = lists(at, left, "shell_v2");
            out->delayed_ack = lists(at, left, "delayed_ack");
            out->packs = sl_adb_packs(at, left);
        }
        at = stop ? stop + 1 : end;
    }
}
