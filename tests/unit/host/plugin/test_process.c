/* tests/unit/host/plugin/test_process.c: with real processes. */
#include "host/plugin/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/error.h"
#include "tests/support/test.h"

struct bench {
    uv_loop_t loop;
    uv_timer_t limit;
    struct sl_plugin_process *process;
    char heard[512], why[200];
    int ups, downs, unstarted, lines, cut, floods;
    int end_downs; /* closed at so many; 0: by a line "end" */
    bool closed;
};

static void on_closed(void *user)
{
    ((struct bench *)user)->closed = true;
}

static void end(struct bench *b)
{
    if (uv_is_closing((uv_handle_t *)&b->limit))
        return;
    uv_close((uv_handle_t *)&b->limit, NULL);
    sl_plugin_process_close(b->process, on_closed, b);
}

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
    fail_msg("nothing came for 20 seconds");
}

static void on_up(void *user)
{
    struct bench *b = user;
    b->ups++;
    assert_true(sl_plugin_process_is_up(b->process));
    assert_int_equal(sl_plugin_process_say(b->process, "hello", 5), 0);
}

static void on_down(void *user, bool started, const char *why)
{
    struct bench *b = user;
    b->downs++;
    b->unstarted += !started;
    snprintf(b->why, sizeof(b->why), "%s", why);
    assert_false(sl_plugin_process_is_up(b->process));
    assert_int_equal(sl_plugin_process_say(b->process, "x", 1), SL_E_STATE);
    if (b->downs == b->end_downs)
        end(b);
}

static void on_line(void *user, struct sl_bytes line, bool whole)
{
    struct bench *b = user;
    size_t used = strlen(b->heard);
    b->lines++;
    b->cut += !whole;
    snprintf(b->heard + used, sizeof(b->heard) - used, "%.*s,", line.size < 40 ? (int)line.size : 1,
             (const char *)line.data);
    if (line.size == 3 && memcmp(line.data, "end", 3) == 0)
        end(b);
}

static void on_flood(void *user)
{
    struct bench *b = user;
    b->floods++;
    if (b->end_downs < 0 && b->floods == -b->end_downs)
        end(b);
}

/* Runs a plug-in until it is closed; the time that took, in ms. */
static uint64_t run(struct bench *b, const char *const *words, size_t count, int end_downs)
{
    static const struct sl_plugin_process_events events = {on_up, on_down, on_line, on_flood};
    *b = (struct bench){.end_downs = end_downs};
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(uv_loop_init(&b->loop), 0);
    uv_timer_init(&b->loop, &b->limit);
    uv_timer_start(&b->limit, on_limit, 20000, 0);
    uint64_t begin = uv_hrtime();
    assert_int_equal(sl_plugin_process_new(&b->loop, "test", words, count, &events, b, &b->process),
                     0);
    assert_int_equal(b->ups + b->downs, 0); /* all comes from the loop */
    uv_run(&b->loop, UV_RUN_DEFAULT);
    assert_true(b->closed);
    assert_int_equal(uv_loop_close(&b->loop), 0);
    return (uv_hrtime() - begin) / 1000000;
}

static uint64_t run_script(struct bench *b, const char *script, int end_downs)
{
    const char *const words[] = {"/bin/sh", "-c", script};
    return run(b, words, 3, end_downs);
}

TEST(it_is_told_and_heard_and_its_last_words_count)
{
    struct bench b;
    run_script(&b, "read line; echo got $line >&2; echo $line; echo; printf 'last\\nnever'; exit 3",
               1);
    assert_string_equal(b.heard, "hello,last,");
    assert_string_equal(b.why, "it ended with exit code 3");
    assert_int_equal(b.unstarted, 0);
}

TEST(one_that_dies_is_started_again_and_later_each_time)
{
    struct bench b;
    uint64_t ms = run_script(&b, "kill -9 $$", 3);
    assert_int_equal(b.ups, 3);
    assert_string_equal(b.why, "it was ended by signal 9");
    assert_true(ms >= SL_PLUGIN_BACK_OFF_MS * 3);
}

TEST(a_program_that_is_not_there_is_tried_again_too)
{
    static const char *const words[] = {"/nowhere/plugin"};
    struct bench b;
    run(&b, words, 1, 2);
    assert_int_equal(b.ups, 0);
    assert_int_equal(b.unstarted, 2);
    assert_non_null(strstr(b.why, "No such file"));
}

