/* host/device/adb/smart_socket.c */
#include "host/device/adb/smart_socket.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"

enum { WORD_BYTES = 4 };

int sl_adb_request(struct sl_buf *out, const char *service)
{
    size_t len = strlen(service);
    if (len == 0 || len > SL_ADB_MAX_TEXT)
        return SL_E_LIMIT;
    return sl_buf_printf(out, "%04x%s", (unsigned)len, service);
}

static int digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int parse_length(const uint8_t digits[WORD_BYTES], size_t *out)
{
    size_t value = 0;
    for (int i = 0; i < WORD_BYTES; i++) {
        int d = digit(digits[i]);
        if (d < 0)
            return SL_E_FORMAT;
        value = value * 16 + (size_t)d;
    }
    *out = value;
    return 0;
}

void sl_adb_printable(const char *text, size_t len, char *out, size_t size)
{
    size_t n = len < size - 1 ? len : size - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '.';
    out[n] = '\0';
}

size_t sl_adb_status_wants(const struct sl_adb_status *status)
{
    if (status->have < WORD_BYTES)
        return WORD_BYTES - status->have;
    if (memcmp(status->head, "FAIL", WORD_BYTES) != 0)
        return 0;
    return status->have < 2 * WORD_BYTES ? 2 * WORD_BYTES - status->have : status->left;
}

/* After each byte of the head: is a part of it whole? */
static int end_of_head(struct sl_adb_status *status)
{
    if (status->have == WORD_BYTES && memcmp(status->head, "OKAY", WORD_BYTES) == 0)
        return 1;
    if (status->have == WORD_BYTES && memcmp(status->head, "FAIL", WORD_BYTES) != 0)
        return SL_E_FORMAT;
    if (status->have < 2 * WORD_BYTES)
        return 0;
    int rc = parse_length(status->head + WORD_BYTES, &status->left);
    return rc < 0 ? rc : status->left == 0 ? SL_E_STATE : 0;
}

int sl_adb_status_take(struct sl_adb_status *status, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        size_t at = strlen(status->reason);
        int rc = 0;
        if (status->have < 2 * WORD_BYTES) {
            status->head[status->have++] = bytes[i];
            rc = end_of_head(status);
        } else {
            if (at + 1 < sizeof(status->reason))
                sl_adb_printable((const char *)&bytes[i], 1, status->reason + at, 2);
            rc = --status->left == 0 ? SL_E_STATE : 0;
        }
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* Bytes of the text under way; how many were its own. */
static int take_text(struct sl_adb_texts *texts, const uint8_t *bytes, size_t len,
                     sl_adb_text_fn each, void *user)
{
    size_t n = len < texts->left ? len : texts->left;
    int rc = n > 0 ? sl_buf_append(texts->text, bytes, n) : 0;
    if (rc < 0)
        return rc;
    texts->left -= n;
    if (texts->left == 0) {
        texts->have = 0;
        each(user, texts->text->data ? (const char *)texts->text->data : "", texts->text->size);
        texts->text->size = 0;
    }
    return (int)n;
}

int sl_adb_texts_take(struct sl_adb_texts *texts, const uint8_t *bytes, size_t len,
                      sl_adb_text_fn each, void *user)
{
    size_t at = 0;
    while (at < len) {
        if (texts->have < WORD_BYTES) {
            texts->head[texts->have++] = bytes[at++];
            if (texts->have < WORD_BYTES)
                continue;
            int rc = parse_length(texts->head, &texts->left);
            if (rc < 0)
                return rc;
        }
        int n = take_text(texts, bytes + at, len - at, each, user);
        if (n < 0)
            return n;
        at += (size_t)n;
    }
    return 0;
}
