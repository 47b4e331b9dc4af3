/* tests/unit/host/device/adb/test_shell_packet.c: a shell's packets by what real devices send. */
#include "host/device/adb/shell_packet.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "tests/support/unit.h"

struct heard {
    char out[32], err[32];
    size_t out_len, err_len;
};

static void hear(void *user, int id, const uint8_t *bytes, size_t len)
{
    struct heard *heard = user;
    char *to = id == SL_ADB_STDOUT ? heard->out : heard->err;
    size_t *at = id == SL_ADB_STDOUT ? &heard->out_len : &heard->err_len;
    assert_true(*at + len < 32);
    memcpy(to + *at, bytes, len);
    *at += len;
}

/* `echo out; echo err >&2; exit 7`, with a packet of a kind that is not known in front. */
static const uint8_t recorded[] = "\x09\x02\0\0\0zz\x01\x04\0\0\0out\n\x02\x04\0\0\0err\n"
                                  "\x03\x01\0\0\0\x07";

TEST(output_and_status_are_the_same_however_they_are_cut)
{
    for (size_t step = 1; step < sizeof(recorded); step++) {
        struct sl_adb_packets packets = {.have = 0};
        struct heard heard = {.out_len = 0};
        int rc = 0;
        for (size_t at = 0; at < sizeof(recorded) - 1; at += step) {
            size_t n = step < sizeof(recorded) - 1 - at ? step : sizeof(recorded) - 1 - at;
            assert_int_equal(rc, 0);
            rc = sl_adb_packets_take(&packets, recorded + at, n, hear, &heard);
        }
        assert_int_equal(rc, 1);
        assert_int_equal(packets.exit_code, 7);
        assert_string_equal(heard.out, "out\n");
        assert_string_equal(heard.err, "err\n");
    }
}

TEST(a_status_of_another_length_is_refused)
{
    struct sl_adb_packets packets = {.have = 0};
    struct heard heard = {.out_len = 0};
    assert_int_equal(
        sl_adb_packets_take(&packets, (const uint8_t *)"\x03\x02\0\0\0\x07\x07", 7, hear, &heard),
        SL_E_FORMAT);
}

TEST(a_claimed_length_costs_nothing)
{
    struct sl_adb_packets packets = {.have = 0};
    struct heard heard = {.out_len = 0};
    assert_int_equal(sl_adb_packets_take(&packets,
                                         (const uint8_t *)"\x01\xff\xff\xff\xff"
                                                          "ab",
                                         7, hear, &heard),
                     0);
    assert_string_equal(heard.out, "ab");
}

TEST(packets_to_the_device_are_as_recorded)
{
    struct sl_buf out;
    sl_buf_init(&out, 20);
    assert_int_equal(sl_adb_packet_append(&out, SL_ADB_STDIN, "hello", 5), 0);
    assert_int_equal(sl_adb_packet_append(&out, SL_ADB_CLOSE_STDIN, NULL, 0), 0);
    assert_int_equal(out.size, 15);
    assert_memory_equal(out.data, "\0\x05\0\0\0hello\x04\0\0\0\0", 15);
    assert_int_equal(sl_adb_packet_append(&out, SL_ADB_STDIN, "hello", 5), SL_E_LIMIT);
    sl_buf_fini(&out);
}
