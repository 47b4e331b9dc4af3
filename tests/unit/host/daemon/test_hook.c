/* tests/unit/host/daemon/test_hook.c */
#include "host/daemon/hook.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/error.h"
#include "tests/support/unit.h"

static uv_loop_t loop;

static void on_closed(void *user)
{
    *(int *)user = 1;
}

/* Runs the command for two devices; after `wait_ms` all is closed. How long it took, in ms. */
static uint64_t run(const char *command, uint32_t limit_s, bool wait)
{
    const char *words[] = {"/bin/sh", "-c", command, "hook"};
    struct sl_hooks *hooks = NULL;
    int closed = 0;
    assert_int_equal(uv_loop_init(&loop), 0);
    uint64_t begin = uv_hrtime();
    assert_int_equal(sl_hooks_new(&loop, words, 4, limit_s, &hooks), 0);
    assert_int_equal(sl_hooks_run(hooks, "one"), 0);
    assert_int_equal(sl_hooks_run(hooks, "one"), SL_E_STATE);
    assert_int_equal(sl_hooks_run(hooks, "two"), 0);
    if (wait)
        uv_run(&loop, UV_RUN_DEFAULT);
    sl_hooks_close(hooks, on_closed, &closed);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(closed, 1);
    assert_int_equal(uv_loop_close(&loop), 0);
    return (uv_hrtime() - begin) / 1000000;
}

TEST(a_hook_is_given_its_devices_name)
{
    char folder[] = "/tmp/sl-hook-XXXXXX", command[128], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof(command), "touch %s/$1", folder);
    run(command, 10, true);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, i == 0 ? "one" : "two");
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

TEST(one_that_takes_too_long_is_killed_with_all_that_it_started)
{
    assert_true(run("sleep 30 & sleep 30", 1, true) < 10000);
}

TEST(the_end_waits_for_no_hook)
{
    assert_true(run("sleep 30", 60, false) < 10000);
}

TEST(a_program_that_is_not_there_is_an_error)
{
    const char *words[] = {"/nowhere/hook"};
    struct sl_hooks *hooks = NULL;
    int closed = 0;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(sl_hooks_new(&loop, words, 1, 5, &hooks), 0);
    assert_true(sl_hooks_run(hooks, "one") < 0);
    sl_hooks_close(hooks, on_closed, &closed);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(closed, 1);
    assert_int_equal(uv_loop_close(&loop), 0);
}
