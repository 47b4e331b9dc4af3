/* host/device/adb/spake2.c */
#include "host/device/adb/spake2.h"

#include <string.h>

#include <sodium.h>

#include "common/base/error.h"

enum { POINT_BYTES = 32, SCALAR_BYTES = 32 };

/* The names of both sides end with their NUL: the peer counts it. */
static const char first_name[] = "adb pair client", second_name[] = "adb pair server";

/* SHA-256 of "edwards25519 point generation seed (M)" and "(N)", hashed again until it is a point.
 * They need not lie in the subgroup of prime order. */
static const uint8_t point_m[POINT_BYTES] = {
    0x5a, 0xda, 0x7e, 0x4b, 0xf6, 0xdd, 0xd9, 0xad, 0xb6, 0x62, 0x6d, 0x32, 0x13, 0x1c, 0x6b, 0x5c,
    0x51, 0xa1, 0xe3, 0x47, 0xa3, 0x47, 0x8f, 0x53, 0xcf, 0xcf, 0x44, 0x1b, 0x88, 0xee, 0xd1, 0x2e};
static const uint8_t point_n[POINT_BYTES] = {
    0x10, 0xe3, 0xdf, 0x0a, 0xe3, 0x7d, 0x8e, 0x7a, 0x99, 0xb5, 0xfe, 0x74, 0xb4, 0x46, 0x72, 0x10,
    0x3d, 0xbd, 0xdc, 0xbd, 0x06, 0xaf, 0x68, 0x0d, 0x71, 0x32, 0x9a, 0x11, 0x69, 0x3b, 0xc7, 0x78};

/* Eight times the point: in the subgroup of prime order, whatever it was. */
static int times_eight(const uint8_t point[POINT_BYTES], uint8_t out[POINT_BYTES])
{
    uint8_t twice[POINT_BYTES], four[POINT_BYTES];
    if (crypto_core_ed25519_add(twice, point, point) != 0 ||
        crypto_core_ed25519_add(four, twice, twice) != 0)
        return SL_E_FORMAT;
    return crypto_core_ed25519_add(out, four, four) == 0 ? 0 : SL_E_FORMAT;
}

/* The scalar is a multiple of eight, given as its eighth: the product is then the same as of the
 * point itself with the whole, and libsodium takes points of prime order only. */
static int multiply(const uint8_t eighth[SCALAR_BYTES], const uint8_t point[POINT_BYTES],
                    uint8_t out[POINT_BYTES])
{
    uint8_t prime[POINT_BYTES];
    int rc = times_eight(point, prime);
    if (rc < 0)
        return rc;
    return crypto_scalarmult_ed25519_noclamp(out, eighth, prime) == 0 ? 0 : SL_E_FORMAT;
}

/* The scalar over eight, modulo the order. The peer adds multiples of the order to the password's
 * scalar until it is divisible by eight; of points of prime order that is the same. */
static void divide_by_eight(uint8_t scalar[SCALAR_BYTES])
{
    uint8_t eight[SCALAR_BYTES] = {8}, inverse[SCALAR_BYTES], whole[SCALAR_BYTES];
    crypto_core_ed25519_scalar_invert(inverse, eight); /* the order is prime: there is one */
    memcpy(whole, scalar, sizeof(whole));
    crypto_core_ed25519_scalar_mul(scalar, whole, inverse);
    sodium_memzero(whole, sizeof(whole));
}

int sl_spake2_init(struct sl_spake2 *spake, bool first, const void *password, size_t len)
{
    uint8_t wide[64], own[POINT_BYTES], mask[POINT_BYTES], whole[SCALAR_BYTES],
        eight[SCALAR_BYTES] = {8};
    if (len > SL_SPAKE2_PASSWORD_BYTES)
        return SL_E_LIMIT;
    if (sodium_init() < 0)
        return SL_E_STATE;
    spake->first = first;
    randombytes_buf(wide, sizeof(wide));
    crypto_core_ed25519_scalar_reduce(spake->secret, wide);
    sodium_memzero(wide, sizeof(wide));
    crypto_hash_sha512(spake->hash, password, len);
    crypto_core_ed25519_scalar_reduce(spake->password, spake->hash);
    divide_by_eight(spake->password);
    crypto_core_ed25519_scalar_mul(whole, spake->secret, eight);
    int rc = crypto_scalarmult_ed25519_base_noclamp(own, whole) == 0 ? 0 : SL_E_STATE;
    sodium_memzero(whole, sizeof(whole));
    if (rc == 0)
        rc = multiply(spake->password, first ? point_m : point_n, mask);
    if (rc == 0 && crypto_core_ed25519_add(spake->message, own, mask) != 0)
        rc = SL_E_STATE;
    return rc;
}

static void hash_part(crypto_hash_sha512_state *hash, const void *bytes, size_t len)
{
    uint8_t head[8];
    for (int i = 0; i < 8; i++)
        head[i] = (uint8_t)((uint64_t)len >> 8 * i);
    crypto_hash_sha512_update(hash, head, sizeof(head));
    crypto_hash_sha512_update(hash, bytes, len);
}

int sl_spake2_key(const struct sl_spake2 *spake, const uint8_t theirs[SL_SPAKE2_MESSAGE_BYTES],
                  uint8_t out[SL_SPAKE2_KEY_BYTES])
{
    uint8_t mask[POINT_BYTES], bare[POINT_BYTES], shared[POINT_BYTES];
    crypto_hash_sha512_state hash;
    int rc = multiply(spake->password, spake->first ? point_n : point_m, mask);
    if (rc == 0 && crypto_core_ed25519_sub(bare, theirs, mask) != 0)
        rc = SL_E_FORMAT;
    if (rc == 0)
        rc = multiply(spake->secret, bare, shared);
    if (rc < 0)
        return rc;
    crypto_hash_sha512_init(&hash);
    hash_part(&hash, first_name, sizeof(first_name));
    hash_part(&hash, second_name, sizeof(second_name));
    hash_part(&hash, spake->first ? spake->message : theirs, SL_SPAKE2_MESSAGE_BYTES);
    hash_part(&hash, spake->first ? theirs : spake->message, SL_SPAKE2_MESSAGE_BYTES);
    hash_part(&hash, shared, sizeof(shared));
    hash_part(&hash, spake->hash, sizeof(spake->hash));
    crypto_hash_sha512_final(&hash, out);
    sodium_memzero(shared, sizeof(shared));
    return 0;
}

void sl_spake2_fini(struct sl_spake2 *spake)
{
    sodium_memzero(spake, sizeof(*spake));
}
