/* tests/unit/host/cli/test_sse.c */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/cli/sse.h"
#include "tests/support/test.h"

struct seen {
    size_t count;
    char text[1024];
};

static void on_event(void *user, const struct sl_sse_event *event)
{
    struct seen *seen = user;
    size_t used = strlen(seen->text);
    snprintf(seen->text + used, sizeof(seen->text) - used, "[%s|%s|%s]", event->type, event->id,
             event->data);
    seen->count++;
}

static struct sl_sse sse;

static const char stream[] = "\xEF\xBB\xBFid: 7\nevent: state\ndata: {}\n\n: alive\r\n\r\n"
                             "data: one\rdata:two\r\rretry: 250\nid: 8\ndata\n\n";

TEST(events_do_not_depend_on_the_cuts)
{
    for (size_t cut = 1; cut < sizeof(stream); cut++) {
        struct seen seen = {0};
        sl_sse_init(&sse, on_event, &seen);
        for (size_t at = 0; at < sizeof(stream) - 1; at += cut) {
            size_t left = sizeof(stream) - 1 - at;
            assert_int_equal(sl_sse_feed(&sse, stream + at, left < cut ? left : cut), 0);
        }
        assert_string_equal(seen.text, "[state|7|{}][message|7|one\ntwo][message|8|]");
        assert_int_equal(sse.retry_ms, 250);
    }
}

TEST(a_lost_half_event_does_not_move_the_id)
{
    struct seen seen = {0};
    const char first[] = "id: 1\ndata: a\n\nid: 2\nevent: x\ndata: b\n";
    const char second[] = "data: c\n\n";
    sl_sse_init(&sse, on_event, &seen);
    assert_int_equal(sl_sse_feed(&sse, first, sizeof(first) - 1), 0);
    sl_sse_restart(&sse);
    assert_string_equal(sse.id, "1");
    assert_int_equal(sl_sse_feed(&sse, second, sizeof(second) - 1), 0);
    assert_string_equal(seen.text, "[message|1|a][message|1|c]");
}

TEST(a_line_without_end_is_refused)
{
    struct seen seen = {0};
    int rc = 0;
    sl_sse_init(&sse, on_event, &seen);
    for (size_t i = 0; i <= SL_SSE_LINE_BYTES && rc == 0; i++)
        rc = sl_sse_feed(&sse, "d", 1);
    assert_int_equal(rc, SL_E_LIMIT);
    assert_int_equal(sl_sse_feed(&sse, "\n", 1), SL_E_LIMIT);
}

TEST(an_event_without_end_is_refused)
{
    struct seen seen = {0};
    static const char line[] = "data: 0123456789012345678901234567890123456789\n";
    int rc = 0;
    sl_sse_init(&sse, on_event, &seen);
    for (size_t sent = 0; sent < 2 * SL_SSE_DATA_BYTES && rc == 0; sent += sizeof(line) - 1)
        rc = sl_sse_feed(&sse, line, sizeof(line) - 1);
    assert_int_equal(rc, SL_E_LIMIT);
    assert_int_equal(seen.count, 0);
}

TEST(retry_that_is_no_number_is_ignored)
{
    struct seen seen = {0};
    const char text[] = "retry: 1x\nretry:\n\n";
    sl_sse_init(&sse, on_event, &seen);
    assert_int_equal(sl_sse_feed(&sse, text, sizeof(text) - 1), 0);
    assert_int_equal(sse.retry_ms, -1);
    assert_int_equal(sl_sse_feed(&sse, "retry: 99999999999999999999\n", 28), 0);
    assert_int_equal(sse.retry_ms, 600000);
}
