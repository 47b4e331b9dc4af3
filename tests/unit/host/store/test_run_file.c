/* tests/unit/host/store/test_run_file.c */
#include "host/store/run_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "host/store/below.h"
#include "tests/support/unit.h"

static char root[256];

static int make_files(void **state)
{
    char command[1024];
    (void)state;
    snprintf(root, sizeof(root), "/tmp/sl-run-file-XXXXXX");
    assert_non_null(mkdtemp(root));
    snprintf(command, sizeof(command),
             "cd %s && mkdir -p state/runs/r1/exp && cd state && printf 12345 >runs/r1/exp/m && "
             "printf secret >../secret && ln -s ../../secret runs/r1/link && ln -s exp runs/r1/up "
             "&& mkfifo runs/r1/pipe && ln -s state ../way",
             root);
    assert_int_equal(system(command), 0);
    return 0;
}

static int remove_files(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", root);
    return system(command);
}

static int open_file(const char *below, const char *directory, const char *path, uint64_t *size)
{
    char state[300];
    snprintf(state, sizeof(state), "%s/%s", root, below);
    return sl_run_file_open(state, directory, path, size);
}

static void is_absent(const char *directory, const char *path)
{
    uint64_t size = 77;
    assert_int_equal(open_file("state", directory, path, &size), SL_E_NOT_FOUND);
    assert_int_equal(size, 77);
}

TEST_WITH(a_file_is_opened_whatever_leads_to_the_state, make_files, remove_files)
{
    char read_bytes[8] = "";
    uint64_t size = 0;
    int fd = open_file("way", "runs/r1", "exp/m", &size); /* by a link, as a user may set it up */
    assert_true(fd >= 0);
    assert_int_equal(size, 5);
    assert_int_equal(read(fd, read_bytes, sizeof(read_bytes)), 5);
    assert_string_equal(read_bytes, "12345");
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    close(fd);
}

TEST_WITH(nothing_beside_a_run_is_opened, make_files, remove_files)
{
    char step[300];
    memset(step, 'x', sizeof(step) - 1);
    step[sizeof(step) - 1] = '\0';
    is_absent("runs/r1", "link");
    is_absent("runs/r1", "up/m");
    is_absent("runs/r1", "pipe");
    is_absent("runs/r1", "exp");
    is_absent("runs/r1", "exp/m/");
    is_absent("runs/r1", "exp//m");
    is_absent("runs/r1", "./exp/m");
    is_absent("runs/r1", "../r1/exp/m");
    is_absent("runs/r1", "../../../secret");
    is_absent("runs/r1", "");
    is_absent("runs/r1", step);
    is_absent("", "exp/m");
    is_absent("../state/runs/r1", "exp/m");
    is_absent("/runs/r1", "exp/m");
    is_absent("runs/r2", "exp/m");
    is_absent("runs/r1/exp/m", "m");
}

TEST_WITH(what_lies_below_is_opened_at_once_and_by_no_link, make_files, remove_files)
{
    int at = open(root, O_RDONLY | O_DIRECTORY), flags = O_RDONLY | O_CLOEXEC;
    assert_true(at >= 0);
    int fd = sl_below_open(at, "state/runs/r1/exp/m", flags);
    if (fd == -ENOSYS)
        skip(); /* a kernel before 5.6, or one that is told to refuse it */
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(sl_below_open(at, "way/runs/r1/exp/m", flags), -ELOOP);
    assert_int_equal(sl_below_open(at, "../etc", flags), -EXDEV);
    assert_int_equal(sl_below_open(at, "/etc", flags), -EXDEV);
    assert_int_equal(sl_below_open(-1, "state", flags), -EBADF);
    close(at);
}
