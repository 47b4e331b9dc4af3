/* host/http/chunked.h: a body in chunks (RFC 9112, 7.1), taken apart as it comes. Pure. Extensions
 * and trailers are read and dropped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

enum { SL_HTTP_MAX_CHUNK_LINE_BYTES = 256, SL_HTTP_MAX_TRAILER_BYTES = 8192 };

struct sl_http_chunks { /* zero: at the beginning */
    int state;
    uint64_t left;      /* of the chunk */
    size_t line, total; /* bytes of the line under way, and of all trailers */
    bool ended;
};

/* Takes bytes up to the end of the next piece of the body, which is in *out_piece (borrowed from
 * `bytes`, empty when there is none), or of the whole body: `ended`. How many were taken, or
 * SL_E_FORMAT. Takes something unless `size` is 0 or it has ended. */
int sl_http_chunks_take(struct sl_http_chunks *chunks, struct sl_bytes bytes,
                        struct sl_bytes *out_piece);
