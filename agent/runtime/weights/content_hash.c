/* agent/runtime/weights/content_hash.c: four lanes of 64 bits; each takes 16 bytes of every 64 by
 * one multiplication to 128 bits, of which both halves are kept. */
#include "agent/runtime/weights/content_hash.h"

#include <string.h>

#include "common/base/bytes.h"

enum { BLOCK_BYTES = 64, LANES = 4 };

__extension__ typedef unsigned __int128 product_t;

/* Odd, and no two alike in many bits. */
static const uint64_t salts[LANES] = {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f),
                                      UINT64_C(0x165667b19e3779f9), UINT64_C(0xd6e8feb86659fd93)};

static uint64_t fold(uint64_t a, uint64_t b)
{
    product_t product = (product_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* In the order of the machine: a hash stays on the device where it was made. */
static uint64_t word_at(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

static void add_blocks(struct sl_content_hash *hash, const uint8_t *at, size_t blocks)
{
    uint64_t a = hash->lane[0], b = hash->lane[1], c = hash->lane[2], d = hash->lane[3];
    for (; blocks > 0; blocks--, at += BLOCK_BYTES) {
        a = fold(a ^ word_at(at), salts[0] ^ word_at(at + 8)) + salts[3];
        b = fold(b ^ word_at(at + 16), salts[1] ^ word_at(at + 24)) + salts[0];
        c = fold(c ^ word_at(at + 32), salts[2] ^ word_at(at + 40)) + salts[1];
        d = fold(d ^ word_at(at + 48), salts[3] ^ word_at(at + 56)) + salts[2];
    }
    const uint64_t lanes[LANES] = {a, b, c, d};
    memcpy(hash->lane, lanes, sizeof(lanes));
}

void sl_content_start(struct sl_content_hash *hash)
{
    *hash = (struct sl_content_hash){.bytes = 0};
    memcpy(hash->lane, salts, sizeof(salts));
}

void sl_content_add(struct sl_content_hash *hash, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    uint8_t last[BLOCK_BYTES] = {0};
    size_t rest = len % BLOCK_BYTES;
    hash->bytes += len;
    add_blocks(hash, at, len / BLOCK_BYTES);
    if (rest == 0)
        return;
    memcpy(last, at + len - rest, rest);
    add_blocks(hash, last, 1);
}

struct sl_content sl_content_end(const struct sl_content_hash *hash)
{
    const uint64_t *lane = hash->lane;
    uint64_t length = hash->bytes ^ salts[0];
    return (struct sl_content){
        .low = fold(fold(lane[0] ^ salts[2], lane[1] ^ length) ^ lane[2], lane[3] ^ salts[1]),
        .high = fold(fold(lane[2] ^ salts[1], lane[3] ^ length) ^ lane[1], lane[0] ^ salts[3]),
    };
}

struct sl_content sl_content_of(const void *bytes, size_t len)
{
    struct sl_content_hash hash;
    sl_content_start(&hash);
    sl_content_add(&hash, bytes, len);
    return sl_content_end(&hash);
}
