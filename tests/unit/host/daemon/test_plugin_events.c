/* tests/unit/host/daemon/test_plugin_events.c: with a real process that writes down what it hears.
 */
#include "host/daemon/plugin_events.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "host/job/events.h"
#include "host/plugin/plugins.h"
#include "tests/support/test.h"

struct bench {
    uv_loop_t loop;
    uv_timer_t timer;
    struct sl_plugins *plugins;
    bool closed;
};

static bool on_device(void *user, const char *name, struct sl_device_record *out,
                      char link[SL_PLUGIN_LINK_BYTES])
{
    (void)user;
    (void)name;
    (void)out;
    (void)link;
    return false;
}

static void on_closed(void *user)
{
    ((struct bench *)user)->closed = true;
}

static void on_over(uv_timer_t *timer)
{
    struct bench *b = timer->data;
    uv_close((uv_handle_t *)timer, NULL);
    sl_plugins_close(b->plugins, on_closed, b);
}

static void on_tell(uv_timer_t *timer)
{
    static const struct sl_lab_event events[] = {
        {1, 3, "state", "{\"job\":3,\"state\":\"running\",\"device\":\"a\"}"},
        {2, 3, "state", "{\"job\":3,\"state\":\"failed\",\"cause\":\"result\",\"device\":\"a\"}"},
        {3, 3, "progress", "{\"state\":\"failed\"}"},
        {4, 0, "device", "{\"device\":\"b\",\"state\":\"ready\",\"cause\":\"none\"}"},
        {5, 0, "device", "{\"device\":\"b\",\"state\":\"offline\",\"cause\":\"unplugged\"}"},
        {6, 0, "device", "{\"device\":\"c\",\"state\":\"quarantined\",\"detail\":\"no hope\"}"},
        {7, 0, "device", "nonsense"},
    };
    struct bench *b = timer->data;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        sl_plugin_event(b->plugins, &events[i]);
        sl_plugin_event(NULL, &events[i]);
    }
    uv_timer_start(timer, on_over, 300, 0);
}

TEST(failed_jobs_and_lost_devices_are_told_and_nothing_else)
{
    char path[] = "/tmp/sl-plugin-events-XXXXXX", script[100], text[4096] = "";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(script, sizeof(script), "exec cat >%s", path);
    const struct sl_plugin_config config = {.name = "tell",
                                            .words = {"/bin/sh", "-c", script},
                                            .word_count = 3,
                                            .when = SL_PLUGIN_JOB_FAILED | SL_PLUGIN_DEVICE_LOST |
                                                    SL_PLUGIN_DEVICE_QUARANTINED,
                                            .seconds = 5};
    struct bench b = {.closed = false};
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(uv_loop_init(&b.loop), 0);
    uv_timer_init(&b.loop, &b.timer);
    b.timer.data = &b;
    assert_int_equal(sl_plugins_new(&b.loop, &config, 1, on_device, &b, &b.plugins), 0);
    uv_timer_start(&b.timer, on_tell, 200, 0);
    uv_run(&b.loop, UV_RUN_DEFAULT);
    assert_true(b.closed);
    assert_int_equal(uv_loop_close(&b.loop), 0);
    assert_true(read(fd, text, sizeof(text) - 1) > 0);
    const char *failed = strstr(text, "\"event\":\"job_failed\"");
    const char *lost = strstr(text, "\"event\":\"device_lost\"");
    const char *out = strstr(text, "\"event\":\"device_quarantined\"");
    assert_true(failed && lost && out && failed < lost && lost < out);
    assert_non_null(strstr(text, "\"job\":3,\"cause\":\"result\""));
    assert_non_null(strstr(text, "\"cause\":\"unplugged\""));
    assert_non_null(strstr(text, "\"detail\":\"no hope\""));
    size_t lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 3);
    assert_int_equal(close(fd), 0);
    assert_int_equal(unlink(path), 0);
}
