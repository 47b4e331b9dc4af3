/* common/base/digest.c: the one file that includes libsodium. */
#include "common/base/digest.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>

#include <sodium.h>

#include "common/base/sha256_blocks.h"

/* libsodium's state is in the open, and its own code takes what begins or ends within a block;
 * whole blocks go to the CPU's instructions where it has them. Nothing here can fail or needs
 * sodium_init(). */
static void update(crypto_hash_sha256_state *state, const uint8_t *bytes, size_t len)
{
    size_t begun = (size_t)(state->count >> 3) % SL_SHA256_BLOCK_BYTES;
    size_t head = begun == 0 ? 0 : SL_SHA256_BLOCK_BYTES - begun;
    if (len >= head + SL_SHA256_BLOCK_BYTES) {
        crypto_hash_sha256_update(state, bytes, head);
        bytes += head;
        len -= head;
        size_t taken = sl_sha256_blocks(state->state, bytes, len / SL_SHA256_BLOCK_BYTES) *
                       SL_SHA256_BLOCK_BYTES;
        state->count += (uint64_t)taken << 3; /* bits */
        bytes += taken;
        len -= taken;
    }
    crypto_hash_sha256_update(state, bytes, len);
}

static void digest_of(const void *bytes, size_t len, unsigned char out[crypto_hash_sha256_BYTES])
{
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    update(&state, bytes, len);
    crypto_hash_sha256_final(&state, out);
}

void sl_sha256_hex(const void *bytes, size_t len, char out_hex[SL_SHA256_HEX_SIZE])
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    digest_of(bytes, len, digest);
    sodium_bin2hex(out_hex, SL_SHA256_HEX_SIZE, digest, sizeof(digest));
}

void sl_sha256_base64(const void *bytes, size_t len, char out_text[SL_SHA256_BASE64_SIZE])
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    digest_of(bytes, len, digest);
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
    update((crypto_hash_sha256_state *)(void *)sha->state, bytes, len);
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
    update(&state.ictx, first, first_len); /* all that libsodium's own update does */
    update(&state.ictx, bytes, len);
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
