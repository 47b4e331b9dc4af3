/* tests/unit/host/cli/test_private_sweep.c */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "host/cli/private_sweep.h"
#include "tests/support/unit.h"

static char root[64];

static const char *below(const char *name)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/%s", root, name);
    return path;
}

/* A state as a daemon leaves it, started long ago or just now. */
static void make(const char *name, bool old)
{
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char path[128];
    assert_int_equal(mkdir(below(name), 0700), 0);
    snprintf(path, sizeof(path), "%s/runs", name);
    assert_int_equal(mkdir(below(path), 0700), 0);
    snprintf(path, sizeof(path), "%s/runs/file", name);
    assert_int_equal(sl_buf_write_file(below(path), "x", 1), 0);
    snprintf(path, sizeof(path), "%s/lock", name);
    assert_int_equal(sl_buf_write_file(below(path), "1", 1), 0);
    snprintf(path, sizeof(path), "%s/private.json", name);
    assert_int_equal(sl_buf_write_file(below(path), "{}", 2), 0);
    if (old)
        assert_int_equal(utimensat(AT_FDCWD, below(path), long_ago, 0), 0);
}

static bool is_there(const char *name)
{
    return access(below(name), F_OK) == 0;
}

static int fresh_root(void **state)
{
    (void)state;
    snprintf(root, sizeof(root), "/tmp/sl-sweep-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command);
}

TEST_WITH(only_old_states_without_a_daemon_go, fresh_root, remove_root)
{
    char keep[128];
    make("old", true);
    make("new", false);
    make("mine", true);
    make("held", true);
    assert_int_equal(mkdir(below("foreign"), 0700), 0);
    assert_int_equal(symlink("/", below("link")), 0);
    assert_int_equal(symlink(root, below("old/runs/up")), 0);
    int lock = open(below("held/lock"), O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    snprintf(keep, sizeof(keep), "%s", below("mine"));
    assert_int_equal(sl_private_sweep(root, keep, SL_PRIVATE_KEEP_S), 1);
    close(lock);
    assert_false(is_there("old"));
    assert_true(is_there("new/runs/file") && is_there("mine/runs/file"));
    assert_true(is_there("held/runs/file") && is_there("foreign") && is_there("link"));
}

TEST_WITH(where_there_is_nothing_nothing_goes, fresh_root, remove_root)
{
    assert_int_equal(sl_private_sweep(below("nowhere"), "", 0), 0);
}
