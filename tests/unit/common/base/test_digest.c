/* tests/unit/common/base/test_digest.c */
#include "common/base/digest.h"

#include "tests/support/unit.h"

TEST(known_texts_give_their_digest)
{
    char hex[SL_SHA256_HEX_SIZE];
    sl_sha256_hex("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sl_sha256_hex("", 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(a_digest_as_base64_is_what_a_policy_names_a_script_by)
{
    char text[SL_SHA256_BASE64_SIZE];
    sl_sha256_base64("abc", 3, text);
    assert_string_equal(text, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST(hand_made_program_is_the_published_one)
{
    char hex[SL_SHA256_HEX_SIZE];
    struct sl_bytes file = sl_test_file("hand/add_mul.pte");
    sl_sha256_hex(file.data, file.size, hex);
    assert_string_equal(hex, "f7356ba3ecbacf8dff9e28b2c03d5256e6faeee99b05d747d3d5445f7485aa8a");
    free((void *)(uintptr_t)file.data);
}
