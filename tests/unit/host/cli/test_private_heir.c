/* tests/unit/host/cli/test_private_heir.c */
#include "host/cli/private_heir.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "tests/support/test.h"

static char root[64];

static const char *below(const char *name)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/%s", root, name);
    return path;
}

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof(root), "/tmp/sl-heir-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command);
}

/* A state that was started at `seconds`. */
static void make(const char *name, time_t seconds, const char *config)
{
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    char path[128];
    assert_int_equal(mkdir(below(name), 0700), 0);
    snprintf(path, sizeof(path), "%s/store.sqlite", name);
    assert_int_equal(sl_buf_write_file(below(path), name, strlen(name)), 0);
    snprintf(path, sizeof(path), "%s/agents", name);
    assert_int_equal(mkdir(below(path), 0700), 0);
    snprintf(path, sizeof(path), "%s/private.json", name);
    assert_int_equal(sl_buf_write_file(below(path), config, strlen(config)), 0);
    assert_int_equal(utimensat(AT_FDCWD, below(path), times, 0), 0);
}

TEST_WITH(the_last_one_that_is_free_becomes_the_new_ones, make_root, remove_root)
{
    char last[256], heir[256];
    make("first", 1000, "{}");
    make("second", 3000, "{}");
    make("named", 5000, "{\"devices\": [{\"cpu\": \"max\"}]}");
    assert_true(sl_private_last(root, last, sizeof(last)));
    assert_string_equal(last, below("second"));
    snprintf(heir, sizeof(heir), "%s/new", root);
    assert_true(sl_private_take_over(root, heir));
    assert_int_equal(access(below("new/store.sqlite"), F_OK), 0);
    assert_int_not_equal(access(below("new/private.json"), F_OK), 0);
    assert_int_not_equal(access(below("new/agents"), F_OK), 0);
    assert_int_not_equal(access(below("second"), F_OK), 0);
    assert_int_equal(access(below("first/private.json"), F_OK), 0);
}

TEST_WITH(one_that_a_daemon_uses_stays, make_root, remove_root)
{
    char last[256], heir[256];
    make("only", 1000, "{}");
    int lock = open(below("only/lock"), O_RDWR | O_CREAT, 0600);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    close(open(below("only/sme2labd.sock"), O_WRONLY | O_CREAT, 0600));
    assert_false(sl_private_last(root, last, sizeof(last)));
    snprintf(heir, sizeof(heir), "%s/new", root);
    assert_false(sl_private_take_over(root, heir));
    assert_int_equal(access(below("only/private.json"), F_OK), 0);
    assert_true(sl_private_used(root, last, sizeof(last)));
    assert_string_equal(last, below("only"));
    close(lock);
    assert_false(sl_private_used(root, last, sizeof(last)));
}

/* It has no socket any more, and its lock still. */
TEST_WITH(one_whose_daemon_is_about_to_end_is_waited_for, make_root, remove_root)
{
    char last[256];
    int ready[2], status = 0;
    char byte = 0;
    make("only", 1000, "{}");
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        int lock = open(below("only/lock"), O_RDWR | O_CREAT, 0600);
        bool held = flock(lock, LOCK_EX) == 0 && write(ready[1], &byte, 1) == 1;
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        _exit(held ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_true(sl_private_last(root, last, sizeof(last)));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(ready[0]);
    close(ready[1]);
}

TEST_WITH(where_there_is_none_nothing_is_made, make_root, remove_root)
{
    char last[256];
    assert_false(sl_private_last(root, last, sizeof(last)));
    assert_false(sl_private_last("/nonexistent/root", last, sizeof(last)));
    assert_false(sl_private_take_over(root, below("new")));
}
