/* tests/unit/host/device/adb/test_pair_packet.c */
#include "host/device/adb/pair_packet.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "tests/support/unit.h"

TEST(a_packet_is_read_as_it_was_written)
{
    const struct sl_adb_pair_packet packet = {SL_ADB_PAIR_INFO, (const uint8_t *)"abc", 3};
    struct sl_adb_pair_packet read;
    struct sl_buf bytes;
    (void)state;
    sl_buf_init(&bytes, 64);
    assert_int_equal(sl_adb_pair_append(&bytes, &packet), 0);
    assert_memory_equal(bytes.data, "\1\1\0\0\0\3abc", 9);
    for (size_t len = 0; len < bytes.size; len++)
        assert_int_equal(sl_adb_pair_read(bytes.data, len, &read), 0);
    assert_int_equal(sl_adb_pair_read(bytes.data, bytes.size, &read), 9);
    assert_int_equal(read.type, SL_ADB_PAIR_INFO);
    assert_int_equal(read.len, 3);
    assert_memory_equal(read.payload, "abc", 3);
    sl_buf_fini(&bytes);
}

TEST(what_no_device_says_is_refused)
{
    static const char *const heads[] = {"\2\0\0\0\0\1x", "\1\2\0\0\0\1x", "\1\0\0\0\0\0x",
                                        "\1\0\xff\xff\xff\xffx", "\1\0\0\0\x40\1x"};
    struct sl_adb_pair_packet read;
    (void)state;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        assert_int_equal(sl_adb_pair_read((const uint8_t *)heads[i], 7, &read), SL_E_FORMAT);
}

TEST(a_name_is_printable_and_never_runs_past_its_end)
{
    static uint8_t info[SL_ADB_PAIR_INFO_BYTES];
    char name[SL_ADB_PAIR_NAME_BYTES];
    (void)state;
    memset(info, 'x', sizeof(info)); /* no NUL */
    sl_adb_pair_name(info, name);
    assert_string_equal(name, ""); /* a kind that is unknown */
    info[0] = SL_ADB_PAIR_NAME;
    sl_adb_pair_name(info, name);
    assert_int_equal(strlen(name), SL_ADB_PAIR_NAME_BYTES - 1);
    memcpy(info + 1, "adb-\x1b[31m", 10);
    sl_adb_pair_name(info, name);
    assert_null(strchr(name, '\x1b'));
}
