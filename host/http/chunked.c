/* host/http/chunked.c */
#include "host/http/chunked.h"

#include <limits.h>

#include "common/base/error.h"

enum state { SIZE, EXTENSION, SIZE_LF, DATA, DATA_CR, DATA_LF, TRAILER, TRAILER_LF };

static int digit(uint8_t byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* The line with the size of a chunk: hexadecimal digits, perhaps extensions. */
static int take_size(struct sl_http_chunks *chunks, uint8_t byte)
{
    int value = chunks->state == SIZE ? digit(byte) : -1;
    if (++chunks->line > SL_HTTP_MAX_CHUNK_LINE_BYTES)
        return SL_E_FORMAT;
    if (value >= 0) {
        if (chunks->left > (uint64_t)INT64_MAX / 16)
            return SL_E_FORMAT;
        chunks->left = chunks->left * 16 + (uint64_t)value;
        return 0;
    }
    if (chunks->line == 1 || (byte < ' ' && byte != '\t' && byte != '\r') || byte == 0x7f)
        return SL_E_FORMAT;
    if (chunks->state == SIZE && byte != '\r' && byte != ';' && byte != ' ' && byte != '\t')
        return SL_E_FORMAT;
    chunks->state = byte == '\r' ? SIZE_LF : EXTENSION;
    return 0;
}

static int take_trailer(struct sl_http_chunks *chunks, uint8_t byte)
{
    if (++chunks->total > SL_HTTP_MAX_TRAILER_BYTES || byte == '\n' || byte == '\0')
        return SL_E_FORMAT;
    if (byte == '\r')
        chunks->state = TRAILER_LF;
    else
        chunks->line++;
    return 0;
}

/* The byte after the CR of a line, or after the data of a chunk. */
static int take_line_end(struct sl_http_chunks *chunks, uint8_t byte)
{
    if (byte != (chunks->state == DATA_CR ? '\r' : '\n'))
        return SL_E_FORMAT;
    switch (chunks->state) {
    case DATA_CR:
        chunks->state = DATA_LF;
        return 0;
    case SIZE_LF:
        chunks->state = chunks->left > 0 ? DATA : TRAILER;
        break;
    case DATA_LF:
        chunks->state = SIZE;
        break;
    default:
        chunks->ended = chunks->line == 0;
        chunks->state = TRAILER;
    }
    chunks->line = 0;
    return 0;
}

static int take_byte(struct sl_http_chunks *chunks, uint8_t byte)
{
    switch (chunks->state) {
    case SIZE:
    case EXTENSION:
        return take_size(chunks, byte);
    case TRAILER:
        return take_trailer(chunks, byte);
    default:
        return take_line_end(chunks, byte);
    }
}

int sl_http_chunks_take(struct sl_http_chunks *chunks, struct sl_bytes bytes,
                        struct sl_bytes *out_piece)
{
    size_t at = 0;
    *out_piece = (struct sl_bytes){0};
    while (at < bytes.size && at < INT_MAX && !chunks->ended && chunks->state != DATA) {
        if (take_byte(chunks, bytes.data[at++]) < 0)
            return SL_E_FORMAT;
    }
    size_t left = bytes.size - at;
    if (chunks->state != DATA || left == 0)
        return (int)at;
    left = left < chunks->left ? left : (size_t)chunks->left;
    *out_piece = (struct sl_bytes){bytes.data + at, left};
    chunks->left -= left;
    if (chunks->left == 0)
        chunks->state = DATA_CR;
    return (int)(at + left);
}
