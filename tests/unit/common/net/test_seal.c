/* tests/unit/common/net/test_seal.c */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "common/net/seal.h"
#include "tests/support/test.h"

static struct sl_seal host, agent;

static int set_up(void **state)
{
    uint8_t key[SL_SEAL_KEY_BYTES];
    (void)state;
    memset(key, 7, sizeof(key));
    sl_seal_init(&host, true, key);
    sl_seal_init(&agent, false, key);
    return 0;
}

/* A frame of the host's: a text and its tag. */
static size_t make(const char *text, uint8_t out[64])
{
    size_t len = strlen(text);
    memcpy(out, text, len);
    sl_seal_put(&host, text, len, out + len);
    return len + SL_SEAL_BYTES;
}

TEST_WITH(frames_in_their_order_are_taken, set_up, NULL)
{
    uint8_t frame[64];
    for (int i = 0; i < 3; i++) {
        size_t len = make("equal texts", frame);
        assert_int_equal(sl_seal_take(&agent, frame, len), strlen("equal texts"));
    }
}

TEST_WITH(any_changed_bit_is_seen, set_up, NULL)
{
    uint8_t frame[64];
    size_t len = make("text", frame);
    for (size_t bit = 0; bit < 8 * len; bit++) {
        struct sl_seal fresh = agent;
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(sl_seal_take(&fresh, frame, len), SL_E_MISMATCH);
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_int_equal(sl_seal_take(&agent, frame, len), 4);
}

TEST_WITH(a_frame_sent_twice_left_out_or_sent_back_is_seen, set_up, NULL)
{
    uint8_t first[64], second[64];
    size_t len = make("first", first);
    struct sl_seal fresh = agent;
    assert_int_equal(sl_seal_take(&agent, first, len), 5);
    assert_int_equal(sl_seal_take(&agent, first, len), SL_E_MISMATCH);
    size_t second_len = make("second", second);
    assert_int_equal(sl_seal_take(&fresh, second, second_len), SL_E_MISMATCH);
    assert_int_equal(sl_seal_take(&host, first, len), SL_E_MISMATCH);
}

TEST_WITH(a_frame_too_short_for_a_tag_is_refused, set_up, NULL)
{
    uint8_t frame[SL_SEAL_BYTES] = {0};
    for (size_t len = 0; len <= sizeof(frame); len++)
        assert_int_equal(sl_seal_take(&agent, frame, len), SL_E_MISMATCH);
}
