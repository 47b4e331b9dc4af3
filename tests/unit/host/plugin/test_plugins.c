/* tests/unit/host/plugin/test_plugins.c: with real processes, shell scripts. */
#include "host/plugin/plugins.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/spec/device_kind.h"
#include "tests/support/test.h"

/* Answers everything, in the order of the events, and says a figure after a begin. */
#define ANSWERS                                                                                    \
    "while read -r l; do id=${l#*\\\"id\\\":}; id=${id%%,*}; "                                     \
    "case $l in *run_begins*) echo '{\"metric\":\"power\",\"unit\":\"W\",\"value\":2.5}';; esac; " \
    "echo \"{\\\"id\\\":$id,\\\"ok\\\":true}\"; done"

struct bench {
    uv_loop_t loop;
    uv_timer_t timer;
    struct sl_plugins *plugins;
    struct sl_plugin_config configs[SL_MAX_PLUGINS];
    size_t count;
    struct sl_plugin_run *run;
    int settled; /* how often */
    uint64_t begun_ms, settled_ms[2];
    char text[16384];
    bool closed;
};

static bool on_device(void *user, const char *name, struct sl_device_record *out,
                      char link[SL_PLUGIN_LINK_BYTES])
{
    (void)user;
    if (strcmp(name, "board") != 0)
        return false;
    *out = (struct sl_device_record){.kind = SL_DEVICE_COUNTED};
    snprintf(out->name, sizeof(out->name), "%s", name);
    snprintf(link, SL_PLUGIN_LINK_BYTES, "adb:0123");
    return true;
}

static void add(struct bench *b, const char *script, unsigned when, uint32_t seconds)
{
    struct sl_plugin_config *config = &b->configs[b->count];
    static const char *const names[] = {"first", "second", "third"};
    *config = (struct sl_plugin_config){.name = names[b->count],
                                        .words = {"/bin/sh", "-c", script},
                                        .word_count = 3,
                                        .when = when,
                                        .seconds = seconds};
    b->count++;
}

static void on_closed(void *user)
{
    ((struct bench *)user)->closed = true;
}

static void take_text(struct bench *b)
{
    struct sl_buf text;
    sl_buf_init(&text, sizeof(b->text) - 1);
    assert_int_equal(sl_plugin_run_put(b->run, &text), 0);
    snprintf(b->text, sizeof(b->text), "%s", (const char *)text.data);
    sl_buf_fini(&text);
}

static void on_measured(uv_timer_t *timer)
{
    struct bench *b = timer->data;
    b->begun_ms = uv_now(&b->loop);
    sl_plugin_run_end(b->run);
    sl_plugin_run_end(b->run); /* once is enough */
    assert_false(sl_plugin_run_is_settled(b->run));
}

static void on_settled(void *user)
{
    struct bench *b = user;
    b->settled_ms[b->settled++] = uv_now(&b->loop) - b->begun_ms;
    if (b->settled == 1) {
        uv_timer_start(&b->timer, on_measured, 150, 0);
        return;
    }
    assert_true(sl_plugin_run_is_settled(b->run));
    take_text(b);
    sl_plugin_run_free(b->run);
    uv_close((uv_handle_t *)&b->timer, NULL);
    sl_plugins_close(b->plugins, on_closed, b);
}

static void on_start(uv_timer_t *timer)
{
    struct bench *b = timer->data;
    const struct sl_plugin_run_facts facts = {"board", "toy", 12, false};
    b->begun_ms = uv_now(&b->loop);
    assert_int_equal(sl_plugin_run_begin(b->plugins, &facts, on_settled, b, &b->run), 0);
    if (b->run)
        return;
    uv_close((uv_handle_t *)&b->timer, NULL);
    sl_plugins_close(b->plugins, on_closed, b);
}

static void open_bench(struct bench *b)
{
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(uv_loop_init(&b->loop), 0);
    uv_timer_init(&b->loop, &b->timer);
    b->timer.data = b;
    assert_int_equal(sl_plugins_new(&b->loop, b->configs, b->count, on_device, b, &b->plugins), 0);
}

