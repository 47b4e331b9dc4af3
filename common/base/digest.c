/* common/base/digest.c: the one file that includes libsodium. */
#include "common/base/digest.h"

#include <sodium.h>

void sl_sha256_hex(const void *bytes, size_t len, char out_hex[SL_SHA256_HEX_SIZE])
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, bytes, len); /* cannot fail and needs no sodium_init() */
    sodium_bin2hex(out_hex, SL_SHA256_HEX_SIZE, digest, sizeof(digest));
}

void sl_hmac_sha256(const void *key, size_t key_len, const void *bytes, size_t len,
                    uint8_t out_mac[SL_HMAC_BYTES])
{
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, key, key_len);
    crypto_auth_hmacsha256_update(&state, bytes, len);
    crypto_auth_hmacsha256_final(&state, out_mac);
    sodium_memzero(&state, sizeof(state));
}

int sl_mac_equal(const uint8_t a[SL_HMAC_BYTES], const uint8_t b[SL_HMAC_BYTES])
{
    return sodium_memcmp(a, b, SL_HMAC_BYTES) == 0;
}

void sl_random_bytes(void *out, size_t len)
{
    randombytes_buf(out, len);
}
