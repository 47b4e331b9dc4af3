/* tests/unit/host/device/adb/test_message.c: messages by the bytes that real hosts and devices
 * send, however they are cut. */
#include "host/device/adb/message.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/device/adb/listing.h"
#include "tests/support/unit.h"

static const char host_features[] = "host::features=shell_v2,cmd,stat_v2,ls_v2";

TEST(a_message_is_written_as_adb_itself_writes_it)
{
    static const uint8_t hello[] = {0x43, 0x4e, 0x58, 0x4e, 1,    0,    0,    1,
                                    0,    0,    0x10, 0,    0x29, 0,    0,    0,
                                    0x4e, 0x0f, 0,    0,    0xbc, 0xb1, 0xa7, 0xb1};
    static const uint8_t open[] = {0x4f, 0x50, 0x45, 0x4e, 1, 0, 0, 0, 0,    0,    0,    0,
                                   0x1d, 0,    0,    0,    0, 0, 0, 0, 0xb0, 0xaf, 0xba, 0xb1};
    const struct sl_adb_message first = {SL_ADB_CNXN, SL_ADB_VERSION, SL_ADB_PAYLOAD_BYTES,
                                         (const uint8_t *)host_features, 41};
    const struct sl_adb_message second = {SL_ADB_OPEN, 1, 0,
                                          (const uint8_t *)"shell,v2,raw:echo hi; exit 5", 29};
    struct sl_buf out;
    sl_buf_init(&out, 4096);
    assert_int_equal(sl_adb_message_append(&out, &first, true), 0);
    assert_int_equal(out.size, 24 + 41);
    assert_memory_equal(out.data, hello, 24);
    assert_memory_equal(out.data + 24, host_features, 41);
    out.size = 0;
    assert_int_equal(sl_adb_message_append(&out, &second, false), 0);
    assert_int_equal(out.size, 24 + 29);
    assert_memory_equal(out.data, open, 24);
    sl_buf_fini(&out);
}

TEST(a_message_that_does_not_fit_is_not_begun)
{
    const struct sl_adb_message message = {SL_ADB_OPEN, 1, 0, (const uint8_t *)"x", 1};
    struct sl_buf out;
    sl_buf_init(&out, 24);
    assert_int_equal(sl_adb_message_append(&out, &message, false), SL_E_LIMIT);
    assert_int_equal(out.size, 0);
    sl_buf_fini(&out);
}

/* An answer to a command, its acknowledgement and its end. */
static const uint8_t answers[] = {
    0x4f, 0x4b, 0x41, 0x59, 0x1c, 0,    0,    0,    1,    0,    0,    0,    0,    0,   0, 0, 0, 0,
    0,    0,    0xb0, 0xb4, 0xbe, 0xa6, 0x57, 0x52, 0x54, 0x45, 0x1c, 0,    0,    0,   1, 0, 0, 0,
    0x0e, 0,    0,    0,    0,    0,    0,    0,    0xa8, 0xad, 0xab, 0xba, 1,    3,   0, 0, 0, 'h',
    'i',  '\n', 3,    1,    0,    0,    0,    5,    0x43, 0x4c, 0x53, 0x45, 0x1c, 0,   0, 0, 1, 0,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0xbc, 0xb3, 0xac, 0xba};

TEST(messages_come_whole_however_they_are_cut)
{
    static const uint32_t commands[] = {SL_ADB_OKAY, SL_ADB_WRTE, SL_ADB_CLSE};
    for (size_t step = 1; step <= sizeof(answers); step++) {
        struct sl_buf payload;
        struct sl_adb_messages messages = {.payload = &payload};
        size_t count = 0;
        sl_buf_init(&payload, SL_ADB_PAYLOAD_BYTES);
        for (size_t at = 0; at < sizeof(answers); at += step) {
            const uint8_t *bytes = answers + at;
            size_t len = step < sizeof(answers) - at ? step : sizeof(answers) - at;
            while (len > 0) {
                int rc = sl_adb_messages_take(&messages, &bytes, &len);
                assert_true(rc == 0 || rc == 1);
                if (rc == 0)
                    continue;
                assert_true(count < 3);
                assert_int_equal(messages.message.command, commands[count]);
                assert_int_equal(messages.message.arg0, 0x1c);
                assert_int_equal(messages.message.arg1, 1);
                assert_int_equal(messages.message.len, count == 1 ? 14 : 0);
                if (count == 1)
                    assert_memory_equal(messages.message.payload, answers + 48, 14);
                count++;
            }
        }
        assert_int_equal(count, 3);
        sl_buf_fini(&payload);
    }
}

/* One header, changed at one place. */
static int take_changed(size_t at, uint8_t value)
{
    struct sl_buf payload;
    struct sl_adb_messages messages = {.payload = &payload};
    uint8_t head[SL_ADB_HEAD_BYTES];
    const uint8_t *bytes = head;
    size_t len = sizeof(head);
    memcpy(head, answers, sizeof(head));
    head[at] = value;
    sl_buf_init(&payload, SL_ADB_PAYLOAD_BYTES);
    int rc = sl_adb_messages_take(&messages, &bytes, &len);
    sl_buf_fini(&payload);
    return rc;
}

TEST(what_is_no_message_is_refused_before_its_payload)
{
    assert_int_equal(take_changed(0, 0x4f), 1);
    assert_int_equal(take_changed(0, 'X'), SL_E_FORMAT);   /* no such command */
    assert_int_equal(take_changed(23, 0), SL_E_FORMAT);    /* its magic is wrong */
    assert_int_equal(take_changed(14, 0x10), 0);           /* 1 MiB is to come */
    assert_int_equal(take_changed(15, 0x01), SL_E_FORMAT); /* 16 MiB */
    assert_int_equal(take_changed(16, 0x01), 1);           /* the sum is not looked at */
}

static struct sl_adb_identity identity(const char *text, size_t len)
{
    struct sl_adb_identity out;
    uint8_t *copy = sl_test_copy(text, len);
    sl_adb_identity_parse(copy, len, &out);
    free(copy);
    return out;
}

TEST(a_device_says_what_it_is_and_can)
{
    static const char phone[] = "device::ro.product.name=;ro.product.model=;ro.product.device=;"
                                "features=cmd,shell_v2,delayed_ack";
    static const char old[] = "device::ro.product.name=a:b;features=shell_v2x,cmd;";
    struct sl_adb_identity is = identity(phone, sizeof(phone) - 1);
    assert_int_equal(is.state, SL_ADB_ONLINE);
    assert_true(is.shell_v2 && is.delayed_ack);
    assert_true(identity(phone, sizeof(phone)).delayed_ack); /* its NUL */
    is = identity(old, sizeof(old));
    assert_int_equal(is.state, SL_ADB_ONLINE);
    assert_false(is.shell_v2 || is.delayed_ack);
    assert_int_equal(identity("recovery::features=shell_v2", 27).state, SL_ADB_ELSEWHERE);
    assert_true(identity("recovery::features=shell_v2", 27).shell_v2);
    assert_int_equal(identity("", 0).state, SL_ADB_ELSEWHERE);
    assert_int_equal(identity("device", 6).state, SL_ADB_ELSEWHERE);
}