static void close_bench(struct bench *b)
{
    uv_run(&b->loop, UV_RUN_DEFAULT);
    assert_true(b->closed);
    assert_int_equal(uv_loop_close(&b->loop), 0);
}

/* One run, begun after `wait_ms`, measured for 150 ms. */
static void run(struct bench *b, uint64_t wait_ms)
{
    open_bench(b);
    uv_timer_start(&b->timer, on_start, wait_ms, 0);
    close_bench(b);
}

TEST(a_plug_in_that_answers_delays_nothing_and_its_figures_are_kept)
{
    struct bench b = {.count = 0};
    add(&b, ANSWERS, SL_PLUGIN_RUN, 5);
    run(&b, 100);
    assert_int_equal(b.settled, 2);
    assert_true(b.settled_ms[0] < 2000 && b.settled_ms[1] < 2000);
    assert_non_null(strstr(b.text, "\"name\":\"first\""));
    assert_non_null(strstr(b.text, "\"failures\":0"));
    assert_non_null(strstr(b.text, "\"name\":\"power\",\"unit\":\"W\""));
    assert_non_null(strstr(b.text, "\"values\":[2.5]"));
}

TEST(a_run_that_begins_with_the_daemon_waits_for_the_processes_to_start)
{
    struct bench b = {.count = 0};
    add(&b, ANSWERS, SL_PLUGIN_RUN, 5);
    run(&b, 0);
    assert_int_equal(b.settled, 2);
    assert_non_null(strstr(b.text, "\"failures\":0"));
}

TEST(one_that_hangs_costs_its_limit_and_no_more)
{
    struct bench b = {.count = 0};
    add(&b, "exec sleep 60", SL_PLUGIN_RUN, 1);
    add(&b, ANSWERS, SL_PLUGIN_RUN, 5);
    run(&b, 100);
    for (int i = 0; i < 2; i++)
        assert_true(b.settled_ms[i] >= 950 && b.settled_ms[i] < 4000);
    assert_non_null(strstr(b.text, "\"failures\":2"));
    assert_non_null(
        strstr(b.text, "\"what\":\"late\",\"words\":\"no answer to run_begins in time\""));
    assert_non_null(strstr(b.text, "no answer to run_ends in time"));
    assert_non_null(strstr(b.text, "\"values\":[2.5]"));
}

TEST(one_that_dies_is_not_waited_for_and_that_is_recorded)
{
    struct bench b = {.count = 0};
    add(&b, "read l; exit 4", SL_PLUGIN_RUN, 20);
    run(&b, 100);
    assert_true(b.settled_ms[0] < 5000 && b.settled_ms[1] < 5000);
    assert_non_null(strstr(b.text, "\"what\":\"died\",\"words\":\"it ended with exit code 4\""));
    assert_non_null(strstr(b.text, "\"what\":\"not-running\""));
}

static void read_told(int fd, const char *path, char *out, size_t size)
{
    ssize_t got = read(fd, out, size - 1);
    assert_true(got >= 0);
    out[got] = '\0';
    assert_int_equal(close(fd), 0);
    assert_int_equal(unlink(path), 0);
}

/* It dies every two seconds, before its answer, beside one that is waited for in any case. */
TEST(one_that_is_started_again_has_no_new_limit)
{
    struct bench b = {.count = 0};
    char script[200], text[8192];
    char path[] = "/tmp/sl-plugins-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(script, sizeof(script), "(sleep 2; kill -9 $$) & exec cat >>%s", path);
    add(&b, script, SL_PLUGIN_RUN, 3);
    add(&b, "exec sleep 60", SL_PLUGIN_RUN, 3);
    run(&b, 100);
    for (int i = 0; i < 2; i++)
        assert_true(b.settled_ms[i] >= 2950 && b.settled_ms[i] < 4000);
    read_told(fd, path, text, sizeof(text));
    const char *end = strstr(text, "run_ends");
    assert_non_null(end);
    assert_null(strstr(end + 1, "run_ends")); /* whoever died is not asked for it again */
}

