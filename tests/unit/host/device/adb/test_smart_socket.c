/* tests/unit/host/device/adb/test_smart_socket.c: requests, statuses and texts, by the bytes that
 * real servers send, however they are cut. */
#include "host/device/adb/smart_socket.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "tests/support/unit.h"

/* As a reader does: never more than is asked for. */
static int take_cut(const char *bytes, size_t step, struct sl_adb_status *status)
{
    size_t len = strlen(bytes);
    int rc = 0;
    *status = (struct sl_adb_status){.have = 0};
    for (size_t at = 0; at < len && rc == 0;) {
        size_t wants = sl_adb_status_wants(status), n = step < wants ? step : wants;
        n = n < len - at ? n : len - at;
        rc = sl_adb_status_take(status, (const uint8_t *)bytes + at, n);
        at += n;
    }
    return rc;
}

TEST(a_request_is_its_length_and_its_name)
{
    struct sl_buf out;
    char *longest = malloc(SL_ADB_MAX_TEXT + 2);
    assert_non_null(longest);
    sl_buf_init(&out, SL_ADB_MAX_TEXT + 64);
    assert_int_equal(sl_adb_request(&out, "host:version"), 0);
    assert_string_equal((char *)out.data, "000chost:version");
    assert_int_equal(sl_adb_request(&out, ""), SL_E_LIMIT); /* the server would not answer it */
    memset(longest, 'x', SL_ADB_MAX_TEXT + 1);
    longest[SL_ADB_MAX_TEXT + 1] = '\0';
    assert_int_equal(sl_adb_request(&out, longest), SL_E_LIMIT);
    free(longest);
    sl_buf_fini(&out);
}

TEST(a_status_is_the_same_however_it_is_cut)
{
    struct sl_adb_status status;
    for (size_t step = 1; step < 40; step++) {
        assert_int_equal(take_cut("OKAY", step, &status), 1);
        assert_int_equal(sl_adb_status_wants(&status), 0);
        assert_int_equal(take_cut("FAIL0019device 'nosuch' not found", step, &status), SL_E_STATE);
        assert_string_equal(status.reason, "device 'nosuch' not found");
    }
    assert_int_equal(take_cut("FAIL0000", 3, &status), SL_E_STATE); /* a server's known fault */
    assert_string_equal(status.reason, "");
    assert_int_equal(take_cut("FAIL001", 7, &status), 0);
    assert_int_equal(take_cut("HTTP/1.1 400", 4, &status), SL_E_FORMAT);
    assert_int_equal(take_cut("FAILzzzz", 8, &status), SL_E_FORMAT);
}

TEST(a_status_asks_for_no_byte_of_what_follows)
{
    struct sl_adb_status status = {.have = 0};
    assert_int_equal(sl_adb_status_wants(&status), 4);
    assert_int_equal(sl_adb_status_take(&status, (const uint8_t *)"FAIL", 4), 0);
    assert_int_equal(sl_adb_status_wants(&status), 4);
    assert_int_equal(sl_adb_status_take(&status, (const uint8_t *)"0002", 4), 0);
    assert_int_equal(sl_adb_status_wants(&status), 2);
}

TEST(a_long_reason_is_cut_and_has_no_control_characters)
{
    struct sl_adb_status status;
    char bytes[8 + 0xffff + 1];
    memcpy(bytes, "FAILffff", 8);
    memset(bytes + 8, '\x1b', 0xffff);
    bytes[sizeof(bytes) - 1] = '\0';
    assert_int_equal(take_cut(bytes, 1000, &status), SL_E_STATE);
    assert_int_equal(strlen(status.reason), SL_ADB_REASON_BYTES - 1);
    assert_int_equal(strspn(status.reason, "."), SL_ADB_REASON_BYTES - 1);
}

struct heard {
    char texts[4][64];
    size_t count;
};

static void hear(void *user, const char *text, size_t len)
{
    struct heard *heard = user;
    assert_true(heard->count < 4 && len < 64);
    memcpy(heard->texts[heard->count], text, len);
    heard->texts[heard->count++][len] = '\0';
}

TEST(several_texts_of_one_read_are_told_one_by_one)
{
    static const char bytes[] =
        "0017127.0.0.1:5603\toffline\n0000001b127.0.0.1:5603\tauthorizing\n";
    for (size_t step = 1; step < sizeof(bytes); step++) {
        struct heard heard = {.count = 0};
        struct sl_buf text;
        struct sl_adb_texts texts = {.text = &text};
        sl_buf_init(&text, 64);
        for (size_t at = 0; at < sizeof(bytes) - 1; at += step) {
            size_t n = step < sizeof(bytes) - 1 - at ? step : sizeof(bytes) - 1 - at;
            assert_int_equal(
                sl_adb_texts_take(&texts, (const uint8_t *)bytes + at, n, hear, &heard), 0);
        }
        assert_int_equal(heard.count, 3);
        assert_string_equal(heard.texts[0], "127.0.0.1:5603\toffline\n");
        assert_string_equal(heard.texts[1], "");
        assert_string_equal(heard.texts[2], "127.0.0.1:5603\tauthorizing\n");
        sl_buf_fini(&text);
    }
}

TEST(a_text_beyond_the_limit_or_without_a_length_is_refused)
{
    struct heard heard = {.count = 0};
    struct sl_buf text;
    struct sl_adb_texts texts = {.text = &text};
    sl_buf_init(&text, 4);
    assert_int_equal(sl_adb_texts_take(&texts, (const uint8_t *)"000512345", 9, hear, &heard),
                     SL_E_LIMIT);
    sl_buf_fini(&text);
    texts = (struct sl_adb_texts){.text = &text};
    sl_buf_init(&text, 4);
    assert_int_equal(sl_adb_texts_take(&texts, (const uint8_t *)"00 5", 4, hear, &heard),
                     SL_E_FORMAT);
    sl_buf_fini(&text);
    assert_int_equal(heard.count, 0);
}
