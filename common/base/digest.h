/* common/base/digest.h: SHA-256 (FIPS 180-4) of bytes, by libsodium. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    SL_SHA256_HEX_SIZE = 65,   /* 64 lower-case digits and the terminator */
    SL_SHA256_BASE64_SIZE = 45 /* 44 characters and the terminator */
};

/* Writes the digest of `bytes` as lower-case hexadecimal. */
void sl_sha256_hex(const void *bytes, size_t len, char out_hex[SL_SHA256_HEX_SIZE]);
/* The same as padded base64 (RFC 4648): what a Content-Security-Policy names a script by. */
void sl_sha256_base64(const void *bytes, size_t len, char out_text[SL_SHA256_BASE64_SIZE]);

/* The same over bytes that come in pieces: init, update as often as there are pieces, final once.
 */
struct sl_sha256 {
    uint64_t state[16]; /* libsodium's */
};
void sl_sha256_init(struct sl_sha256 *sha);
void sl_sha256_update(struct sl_sha256 *sha, const void *bytes, size_t len);
void sl_sha256_final_hex(struct sl_sha256 *sha, char out_hex[SL_SHA256_HEX_SIZE]);
/* The same over a whole file, from its start and in pieces, however large. 0 or -errno. */
int sl_sha256_fd(int fd, char out_hex[SL_SHA256_HEX_SIZE]);

enum { SL_HMAC_BYTES = 32 };

/* HMAC-SHA-256 (RFC 2104) of `bytes` under a key of any length. */
void sl_hmac_sha256(const void *key, size_t key_len, const void *bytes, size_t len,
                    uint8_t out_mac[SL_HMAC_BYTES]);
/* The same of `first` and what follows it, which lie apart. */
void sl_hmac_sha256_pair(const void *key, size_t key_len, const void *first, size_t first_len,
                         const void *bytes, size_t len, uint8_t out_mac[SL_HMAC_BYTES]);

/* Compares in constant time: 1 if equal. */
int sl_mac_equal(const uint8_t a[SL_HMAC_BYTES], const uint8_t b[SL_HMAC_BYTES]);

/* Fills `out` from the system's random generator. */
void sl_random_bytes(void *out, size_t len);
