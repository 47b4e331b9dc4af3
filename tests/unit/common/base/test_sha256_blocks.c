/* tests/unit/common/base/test_sha256_blocks.c: the CPU's instructions beside libsodium's code,
 * which takes whatever comes byte by byte. */
#include "common/base/sha256_blocks.h"

#include <string.h>

#include "common/base/digest.h"
#include "tests/support/unit.h"

enum { BYTES = 3000 };

static uint8_t bytes[BYTES];

static void fill(void)
{
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(i * 167 + i / 256);
}

static void by_byte(size_t len, char out[SL_SHA256_HEX_SIZE])
{
    struct sl_sha256 sha;
    sl_sha256_init(&sha);
    for (size_t i = 0; i < len; i++)
        sl_sha256_update(&sha, bytes + i, 1);
    sl_sha256_final_hex(&sha, out);
}

TEST(a_block_gives_the_published_state)
{
    static const uint32_t published[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                          0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    uint32_t words[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t block[SL_SHA256_BLOCK_BYTES] = {'a', 'b', 'c', 0x80};
    block[SL_SHA256_BLOCK_BYTES - 1] = 24; /* bits */
    uint32_t before[8];
    memcpy(before, words, sizeof(before));
    size_t taken = sl_sha256_blocks(words, block, 1);
    assert_true(taken <= 1);
    assert_memory_equal(words, taken == 1 ? published : before, sizeof(words));
    assert_int_equal(sl_sha256_blocks(words, block, 0), 0);
}

TEST(a_digest_is_the_same_however_its_bytes_are_cut)
{
    char whole[SL_SHA256_HEX_SIZE], cut[SL_SHA256_HEX_SIZE];
    fill();
    for (size_t len = 0; len <= BYTES; len += len < 300 ? 1 : 97) {
        by_byte(len, cut);
        sl_sha256_hex(bytes, len, whole);
        assert_string_equal(whole, cut);
    }
    by_byte(BYTES, whole);
    for (size_t step = 1; step < 300; step++) {
        struct sl_sha256 sha;
        sl_sha256_init(&sha);
        for (size_t at = 0; at < BYTES; at += step)
            sl_sha256_update(&sha, bytes + at, step < BYTES - at ? step : BYTES - at);
        sl_sha256_final_hex(&sha, cut);
        assert_string_equal(cut, whole);
    }
}

TEST(a_million_letters_give_the_published_digest)
{
    static char letters[1000000];
    char hex[SL_SHA256_HEX_SIZE];
    memset(letters, 'a', sizeof(letters));
    sl_sha256_hex(letters, sizeof(letters), hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* RFC 2104 by hand: the hash of the outer pad and of the hash of the inner pad and the message. */
TEST(a_mac_of_a_long_message_is_what_its_definition_says)
{
    static const char key[] = "key of a session";
    uint8_t pad[64] = {0}, mac[SL_HMAC_BYTES], pair[SL_HMAC_BYTES], inner[32];
    char hex[SL_SHA256_HEX_SIZE];
    struct sl_sha256 sha;
    fill();
    memcpy(pad, key, sizeof(key) - 1);
    for (size_t i = 0; i < sizeof(pad); i++)
        pad[i] ^= 0x36;
    sl_sha256_init(&sha);
    sl_sha256_update(&sha, pad, sizeof(pad));
    sl_sha256_update(&sha, bytes, BYTES);
    sl_sha256_final_hex(&sha, hex);
    for (size_t i = 0; i < sizeof(inner); i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        inner[i] = (uint8_t)byte;
    }
    for (size_t i = 0; i < sizeof(pad); i++)
        pad[i] ^= 0x36 ^ 0x5c;
    sl_sha256_init(&sha);
    sl_sha256_update(&sha, pad, sizeof(pad));
    sl_sha256_update(&sha, inner, sizeof(inner));
    sl_sha256_final_hex(&sha, hex);
    sl_hmac_sha256(key, sizeof(key) - 1, bytes, BYTES, mac);
    sl_hmac_sha256_pair(key, sizeof(key) - 1, bytes, 77, bytes + 77, BYTES - 77, pair);
    assert_memory_equal(mac, pair, sizeof(mac));
    for (size_t i = 0; i < sizeof(mac); i++) {
        char byte[3];
        snprintf(byte, sizeof(byte), "%02x", mac[i]);
        assert_memory_equal(byte, hex + 2 * i, 2);
    }
}
