/* host/http/coding.h: answers made smaller on their way, as their client takes them (RFC
 * 9110, 12.5.3 and 8.4). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_http_packer;

enum { SL_HTTP_MAX_PACKERS = 32 }; /* of a server; further answers go out plain */

enum sl_http_coding { SL_HTTP_PLAIN, SL_HTTP_GZIP, SL_HTTP_ZSTD };

/* Returns the best of a header Accept-Encoding, "" for none. "identity" has a weight like the
 * others; that it is excluded ("identity;q=0", "*;q=0") is not honoured. */
enum sl_http_coding sl_http_coding_choose(const char *accepted);
const char *sl_http_coding_name(enum sl_http_coding coding); /* "gzip"; "" for plain */

/* For a body of just this many bytes. 0 or -ENOMEM. */
int sl_http_packer_new(enum sl_http_coding coding, uint64_t size, struct sl_http_packer **out);
void sl_http_packer_free(struct sl_http_packer *packer); /* NULL is a no-op */

enum sl_http_pack {
    SL_HTTP_PACK_MORE,  /* further bytes follow */
    SL_HTTP_PACK_FLUSH, /* what was taken is to come out */
    SL_HTTP_PACK_END,   /* these are the last */
};

/* Takes bytes from the front of *plain, which then stands behind them, and writes up to `room` to
 * `at`. How many it wrote, and whether all is out that `how` asks for; SL_E_FORMAT. */
int sl_http_packer_take(struct sl_http_packer *packer, struct sl_bytes *plain,
                        enum sl_http_pack how, uint8_t *at, size_t room, bool *out_done);
