/* tests/unit/common/net/test_frame.c */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/net/frame.h"
#include "tests/support/test.h"

/* The frames a reader handed out: lengths, and all payloads one after the other. */
struct heard {
    size_t count, bytes;
    uint8_t data[4096];
    int answer;
};

static int hear(void *user, const uint8_t *payload, size_t len)
{
    struct heard *heard = user;
    assert_true(heard->bytes + len <= sizeof(heard->data));
    memcpy(heard->data + heard->bytes, payload, len);
    heard->bytes += len;
    heard->count++;
    return heard->answer;
}

static void append(struct sl_buf *buf, const char *text)
{
    assert_int_equal(sl_frame_append(buf, text, strlen(text)), 0);
}

TEST(frames_come_out_whole_whatever_the_cuts)
{
    struct sl_buf wire;
    sl_buf_init(&wire, 1 << 16);
    append(&wire, "a");
    append(&wire, "second frame");
    append(&wire, "the third, a little longer than the others");
    for (size_t first = 0; first <= wire.size; first++) {
        for (size_t second = first; second <= wire.size; second += 3) {
            struct sl_frame_reader reader;
            struct heard heard = {0};
            sl_frame_reader_init(&reader);
            const size_t cuts[] = {0, first, second, wire.size};
            for (int i = 0; i < 3; i++)
                assert_int_equal(sl_frame_reader_feed(&reader, wire.data + cuts[i],
                                                      cuts[i + 1] - cuts[i], hear, &heard),
                                 0);
            assert_int_equal(heard.count, 3);
            heard.data[heard.bytes] = 0;
            assert_string_equal((char *)heard.data,
                                "asecond framethe third, a little longer than the others");
            sl_frame_reader_fini(&reader);
        }
    }
    sl_buf_fini(&wire);
}

TEST(any_flipped_bit_is_seen)
{
    struct sl_buf wire;
    sl_buf_init(&wire, 1 << 16);
    append(&wire, "payload");
    for (size_t bit = 0; bit < wire.size * 8; bit++) {
        struct sl_frame_reader reader;
        struct heard heard = {0};
        sl_frame_reader_init(&reader);
        wire.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        int rc = sl_frame_reader_feed(&reader, wire.data, wire.size, hear, &heard);
        assert_int_equal(heard.count, 0); /* an error, or it waits for more of a longer frame */
        assert_true(rc == 0 || rc == SL_E_FORMAT || rc == SL_E_LIMIT);
        wire.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        sl_frame_reader_fini(&reader);
    }
    sl_buf_fini(&wire);
}

TEST(empty_and_oversized_frames_are_refused)
{
    static const uint8_t empty[8], huge[8] = {1, 0, 0x10, 0};
    struct sl_buf wire;
    struct heard heard = {0};
    struct sl_frame_reader reader;
    sl_buf_init(&wire, 1 << 16);
    assert_int_equal(sl_frame_append(&wire, "", 0), SL_E_LIMIT);
    uint8_t *large = calloc(SL_FRAME_MAX_BYTES + 1, 1);
    assert_int_equal(sl_frame_append(&wire, large, SL_FRAME_MAX_BYTES + 1), SL_E_LIMIT);
    free(large);
    sl_frame_reader_init(&reader);
    assert_int_equal(sl_frame_reader_feed(&reader, empty, 8, hear, &heard), SL_E_LIMIT);
    sl_frame_reader_fini(&reader);
    sl_frame_reader_init(&reader);
    assert_int_equal(sl_frame_reader_feed(&reader, huge, 8, hear, &heard), SL_E_LIMIT);
    assert_int_equal(reader.pending.size, 8); /* nothing was set aside for the claimed length */
    sl_frame_reader_fini(&reader);
    sl_buf_fini(&wire);
}

TEST(an_error_sticks)
{
    struct sl_buf wire;
    struct heard heard = {.answer = SL_E_STATE};
    struct sl_frame_reader reader;
    sl_buf_init(&wire, 1 << 16);
    append(&wire, "one");
    append(&wire, "two");
    sl_frame_reader_init(&reader);
    assert_int_equal(sl_frame_reader_feed(&reader, wire.data, wire.size, hear, &heard), SL_E_STATE);
    assert_int_equal(sl_frame_reader_feed(&reader, wire.data, wire.size, hear, &heard), SL_E_STATE);
    assert_int_equal(heard.count, 1);
    sl_frame_reader_fini(&reader);
    sl_buf_fini(&wire);
}
