/* common/net/seal.c */
#include "common/net/seal.h"

#include <string.h>

#include "common/base/bytes.h"
#include "common/base/digest.h"
#include "common/base/error.h"

static void derive(struct sl_seal_side *side, const char *label, const uint8_t *session_key)
{
    *side = (struct sl_seal_side){.next = 0};
    sl_hmac_sha256(session_key, SL_SEAL_KEY_BYTES, label, strlen(label), side->key);
}

void sl_seal_init(struct sl_seal *seal, bool host, const uint8_t session_key[SL_SEAL_KEY_BYTES])
{
    derive(host ? &seal->ours : &seal->peers, "sme2lab host frames\n", session_key);
    derive(host ? &seal->peers : &seal->ours, "sme2lab agent frames\n", session_key);
}

static void tag_of(struct sl_seal_side *side, const void *payload, size_t len,
                   uint8_t out[SL_HMAC_BYTES])
{
    uint8_t number[8];
    sl_store_u64(number, side->next++);
    sl_hmac_sha256_pair(side->key, sizeof(side->key), number, sizeof(number), payload, len, out);
}

void sl_seal_put(struct sl_seal *seal, const void *payload, size_t len,
                 uint8_t out_tag[SL_SEAL_BYTES])
{
    uint8_t tag[SL_HMAC_BYTES];
    tag_of(&seal->ours, payload, len, tag);
    memcpy(out_tag, tag, SL_SEAL_BYTES);
}

long sl_seal_take(struct sl_seal *seal, const uint8_t *frame, size_t len)
{
    uint8_t expected[SL_HMAC_BYTES], found[SL_HMAC_BYTES];
    if (len <= SL_SEAL_BYTES)
        return SL_E_MISMATCH;
    tag_of(&seal->peers, frame, len - SL_SEAL_BYTES, expected);
    memcpy(found, expected, sizeof(found)); /* what was cut off is equal */
    memcpy(found, frame + len - SL_SEAL_BYTES, SL_SEAL_BYTES);
    return sl_mac_equal(expected, found) ? (long)(len - SL_SEAL_BYTES) : SL_E_MISMATCH;
}