TEST(the_end_kills_one_that_does_not_go_with_all_that_it_started)
{
    struct bench b;
    uint64_t ms =
        run_script(&b, "trap '' TERM; sleep 60 & echo end; while :; do sleep 60; done", 0);
    assert_true(ms >= SL_PLUGIN_END_MS - 100 && ms < 10000);
}

TEST(one_that_goes_when_it_is_asked_is_not_waited_for)
{
    struct bench b;
    assert_true(run_script(&b, "echo end; exec sleep 60", 0) < SL_PLUGIN_END_MS);
}

TEST(a_child_that_left_its_group_does_not_hold_up_the_end)
{
    struct bench b;
    uint64_t ms = run_script(&b, "setsid sleep 5 & sleep 0.2; exit 1", 1);
    assert_true(ms < 4500);
    assert_int_equal(b.downs, 1);
}

TEST(a_flood_is_not_read_faster_than_it_may_come)
{
    struct bench b;
    uint64_t ms = run_script(&b, "exec yes", -3);
    assert_int_equal(b.floods, 3);
    assert_true(ms >= 1900);
    assert_true(b.lines <= 3 * (SL_PLUGIN_LINES_PER_S + (16 << 10)));
}

/* None of these has a line to count. */
TEST(a_flood_without_lines_or_on_standard_error_waits_too)
{
    static const char *const floods[] = {"exec cat /dev/zero", "exec yes ''",
                                         "exec cat /dev/zero >&2", "exec yes >&2",
                                         "yes '' >&2 & exec cat /dev/zero"};
    for (size_t i = 0; i < sizeof(floods) / sizeof(floods[0]); i++) {
        struct bench b;
        uint64_t ms = run_script(&b, floods[i], -2);
        assert_int_equal(b.floods, 2);
        assert_true(ms >= 900);
        assert_int_equal(b.lines, 0);
    }
}

TEST(one_pipe_that_ends_is_not_read_on_when_the_other_waits)
{
    struct bench b;
    run_script(&b, "exec 1>&-; head -c 3000000 /dev/zero >&2; exit 5", 1);
    assert_string_equal(b.why, "it ended with exit code 5");
    assert_int_equal(b.downs, 1);
    assert_true(b.floods >= 2);
}

TEST(a_long_line_and_much_on_standard_error_do_no_harm)
{
    struct bench b;
    run_script(&b,
               "head -c 100000 /dev/zero | tr '\\0' x; echo; yes 2>&1 >&2 | head -c 200000 >&2; "
               "yes | head -c 200000 >&2; echo end; sleep 60",
               0);
    assert_string_equal(b.heard, "x,end,");
    assert_int_equal(b.cut, 1);
}

static struct bench *deaf;

static void fill(uv_timer_t *timer)
{
    char text[1000];
    int rc = 0, said = 0;
    memset(text, 'x', sizeof(text));
    while (rc == 0 && said++ < 10000)
        rc = sl_plugin_process_say(deaf->process, text, sizeof(text));
    assert_int_equal(rc, SL_E_FULL);
    uv_close((uv_handle_t *)timer, NULL);
    end(deaf);
}

TEST(what_one_does_not_read_is_not_kept_for_it)
{
    static const struct sl_plugin_process_events events = {on_up, on_down, on_line, on_flood};
    static const char *const words[] = {"/bin/sleep", "60"};
    struct bench b = {.end_downs = 0};
    uv_timer_t timer;
    deaf = &b;
    assert_int_equal(uv_loop_init(&b.loop), 0);
    uv_timer_init(&b.loop, &b.limit);
    uv_timer_init(&b.loop, &timer);
    uv_timer_start(&timer, fill, 300, 0);
    assert_int_equal(sl_plugin_process_new(&b.loop, "deaf", words, 2, &events, &b, &b.process), 0);
    uv_run(&b.loop, UV_RUN_DEFAULT);
    assert_true(b.closed);
    assert_int_equal(uv_loop_close(&b.loop), 0);
}

TEST(one_may_be_closed_before_it_was_started)
{
    static const struct sl_plugin_process_events events = {on_up, on_down, on_line, on_flood};
    static const char *const words[] = {"/bin/cat"};
    struct bench b = {.end_downs = 0};
    assert_int_equal(uv_loop_init(&b.loop), 0);
    assert_int_equal(sl_plugin_process_new(&b.loop, "early", words, 1, &events, &b, &b.process), 0);
    sl_plugin_process_close(b.process, on_closed, &b);
    assert_false(b.closed);
    uv_run(&b.loop, UV_RUN_DEFAULT);
    assert_true(b.closed);
    assert_int_equal(b.ups, 0);
    assert_int_equal(uv_loop_close(&b.loop), 0);
}
