/* tests/unit/agent/serve/test_crash_note.c: a slow script is the logcat. */
#include "agent/serve/crash_note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/tree_remove.h"
#include "tests/support/unit.h"

struct heard {
    uv_timer_t timer;
    unsigned ticks;
    char said[200];
};

static void on_tick(uv_timer_t *timer)
{
    ((struct heard *)timer->data)->ticks++;
}

static void on_said(void *user, const struct sl_buf *said)
{
    struct heard *heard = user;
    snprintf(heard->said, sizeof(heard->said), "%s", said->size > 0 ? (char *)said->data : "-");
    uv_close((uv_handle_t *)&heard->timer, NULL);
}

static struct heard note(const char *root)
{
    struct heard heard = {.ticks = 0};
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    uv_timer_init(&loop, &heard.timer);
    heard.timer.data = &heard;
    uv_timer_start(&heard.timer, on_tick, 10, 10);
    assert_int_equal(sl_crash_note_start(&loop, root, 123, 5, on_said, &heard), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    return heard;
}

TEST(the_loop_goes_on_while_a_slow_log_is_read)
{
    static const char script[] = "#!/bin/sh\nsleep 0.4\necho \"$4\"\n";
    static const char *const folders[] = {"/system", "/system/bin"};
    char root[] = "/tmp/sl-note-XXXXXX", path[100];
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s%s", root, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(path, sizeof(path), "%s/system/bin/logcat", root);
    assert_int_equal(sl_buf_write_file(path, script, strlen(script)), 0);
    assert_int_equal(chmod(path, 0700), 0);
    struct heard heard = note(root);
    assert_string_equal(heard.said, "--- logcat of this process ---\n--pid=123\n");
    assert_true(heard.ticks >= 10);
    sl_tree_remove(root);
}

TEST(a_system_without_a_log_says_nothing)
{
    assert_string_equal(note("/nowhere").said, "-");
}
