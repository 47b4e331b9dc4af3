/* common/base/digest.c: the one file that includes libsodium. */
#include "common/base/digest.h"

#include <sodium.h>

void sl_sha256_hex(const void *bytes, size_t len, char out_hex[SL_SHA256_HEX_SIZE])
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, bytes, len); /* cannot fail and needs no sodium_init() */
    sodium_bin2hex(out_hex, SL_SHA256_HEX_SIZE, digest, sizeof(digest));
}