TEST(one_that_cannot_start_fails_without_a_wait)
{
    struct bench b = {.count = 0};
    add(&b, "", SL_PLUGIN_RUN, 20);
    b.configs[0].words[0] = "/nowhere/plugin";
    run(&b, 100);
    assert_true(b.settled_ms[0] < 1000);
    assert_non_null(strstr(b.text, "\"what\":\"not-running\""));
}

TEST(what_makes_no_sense_is_recorded_and_the_rest_counts)
{
    struct bench b = {.count = 0};
    add(&b,
        "echo '{\"id\":99,\"ok\":true}'; read l; echo nonsense; echo "
        "'{\"metric\":\"p\",\"value\":1,"
        "\"job\":13}'; echo '{\"metric\":\"p\",\"value\":3,\"job\":12}'; "
        "echo '{\"id\":1,\"ok\":false,\"error\":\"no meter\"}'; exec sleep 60",
        SL_PLUGIN_RUN, 1);
    run(&b, 100);
    assert_non_null(strstr(b.text, "\"what\":\"bad-line\",\"words\":\"The file is not JSON"));
    assert_non_null(strstr(b.text, "\"what\":\"refused\",\"words\":\"no meter\""));
    assert_non_null(strstr(b.text, "\"values\":[3]"));
    assert_non_null(strstr(b.text, "\"failures\":3")); /* with no answer to the end */
}

TEST(nobody_who_measures_is_nobody_to_wait_for)
{
    struct bench b = {.count = 0};
    add(&b, ANSWERS, SL_PLUGIN_JOB_FAILED, 5);
    add(&b, ANSWERS, SL_PLUGIN_RUN, 5);
    assert_int_equal(sl_selector_read("kind=local", &b.configs[1].devices, NULL), 0);
    run(&b, 50);
    assert_int_equal(b.settled, 0);
    assert_null(b.run);
    assert_true(sl_plugin_run_is_settled(NULL));
    sl_plugin_run_end(NULL);
    sl_plugin_run_free(NULL);
}

/* --- telling, and power --- */

static void on_told(uv_timer_t *timer)
{
    struct bench *b = timer->data;
    static const struct sl_plugins_event event = {SL_PLUGIN_JOB_FAILED, "board", "lab", "gone", 5};
    static const struct sl_plugins_event other = {SL_PLUGIN_DEVICE_LOST, "board", "", "", 0};
    sl_plugins_tell(b->plugins, &event);
    sl_plugins_tell(b->plugins, &other);
    assert_int_equal(sl_plugins_power_cycle(b->plugins, "board"), 0);
    assert_int_equal(sl_plugins_power_cycle(b->plugins, "unknown"), SL_E_NOT_FOUND);
    uv_timer_start(&b->timer, on_start, 1500, 0); /* nobody measures: it ends then */
}

TEST(events_go_to_those_who_listen_and_power_to_who_switches_it)
{
    struct bench b = {.count = 0};
    char script[200], text[2048];
    char path[] = "/tmp/sl-plugins-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(script, sizeof(script), "exec cat >%s", path);
    add(&b, script, SL_PLUGIN_JOB_FAILED | SL_PLUGIN_POWER_CYCLE, 1);
    assert_int_equal(sl_selector_read("board", &b.configs[0].devices, NULL), 0);
    open_bench(&b);
    assert_true(sl_plugins_hear(b.plugins, SL_PLUGIN_POWER_CYCLE, "board"));
    assert_false(sl_plugins_hear(b.plugins, SL_PLUGIN_POWER_CYCLE, "other"));
    assert_false(sl_plugins_hear(b.plugins, SL_PLUGIN_RUN, "board"));
    assert_false(sl_plugins_hear(NULL, SL_PLUGIN_RUN, "board"));
    uv_timer_start(&b.timer, on_told, 200, 0);
    close_bench(&b);
    read_told(fd, path, text, sizeof(text));
    char *second = strchr(text, '\n');
    assert_non_null(second);
    assert_non_null(strstr(text, "{\"v\":1,\"event\":\"job_failed\",\"at_ms\":"));
    assert_non_null(strstr(text, ",\"job\":5,\"cause\":\"lab\",\"detail\":\"gone\",\"device\":{"
                                 "\"name\":\"board\",\"kind\":\"counted\",\"link\":\"adb:0123\","));
    assert_non_null(strstr(second, "\"event\":\"power_cycle\""));
    assert_non_null(strstr(second, "\"seconds\":1"));
    assert_null(strstr(text, "device_lost"));
}

