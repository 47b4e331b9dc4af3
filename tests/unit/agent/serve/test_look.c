/* tests/unit/agent/serve/test_look.c: a device of a folder, whose `settings` takes its time. */
#include "agent/serve/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <uv.h>

#include "agent/probe/dumpsys.h"
#include "agent/probe/health.h"
#include "common/base/clock.h"
#include "common/base/tree_remove.h"
#include "tests/support/unit.h"

struct heard {
    unsigned times;
    bool known;
    struct sl_health now;
};

static void on_looked(void *user, const struct sl_health *now)
{
    struct heard *heard = user;
    heard->times++;
    heard->known = now != NULL;
    if (now)
        heard->now = *now;
}

/* `stop`: when the program has begun. Returns what was heard. */
static struct heard look(const char *script, bool stop)
{
    struct heard heard = {.times = 0};
    struct sl_look *one = NULL;
    char root[] = "/tmp/sl-look-XXXXXX", command[400], begun[64];
    uv_loop_t loop;
    assert_non_null(mkdtemp(root));
    snprintf(begun, sizeof(begun), "%s/begun", root);
    snprintf(command, sizeof(command),
             "mkdir -p %s/system/bin && cd %s/system/bin && printf '#!/bin/sh\\n>%s\\n%s\\n' "
             ">settings && chmod 755 settings",
             root, root, begun, script);
    assert_int_equal(system(command), 0);
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(sl_look_start(&loop, root, on_looked, &heard, &one), 0);
    assert_int_equal(heard.times, 0);
    while (stop && access(begun, F_OK) < 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (stop)
        sl_look_stop(one);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    sl_tree_remove(root);
    return heard;
}

TEST(a_look_tells_what_was_read_once)
{
    struct heard heard = look("echo 1", false);
    assert_int_equal(heard.times, 1);
    assert_true(heard.known);
    assert_int_equal(heard.now.power_saver, 1);
}

TEST(a_look_that_is_stopped_ends_its_program_and_tells_nothing)
{
    uint64_t begin = sl_clock_ns();
    struct heard heard = look("sleep 1.4; echo 1", true);
    assert_int_equal(heard.times, 1);
    assert_false(heard.known);
    assert_true(sl_clock_ns() - begin < 1300000000ULL);
}
