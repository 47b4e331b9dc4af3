/* common/net/frame.h: frames on a byte stream: u32 length, u32 CRC-32C, payload; little-endian.
 *
 * The length counts the payload alone (1 .. SL_FRAME_MAX_BYTES); the CRC covers length and payload,
 * so a flipped bit in either is seen. Pure: no sockets. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"

enum { SL_FRAME_MAX_BYTES = 1 << 20, SL_FRAME_HEADER_BYTES = 8 };

/* Appends one frame to `out`. SL_E_LIMIT for an empty or too large payload, or a full buffer;
 * -ENOMEM. */
int sl_frame_append(struct sl_buf *out, const void *payload, size_t len);

/* Writes the header that belongs to `payload` into `out_header`, for callers that send the payload
 * in place. */
int sl_frame_header(const void *payload, size_t len, uint8_t out_header[SL_FRAME_HEADER_BYTES]);

/* Takes bytes in any cuts and hands out whole payloads. */
struct sl_frame_reader {
    struct sl_buf pending; /* one incomplete frame at most */
    int error;             /* sticks: after a broken frame the stream's boundaries are lost */
};

/* Called with each payload in order; it is borrowed and gone when the call returns. A negative
 * result stops the reading and comes out of sl_frame_reader_feed(). */
typedef int (*sl_frame_fn)(void *user, const uint8_t *payload, size_t len);

void sl_frame_reader_init(struct sl_frame_reader *reader);
void sl_frame_reader_fini(struct sl_frame_reader *reader);

/* 0, the callback's result, SL_E_LIMIT (length 0 or above the limit), SL_E_FORMAT (CRC), -ENOMEM.
 */
int sl_frame_reader_feed(struct sl_frame_reader *reader, const uint8_t *bytes, size_t len,
                         sl_frame_fn on_frame, void *user);
