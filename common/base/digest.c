/* common/base/digest.c: the one file that includes libsodium. */
#include "common/base/digest.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>

#include <sodium.h>

void sl_sha256_hex(const void *bytes, size_t len, char out_hex[SL_SHA256_HEX_SIZE])
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, bytes, len); /* cannot fail and needs no sodium_init() */
    sodium_bin2hex(out_hex, SL_SHA256_HEX_SIZE, digest, sizeof(digest));
}

void sl_sha256_base64(const void *bytes, size_t len, char out_text[SL_SHA256_BASE64_SIZE])
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, bytes, len);
    sodium_bin2base64(out_text, SL_SHA256_BASE64_SIZE, digest, sizeof(digest),
                      sodium_base64_VARIANT_ORIGINAL);
}

static_assert(sizeof(crypto_hash_sha256_state) <= sizeof(struct sl_sha256),
              "libsodium's state does not fit");

void sl_sha256_init(struct sl_sha256 *sha)
{
    crypto_hash_sha256_init((crypto_hash_sha256_state *)(void *)sha->state);
}

void sl_sha256_update(struct sl_sha256 *sha, const void *bytes, size_t len)
{
    crypto_hash_sha256_update((crypto_hash_sha256_state *)(void *)sha->state, bytes, len);
}

void sl_sha256_final_hex(struct sl_sha256 *sha, char out_hex[SL_SHA256_HEX_SIZE])
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_final((crypto_hash_sha256_state *)(void *)sha->state, digest);
    sodium_bin2hex(out_hex, SL_SHA256_HEX_SIZE, digest, sizeof(digest));
}

int sl_sha256_fd(int fd, char out_hex[SL_SHA256_HEX_SIZE])
{
    enum { PIECE_BYTES = 64 << 10 };
    uint8_t piece[PIECE_BYTES];
    struct sl_sha256 sha;
    ssize_t got;
    sl_sha256_init(&sha);
    for (off_t at = 0; (got = pread(fd, piece, sizeof(piece), at)) != 0; at += got) {
        if (got < 0)
            return -errno;
        sl_sha256_update(&sha, piece, (size_t)got);
    }
    sl_sha256_final_hex(&sha, out_hex);
    return 0;
}

void sl_hmac_sha256(const void *key, size_t key_len, const void *bytes, size_t len,
                    uint8_t out_mac[SL_HMAC_BYTES])
{
    sl_hmac_sha256_pair(key, key_len, "", 0, bytes, len, out_mac);
}

void sl_hmac_sha256_pair(const void *key, size_t key_len, const void *first, size_t first_len,
                         const void *bytes, size_t len, uint8_t out_mac[SL_HMAC_BYTES])
{
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, key, key_len);
    crypto_auth_hmacsha256_update(&state, first, first_len);
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
