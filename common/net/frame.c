/* common/net/frame.c */
#include "common/net/frame.h"

#include <errno.h>
#include <string.h>

#include "common/base/bytes.h"
#include "common/base/crc32c.h"
#include "common/base/error.h"

int sl_frame_header(const void *payload, size_t len, uint8_t out_header[SL_FRAME_HEADER_BYTES])
{
    if (len == 0 || len > SL_FRAME_MAX_BYTES)
        return SL_E_LIMIT;
    sl_store_u32(out_header, (uint32_t)len);
    sl_store_u32(out_header + 4, sl_crc32c(sl_crc32c(0, out_header, 4), payload, len));
    return 0;
}

int sl_frame_append(struct sl_buf *out, const void *payload, size_t len)
{
    uint8_t header[SL_FRAME_HEADER_BYTES];
    uint8_t *at;
    int rc = sl_frame_header(payload, len, header);
    if (rc < 0)
        return rc;
    rc = sl_buf_extend(out, SL_FRAME_HEADER_BYTES + len, &at);
    if (rc < 0)
        return rc;
    memcpy(at, header, SL_FRAME_HEADER_BYTES);
    memcpy(at + SL_FRAME_HEADER_BYTES, payload, len);
    return 0;
}

void sl_frame_reader_init(struct sl_frame_reader *reader)
{
    *reader = (struct sl_frame_reader){0};
    sl_buf_init(&reader->pending, SL_FRAME_HEADER_BYTES + SL_FRAME_MAX_BYTES);
}

void sl_frame_reader_fini(struct sl_frame_reader *reader)
{
    sl_buf_fini(&reader->pending);
}

/* Bytes of the frame at `bytes`: its header's size while that is incomplete, or SL_E_LIMIT. */
static long frame_size(const uint8_t *bytes, size_t len)
{
    if (len < SL_FRAME_HEADER_BYTES)
        return SL_FRAME_HEADER_BYTES;
    uint32_t payload = sl_load_u32(bytes);
    if (payload == 0 || payload > SL_FRAME_MAX_BYTES)
        return SL_E_LIMIT;
    return SL_FRAME_HEADER_BYTES + (long)payload;
}

static int deliver(const uint8_t *frame, size_t size, sl_frame_fn on_frame, void *user)
{
    uint32_t crc = sl_crc32c(0, frame, 4);
    crc = sl_crc32c(crc, frame + SL_FRAME_HEADER_BYTES, size - SL_FRAME_HEADER_BYTES);
    if (crc != sl_load_u32(frame + 4))
        return SL_E_FORMAT;
    return on_frame(user, frame + SL_FRAME_HEADER_BYTES, size - SL_FRAME_HEADER_BYTES);
}

/* Completes the pending frame from the front of the input; returns the bytes taken. */
static long complete_pending(struct sl_frame_reader *reader, const uint8_t *bytes, size_t len,
                             sl_frame_fn on_frame, void *user)
{
    size_t taken = 0;
    while (taken < len) {
        long size = frame_size(reader->pending.data, reader->pending.size);
        if (size < 0)
            return size;
        size_t lacking = (size_t)size - reader->pending.size;
        size_t part = lacking < len - taken ? lacking : len - taken;
        int rc = sl_buf_append(&reader->pending, bytes + taken, part);
        if (rc < 0)
            return rc;
        taken += part;
        size = frame_size(reader->pending.data, reader->pending.size);
        if (size < 0)
            return size;
        if (reader->pending.size == (size_t)size && size > SL_FRAME_HEADER_BYTES) {
            rc = deliver(reader->pending.data, (size_t)size, on_frame, user);
            reader->pending.size = 0;
            return rc < 0 ? rc : (long)taken;
        }
    }
    return (long)taken;
}

int sl_frame_reader_feed(struct sl_frame_reader *reader, const uint8_t *bytes, size_t len,
                         sl_frame_fn on_frame, void *user)
{
    size_t at = 0;
    while (reader->error == 0 && at < len) {
        long size = frame_size(bytes + at, len - at);
        if (reader->pending.size == 0 && size > SL_FRAME_HEADER_BYTES && (size_t)size <= len - at) {
            reader->error = deliver(bytes + at, (size_t)size, on_frame, user); /* in place */
            at += (size_t)size;
            continue;
        }
        long taken = complete_pending(reader, bytes + at, len - at, on_frame, user);
        if (taken < 0)
            reader->error = (int)taken;
        else
            at += (size_t)taken;
    }
    return reader->error;
}
