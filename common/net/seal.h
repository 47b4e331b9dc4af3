/* common/net/seal.h: the MAC of each frame of a sealed session, keyed by the handshake.
 *
 * HMAC-SHA-256 over the frame's number and its payload, cut to SL_SEAL_BYTES, behind the payload.
 * Each direction has a key of its own and counts from 0: a frame that is changed, left out, sent
 * twice or sent back is seen. It keeps nothing secret. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_SEAL_BYTES = 16, SL_SEAL_KEY_BYTES = 32 };

struct sl_seal_side {
    uint8_t key[SL_SEAL_KEY_BYTES];
    uint64_t next; /* number of the next frame */
};

struct sl_seal {
    struct sl_seal_side ours, peers;
};

/* `host`: we are the host. */
void sl_seal_init(struct sl_seal *seal, bool host, const uint8_t session_key[SL_SEAL_KEY_BYTES]);

/* The tag of the next frame that we send. */
void sl_seal_put(struct sl_seal *seal, const void *payload, size_t len,
                 uint8_t out_tag[SL_SEAL_BYTES]);

/* The peer's next frame, its tag behind it: bytes of the payload without the tag, at least 1, or
 * SL_E_MISMATCH, after which nothing that comes can be believed. */
long sl_seal_take(struct sl_seal *seal, const uint8_t *frame, size_t len);