static void on_counted(uv_timer_t *timer)
{
    struct bench *b = timer->data;
    struct sl_plugin_counts counts;
    assert_true(sl_plugins_counts(b->plugins, 0, &counts));
    assert_string_equal(counts.name, "first");
    assert_false(counts.up);
    assert_true(counts.failures[SL_PLUGIN_DIED] >= 1);
    assert_false(sl_plugins_counts(b->plugins, 1, &counts));
    assert_false(sl_plugins_counts(NULL, 0, &counts));
    on_start(timer);
}

TEST(failures_are_counted_without_a_run)
{
    struct bench b = {.count = 0};
    add(&b, "exit 1", SL_PLUGIN_JOB_FAILED, 1);
    open_bench(&b);
    uv_timer_start(&b.timer, on_counted, 300, 0);
    close_bench(&b);
}

TEST(an_event_before_the_start_is_not_told_and_counted)
{
    struct bench b = {.count = 0};
    struct sl_plugin_counts counts;
    static const struct sl_plugins_event event = {SL_PLUGIN_JOB_FAILED, "board", "lab", "gone", 5};
    add(&b, "exec sleep 60", SL_PLUGIN_JOB_FAILED, 1);
    open_bench(&b);
    sl_plugins_tell(b.plugins, &event);
    assert_true(sl_plugins_counts(b.plugins, 0, &counts));
    assert_int_equal(counts.failures[SL_PLUGIN_NOT_RUNNING], 1);
    uv_timer_start(&b.timer, on_start, 50, 0); /* nobody measures: it ends then */
    close_bench(&b);
}

/* A run that is dropped before its end is told to who measures it. */
static void on_dropped(uv_timer_t *timer)
{
    struct bench *b = timer->data;
    sl_plugin_run_free(b->run);
    b->run = NULL;
    uv_close((uv_handle_t *)timer, NULL);
    sl_plugins_close(b->plugins, on_closed, b);
}

static void on_begun(uv_timer_t *timer)
{
    struct bench *b = timer->data;
    const struct sl_plugin_run_facts facts = {"board", "toy", 12, true};
    assert_int_equal(sl_plugin_run_begin(b->plugins, &facts, on_settled, b, &b->run), 0);
    uv_timer_start(timer, on_dropped, 50, 0);
}

TEST(a_run_may_be_dropped_while_it_is_waited_for)
{
    struct bench b = {.count = 0};
    add(&b, "exec sleep 60", SL_PLUGIN_RUN, 30);
    open_bench(&b);
    uv_timer_start(&b.timer, on_begun, 50, 0);
    close_bench(&b);
    assert_int_equal(b.settled, 0);
}

static void on_hungry(uv_timer_t *timer)
{
    struct bench *b = timer->data;
    const struct sl_plugin_run_facts facts = {"board", "toy", 12, false};
    sl_mem_fail_nth(1);
    assert_int_equal(sl_plugin_run_begin(b->plugins, &facts, on_settled, b, &b->run), -ENOMEM);
    assert_null(b->run);
    uv_close((uv_handle_t *)timer, NULL);
    sl_plugins_close(b->plugins, on_closed, b);
}

TEST(a_begin_without_memory_is_an_error)
{
    struct bench b = {.count = 0};
    add(&b, "exec sleep 60", SL_PLUGIN_RUN, 30);
    open_bench(&b);
    uv_timer_start(&b.timer, on_hungry, 20, 0);
    close_bench(&b);
}
