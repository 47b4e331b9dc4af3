/* tests/unit/agent/runtime/weights/test_content_hash.c */
#include "tests/support/unit.h"

#include "agent/runtime/weights/content_hash.h"

enum { BYTES = 1000 };

TEST(each_changed_bit_changes_both_halves)
{
    uint8_t bytes[200] = {0};
    struct sl_content zero = sl_content_of(bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes) * 8; i++) {
        bytes[i / 8] = (uint8_t)(1 << i % 8);
        struct sl_content other = sl_content_of(bytes, sizeof(bytes));
        assert_true(other.low != zero.low && other.high != zero.high);
        bytes[i / 8] = 0;
    }
}

TEST(lengths_of_zeros_differ)
{
    static const uint8_t zeros[BYTES];
    struct sl_content seen[BYTES];
    for (size_t i = 0; i < BYTES; i++) {
        seen[i] = sl_content_of(zeros, i);
        for (size_t k = 0; k < i; k++)
            assert_true(seen[k].low != seen[i].low && seen[k].high != seen[i].high);
    }
}

TEST(pieces_of_whole_blocks_are_one_piece)
{
    uint8_t bytes[BYTES];
    struct sl_content_hash hash;
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(i * 7);
    sl_content_start(&hash);
    sl_content_add(&hash, bytes, 64);
    sl_content_add(&hash, bytes + 64, 0);
    sl_content_add(&hash, bytes + 64, 640);
    sl_content_add(&hash, bytes + 704, BYTES - 704);
    assert_true(sl_content_equal(sl_content_end(&hash), sl_content_of(bytes, BYTES)));
}

TEST(blocks_in_another_order_are_other_content)
{
    uint8_t bytes[BYTES], turned[BYTES];
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = turned[i] = (uint8_t)(i / 64);
    for (size_t i = 0; i < 64; i++) {
        turned[i] = 1;
        turned[64 + i] = 0;
    }
    assert_false(sl_content_equal(sl_content_of(bytes, BYTES), sl_content_of(turned, BYTES)));
}
