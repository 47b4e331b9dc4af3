/* tests/fuzz/fuzz_frame.c: a byte stream from a peer: frames, messages, and the handshake they
 * drive. */
#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/net/frame.h"
#include "common/net/handshake.h"
#include "common/net/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct peer {
    struct sl_handshake handshake;
    struct sl_buf answer;
};

static int take(void *user, const uint8_t *payload, size_t len)
{
    struct peer *peer = user;
    Sme2lab__Proto__Envelope *envelope = NULL;
    int rc = sl_message_decode(payload, len, &envelope);
    if (rc < 0)
        return rc;
    rc = sl_handshake_take(&peer->handshake, envelope, &peer->answer);
    sl_message_free(envelope);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t secret[SL_SECRET_BYTES] = {1}, nonce[SL_NONCE_BYTES] = {2};
    struct sl_frame_reader reader;
    struct peer peer;
    if (size == 0)
        return 0;
    sl_buf_init(&peer.answer, 1 << 20);
    sl_handshake_init(&peer.handshake, data[0] % 2 ? SL_ROLE_HOST : SL_ROLE_AGENT, secret, nonce);
    sl_frame_reader_init(&reader);
    size_t step = (size_t)data[0] + 1; /* the first byte also chooses the cuts */
    for (size_t at = 1; at < size; at += step)
        sl_frame_reader_feed(&reader, data + at, step < size - at ? step : size - at, take, &peer);
    sl_frame_reader_fini(&reader);
    /* The same bytes as one payload, past the CRC that random bytes never pass. */
    take(&peer, data + 1, size - 1);
    sl_buf_fini(&peer.answer);
    return 0;
}
