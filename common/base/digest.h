/* common/base/digest.h: SHA-256 (FIPS 180-4) of bytes, by libsodium. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SL_SHA256_HEX_SIZE = 65 }; /* 64 lower-case digits and the terminator */

/* Writes the digest of `bytes` as lower-case hexadecimal. */
void sl_sha256_hex(const void *bytes, size_t len, char out_hex[SL_SHA256_HEX_SIZE]);
